"""The shipped models load by their names, play, and are told of on their page."""

import orjson
import pytest
import torch

from agents.shipped import MODELS, shipped_models
from canfield_env.errors import ConfigError
from canfield_env.evaluation.episode import make_env, play_episode
from canfield_env.evaluation.specs import load_agent
from canfield_env.evaluation.suites import Suite
from canfield_env.training.model_file import TrainingState, load_model, load_training, read_header, save_model
from scripts import ship_model


@pytest.mark.parametrize("name", shipped_models("playing"))
def test_a_shipped_model_plays_by_its_name(name):
    suite = Suite.load(f"d{read_header(MODELS / f'{name}.zip').draw}-validation")
    agent = load_agent(f"ppo:{name}")
    records = [play_episode(agent, make_env(agent, suite.rules), deal) for deal in suite.deals[:20]]
    assert agent.name == f"ppo:{name}"
    assert sum(record.outcome == "won" for record in records) >= 3


def test_models_are_small():
    assert all(path.stat().st_size < 5_000_000 for path in MODELS.glob("*.zip"))


def test_their_page_is_up_to_date():
    assert ship_model.markdown() == ship_model.PAGE.read_text(encoding="utf-8")


def test_each_run_is_told_of_once_with_the_first_model_that_came_of_it():
    sections = ship_model.markdown().split("\n## ")
    runs = {
        part.split("`")[1]: [line for line in part.splitlines() if line.startswith("### ")] for part in sections[1:]
    }
    told = [run for of_model in runs.values() for run in of_model]
    assert len(told) == len(set(told))
    assert "It goes on from `ppo:d3-direct` and was trained" in ship_model.markdown()
    assert runs["ppo:d3"] == ["### finetune-d3-afterstates"]
    assert runs["ppo:d1"] == ["### finetune-d1-afterstates"]


def test_a_crash_while_a_model_is_shipped_leaves_the_one_before(tmp_path, monkeypatch):
    old, new = tmp_path / "d3.zip", tmp_path / "last.zip"
    old.write_bytes(b"the model before")
    header, network = load_model(MODELS / "d3-small.zip")
    save_model(new, header, network, TrainingState({}, {}))

    def crash(source, target):
        raise KeyboardInterrupt

    monkeypatch.setattr(ship_model, "MODELS", tmp_path)
    monkeypatch.setattr(ship_model, "_notes", lambda model: [])
    monkeypatch.setattr("os.replace", crash)
    with pytest.raises(KeyboardInterrupt):
        ship_model.ship("d3", new)
    assert old.read_bytes() == b"the model before"
    monkeypatch.undo()
    monkeypatch.setattr(ship_model, "MODELS", tmp_path)
    monkeypatch.setattr(ship_model, "_notes", lambda model: [])
    monkeypatch.setattr(ship_model, "page", lambda: None)
    ship_model.ship("d3", new)
    shipped, weights = load_model(old)
    assert shipped == header
    assert all(torch.equal(value, weights.state_dict()[name]) for name, value in network.state_dict().items())
    with pytest.raises(ConfigError, match=r"training\.json"):
        load_training(old)


def test_a_run_whose_folder_is_gone_is_told_of_as_it_was_before(tmp_path, monkeypatch):
    monkeypatch.setattr(ship_model, "RUNS", tmp_path)
    told = orjson.loads((MODELS / "d3.json").read_bytes())
    assert len(told) > 3
    assert ship_model._notes(MODELS / "d3.zip") == told
    header, network = load_model(MODELS / "d3.zip")
    header.origin["steps"] += 1
    save_model(tmp_path / "other.zip", header, network)
    with pytest.raises(ConfigError, match=rf"other\.zip: the run {header.origin['run']} has no run"):
        ship_model._notes(tmp_path / "other.zip")
