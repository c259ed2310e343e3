"""Rules C: columns."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import pytest

from canfield_env import Card, Game, IllegalMoveError, Rules
from canfield_env.cards import CARDS
from tests.tables import table, tokens

RANKS = "A23456789TJQK"
#: A column that has gone once round all ranks and on.
ROUND_AND_ON = "KcQdJcTd9c8d7c6d5c4d3c2dAcKd"
ROUND_AND_ON_CARDS = tuple(ROUND_AND_ON[i : i + 2] for i in range(0, 28, 2))
#: A column of four whose tails each fit on another column, while the whole fits nowhere.
TAILS: dict[str, Any] = {"columns": "JcTh9s8d/Js/Td/9c", "tops": "2:2---"}


def two_columns(base: str, card: Card, below: Card, rules: Rules | str) -> Game:
    """A game of that base rank with the cards as columns 1 and 2."""
    third, fourth = [c for c in CARDS if c[0] != base and c not in (card, below)][:2]
    started = [base if base + suit not in (card, below) else "-" for suit in "cdhs"]
    return table(f"{card}/{below}/{third}/{fourth}", tops=f"{base}:{''.join(started)}", rules=rules)


@pytest.mark.parametrize("base", "A7K")
@pytest.mark.parametrize("rules", ["app", "hoyle", Rules(build_on_base=False)], ids=["app", "hoyle", "closed-base"])
def test_c1_c2_which_cards_go_on_which(base: str, rules: Rules | str) -> None:
    """The other colour, one rank higher, a king on an ace, whatever the base rank; and nothing that is nearly so."""
    closed = isinstance(rules, Rules)
    for card, below in permutations(CARDS, 2):
        step = (RANKS.index(below[0]) - RANKS.index(card[0])) % 13
        if step in (0, 1, 2, 12):
            other_colour = (card[1] in "dh") != (below[1] in "dh")
            expected = step == 1 and other_colour and not (closed and below[0] == base)
            assert two_columns(base, card, below, rules).can("12") == expected, (card, below)


@pytest.mark.parametrize("base", RANKS)
@pytest.mark.parametrize("rules", ["app", "hoyle"])
def test_c2_a_king_goes_on_an_ace_whatever_the_base_rank(base: str, rules: str) -> None:
    assert two_columns(base, Card("Kh"), Card("As"), rules).can("12")
    assert not two_columns(base, Card("As"), Card("Kh"), rules).can("12")


@pytest.mark.parametrize(("base", "last"), [("A", "K"), ("7", "6"), ("K", "Q")])
def test_c2_a_card_of_the_last_rank_goes_on_a_base_rank_card(base: str, last: str) -> None:
    card, below = Card(f"{last}c"), Card(f"{base}d")
    assert two_columns(base, card, below, "app").can("12")
    with pytest.raises(IllegalMoveError, match="nothing is built on base-rank cards"):
        two_columns(base, card, below, Rules(build_on_base=False)).push("12")


@pytest.mark.parametrize(
    ("token", "piles"),
    [
        ("W1", {"waste": "6s"}),
        ("R1", {"reserve": "6s"}),
        ("21", {"columns": "7h/6s/9c/9d"}),
        ("Fs1", {"tops": "7:---6"}),
    ],
)
def test_c2_a_closed_base_card_takes_nothing_from_anywhere(token: str, piles: dict[str, Any]) -> None:
    piles = {"columns": "7h/Kd/9c/9d", "tops": "7:7---"} | piles
    assert table(**piles).can(token)
    assert not table(**piles, rules=Rules(build_on_base=False)).can(token)


def test_c3_tail_of_a_run_moves() -> None:
    game = table(**TAILS)
    assert [t for t in tokens(game) if t[0] == "1"] == ["12x3", "13x2", "14x1"]
    game.push("12x3")
    assert game.columns[:2] == (("Jc",), ("Js", "Th", "9s", "8d"))


def test_c3_tail_must_fit_by_its_first_card() -> None:
    with pytest.raises(IllegalMoveError, match="12x2: 9s does not go on Js"):
        table(**TAILS).push("12x2")


@pytest.mark.parametrize("count", [4, 5, 13])
def test_c3_tail_is_fewer_cards_than_the_column(count: int) -> None:
    with pytest.raises(IllegalMoveError, match=f"12x{count}: column 1 holds 4 cards: x is for fewer"):
        table("JcTh9s8d/Qd/Td/9c", tops="2:2---").push(f"12x{count}")


@pytest.mark.parametrize("rules", ["hoyle", Rules(runs="whole")], ids=["hoyle", "whole-runs"])
def test_c3_whole_runs_only(rules: Rules | str) -> None:
    game = table(**TAILS, rules=rules)
    assert [t for t in tokens(game) if t[0] == "1"] == []
    for token in ("12x3", "13x2", "14x1"):
        with pytest.raises(IllegalMoveError, match=f"{token}: only whole columns move"):
            game.push(token)


@pytest.mark.parametrize("rules", ["app", "hoyle"])
def test_c3_whole_column_moves(rules: str) -> None:
    game = table("JcTh9s8d/Qd/Td/9c", tops="2:2---", reserve="4h", rules=rules)
    assert "12" in tokens(game)
    game.push("12")
    assert game.columns[:2] == (("4h",), ("Qd", "Jc", "Th", "9s", "8d"))


def test_c4_columns_lie_face_up() -> None:
    game = table(**TAILS)
    assert game.player_view().position.columns == game.columns


def test_c4_column_grows_past_13_cards() -> None:
    game = table(f"{ROUND_AND_ON}/Ks/Ah/7h", tops="5:---5", waste="Qs")
    assert len(game.columns[0]) == 14
    assert [t for t in tokens(game) if t[0] == "1" and t[1] in "234"] == ["12x13", "13"]
    game.push("W1")
    assert game.columns[0] == (*ROUND_AND_ON_CARDS, "Qs")
    game.push("13")
    assert game.columns[2] == ("Ah", *ROUND_AND_ON_CARDS, "Qs")
    assert game.columns[0] == ()
    game.push("31x15")
    assert game.columns[0] == (*ROUND_AND_ON_CARDS, "Qs")
