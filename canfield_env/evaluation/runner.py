"""Plays agents over a suite: in worker processes, with records on disk as they come, to be stopped and gone on with."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import closing, nullcontext
from pathlib import Path

from tqdm import tqdm

from canfield_env.errors import ConfigError
from canfield_env.evaluation.certificates import read_certificate
from canfield_env.evaluation.episode import make_env
from canfield_env.evaluation.folder import Folder, Plan, in_order
from canfield_env.evaluation.foreign import foreign_code
from canfield_env.evaluation.protocol import Specialist, Trained
from canfield_env.evaluation.report import Report
from canfield_env.evaluation.specs import load_agent
from canfield_env.evaluation.suites import Suite
from canfield_env.evaluation.workers import Task, play_all
from canfield_env.records import Record


def evaluate(
    specs: Sequence[str],
    suite: Suite,
    *,
    out: str | Path | None = None,
    jobs: int = 1,
    resume: bool = False,
    seed: int = 0,
    progress: bool = False,
) -> Report:
    """Plays every agent over every deal of a suite.

    Args:
        specs: the agents, see ``canfield_env.evaluation.specs``.
        suite: deals and rules.
        out: the folder for records and report, see ``canfield_env.evaluation.folder``; None keeps nothing.
        jobs: worker processes; with 1 this process plays itself. The records do not depend on it, but for the seconds.
        resume: go on with an evaluation in ``out`` that was stopped; what it finished is not played again.
        seed: what the agents' random choices come from, 0 or greater.
        progress: show a progress bar on standard error where that is a terminal.

    Returns:
        The report, with the records.

    Raises:
        ConfigError: an agent, its options, ``jobs``, ``seed``, the suite's certificate or the folder is bad; nothing
            has been played then. Or an agent fails on a deal; what was finished by then is in the folder.
        RecordError: a record in the folder does not replay; or one just made, where environment and game disagree.
        IllegalMoveError, NotationError: an agent gave an action that is illegal.
        KeyboardInterrupt: stopped. What has been finished by then is in the folder.
        OSError: a record could not be written, or a worker process died.
    """
    for name, value, least in (("jobs", jobs, 1), ("seed", seed, 0)):
        if value < least:
            raise ConfigError(f"{name} must be {least} or greater, not {value}")
    if resume and out is None:
        raise ConfigError("to resume needs the folder that the evaluation is in")
    plan, certificate = _make_plan(specs, suite, seed), read_certificate(suite)
    with nullcontext() if out is None else Folder(out, plan, resume) as folder:
        report = Report(plan, in_order(_play(plan, folder, jobs, progress), plan), certificate)
        if folder is not None:
            folder.finish(report.files())
    return report


def _make_plan(specs: Sequence[str], suite: Suite, seed: int) -> Plan:
    """The plan, once every agent has been made and can play under the rules."""
    if not specs:
        raise ConfigError("there is no agent to evaluate")
    agents = [load_agent(spec) for spec in specs]
    for spec, agent in zip(specs, agents, strict=True):
        with foreign_code(f"agent {spec!r} cannot play under these rules"):
            make_env(agent, suite.rules)
            if isinstance(agent, Specialist):
                for draw in sorted({deal.draw for deal in suite.deals}):
                    agent.check_game(suite.rules, draw)
    names = tuple(agent.name for agent in agents)
    if len(set(names)) < len(names):
        raise ConfigError(f"two agents have the same name: {', '.join(names)}")
    models = {agent.name: agent.fingerprint for agent in agents if isinstance(agent, Trained)}
    return Plan(tuple(specs), names, suite, seed, models)


def _play(plan: Plan, folder: Folder | None, jobs: int, progress: bool) -> list[Record]:
    """Plays what the folder does not hold yet, and returns all records."""
    records = [] if folder is None else list(folder.records)
    tasks = _tasks_left(plan, records)
    total, disable = len(tasks) + len(records), None if progress else True
    with (
        tqdm(total=total, initial=len(records), unit="game", disable=disable) as bar,
        closing(play_all(tasks, plan.suite.rules, plan.seed, jobs, plan.models)) as played,
    ):
        for record in played:
            if folder is not None:
                folder.add(record)
            records.append(record)
            bar.update()
    return records


def _tasks_left(plan: Plan, records: Iterable[Record]) -> list[Task]:
    done = {(record.agent, record.deal) for record in records}
    specs = dict(zip(plan.names, plan.specs, strict=True))
    return [(specs[name], deal) for name, deal in plan.episodes if (name, deal) not in done]
