"""Configurations of training runs: what is read, and what is refused."""

import subprocess
import sys

import pytest

from canfield_env.configs import config_names
from canfield_env.errors import ConfigError
from canfield_env.training.config import TrainingConfig

GOOD = """
[evaluation]
suite = "d3-validation"
deals = 10

[run]
steps = 1000
"""


def write(tmp_path, text):
    path = tmp_path / "run.toml"
    path.write_text(text)
    return path


@pytest.mark.parametrize("name", config_names("train"))
def test_the_shipped_configurations_are_good(name):
    config = TrainingConfig.load(name)
    assert config.evaluation.load().deals[0].draw == config.env.draw


def test_what_is_left_out_has_a_default(tmp_path):
    config = TrainingConfig.load(write(tmp_path, GOOD))
    assert config.env.stock == "auto"
    assert config.network.kind == "cards"


def test_settings_override_the_file(tmp_path):
    settings = ["run.steps=2_000", "network.kind=flat", "env.win_reward=2", "algorithm.anneal=false"]
    config = TrainingConfig.load(write(tmp_path, GOOD), settings)
    assert config.run.steps == 2000
    assert config.network.kind == "flat"
    assert config.env.win_reward == 2
    assert not config.algorithm.anneal


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("[run]\nsteps = 10", "evaluation: Field required"),
        (GOOD + "stepz = 3", "unknown key 'run.stepz'"),
        (GOOD + "[algorithms]", "unknown key 'algorithms'"),
        (GOOD.replace("1000", '"many"'), "run.steps: Input should be a valid integer"),
        (GOOD.replace("1000", "0"), "run.steps: Input should be greater than or equal to 1"),
        (GOOD + "[algorithm]\nwarmup = 2000", "algorithm.warmup: 2000 is more than the 1000 steps of the run"),
        (GOOD + "[network]\nkind = 'deep'", "network: Input tag 'deep'"),
        (GOOD + "[network]\nkind = 'flat'\ntable_width = 3", "unknown key 'network.table_width'"),
        (GOOD + "[network]\nkind = 'cards'\ngroups = true", "network.groups is of no use without network.rounds"),
        (GOOD + "[network]\nkind = 'cards'\nnorm = true", "network.norm is of no use without network.rounds"),
        (GOOD + "[algorithm]\ngamma = 1.5", "algorithm.gamma: Input should be less than or equal to 1"),
        (GOOD + "[algorithm]\nlearning_rate = nan", "algorithm.learning_rate: Input should be"),
        (GOOD + "[algorithm]\nbatch_size = 1_000_000", "algorithm.batch_size: 1000000 is more than the 4096 steps"),
        (GOOD + "[env]\ndraw = 2", "env.draw: Input should be 1 or 3"),
        (GOOD + "[env]\ndraw = 1", "evaluation.suite: d3-validation is of other rules or another draw than env"),
        (GOOD + "[env]\nrules = 'poker'", "poker"),
        (GOOD.replace("d3-validation", "d9"), "d9"),
        (GOOD.replace("deals = 10", "deals = 501"), "evaluation.deals: the suite d3-validation has 500 deals, not 501"),
        ("[run", "not TOML"),
    ],
)
def test_a_bad_file_is_refused_with_its_name_and_the_key(tmp_path, text, fault):
    path = write(tmp_path, text)
    with pytest.raises(ConfigError) as caught:
        TrainingConfig.load(path)
    assert str(caught.value).startswith(str(path))
    assert fault in str(caught.value)


@pytest.mark.parametrize(
    ("setting", "fault"),
    [
        ("run.steps=few", "--set run.steps=few: run.steps: Input should be a valid integer"),
        ("run.step=1", "--set run.step=1: unknown key 'run.step'"),
        ("steps=1", "--set steps=1: it must be section.key=value"),
        ("run.steps", "--set run.steps: it must be section.key=value"),
    ],
)
def test_a_bad_setting_is_refused_by_its_text(tmp_path, setting, fault):
    with pytest.raises(ConfigError) as caught:
        TrainingConfig.load(write(tmp_path, GOOD), ["run.seed=1", setting])
    assert str(caught.value).startswith(fault)


def test_a_missing_file_is_refused(tmp_path):
    with pytest.raises(ConfigError, match=r"none\.toml: no such training configuration file"):
        TrainingConfig.load(tmp_path / "none.toml")
    with pytest.raises(ConfigError, match="no training configuration is called 'none': there are"):
        TrainingConfig.load("none")


def test_reading_a_configuration_loads_no_torch():
    code = "import sys, canfield_env.training.config; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
