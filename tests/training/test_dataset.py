"""Datasets: what is in them, that they come out the same however they are made, and what is refused."""

import json
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agents.dataset_maker import make_dataset
from agents.lessons import CHANCE, STUDENT, TEACHER, identify_student
from canfield_env.deals import FIRST_TRAINING_DEAL
from canfield_env.errors import ConfigError, RecordError
from canfield_env.records import read_records
from canfield_env.rules import Rules
from canfield_env.training.config import CardNetworkSection
from canfield_env.training.dataset import NO_ACTION, Dataset, Plan, Shard, lines_file, read_plan, records_file
from canfield_env.training.model_file import Header, save_model
from canfield_env.training.network import make_network

SCRIPT = str(Path(__file__).parents[2] / "scripts" / "make_dataset.py")
LINES, RECORDS = lines_file(Path(), 0).name, records_file(Path(), 0).name


def plan_of(**changes):
    usual: dict[str, Any] = {"teacher": "heuristic:50", "rules": Rules().to_dict(), "draw": 3, "games": 3, "shard": 2}
    return Plan(**usual | {"orders": 2, "states": 20} | changes)


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A dataset of three games."""
    folder = tmp_path_factory.mktemp("data") / "made"
    make_dataset(folder, plan_of())
    return folder


@pytest.fixture
def copied(made, tmp_path):
    """The same, to be damaged."""
    shutil.copytree(made, tmp_path / "copied")
    return tmp_path / "copied"


@pytest.fixture(scope="module")
def student(tmp_path_factory):
    """A model that has learned nothing, for draw 3."""
    path = tmp_path_factory.mktemp("student") / "student.zip"
    section = CardNetworkSection(width=8, table_width=8)
    save_model(path, Header(rules=Rules().to_dict(), draw=3, stock="auto", network=section), make_network(section))
    return path


def alter(folder, **arrays):
    """Changes arrays of the first shard."""
    shard = Shard.load(folder / LINES)
    replace(shard, **{name: change(getattr(shard, name)) for name, change in arrays.items()}).save(folder / LINES)


def test_every_step_of_every_game_is_a_line(made):
    dataset = Dataset(made)
    shards = list(dataset.shards())
    assert [len(shard.deals) for shard in shards] == [2, 1]
    assert dataset.summary["games"] == 3
    assert dataset.summary["lines"] == sum(len(shard.tokens) for shard in shards)
    assert all((shard.deals >= FIRST_TRAINING_DEAL).all() for shard in shards)
    assert dataset.check() == 3
    for number, shard in enumerate(shards):
        records = list(read_records(records_file(made, number)))
        assert [record.outcome == "won" for record in records] == shard.won.tolist()
        assert (shard.players == TEACHER).all()


def test_moves_are_judged_where_there_is_a_choice(made):
    shard = next(Dataset(made).shards())
    choices = shard.legal.sum(1)
    assert (shard.orders[choices == 1] == 0).all()
    assert (shard.orders[choices > 1] > 0).any()
    assert len(shard.wins) == choices[shard.orders > 0].sum()
    assert (shard.wins + shard.undecided <= np.repeat(shard.orders, np.where(shard.orders > 0, choices, 0))).all()
    assert shard.wins.any()


def test_the_teacher_says_only_what_may_be_played(made):
    shard = next(Dataset(made).shards())
    told = shard.taught != NO_ACTION
    assert shard.legal[told, shard.taught[told]].all()
    assert (shard.played == shard.taught)[told].all()


def test_workers_stops_and_longer_datasets_make_no_difference(made, tmp_path):
    make_dataset(tmp_path / "two", plan_of(), jobs=2)
    make_dataset(tmp_path / "longer", plan_of(games=2))
    lines_file(tmp_path / "two", 1).unlink()
    (tmp_path / "two" / "README.md").unlink()
    make_dataset(tmp_path / "two", plan_of())
    assert contents(tmp_path / "two") == contents(made)
    make_dataset(tmp_path / "longer", plan_of(games=4))
    four = contents(tmp_path / "longer")
    make_dataset(tmp_path / "four", plan_of(games=4))
    assert four == contents(tmp_path / "four")


def test_a_folder_of_another_dataset_is_left_alone(copied, tmp_path):
    before = contents(copied)
    with pytest.raises(ConfigError, match="its seed is 0, not 1"):
        make_dataset(copied, plan_of(seed=1))
    with pytest.raises(ConfigError, match="its games is 3, not 4"):  # its last shard is not a whole one
        make_dataset(copied, plan_of(games=4))
    assert contents(copied) == before
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "notes.txt").write_text("mine")
    with pytest.raises(ConfigError, match="there is something here, and it is no dataset"):
        make_dataset(tmp_path / "other", plan_of())


def test_students_and_chance_play_and_the_teacher_is_still_asked(student, tmp_path):
    plan = plan_of(student=identify_student(student), mix=0.5, chance=0.2, games=4, shard=4, orders=0)
    make_dataset(tmp_path / "mixed", plan)
    dataset = Dataset(tmp_path / "mixed")
    shard = next(dataset.shards())
    assert dataset.check() == 4
    shares = [(shard.players == player).mean() for player in (TEACHER, STUDENT, CHANCE)]
    assert shares == pytest.approx([0.3, 0.5, 0.2], abs=0.15)
    assert (shard.played != shard.taught).any()
    assert (shard.taught != NO_ACTION).any()
    assert len(shard.wins) == 0


def test_a_game_in_which_nothing_can_be_played_has_no_line(tmp_path, monkeypatch):
    from canfield_env import Deal

    dead = Deal.from_code("CF1-D3-WWCMZDJ")
    monkeypatch.setattr(Plan, "deal", lambda plan, game: dead if game == 0 else Deal.from_number(2**20 + game))
    make_dataset(tmp_path / "dead", plan_of(games=2))
    dataset = Dataset(tmp_path / "dead")
    assert next(dataset.shards()).ends[0] == 0
    assert dataset.check() == 2


@pytest.mark.parametrize(
    ("arrays", "fault"),
    [
        ({"tokens": lambda a: np.where(np.arange(len(a))[:, None] == 7, 1, a)}, "line 7 .* the observation"),
        ({"masks": lambda a: np.where(np.arange(len(a))[:, None] == 7, 255, a)}, "values for"),
        ({"played": lambda a: np.where(np.arange(len(a)) == 7, 260, a)}, "line 7 .* the move played is not legal"),
        ({"taught": lambda a: np.where(np.arange(len(a)) == 7, 260, a)}, "line 7 .* teacher's move may not be played"),
        ({"rewards": lambda a: np.where(np.arange(len(a)) == 7, 99, a)}, "line 7 .* the reward"),
        ({"won": lambda a: ~a}, "does not end as it is said to"),
        ({"deals": lambda a: a * 0}, "none to train on"),
        ({"deals": lambda a: a[::-1]}, "not those of dataset.json"),
        ({"ends": lambda a: a - 1}, "the games' ends do not fit"),
        ({"wins": lambda a: a[1:]}, "values for"),
    ],
)
def test_a_line_that_does_not_replay_is_named(copied, arrays, fault):
    alter(copied, **arrays)
    with pytest.raises((ConfigError, RecordError), match=f"{LINES}: .*{fault}"):
        list(Dataset(copied).shards())


def test_a_record_that_does_not_replay_is_named(copied):
    lines = (copied / RECORDS).read_text().splitlines()
    record = json.loads(lines[1])
    record["cards_up"] += 1
    (copied / RECORDS).write_text("\n".join([lines[0], json.dumps(record)]) + "\n")
    with pytest.raises(RecordError, match=rf"{RECORDS}:2: .*cards_up"):
        Dataset(copied).check()
    (copied / RECORDS).write_text(lines[0] + "\n")
    with pytest.raises(RecordError, match=f"{RECORDS}: the games are not those of {LINES}"):
        Dataset(copied).check()


def test_damaged_and_missing_files_are_told(copied):
    (copied / LINES).write_bytes((copied / LINES).read_bytes()[:-200])
    with pytest.raises(ConfigError, match=f"{LINES}: no shard of a dataset, or a damaged one"):
        list(Dataset(copied).shards())
    (copied / LINES).unlink()
    with pytest.raises(ConfigError, match=f"{LINES}: cannot be read"):
        list(Dataset(copied).shards())
    (copied / "dataset.json").write_text("{")
    with pytest.raises(ConfigError, match=r"dataset\.json: damaged"):
        Dataset(copied)
    with pytest.raises(ConfigError, match="no dataset"):
        Dataset(copied / "nowhere")


def test_other_versions_are_refused_with_both_named(copied):
    table = json.loads((copied / "dataset.json").read_text())
    table["plan"]["observation_version"] = 99
    (copied / "dataset.json").write_text(json.dumps(table))
    with pytest.raises(ConfigError, match="version 99 of the observations, this is version 1"):
        Dataset(copied)


def test_an_unfinished_dataset_is_refused(copied):
    table = json.loads((copied / "dataset.json").read_text())
    (copied / "dataset.json").write_text(json.dumps(table | {"summary": None}))
    with pytest.raises(ConfigError, match="not finished"):
        Dataset(copied)


def test_what_cannot_teach_or_learn_is_refused(student, tmp_path):
    with pytest.raises(ConfigError, match="cannot teach"):
        make_dataset(tmp_path / "a", plan_of(teacher="tests.training.test_dataset:Planes"))
    with pytest.raises(ConfigError, match="trained for app with draw 3, not for app with draw 1"):
        make_dataset(tmp_path / "b", plan_of(draw=1, student=identify_student(student), mix=0.5))
    with pytest.raises(ConfigError, match="another model than the one"):
        make_dataset(tmp_path / "c", plan_of(student=(str(student), "0" * 64), mix=0.5))
    assert not list(tmp_path.iterdir())


class Planes:
    """An agent that cannot teach, as it sees something else."""

    name, stock, observation, wants_view = "planes", "auto", "planes", False

    def reset(self, seed):
        """Does nothing."""

    def act(self, observation, mask, view):
        """Plays anything."""
        return int(mask.argmax())


@pytest.mark.parametrize(
    ("arguments", "fault"),
    [
        (["make", "--out", "x", "--games", "0"], "--games"),
        (["make", "--out", "x", "--games", "1", "--draw", "2"], "--draw"),
        (["make", "--out", "x", "--games", "1", "--teacher", "nobody"], "nobody"),
        (["make", "--out", "x", "--games", "1", "--mix", "0.5"], "--student and --mix"),
        (["make", "--out", "x", "--games", "1", "--chance", "0.6", "--mix", "0.6", "--student", SCRIPT], "0.6 and 0.6"),
        (["make", "--out", "x", "--games", "1", "--student", "none.zip", "--mix", "0.5"], "none.zip"),
        (["check", "nowhere"], "nowhere"),
    ],
)
def test_bad_input_is_one_line_and_status_2(arguments, fault, tmp_path):
    done = subprocess.run([sys.executable, SCRIPT, *arguments], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert fault in done.stderr
    assert not list(tmp_path.iterdir())


def test_the_card_says_what_the_dataset_is(made):
    text = (made / "README.md").read_text()
    plan, summary = read_plan(made)
    assert summary is not None
    assert f"`{plan.teacher}`" in text
    assert f"| lines | {summary['lines']:,} |" in text
