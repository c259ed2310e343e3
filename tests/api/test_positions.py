"""Position texts: reading, writing, and games that go on from one."""

from __future__ import annotations

from random import Random

import pytest

from canfield_env import Card, ConfigError, Deal, DealError, Game, NotationError, Position, Rules
from tests import oracle
from tests.walks import RULE_SETS, late_state, law_of, random_deck, walk

OPENING = "7:--7- (12)Qc (34) - 6c/Kh/Qh/As 0 0"
FULL = Game(Deal.from_number(2)).position()
#: A position with everything in it, for putting single faults into.
LATE = (
    "7:--8- 9h3s3c2h3hKcTh7dAcJs 5h5d2cAdTd7sKsTs8s3d6h8c4s5cQdTcJd9c4cJh9s4d6dKd4h6s9dJcAh2s5s 8d7c2d "
    "6c/Qs/Qh/AsKhQc 0 4"
)


def test_fields_of_a_position() -> None:
    position = Position.parse("7:--8- (9)Js (31) 8d7c2d 6c/-/Qh/AsKhQc 2 57")
    assert position == Position(
        base=6,
        tops=(None, None, 7, None),
        reserve=(None,) * 9 + (Card("Js"),),
        stock=(None,) * 31,
        waste=(Card("8d"), Card("7c"), Card("2d")),
        columns=((Card("6c"),), (), (Card("Qh"),), (Card("As"), Card("Kh"), Card("Qc"))),
        redeals=2,
        actions=57,
    )
    assert position.foundations() == ((), (), ("7h", "8h"), ())


@pytest.mark.parametrize(
    "text", [OPENING, FULL, LATE, "A:KKKK - - - -/-/-/- 0 0", "K:-QK- (1)Ac(2) - - Ah/2c/3c/4c 9 1234"]
)
def test_a_position_prints_as_it_was_read(text: str) -> None:
    assert str(Position.parse(text)) == text


@pytest.mark.parametrize("name", RULE_SETS)
def test_positions_of_games_read_back_in_both_views(name: str) -> None:
    rules, rng = RULE_SETS[name], Random(name)
    law = law_of(rules, draw=3)
    for start in (oracle.deal(random_deck(rng, rules.ranks), law), late_state(rng, law)):
        for _, state in walk(start, rng, 60):
            for view in ("full", "player"):
                text = oracle.show(state, view)
                assert str(Position.parse(text)) == text
            game = Game.from_position(oracle.show(state), rules)
            assert game.position() == oracle.show(state)
            assert {str(move) for move in game.legal_moves()} == oracle.moves(state)


def test_positions_are_read_in_any_case_and_with_10() -> None:
    assert str(Position.parse("t:--10- (3)10C ad10D - 10h/qC/-/- 0 0")) == "T:--T- (3)Tc AdTd - Th/Qc/-/- 0 0"
    assert Game.from_position(LATE.swapcase().replace("t", "10")).position() == LATE
    assert Game.from_position("  " + LATE.replace(" ", "   ") + "\n").position() == LATE


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "expected 7 fields (foundations reserve stock waste columns redeals actions), found 0"),
        (OPENING[:-2], "found 6"),
        (OPENING + " 0", "found 8"),
        (OPENING.replace("7:--7-", "--7-"), "foundations: '--7-' is not a base rank, a colon and the top ranks"),
        (OPENING.replace("7:--7-", "7:--7"), "foundations"),
        (OPENING.replace("7:--7-", "7:--7--"), "foundations"),
        (OPENING.replace("7:--7-", ":--7-"), "foundations"),
        (OPENING.replace("7:--7-", "-:--7-"), "foundations"),
        (OPENING.replace("7:--7-", "7:--1-"), "foundations"),
        (OPENING.replace("Qc", "Qx"), "reserve: 'Qx' is no card"),
        (OPENING.replace("Qc", "Q"), "reserve: cannot read 'Q' in '(12)Q'"),
        (OPENING.replace("(12)", "(x)"), "reserve: cannot read '(x)Qc' in '(x)Qc'"),
        (OPENING.replace("(12)", "(0)"), "reserve: cannot read"),
        (OPENING.replace("(12)", "()"), "reserve: cannot read"),
        (OPENING.replace("(34)", "34"), "stock: cannot read '34'"),
        (OPENING.replace(" - ", " -- "), "waste: cannot read '--'"),
        (OPENING.replace(" - ", " 1c "), "waste: '1c' is no card"),
        (OPENING.replace("Kh", "K,h"), "column 2: cannot read 'K,h'"),
        (OPENING.replace("6c/Kh", "6c//Kh"), "column 2: nothing is written there; an empty pile is -"),
        (OPENING.replace("0 0", "x 0"), "redeals: 'x' is not a whole number"),
        (OPENING.replace("0 0", "-1 0"), "redeals: '-1' is not a whole number"),
        (OPENING.replace("0 0", "0 1.5"), "actions: '1.5' is not a whole number"),
        (OPENING.replace("0 0", "0 9999999999"), "actions: '9999999999' is not a whole number"),
    ],
)
def test_unreadable_positions_say_where(text: str, complaint: str) -> None:
    for read in (Position.parse, Game.from_position):
        with pytest.raises(NotationError) as caught:
            read(text)
        assert complaint in str(caught.value)


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("2s5s 8d", "2s 8d", "5s is missing"),
        ("2s5s 8d", "2s5s5s 8d", "5s is there twice"),
        ("8d7c2d", "8d7c2c", "2c is there twice"),
        ("7:--8-", "7:--7-", "8h is missing"),
        ("7:--8-", "7:--6-", "9h is there twice"),
        ("7:--8-", "8:--8-", "7h is missing"),
        ("7:--8-", "7:7-8-", "7c is there twice"),
        ("AsKhQc", "AsQcKh", "column 4 is no run: Qc does not go on As"),
        ("Qs/Qh/AsKhQc", "QsQh/Kh/AsQc", "column 2 is no run: Qh does not go on Qs"),
        ("6c/Qs/Qh/AsKhQc", "6c/Qs/Qh", "3 columns, the rules have 4"),
        ("6c/Qs/Qh/AsKhQc", "6c/Qs/Qh/AsKh/Qc", "5 columns, the rules have 4"),
        ("6c/Qs/Qh/AsKhQc", "-/Qs/Qh/AsKhQc", "6c is missing"),
        ("9h3s3c", "(3)", "it hides cards; a game needs a full position"),
        ("9h3s", "9h3s6c", "6c is there twice"),
    ],
)
def test_impossible_positions_say_why(old: str, new: str, complaint: str) -> None:
    assert LATE.count(old) == 1
    with pytest.raises(NotationError) as caught:
        Game.from_position(LATE.replace(old, new))
    assert complaint in str(caught.value)


