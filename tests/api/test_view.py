"""The player's view: what it tells, that hidden cards change nothing in it, and games guessed from it."""

from __future__ import annotations

from collections import Counter
from random import Random

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare

from canfield_env import Card, Deal, Game, IllegalMoveError, PlayerView, Rules
from tests.walks import RULE_SETS, every_token

SEEDS = st.integers(0, 2**32 - 1)
TINY = Rules(ranks=2, columns=2, reserve=2)


def play_at_random(game: Game, rng: Random, steps: int) -> list[str]:
    """Plays on, with an undo now and then; gives the tokens, ``undo`` among them."""
    played = []
    for _ in range(steps):
        if game.actions and rng.random() < 0.1:
            game.undo()
            played.append("undo")
        elif moves := game.legal_moves():
            played.append(str(game.push(rng.choice(moves))))
    return played


def told(game: Game) -> tuple[object, ...]:
    """All that a player is told: the view, the moves, the taps, the reasons why not, and what the moves are called."""
    reasons = []
    for token in every_token(game.rules.columns, longest=5):
        try:
            game.verify(token)
        except IllegalMoveError as error:
            reasons.append(str(error))
        else:
            reasons.append(token if token == "D" else game.annotate(token))
    cards = [card for pile in (*game.foundations, *game.columns, game.waste, game.reserve[-1:]) for card in pile]
    taps = [(card, game.tap(card)) for card in cards]
    return game.player_view(), game.legal_moves(), taps, reasons, game.score, game.is_won, repr(game)


@given(st.sampled_from(sorted(RULE_SETS)), st.sampled_from([1, 3]), SEEDS, st.integers(0, 40))
@settings(derandomize=True, deadline=None, max_examples=60)
def test_hidden_cards_change_nothing_that_the_player_is_told(name: str, draw: int, seed: int, steps: int) -> None:
    """The same moves on the same deck but for the cards not seen by the end, all the way there."""
    rules, rng = RULE_SETS[name], Random(seed)
    deal = Deal.random(seed, draw, rules.ranks)
    game = Game(deal, rules)
    played = play_at_random(game, rng, steps)
    unseen = game.player_view().unseen
    mixed = dict(zip(unseen, rng.sample(unseen, len(unseen)), strict=True))
    other = Game(Deal.from_deck([mixed.get(card, card) for card in deal.deck], draw, rules.ranks), rules)
    game = Game(deal, rules)
    for token in ["", *played]:
        for twin in (game, other):
            if token == "undo":
                twin.undo()
            elif token:
                twin.push(token)
        assert told(game) == told(other)


def test_what_is_unseen_at_the_start() -> None:
    game = Game(Deal.from_number(2))
    view = game.player_view()
    assert str(view) == game.position("player")
    assert (view.rules, view.draw, view.score) == (Rules.named("app"), 3, 0)
    hidden = {*game.reserve[:-1], *game.stock}
    assert view.unseen == tuple(sorted(hidden, key=lambda card: card.number)), "in deck order, which tells nothing"


def test_what_the_player_has_seen_is_remembered() -> None:
    game = Game(Deal.from_number(2))
    game.push("D")
    assert game.player_view().position.stock == (None,) * 31
    game.push_all("D " * 11)
    stock = game.waste[::-1]
    game.push("D")
    assert game.player_view().position.stock == stock, "every stock card has been turned once"
    assert game.player_view().unseen == tuple(sorted(game.reserve[:-1], key=lambda card: card.number))


def test_undo_makes_no_card_unseen() -> None:
    game = Game(Deal.from_number(2)).push_all("D D R2 RF")
    known = set(game.player_view().unseen)
    while game.moves:
        game.undo()
        assert set(game.player_view().unseen) == known
    assert game.position("player") == "7:--7- (10)Qs8hQc (28)Ah2s5s2d7c8d - 6c/Kh/Qh/As 0 0"


@given(st.sampled_from(sorted(RULE_SETS)), st.sampled_from([1, 3]), SEEDS, st.integers(0, 60))
@settings(derandomize=True, deadline=None, max_examples=60)
def test_a_guessed_game_agrees_with_the_view(name: str, draw: int, seed: int, steps: int) -> None:
    rules = RULE_SETS[name]
    game = Game(Deal.random(seed, draw, rules.ranks), rules)
    play_at_random(game, Random(seed), steps)
    view = game.player_view()
    guess = Game.from_view(view, seed)
    assert guess.player_view() == view
    assert told(guess) == told(game)
    assert (guess.deal, guess.moves) == (None, ())
    assert Game.from_position(guess.position(), rules, draw).position() == guess.position()
    assert sorted(guess.reserve + guess.stock) == sorted(game.reserve + game.stock)


def test_a_guess_is_played_like_any_game() -> None:
    game = Game(Deal.from_number(2)).push_all("R2 RF D")
    guess = Game.from_view(game.player_view(), 1)
    guess.push_all("24 D")
    assert list(map(str, guess.moves)) == ["24", "D"]
    assert list(map(str, game.moves)) == ["R2", "RF", "D"], "the game itself does not move"


def test_guesses_follow_their_seed() -> None:
    view = Game(Deal.from_number(2)).player_view()
    assert view.sample(3) == view.sample(3) == view.sample(np.random.default_rng(3))
    assert len({view.sample(seed) for seed in range(20)}) == 20


def test_with_nothing_unseen_there_is_one_guess() -> None:
    game = Game(Deal.random(1, ranks=2), Rules(ranks=2, columns=2, reserve=0)).push_all("D D")
    assert game.player_view().unseen == ()
    assert {str(game.player_view().sample(seed)) for seed in range(5)} == {game.position()}


def test_every_order_of_the_unseen_cards_is_equally_likely() -> None:
    view = Game(Deal.random(4, ranks=2), TINY).player_view()
    assert len(view.unseen) == 4
    rng = np.random.default_rng(2024)
    counts = Counter(str(view.sample(rng)) for _ in range(4800))
    assert len(counts) == 24
    assert chisquare(list(counts.values())).pvalue > 0.001


def test_a_view_is_a_value_made_of_what_is_known() -> None:
    view = Game(Deal.from_number(2)).player_view()
    assert view == Game(Deal.from_number(2)).player_view()
    assert hash(view) == hash(Game(Deal.from_number(2)).player_view())
    assert set(PlayerView.__slots__) == {"position", "rules", "draw", "score"}
    assert Card("9h") not in view.position.reserve
