"""Verdicts of many deals: on several cores, as they come, and kept in a file from which a run goes on."""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any, Final

import orjson

from canfield_env.deals import Deal
from canfield_env.errors import ConfigError
from canfield_env.files import sole_use
from canfield_env.notation import Move
from canfield_env.records import deal_fields, take_deal
from canfield_env.rules import Rules
from canfield_env.solver.api import DEFAULT_MEMORY, Solver, Verdict, checked_count, checked_limits, space_of

#: Deals handed to a worker at a time, and such batches waiting for each worker.
_BATCH: Final = 8
_BATCHES_WAITING: Final = 3


@dataclass(frozen=True, slots=True)
class Task:
    """How deals are to be solved: what decides a verdict, the deal apart.

    Attributes:
        rules: the rules.
        max_seconds, max_states: limits for each deal, None for none.
        max_memory: bytes for the states of one worker.
    """

    rules: Rules
    max_seconds: float | None
    max_states: int | None
    max_memory: int

    def header(self) -> dict[str, Any]:
        """What the first line of a results file says."""
        limits = {"max_seconds": self.max_seconds, "max_states": self.max_states, "max_memory": self.max_memory}
        return {"rules": self.rules.to_dict(), **limits}


def solve_many(
    deals: Iterable[Deal],
    rules: Rules | str = "app",
    *,
    max_seconds: float | None = 10.0,
    max_states: int | None = None,
    max_memory: int = DEFAULT_MEMORY,
    take_back: bool | None = None,
    jobs: int = 1,
    results: str | Path | None = None,
) -> Iterator[tuple[Deal, Verdict]]:
    """Solves deals one after the other, or on several cores, and yields the verdicts as they come.

    Args:
        deals: the deals; they are taken up as they are needed.
        rules: the rules.
        max_seconds, max_states: limits for each deal.
        max_memory: bytes for the states, for each job.
        take_back: whether cards may be taken back (F1), where the rules are not to say so.
        jobs: processes to use. With one the verdicts come in the order of the deals.
        results: a JSON Lines file that each verdict is added to as it comes. Those it holds already are yielded first
            and not found again, so that a run that was stopped goes on. Its first line tells the rules and the limits.

    Raises:
        ConfigError: a limit or a number of jobs that is not positive, more memory than the system can provide, or a
            file of results that is none, has others, or is in use by another process. It is as it was then.
        ChildProcessError: a worker process died.
    """
    max_seconds, max_states = checked_limits(max_seconds, max_states)
    jobs = checked_count("jobs", jobs)
    space_of(max_memory)  # a worker could not tell so well what is wrong with it
    rule_set = Rules.of(rules)
    if take_back is not None:
        rule_set = replace(rule_set, take_back=take_back)
    task = Task(rule_set, max_seconds, max_states, int(max_memory))
    if results is None:
        return _solved(deals, task, jobs)
    return _recorded(deals, task, jobs, Path(results))


def verdict_fields(deal: Deal, verdict: Verdict) -> dict[str, Any]:
    """A verdict as one JSON object, the deal by its code or its deck."""
    return {
        **deal_fields(deal),
        "verdict": verdict.verdict,
        "moves": None if verdict.moves is None else " ".join(map(str, verdict.moves)),
        "states": verdict.states,
        "seconds": verdict.seconds,
        "limit": verdict.limit,
    }


def read_verdicts(path: Path) -> Iterator[tuple[Deal, Verdict]]:
    """The verdicts in a file of results, but for a last line that was cut off.

    Raises:
        ConfigError: the file cannot be read, does not begin with rules and limits, or a line is no verdict; the text
            says which.
    """
    return _verdicts_in(path, _lines(path))


def _verdicts_in(path: Path, lines: list[bytes]) -> Iterator[tuple[Deal, Verdict]]:
    """The verdicts in the whole lines of a file of results."""
    if not lines:
        return
    ranks = Rules.from_dict(_read_header(path, lines[0])["rules"]).ranks
    for number, line in enumerate(lines[1:], 2):
        try:
            yield _verdict_of(orjson.loads(line), ranks)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise ConfigError(f"{path}, line {number}: no verdict: {error}") from error


