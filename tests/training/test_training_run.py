"""Training runs: from end to end, stopped and gone on with, and what keeps one from starting."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import torch

from canfield_env.configs import read_toml
from canfield_env.errors import ConfigError
from canfield_env.files import sole_use
from canfield_env.training.folder import RunFolder
from canfield_env.training.model_file import load_model, load_training
from canfield_env.training.play import play_deals
from canfield_env.training.trainer import Trainer
from tests.training.training_helpers import TINY, tiny_config

SCRIPT = str(Path(__file__).parents[2] / "scripts" / "train.py")


def start(folder, config, **options):
    return Trainer(config, RunFolder(folder, config, resume=options.pop("resume", False)), **options)


def stop_at(trainer, steps, monkeypatch):
    """Sends Ctrl-C when that many steps have been trained, in the middle of what follows."""
    look = trainer._env._look

    def watched(observations):
        if trainer.steps >= steps:
            signal.raise_signal(signal.SIGINT)
            monkeypatch.setattr(trainer._env, "_look", look)
        look(observations)

    monkeypatch.setattr(trainer._env, "_look", watched)


def metrics(folder):
    return [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]


def weights(path):
    return {name: tensor.tolist() for name, tensor in load_model(path)[1].state_dict().items()}


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """The folder of a run from end to end."""
    folder = tmp_path_factory.mktemp("run")
    assert start(folder / "run", tiny_config(folder)).run()
    return folder / "run"


def test_the_folder_holds_what_repeats_the_run(run):
    assert read_toml(run / "config.toml")["run"] == {"steps": 384, "seed": 0, "threads": 1}
    origin = json.loads((run / "run.json").read_text())
    assert origin["packages"].keys() >= {"canfield-env", "torch", "sb3-contrib", "numpy"}
    assert origin["git"] is None or origin["git"].keys() == {"commit", "dirty"}
    assert any((run / "tensorboard").iterdir())


def test_the_metrics_have_a_line_for_each_update_and_evaluation(run):
    lines = metrics(run)
    assert [line["steps"] for line in lines if "evaluation/won" in line] == [128, 256, 384]
    updates = [line for line in lines if "train/value_loss" in line]
    assert updates
    assert all(0 <= line["evaluation/won"] <= 1 for line in lines if "evaluation/won" in line)


def test_best_and_last_models_know_where_they_come_from(run):
    header, _ = load_model(run / "last.zip")
    assert header.origin["steps"] == 384
    assert header.draw == 3
    best, _ = load_model(run / "best.zip")
    lines = [line for line in metrics(run) if line["steps"] == best.origin["steps"] and "evaluation/won" in line]
    assert best.origin["won, cards up"] == [lines[0]["evaluation/won"], lines[0]["evaluation/cards_up"]]
    assert best.origin["won, cards up"] == max(
        [line["evaluation/won"], line["evaluation/cards_up"]] for line in metrics(run) if "evaluation/won" in line
    )


@pytest.mark.parametrize("steps", [1, 150, 330])
def test_a_run_that_was_stopped_goes_on_as_if_it_had_not_been(run, tmp_path, monkeypatch, steps):
    config = tiny_config(tmp_path)
    trainer = start(tmp_path / "run", config)
    stop_at(trainer, steps, monkeypatch)
    finished = trainer.run()
    assert finished == (trainer.steps >= 384)
    assert trainer.steps >= steps
    again = start(tmp_path / "run", config, resume=True)
    assert again.steps == trainer.steps
    assert again.run()
    assert weights(tmp_path / "run" / "last.zip") == weights(run / "last.zip")
    assert weights(tmp_path / "run" / "best.zip") == weights(run / "best.zip")
    straight, resumed = load_training(run / "last.zip"), load_training(tmp_path / "run" / "last.zip")
    assert (straight.tensors["torch generator"] == resumed.tensors["torch generator"]).all()
    assert straight.facts["numpy generator"] == resumed.facts["numpy generator"]

    def curve(folder):
        return [{key: value for key, value in line.items() if "seconds" not in key} for line in metrics(folder)]

    assert curve(tmp_path / "run") == curve(run)


def test_a_run_in_threads_is_repeated_and_gone_on_with(tmp_path, monkeypatch):
    config = tiny_config(tmp_path, "run.threads=2")
    assert start(tmp_path / "straight", config).run()
    trainer = start(tmp_path / "stopped", config)
    stop_at(trainer, 150, monkeypatch)
    assert not trainer.run()
    assert start(tmp_path / "stopped", config, resume=True).run()
    assert weights(tmp_path / "straight" / "last.zip") == weights(tmp_path / "stopped" / "last.zip")


@pytest.mark.parametrize("falls", [False, True])
def test_the_learning_rate_rises_and_falls(tmp_path, falls):
    settings = ("algorithm.learning_rate=0.012", "algorithm.warmup=128", f"algorithm.anneal={str(falls).lower()}")
    config = tiny_config(tmp_path, *settings)
    assert start(tmp_path / "run", config).run()
    rates = {line["steps"]: line["train/learning_rate"] for line in metrics(tmp_path / "run") if "train/loss" in line}
    assert {64, 384} < rates.keys()  # it is logged where episodes have ended
    assert rates == pytest.approx({steps: 0.012 * (1 - falls * steps / 384) * min(steps / 128, 1) for steps in rates})


def test_the_averaged_network_is_evaluated_and_kept(tmp_path, monkeypatch):
    config = tiny_config(tmp_path, "algorithm.ema_decay=0.75", "evaluation.every=384")
    trainer, played = start(tmp_path / "run", config), []
    update = trainer._ppo.train
    learned = []

    def train():
        update()
        learned.append({name: values.clone() for name, values in trainer._ppo.network.state_dict().items()})

    def play(network, *arguments):
        played.append(network)
        return play_deals(network, *arguments)

    monkeypatch.setattr(trainer._ppo, "train", train)
    monkeypatch.setattr("canfield_env.training.trainer.play_deals", play)
    assert trainer.run()
    mean = learned[0]
    for after in learned[1:]:
        mean = {name: 0.75 * values + 0.25 * after[name] for name, values in mean.items()}
    best, last = (load_model(tmp_path / "run" / name)[1].state_dict() for name in ("best.zip", "last.zip"))
    state = load_training(tmp_path / "run" / "last.zip")
    assert len(learned) == 6
    assert len(played) == 1
    for name, values in mean.items():
        torch.testing.assert_close(best[name], values)
        assert (played[0].state_dict()[name] == best[name]).all()
        assert (last[name] == best[name]).all()
        assert (state.tensors["learner " + name] == learned[-1][name]).all()
    assert any((best[name] != learned[-1][name]).any() for name in mean)


@pytest.mark.parametrize("steps", [1, 150])
def test_a_run_with_an_averaged_network_goes_on_as_if_it_had_not_been_stopped(tmp_path, monkeypatch, steps):
    config = tiny_config(tmp_path, "algorithm.ema_decay=0.75")
    assert start(tmp_path / "straight", config).run()
    trainer = start(tmp_path / "stopped", config)
    stop_at(trainer, steps, monkeypatch)
    assert not trainer.run()
    assert start(tmp_path / "stopped", config, resume=True).run()
    for name in ("best.zip", "last.zip"):
        assert weights(tmp_path / "straight" / name) == weights(tmp_path / "stopped" / name)
    straight, stopped = (load_training(tmp_path / name / "last.zip").tensors for name in ("straight", "stopped"))
    learners = [name for name in straight if name.startswith("learner ")]
    assert learners
    assert all((straight[name] == stopped[name]).all() for name in learners)


def test_a_killed_run_goes_on_from_its_last_evaluation(run, tmp_path, monkeypatch):
    config = tiny_config(tmp_path)
    trainer = start(tmp_path / "run", config)
    monkeypatch.setattr(trainer, "_stop", lambda: (_ for _ in ()).throw(KeyboardInterrupt))
    stop_at(trainer, 200, monkeypatch)
    with pytest.raises(KeyboardInterrupt):
        trainer.run()
    with (tmp_path / "run" / "metrics.jsonl").open("a") as file:
        file.write('{"steps": 192, "torn')
    again = start(tmp_path / "run", config, resume=True)
    assert again.steps == 128
    assert again.run()
    assert weights(tmp_path / "run" / "last.zip") == weights(run / "last.zip")
    assert [line["steps"] for line in metrics(tmp_path / "run")] == [line["steps"] for line in metrics(run)]


def test_what_a_killed_run_measured_after_its_last_evaluation_is_measured_again(run, tmp_path, monkeypatch):
    config = tiny_config(tmp_path)
    trainer = start(tmp_path / "run", config)
    save = trainer._save_last

    def save_at_first():
        if trainer.steps == 128:
            save()

    monkeypatch.setattr(trainer, "_save_last", save_at_first)  # so it stops as if it had been killed
    stop_at(trainer, 270, monkeypatch)
    assert not trainer.run()
    later = [line["steps"] for line in metrics(tmp_path / "run") if line["steps"] > 128]
    assert later
    again = start(tmp_path / "run", config, resume=True)
    assert again.steps == 128
    assert again.run()
    assert [line["steps"] for line in metrics(tmp_path / "run")] == [line["steps"] for line in metrics(run)]


@pytest.mark.parametrize("name", ["config.toml", "run.json", "metrics.jsonl"])
def test_a_crash_while_a_file_is_written_leaves_the_one_before(run, tmp_path, monkeypatch, name):
    shutil.copytree(run, tmp_path / "run")
    before = (tmp_path / "run" / name).read_bytes()
    replace = os.replace

    def crash(source, target):
        if Path(target).name == name:
            raise KeyboardInterrupt
        replace(source, target)

    def write(folder):
        folder.resumed = name != "run.json"
        with folder.in_use(tiny_config(tmp_path), None):
            folder.make_logger(128)

    monkeypatch.setattr("os.replace", crash)
    with pytest.raises(KeyboardInterrupt):
        write(RunFolder(tmp_path / "run", tiny_config(tmp_path), resume=True))
    assert (tmp_path / "run" / name).read_bytes() == before


def test_a_folder_is_trained_in_by_one_process_at_a_time(tmp_path):
    config = tiny_config(tmp_path)
    (tmp_path / "run").mkdir()
    trainer = start(tmp_path / "run", config)
    with sole_use(tmp_path / "run"), pytest.raises(ConfigError, match="in use by another process"):
        trainer.run()
    assert start(tmp_path / "run", config, resume=True).run()


def test_a_finished_run_can_be_made_longer(run, tmp_path):
    config = tiny_config(tmp_path, "run.steps=128")
    assert start(tmp_path / "run", config).run()
    longer = tiny_config(tmp_path, "run.steps=256")
    trainer = start(tmp_path / "run", longer, resume=True)
    assert trainer.steps == 128
    assert trainer.run()
    assert trainer.steps == 256
    assert read_toml(tmp_path / "run" / "config.toml")["run"]["steps"] == 256
    assert start(tmp_path / "run", longer, resume=True).run()  # nothing to do


def test_other_seeds_give_other_deals(tmp_path):
    made = [start(tmp_path / f"{seed}", tiny_config(tmp_path, f"run.seed={seed}")) for seed in (0, 1)]
    deals = []
    for trainer in made:
        trainer._env.reset()
        deals.append({info["deal"] for info in trainer._env._games.reset_infos})
    assert len(deals[0]) == 8
    assert not deals[0] & deals[1]


def test_a_new_run_starts_from_a_models_weights(run, tmp_path):
    config = tiny_config(tmp_path)
    trainer = start(tmp_path / "run", config, init=run / "best.zip")
    assert {n: t.tolist() for n, t in trainer._ppo.network.state_dict().items()} == weights(run / "best.zip")
    with pytest.raises(ConfigError, match=r"the model's network is .*the configuration's"):
        start(tmp_path / "other", tiny_config(tmp_path, "network.width=9"), init=run / "best.zip")
    assert not (tmp_path / "other").exists()


def test_a_run_goes_on_only_from_the_model_that_it_began_with(run, tmp_path):
    best, other = str(run / "best.zip"), str(run / "last.zip")
    begun, plain = tiny_config(tmp_path, "run.steps=128"), tmp_path / "plain"
    assert start(tmp_path / "run", begun, init=best).run()
    longer = tiny_config(tmp_path, "run.steps=256")
    with pytest.raises(ConfigError, match=f"the run in this folder began with {best}, not with {other}"):
        start(tmp_path / "run", longer, resume=True, init=other)
    assert start(tmp_path / "run", longer, resume=True, init=best).steps == 128
    assert start(tmp_path / "run", longer, resume=True).steps == 128
    assert start(plain, begun).run()
    with pytest.raises(ConfigError, match="began with random weights, not with"):
        start(plain, longer, resume=True, init=best)
    (plain / "run.json").unlink()
    with pytest.raises(ConfigError, match=r"run\.json: cannot be read"):
        start(plain, longer, resume=True, init=best)
    assert start(tmp_path / "new", begun, resume=True, init=best).steps == 0


def test_a_folder_with_a_run_is_not_overwritten(run, tmp_path):
    config = tiny_config(tmp_path)
    with pytest.raises(ConfigError, match="there is a run in this folder; --resume goes on with it"):
        RunFolder(run, config)
    with pytest.raises(ConfigError, match=r"another configuration: algorithm\.epochs is 1 there, not 2"):
        RunFolder(run, tiny_config(tmp_path, "algorithm.epochs=2"), resume=True)
    with pytest.raises(ConfigError, match="there is something here, and it is no run"):
        RunFolder(tmp_path, config)
    with pytest.raises(ConfigError, match="there is something here, and it is no run"):
        RunFolder(tmp_path / "tiny.toml", config)


def test_a_folder_that_cannot_be_written_is_refused(tmp_path):
    config = tiny_config(tmp_path)
    trainer = start(tmp_path / "tiny.toml" / "run", config)
    with pytest.raises(ConfigError, match="cannot be written: Not a directory"):
        trainer.run()


def test_a_damaged_checkpoint_is_refused(run, tmp_path):
    config = tiny_config(tmp_path, "run.steps=128")
    assert start(tmp_path / "run", config).run()
    (tmp_path / "run" / "last.zip").write_bytes((run / "best.zip").read_bytes())
    with pytest.raises(ConfigError, match=r"last\.zip: .*training\.json"):
        start(tmp_path / "run", config, resume=True)


def script(*arguments, **options):
    return subprocess.run([sys.executable, SCRIPT, *arguments], capture_output=True, text=True, check=False, **options)


@pytest.mark.parametrize(
    ("arguments", "fault"),
    [
        (["--config", "none"], "no training configuration is called 'none'"),
        (["--config", "quick", "--set", "run.stepz=1"], "unknown key 'run.stepz'"),
        ([], "Missing option '--config'"),
    ],
)
def test_the_script_says_in_one_line_what_is_wrong(tmp_path, arguments, fault):
    done = script(*arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert fault in done.stderr
    assert done.stderr.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_the_script_trains(tmp_path):
    (tmp_path / "tiny.toml").write_text(TINY)
    done = script("--config", "tiny.toml", "--set", "run.steps=128", "--out", "out", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "finished after 128 steps: out\n"
    assert load_model(tmp_path / "out" / "best.zip")[0].origin["steps"] == 128


def test_the_script_saves_on_sigterm(tmp_path):
    (tmp_path / "tiny.toml").write_text(TINY)
    command = [sys.executable, SCRIPT, "--config", "tiny.toml", "--set", "run.steps=10_000_000", "--out", "out"]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        lines = tmp_path / "out" / "metrics.jsonl"
        while process.poll() is None and not (lines.exists() and lines.stat().st_size):
            time.sleep(0.05)
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert out.startswith("stopped after")
    assert load_training(tmp_path / "out" / "last.zip").facts["steps"] > 0


def test_at_first_only_the_value_is_trained(tmp_path):
    config = tiny_config(tmp_path, "algorithm.value_first=128")
    trainer = start(tmp_path / "run", config)
    before = {name: tensor.clone() for name, tensor in trainer._ppo.network.state_dict().items()}

    def changed():
        after = trainer._ppo.network.state_dict()
        return {name.partition(".")[0] for name, tensor in before.items() if (after[name] != tensor).any()}

    seen = {}
    train = trainer._ppo.train
    trainer._ppo.train = lambda: (train(), seen.update({trainer.steps: changed()}))
    assert trainer.run()
    assert seen[128] == {"outlook"}
    assert "cards" in seen[192]


def test_who_watches_can_stop_a_run(tmp_path):
    results = []

    def watch(steps, result):
        results.append((steps, result.score))
        return steps < 256

    trainer = start(tmp_path / "run", tiny_config(tmp_path), watch=watch)
    assert not trainer.run()
    assert [steps for steps, _ in results] == [128, 256]
    assert load_training(tmp_path / "run" / "last.zip").facts["steps"] == 256


def test_training_leaves_torch_as_it_was(run):
    assert torch.get_float32_matmul_precision() == "highest"