def test_an_empty_column_has_been_refilled_while_the_reserve_has_cards() -> None:
    with pytest.raises(NotationError, match="column 1 is empty while the reserve still has cards"):
        Game.from_position(LATE.replace(" 9h3s", " 6c9h3s").replace(" 6c/", " -/"))


def test_piles_larger_than_they_were_dealt_are_refused() -> None:
    reserve, stock = LATE.split()[1:3]
    with pytest.raises(NotationError, match="14 cards in the reserve, the rules deal 13"):
        Game.from_position(LATE.replace(f"{reserve} {stock}", f"{reserve + stock[:8]} {stock[8:]}"))
    with pytest.raises(NotationError, match="35 cards in stock and waste, the rules leave 34"):
        Game.from_position(LATE.replace(f"{reserve} {stock}", f"{reserve[2:]} {reserve[:2] + stock}"))


def test_the_player_s_view_is_no_position_to_play_from() -> None:
    with pytest.raises(NotationError, match="it hides cards"):
        Game.from_position(OPENING)


@pytest.mark.parametrize(
    ("text", "rules", "complaint"),
    [
        ("4:---- - - - -/-/- 0 0", Rules(ranks=3, columns=3, reserve=3), "rank 4 is not in a game of 3 ranks"),
        ("2:AAA4 - - - As/-/- 0 0", Rules(ranks=3, columns=3, reserve=3), "rank 4 is not in a game of 3 ranks"),
        ("2:AAA3 - - - 4s/-/- 0 0", Rules(ranks=3, columns=3, reserve=3), "4s does not belong to a game of 3 ranks"),
        ("A:KKKJ - - - KsQs/-/-/- 0 0", Rules(), "column 1 is no run: Qs does not go on Ks"),
        ("A:KKQJ - - - QsKh/Ks/-/- 0 0", Rules(), "column 1 is no run: Kh does not go on Qs"),
        ("7:665- - - 8s9sTsJsQsKsAs2s3s4s5s6s 7s6h/-/-/- 0 0", Rules(build_on_base=False), "column 1 is no run"),
        ("A:KKKQ - - Ks -/-/-/- 3 9", Rules(redeals=2), "turned back 3 times, the rules allow 2"),
    ],
)
def test_positions_must_fit_their_rules(text: str, rules: Rules, complaint: str) -> None:
    with pytest.raises(NotationError) as caught:
        Game.from_position(text, rules)
    assert complaint in str(caught.value)


def test_other_arguments_are_checked() -> None:
    with pytest.raises(ConfigError, match="no rule set is called 'holye'"):
        Game.from_position(FULL, "holye")
    with pytest.raises(DealError, match="draw must be 1 or 3"):
        Game.from_position(FULL, draw=2)
    with pytest.raises(ValueError, match="view must be 'full' or 'player', not 'all'"):
        Game.from_position(FULL).position("all")  # type: ignore[arg-type]
    with pytest.raises(NotationError, match="a position is text, not None"):
        Game.from_position(None)  # type: ignore[arg-type]


def test_a_game_from_a_position_starts_with_an_empty_past() -> None:
    game = Game.from_position(LATE, "hoyle", draw=1)
    assert (game.deal, game.moves, game.draw, game.rules) == (None, (), 1, Rules.named("hoyle"))
    assert (game.actions, game.redeals, game.cards_up, game.score) == (4, 0, 2, 5)
    assert Game.from_position(LATE, score=40).score == 40
    with pytest.raises(ValueError, match="nothing can be undone"):
        game.undo()
    assert Game.from_position(game.full_position()).position() == LATE


def test_after_a_redeal_all_of_the_stock_is_known() -> None:
    stock = LATE.split()[2]
    assert Game.from_position(LATE).position("player").split()[2] == "(31)"
    assert Game.from_position(LATE.replace(" 0 4", " 1 40")).position("player").split()[2] == stock
