"""Rules B: foundations."""

from __future__ import annotations

import pytest

from canfield_env import IllegalMoveError
from tests.tables import table, tokens


@pytest.mark.parametrize("suit", "cdhs")
@pytest.mark.parametrize("rank", "A7K")
def test_b1_the_base_rank_starts_every_foundation(rank: str, suit: str) -> None:
    others = "".join("-" if s == suit else rank for s in "cdhs")
    game = table("3c/3d/3h/3s", tops=f"{rank}:{others}", reserve=f"{rank}{suit}")
    game.push("RF")
    assert game.foundations["cdhs".index(suit)] == (f"{rank}{suit}",)
    assert game.cards_up == 4


@pytest.mark.parametrize("card", ["8s", "6s", "As", "Ks"])
def test_b2_an_empty_foundation_takes_the_base_rank_only(card: str) -> None:
    game = table("3c/3d/3h/3s", tops="7:777-", reserve=card)
    with pytest.raises(IllegalMoveError, match=f"RF: {card} does not fit: the spades foundation needs 7s next"):
        game.push("RF")


def test_b2_a_foundation_is_of_one_suit() -> None:
    game = table("8s/8c/9h/9d", tops="7:--7-", reserve="8d")
    assert not [token for token in tokens(game) if token.endswith("F")]
    assert game.can("3F") is False


def test_b3_up_by_one_and_ace_after_king() -> None:
    game = table("Qc/Kc/Ac/2c", tops="J:J---", reserve="3c")
    for source in "1234":
        assert [t for t in tokens(game) if t.endswith("F")] == [f"{source}F"]
        game.push(f"{source}F")
    assert game.foundations[0] == ("Jc", "Qc", "Kc", "Ac", "2c")


@pytest.mark.parametrize(("base", "last"), [("A", "K"), ("2", "A"), ("7", "6"), ("K", "Q")])
def test_b3_full_at_the_rank_below_the_base(base: str, last: str) -> None:
    before = "A23456789TJQK"["A23456789TJQK".index(last) - 1]
    game = table(f"{last}h/-/-/-", tops=f"{base}:{before}{before}{before}-", waste=f"{base}s")
    assert game.cards_up == 36
    game.push("1F")
    assert len(game.foundations[2]) == 13
    assert game.foundations[2][-1] == f"{last}h"
    game.push("WF")
    assert game.foundations[3] == (f"{base}s",), "the other foundations go on"


@pytest.mark.parametrize("base", "A7K")
def test_b3_a_full_foundation_takes_no_card(base: str) -> None:
    last = "A23456789TJQK"["A23456789TJQK".index(base) - 1]
    game = table("-/-/-/-", tops=f"{base}:{last}{last}--", waste=f"{base}h")
    assert [len(pile) for pile in game.foundations] == [13, 13, 0, 0]
    assert [t for t in tokens(game) if t.endswith("F")] == ["WF"]
    game.push_all("Fc1 1F WF")
    assert [len(pile) for pile in game.foundations] == [13, 13, 1, 0]


@pytest.mark.parametrize("token", ["RF", "WF", "1F", "2F", "3F", "4F"])
def test_b4_from_reserve_waste_and_every_column(token: str) -> None:
    piles = dict.fromkeys("RW1234", "9c") | {token[0]: "8h"}
    spare = iter(["9c", "9d", "9s", "Tc", "Td"])
    piles = {name: card if card == "8h" else next(spare) for name, card in piles.items()}
    columns = "/".join(piles[name] for name in "1234")
    game = table(columns, tops="7:--7-", reserve=piles["R"], waste=piles["W"])
    assert [t for t in tokens(game) if t.endswith("F")] == [token]
    game.push(token)
    assert game.foundations[2] == ("7h", "8h")


def test_b4_a_covered_card_does_not_go() -> None:
    game = table("9h8c/Kc/Kd/Kh", tops="7:--8-", reserve="7d2d", waste="7c9c")
    assert not [token for token in tokens(game) if token.endswith("F")]
