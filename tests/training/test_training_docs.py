"""docs/training.md names what there is."""

from pathlib import Path

from pydantic import BaseModel

from canfield_env.training import config

TEXT = (Path(__file__).parents[2] / "docs" / "training.md").read_text()
SECTIONS: list[type[BaseModel]] = [
    config.EnvSection,
    config.CurriculumSection,
    config.AlgorithmSection,
    config.LookaheadSection,
    config.CardNetworkSection,
    config.FlatNetworkSection,
    config.EvaluationSection,
    config.RunSection,
]


def test_every_key_of_the_configuration_is_in_the_text():
    missing = [key for section in SECTIONS for key in section.model_fields if f"`{key}`" not in TEXT]
    assert not missing
    assert all(f"| `{section}` |" in TEXT for section in config.TrainingConfig.model_fields)


def test_every_option_of_the_script_is_in_the_text():
    script = (Path(__file__).parents[2] / "scripts" / "train.py").read_text()
    for option in ("--config", "--set", "--out", "--resume", "--init"):
        assert f"`{option}" in TEXT
        assert option.strip("-") in script
