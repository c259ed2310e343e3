"""The folder of an evaluation: what is being played, the records so far, and at the end the report.

``plan.json`` is written first and says what is played; ``records.jsonl`` gains a line as each episode finishes, in
whatever order they do, and is put into the order of agents and deals once all are there; ``report.json`` and
``report.md`` come last. Only ``records.jsonl`` is ever added to; the others are written whole or not at all.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Self

import orjson

import canfield_env
from canfield_env.deals import Deal
from canfield_env.errors import ConfigError, RecordError
from canfield_env.evaluation.suites import Suite
from canfield_env.files import sole_use, write_whole
from canfield_env.records import Record, append_record, recover_records, verify

PLAN_FILE = "plan.json"
RECORDS_FILE = "records.jsonl"


@dataclass(frozen=True, slots=True)
class Plan:
    """What an evaluation plays. Two evaluations of the same plan give the same records, but for the seconds.

    Attributes:
        specs: the agents, as they were named.
        names: the agents' own names, which records carry.
        suite: the deals and the rule set.
        seed: what the seeds of the episodes are made from.
        models: the fingerprints of the agents that have one, by their names; see ``Trained``.
    """

    specs: tuple[str, ...]
    names: tuple[str, ...]
    suite: Suite
    seed: int
    models: Mapping[str, str] = field(default_factory=dict)

    @property
    def episodes(self) -> list[tuple[str, Deal]]:
        """Every episode by its agent's name and its deal, in the order of the finished records."""
        return [(name, deal) for name in self.names for deal in self.suite.deals]

    def to_dict(self) -> dict[str, Any]:
        """The plan as JSON has it."""
        suite = self.suite
        return {
            "version": canfield_env.__version__,
            "agents": dict(zip(self.names, self.specs, strict=True)),
            "models": dict(self.models),
            "suite": suite.name or None,
            "suite_version": suite.version or None,
            "rules": suite.rules.name or suite.rules.to_dict(),
            "seed": self.seed,
            "deals": [str(deal) if deal.code else f"{deal} (draw {deal.draw})" for deal in suite.deals],
        }


class Folder:
    """The folder of one evaluation, which no other process can use until the end of the ``with`` block.

    Args:
        path: the folder; it is made where it is missing.
        plan: what is to be played.
        resume: whether to go on where an earlier evaluation of the same plan was stopped.

    Attributes:
        path: the folder.
        records: the finished episodes, those of an earlier run first.

    Raises:
        ConfigError: the folder cannot be written, is in use, holds an evaluation already and ``resume`` is false, or
            holds one of another plan; the text says in what it differs.
        RecordError, IllegalMoveError: a record in it cannot be read or does not replay. Nothing has changed then, but
            that a torn last line is cut off.
    """

    def __init__(self, path: str | Path, plan: Plan, resume: bool = False) -> None:
        self.path = Path(path)
        self.records: list[Record] = []
        self._plan = plan
        with ExitStack() as held:
            try:
                self.path.mkdir(parents=True, exist_ok=True)
                held.enter_context(sole_use(self.path))
                if (self.path / PLAN_FILE).exists() or (self.path / RECORDS_FILE).exists():
                    self._go_on(resume)
                else:
                    self.write(PLAN_FILE, orjson.dumps(plan.to_dict(), option=orjson.OPT_INDENT_2))
            except OSError as error:
                raise ConfigError(f"{error.filename or path}: cannot be written: {error.strerror}") from error
            self._held = held.pop_all()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._held.close()

    def _go_on(self, resume: bool) -> None:
        if not resume:
            raise ConfigError(
                f"{self.path} holds an evaluation already: go on with it by --resume, or name another folder"
            )
        if fault := self._other_plan():
            raise ConfigError(f"{self.path} holds another evaluation: {fault}")
        records_path = self.path / RECORDS_FILE
        wanted = set(self._plan.episodes)
        there: dict[tuple[str, Deal], Record] = {}
        for number, record in enumerate(recover_records(records_path), 1):
            episode = (record.agent, record.deal)
            if episode in there and replace(record, seconds=there[episode].seconds) == there[episode]:
                continue  # played twice, with the same result
            try:
                if record.rules != self._plan.suite.rules:
                    raise RecordError("played under other rules")
                if episode in there or episode not in wanted:
                    raise RecordError(f"{record.agent!r} on {record.deal} is there twice, or not to be played here")
                verify(record)
            except ValueError as error:
                raise type(error)(f"{records_path}: record {number}: {error}") from error
            there[episode] = record
        self.records = list(there.values())

    def _other_plan(self) -> str | None:
        """In what the folder's plan differs from this one, or None."""
        path = self.path / PLAN_FILE
        try:
            found = orjson.loads(path.read_bytes())
        except (OSError, orjson.JSONDecodeError) as error:
            return f"{path} cannot be read: {error}"
        for key, wanted in self._plan.to_dict().items():
            there = found.get(key) if isinstance(found, dict) else None
            if there == wanted:
                continue
            return (
                f"other {key}" if key in ("deals", "models") else f"its {key} is {_short(there)}, not {_short(wanted)}"
            )
        return None

    def add(self, record: Record) -> None:
        """Adds the record of a finished episode."""
        append_record(self.path / RECORDS_FILE, record)
        self.records.append(record)

    def finish(self, files: Iterable[tuple[str, bytes]]) -> None:
        """Puts the records into the plan's order and writes the report's files."""
        self.records = in_order(self.records, self._plan)
        self.write(RECORDS_FILE, b"".join(record.to_json() + b"\n" for record in self.records))
        for name, content in files:
            self.write(name, content)

    def write(self, name: str, content: bytes) -> None:
        """Writes a file whole or not at all."""
        write_whole(self.path / name, content)


def in_order(records: Sequence[Record], plan: Plan) -> list[Record]:
    """The records in the plan's order: agent by agent, and each agent's deals as the suite has them."""
    place = {episode: place for place, episode in enumerate(plan.episodes)}
    return sorted(records, key=lambda record: place[record.agent, record.deal])


def _short(value: object) -> str:
    return orjson.dumps(value).decode()
