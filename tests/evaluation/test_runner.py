"""Evaluations: the same records however they are played, and nothing lost however they are stopped."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest

from canfield_env import ConfigError, Deal, Game, IllegalMoveError, Rules
from canfield_env.errors import RecordError
from canfield_env.evaluation.episode import episode_seed, make_env, play_episode
from canfield_env.evaluation.runner import evaluate
from canfield_env.evaluation.specs import load_agent
from canfield_env.evaluation.suites import Suite
from canfield_env.evaluation.workers import play_all
from canfield_env.records import read_records

PLAYERS = "tests.evaluation.players"
FIRST = f"{PLAYERS}:FirstLegal"
DEALS = [Deal.from_number(number) for number in range(5)]
SUITE = Suite.of_deals(DEALS)


def lines(folder: Path) -> list[dict[str, Any]]:
    """The records of a folder without their seconds."""
    return [orjson.loads(line) | {"seconds": 0} for line in (folder / "records.jsonl").read_bytes().splitlines()]


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a finished evaluation."""
    folder = tmp_path_factory.mktemp("evaluations") / "finished"
    evaluate(["random", FIRST], SUITE, out=folder, seed=7)
    return folder


def test_records_stand_in_the_order_of_agents_and_deals_and_replay(finished: Path):
    records = list(read_records(finished / "records.jsonl"))
    assert [(r.agent, r.deal) for r in records] == [(name, deal) for name in ("random", "first") for deal in DEALS]
    assert {r.rules for r in records} == {Rules.named("app")}


def test_report_files_agree_with_the_report(finished: Path):
    report = evaluate(["random", FIRST], SUITE, seed=7)
    stored = orjson.loads((finished / "report.json").read_bytes())
    for summary in (*stored["summaries"], *(fresh := report.to_dict())["summaries"]):
        assert summary.pop("seconds") >= 0
    assert stored == fresh
    assert stored["summaries"][0]["games"] == 5
    assert stored["comparisons"][0]["first"] == "first"
    text = (finished / "report.md").read_text()
    assert text.startswith("# given deals: 5 deals, app rules, draw 3, seed 7\n")
    assert "| games | 5 | 5 |" in text
    assert "| first - random | 5 |" in text


def test_worker_processes_change_nothing(finished: Path, tmp_path: Path):
    evaluate(["random", FIRST], SUITE, out=tmp_path, seed=7, jobs=2)
    assert lines(tmp_path) == lines(finished)


def test_an_episode_depends_on_the_seed_and_its_deal_alone(finished: Path):
    report = evaluate(["random"], Suite.of_deals(DEALS[::-1]), seed=7)
    assert [r.moves for r in report.records][::-1] == [r.moves for r in read_records(finished / "records.jsonl")][:5]
    assert [r.moves for r in evaluate(["random"], SUITE, seed=8).records] != [r.moves for r in report.records][::-1]


def test_episode_seeds_tell_apart_what_the_player_can_tell_apart():
    views = [Game(Deal.from_number(number, draw)).player_view() for number in (0, 1) for draw in (1, 3)]
    seeds = [episode_seed(seed, view) for seed in (0, 1) for view in views]
    assert len(set(seeds)) == 8
    assert all(0 <= seed < 2**63 for seed in seeds)
    assert episode_seed(0, Game.from_view(views[0], 5).player_view()) == seeds[0]


def test_decks_without_a_code_are_played_and_recorded(tmp_path: Path):
    deals = [Deal.from_deck(DEALS[0].deck), Deal.from_deck(DEALS[0].deck, draw=1)]
    evaluate([FIRST], Suite.of_deals(deals, "hoyle"), out=tmp_path)
    assert [record.deal for record in read_records(tmp_path / "records.jsonl")] == deals


def test_a_deal_without_a_legal_move_ends_at_once():
    rules = Rules(columns=1, take_back=False)
    agent = load_agent(f"{PLAYERS}:Illegal")  # is never asked
    record = play_episode(agent, make_env(agent, rules), Deal.random(3))
    assert record.outcome == "dead"
    assert set(map(str, record.moves)) == {"D"}


# ------------------------------------------------------------------ stopping and going on


