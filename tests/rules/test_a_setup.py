"""Rules A: setup."""

from __future__ import annotations

import pytest

from canfield_env import Card, Deal, Game, NotationError, Rules
from tests.walks import RULE_SETS


@pytest.mark.parametrize("number", [0, 2, 12345, 2**30 - 1])
def test_a1_one_deck_of_52_cards(number: int) -> None:
    deck = Deal.from_number(number).deck
    assert len(deck) == len(set(deck)) == 52
    assert {str(card) for card in deck} == {rank + suit for rank in "A23456789TJQK" for suit in "cdhs"}


def test_a1_no_jokers() -> None:
    with pytest.raises(NotationError, match="'Joker' is no card"):
        Card("Joker")


@pytest.mark.parametrize("number", range(5))
def test_a2_dealing_order(number: int) -> None:
    deck = Deal.from_number(number).deck
    game = Game(Deal.from_number(number))
    assert game.reserve == deck[:13]
    assert game.foundations == tuple((deck[13],) if suit == deck[13].suit else () for suit in range(4))
    assert game.columns == tuple((card,) for card in deck[14:18])
    assert game.stock == deck[:17:-1]
    assert game.stock[-1] == deck[18], "the first card after the columns is turned first"
    assert game.waste == ()
    assert (game.redeals, game.actions, game.score, game.cards_up) == (0, 0, 0, 1)


@pytest.mark.parametrize("rules", RULE_SETS.values(), ids=RULE_SETS)
def test_a2_sizes_follow_the_rule_set(rules: Rules) -> None:
    deal = Deal.random(7, ranks=rules.ranks)
    game = Game(deal, rules)
    assert len(game.reserve) == rules.reserve
    assert [len(column) for column in game.columns] == [1] * rules.columns
    assert len(game.stock) == 4 * rules.ranks - rules.reserve - 1 - rules.columns
    assert (
        *game.reserve,
        *(c for pile in (*game.foundations, *game.columns) for c in pile),
        *game.stock[::-1],
    ) == deal.deck


def test_a3_only_the_top_of_the_reserve_is_seen_and_the_rest_counted() -> None:
    game = Game(Deal.from_number(5))
    assert game.position("player").split()[1] == f"(12){game.reserve[-1]}"
    assert game.player_view().position.reserve == (None,) * 12 + game.reserve[-1:]
