"""The suites are fixed for ever, and a suite file that is wrong is refused with what and where."""

from __future__ import annotations

import hashlib
from itertools import combinations
from pathlib import Path

import pytest

from canfield_env import ConfigError, Deal, Rules
from canfield_env.configs import config_names, configs_dir
from canfield_env.evaluation.suites import Suite
from scripts.make_suites import suite_texts

#: Never to be edited: a suite that has to differ gets another name.
SHA256 = {
    "d1-test": "cf4162aa452787943133d957e7732bc8ca3e0db11962e79223dbe4d0833106c2",
    "d1-validation": "4b51950729918edae08e696de71ae611015fd6040c5a27598c94674248620513",
    "d3-test": "6eec42ad8886108eea691600b9b91b51a26bf95825c602740d0cec8bf399a5d9",
    "d3-validation": "c098bd09e1cb11cd9ab7b83d4b246e105c9edff4aeaec35abf511cb510004002",
    "hoyle-test": "42ef451dfe287fe093ef62f502213c9a1af26a0dd2274c39e18d8fc43e1762a5",
    "smoke": "3b4b6c1ae16955f32e28f4b75f78b9bea3c8268f94b3c1a1f44c53a62d0327b7",
}
SIZES = {"smoke": 20, "d3-test": 1000, "d1-test": 1000, "hoyle-test": 1000, "d3-validation": 500, "d1-validation": 500}
CODES = '"CF1-D3-AAAAACL", "CF1-D3-AAAAABX"'
GOOD = f'name = "mine"\nversion = 1\ndescription = ""\nrules = "app"\ndraw = 3\ndeals = [{CODES}]\n'


def numbers(name: str) -> set[int]:
    return {deal.number for deal in Suite.load(name).deals if deal.number is not None}


def test_no_suite_has_ever_changed():
    files = {path.stem: path.read_bytes() for path in (configs_dir() / "suites").glob("*.toml")}
    assert {name: hashlib.sha256(content).hexdigest() for name, content in files.items()} == SHA256


def test_the_script_draws_the_suites_that_are_there():
    for name, text in suite_texts().items():
        assert (configs_dir() / "suites" / f"{name}.toml").read_text() == text


@pytest.mark.parametrize("name", SIZES)
def test_size_name_rules_and_draw(name: str):
    suite = Suite.load(name)
    assert (suite.name, len(suite.deals)) == (name, SIZES[name])
    assert suite.rules == Rules.named("hoyle" if name == "hoyle-test" else "app")
    assert {deal.draw for deal in suite.deals} == {1 if name.startswith("d1") else 3}


def test_suites_share_no_deal_and_keep_to_the_evaluation_numbers():
    assert set(config_names("suites")) == set(SIZES)
    for first, second in combinations(SIZES, 2):
        assert not numbers(first) & numbers(second)
    assert all(1000 < number < 2**20 for name in SIZES for number in numbers(name))


def test_a_file_of_ones_own(tmp_path: Path):
    path = tmp_path / "mine.toml"
    path.write_text(GOOD)
    suite = Suite.load(path)
    assert suite.deals == (Deal.from_code("CF1-D3-AAAAACL"), Deal.from_code("CF1-D3-AAAAABX"))
    assert suite == Suite.load(str(path))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("draw = 3", "draw = ", "not TOML"),
        ("draw = 3", "draw = 2", "draw: Input should be 1 or 3"),
        ("draw = 3", "draw = 3\nredeals = 1", "unknown key 'redeals'"),
        ("draw = 3\n", "", "draw: Field required"),
        ("version = 1", 'version = "1"', "version: Input should be a valid integer"),
        ('name = "mine"', 'name = ""', "name: String should have at least 1 character"),
        ('rules = "app"', 'rules = "apps"', "apps"),
        (CODES, '"CF1-D3-AAAAACM"', "mistyped"),
        (CODES, '"CF1-D1-AAAAACL"', "CF1-D1-AAAAACL is a deal with draw 1"),
        (CODES, CODES + ', "cf1-d3-aaaaacl"', "CF1-D3-AAAAACL is there 2 times"),
        (CODES, "3", "deals.0: Input should be a valid string"),
        (CODES, "", "there are no deals"),
    ],
)
def test_a_bad_file_is_refused_with_its_name_and_the_place(tmp_path: Path, old: str, new: str, message: str):
    path = tmp_path / "mine.toml"
    assert old in GOOD
    path.write_text(GOOD.replace(old, new, 1))
    with pytest.raises(ConfigError) as caught:
        Suite.load(path)
    assert str(path) in str(caught.value)
    assert message in str(caught.value)


@pytest.mark.parametrize("name", ["d3-tests", "", "no/such.toml", "../rules/app"])
def test_a_missing_suite_is_named(name: str):
    with pytest.raises(ConfigError, match="suite"):
        Suite.load(name)
