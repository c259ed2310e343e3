"""Rules F: taking back."""

from __future__ import annotations

from typing import Any

import pytest

from canfield_env import IllegalMoveError, Rules
from tests.tables import table, tokens

#: 8h lies on its foundation, and 9s takes it.
TAKEN: dict[str, Any] = {"columns": "9s/Kh/Kd/2c", "tops": "7:--8-"}


def test_f1_top_of_a_foundation_goes_back_to_a_column() -> None:
    game = table(**TAKEN)
    score = game.score
    assert [t for t in tokens(game) if t[0] == "F"] == ["Fh1"]
    game.push("Fh1")
    assert game.columns[0] == ("9s", "8h")
    assert game.foundations[2] == ("7h",)
    assert (game.score, game.cards_up) == (score, 1), "no points are lost"


def test_f1_only_to_a_column_that_accepts_it() -> None:
    with pytest.raises(IllegalMoveError, match="Fh2: 8h does not go on Kh"):
        table(**TAKEN).push("Fh2")


def test_f1_the_base_card_too() -> None:
    game = table("8s/Kh/Kd/2c", tops="7:--7-")
    game.push("Fh1")
    assert game.cards_up == 0
    assert game.position().startswith("7:---- ")
    assert [t for t in tokens(game) if t.endswith("F")] == ["1F"]
    game.push("1F")
    assert game.foundations[2] == ("7h",)


def test_f1_the_last_card_of_a_full_foundation_too() -> None:
    game = table("7s/Ks/Kd/2c", tops="7:--6-")
    game.push("Fh1")
    assert len(game.foundations[2]) == 12
    game.push("1F")
    assert len(game.foundations[2]) == 13


def test_f1_to_an_open_empty_column() -> None:
    game = table("9c/-/Kd/2c", tops="7:--86", reserve="-")
    assert [t for t in tokens(game) if t[0] == "F"] == ["Fh1", "Fh2", "Fs2"]
    game.push("Fs2")
    assert game.columns[1] == ("6s",)


def test_f1_to_no_column_while_the_reserve_keeps_them_filled() -> None:
    assert [t for t in tokens(table("3c/Kh/Kd/2c", tops="7:--8-")) if t[0] == "F"] == []


@pytest.mark.parametrize("rules", ["hoyle", Rules(take_back=False)], ids=["hoyle", "no-take-back"])
def test_f1_hoyle_never(rules: Rules | str) -> None:
    game = table(**TAKEN, rules=rules)
    assert [t for t in tokens(game) if t[0] == "F"] == []
    with pytest.raises(IllegalMoveError, match="Fh1: cards are not taken back from the foundations"):
        game.push("Fh1")


def test_f1_an_empty_foundation_has_nothing_to_take_back() -> None:
    with pytest.raises(IllegalMoveError, match="Fs1: that foundation is empty"):
        table(**TAKEN).push("Fs1")
