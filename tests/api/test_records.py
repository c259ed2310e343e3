"""Records: what a line holds, files that grow and break off, and checking by replay."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from canfield_env import Deal, Game, Move, Rules
from canfield_env.errors import ConfigError, DealError, IllegalMoveError, NotationError, RecordError
from canfield_env.records import (
    OUTCOMES,
    Record,
    TornRecordError,
    append_record,
    read_records,
    recover_records,
    replay,
    verify,
)

PUBLISHED = "CF1-D3-AAAAACL"
TINY = Rules(ranks=2, columns=2, reserve=2)


def opening(**changes: Any) -> Record:
    """The record of the published opening, stopped after three moves."""
    game = Game(Deal.from_code(PUBLISHED)).push_all("R2 RF 24")
    return replace(Record.of_game(game, "max_steps", "test", 0.5), **changes)


def line(**changes: Any) -> bytes:
    """The line of the published opening with other values; a key whose value is ``...`` is left out."""
    table = json.loads(opening().to_json()) | changes
    return json.dumps({key: value for key, value in table.items() if value is not ...}).encode()


def finished(outcome: str) -> Record:
    """The record of a game of two ranks that is won, or dead."""
    rng = Random(1)
    while True:
        game = Game(Deal.random(rng.randrange(2**32), ranks=2), TINY)
        for _ in range(30):
            if game.is_won or game.is_dead:
                break
            game.push(rng.choice(game.legal_moves()))
        if {"won": game.is_won, "dead": game.is_dead}[outcome] and game.moves:
            return Record.of_game(game, outcome)


# ------------------------------------------------------------------ lines


def test_a_line_is_as_the_contract_has_it():
    assert opening().to_json() == (
        b'{"deal":"CF1-D3-AAAAACL","rules":"app","agent":"test","moves":"R2 RF 24","outcome":"max_steps",'
        b'"cards_up":2,"score":5,"seconds":0.5}'
    )


def test_a_deal_without_a_code_is_written_with_its_deck_and_draw():
    deck = " ".join(Deal.from_number(7).deck)
    table = json.loads(Record.of_game(Game(Deal.from_deck(deck, draw=1)), "stopped").to_json())
    assert "deal" not in table
    assert (table["deck"], table["draw"]) == (deck, 1)


def test_custom_rules_are_written_as_what_differs():
    assert json.loads(opening(rules=Rules(take_back=False)).to_json())["rules"] == {"take_back": False}
    assert json.loads(opening(rules=Rules.named("hoyle")).to_json())["rules"] == "hoyle"


@pytest.mark.parametrize(
    "record",
    [
        opening(),
        opening(rules=Rules(redeals=2, build_on_base=False)),
        opening(deal=Deal.from_deck(Deal.from_number(7).deck, draw=1)),
        opening(agent="Ägent ♣", extra={"suite": "smoke", "seed": 7, "won": False}),
        opening(moves=(), outcome="stopped"),
        finished("won"),
    ],
)
def test_lines_read_back_as_the_same_record(record):
    assert Record.from_json(record.to_json()) == record
    assert b"\n" not in record.to_json()


def test_what_says_nothing_of_the_game_may_be_left_out():
    record = Record.from_json(line(agent=..., seconds=...))
    assert (record.agent, record.seconds) == ("", 0.0)
    deck = " ".join(Deal.from_number(7).deck)
    assert Record.from_json(line(deal=..., deck=deck)).deal.draw == 3
    assert Record.from_json(line(seconds=3)).seconds == 3


def test_the_draw_may_stand_beside_a_code_that_says_the_same():
    assert Record.from_json(line(draw=3)) == Record.from_json(line())


@pytest.mark.parametrize(
    ("bad", "error", "text"),
    [
        (b"", RecordError, "not JSON"),
        (b"nonsense", RecordError, "not JSON"),
        (b'{"deal": "CF1-D3-AAAAACL", "rules"', RecordError, "not JSON"),
        (b"\xff\xfe", RecordError, "not JSON"),
        (b"[1, 2]", RecordError, "not a JSON object"),
        (line(deal=...), RecordError, "neither 'deal' nor 'deck'"),
        (line(deck="Ac"), RecordError, "names the deal twice"),
        (line(draw=1), RecordError, "CF1-D3-AAAAACL is a deal with draw 3, and 'draw' is 1"),
        (line(draw="3"), RecordError, "'draw' must be a whole number, not '3'"),
        (line(rules=...), RecordError, "'rules' is missing"),
        (line(moves=...), RecordError, "'moves' is missing"),
        (line(outcome=...), RecordError, "'outcome' is missing"),
        (line(cards_up=...), RecordError, "'cards_up' is missing"),
        (line(score=...), RecordError, "'score' is missing"),
        (line(moves=["D"]), RecordError, "'moves' must be text"),
        (line(moves=None), RecordError, "'moves' must be text, not None"),
        (line(deal=2), RecordError, "'deal' must be text, not 2"),
        (line(score=5.0), RecordError, "'score' must be a whole number, not 5.0"),
        (line(cards_up=True), RecordError, "'cards_up' must be a whole number, not True"),
        (line(seconds="1"), RecordError, "'seconds' must be a number or a whole number"),
        (line(rules=3), RecordError, "'rules' must be text or an object"),
        (line(deal="CF1-D3-AAAAACM"), DealError, "mistyped"),
        (line(deal=..., deck="Ac 2c"), DealError, "are missing"),
        (line(deal=..., deck="Ac", draw=2), DealError, "deck"),
        (line(rules="poker"), ConfigError, "no rule set is called 'poker'"),
        (line(rules={"run": "any"}), ConfigError, "unknown key 'run'"),
        (line(moves="D R2 ZZ"), NotationError, "move 3: 'ZZ' is no move"),
    ],
)
def test_bad_lines_say_what_is_wrong(bad, error, text):
    with pytest.raises(error, match=text):
        Record.from_json(bad)


def test_a_game_from_a_position_has_no_record():
    game = Game.from_position(Game(Deal.from_number(5)).position())
    with pytest.raises(RecordError, match="no deal"):
        Record.of_game(game, "stopped")


# ------------------------------------------------------------------ files


def test_records_are_appended_as_whole_lines(tmp_path: Path):
    path = tmp_path / "records.jsonl"
    records = [opening(agent=str(k)) for k in range(3)]
    for k, record in enumerate(records, 1):
        append_record(path, record)
        assert path.read_bytes().count(b"\n") == k
    assert list(read_records(path)) == records


def test_a_bad_line_is_told_with_file_and_number(tmp_path: Path):
    path = tmp_path / "records.jsonl"
    path.write_bytes(line() + b"\n\n" + line(score="five") + b"\n" + line() + b"\n")
    reader = read_records(path)
    assert next(reader) == opening()
    with pytest.raises(RecordError, match=r"records\.jsonl:3: 'score' must be a whole number, not 'five'") as caught:
        next(reader)
    assert not isinstance(caught.value, TornRecordError)
    with pytest.raises(RecordError, match="jsonl:3"):
        recover_records(path)


def test_somebody_elses_line_is_not_taken_for_a_torn_record(tmp_path: Path):
    path = tmp_path / "notes.txt"
    path.write_bytes(b"my only copy of notes, one line")
    with pytest.raises(RecordError, match=r"notes\.txt:1: not JSON"):
        recover_records(path)
    assert path.read_bytes() == b"my only copy of notes, one line"


def test_files_that_cannot_be_read(tmp_path: Path):
    with pytest.raises(RecordError, match="no-such: cannot be read: No such file"):
        list(read_records(tmp_path / "no-such"))
    with pytest.raises(RecordError, match="cannot be read: Is a directory"):
        list(read_records(tmp_path))
    with pytest.raises(RecordError, match="Is a directory"):
        recover_records(tmp_path)
    assert recover_records(tmp_path / "no-such") == []
    assert not (tmp_path / "no-such").exists()


def test_a_file_cut_anywhere_is_recovered_and_goes_on(tmp_path: Path):
    path = tmp_path / "records.jsonl"
    first, second = opening(agent="ä"), opening(moves=(), agent="b")
    whole = first.to_json() + b"\n" + second.to_json() + b"\n"
    for length in range(len(whole) + 1):
        path.write_bytes(whole[:length])
        complete = sum(length >= end for end in (len(first.to_json()), len(whole) - 1))
        if length in (0, len(first.to_json()), len(first.to_json()) + 1, len(whole) - 1, len(whole)):
            assert len(list(read_records(path))) == complete
        else:
            with pytest.raises(TornRecordError, match=f"jsonl:{complete + 1}: the last line breaks off"):
                list(read_records(path))
        assert recover_records(path) == [first, second][:complete]
        append_record(path, second)
        assert list(read_records(path)) == [*[first, second][:complete], second]


def test_a_last_line_that_is_whole_but_no_record_is_not_thrown_away(tmp_path: Path):
    path = tmp_path / "records.jsonl"
    content = line() + b"\n" + line(score=None)
    path.write_bytes(content)
    with pytest.raises(RecordError, match="jsonl:2: 'score'"):
        recover_records(path)
    assert path.read_bytes() == content


def test_a_write_that_does_not_fit_leaves_the_file_as_it_was(tmp_path: Path):
    resource = pytest.importorskip("resource")
    path = tmp_path / "records.jsonl"
    append_record(path, opening())
    content = path.read_bytes()
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(content) + 20, hard))
    try:
        with pytest.raises(OSError, match=r"records\.jsonl"):
            append_record(path, opening())
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert path.read_bytes() == content


# ------------------------------------------------------------------ replaying


def test_a_replay_shows_the_deal_and_every_move():
    steps = [(str(step.move or ""), step.caption, step.game.position("player")) for step in replay(opening())]
    assert steps == [
        ("", "", "7:--7- (12)Qc (34) - 6c/Kh/Qh/As 0 0"),
        ("R2", "R2   Qc:R>2", "7:--7- (11)8h (34) - 6c/KhQc/Qh/As 0 1"),
        ("RF", "RF   8h:R>F", "7:--8- (10)Qs (34) - 6c/KhQc/Qh/As 0 2"),
        ("24", "24   Kh+1:2>4 (Qs:R>2)", "7:--8- (9)Js (34) - 6c/Qs/Qh/AsKhQc 0 3"),
    ]


def test_a_replay_stops_at_the_move_that_is_against_the_rules():
    record = Record.from_json(line(moves="R2 RF 24 3F D"))
    with pytest.raises(IllegalMoveError, match="move 4, 3F: Qh does not fit: the hearts foundation needs 9h next"):
        list(replay(record))
    with pytest.raises(IllegalMoveError, match="move 4, 3F: Qh does not fit"):
        verify(record)


def test_good_records_are_verified():
    assert verify(opening()).position("player") == "7:--8- (9)Js (34) - 6c/Qs/Qh/AsKhQc 0 3"
    assert verify(finished("won")).is_won
    assert verify(finished("dead")).is_dead
    verify(opening(outcome="stopped", extra={"won": False}))
    # A player may stop in a dead game; the environment calls it dead.
    verify(replace(finished("dead"), outcome="stopped"))


@pytest.mark.parametrize(
    ("record", "text"),
    [
        (opening(cards_up=3), "after 3 moves cards_up is 2, not 3"),
        (opening(score=10), "after 3 moves score is 5, not 10"),
        (opening(extra={"won": True}), "won is False, not True"),
        (opening(outcome="won"), "the game is not won, and the outcome is 'won'"),
        (opening(outcome="dead"), "the game is not dead, and the outcome is 'dead'"),
        *((replace(finished("won"), outcome=outcome), "the game is won") for outcome in (*OUTCOMES[1:], "stopped")),
        *((replace(finished("dead"), outcome=outcome), "the game is dead") for outcome in ("idle", "max_steps")),
        (replace(finished("dead"), outcome="won"), "the game is not won"),
    ],
)
def test_results_that_the_moves_do_not_lead_to(record, text):
    with pytest.raises(RecordError, match=text):
        verify(record)


def test_moves_after_a_won_game_do_not_replay():
    record = finished("won")
    with pytest.raises(IllegalMoveError, match=f"move {len(record.moves) + 1}, D: the game is won"):
        verify(replace(record, moves=(*record.moves, Move.parse("D"))))


def test_a_deck_of_another_size_than_the_rules_need():
    with pytest.raises(DealError, match="the rules need 8"):
        verify(opening(rules=TINY))
