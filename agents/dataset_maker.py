"""Makes datasets: shard by shard, in several processes, to be stopped and gone on with."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import torch
from tqdm import tqdm

from agents.lessons import School
from canfield_env.errors import ConfigError
from canfield_env.evaluation.metrics import share
from canfield_env.evaluation.workers import begin_worker, in_workers
from canfield_env.files import write_whole
from canfield_env.rules import Rules
from canfield_env.training.dataset import (
    NO_ACTION,
    PLAN_FILE,
    PLAYERS,
    Plan,
    Shard,
    lines_file,
    read_plan,
    records_file,
    write_plan,
)
from canfield_env.training.folder import git_revision


def make_dataset(path: Path, plan: Plan, *, jobs: int = 1, progress: bool = False) -> dict[str, Any]:
    """Makes a dataset, or what is still missing of one. What comes out does not depend on how often it was stopped.

    Args:
        path: its folder, new or with a dataset of the same plan.
        plan: what it is made of.
        jobs: worker processes; with 1 this process plays itself.
        progress: show a progress bar on standard error where that is a terminal.

    Returns:
        The summary.

    Raises:
        ConfigError: the plan cannot be played, or the folder holds something else, or cannot be written.
        KeyboardInterrupt: stopped. The shards finished by then are kept.
        OSError: a shard could not be written, or a worker process died.
    """
    school = School(plan)  # whatever is wrong with the plan shows here, before anything is written
    _open(path, plan)
    missing = [number for number in range(plan.shards) if not lines_file(path, number).exists()]
    made = (
        _play_here(school, path, missing)
        if jobs == 1
        else in_workers(_work, missing, jobs, _start_worker, (plan, path))
    )
    disable = None if progress else True
    done = plan.games - sum(len(plan.games_of(number)) for number in missing)
    with tqdm(total=plan.games, initial=done, unit="game", disable=disable) as bar, closing(made):
        for number in made:
            bar.update(len(plan.games_of(number)))
    summary = _summarise(path, plan)
    write_whole(path / "README.md", describe(plan, summary).encode())
    write_plan(path, plan, summary)
    return summary


def _open(path: Path, plan: Plan) -> None:
    """Makes the folder, or finds that it holds the beginnings of this dataset."""
    try:
        path.mkdir(parents=True, exist_ok=True)
        if (path / PLAN_FILE).exists():
            if difference := _difference(read_plan(path)[0], plan):
                raise ConfigError(f"{path} holds another dataset: {difference}")
            write_plan(path, plan)
        elif any(path.iterdir()):
            raise ConfigError(f"{path}: there is something here, and it is no dataset")
        else:
            write_plan(path, plan)
    except OSError as error:
        raise ConfigError(f"{error.filename or path}: cannot be written: {error.strerror}") from None


def _difference(there: Plan, plan: Plan) -> str | None:
    """In what two plans differ, or None. The number of games may, where it leaves no shard with other games."""
    for key, value in plan.model_dump().items():
        stored = there.model_dump()[key]
        if value != stored and (key != "games" or value % plan.shard or stored % plan.shard):
            return f"its {key} is {stored!r}, not {value!r}"
    return None


def _play_here(school: School, path: Path, shards: Sequence[int]) -> Generator[int]:
    torch.set_num_threads(1)
    for number in shards:
        _make_shard(school, path, number)
        yield number


def _make_shard(school: School, path: Path, number: int) -> None:
    """The lines come last: where they are, the shard is finished."""
    shard, records = school.play(number)
    write_whole(records_file(path, number), b"".join(record.to_json() + b"\n" for record in records))
    shard.save(lines_file(path, number))


_worker: tuple[School, Path]  # of a worker process


def _start_worker(plan: Plan, path: Path) -> None:
    global _worker
    begin_worker()
    torch.set_num_threads(1)
    _worker = School(plan), path


def _work(number: int) -> int:
    _make_shard(*_worker, number)
    return number


def _summarise(path: Path, plan: Plan) -> dict[str, Any]:
    """What came out: counts, and how the games went."""
    shards = [Shard.load(lines_file(path, number)) for number in range(plan.shards)]
    won = np.concatenate([shard.won for shard in shards])
    taught = np.concatenate([shard.taught for shard in shards])
    players = np.concatenate([shard.players for shard in shards])
    rate = share(int(won.sum()), len(won))
    return {
        "games": len(won),
        "lines": len(taught),
        "lines without a taught move": int((taught == NO_ACTION).sum()),
        "lines with values": sum(int((shard.orders > 0).sum()) for shard in shards),
        "moves judged": sum(len(shard.wins) for shard in shards),
        "moves by": {name: int((players == k).sum()) for k, name in enumerate(PLAYERS)},
        "won": int(won.sum()),
        "won, 95 % interval": [rate.low, rate.high],
        "cards up": float(np.mean(np.concatenate([shard.cards_up for shard in shards]))),
        "git": git_revision(),
    }


def describe(plan: Plan, summary: dict[str, Any]) -> str:
    """The dataset's card, in Markdown."""
    rules = Rules.from_dict(plan.rules)
    low, high = summary["won, 95 % interval"]
    git = summary["git"]
    revision = "unknown" if git is None else git["commit"] + (", with changes" if git["dirty"] else "")
    judged = (
        f"All moves of a step are judged by the same {plan.orders} random orders of the hidden cards (all orders where "
        f"there are fewer), each searched after each move for {plan.states} states and more where there are fewer."
        if plan.orders
        else "The moves are not judged."
    )
    facts = {
        "teacher": f"`{plan.teacher}`",
        "rules": rules.name or f"`{plan.rules}`",
        "cards a turn brings": plan.draw,
        "stock": "`auto`",
        "games": f"{summary['games']:,}",
        "deals": f"random, from seed {plan.seed}, none of those kept for evaluation",
        "student": "none" if plan.student is None else f"`{plan.student[0]}`, SHA-256 {plan.student[1]}",
        "moves by the student, by chance": f"{plan.mix:.0%}, {plan.chance:.0%}",
        "won": f"{summary['won']:,}, {summary['won'] / summary['games']:.1%} (95 %: {low:.1%} to {high:.1%})",
        "cards up": f"{summary['cards up']:.1f}",
        "lines": f"{summary['lines']:,}",
        "lines without a teacher's move": f"{summary['lines without a taught move']:,}",
        "lines with values, moves judged": f"{summary['lines with values']:,}, {summary['moves judged']:,}",
        "version of format, actions, observations": f"{plan.format}, {plan.action_version}, {plan.observation_version}",
        "commit": revision,
    }
    table = "\n".join(f"| {name} | {value} |" for name, value in facts.items())
    return f"""# Canfield: what a teacher would have played

| what | value |
|---|---|
{table}

A line for each step of each game. At every step the teacher is asked, whoever plays. Its move is left out where the
player may not play it, because another one leads where it has been less (`canfield_env/training/repetition.py`).
{judged}

The arrays are told in `canfield_env/training/dataset.py`, class `Shard`; `docs/imitation.md` tells of the rest.
`scripts/make_dataset.py check FOLDER` plays every line and every record again.
"""
