"""The search for settings: what it makes, keeps and goes on from."""

import orjson
import pytest
import tomli_w
import typer

from canfield_env.errors import ConfigError
from canfield_env.training.trainer import Trainer
from scripts import search_training
from tests.training.training_helpers import TINY


@pytest.fixture
def search(tmp_path, monkeypatch):
    (tmp_path / "tiny.toml").write_text(TINY)
    plan = {
        "base": str(tmp_path / "tiny.toml"),
        "settings": ["run.steps=128"],
        "seed": 0,
        "trials": 2,
        "first": [{"algorithm.learning_rate": 0.002, "algorithm.epochs": 1}],
        "space": {
            "algorithm.learning_rate": {"low": 0.001, "high": 0.01, "log": True},
            "algorithm.epochs": {"choices": [1, 2]},
        },
    }
    monkeypatch.setattr(search_training, "PLAN", tmp_path / "plan.toml")

    def run(**changes):
        (tmp_path / "plan.toml").write_text(tomli_w.dumps(plan | changes))
        search_training.main(folder=tmp_path / "search", out=tmp_path / "out")
        return orjson.loads((tmp_path / "out" / "training-search.json").read_bytes())["trials"]

    return run


def test_trials_are_made_kept_and_not_made_again(search, tmp_path):
    found = search()
    assert sorted(row["trial"] for row in found) == [0, 1]
    first = next(row for row in found if row["trial"] == 0)
    assert first["settings"] == ["algorithm.learning_rate=0.002", "algorithm.epochs=1"]
    assert first["steps"] == 128
    assert first["deals"] == 4
    assert [row["cards_up"] for row in found] == sorted((row["cards_up"] for row in found), reverse=True)
    assert search() == found
    more = search(trials=3)
    assert len(more) == 3
    assert len({tuple(row["settings"]) for row in more}) == 3
    page = (tmp_path / "out" / "training-search.md").read_text()
    assert all(f"| {row['trial']} | " in page for row in more)


def test_a_trial_that_was_stopped_is_made_anew(search, monkeypatch):
    with monkeypatch.context() as patched:
        patched.setattr(search_training, "Trainer", lambda *args, watch: Trainer(*args, watch=lambda *_: False))
        with pytest.raises(typer.Exit):
            search(settings=["run.steps=256"])
    found = search(settings=["run.steps=256"])
    assert len(found) == 2
    assert ["algorithm.learning_rate=0.002", "algorithm.epochs=1"] in [row["settings"] for row in found]


def test_trials_of_another_base_or_space_are_not_gone_on_with(search, tmp_path):
    found = search()
    base = tmp_path / "tiny.toml"
    with pytest.raises(ConfigError, match=r"another base or space: base\.run\.steps is 128 there, not 192"):
        search(settings=["run.steps=192"], trials=3)
    base.write_text(TINY.replace("width = 8", "width = 9"))
    with pytest.raises(ConfigError, match=r"base\.network\.width is 8 there, not 9"):
        search(trials=3)
    base.write_text(TINY)
    space = {"algorithm.learning_rate": {"low": 0.001, "high": 0.02}, "algorithm.epochs": {"choices": [1, 2]}}
    with pytest.raises(ConfigError, match=r"space\.algorithm\.learning_rate\.high is 0\.01 there, not 0\.02"):
        search(trials=3, space=space)
    assert search() == found


def test_a_plan_with_an_unknown_key_is_refused(search):
    with pytest.raises(ConfigError, match=r"plan\.toml: unknown key 'sede'"):
        search(sede=1)
