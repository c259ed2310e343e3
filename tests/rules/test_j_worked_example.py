"""Rules J: the worked example."""

from __future__ import annotations

import pytest

from canfield_env import Deal, Game
from tests.tables import tokens

CODE = "CF1-D3-AAAAACL"


@pytest.fixture
def game() -> Game:
    return Game(Deal.from_code(CODE))


def test_j_opening(game: Game) -> None:
    assert game.position("player") == "7:--7- (12)Qc (34) - 6c/Kh/Qh/As 0 0"
    assert game.reserve[:-5:-1] == ("Qc", "8h", "Qs", "Js")


def test_j_three_moves(game: Game) -> None:
    game.push_all("R2 RF 24")
    assert game.position("player") == "7:--8- (9)Js (34) - 6c/Qs/Qh/AsKhQc 0 3"
    assert len(game.reserve) == 10
    assert [len(pile) for pile in game.foundations] == [0, 0, 2, 0]
    assert (game.score, game.cards_up) == (5, 2)


def test_j_annotated(game: Game) -> None:
    annotated = []
    for token in ("R2", "RF", "24"):
        annotated.append(game.annotate(token))
        game.push(token)
    assert annotated == ["Qc:R>2", "8h:R>F", "Kh+1:2>4 (Qs:R>2)"]


def test_j_only_7s_starts_the_spades(game: Game) -> None:
    game.push_all("R2 RF 24")
    assert not [token for token in tokens(game) if token.endswith("F")]
