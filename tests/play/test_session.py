"""A game as a person plays it, without a screen."""

from __future__ import annotations

import pytest

from canfield_env import Deal, IllegalMoveError, Move, Rules
from canfield_env.play.session import Session
from canfield_env.play.statistics import Statistics, by_draw
from canfield_env.records import verify
from tests.play.people import easy_deal, easy_moves

DEAL = Deal.from_code("CF1-D3-AAAAACL")


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def played(moves: str = "R2 RF 24 D") -> Session:
    session = Session(DEAL)
    for move in moves.split():
        session.play(move)
    return session


def test_h3_undo_takes_the_points_back_and_redo_brings_them_again():
    session = played("R2 RF 24")
    assert session.game.score == 5
    before = session.game.position()
    assert [str(session.undo()), str(session.undo())] == ["24", "RF"]
    assert session.game.score == 0
    assert [str(session.redo()), str(session.redo())] == ["RF", "24"]
    assert (session.game.score, session.game.position()) == (5, before)
    with pytest.raises(IllegalMoveError, match="nothing can be redone"):
        session.redo()


def test_h3_a_hundred_actions_can_be_undone_and_redone():
    session = played(" ".join(["D"] * 105))
    for _ in range(100):
        session.undo()
    with pytest.raises(IllegalMoveError, match="100"):
        session.undo()
    for _ in range(100):
        session.redo()
    assert session.game.actions == 105


def test_a_new_move_ends_what_can_be_redone():
    session = played("R2 RF")
    session.undo()
    session.play("D")
    with pytest.raises(IllegalMoveError, match="redone"):
        session.redo()


def test_an_illegal_move_changes_nothing():
    session = played("R2 RF")
    session.undo()
    before = session.to_dict()
    with pytest.raises(IllegalMoveError):
        session.play("12")
    assert {**session.to_dict(), "seconds": 0} == {**before, "seconds": 0}
    assert str(session.redo()) == "RF"


@pytest.mark.parametrize(
    ("source", "index", "target"),
    [
        ("4", 0, "1"),
        ("4", 2, "3"),
        ("R", 9, "1"),
        ("R", 9, "R"),
        ("4", 1, "Fh"),
        ("4", 1, "4"),
        ("Fh", 1, "Fh"),
        ("Fh", 0, "2"),
        ("W", 0, "1"),
    ],
)
def test_carrying_where_nothing_fits_says_why(source: str, index: int, target: str):
    with pytest.raises(IllegalMoveError):
        played().carry(source, index, target)
    assert target not in played().targets(source, index)


def test_i2_carrying_makes_every_legal_move():
    """Each legal move is some card dragged somewhere, and the table offers just those places."""
    session = played("")
    for number in range(200):
        offered = set()
        for name in ("W", "R", "1", "2", "3", "4", "Fc", "Fd", "Fh", "Fs"):
            for index in range(len(session.pile(name))):
                offered |= {session.carry(name, index, target) for target in session.targets(name, index)}
        legal = session.game.legal_moves()
        assert offered == {move for move in legal if move.source != "D"}
        session.play(legal[number % len(legal)])


def test_keys_carry_the_most_cards_that_fit():
    session = played("R2 RF 24")
    whole = Session(DEAL)
    assert str(whole.longest("R", "2")) == "R2"
    with pytest.raises(IllegalMoveError, match="does not"):
        session.longest("4", "1")
    with pytest.raises(IllegalMoveError, match="foundation"):
        session.longest("4", "F")
    with pytest.raises(IllegalMoveError, match="waste is empty"):
        session.longest("W", "1")


def test_keys_carry_a_tail_where_the_whole_column_does_not_fit():
    """On the way to 600 moves, keys find a tail now and then, and always the first legal move between two piles."""
    session, tails = Session(DEAL), 0
    for number in range(600):
        legal = session.game.legal_moves()
        for move in legal:
            if move.source[0] not in "DF":
                found = session.longest(move.source, move.target)
                assert found == next(m for m in legal if (m.source, m.target) == (move.source, move.target))
                tails += found.count > 0
        session.play(legal[number % len(legal)])
    assert tails


def test_a_move_foretold_names_no_hidden_card():
    session = played("R2 RF")
    assert session.foretell(Move("D")) == "turn the stock"
    assert session.foretell(Move("2", "4")) == "Kh+1:2>4 (Qs:R>2)"
    while session.game.stock:
        session.play("D")
    assert session.foretell(Move("D")) == "turn the waste back"
    with pytest.raises(IllegalMoveError):
        session.foretell(Move("1", "2"))


def test_saving_keeps_moves_undone_moves_and_time():
    clock = Clock()
    session = Session(DEAL, clock=clock)
    for move in ("R2", "RF", "24", "D"):
        session.play(move)
    session.undo()
    session.undo()
    clock.now += 12
    again = Session.from_dict(session.to_dict(), clock)
    assert again.game == session.game, "what has been seen included"
    assert again.game.moves == session.game.moves
    assert again.seconds == 12
    clock.now += 3
    assert again.seconds == 15
    assert [str(again.redo()), str(again.redo())] == ["24", "D"]


def test_saving_keeps_a_deck_and_rules_of_ones_own():
    session = Session(easy_deal(), Rules(take_back=False))
    again = Session.from_dict(session.to_dict())
    assert (again.deal, again.game.rules) == (session.deal, session.game.rules)


@pytest.mark.parametrize(
    "change",
    [
        {"deal": "CF1-D3-AAAAACM"},
        {"deal": 7},
        {"moves": "R2 R2 R2"},
        {"moves": None},
        {"moves": "hop"},
        {"undone": "WF"},
        {"rules": {"unknown": 1}},
        {"rules": None},
        {"seconds": "long"},
    ],
)
def test_what_describes_no_game_is_refused(change: dict[str, object]):
    with pytest.raises(ValueError, match=r"."):
        Session.from_dict({**played().to_dict(), **change})


def test_a_won_game_makes_a_record_that_replays():
    session = Session(easy_deal())
    for move in easy_moves():
        session.play(move)
    record = session.record()
    assert session.state == "won"
    assert (record.outcome, record.cards_up, record.score, record.agent) == ("won", 52, 255, "human")
    verify(record)


def test_a_game_left_is_stopped_and_undone_moves_are_left_out_of_its_record():
    session = played("R2 RF 24")
    session.undo()
    record = session.record()
    assert record.outcome == "stopped"
    assert [str(move) for move in record.moves] == ["R2", "RF"]
    verify(record)


def test_statistics_are_apart_for_each_draw_count():
    won = Session(easy_deal())
    for move in easy_moves():
        won.play(move)
    games = [won.record(), Session(easy_deal()).record(), played("R2 RF").record()]
    assert by_draw(games) == {3: Statistics(1, 0, 5, 5.0), 1: Statistics(2, 1, 255, 127.5)}
    assert by_draw([]) == {3: Statistics(), 1: Statistics()}
