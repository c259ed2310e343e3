"""How agents are named, and what is said of names that are wrong."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from canfield_env import ConfigError
from canfield_env.evaluation.protocol import Agent
from canfield_env.evaluation.specs import load_agent, named_agents
from tests.evaluation import players


@pytest.mark.parametrize("name", ["random", "greedy", "heuristic"])
def test_every_name_makes_an_agent_of_that_name(name: str):
    agent = load_agent(name)
    assert isinstance(agent, Agent)
    assert agent.name == name
    assert name in named_agents()


def test_an_argument_is_handed_on():
    assert load_agent("heuristic:50").name == "heuristic:50"


def test_module_and_factory():
    assert load_agent("tests.evaluation.players:FirstLegal").name == "first"


def test_a_module_in_the_current_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    source = "from tests.evaluation.players import FirstLegal\ndef make():\n    return FirstLegal()\n"
    (tmp_path / "my_own_agent.py").write_text(source)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", sys.path[:])
    assert load_agent("my_own_agent:make").name == "first"


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("gready", "no agent is called 'gready': there are random, greedy, heuristic"),
        ("", "no agent is called ''"),
        ("random:3", "agent 'random:3': it takes no argument"),
        ("heuristic:many", "agent 'heuristic:many': 'many' is not how many positions"),
        ("heuristic:1", "agent 'heuristic:1': it must look at 2 positions or more, not 1"),
        ("no.such.module:make", "agent 'no.such.module:make': No module named 'no'"),
        ("os:no_such", "agent 'os:no_such': module 'os' has no attribute 'no_such'"),
        (":make", "agent ':make': Empty module name"),
        ("tests.evaluation.players:not_callable", "not_callable in tests.evaluation.players cannot be called"),
        ("os:getcwd", "str is no agent: it has no name, stock, observation, wants_view, reset, act"),
        (".players:FirstLegal", "agent '.players:FirstLegal': TypeError: the 'package' argument is required"),
        ("tests.evaluation.players:needs_argument", "TypeError: needs_argument() missing 1 required"),
        ("tests.evaluation.players:fails", "KeyError: 'gone' (" + players.__file__ + ", line "),
        ("tests.evaluation.players:Numbered", "its name must be text that can be printed, and not empty, not 5"),
        (
            "tests.evaluation.players:Unprintable",
            r"its name must be text that can be printed, and not empty, not '\x1b",
        ),
        ("tests.evaluation.players:NoFingerprint", "its fingerprint must be text"),
        ("tests.evaluation.players:NoStock", "its stock must be 'turn' or 'auto', not 'manual'"),
    ],
)
def test_what_is_wrong_with_a_name(spec: str, message: str):
    with pytest.raises(ConfigError) as caught:
        load_agent(spec)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("def make(:\n", "SyntaxError: "),
        ("raise SystemExit(4)\n", "SystemExit: 4 (.*bad_agent.py, line 1)"),
        ("import no_such_module_at_all\n", "No module named 'no_such_module_at_all'"),
    ],
)
def test_a_module_that_cannot_be_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: str, message: str):
    (tmp_path / "bad_agent.py").write_text(source)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", sys.path[:])
    with pytest.raises(ConfigError, match=f"^agent 'bad_agent:make': {message}"):
        load_agent("bad_agent:make")


def test_an_installed_package_has_no_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("canfield_env.__file__", str(tmp_path / "canfield_env" / "__init__.py"))
    assert named_agents() == {}
    with pytest.raises(ConfigError, match="come with the project's checkout only; an agent of your own"):
        load_agent("random")
    assert load_agent("tests.evaluation.players:FirstLegal").name == "first"
