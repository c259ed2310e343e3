"""Deals, decks and game codes."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from canfield_env import ConfigError, Deal, DealError, Game, Rules, deals
from canfield_env.cards import CARDS
from canfield_env.deals import ALPHABET, DEAL_COUNT, FIRST_TRAINING_DEAL, decode_code, encode_code
from canfield_env.solver import Verdict, solve
from tests import oracle

VECTORS = json.loads((Path(__file__).parents[1] / "data" / "deal_codes.json").read_text())
NUMBERS = st.integers(0, DEAL_COUNT - 1)
#: Codes whose every single mistake is tried: the ends of the range, the published deal, and some between.
TRIED = [0, 1, 2, 31, 32, FIRST_TRAINING_DEAL, 0x2A5F1C93 & 0x3FFFFFFF, DEAL_COUNT - 1]
PUBLISHED = "CF1-D3-AAAAACL"
DECK: str = VECTORS[0]["deck"]


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: str(vector["number"]))
def test_codes_name_the_frozen_decks(vector: dict[str, Any]) -> None:
    for draw in (1, 3):
        code = vector[f"code_draw{draw}"]
        deal = Deal.from_number(vector["number"], draw)
        assert deal == Deal.from_code(code)
        assert (deal.code, deal.number, deal.draw, str(deal)) == (code, vector["number"], draw, code)
        assert " ".join(deal.deck) == vector["deck"]


@given(NUMBERS, st.sampled_from([1, 3]))
@settings(derandomize=True, deadline=None, max_examples=150)
def test_codes_and_decks_are_the_oracles(number: int, draw: int) -> None:
    deal = Deal.from_number(number, draw)
    assert deal.code == oracle.code(number, draw)
    assert deal.deck == tuple(map(oracle.name, oracle.deck(number)))
    assert decode_code(deal.code) == (number, draw)


def test_both_draws_have_the_same_deck() -> None:
    assert Deal.from_number(77, 1).deck == Deal.from_number(77, 3).deck


@pytest.mark.parametrize("text", ["cf1-d3-aaaaacl", "Cf1-D3-aAaAaCl", f"  {PUBLISHED}\n"])
def test_codes_are_read_in_any_case(text: str) -> None:
    assert Deal.from_code(text).code == PUBLISHED


@pytest.mark.parametrize("number", TRIED)
def test_every_mistyped_symbol_is_detected(number: int) -> None:
    code = encode_code(number)
    for place in range(7, 14):
        for symbol in set(ALPHABET) - {code[place]}:
            wrong = code[:place] + symbol + code[place + 1 :]
            with pytest.raises(DealError, match=f"'{wrong}' is mistyped"):
                Deal.from_code(wrong)


def swaps(code: str) -> list[str]:
    """The code with two neighbouring, different symbols swapped, in every way."""
    pairs = [(place, code[place], code[place + 1]) for place in range(7, 13)]
    return [code[:k] + b + a + code[k + 2 :] for k, a, b in pairs if a != b]


@pytest.mark.parametrize("number", TRIED)
def test_every_swap_of_neighbours_is_detected(number: int) -> None:
    for wrong in swaps(encode_code(number)):
        with pytest.raises(DealError, match=f"'{wrong}' is mistyped"):
            Deal.from_code(wrong)


@given(NUMBERS, st.integers(7, 13), st.sampled_from(ALPHABET))
@settings(derandomize=True, deadline=None)
def test_any_one_mistake_in_any_code_is_detected(number: int, place: int, symbol: str) -> None:
    code = encode_code(number)
    for wrong in {code[:place] + symbol + code[place + 1 :], *swaps(code)} - {code}:
        with pytest.raises(DealError, match="mistyped"):
            decode_code(wrong)


@pytest.mark.parametrize(
    ("code", "complaint"),
    [
        ("", "must start CF1-D3- or CF1-D1-, not ''"),
        ("AAAAACL", "must start CF1-D3- or CF1-D1-, not 'AAAAACL'"),
        ("CF2-D3-AAAAACL", "must start CF1-D3- or CF1-D1-, not 'CF2-D3-'"),
        ("CF1-D2-AAAAACL", "must start CF1-D3- or CF1-D1-, not 'CF1-D2-'"),
        ("CF1D3-AAAAACL", "must start CF1-D3- or CF1-D1-"),
        ("CF1-D3AAAAACL", "must start CF1-D3- or CF1-D1-"),
        ("CF1-D3--AAAAACL", "must start CF1-D3- or CF1-D1-"),
        ("CF1-D3-", "needs 7 symbols after CF1-D3-, has 0"),
        ("CF1-D3-AAAAAC", "needs 7 symbols after CF1-D3-, has 6"),
        ("CF1-D1-AAAAACLA", "needs 7 symbols after CF1-D1-, has 8"),
        ("CF1-D3-AAAAA0L", "symbol 6, '0', is none of ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"),
        ("CF1-D3-1AAAACL", "symbol 1, '1', is none of"),
        ("CF1-D3-AAA ACL", "symbol 4, ' ', is none of"),
        ("CF1-D3-AAÄAACL", "symbol 3, 'Ä', is none of"),
        ("CF1-D3-AAAAACM", "is mistyped: its check symbol 'M' does not fit the others"),
        ("CF1-D3-AAAACAL", "is mistyped"),
    ],
)
def test_bad_codes_say_what_is_wrong(code: str, complaint: str) -> None:
    with pytest.raises(DealError) as caught:
        Deal.from_code(code)
    assert complaint in str(caught.value)
    assert repr(code) in str(caught.value)


@pytest.mark.parametrize("value", [None, 2, b"CF1-D3-AAAAACL"])
def test_a_code_is_text(value: object) -> None:
    with pytest.raises(DealError, match="a game code is text"):
        Deal.from_code(value)  # type: ignore[arg-type]


@pytest.mark.parametrize("number", [-1, DEAL_COUNT, 1.0, "2", None, True])
def test_bad_numbers_are_refused(number: Any) -> None:
    with pytest.raises(DealError, match=r"a deal number is a whole number from 0 to 1073741823, not"):
        Deal.from_number(number)
    with pytest.raises(DealError, match="a deal number"):
        encode_code(number)


@pytest.mark.parametrize("draw", [0, 2, 4, -3, 3.0, "3", None, True])
def test_bad_draws_are_refused(draw: Any) -> None:
    for make in (
        lambda: Deal.from_number(2, draw),
        lambda: Deal.from_deck(DECK, draw),
        lambda: Deal.random(1, draw),
        lambda: Deal(Deal.from_number(2).deck, draw),
        lambda: encode_code(2, draw),
        lambda: Game.from_position("A:KKKQ - - - -/Ks/-/- 0 0", draw=draw),
    ):
        with pytest.raises(DealError, match="draw must be 1 or 3, not"):
            make()


def test_numpy_integers_are_numbers() -> None:
    deal = Deal.from_number(np.int64(2), np.int64(3))  # type: ignore[arg-type]
    assert deal == Deal.from_number(2)
    assert deal.code == PUBLISHED


def test_an_explicit_deck_has_no_code() -> None:
    deal = Deal.from_deck(DECK, draw=1)
    assert (deal.code, deal.number, deal.draw) == (None, None, 1)
    assert " ".join(deal.deck) == str(deal) == DECK


def test_an_explicit_deck_is_read_in_any_spelling() -> None:
    deal = Deal.from_deck(DECK)
    assert Deal.from_deck(DECK.replace("T", "10").swapcase().replace(" ", ",  ")) == deal
    assert Deal.from_deck(DECK.split()) == Deal.from_deck(deal.deck) == deal


@pytest.mark.parametrize(
    ("deck", "complaint"),
    [
        ("", "deck of 0 cards: Ac 2c 3c"),
        (DECK[:-3], "deck of 51 cards: 6h is missing"),
        (DECK[:-6], "deck of 50 cards: Tc 6h are missing"),
        (DECK + " 6h", "deck of 53 cards: 6h is there twice"),
        (DECK.replace("7s", "6h"), "deck of 52 cards: 6h is there twice"),
        (DECK.replace("7s", "Zs"), "deck: 'Zs' is no card"),
        (DECK.replace("7s Kh", "7sKh"), "deck: '7sKh' is no card"),
        ([*DECK.split()[:-1], 5], "deck: 5 is no card"),
    ],
)
def test_bad_decks_say_which_card(deck: Any, complaint: str) -> None:
    with pytest.raises(DealError) as caught:
        Deal.from_deck(deck)
    assert complaint in str(caught.value)


@pytest.mark.parametrize("deck", [None, 5, set(DECK.split())])
def test_a_deck_is_text_or_a_sequence(deck: Any) -> None:
    with pytest.raises(DealError, match="a deck is text or a sequence of cards, not"):
        Deal.from_deck(deck)


@pytest.mark.parametrize("ranks", [-1, 0, 1, 14, 13.0, "13", None, True])
def test_bad_ranks_are_refused(ranks: Any) -> None:
    for make in (lambda: Deal.from_number(2, ranks=ranks), lambda: Deal.from_deck(DECK, ranks=ranks)):
        with pytest.raises(DealError, match="ranks must be a whole number from 2 to 13, not"):
            make()


def test_miniature_decks() -> None:
    deal = Deal.from_deck("Ac 2c 3c Ad 2d 3d Ah 2h 3h As 2s 3s", ranks=3)
    assert (len(deal.deck), deal.ranks, deal.code) == (12, 3, None)
    with pytest.raises(DealError, match="4c does not belong to a game of 3 ranks"):
        Deal.from_deck("Ac 2c 4c Ad 2d 3d Ah 2h 3h As 2s 3s", ranks=3)
    with pytest.raises(DealError, match="deck of 12 cards: 4c"):
        Deal.from_deck(deal.deck)


class Extreme(np.random.Generator):
    """A generator that always gives the lowest, or the highest, integer asked for."""

    lowest = True

    def integers(self, low: int, high: int) -> int:  # type: ignore[override]
        return low if self.lowest else high - 1


def test_random_deals_are_never_those_kept_for_evaluation() -> None:
    rng = Extreme(np.random.PCG64())
    assert Deal.random(rng).number == FIRST_TRAINING_DEAL == 2**20
    rng.lowest = False
    assert Deal.random(rng).number == DEAL_COUNT - 1
    assert Deal.from_number(FIRST_TRAINING_DEAL - 1).code == oracle.code(2**20 - 1, 3)


def test_random_deals_follow_their_seed() -> None:
    assert Deal.random(5) == Deal.random(5) == Deal.random(np.random.default_rng(5))
    assert len({Deal.random(seed) for seed in range(50)}) == 50
    rng = np.random.default_rng(5)
    assert Deal.random(rng) != Deal.random(rng)
    assert Deal.random() != Deal.random()


def test_random_winnable_deals_are_proved_so_and_follow_their_seed() -> None:
    rules = Rules(ranks=3, columns=2, reserve=4, take_back=False, build_on_base=False)
    drawn = [Deal.random(seed, ranks=3) for seed in range(40)]
    proved = [Deal.random(seed, ranks=3, winnable=True, rules=rules) for seed in range(40)]
    lost = [deal for deal in drawn if solve(deal, rules).verdict != "winnable"]
    assert 0 < len(lost) < 40
    assert all(solve(deal, rules).verdict == "winnable" for deal in proved)
    assert [deal for deal in drawn if deal not in lost] == [a for a, b in zip(drawn, proved, strict=True) if a == b]


def test_random_winnable_deals_are_never_those_kept_for_evaluation() -> None:
    deal = Deal.random(1, draw=1, winnable=True)
    assert deal.draw == 1
    assert deal.number is not None
    assert deal.number >= FIRST_TRAINING_DEAL
    assert deal == Deal.random(1, draw=1, winnable=True)


def test_a_winnable_deal_is_given_up_where_none_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[Deal] = []
    rules = Rules(columns=1, reserve=40, take_back=False)

    def unwinnable(deal: Deal, *_: object, **__: object) -> Verdict:
        drawn.append(deal)
        return Verdict("unwinnable", None, 1, 0.0)

    monkeypatch.setattr("canfield_env.solver.solve", unwinnable)
    with pytest.raises(ConfigError, match="none of 1000 random deals could be proved winnable"):
        Deal.random(1, winnable=True, rules=rules)
    assert len(drawn) == 1000


@pytest.mark.parametrize("seed", [-1, "seven", 1.5])
def test_what_is_no_seed_is_refused(seed: Any) -> None:
    with pytest.raises(ConfigError, match=f"{seed!r} is no seed"):
        Deal.random(seed)


def test_random_deals_that_do_not_fit_the_rules_are_refused() -> None:
    with pytest.raises(DealError):
        Deal.random(1, ranks=3, winnable=True)
    with pytest.raises(ConfigError, match="unlimited redeals"):
        Deal.random(1, winnable=True, rules=Rules(redeals=2))


@pytest.mark.parametrize("ranks", [2, 3, 12])
def test_random_miniature_deals(ranks: int) -> None:
    deals = [Deal.random(seed, draw=1, ranks=ranks) for seed in range(20)]
    assert {(len(set(deal.deck)), deal.draw, deal.code) for deal in deals} == {(4 * ranks, 1, None)}
    assert len(set(deals)) > 15
    assert Game(deals[0], Rules(ranks=ranks, columns=2, reserve=2)).cards_up == 1


def test_deals_are_values() -> None:
    deal = Deal.from_number(3)
    assert pickle.loads(pickle.dumps(deal)) == deal
    assert len({deal, Deal.from_number(3), Deal.from_number(3, 1)}) == 2


def test_the_shuffle_skips_outputs_that_would_favour_some_places(monkeypatch: pytest.MonkeyPatch) -> None:
    # 2^64 - 1 is the one output too many for three places; with it skipped, the next two decide.
    outputs = iter([2**64 - 1, 1, 0])
    monkeypatch.setattr(deals, "splitmix64", lambda state: (state, next(outputs)))
    assert deals.shuffled(CARDS[:3], 0) == [CARDS[2], CARDS[0], CARDS[1]]


@pytest.mark.parametrize("symbol", ["\u017f", "\u0131"])
def test_letters_outside_ascii_are_none_of_the_alphabet(symbol: str) -> None:
    # In upper case these are S and I.
    with pytest.raises(DealError, match=f"symbol 3, '{symbol}', is none of"):
        Deal.from_code(f"CF1-D3-AA{symbol}AACL")
