"""Many games side by side, and what is told of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any, NamedTuple, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from canfield_env.deals import splitmix64
from canfield_env.engine import entries, layout, observe
from canfield_env.engine.entries import CODE_LENGTH, TERMINATED, TRUNCATED
from canfield_env.engine.jit import announced
from canfield_env.engine.pack import pack
from canfield_env.game import Game
from canfield_env.rules import Rules

#: Indices of games in a batch.
Rows: TypeAlias = NDArray[np.intp]

_NO_ACTIONS = np.empty(0, np.int64)


class Told(NamedTuple):
    """What is told of each of N games: fresh arrays.

    Attributes:
        observations: ``uint8[N, bytes]``: the tokens, or the bytes of the float32 planes.
        masks: ``int8[N, 261]``, the legal actions.
        flags: ``bool[3, N]``: terminated, truncated, illegal (the action just given was masked).
        facts: ``int64[5, N]``: outcome (``layout.OUTCOMES``), score, cards up, literal moves, steps of the episode.
        rewards: ``float64[2, N]``: of the step, and of the episode so far.
    """

    observations: NDArray[np.uint8]
    masks: NDArray[np.int8]
    flags: NDArray[np.bool_]
    facts: NDArray[np.int64]
    rewards: NDArray[np.float64]

    @classmethod
    def new(cls, count: int, settings: layout.Settings) -> Self:
        """Room for what is told of ``count`` games."""
        return cls(
            np.empty((count, observe.size(settings)), np.uint8),
            np.empty((count, layout.ACTIONS), np.int8),
            np.zeros((3, count), np.bool_),
            np.empty((5, count), np.int64),
            np.zeros((2, count), np.float64),
        )

    @property
    def ended(self) -> Rows:
        """The games whose episode has ended with this step."""
        return np.flatnonzero(self.flags[TERMINATED] | self.flags[TRUNCATED])

    def take(self, rows: Rows) -> Told:
        """A copy of what is told of some of the games."""
        return Told(
            self.observations[rows], self.masks[rows], self.flags[:, rows], self.facts[:, rows], self.rewards[:, rows]
        )


class Batch:
    """N games with shared settings. Copies and pickles go on exactly where it stands.

    Args:
        count: number of games.
        settings: an array of one element of ``layout.SETTINGS``.
        threads: worker threads that share the games out among them.

    Attributes:
        games: ``GAME[N]``.
        codes: ``str[N]``, the game code of each game; empty where it has none.
    """

    def __init__(self, count: int, settings: layout.Settings, threads: int = 1) -> None:
        prepare()
        self.settings = settings
        self.games = np.zeros(count, layout.GAME)
        self.codes = np.zeros(count, f"U{CODE_LENGTH}")
        self._rows = np.arange(count)
        self._shares = np.array_split(self._rows, min(threads, count))
        self._open_pool()

    def _open_pool(self) -> None:
        threads = len(self._shares)
        self._pool = ThreadPoolExecutor(threads) if threads > 1 else None

    def __len__(self) -> int:
        return len(self.games)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_pool"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        prepare()
        self.__dict__.update(state)
        self._open_pool()

    def close(self) -> None:
        """Ends the worker threads."""
        if self._pool is not None:
            self._pool.shutdown()

    def state(self) -> dict[str, NDArray[Any]]:
        """The arrays that ``restore`` takes."""
        return {"games": self.games.copy(), "codes": self.codes.copy()}

    def restore(self, state: dict[str, NDArray[Any]]) -> None:
        """Goes back to what ``state`` gave."""
        self.games[:] = state["games"]
        self.codes[:] = state["codes"]

    def begin(self, rows: Rows, seeds: Sequence[int | None], starts: Mapping[int, Game]) -> None:
        """Starts episodes.

        Args:
            rows: the games to start.
            seeds: for every game of the batch, the seed of the generator that its deals are drawn from, or None to go
                on with it. The same seed gives the same deals, on every platform and in every release.
            starts: the games to start from, by index; the others are dealt.
        """
        for row in rows.tolist():
            if (seed := seeds[row]) is not None:
                self.games["random"][row] = np.array(splitmix64(seed % 2**64)[1], np.uint64).view(np.int64)
        for row, game in starts.items():
            pack(game, self.games, row)
        given = np.array(sorted(starts), np.intp)
        self.deal(np.setdiff1d(rows, given))
        self.restart(given)

    def deal(self, rows: Rows) -> None:
        """Deals each of some games the next deal of its generator."""
        entries.begin_rows(self.games, self.settings, rows, True, _code_points(self.codes))

    def restart(self, rows: Rows) -> None:
        """Starts episodes in some games on the table as it is."""
        entries.begin_rows(self.games, self.settings, rows, False, _code_points(self.codes))

    def tell(self) -> Told:
        """What there is to tell of all games."""
        told = Told.new(len(self), self.settings)
        self.tell_again(self._rows, told)
        return told

    def tell_again(self, rows: Rows, told: Told) -> None:
        """Writes what there is to tell of some games into ``told``, but not how their last step went."""
        entries.tell_rows(self.games, self.settings, rows, _NO_ACTIONS, *told)

    def step(self, actions: NDArray[np.int64]) -> Told:
        """Steps all games but those whose end has been told, which are left as they are, with a reward of 0."""
        told = Told.new(len(self), self.settings)
        if self._pool is None:
            entries.tell_rows(self.games, self.settings, self._rows, actions, *told)
        else:
            work = [
                self._pool.submit(entries.tell_rows, self.games, self.settings, rows, actions, *told)
                for rows in self._shares
            ]
            for share in work:
                share.result()
        return told

    def find_refused(self, actions: NDArray[np.int64], *, masked: bool) -> int:
        """The first game whose action is none, or with ``masked`` is masked where it goes on; -1 if there is none."""
        return int(entries.find_refused(self.games, self.settings, actions, masked))

    def masks(self) -> NDArray[np.bool_]:
        """The legal actions, ``bool[N, 261]``."""
        masks = np.empty((len(self), layout.ACTIONS), np.int8)
        entries.mask_rows(self.games, self.settings, masks)
        return masks.view(np.bool_)


@cache
def prepare() -> None:
    """Compiles all that is called from here, or loads it from the cache on disk, once in each process."""
    games, settings, rows = np.zeros(1, layout.GAME), layout.new_settings(Rules()), np.zeros(1, np.intp)
    codes, actions, told = np.zeros(1, f"U{CODE_LENGTH}"), np.zeros(1, np.int64), Told.new(1, settings)
    with announced():
        entries.begin_rows(games, settings, rows, True, _code_points(codes))
        entries.tell_rows(games, settings, rows, actions, *told)
        entries.step_one(games, settings, 0, False, told.observations[0], told.masks[0])
        entries.find_refused(games, settings, actions, False)
        entries.mask_rows(games, settings, told.masks)


def _code_points(codes: NDArray[np.str_]) -> NDArray[np.uint32]:
    """A view of game codes as ``uint32[N, CODE_LENGTH]``."""
    return codes.view(np.uint32).reshape(len(codes), CODE_LENGTH)
