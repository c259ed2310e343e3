"""The page on learning is what the result files say, and they are of validation suites."""

import json
from dataclasses import replace

from agents.shipped import find_model, shipped_models
from canfield_env.training.model_file import fingerprint
from scripts import learning_page
from scripts.learning_page import Curve


def test_the_page_is_up_to_date():
    assert learning_page.markdown() == learning_page.PAGE.read_text(encoding="utf-8")
    assert (learning_page.PAGE.parent / "learning-curves.svg").exists()


def test_nothing_was_measured_on_a_test_suite():
    suites = [curve.config["evaluation"]["suite"] for curve in learning_page.curves()]
    suites += [row["suite"] for row in learning_page.results("imitation-*.json")]
    suites += [row["suite"] for table in learning_page.results("ablation-*.json") for row in table["trials"]]
    assert suites
    assert all(suite.endswith("-validation") for suite in suites)


def test_the_shipped_models_have_been_timed():
    found = json.loads((learning_page.KEPT / "decisions.json").read_bytes())["models"]
    files = {name: find_model(name, "playing") for name in shipped_models("playing")}
    assert {each["model"]: each["fingerprint"] for each in found} == {
        name: fingerprint(path) for name, path in files.items()
    }


def test_a_curve_is_kept_as_the_run_has_it(tmp_path):
    run = tmp_path / "short-seed3"
    run.mkdir()
    (run / "config.toml").write_text('[run]\nseed = 3\n[evaluation]\nsuite = "d3-validation"\ndeals = 50\n')
    lines = [
        {"steps": 10, "rollout/won": 0.5},
        {"steps": 10, "time/cpu_seconds": 1.5, "evaluation/won": 0.2, "evaluation/cards_up": 9.0},
        {"steps": 20, "time/cpu_seconds": 3.0, "evaluation/won": 0.2, "evaluation/cards_up": 8.0},
    ]
    (run / "metrics.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    curve = Curve.of_run(run)
    curve.write(tmp_path / "kept")
    (path,) = (tmp_path / "kept").iterdir()
    assert path.name == "curves-short-seed3.jsonl.xz"
    assert Curve.read(path) == curve
    assert (curve.name, curve.seed, curve.deals) == ("short", 3, 50)
    assert [point["steps"] for point in curve.points] == [10, 20]
    assert curve.best["cards_up"] == 9.0
    assert replace(curve, fresh={"steps": 20}).best["cards_up"] == 8.0  # what the best model's file says
