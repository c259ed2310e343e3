"""Rules D: reserve and empty columns."""

from __future__ import annotations

from typing import Any

import pytest

from canfield_env import Deal, Game, IllegalMoveError, NotationError, Rules
from tests.tables import table, tokens

#: Column 1 goes on column 2, and the reserve then shows 5h and 9d below it.
REFILLED: dict[str, Any] = {"columns": "Qc/Kh/3s/3c", "tops": "7:777-", "reserve": "9d5h"}
#: An open empty column, and in reach of it a run, a single card, the waste and three foundations.
SPACE: dict[str, Any] = {"columns": "JcTh9s/Ad/-/4s", "tops": "7:TK9-", "waste": "5h", "reserve": "-"}


def onto_column_3(game: Game) -> list[str]:
    return [token for token in tokens(game) if token != "D" and token.partition("x")[0][-1] == "3"]


@pytest.mark.parametrize("rules", ["app", "hoyle"])
def test_d1_top_of_the_reserve_plays_and_the_next_is_turned_up(rules: str) -> None:
    game = Game(Deal.from_code("CF1-D3-AAAAACL"), rules)
    assert game.position("player").split()[1] == "(12)Qc"
    game.push("R2")
    assert game.columns[1] == ("Kh", "Qc")
    assert game.position("player").split()[1] == "(11)8h"
    game.push("RF")
    assert game.foundations[2] == ("7h", "8h")
    assert game.position("player").split()[1] == "(10)Qs"


def test_d1_an_empty_reserve_has_no_top() -> None:
    game = table("Kd/9c/5d/Kh", tops="7:---6", reserve="Qc")
    game.push("R1")
    assert game.reserve == ()
    for token in ("RF", "R1"):
        with pytest.raises(IllegalMoveError, match=f"{token}: the reserve is empty"):
            game.push(token)


@pytest.mark.parametrize("token", ["1R", "WR", "FhR", "DR"])
def test_d2_nothing_is_put_on_the_reserve(token: str) -> None:
    with pytest.raises(NotationError, match="is no move"):
        table(**REFILLED).push(token)


@pytest.mark.parametrize("rules", ["app", "hoyle"])
def test_d3_a_column_moved_away_is_refilled_at_once(rules: str) -> None:
    game = table(**REFILLED, rules=rules)
    left, score = len(game.reserve), game.score
    game.push("12")
    assert game.columns[:2] == (("5h",), ("Kh", "Qc"))
    assert (len(game.reserve), game.actions, game.score) == (left - 1, 1, score)


def test_d3_a_column_whose_last_card_is_played_up_is_refilled() -> None:
    game = table("8c/Kh/3s/3c", tops="7:777-", reserve="9d5h")
    score = game.score
    game.push("1F")
    assert game.columns[0] == ("5h",)
    assert (game.actions, game.score) == (1, score + 5), "the refill scores nothing"


@pytest.mark.parametrize("token", ["12x1", "1F", "W4", "Fs4", "D"])
def test_d3_a_move_that_empties_no_column_is_not_completed(token: str) -> None:
    game = table("9d8c/9h/4h/Jh", tops="7:7--T", reserve="3s", waste="Tc")
    reserve = game.reserve
    game.push(token)
    assert game.reserve == reserve


def test_d3_the_refill_is_undone_with_its_move() -> None:
    game = table(**REFILLED)
    before = game.position()
    game.push("12")
    assert str(game.undo()) == "12"
    assert game.position() == before


def test_d3_the_refill_turns_up_the_next_card() -> None:
    game = table(**REFILLED)
    assert game.player_view().position.reserve[-2:] == (None, "5h")
    game.push("12")
    assert game.player_view().position.reserve[-1] == "9d"


def test_d3_the_refill_is_told_in_the_annotation() -> None:
    game = table(**REFILLED)
    assert game.annotate("12") == "Qc:1>2 (5h:R>1)"


@pytest.mark.parametrize("rules", ["app", "hoyle"])
def test_d4_columns_stay_empty_after_the_refill_that_empties_the_reserve(rules: str) -> None:
    game = table("Qc/Kh/Jd/3c", tops="7:---6", reserve="Th", rules=rules)
    game.push("12")
    assert (game.columns[0], game.reserve) == (("Th",), ())
    game.push("32")
    assert game.columns == (("Th",), ("Kh", "Qc", "Jd"), (), ("3c",))


def test_d4_app_takes_any_card_or_run() -> None:
    game = table(**SPACE)
    assert onto_column_3(game) == ["13", "13x2", "13x1", "23", "43", "W3", "Fc3", "Fd3", "Fh3"]
    for token in onto_column_3(game):
        after = game.copy()
        after.push(token)
        assert after.columns[2]


def test_d4_app_moves_a_whole_column_to_an_open_empty_one() -> None:
    game = table(**SPACE)
    game.push("13")
    assert game.columns == ((), ("Ad",), ("Jc", "Th", "9s"), ("4s",))


@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        ("hoyle", ["W3"]),
        (Rules(spaces="waste"), ["W3"]),
        (Rules(runs="whole"), ["13", "23", "43", "W3", "Fc3", "Fd3", "Fh3"]),
        (Rules(take_back=False), ["13", "13x2", "13x1", "23", "43", "W3"]),
    ],
    ids=["hoyle", "waste-spaces", "whole-runs", "no-take-back"],
)
def test_d4_what_an_open_column_takes(rules: Rules | str, expected: list[str]) -> None:
    assert onto_column_3(table(**SPACE, rules=rules)) == expected


@pytest.mark.parametrize("token", ["13", "23", "43"])
def test_d4_hoyle_says_why_not(token: str) -> None:
    with pytest.raises(IllegalMoveError, match=f"{token}: an empty column takes only the top card of the waste"):
        table(**SPACE, rules="hoyle").push(token)


def test_d4_hoyle_leaves_a_column_open_as_long_as_the_player_likes() -> None:
    game = table(**SPACE, rules="hoyle")
    for _ in range(40):
        game.push("D")
        assert game.columns[2] == ()


def test_d4_several_open_columns_each_take_a_card() -> None:
    game = table("JcTh9s/-/-/-", tops="7:TK98", waste="5h", reserve="-")
    assert [t for t in tokens(game) if t[0] == "W"] == ["W2", "W3", "W4"]
    game.push_all("W4 12x1 13x1")
    assert game.columns == (("Jc",), ("9s",), ("Th",), ("5h",))