def test_resume_after_kill_9_in_the_middle_of_a_write(tmp_path: Path):
    folder = tmp_path / "killed"
    command = [sys.executable, "scripts/evaluate.py", "--agent", f"{PLAYERS}:Slow", "--out", str(folder)]
    command += ["--deals", *map(str, DEALS)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    records = folder / "records.jsonl"
    try:
        wait_for(lambda: records.exists() and records.read_bytes().count(b"\n") >= 2)
    finally:
        process.kill()
        process.wait()
    whole = records.read_bytes()
    assert 2 <= whole.count(b"\n") < 5
    with open(records, "ab") as file:  # as if the kill had come in the middle of a write
        file.write(whole[:50])
    report = evaluate([f"{PLAYERS}:Slow"], SUITE, out=folder, resume=True)
    assert [record.deal for record in report.records] == DEALS
    assert records.read_bytes().startswith(whole)  # what was there was not played again
    evaluate([f"{PLAYERS}:Slow"], SUITE, out=tmp_path / "straight")
    assert lines(folder) == lines(tmp_path / "straight")


def test_workers_end_with_a_parent_that_is_killed(tmp_path: Path):
    command = [sys.executable, "scripts/evaluate.py", "--agent", f"{PLAYERS}:Slow", "--out", str(tmp_path)]
    command += ["--suite", "d3-test", "--jobs", "2"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    try:
        wait_for((tmp_path / "records.jsonl").exists)
    finally:
        process.kill()
        process.wait()
    wait_for(lambda: not group_lives(process.pid))


def group_lives(leader: int) -> bool:
    """Whether a process is left in a process group."""
    try:
        os.killpg(leader, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.fixture
def heeds_ctrl_c() -> Iterator[None]:
    """Lets processes that are started heed SIGINT, also where the tests run in the background, which ignores it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("heeds_ctrl_c")
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_ctrl_c_keeps_what_is_finished(tmp_path: Path, jobs: str):
    command = [sys.executable, "-m", "canfield_env", "evaluate", "--agent", f"{PLAYERS}:Slow", "--jobs", jobs]
    command += ["--out", str(tmp_path), "--suite", "smoke"]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    records = tmp_path / "records.jsonl"
    try:
        wait_for(lambda: records.exists() and records.read_bytes().count(b"\n") >= 2)
        os.killpg(process.pid, signal.SIGINT)  # to the whole group, as a terminal does
        out, err = process.communicate(timeout=30)
    finally:
        process.kill()
    told = [line for line in err.splitlines() if "compiling" not in line]
    assert (process.returncode, out, told) == (130, "", ["canfield: interrupted"])
    kept = records.read_bytes()
    assert 2 <= kept.count(b"\n") < 20
    report = evaluate([f"{PLAYERS}:Slow"], Suite.load("smoke"), out=tmp_path, resume=True)
    assert len(report.records) == 20
    assert sorted(kept.splitlines()) == sorted(set(kept.splitlines()) & set(records.read_bytes().splitlines()))


def wait_for(happened: Any) -> None:
    """Waits until it has happened; the limit is only there so that a test that cannot pass ends."""
    deadline = time.monotonic() + 60
    while not happened():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_resume_plays_nothing_where_all_is_done(finished: Path, monkeypatch: pytest.MonkeyPatch):
    before = (finished / "records.jsonl").read_bytes()
    monkeypatch.setattr("canfield_env.evaluation.workers.play_episode", None)
    assert len(evaluate(["random", FIRST], SUITE, out=finished, seed=7, resume=True).records) == 10
    assert (finished / "records.jsonl").read_bytes() == before


def test_an_evaluation_is_not_overwritten(finished: Path):
    before = {path.name: path.read_bytes() for path in finished.iterdir()}
    with pytest.raises(ConfigError, match="holds an evaluation already"):
        evaluate(["random", FIRST], SUITE, out=finished, seed=7)
    assert {path.name: path.read_bytes() for path in finished.iterdir()} == before


@pytest.mark.parametrize(
    ("specs", "suite", "seed", "message"),
    [
        (["random"], SUITE, 7, 'its agents is {"random":"random"'),
        (["random", FIRST], SUITE, 8, "its seed is 7, not 8"),
        (["random", FIRST], SUITE.under("hoyle"), 7, 'its rules is "app", not "hoyle"'),
        (["random", FIRST], Suite.load("smoke"), 7, 'its suite is null, not "smoke"'),
        (["random", FIRST], Suite.of_deals(DEALS[:4]), 7, "other deals"),
    ],
)
def test_another_evaluation_is_not_gone_on_with(
    finished: Path, specs: list[str], suite: Suite, seed: int, message: str
):
    before = (finished / "records.jsonl").read_bytes()
    with pytest.raises(ConfigError) as caught:
        evaluate(specs, suite, out=finished, seed=seed, resume=True)
    assert f"{finished} holds another evaluation: {message}" in str(caught.value)
    assert (finished / "records.jsonl").read_bytes() == before


def test_an_evaluation_is_not_gone_on_with_by_another_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    specs = [FIRST, f"{PLAYERS}:Trained"]
    monkeypatch.setenv("MODEL", "abc")
    report = evaluate(specs, SUITE, out=tmp_path)
    assert report.to_dict()["models"] == {"trained": "abc"}
    records = tmp_path / "records.jsonl"
    records.write_bytes(b"".join(records.read_bytes().splitlines(True)[:-1]))
    before = records.read_bytes()
    monkeypatch.setenv("MODEL", "abd")
    with pytest.raises(ConfigError, match="holds another evaluation: other models"):
        evaluate(specs, SUITE, out=tmp_path, resume=True)
    assert records.read_bytes() == before
    monkeypatch.setenv("MODEL", "abc")
    assert len(evaluate(specs, SUITE, out=tmp_path, resume=True).records) == 10


def test_an_evaluation_is_not_gone_on_with_by_another_version(
    finished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    shutil.copytree(finished, tmp_path / "copy")
    monkeypatch.setattr("canfield_env.__version__", "9.9")
    with pytest.raises(ConfigError, match=r'its version is ".*", not "9\.9"'):
        evaluate(["random", FIRST], SUITE, out=tmp_path / "copy", seed=7, resume=True)


def test_a_model_that_is_replaced_while_it_plays_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("MODEL", "abc")

    def replaced(tasks: Any, *others: Any) -> Any:
        monkeypatch.setenv("MODEL", "abd")
        return play_all(tasks, *others)

    monkeypatch.setattr("canfield_env.evaluation.runner.play_all", replaced)
    with pytest.raises(ConfigError, match="its model has been replaced since the evaluation began"):
        evaluate([f"{PLAYERS}:Trained"], SUITE, out=tmp_path)
    assert not (tmp_path / "records.jsonl").exists()


@pytest.mark.parametrize("agent", ["random", "greedy"])
@pytest.mark.parametrize("redeals", [0, 2])
def test_simple_agents_play_where_redeals_are_limited(agent: str, redeals: int):
    rules = Rules(runs="whole", redeals=redeals)
    records = evaluate([agent], Suite.of_deals(DEALS, rules)).records
    assert {record.rules for record in records} == {rules}
    assert any(str(move) == "D" for record in records for move in record.moves)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (b'"cards_up":', b'"cards_up":1', "cards_up is"),
        (b'"agent":"random"', b'"agent":"dealer"', "'dealer' on CF1-D3-AAAAAAA is there twice"),
        (b'"rules":"app"', b'"rules":"hoyle"', "played under other rules"),
        (b'"moves":"D ', b'"moves":"RF ', "RF: "),
    ],
)
def test_a_record_that_does_not_belong_or_replay_is_refused(
    finished: Path, tmp_path: Path, old: bytes, new: bytes, message: str
):
    for name in ("plan.json", "records.jsonl"):
        (tmp_path / name).write_bytes((finished / name).read_bytes())
    records = tmp_path / "records.jsonl"
    bad = records.read_bytes().replace(old, new, 1)
    assert bad != records.read_bytes()
    records.write_bytes(bad)
    with pytest.raises((RecordError, IllegalMoveError)) as caught:
        evaluate(["random", FIRST], SUITE, out=tmp_path, seed=7, resume=True)
    assert f"{records}: record 1: " in str(caught.value)
    assert message in str(caught.value)
    assert records.read_bytes() == bad


# ------------------------------------------------------------------ bad input


def test_a_folder_that_cannot_be_written(tmp_path: Path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(ConfigError, match=r"file/out: cannot be written: Not a directory"):
        evaluate([FIRST], SUITE, out=tmp_path / "file" / "out")
    with pytest.raises(ConfigError, match=r"file: cannot be written: File exists"):
        evaluate([FIRST], SUITE, out=tmp_path / "file")
    (tmp_path / "records.jsonl").mkdir()
    with pytest.raises(ConfigError, match="holds an evaluation already"):
        evaluate([FIRST], SUITE, out=tmp_path)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"jobs": 0}, "jobs must be 1 or greater, not 0"),
        ({"seed": -1}, "seed must be 0 or greater, not -1"),
        ({"resume": True}, "to resume needs the folder"),
        ({"specs": []}, "there is no agent"),
        ({"specs": [FIRST, FIRST]}, "two agents have the same name: first, first"),
        ({"suite": SUITE.under(Rules(redeals=2))}, "cannot play under these rules: stock='auto'"),
    ],
)
def test_bad_arguments(options: dict[str, Any], message: str, tmp_path: Path):
    arguments: dict[str, Any] = {"specs": [FIRST], "suite": SUITE} | options
    with pytest.raises(ConfigError) as caught:
        evaluate(**arguments)
    assert message in str(caught.value)


def test_an_illegal_action_is_told_with_agent_and_deal(tmp_path: Path):
    with pytest.raises(IllegalMoveError, match="agent 'illegal' on CF1-D3-AAAAAAA: action 0"):
        evaluate([FIRST, f"{PLAYERS}:Illegal"], SUITE, out=tmp_path)
    assert [line["agent"] for line in lines(tmp_path)] == ["first"] * 5


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("Raising", r"agent 'raising' on CF1-D3-AAAAA\w\w: KeyError: 'nothing' \(.*players\.py, line \d+\)"),
        ("Exiting", r"agent 'exiting' on CF1-D3-AAAAA\w\w: SystemExit: 3 \(.*players\.py, line \d+\)"),
    ],
)
def test_an_agent_that_fails_is_told_with_its_deal(name: str, message: str, jobs: int, tmp_path: Path):
    with pytest.raises(ConfigError, match=message):
        evaluate([FIRST, f"{PLAYERS}:{name}"], SUITE, out=tmp_path, jobs=jobs)
    assert (tmp_path / "plan.json").exists()


def test_a_worker_that_dies_is_told(tmp_path: Path):
    with pytest.raises(OSError, match="a worker process died"):
        evaluate([f"{PLAYERS}:Dying"], SUITE, out=tmp_path, jobs=2)
