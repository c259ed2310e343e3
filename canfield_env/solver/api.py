"""``solve``: whether a game can be won by one who sees every card, and how."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from numbers import Integral, Real
from time import perf_counter
from typing import Final, Literal

import numpy as np

from canfield_env.deals import Deal
from canfield_env.engine.jit import announced
from canfield_env.errors import ConfigError
from canfield_env.game import Game
from canfield_env.notation import Move
from canfield_env.rules import Rules
from canfield_env.solver.moves import ALL_DOMINANCES, MOST_ADDED, TAILS
from canfield_env.solver.search import FULL, LOOPS, OPEN, UNWINNABLE, WINNABLE, advance, begin, search
from canfield_env.solver.solution import winning_moves
from canfield_env.solver.space import EXPANDED, FIRST_BITS, WON, Space, new_space
from canfield_env.solver.state import BOARD_SIZE, DOMINANCES, WEIGHTS, board_of, pack

#: Bytes that a solver may take.
DEFAULT_MEMORY: Final = 2**30
LEAST_MEMORY: Final = 2**20
#: How much a card in the reserve, in the stock and in the columns counts in the order in which states are taken up.
SEARCH_WEIGHTS: Final = (6, 2, 1)
#: States between two looks at the clock, about 20 milliseconds.
_SLICE: Final = 16_384

VerdictName = Literal["winnable", "unwinnable", "undecided"]
LimitName = Literal["states", "seconds", "memory"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a search has found.

    Attributes:
        verdict: ``"winnable"``, ``"unwinnable"`` (every state that can be reached was looked at) or ``"undecided"``.
        moves: the moves of a win, stock turns included, checked by playing them; None unless winnable.
        states: states whose moves were looked at.
        seconds: time taken.
        limit: for ``"undecided"`` the limit that was reached: ``"states"``, ``"seconds"`` or ``"memory"``; else None.
    """

    verdict: VerdictName
    moves: list[Move] | None
    states: int
    seconds: float
    limit: LimitName | None = None

    def __str__(self) -> str:
        length = "" if self.moves is None else f" in {len(self.moves)} moves"
        reached = "" if self.limit is None else f" ({self.limit})"
        return f"{self.verdict}{length}{reached}, {self.states:,} states, {self.seconds:.2f} s"


class Solver:
    """A solver with memory of its own, used again for every search. One search at a time: one solver a thread.

    Args:
        max_memory: bytes for the states, at least ``LEAST_MEMORY``. The system provides them as they are first needed.

    Raises:
        ConfigError: too little memory, or more than the system can provide.
    """

    def __init__(self, max_memory: int = DEFAULT_MEMORY) -> None:
        self.space: Space = space_of(max_memory)
        _compile()

    def solve(
        self,
        game_or_deal: Game | Deal,
        rules: Rules | str = "app",
        *,
        max_seconds: float | None = 10.0,
        max_states: int | None = None,
        take_back: bool | None = None,
        progress: Callable[[int, float], None] | None = None,
        dominances: int = ALL_DOMINANCES,
    ) -> Verdict:
        """Finds out whether a game can be won. Parameters and errors are those of ``solve``.

        Args:
            dominances: the mask of ``moves.py``; anything but all of them is for tests.
        """
        game = _start(game_or_deal, rules, take_back)
        max_seconds, max_states = checked_limits(max_seconds, max_states)
        position = game.full_position()
        board = board_of(position, game.rules, game.draw)
        board[WEIGHTS : WEIGHTS + 3] = SEARCH_WEIGHTS
        board[DOMINANCES] = dominances
        words = pack(position, game.rules, game.draw)
        start, before, moves = perf_counter(), 0, None
        while True:
            begin(*words, *self.space, board)
            status, limit = self._search(board, start, before, max_seconds, max_states, progress)
            before += int(self.space.info[EXPANDED])
            if status == WINNABLE:
                moves = winning_moves(self.space, int(self.space.info[WON]), board, game.copy())
            if status != LOOPS:
                break
            board[DOMINANCES] &= ~TAILS  # D4 is not proved for all that there is: once more without it
        verdict: VerdictName = (
            "winnable" if status == WINNABLE else "unwinnable" if status == UNWINNABLE else "undecided"
        )
        return Verdict(verdict, moves, before, perf_counter() - start, limit)

    def _search(
        self,
        board: np.ndarray,
        start: float,
        before: int,
        max_seconds: float | None,
        max_states: int | None,
        progress: Callable[[int, float], None] | None,
    ) -> tuple[int, LimitName | None]:
        """Searches on in slices until the search or a limit ends it."""
        while True:
            states = before + int(self.space.info[EXPANDED])
            seconds = perf_counter() - start
            if progress is not None:
                progress(states, seconds)
            if max_states is not None and states >= max_states:
                return OPEN, "states"
            if max_seconds is not None and seconds >= max_seconds:
                return OPEN, "seconds"
            more = _SLICE if max_states is None else min(_SLICE, max_states - states)
            status = advance(states - before + more, *self.space, board)
            if status == FULL:
                return FULL, "memory"
            if status != OPEN:
                return status, None


