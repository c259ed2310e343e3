"""Rules H: score, undo and the casino's bet."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from canfield_env import Deal, Game, IllegalMoveError, Rules
from tests.tables import table
from tests.walks import RULE_SETS

NAMED = ["app", "hoyle"]
ONE_TO_GO = "A:KKKQ - - - -/Ks/-/- 3 200"


@pytest.mark.parametrize("rules", NAMED)
@pytest.mark.parametrize(
    ("token", "piles"),
    [("WF", {"waste": "8h"}), ("RF", {"reserve": "8h"}), ("1F", {"columns": "8h/Kd/4s/9c"})],
)
def test_h1_five_points_for_a_card_that_reaches_a_foundation(token: str, piles: dict[str, Any], rules: str) -> None:
    piles = {"columns": "Kc/Kd/4s/9c", "tops": "7:--7-"} | piles
    game = table(**piles, rules=rules)
    score = game.score
    game.push(token)
    assert game.score == score + 5


@pytest.mark.parametrize("token", ["W4", "R1", "12", "32x1", "Fh1", "D"])
def test_h1_everything_else_scores_nothing(token: str) -> None:
    game = table("9s/Th/Td9c/Qh", tops="7:--8-", reserve="8d", waste="Js")
    score = game.score
    game.push(token)
    assert game.score == score


def test_h1_turning_back_scores_nothing() -> None:
    game = Game(Deal.from_number(4)).push_all("D " * 13)
    assert (game.redeals, game.score) == (1, 0)


@pytest.mark.parametrize("rules", NAMED)
def test_h2_starts_at_0_with_the_base_card_up(rules: str) -> None:
    game = Game(Deal.from_number(4), rules)
    assert (game.score, game.cards_up) == (0, 1)


def test_h2_never_falls_below_0() -> None:
    game = table("8s/Kh/Kd/2c", tops="7:--7-")
    assert game.score == 0
    game.push("Fh1")
    assert (game.score, game.cards_up) == (0, 0)


def test_h2_a_card_taken_back_and_played_again_scores_again() -> None:
    game = table("9s/Kh/Kd/2c", tops="7:--8-")
    score = game.score
    for again in (1, 2, 3):
        game.push_all("Fh1 1F")
        assert game.score == score + 5 * again
    assert game.cards_up == 2


def test_h2_a_game_won_with_no_card_taken_back_ends_on_255() -> None:
    game = Game.from_position(ONE_TO_GO, score=250)
    game.push("2F")
    assert game.score == 255


def test_h3_undo_takes_the_points_away() -> None:
    game = table("8h/Kd/4s/9c", tops="7:--7-")
    score = game.score
    game.push("1F")
    assert game.score == score + 5
    assert str(game.undo()) == "1F"
    assert game.score == score


@pytest.mark.parametrize("turns", [1, 12, 13, 14])
def test_h3_undo_of_turning_and_turning_back(turns: int) -> None:
    game = Game(Deal.from_number(4))
    states = [game.position()]
    for _ in range(turns):
        game.push("D")
        states.append(game.position())
    while game.moves:
        states.pop()
        game.undo()
        assert game.position() == states[-1]


@pytest.mark.parametrize("rules", RULE_SETS.values(), ids=RULE_SETS)
def test_h3_the_last_100_actions_can_be_undone_with_their_points(rules: Rules) -> None:
    for seed in range(20):
        game, rng = Game(Deal.random(seed, ranks=rules.ranks), rules), Random(seed)
        states = [(game.position(), game.score)]
        while len(states) < 131 and (legal := game.legal_moves()):
            game.push(rng.choice(legal))
            states.append((game.position(), game.score))
        for place in range(len(states) - 2, max(len(states) - 102, -1), -1):
            game.undo()
            assert (game.position(), game.score) == states[place]
        with pytest.raises(IllegalMoveError, match="nothing can be undone"):
            game.undo()
        assert (game.position(), game.score) == states[max(len(states) - 101, 0)], "a refused undo changes nothing"


def test_h3_undone_actions_give_their_room_back() -> None:
    game = Game(Deal.from_number(4)).push_all(["D"] * 100)
    for _ in range(40):
        game.undo()
    game.push_all(["D"] * 40)
    for _ in range(100):
        game.undo()
    assert game.actions == 0


def test_h3_nothing_to_undo_at_the_start() -> None:
    with pytest.raises(IllegalMoveError, match="nothing can be undone"):
        Game(Deal.from_number(4)).undo()


def test_h3_what_has_been_seen_stays_seen() -> None:
    game = Game(Deal.from_code("CF1-D3-AAAAACL"))
    game.push_all("D R2")
    for _ in range(2):
        game.undo()
    assert game.position("player") == "7:--7- (11)8hQc (31)2d7c8d - 6c/Kh/Qh/As 0 0"


@pytest.mark.parametrize(
    ("tops", "columns", "fifty", "fifty_two"),
    [
        ("7:--7-", "2c/2d/2h/2s", 5 - 50, 5 - 52),
        ("7:789-", "2c/2d/2h/2s", 30 - 50, 30 - 52),
        ("7:6665", "6s/-/-/-", 255 - 50, 255 - 52),
        ("7:6666", "-/-/-/-", 500 - 50, 260 - 52),
    ],
    ids=["1 card", "6 cards", "51 cards", "won"],
)
def test_h4_the_casinos_bet_in_both_tellings(tops: str, columns: str, fifty: int, fifty_two: int) -> None:
    game = table(columns, tops=tops, rules="hoyle")
    assert game.casino_net() == fifty
    assert game.casino_net("fifty-two") == fifty_two
    with pytest.raises(ValueError, match="telling must be 'fifty' or 'fifty-two', not 'forty'"):
        game.casino_net("forty")  # type: ignore[arg-type]
