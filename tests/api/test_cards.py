"""Cards."""

from __future__ import annotations

import copy
import pickle

import pytest

from canfield_env import Card, NotationError
from canfield_env.cards import CARDS, card_at, deck_fault, full_deck, parse_cards


def test_52_cards_in_suit_order() -> None:
    assert [str(card) for card in CARDS] == [rank + suit for suit in "cdhs" for rank in "A23456789TJQK"]
    assert [card.number for card in CARDS] == list(range(52))


@pytest.mark.parametrize("card", CARDS)
def test_a_card_knows_its_rank_suit_and_colour(card: Card) -> None:
    assert "A23456789TJQK"[card.rank] == card[0]
    assert "cdhs"[card.suit] == card[1]
    assert card.is_red == (card[1] in "dh")
    assert card_at(card.suit, card.rank) is card


@pytest.mark.parametrize(
    ("text", "card"),
    [
        ("Qc", "Qc"),
        ("qC", "Qc"),
        ("QC", "Qc"),
        ("10h", "Th"),
        ("10H", "Th"),
        ("th", "Th"),
        (" as ", "As"),
        ("2D", "2d"),
    ],
)
def test_a_card_is_read_in_any_case_and_with_10(text: str, card: str) -> None:
    assert Card(text) == card
    assert str(Card(text)) == card


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Q",
        "c",
        "cQ",
        "1c",
        "0c",
        "11c",
        "10",
        "100h",
        "Qx",
        "Qcc",
        "Q c",
        "♣Q",
        "Q\N{KELVIN SIGN}",
        "Joker",
        "-",
        "5",
        "K\N{LATIN SMALL LETTER LONG S}",
    ],
)
def test_what_is_no_card_is_refused(text: str) -> None:
    with pytest.raises(NotationError, match="is no card: expected a rank of A23456789TJQK and a suit of cdhs"):
        Card(text)


@pytest.mark.parametrize("value", [5, None, 1.5])
def test_what_is_no_text_is_refused_alike(value: object) -> None:
    with pytest.raises(NotationError, match=f"{value} is no card"):
        Card(value)  # type: ignore[arg-type]


@pytest.mark.parametrize("card", [Card("Qc"), Card("10h")])
def test_there_is_one_object_per_card(card: Card) -> None:
    assert Card(str(card)) is card
    assert copy.deepcopy(card) is card
    assert pickle.loads(pickle.dumps(card)) is card


def test_cards_are_read_with_spaces_or_commas() -> None:
    assert parse_cards(" qc, 10h\tAs,\n2d ") == ["Qc", "Th", "As", "2d"]
    with pytest.raises(NotationError, match="'Zz' is no card"):
        parse_cards("Qc Zz")


@pytest.mark.parametrize("ranks", [2, 5, 13])
def test_what_keeps_cards_from_being_a_deck(ranks: int) -> None:
    deck = full_deck(ranks)
    assert len(deck) == 4 * ranks
    assert deck_fault(deck, ranks) is None
    assert deck_fault(deck[1:], ranks) == "Ac is missing"
    assert deck_fault(deck[2:], ranks) == "Ac 2c are missing"
    assert deck_fault([*deck, deck[3]], ranks) == f"{deck[3]} is there twice"
    assert deck_fault([deck[3], *deck[1:]], ranks) == f"{deck[3]} is there twice"
    if ranks < 13:
        assert deck_fault([*deck, Card("Kc")], ranks) == f"Kc does not belong to a game of {ranks} ranks"
