"""Rule sets as values and as files."""

from __future__ import annotations

from dataclasses import FrozenInstanceError
from pathlib import Path
from typing import Any

import pytest

from canfield_env import ConfigError, Deal, DealError, Game, Rules
from tests.walks import RULE_SETS


def test_app_and_hoyle_differ_in_runs_spaces_and_taking_back() -> None:
    app, hoyle = Rules.named("app"), Rules.named("hoyle")
    assert app == Rules()
    assert hoyle == Rules(runs="whole", spaces="waste", take_back=False)
    assert (app.name, hoyle.name, Rules(redeals=3).name) == ("app", "hoyle", None)
    for rules in (app, hoyle):
        assert (rules.ranks, rules.columns, rules.reserve, rules.stock, rules.redeals) == (13, 4, 13, 34, None)
        assert rules.build_on_base is True


def test_rules_are_frozen_and_hashable() -> None:
    with pytest.raises(FrozenInstanceError):
        Rules().take_back = False  # type: ignore[misc]
    assert len({Rules(), Rules.named("app"), Rules(redeals=1)}) == 2


@pytest.mark.parametrize("rules", RULE_SETS.values(), ids=RULE_SETS)
def test_rules_survive_their_table(rules: Rules) -> None:
    assert Rules.from_dict(rules.to_dict()) == rules


def test_rules_are_taken_as_value_name_or_file(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text('runs = "whole"\nredeals = 2\nranks = 5\nreserve = 4\n')
    mine = Rules(runs="whole", redeals=2, ranks=5, reserve=4)
    assert Rules.of(mine) is mine
    assert Rules.of("hoyle") == Rules.named("hoyle")
    assert Rules.of(str(path)) == Rules.of(path) == Rules.from_toml(path) == mine
    assert Game(Deal.random(1, ranks=5), str(path)).rules == mine


@pytest.mark.parametrize(
    ("values", "complaint"),
    [
        ({"runs": "some"}, "runs must be 'any' or 'whole', not 'some'"),
        ({"spaces": None}, "spaces must be 'any' or 'waste', not None"),
        ({"take_back": 1}, "take_back must be true or false, not 1"),
        ({"build_on_base": "no"}, "build_on_base must be true or false, not 'no'"),
        ({"redeals": -1}, "redeals must be a whole number from 0 to 1000000, not -1"),
        ({"redeals": True}, "redeals must be a whole number"),
        ({"ranks": 1}, "ranks must be a whole number from 2 to 13, not 1"),
        ({"ranks": 14}, "ranks must be a whole number from 2 to 13, not 14"),
        ({"columns": 0}, "columns must be a whole number from 1 to 9, not 0"),
        ({"columns": 10}, "columns must be a whole number from 1 to 9, not 10"),
        ({"reserve": 4.0}, "reserve must be a whole number from 0 to 51, not 4.0"),
        ({"reserve": 48}, "need more than the 52 cards of 13 ranks"),
        ({"ranks": 2, "reserve": 4}, "need more than the 8 cards of 2 ranks"),
        ({"colums": 4}, "unknown key 'colums'"),
    ],
)
def test_bad_rules_are_refused(values: dict[str, Any], complaint: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=complaint):
        Rules.from_dict(values)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("runs = ", "not TOML"),
        ("colums = 4", "unknown key 'colums'"),
        ("draw = 3", "unknown key 'draw'"),
        ("ranks = 0", "ranks"),
    ],
)
def test_bad_rule_files_are_refused_by_name(text: str, complaint: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(text)
    with pytest.raises(ConfigError, match=f"mine.toml.*{complaint}"):
        Rules.from_toml(path)


def test_missing_rules_are_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no rule set is called 'hoile': there are app, hoyle"):
        Rules.named("hoile")
    with pytest.raises(ConfigError, match=r"nowhere\.toml"):
        Rules.of(str(tmp_path / "nowhere.toml"))


@pytest.mark.parametrize(("ranks", "rules"), [(13, Rules(ranks=5, reserve=4)), (5, Rules())])
def test_deck_and_rules_must_be_of_one_size(ranks: int, rules: Rules) -> None:
    with pytest.raises(DealError, match=f"the deck has {4 * ranks} cards, the rules need {rules.cards}"):
        Game(Deal.random(1, ranks=ranks), rules)
