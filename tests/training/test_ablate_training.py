"""What leaving out a part of the training costs: what is made and kept."""

import orjson
import tomli_w

from scripts import ablate_training
from tests.training.training_helpers import TINY


def test_each_part_is_left_out_once(tmp_path, monkeypatch):
    (tmp_path / "tiny.toml").write_text(TINY)
    plan = {
        "base": str(tmp_path / "tiny.toml"),
        "settings": ["run.steps=128"],
        "trials": {
            "all": {"what": "as shipped", "settings": []},
            "win-reward": {"what": "no reward for winning", "settings": ["env.win_reward=0.0"]},
        },
    }
    (tmp_path / "plan.toml").write_text(tomli_w.dumps(plan))
    monkeypatch.setattr(ablate_training, "PLAN", tmp_path / "plan.toml")
    ablate_training.main(runs=tmp_path / "runs", out=tmp_path / "out")
    kept = (tmp_path / "out" / "ablation-d3.json").read_bytes()
    trials = orjson.loads(kept)["trials"]
    assert [trial["name"] for trial in trials] == ["all", "repetition", "win-reward"]
    assert all(0 <= trial["wins"] <= trial["deals"] == 4 for trial in trials)
