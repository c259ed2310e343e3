"""Move tokens: reading, writing, refusing, and what a refused token leaves behind."""

from __future__ import annotations

import pickle
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from canfield_env import Deal, Game, IllegalMoveError, Move, NotationError
from canfield_env.notation import parse_moves
from tests import oracle
from tests.tables import table
from tests.walks import RULE_SETS, every_token, late_state, law_of

TOKENS = every_token(columns=9, longest=99)


@pytest.mark.parametrize(
    ("token", "move"),
    [
        ("D", Move("D")),
        ("WF", Move("W", "F")),
        ("RF", Move("R", "F")),
        ("3F", Move("3", "F")),
        ("W2", Move("W", "2")),
        ("R2", Move("R", "2")),
        ("13", Move("1", "3")),
        ("13x2", Move("1", "3", 2)),
        ("Fh2", Move("Fh", "2")),
    ],
)
def test_tokens_of_the_contract(token: str, move: Move) -> None:
    assert Move.parse(token) == move
    assert str(move) == token


def test_every_token_reads_back() -> None:
    moves = [Move.parse(token) for token in TOKENS]
    assert list(map(str, moves)) == TOKENS
    assert len(set(moves)) == len(TOKENS)
    assert pickle.loads(pickle.dumps(moves)) == moves


@given(st.sampled_from(TOKENS), st.randoms(use_true_random=False))
@settings(derandomize=True)
def test_tokens_are_read_in_any_case(token: str, rng: Random) -> None:
    mixed = "".join(rng.choice((c.lower(), c.upper())) for c in token)
    assert str(Move.parse(f" {mixed}\n")) == token


@pytest.mark.parametrize(
    "token",
    [
        "", "DD", "D1", "F", "W", "R", "1", "WW", "WR", "RW", "R0", "W0", "10", "01", "11", "11x2", "13x", "13x0",
        "13x-1", "13x100", "13 x2", "1 3", "Fx2", "Fh", "FhF", "Fh0", "hF", "DF", "0F", "3f2", "FF", "1-3", "WFF", "Qc",
        "W10", "13xx2", "x2", "13x02",
    ],
)  # fmt: skip
def test_what_is_no_token_is_refused(token: str) -> None:
    with pytest.raises(NotationError, match="is no move: expected a token such as D, WF, R2, 13, 13x2 or Fh2"):
        Move.parse(token)


@given(st.text(alphabet="DWRFcdhsx0123456789 ", max_size=5))
@settings(derandomize=True, max_examples=500)
def test_text_is_a_token_or_refused(text: str) -> None:
    try:
        token = str(Move.parse(text))
    except NotationError:
        assert text.strip().casefold() not in {token.casefold() for token in TOKENS}
    else:
        assert token in TOKENS
        assert token.casefold() == text.strip().casefold()


@pytest.mark.parametrize("value", [None, 3.5, ["D"], b"D"])
def test_a_token_is_text(value: object) -> None:
    with pytest.raises(NotationError, match="is no move"):
        Game(Deal.from_number(2)).push(value)  # type: ignore[arg-type]


@pytest.mark.parametrize("move", [Move("1", "F", 2), Move("X", "1"), Move("1", "1"), Move("D", "F"), Move("", "")])
def test_a_move_made_up_by_hand_is_checked_too(move: Move) -> None:
    game = Game(Deal.from_number(2))
    with pytest.raises(NotationError, match="is no move"):
        game.push(move)
    with pytest.raises(NotationError, match="is no move"):
        game.can(move)


def test_sequences_are_read_from_text_or_a_list() -> None:
    assert list(map(str, parse_moves(" r2  RF\n24 "))) == ["R2", "RF", "24"]
    assert parse_moves(["D", Move("R", "2")]) == [Move("D"), Move("R", "2")]
    assert parse_moves("") == []
    with pytest.raises(NotationError, match="move 3: 'R0' is no move"):
        parse_moves("R2 RF R0 24")


def test_an_unreadable_sequence_plays_nothing() -> None:
    game = Game(Deal.from_number(2))
    with pytest.raises(NotationError, match="move 3: 'R0' is no move"):
        game.push_all("R2 RF R0")
    assert game == Game(Deal.from_number(2))


def test_a_sequence_with_a_move_against_the_rules_is_not_played() -> None:
    game = Game(Deal.from_number(2))
    with pytest.raises(IllegalMoveError, match="move 2, WF: the waste is empty"):
        game.push_all("R2 WF RF")
    assert game.moves == ()


@pytest.mark.parametrize("token", ["51", "15", "R9", "W7", "6F", "Fh8", "52x3"])
def test_a_column_that_is_not_there_is_named(token: str) -> None:
    column = next(c for c in token if c in "56789")
    with pytest.raises(IllegalMoveError, match=f"{token}: there is no column {column}"):
        Game(Deal.from_number(2)).push_all("D").push(token)


@pytest.mark.parametrize("name", RULE_SETS)
def test_a_token_is_legal_or_refused_with_a_reason_and_nothing_changes(name: str) -> None:
    rules, rng = RULE_SETS[name], Random(name)
    tokens = every_token(rules.columns, longest=15)
    for draw in (1, 3):
        state = late_state(rng, law_of(rules, draw))
        game = Game.from_position(oracle.show(state), rules, draw)
        if token := next(iter(sorted(oracle.moves(state))), None):
            game.push(token)
            state = oracle.advance(state, token)
        legal, before, moves = oracle.moves(state), game.copy(), game.moves
        for token in tokens:
            assert game.can(token) == (token in legal)
            if token not in legal:
                with pytest.raises(IllegalMoveError, match=f"^{token}: .+"):
                    game.push(token)
                with pytest.raises(IllegalMoveError, match=f"^{token}: .+"):
                    game.annotate(token)
        assert game == before
        assert game.moves == moves
        assert game.position() == before.position()


def test_annotations() -> None:
    game = Game(Deal.from_number(2))
    said = []
    for token in ["R2", "RF", "24", "D"]:
        said.append(game.annotate(token))
        game.push(token)
    assert said == ["Qc:R>2", "8h:R>F", "Kh+1:2>4 (Qs:R>2)", "turn 8d 7c 2d"]
    game.push_all("D " * 11)
    assert game.annotate("D") == "turn the waste back"


@pytest.mark.parametrize(
    ("token", "text"),
    [
        ("12x3", "Th+2:1>2"),
        ("14x1", "8d:1>4"),
        ("43", "9c:4>3 (8h:R>4)"),
        ("Fc1", "7c:F>1"),
        ("WF", "8c:W>F"),
        ("W2", "8c:W>2"),
    ],
)
def test_annotations_of_every_kind(token: str, text: str) -> None:
    columns = "JcTh9s8d/Js/Td/9c" if token != "W2" else "JcTh9s8d/9d/Td/9c"
    assert table(columns, tops="7:7---", reserve="8h", waste="8c").annotate(token) == text
