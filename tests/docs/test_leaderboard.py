"""The leaderboard, and the page that rests on it, are what the result files say."""

import lzma
from pathlib import Path

import orjson
import pytest

from agents.shipped import MODELS
from canfield_env.errors import ConfigError
from canfield_env.evaluation.protocol import Trained
from canfield_env.evaluation.runner import evaluate
from canfield_env.evaluation.specs import load_agent
from canfield_env.evaluation.suites import Suite
from canfield_env.records import verify
from scripts import how_hard, leaderboard, ship_model

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "leaderboard.md"


@pytest.fixture(scope="module")
def boards():
    return [leaderboard.Board.read(name) for name in leaderboard.SUITES]


def test_the_page_is_up_to_date(boards):
    assert leaderboard.markdown(boards) == PAGE.read_text(encoding="utf-8")


def test_the_page_on_how_hard_the_game_is_is_up_to_date():
    assert how_hard.markdown() == how_hard.PAGE.read_text(encoding="utf-8")


def test_its_pictures_are_there(boards):
    for board in boards:
        for kind in ("wins", "cards-up"):
            assert (ROOT / "docs" / f"leaderboard-{board.suite.name}-{kind}.svg").exists() == bool(board.records)


def test_records_are_of_the_suite_in_its_order_and_replay(boards):
    for board in boards:
        for agent, records in board.records.items():
            assert {record.agent for record in records} == {agent}
            assert [record.deal for record in records] == list(board.suite.deals[: len(records)])
            for record in records[::50]:
                assert record.rules == board.suite.rules
                verify(record)


def test_the_models_that_played_are_those_that_the_agents_have(boards):
    for board in boards:
        agents = {spec: load_agent(spec) for spec in board.records}
        now = {spec: agent.fingerprint for spec, agent in agents.items() if isinstance(agent, Trained)}
        assert {spec: model for spec, model in board.models.items() if spec in board.records} == now


def test_seconds_are_of_the_same_deals_for_all(tmp_path, monkeypatch):
    monkeypatch.setattr(leaderboard, "SUITES", {"d3-test": ("random", "greedy"), "d1-test": ("greedy",)})
    monkeypatch.setattr(leaderboard, "KEPT", tmp_path)
    played = []

    def evaluated(specs, suite):
        report = evaluate(specs, suite)
        played.append((suite.name, tuple(specs), suite.deals, [record.seconds for record in report.records]))
        return report

    monkeypatch.setattr(leaderboard, "evaluate", evaluated)
    assert leaderboard.Board.read("d3-test").seconds == {}
    leaderboard.time_games(games=3)
    deals = {name: Suite.load(name).deals for name in leaderboard.SUITES}
    assert [call[:3] for call in played] == [
        (name, specs, (deals[name][place],)) for name, specs in leaderboard.SUITES.items() for place in (0, 0, 1, 2)
    ]
    found = leaderboard.read_seconds()
    assert found["d3-test"]["greedy"] == leaderboard.Timed(None, [call[3][1] for call in played[1:4]])
    assert found["d1-test"]["greedy"].seconds == [call[3][0] for call in played[5:8]]
    (tmp_path / leaderboard.SECONDS).write_bytes(b"[")
    with pytest.raises(ConfigError, match=r"seconds\.json: cannot be read"):
        leaderboard.read_seconds()


def test_every_agent_has_been_timed_with_the_model_that_it_has(boards):
    for board in boards:
        assert board.timed.keys() == board.records.keys()
        models = {spec: timed.model for spec, timed in board.timed.items() if timed.model is not None}
        assert models == board.models
        assert len({len(timed.seconds) for timed in board.timed.values()}) == 1


@pytest.fixture
def kept(tmp_path, monkeypatch):
    """A leaderboard that can be written to, with what ``ppo:d3`` has played on ``d3-test``."""
    folder = tmp_path / "d3-test"
    folder.mkdir()
    for name in ("ppo-d3.jsonl.xz", leaderboard.MODELS):
        (folder / name).write_bytes((leaderboard.KEPT / "d3-test" / name).read_bytes())
    monkeypatch.setattr(leaderboard, "KEPT", tmp_path)
    return folder


def test_an_agent_with_another_model_is_not_played_on_nor_told_of(kept):
    before = (kept / "ppo-d3.jsonl.xz").read_bytes()
    leaderboard.play(suite=["d3-test"], agent=["ppo:d3"])  # all is played
    assert "On `d3-test`, 1000 deals" in "\n".join(ship_model._section(MODELS / "d3.json"))
    for models in ({"ppo:d3": "another"}, {}):
        (kept / leaderboard.MODELS).write_bytes(orjson.dumps(models))
        with pytest.raises(ConfigError, match=r"ppo-d3\.jsonl\.xz: played by another model than ppo:d3 has now"):
            leaderboard.play(suite=["d3-test"], agent=["ppo:d3"])
        assert "On `d3-test`" not in "\n".join(ship_model._section(MODELS / "d3.json"))
    assert (kept / "ppo-d3.jsonl.xz").read_bytes() == before


def test_the_model_is_noted_before_anything_is_played(kept):
    (kept / "ppo-d3.jsonl.xz").unlink()
    (kept / leaderboard.MODELS).write_bytes(orjson.dumps({"ppo:d3": "another", "planner:learned": "other"}))
    leaderboard._note_model("d3-test", "ppo:d3", is_played=False)
    agent = load_agent("ppo:d3")
    assert isinstance(agent, Trained)
    assert leaderboard.read_models("d3-test") == {"ppo:d3": agent.fingerprint, "planner:learned": "other"}
    leaderboard._note_model("d3-test", "random", is_played=True)  # has no model
    assert leaderboard.read_models("d1-test") == {}


@pytest.mark.parametrize(
    "damage",
    [
        lambda content: content[:-100],
        lambda content: b"",
        lambda content: b"nothing" + content,
        lambda content: lzma.compress(b'{"deal": '),
    ],
)
def test_damaged_records_are_told_with_their_file(kept, damage):
    path = kept / "ppo-d3.jsonl.xz"
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(ConfigError, match=r"ppo-d3\.jsonl\.xz: no kept records, or damaged ones"):
        leaderboard.Board.read("d3-test")
    (kept / leaderboard.MODELS).write_bytes(b"[")
    with pytest.raises(ConfigError, match=r"models\.json: cannot be read"):
        leaderboard.read_models("d3-test")
