"""Agents for the tests, named ``tests.evaluation.players:NAME``."""

from __future__ import annotations

import os
import sys
import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from canfield_env import PlayerView
from canfield_env.env.observations import Form
from canfield_env.env.options import Stock


class FirstLegal:
    """Plays the lowest legal action but turning, which takes few moves."""

    name = "first"
    stock: Stock = "auto"
    observation: Form = "tokens"
    wants_view = False

    def reset(self, seed: int) -> None:
        self.seed = seed

    def act(self, observation: NDArray[Any], mask: NDArray[np.int8], view: PlayerView | None) -> int:
        return int(np.flatnonzero(mask)[0])


class Slow(FirstLegal):
    """Takes its time, so that it can be stopped."""

    name = "slow"

    def reset(self, seed: int) -> None:
        time.sleep(0.1)


class Illegal(FirstLegal):
    """Plays an action that the mask forbids."""

    name = "illegal"

    def act(self, observation: NDArray[Any], mask: NDArray[np.int8], view: PlayerView | None) -> int:
        return int(np.flatnonzero(mask == 0)[0])


class Dying(FirstLegal):
    """Takes its process with it."""

    name = "dying"

    def act(self, observation: NDArray[Any], mask: NDArray[np.int8], view: PlayerView | None) -> int:
        os._exit(1)


class Raising(FirstLegal):
    """Raises an error in the middle of a game."""

    name = "raising"

    def act(self, observation: NDArray[Any], mask: NDArray[np.int8], view: PlayerView | None) -> int:
        raise KeyError("nothing")


class Exiting(FirstLegal):
    """Wants to end the program."""

    name = "exiting"

    def reset(self, seed: int) -> None:
        sys.exit(3)


class Trained(FirstLegal):
    """Says which model it plays by: what the environment variable MODEL holds."""

    name = "trained"

    def __init__(self) -> None:
        self.fingerprint = os.environ["MODEL"]


class Numbered(FirstLegal):
    """Is called a number."""

    name = 5  # type: ignore[assignment]


class Unprintable(FirstLegal):
    """Would clear the screen."""

    name = "\x1b[2J"


class NoFingerprint(FirstLegal):
    """Has a fingerprint that is none."""

    fingerprint = None


class NoStock(FirstLegal):
    """Asks for an environment that there is not."""

    stock = "manual"  # type: ignore[assignment]


def needs_argument(path: str) -> FirstLegal:
    """No factory, as it takes an argument."""
    return FirstLegal()


def fails() -> FirstLegal:
    """A factory that raises an error."""
    raise KeyError("gone")


not_callable = 3
