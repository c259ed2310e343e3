"""What the vector and the stable-baselines3 form share: checks of what they are given."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeGuard

import numpy as np
from numpy.typing import NDArray

from canfield_env.engine.batch import Batch
from canfield_env.engine.pack import unpack
from canfield_env.env.actions import check_action, refusal
from canfield_env.env.options import EnvOptions
from canfield_env.errors import ConfigError, IllegalMoveError, NotationError


def check_count(name: str, value: object) -> int:
    """The value of an option that is a whole number from 1 up.

    Raises:
        ConfigError: it is none.
    """
    if not _is_whole(value) or value < 1:
        raise ConfigError(f"{name} must be a whole number from 1 up, not {value!r}")
    return int(value)


def check_seeds(seed: object, count: int) -> list[int | None]:
    """A seed for each of ``count`` games: ``seed + i``, or ``seed[i]``; None leaves a game's generator alone.

    Raises:
        ConfigError: another number of seeds, or one that is no whole number from 0 up.
    """
    if seed is None:
        return [None] * count
    if _is_whole(seed):
        seeds: list[Any] = [seed + i for i in range(count)]
    elif isinstance(seed, Sequence | np.ndarray) and not isinstance(seed, str):
        seeds = list(seed)
    else:
        raise ConfigError(f"seed must be a whole number, a list of them, or None, not {seed!r}")
    if len(seeds) != count:
        raise ConfigError(f"{len(seeds)} seeds for {count} games")
    for one in seeds:
        if one is not None and (not _is_whole(one) or one < 0):
            raise ConfigError(f"a seed is a whole number from 0 up, not {one!r}")
    return [None if one is None else int(one) for one in seeds]


def _is_whole(value: object) -> TypeGuard[int]:
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def check_actions(batch: Batch, options: EnvOptions, actions: Any) -> NDArray[np.int64]:
    """The actions of all games, in the one memory layout that the kernels are compiled for.

    Raises:
        NotationError: they are not as many whole numbers as games, or one is not 0 to 260.
        IllegalMoveError: one is masked and ``illegal="raise"``. Both name the game.
    """
    given = np.asarray(actions)
    if given.dtype.kind not in "iu" or given.shape != (len(batch),):
        raise NotationError(
            f"actions: expected {len(batch)} whole numbers, shape ({len(batch)},), "
            f"not {given.dtype} of shape {given.shape}"
        )
    numbers = np.array(given, np.int64)
    row = batch.find_refused(numbers, masked=options.illegal == "raise")
    if row < 0:
        return numbers
    try:
        number = check_action(int(given[row]))
    except NotationError as error:
        raise NotationError(f"game {row}: {error}") from None
    reason = refusal(unpack(batch.games, row, options.rules), number, auto_stock=options.stock == "auto")
    raise IllegalMoveError(f"game {row}: {reason}")
