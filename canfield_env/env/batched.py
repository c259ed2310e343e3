"""What the vector and the stable-baselines3 form share: checks of what they are given."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeGuard

import numpy as np
from numpy.typing import NDArray

from canfield_env.engine.batch import Batch
from canfield_env.engine.pack import unpack
from canfield_env.env import actions
from canfield_env.env.options import EnvOptions
from canfield_env.errors import ConfigError, IllegalMoveError


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


def refuse_illegal(batch: Batch, options: EnvOptions, numbers: NDArray[np.int64]) -> None:
    """Raises IllegalMoveError, naming game and reason, if an action is masked in a game whose episode goes on."""
    row = batch.find_illegal(numbers)
    if row >= 0:
        game = unpack(batch.games, row, options.rules)
        reason = actions.refusal(game, int(numbers[row]), auto_stock=options.stock == "auto")
        raise IllegalMoveError(f"game {row}: {reason}")
