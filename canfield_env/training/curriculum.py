"""Deals close to won first, then whole ones: where training episodes start.

A share of the episodes starts within a game that the solver has won, some moves before its end: at first a few, and
more as the player wins. The others are whole deals: all that are drawn, or those that the solver proves winnable.

Which of these an episode is follows from the deal number that its game draws, so the games' own generators decide
everything. The cards under the top of the reserve are as unseen at the start of such an episode as in a whole game.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from canfield_env.deals import Deal, splitmix64
from canfield_env.engine import kernels, layout
from canfield_env.engine.batch import Batch, Rows, Told
from canfield_env.engine.jit import jit
from canfield_env.env.actions import TURN, encode
from canfield_env.env.options import EnvOptions
from canfield_env.env.sb3 import CanfieldVecEnv
from canfield_env.errors import ConfigError
from canfield_env.game import Game
from canfield_env.notation import Move
from canfield_env.rules import Rules
from canfield_env.solver import Solver
from canfield_env.training.config import CurriculumSection

Array = NDArray[Any]

#: States that the solver may look at for a deal: four of five can be won within them, in some milliseconds.
MOST_STATES: Final = 2_000
#: Episodes within won games after which it is looked whether they were won often enough.
WINDOW: Final = 200
#: Deals in a row none of which the solver wins at once, upon which it is given up.
MOST_DEALS: Final = 1_000

_SOLVER_MEMORY: Final = 2**24


@dataclass(frozen=True, slots=True)
class WonGames:
    """Games that the solver has won, as the environment plays them.

    Attributes:
        numbers: ``int64[G]``, their deals.
        lengths: ``int64[G]``, how many actions each took.
        actions: ``int64[G, L]``, the actions, then zeros.
    """

    numbers: NDArray[np.int64]
    lengths: NDArray[np.int64]
    actions: NDArray[np.int64]

    @classmethod
    def of(cls, options: EnvOptions, count: int, seed: int) -> WonGames:
        """The games of the first ``count`` training deals drawn from ``seed`` that the solver wins at once.

        Raises:
            ConfigError: hardly any deal can be won at once under these rules.
        """
        rng, solver = np.random.default_rng(seed), Solver(_SOLVER_MEMORY)
        numbers: list[int | None] = []
        games: list[list[int]] = []
        for _ in range(count):
            deal, moves = _next_win(rng, solver, options)
            numbers.append(deal.number)
            games.append(played(Game(deal, options.rules), moves, options))
        lengths = [len(actions) for actions in games]
        table = [actions + [TURN] * (max(lengths) - len(actions)) for actions in games]
        return cls(np.array(numbers, np.int64), np.array(lengths), np.array(table))


def _next_win(rng: np.random.Generator, solver: Solver, options: EnvOptions) -> tuple[Deal, list[Move]]:
    """The next training deal that the solver wins at once, and how."""
    for _ in range(MOST_DEALS):
        deal = Deal.random(rng, options.draw)
        moves = solver.solve(deal, options.rules, max_seconds=None, max_states=MOST_STATES).moves
        if moves is not None:
            return deal, moves
    raise _too_hard()


def played(game: Game, moves: list[Move], options: EnvOptions) -> list[int]:
    """The actions that moves are in the environment, which with ``stock="auto"`` turns the stock by itself."""
    actions = []
    for move in moves:
        if move != Move("D") or options.stock == "turn":
            actions.append(encode(game.full_position(), move, options.rules.ranks))
        game.push(move)
    return actions


class CurriculumBatch(Batch):
    """A batch whose episodes start where the curriculum says.

    Args:
        count: number of games.
        options: the environment's.
        section: the curriculum.
        seed: what deals the won games are of.

    Attributes:
        within: ``bool[N]``, whether a game's episode started within a won game.
        distance: how many actions before the end such episodes start at most.
    """

    def __init__(self, count: int, options: EnvOptions, section: CurriculumSection, seed: int) -> None:
        super().__init__(count, options.settings())
        self.within = np.zeros(count, np.bool_)
        self.distance = float(section.distance)
        self._section, self._rules = section, options.rules
        self._wins = self._episodes = 0
        self._solver = Solver(_SOLVER_MEMORY) if section.winnable else None
        self._games = WonGames.of(options, section.games, seed) if section.share else None

    def deal(self, rows: Rows) -> None:
        """Starts an episode in some games: their next deals, or within won games."""
        self._note_ends(rows)
        super().deal(rows)
        whole = rows
        if self._games is not None:
            draws = {row: _draws(int(self.games["deal"][row])) for row in rows.tolist()}
            within = np.array([draws[row][0] < self._section.share for row in draws], np.bool_)
            self.within[rows] = within
            whole, entered = rows[~within], rows[within]
            if len(entered):
                self._enter(self._games, entered, [draws[row][1:] for row in entered.tolist()])
        if self._solver is not None:
            self._deal_winnable(self._solver, whole)

    def _note_ends(self, rows: Rows) -> None:
        """Counts the episodes that have ended, and starts them further from the end if enough of them were won."""
        outcomes = self.games["outcome"][rows[self.within[rows]]]
        self._episodes += int((outcomes != layout.RUNNING).sum())
        self._wins += int((outcomes == layout.WON).sum())
        if self._episodes >= WINDOW:
            if self._wins >= self._section.target * self._episodes:
                self.distance *= self._section.growth
            self._episodes = self._wins = 0

    def _deal_winnable(self, solver: Solver, rows: Rows) -> None:
        """Deals some games their next deals until each is proved winnable."""
        for _ in range(MOST_DEALS):
            if len(rows) == 0:
                return
            deals = [Deal.from_number(number, int(self.settings["draw"][0])) for number in self.games["deal"][rows]]
            found = [solver.solve(deal, self._rules, max_seconds=None, max_states=MOST_STATES) for deal in deals]
            rows = rows[[verdict.verdict != "winnable" for verdict in found]]
            super().deal(rows)
        raise _too_hard()

    def _enter(self, games: WonGames, rows: Rows, draws: list[tuple[int, int]]) -> None:
        """Starts episodes within won games."""
        picks = np.array([pick % len(games.numbers) for pick, _ in draws])
        before_end = np.array([1 + back % int(self.distance) for _, back in draws])
        counts = np.maximum(games.lengths[picks] - before_end, 0)
        _replay(self.games, self.settings, rows, games.numbers[picks], games.actions[picks], counts)
        self.restart(rows)

    def state(self) -> dict[str, NDArray[Any]]:
        """The arrays that ``restore`` takes."""
        progress = np.array([self.distance, self._episodes, self._wins])
        return super().state() | {"within": self.within.copy(), "progress": progress}

    def restore(self, state: dict[str, NDArray[Any]]) -> None:
        """Goes back to what ``state`` gave."""
        super().restore(state)
        self.within[:] = state["within"]
        distance, episodes, wins = state["progress"].tolist()
        self.distance, self._episodes, self._wins = distance, int(episodes), int(wins)


class CurriculumVecEnv(CanfieldVecEnv):
    """Games whose episodes start where a curriculum says.

    The infos of episodes that have ended hold also ``within``, whether they started within a won game, and
    ``distance``, how far from its end such episodes start at most now.

    Args:
        num_envs: number of games.
        rules: as in ``CanfieldEnv``.
        section: the curriculum.
        seed: what deals the won games are of.
        options: the other arguments of ``CanfieldEnv``.
    """

    def __init__(
        self, num_envs: int, rules: Rules | str, *, section: CurriculumSection, seed: int, **options: Any
    ) -> None:
        self._section, self._seed = section, seed
        super().__init__(num_envs, rules, **options)

    def _make_batch(self, count: int, threads: int) -> CurriculumBatch:
        self.starts = CurriculumBatch(count, self.options, self._section, self._seed)
        return self.starts

    def _game_info(self, told: Told, i: int, row: int) -> dict[str, Any]:
        where = {"within": bool(self.starts.within[row]), "distance": self.starts.distance}
        return super()._game_info(told, i, row) | where


def _too_hard() -> ConfigError:
    return ConfigError(f"a curriculum needs deals to be won: of {MOST_DEALS:,} in a row the solver won none at once")


def _draws(number: int) -> tuple[float, int, int]:
    """What a deal number decides: a number from 0 to 1, and two large whole ones."""
    state, first = splitmix64(number << 32)  # far from the number itself, which the deck is shuffled from
    state, second = splitmix64(state)
    return first / 2**64, second, splitmix64(state)[1]


@jit
def _replay(games: Array, settings: Array, rows: Array, numbers: Array, actions: Array, counts: Array) -> None:
    """Deals some games and plays the first actions of each."""
    deck = np.empty(52, np.int8)
    for i, row in enumerate(rows):
        kernels.shuffle(numbers[i], settings[0].ranks, deck)
        kernels.deal(games[row], settings[0], deck, settings[0].draw, numbers[i])
        for action in actions[i, : counts[i]]:
            kernels.play(games[row], action)
