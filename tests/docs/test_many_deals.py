"""Agents on many deals: the same ones for all, each played once, and compared with the first agent."""

import orjson
import pytest
import typer
from typer.testing import CliRunner

from canfield_env.deals import FIRST_TRAINING_DEAL, Deal
from canfield_env.evaluation.protocol import Trained
from canfield_env.evaluation.runner import evaluate
from canfield_env.evaluation.specs import load_agent
from canfield_env.evaluation.suites import Suite
from scripts import many_deals
from scripts.learning_page import results

DEALS = [Deal.from_number(FIRST_TRAINING_DEAL + many_deals.FIRST + k, 3) for k in range(6)]


def run(tmp_path, *arguments):
    app = typer.Typer()
    app.command()(many_deals.main)
    assert CliRunner().invoke(app, [*arguments, "--kept", str(tmp_path)]).exit_code == 0
    return orjson.loads((tmp_path / "many-deals-d3.json").read_bytes())["agents"]


def won(spec):
    return "".join(
        "1" if record.outcome == "won" else "0" for record in evaluate([spec], Suite.of_deals(DEALS)).records
    )


@pytest.fixture
def parts_of_two(monkeypatch):
    monkeypatch.setattr(many_deals, "PART", 2)


def test_what_each_agent_wins_alone_is_kept(tmp_path, parts_of_two):
    model = load_agent("ppo:d3-small")
    assert isinstance(model, Trained)
    assert run(tmp_path, "greedy", "ppo:d3-small", "--games", "6") == [
        {"agent": "greedy", "model": None, "won": won("greedy")},
        {"agent": "ppo:d3-small", "model": model.fingerprint, "won": won("ppo:d3-small")},
    ]
    assert {"0", "1"} == set(won("ppo:d3-small"))


def test_it_goes_on_from_what_was_played(tmp_path, parts_of_two, monkeypatch):
    played = []

    def evaluated(specs, suite, **options):
        played.append((specs, suite.deals))
        return evaluate(specs, suite, **options)

    monkeypatch.setattr(many_deals, "evaluate", evaluated)
    for games in ("3", "6", "2"):
        (entry,) = run(tmp_path, "greedy", "--games", games)
    assert entry["won"] == won("greedy")
    parts = DEALS[:2], DEALS[2:3], DEALS[3:5], DEALS[5:]
    assert played == [(["greedy"], tuple(deals)) for deals in parts]
    assert [entry["agent"] for entry in run(tmp_path, "random", "--games", "1")] == ["greedy", "random"]


def test_another_model_plays_anew(tmp_path):
    path = tmp_path / "many-deals-d3.json"
    path.write_bytes(orjson.dumps({"draw": 3, "agents": [{"agent": "greedy", "model": "another", "won": "1" * 20}]}))
    (entry,) = run(tmp_path, "greedy", "--games", "6")
    assert entry == {"agent": "greedy", "model": None, "won": won("greedy")}


def test_agents_are_compared_with_the_first_on_the_deals_of_both():
    agents = [
        {"agent": "hand", "won": "11001100"},
        {"agent": "learned", "won": "11101111"},
        {"agent": "new", "won": "0010"},
    ]
    rows = list(many_deals.table({"draw": 3, "agents": agents}))
    assert rows[0] == "| agent, draw 3 | deals | won | more than `hand` | p |"
    assert rows[2].startswith("| `hand` | 8 | 50.0 % (")
    assert rows[3].startswith("| `learned` | 8 | 87.5 % (")
    assert "| 37.5 % (" in rows[3]
    assert rows[3].endswith("| 0.25 |")  # three deals to none: 2 / 2^3
    assert rows[4].startswith("| `new` | 4 | 25.0 % (")
    assert "| -25.0 % (" in rows[4]
    assert rows[4].endswith("| 1 |")  # one deal to two


def test_the_models_that_played_are_those_that_the_agents_have():
    found = results("many-deals-*.json")
    assert found
    for agent in (agent for result in found for agent in result["agents"]):
        played = load_agent(agent["agent"])
        assert agent["model"] == (played.fingerprint if isinstance(played, Trained) else None)
