"""Experience to learn the worth of plans from: where a quick planner's plans ended, and what the games came to."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.planner.agent import PlannerAgent
from agents.planner.decision import RATE, Decision
from agents.planner.ends import log_odds, read_ends
from agents.planner.options import Options
from agents.planner.samples import draw_orders
from agents.planner.search import MOST_PLANS, find_result, lay
from canfield_env.deals import FIRST_TRAINING_DEAL, Deal
from canfield_env.engine.observe import TOKENS_SIZE
from canfield_env.evaluation.episode import make_env, play_episode
from canfield_env.evaluation.workers import begin_worker, in_workers
from canfield_env.files import read_arrays, whole_file
from canfield_env.rules import Rules
from canfield_env.solver.search import UNWINNABLE, WINNABLE

#: What is played.
RULES: Final = "app"
DRAW: Final = 3
#: The deal of the first game; those that the planner's settings are chosen and measured on come before it.
FIRST_DEAL: Final = FIRST_TRAINING_DEAL + 2_000_000
#: Games in a file.
PART: Final = 250
#: The quick planner.
PLAYER: Final = Options(orders=6, states=100, last=2_000, plans=12, explore=500, rounds=1)
#: The planner that this is to be of use to: by as many orders as it has, searched as far, ends are judged.
JUDGE: Final = Options()
#: By how much, as a share of the orders, it prefers any plan to another; and by how much where it explores. The first
#: only chooses among plans that win as often.
WHIM: Final = 0.01
EXPLORING_WHIM: Final = 0.3
SEED: Final = 0


class Ends(NamedTuple):
    """The ends of the plans that were taken, N of them, game by game and in the order of play.

    Attributes:
        tokens: ``uint8[N, 62]``, as ``read_ends`` has them.
        games: ``int64[N]``, which game each is of.
        shares: ``float32[N]``, the log-odds of the orders won after it.
        won: ``float32[N]``, 1 where the game was won.
    """

    tokens: NDArray[np.uint8]
    games: NDArray[np.int64]
    shares: NDArray[np.float32]
    won: NDArray[np.float32]


class Explorer:
    """Plays games by the quick planner, and notes where its plans end.

    Every second game explores once: at a random decision any plan may be taken that wins not much less. What came
    before is left out there, so what follows tells how the planner goes on from ends that it would not choose itself.
    """

    def __init__(self) -> None:
        self._agent = PlannerAgent(PLAYER, make=partial(_ExploringDecision, self))
        self._env = make_env(self._agent, Rules.of(RULES))

    def play(self, game: int) -> Ends:
        """Plays a game. What comes out depends on its number only."""
        self.rng = np.random.default_rng([SEED, game])
        self.explored = int(self.rng.integers(2, 13)) if game % 2 else 0
        self.noted: dict[int, tuple[NDArray[np.uint8], float]] = {}
        record = play_episode(self._agent, self._env, Deal.from_number(FIRST_DEAL + game, DRAW))
        kept = [note for hidden, note in self.noted.items() if not self.explored or hidden <= self.explored]
        return Ends(
            np.array([tokens for tokens, _ in kept], np.uint8).reshape(-1, TOKENS_SIZE),
            np.full(len(kept), game),
            np.array([share for _, share in kept], np.float32),
            np.full(len(kept), record.outcome == "won", np.float32),
        )


class _ExploringDecision(Decision):
    """A decision that takes any of the plans that win as often, or nearly where it explores, and notes its end.

    Args:
        explorer: what it is a part of.
        arguments: those of ``Decision``.
    """

    def __init__(self, explorer: Explorer, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._explorer = explorer
        self._explores = self._orders.shape[1] == explorer.explored
        self._whims = (EXPLORING_WHIM if self._explores else WHIM) * explorer.rng.random(MOST_PLANS)

    def _find_winning(self) -> int | None:
        best = super()._find_winning()
        if self._top >= 0 and best is not None:
            end = read_ends(self._plans, best + 1, self._tools[-1])[best]
            self._explorer.noted[self._orders.shape[1]] = end, self._judge(best)
        return best

    def _judge(self, plan: int) -> float:
        """The log-odds of the orders won after a plan, on others than those that it was chosen by."""
        seed = int(self._explorer.rng.integers(2**31))
        orders = draw_orders(sorted(self._orders[0].tolist()), JUDGE.orders, seed)
        states = JUDGE.states * RATE ** (JUDGE.rounds - 1) * (JUDGE.orders // len(orders))
        a, b = self._plans.paths[plan, self._plans.lengths[plan] - 1]
        won = 0.0
        for order in orders:
            lay(order, self._tools[-1])
            result = find_result(a, b, states, *self._tools)
            won += 1.0 if result == WINNABLE else 0.0 if result == UNWINNABLE else JUDGE.undecided
        return float(log_odds(np.array(won / len(orders)), len(orders)))

    def _find_certain(self, states: int) -> int | None:
        return None if self._explores else super()._find_certain(states)

    def _worth(self, chosen: NDArray[np.int64], shares: NDArray[np.float64], orders: int) -> NDArray[np.float64]:
        return shares + self._whims[chosen]


def missing_parts(folder: Path, parts: int) -> list[int]:
    """Which of the first parts are not in a folder yet."""
    return [part for part in range(parts) if not part_file(folder, part).exists()]


def gather(folder: Path, parts: Sequence[int], jobs: int = 1) -> Generator[int]:
    """Plays parts, and gives the number of each as it is finished. What comes out does not depend on ``jobs``.

    Args:
        folder: where they go.
        parts: which parts.
        jobs: worker processes; with 1 this process plays itself.

    Raises:
        ChildProcessError: a worker process died.
        OSError: a part cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    if jobs == 1:
        explorer = Explorer()
        yield from (_play_part(explorer, folder, part) for part in parts)
    else:
        yield from in_workers(_work, parts, jobs, _start_worker, (folder,))


def part_file(folder: Path, part: int) -> Path:
    """Where a part is, or goes."""
    return folder / f"ends-{part:04}.npz"


def load_ends(folder: Path) -> tuple[Ends, int]:
    """All that has been gathered in a folder, and how many games have been played for it.

    Raises:
        FileNotFoundError: that is nothing.
        ConfigError: a file is damaged.
    """
    paths = sorted(folder.glob("ends-*.npz"))
    if not paths:
        raise FileNotFoundError(f"{folder}: there are no games in it yet")
    return _joined(_load(path) for path in paths), PART * len(paths)


def _load(path: Path) -> Ends:
    return Ends(**read_arrays(path, Ends._fields, "part of the games"))


def _joined(ends: Iterable[Ends]) -> Ends:
    return Ends(*map(np.concatenate, zip(*ends, strict=True)))


def _play_part(explorer: Explorer, folder: Path, part: int) -> int:
    ends = _joined(explorer.play(game) for game in range(part * PART, (part + 1) * PART))
    with whole_file(part_file(folder, part)) as file:
        np.savez_compressed(file, **ends._asdict())
    return part


_worker: tuple[Explorer, Path]  # of a worker process


def _start_worker(folder: Path) -> None:
    global _worker
    begin_worker()
    _worker = Explorer(), folder


def _work(part: int) -> int:
    return _play_part(*_worker, part)
