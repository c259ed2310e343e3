"""The processes that play: this one, or several workers, each with agents and environments of its own."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from typing import Any, TypeAlias, TypeVar

from canfield_env.deals import Deal
from canfield_env.env.single import CanfieldEnv
from canfield_env.errors import ConfigError
from canfield_env.evaluation.episode import make_env, play_episode
from canfield_env.evaluation.protocol import Agent, Trained
from canfield_env.evaluation.specs import load_agent
from canfield_env.records import Record
from canfield_env.rules import Rules

T = TypeVar("T")
R = TypeVar("R")

#: An episode still to be played: the agent's SPEC and the deal.
Task: TypeAlias = tuple[str, Deal]


def play_all(tasks: Sequence[Task], rules: Rules, seed: int, jobs: int, models: Mapping[str, str]) -> Generator[Record]:
    """Plays episodes and gives their records as they finish: in this process, or in ``jobs`` worker processes.

    Args:
        tasks: what is played.
        rules: the rule set.
        seed: the evaluation's seed.
        jobs: worker processes; with 1 this process plays.
        models: the fingerprints of the agents that have one, by their names.

    Raises:
        ConfigError: an agent failed, or has another fingerprint by now.
        ChildProcessError: a worker process died.
    """
    if jobs == 1 or len(tasks) < 2:
        players = _Players(rules, seed, models)
        yield from (players.play(task) for task in tasks)
        return
    yield from in_workers(_work, tasks, min(jobs, len(tasks)), _start_worker, (rules, seed, models))


def in_workers(
    work: Callable[[T], R], tasks: Iterable[T], jobs: int, start: Callable[..., None], arguments: tuple[Any, ...]
) -> Generator[R]:
    """Does tasks in worker processes, and gives what they return as they finish.

    Args:
        work: a function of a module, called in a worker for each task.
        jobs: worker processes.
        start: called first in each of them, with the arguments; it calls ``begin_worker``.

    Raises:
        ChildProcessError: a worker process died.
    """
    pool = ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn"), initializer=start, initargs=arguments)
    try:
        futures = [pool.submit(work, task) for task in tasks]
        for future in as_completed(futures):
            yield future.result()
    except BrokenProcessPool as error:
        raise ChildProcessError("a worker process died; what was finished is kept") from error
    finally:
        pool.shutdown(cancel_futures=True)


class _Players:
    """The agents of one process with their environments, each made once."""

    def __init__(self, rules: Rules, seed: int, models: Mapping[str, str]) -> None:
        self._rules = rules
        self._seed = seed
        self._models = models
        self._made: dict[str, tuple[Agent, CanfieldEnv]] = {}

    def play(self, task: Task) -> Record:
        spec, deal = task
        if spec not in self._made:
            agent = load_agent(spec)
            if isinstance(agent, Trained) and agent.fingerprint != self._models.get(agent.name):
                raise ConfigError(f"agent {spec!r}: its model has been replaced since the evaluation began")
            self._made[spec] = agent, make_env(agent, self._rules)
            _use_one_torch_thread()
        return play_episode(*self._made[spec], deal, self._seed)


def _use_one_torch_thread() -> None:
    """Keeps torch, where an agent has loaded it, from running threads beside the worker processes."""
    if torch := sys.modules.get("torch"):
        torch.set_num_threads(1)


_players: _Players  # of a worker process


def begin_worker() -> None:
    """Called first in a worker process, which then ends at once on Ctrl-C, and with its parent."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _start_worker(rules: Rules, seed: int, models: Mapping[str, str]) -> None:
    global _players
    begin_worker()
    _players = _Players(rules, seed, models)


def _end_with_parent() -> None:
    """Ends this worker when its parent has been killed; it would wait for work for ever."""
    if parent := multiprocessing.parent_process():
        parent.join()
        os._exit(1)


def _work(task: Task) -> Record:
    return _players.play(task)
