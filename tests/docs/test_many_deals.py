"""Agents on many deals: the same ones for all, played once, and compared with the first agent."""

import orjson
import typer
from typer.testing import CliRunner

from canfield_env.deals import FIRST_TRAINING_DEAL, Deal
from canfield_env.evaluation.protocol import Trained
from canfield_env.evaluation.runner import evaluate
from canfield_env.evaluation.specs import load_agent
from canfield_env.evaluation.suites import Suite
from scripts import many_deals
from scripts.learning_page import results

HAND = {"agent": "hand", "model": None, "won": "11001100"}


def run(tmp_path, *arguments):
    app = typer.Typer()
    app.command()(many_deals.main)
    options = ["--runs", str(tmp_path / "runs"), "--kept", str(tmp_path / "kept")]
    return CliRunner().invoke(app, [*arguments, *options])


def test_what_each_agent_has_won_is_kept(tmp_path):
    assert run(tmp_path, "random", "greedy", "--draw", "1", "--games", "8").exit_code == 0
    kept = (tmp_path / "kept" / "many-deals-d1.json").read_bytes()
    first = FIRST_TRAINING_DEAL + many_deals.FIRST
    suite = Suite.of_deals([Deal.from_number(first + k, 1) for k in range(8)])
    won = ["1" if record.outcome == "won" else "0" for record in evaluate(["greedy"], suite).records]
    assert {"0", "1"} == set(won)
    assert orjson.loads(kept)["agents"][1] == {"agent": "greedy", "model": None, "won": "".join(won)}
    assert run(tmp_path, "random", "greedy", "--draw", "1", "--games", "8").exit_code == 0  # nothing is played again
    assert (tmp_path / "kept" / "many-deals-d1.json").read_bytes() == kept


def test_agents_are_compared_with_the_first():
    other = {"agent": "learned", "model": "x", "won": "11101111"}
    rows = list(many_deals.table({"draw": 3, "agents": [HAND, other]}))
    assert rows[0] == "| agent | won of 8 deals, draw 3 | more than `hand` | p |"
    assert rows[2].startswith("| `hand` | 50.0 % (")
    assert rows[3].startswith("| `learned` | 87.5 % (")
    assert "| 37.5 % (" in rows[3]
    assert rows[3].endswith("| 0.25 |")  # three deals to none: 2 / 2^3


def test_the_models_that_played_are_those_that_the_agents_have():
    found = results("many-deals-*.json")
    assert found
    for agent in (agent for result in found for agent in result["agents"]):
        played = load_agent(agent["agent"])
        assert agent["model"] == (played.fingerprint if isinstance(played, Trained) else None)
