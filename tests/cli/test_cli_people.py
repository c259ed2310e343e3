"""``canfield render``, ``watch`` and ``play``: what they write, and what they say to bad input."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from PIL import Image

from canfield_env import Deal, Rules
from canfield_env.cli import main
from canfield_env.play import start
from tests.render.episodes import a_faulty_episode, an_episode


def run(*args: object) -> int:
    with pytest.raises(SystemExit) as stopped:
        main([str(arg) for arg in args])
    return int(stopped.value.code or 0)


@pytest.fixture
def records(tmp_path: Path) -> Path:
    path = tmp_path / "records.jsonl"
    path.write_bytes(an_episode().to_json() + b"\n" + a_faulty_episode().to_json() + b"\n")
    return path


def test_render_writes_a_page(records: Path, capsys: pytest.CaptureFixture[str]):
    page = records.with_name("game.html")
    assert run("render", records, "--html", page) == 0
    assert capsys.readouterr().out.strip() == str(page)
    assert page.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


def test_render_writes_a_film_and_pictures(records: Path):
    film, picture, drawing = (records.with_name(name) for name in ("game.gif", "records-12.png", "own.svg"))
    assert run("render", records, "--gif", film, "--scale", 0.2) == 0
    with Image.open(film) as gif:
        assert gif.n_frames > 60  # type: ignore[attr-defined]
    assert run("render", records, "--png", 12) == 0
    with Image.open(picture) as png:
        assert png.size == (820, 758)
    assert run("render", records, "--svg", 0, "--full", "--out", drawing) == 0
    assert "Kc" in drawing.read_text(encoding="utf-8")
    ElementTree.parse(drawing)


def test_an_episode_that_does_not_replay_is_drawn_so_far_and_told(records: Path, capsys: pytest.CaptureFixture[str]):
    page = records.with_name("bad.html")
    assert run("render", records, "--episode", 2, "--html", page) == 1
    assert page.exists()
    assert "episode 2 does not replay: move 4, 12:" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("args", "reason"),
    [
        (["--png", "81"], "there is no move 81: the episode can be shown up to move 80"),
        (["--png", "-1"], "'--png'"),
        ([], "give one of --html, --gif, --png and --svg"),
        (["--png", "1", "--svg", "1"], "give one of"),
        (["--html", "a.html", "--out", "b.html"], "--out goes with"),
        (["--html", "a.html", "--scale", "2"], "--scale goes with --png and --gif"),
        (["--svg", "1", "--scale", "1"], "--scale goes with --png and --gif"),
        (["--html", "records.jsonl"], "holds the records"),
        (["--gif", "../{folder}/records.jsonl"], "holds the records"),
        (["--svg", "1", "--out", "records.jsonl"], "holds the records"),
        (["--html", "nowhere/a.html"], "nowhere/a.html"),
        (["--html", "a.html", "--episode", "3"], "there is no episode 3"),
        (["--png", "1", "--scale", "90"], "'--scale'"),
    ],
)
def test_bad_input_is_one_line_and_writes_nothing(
    records: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, args: list[str], reason: str
):
    monkeypatch.chdir(records.parent)
    before = records.read_bytes()
    assert run("render", records, *(arg.format(folder=records.parent.name) for arg in args)) == 2
    error = capsys.readouterr().err
    assert reason in error
    assert error.count("\n") == 1
    assert list(records.parent.iterdir()) == [records]
    assert records.read_bytes() == before


def test_render_does_not_write_over_its_records_by_another_name(records: Path, capsys: pytest.CaptureFixture[str]):
    before = records.read_bytes()
    for make in (Path.symlink_to, Path.hardlink_to):
        link = records.with_name(f"{make.__name__}.html")
        make(link, records)
        assert run("render", records, "--html", link) == 2
        assert run("render", link, "--html", records) == 2
        assert capsys.readouterr().err.count("holds the records") == 2
    assert records.read_bytes() == before


def test_names_cannot_steer_the_page(records: Path):
    table = json.loads(an_episode().to_json()) | {"agent": "evil\u202e\u001b[2J"}
    records.write_text(json.dumps(table) + "\n")
    page = records.with_name("game.html")
    assert run("render", records, "--html", page) == 0
    text = page.read_text(encoding="utf-8")
    assert r"evil\u202e\x1b[2J" in text
    assert not {"\u202e", "\u001b"} & set(text)


def test_without_a_terminal_play_and_watch_say_so(records: Path, capsys: pytest.CaptureFixture[str]):
    for args in (("play",), ("watch", records)):
        assert run(*args) == 2
        assert "needs a terminal" in capsys.readouterr().err


def test_play_opens_what_is_asked_for(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    opened: list[tuple[Deal | None, Rules]] = []
    monkeypatch.setattr(start, "play", lambda deal, rules: opened.append((deal, rules)))
    deal = Deal.from_code("CF1-D1-AAAAACL")
    for args in ((), ("cf1-d1-aaaaacl",), ("--rules", "hoyle"), ("--draw", "1")):
        assert run("play", *args) == 0
    assert opened[:3] == [(None, Rules()), (deal, Rules()), (None, Rules.named("hoyle"))]
    assert opened[3][0] is not None
    assert opened[3][0].draw == 1
    for bad in (["CF1-D3-AAAAACM"], ["--draw", "2"], ["--rules", "no-such"], ["--web", "--port", "0"]):
        assert run("play", *bad) == 2
        assert capsys.readouterr().err.count("\n") == 1


def test_play_in_a_browser_serves_the_same_game(monkeypatch: pytest.MonkeyPatch):
    served: list[tuple[list[str], int]] = []
    monkeypatch.setattr(start, "serve", lambda arguments, port: served.append((arguments, port)))
    assert run("play", "CF1-D3-AAAAACL", "--web", "--port", 8123) == 0
    assert run("play", "--web", "--rules", "hoyle") == 0
    assert served == [(["play", "CF1-D3-AAAAACL", "--rules", "app"], 8123), (["play", "--rules", "hoyle"], 8000)]


def test_play_in_a_browser_hands_on_what_the_game_understands(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    served: list[list[str]] = []
    opened: list[Deal | None] = []
    monkeypatch.setattr(start, "serve", lambda arguments, port: served.append(arguments))
    monkeypatch.setattr(start, "play", lambda deal, rules: opened.append(deal))
    tiny = tmp_path / "tiny.toml"
    tiny.write_text("ranks = 3\ncolumns = 2\nreserve = 3\n")
    assert run("play", "--web", "--draw", 1) == 0
    assert run("play", "--web", "--draw", 1, "--rules", tiny) == 0  # a deal of few ranks has no code
    for arguments in served:
        assert run(*arguments) == 0
    assert [deal is not None and (deal.ranks, deal.draw) for deal in opened] == [(13, 1), (3, 1)]


def test_a_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert run("play") == 2
    assert "pip install 'canfield-env[play]'" in capsys.readouterr().err


def test_the_browser_is_served_at_the_loopback_address_with_a_page_that_asks_no_network(
    monkeypatch: pytest.MonkeyPatch,
):
    made: list[dict[str, Any]] = []

    class Server:
        def __init__(self, command: str, **options: Any) -> None:
            made.append({"command": command, **options})

        def serve(self) -> None:
            made[-1]["served"] = True

    monkeypatch.setattr("textual_serve.server.Server", Server)
    start.serve(["play", "CF1-D3-AAAAACL"], 8123)
    assert made[0]["host"] == "127.0.0.1"
    assert made[0]["port"] == 8123
    assert made[0]["served"]
    assert made[0]["command"].endswith("-m canfield_env play CF1-D3-AAAAACL")
    page = (made[0]["templates_path"] / "app_index.html").read_text(encoding="utf-8")
    assert "http" not in page.replace("{{ app_websocket_url }}", "")