@cache
def _compile() -> None:
    """Compiles the search, or reads it from the disk, so that no time limit has to pay for it."""
    with announced():
        board = np.zeros(BOARD_SIZE, np.int64)
        search(0, 0, 1, *new_space(MOST_ADDED + 1), board)


_local = threading.local()


def solve(
    game_or_deal: Game | Deal,
    rules: Rules | str = "app",
    max_seconds: float | None = 10.0,
    max_states: int | None = None,
    *,
    max_memory: int = DEFAULT_MEMORY,
    take_back: bool | None = None,
    progress: Callable[[int, float], None] | None = None,
) -> Verdict:
    """Finds out whether a game can be won by one who sees every card.

    Args:
        game_or_deal: a deal, or a game, which is solved from where it stands and by its own rules.
        rules: the rules for a deal.
        max_seconds: time limit, None for none.
        max_states: limit of states; with it alone the result is the same on every machine.
        max_memory: bytes for the states.
        take_back: whether cards may be taken back from the foundations (F1), where the rules are not to say so.
        progress: called now and then with the states and the seconds so far.

    Returns:
        The verdict. ``"unwinnable"`` is given only after every state that can be reached has been looked at.

    Raises:
        ConfigError: neither a deal nor a game, a limit that is no positive number, more memory than the system can
            provide, or rules with too few redeals for the solver.
        DealError: the deal does not fit the rules.
    """
    if getattr(_local, "memory", None) != max_memory:
        _local.solver, _local.memory = Solver(max_memory), max_memory
    solver: Solver = _local.solver
    return solver.solve(
        game_or_deal,
        rules,
        max_seconds=max_seconds,
        max_states=max_states,
        take_back=take_back,
        progress=progress,
    )


def _start(game_or_deal: Game | Deal, rules: Rules | str, take_back: bool | None) -> Game:
    """A game of the solver's own that stands where the search begins."""
    if not isinstance(game_or_deal, Deal | Game):
        raise ConfigError(f"solver: it solves a Deal or a Game, not {game_or_deal!r}")
    game = Game(game_or_deal, rules) if isinstance(game_or_deal, Deal) else game_or_deal.copy()
    if take_back is None or take_back == game.rules.take_back:
        return game
    return Game.from_position(game.full_position(), replace(game.rules, take_back=take_back), game.draw)


def checked_limits(max_seconds: float | None, max_states: int | None) -> tuple[float | None, int | None]:
    """The limits as plain numbers. Raises ConfigError for one that is not positive, or of states no whole number."""
    if max_seconds is not None and not (_is_number(max_seconds, Real) and max_seconds > 0):
        raise ConfigError(f"solver: max_seconds must be a positive number, not {max_seconds!r}")
    seconds = None if max_seconds is None else float(max_seconds)
    return seconds, None if max_states is None else checked_count("max_states", max_states)


def checked_count(name: str, value: int) -> int:
    """The value as a plain number. Raises ConfigError unless it is a positive whole one."""
    if not (_is_number(value, Integral) and value > 0):
        raise ConfigError(f"solver: {name} must be a positive whole number, not {value!r}")
    return int(value)


def _is_number(value: object, kind: type) -> bool:
    return isinstance(value, kind) and not isinstance(value, bool)


def space_of(max_memory: int) -> Space:
    """A space of so many bytes, of which the system provides each as it is first needed.

    Raises:
        ConfigError: that is too little, or more than the system can provide.
    """
    if not (_is_number(max_memory, Integral) and max_memory >= LEAST_MEMORY):
        raise ConfigError(f"solver: max_memory must be at least {LEAST_MEMORY} bytes, not {max_memory!r}")
    try:
        return new_space(_nodes_in(int(max_memory)))
    except MemoryError:
        raise ConfigError(f"solver: the system cannot provide {max_memory} bytes of memory") from None


def _nodes_in(max_memory: int) -> int:
    """The most states that fit in so many bytes: 24 for each, and 8 a slot of a table at most two thirds full."""
    return max(min((1 << bits) * 2 // 3 - 1, (max_memory - (8 << bits)) // 24) for bits in range(FIRST_BITS, 40))
