"""What is kept between runs."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from canfield_env import Deal, Rules
from canfield_env.play.session import Session
from canfield_env.play.start import open_game
from canfield_env.play.storage import FOLDER_VARIABLE, Settings, Storage, data_folder
from canfield_env.records import read_records, verify
from tests.play.people import easy_deal, easy_moves

DEAL = Deal.from_code("CF1-D3-AAAAACL")


def played(moves: str = "R2 RF") -> Session:
    session = Session(DEAL)
    for move in moves.split():
        session.play(move)
    return session


def test_everything_comes_back(tmp_path: Path):
    storage = Storage(tmp_path / "new" / "folder")
    assert storage.load_settings() == Settings()
    assert storage.load_session() is None
    assert storage.records() == []
    storage.save_settings(Settings(double_tap=False, draw=1, theme="light"))
    storage.save_session(played())
    again = Storage(storage.folder)
    assert again.load_settings() == Settings(double_tap=False, draw=1, theme="light")
    kept = again.load_session()
    assert kept is not None
    assert kept.game == played().game
    assert again.notices == []
    assert sorted(path.name for path in storage.folder.iterdir()) == ["game.json", "settings.json"]


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"[]", b'{"draw": 2}', b'{"draw": true}', b'{"theme": "pink"}', b'{"double_tap": 1}', b"\xff"],
)
def test_damaged_settings_are_set_aside(tmp_path: Path, content: bytes):
    (tmp_path / "settings.json").write_bytes(content)
    storage = Storage(tmp_path)
    assert storage.load_settings() == Settings()
    assert (tmp_path / "settings.json.damaged-1").read_bytes() == content
    assert not (tmp_path / "settings.json").exists()
    assert "settings.json was damaged" in storage.notices[0]


def test_settings_of_another_release_are_read(tmp_path: Path):
    (tmp_path / "settings.json").write_bytes(b'{"draw": 1, "animation": "fast"}')
    assert Storage(tmp_path).load_settings() == Settings(draw=1)


def test_a_damaged_game_is_set_aside_each_time_under_a_new_name(tmp_path: Path):
    for number in (1, 2):
        (tmp_path / "game.json").write_text('{"deal": "CF1-D3-AAAAACL", "moves": "R2 R2"}')
        storage = Storage(tmp_path)
        assert storage.load_session() is None
        assert (tmp_path / f"game.json.damaged-{number}").exists()
        assert len(storage.notices) == 1


def test_a_damaged_record_file_is_set_aside_and_a_new_one_begun(tmp_path: Path):
    (tmp_path / "records.jsonl").write_text("no record\n")
    storage = Storage(tmp_path)
    storage.close_session(played())
    assert (tmp_path / "records.jsonl.damaged-1").read_text() == "no record\n"
    assert [record.score for record in storage.records()] == [5]


def test_a_torn_last_line_loses_only_itself(tmp_path: Path):
    storage = Storage(tmp_path)
    storage.close_session(played())
    with open(storage.records_path, "ab") as file:
        file.write(b'{"deal": "CF1')
    storage.close_session(played("D"))
    assert [len(record.moves) for record in read_records(storage.records_path)] == [2, 1]


def test_every_game_left_is_recorded_but_one_without_moves(tmp_path: Path):
    storage = Storage(tmp_path)
    storage.save_session(played())
    storage.close_session(played())
    storage.close_session(Session(DEAL))
    (record,) = storage.records()
    verify(record)
    assert record.deal == DEAL
    assert storage.load_session() is None


def test_a_write_that_fails_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    path = tmp_path / "settings.json"
    storage = Storage(tmp_path)
    storage.save_settings(Settings(draw=1))

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    storage.save_settings(Settings(draw=3))
    assert "No space left" in storage.notices[0]
    assert list(tmp_path.iterdir()) == [path]
    assert storage.load_settings() == Settings(draw=1)


def test_a_folder_that_cannot_be_written_is_told_once_and_is_not_fatal(tmp_path: Path):
    (tmp_path / "file").write_text("")
    storage = Storage(tmp_path / "file")
    storage.save_settings(Settings())
    storage.save_session(played())
    storage.close_session(played())
    assert storage.load_session() is None
    assert len({notice for notice in storage.notices if "saved" in notice}) == 1


def test_the_folder_can_be_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path))
    assert Storage().folder == tmp_path
    monkeypatch.delenv(FOLDER_VARIABLE)
    assert data_folder().name == "canfield-env"


# ------------------------------------------------------------------ which game is opened


def test_the_game_in_progress_goes_on(tmp_path: Path):
    storage = Storage(tmp_path)
    storage.save_session(played())
    for deal in (None, DEAL):
        session = open_game(storage, deal, Rules(), draw=1)
        assert session.game == played().game
    assert storage.records() == []


@pytest.mark.parametrize(("number", "rules"), [(3, Rules()), (2, Rules.named("hoyle"))])
def test_another_deal_or_other_rules_leave_it_and_record_it(tmp_path: Path, number: int, rules: Rules):
    storage = Storage(tmp_path)
    storage.save_session(played())
    session = open_game(storage, Deal.from_number(number), rules, draw=3)
    assert (session.deal.number, session.game.rules, session.game.moves) == (number, rules, ())
    assert [record.outcome for record in storage.records()] == ["stopped"]


def test_a_won_game_is_over(tmp_path: Path):
    storage = Storage(tmp_path)
    won = Session(easy_deal())
    for move in easy_moves():
        won.play(move)
    storage.save_session(won)
    session = open_game(storage, None, Rules(), draw=1)
    assert session.game.moves == ()
    assert session.deal.draw == 1
    assert [record.outcome for record in storage.records()] == ["won"]
