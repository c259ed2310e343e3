"""Which deals of a suite can be won at all: what the solver found, kept beside the suite as ``NAME.verdicts.json``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import orjson

from canfield_env.configs import configs_dir
from canfield_env.deals import Deal
from canfield_env.errors import ConfigError
from canfield_env.evaluation.suites import Suite
from canfield_env.files import write_whole

if TYPE_CHECKING:
    from canfield_env.solver import Verdict


class Certified(NamedTuple):
    """The verdict of one deal, and the length of the win that was found, stock turns included."""

    verdict: Literal["winnable", "unwinnable", "undecided"]
    moves: int | None


def certificate_path(suite: Suite) -> Path:
    """Where the certificate of a suite that comes with the project lies, or would lie."""
    return configs_dir() / "suites" / f"{suite.name}.verdicts.json"


def read_certificate(suite: Suite) -> dict[str, Certified] | None:
    """The verdict of each of a suite's deals by its code, or None where there is no certificate for the suite.

    A certificate is for a suite's name, version and rules. Of a part of the suite it tells as well.

    Raises:
        ConfigError: the certificate cannot be read.
    """
    path = certificate_path(suite)
    if not suite.name or not path.is_file():
        return None
    try:
        table: dict[str, Any] = orjson.loads(path.read_bytes())
        found = {code: Certified(*pair) for code, pair in table["verdicts"].items()}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ConfigError(f"{path}: no certificate: {error}") from error
    is_of_suite = (table.get("version"), table.get("rules")) == (suite.version, suite.rules.to_dict())
    codes = [deal.code or "" for deal in suite.deals]
    return {code: found[code] for code in codes} if is_of_suite and found.keys() >= set(codes) else None


def winnable_deals(suite: Suite, certificate: Mapping[str, Certified] | None) -> frozenset[Deal] | None:
    """The deals of a suite that its certificate proves winnable; None where there is no certificate."""
    if certificate is None:
        return None
    return frozenset(deal for deal in suite.deals if certificate[str(deal)].verdict == "winnable")


def write_certificate(suite: Suite, max_states: int, verdicts: Sequence[Verdict]) -> Path:
    """Writes the certificate of a suite, given the verdicts of its deals in their order, and returns where.

    Args:
        suite: the suite.
        max_states: the limit of states under which the undecided are so.
        verdicts: the verdicts.
    """
    rows = [
        f'    "{deal.code}": {orjson.dumps([found.verdict, found.moves and len(found.moves)]).decode()}'
        for deal, found in zip(suite.deals, verdicts, strict=True)
    ]
    about = {"suite": suite.name, "version": suite.version, "rules": suite.rules.to_dict(), "max_states": max_states}
    head = orjson.dumps(about, option=orjson.OPT_INDENT_2).decode().removesuffix("\n}")
    path = certificate_path(suite)
    text = head + ',\n  "verdicts": {\n' + ",\n".join(rows) + "\n  }\n}\n"
    write_whole(path, text.encode())
    return path