def _read_header(path: Path, line: bytes) -> dict[str, Any]:
    try:
        header: dict[str, Any] = orjson.loads(line)
        Rules.from_dict(header["rules"])
    except (ValueError, KeyError, TypeError) as error:
        raise ConfigError(f"{path}, line 1: no rules and limits of verdicts: {error}") from error
    return header


def _verdict_of(row: dict[str, Any], ranks: int) -> tuple[Deal, Verdict]:
    deal = take_deal(row, ranks)
    moves = None if row["moves"] is None else [Move.parse(token) for token in row["moves"].split()]
    return deal, Verdict(row["verdict"], moves, row["states"], row["seconds"], row["limit"])


def _lines(path: Path) -> list[bytes]:
    """The whole lines of a file of results. What follows the last line break was cut off, unless it is all there is."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from error
    lines = content.split(b"\n")
    if content and len(lines) == 1:  # a run writes its first line at once: this is somebody else's file
        raise ConfigError(f"{path}: holds no verdicts, but other text")
    return lines[:-1]


def _lines_of(task: Task, path: Path) -> list[bytes]:
    """The lines of a file of results that a task can go on with; none where there is no file."""
    if not path.exists():
        return []
    if not path.is_file():
        raise ConfigError(f"{path}: not a file")
    lines = _lines(path)
    if lines and _read_header(path, lines[0]) != task.header():
        raise ConfigError(f"{path}: holds verdicts under other rules or limits")
    return lines


def _recorded(deals: Iterable[Deal], task: Task, jobs: int, path: Path) -> Iterator[tuple[Deal, Verdict]]:
    _lines_of(task, path)  # somebody else's file is refused before anything is written beside it
    path.parent.mkdir(parents=True, exist_ok=True)
    with sole_use(path):
        lines = _lines_of(task, path)
        yield from _continued(deals, task, jobs, path, lines, dict(_verdicts_in(path, lines)))


def _continued(
    deals: Iterable[Deal], task: Task, jobs: int, path: Path, lines: list[bytes], found: dict[Deal, Verdict]
) -> Iterator[tuple[Deal, Verdict]]:
    """Goes on with a file of results, given its whole lines and the verdicts in them."""
    with open(path, "ab") as file:
        file.truncate(sum(len(line) + 1 for line in lines))
        if not lines:
            file.write(orjson.dumps(task.header()) + b"\n")
            file.flush()
        todo = []
        for deal in deals:
            if deal in found:
                yield deal, found[deal]
            else:
                todo.append(deal)
        for deal, verdict in _solved(todo, task, jobs):
            file.write(orjson.dumps(verdict_fields(deal, verdict)) + b"\n")
            file.flush()
            yield deal, verdict


def _solved(deals: Iterable[Deal], task: Task, jobs: int) -> Iterator[tuple[Deal, Verdict]]:
    if jobs > 1:
        yield from _solved_by_workers(iter(deals), task, jobs)
        return
    solver = Solver(task.max_memory)
    for deal in deals:
        yield deal, _solve_one(solver, deal, task)


def _solve_one(solver: Solver, deal: Deal, task: Task) -> Verdict:
    return solver.solve(deal, task.rules, max_seconds=task.max_seconds, max_states=task.max_states)


def _solved_by_workers(deals: Iterator[Deal], task: Task, jobs: int) -> Iterator[tuple[Deal, Verdict]]:
    # A fresh interpreter each: threads and compiled code do not go well with forking.
    workers = ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn"), _start_worker, (task,))
    waiting: set[Future[list[tuple[Deal, Verdict]]]] = set()
    try:
        while True:
            while len(waiting) < jobs * _BATCHES_WAITING and (batch := list(islice(deals, _BATCH))):
                waiting.add(workers.submit(_solve_batch, batch))
            if not waiting:
                return
            done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
            for future in done:
                yield from future.result()
    except BrokenProcessPool as error:
        raise ChildProcessError("a worker process died; what was finished is kept") from error
    finally:
        for process in list((workers._processes or {}).values()) if waiting else []:
            process.terminate()
        workers.shutdown(cancel_futures=True)


_worker: dict[str, Any] = {}


def _start_worker(task: Task) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle
    _worker.update(solver=Solver(task.max_memory), task=task)


def _solve_batch(deals: list[Deal]) -> list[tuple[Deal, Verdict]]:
    return [(deal, _solve_one(_worker["solver"], deal, _worker["task"])) for deal in deals]
