"""What the verdicts of many deals say together, and atlases: compact files of the verdicts of consecutive deals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from canfield_env.errors import ConfigError
from canfield_env.evaluation.metrics import share
from canfield_env.files import whole_file
from canfield_env.rules import Rules
from canfield_env.solver.api import Verdict, VerdictName

#: Verdicts by their number in an atlas.
VERDICTS: Final[tuple[VerdictName, ...]] = ("undecided", "winnable", "unwinnable")
PERCENTILES: Final = (50, 90, 95, 99, 100)


@dataclass(frozen=True, slots=True)
class Survey:
    """How many deals can be won, and how hard it was to tell.

    Attributes:
        deals, winnable, unwinnable, undecided: counts.
        low, high: the 95 % interval of the share that can be won (Wilson), the undecided counted as losses for its low
            end and as wins for its high end.
        states: states looked at for a deal, by percentile; the 100th is the most.
        moves: length of the wins found, stock turns included, by percentile.
    """

    deals: int
    winnable: int
    unwinnable: int
    undecided: int
    low: float | None
    high: float | None
    states: dict[int, float]
    moves: dict[int, float]

    @classmethod
    def of(cls, verdicts: NDArray[np.uint8], states: NDArray[Any], moves: NDArray[Any]) -> Survey:
        """Surveys verdicts, given by their numbers, with the states and the moves of each."""
        undecided, winnable, unwinnable = (int((verdicts == number).sum()) for number in range(3))
        return cls(
            len(verdicts),
            winnable,
            unwinnable,
            undecided,
            share(winnable, len(verdicts)).low,
            share(winnable + undecided, len(verdicts)).high,
            _percentiles(states),
            _percentiles(moves[verdicts == VERDICTS.index("winnable")]),
        )

    @classmethod
    def of_verdicts(cls, verdicts: Sequence[Verdict]) -> Survey:
        """Surveys verdicts as the solver gives them."""
        return cls.of(*_columns(verdicts))

    def to_dict(self) -> dict[str, Any]:
        """The attributes, for JSON."""
        return asdict(self)


def write_atlas(path: Path, rules: Rules, draw: int, max_states: int, verdicts: Sequence[Verdict]) -> None:
    """Writes the verdicts of deals 0, 1, 2, ... as ``.npz``.

    The arrays: ``verdict`` (uint8, places in ``VERDICTS``), ``states`` (uint32), ``moves`` (uint32, the length of the
    win found, 0 where there is none), and ``about``, a text with the rules, the draw count and the limit of states.
    """
    found, states, moves = _columns(verdicts)
    about = np.array(f"{rules.to_dict()} draw {draw} max_states {max_states}")
    path.parent.mkdir(parents=True, exist_ok=True)
    with whole_file(path) as file:
        np.savez_compressed(file, about=about, verdict=found, states=states, moves=moves)


def read_atlas(path: str | Path) -> tuple[NDArray[np.uint8], NDArray[np.uint32], NDArray[np.uint32]]:
    """The verdicts (by their place in ``VERDICTS``), states and moves of an atlas, by deal number.

    Raises:
        ConfigError: the file cannot be read or is no atlas.
    """
    try:
        # Given a name, numpy would leave a damaged file open.
        with open(path, "rb") as file, np.load(file) as arrays:
            return arrays["verdict"], arrays["states"], arrays["moves"]
    except Exception as error:  # numpy and zipfile meet damage with errors of a dozen kinds
        raise ConfigError(f"{path}: no atlas: {error}") from error


def _columns(verdicts: Sequence[Verdict]) -> tuple[NDArray[np.uint8], NDArray[np.uint32], NDArray[np.uint32]]:
    return (
        np.array([VERDICTS.index(verdict.verdict) for verdict in verdicts], np.uint8),
        np.array([verdict.states for verdict in verdicts], np.uint32),
        np.array([len(verdict.moves or ()) for verdict in verdicts], np.uint32),
    )


def _percentiles(values: NDArray[Any]) -> dict[int, float]:
    return {p: float(np.percentile(values, p)) for p in PERCENTILES} if len(values) else {}
