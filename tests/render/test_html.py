"""The browser replay as a file. How it behaves in a browser is tested in ``test_html_browser.py``."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from typing import Any

from canfield_env import Deal, Game, Rules
from canfield_env.cards import CARDS
from canfield_env.records import Record
from canfield_env.render.frames import film
from canfield_env.render.html import render_html
from canfield_env.render.scene import place_cards
from tests.render.episodes import a_faulty_episode, an_episode


class Page(HTMLParser):
    """The elements of a page, each with its attributes, and its text."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.text = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in ("meta", "link", "input", "path", "br"):
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def data_of(html: str) -> dict[str, Any]:
    found = re.search(r'<script id="film" type="application/json">(.*?)</script>', html, re.DOTALL)
    assert found
    return dict(json.loads(found[1]))


def test_the_page_is_whole_and_asks_no_network():
    html = render_html(film(an_episode()))
    page = Page(html)
    assert page.open == []
    links = [value for _, attributes in page.elements for name, value in attributes.items() if name in ("src", "href")]
    assert all(link is not None and link.startswith(("#", "data:")) for link in links)
    assert "url(" not in html
    assert "@import" not in html
    assert not re.search(r"https?://", html)
    ids = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    assert {link.removeprefix("#") for link in links if link and link.startswith("#")} <= set(ids)
    assert not re.search(r"\$\w", re.sub(r"<script.*?</script>", "", html, flags=re.DOTALL)), "nothing left unfilled"


def test_text_of_the_record_is_no_markup():
    html = render_html(film(an_episode()))
    assert "<b>careful" not in html
    assert "a <b>careful</b> agent" in Page(html).text
    assert "</script><" not in render_html(film(replace(an_episode(), agent="</script><script>alert(1)</script>")))


def test_the_changes_of_the_frames_add_up_to_the_positions():
    record = an_episode()
    frames = data_of(render_html(film(record)))["frames"]
    shown = film(record)
    now: dict[int, list[Any]] = {}
    for data, frame in zip(frames, shown.frames, strict=True):
        now |= {number: place for number, *place in data["changes"]}
        places = {spot.card: spot for spot in place_cards(frame.full, record.rules, spread=True)}
        assert {CARDS[number] for number in now} == set(places)
        for number, (x, y, scale, depth, known) in now.items():
            spot = places[CARDS[number]]
            assert (x, y, scale, depth) == (round(spot.x, 1), round(spot.y, 1), spot.scale, spot.depth)
            assert known == (CARDS[number] not in frame.view.unseen)
    sizes = [len(data["changes"]) for data in frames]
    assert sizes[0] == 52
    assert sum(sizes) < 12 * len(sizes), "only what has changed"


def test_the_words_of_the_players_view_name_no_unseen_card():
    html = render_html(film(an_episode()))
    data = data_of(html)
    start = " ".join(data["texts"][number] for number in data["frames"][0]["known"])
    assert start.startswith("Reserve: queen of clubs on top of 13 cards. Waste: empty. Stock: 34 cards.")
    everything = " ".join(data["texts"][number] for number in data["frames"][0]["all"])
    assert "Reserve: queen of clubs, 8 of hearts, queen of spades, jack of spades, ace of clubs" in everything


def test_the_moves_are_listed_with_annotations_and_values():
    text = re.sub(r"\s+", " ", Page(render_html(film(an_episode()))).text)
    assert "3 24 K♥+1:2>4 (Q♠:R>2)" in text
    assert f"{an_episode().extra['values'][2]:.3g}" in text


def test_a_bad_record_is_shown_up_to_the_bad_move_with_the_reason():
    html = render_html(film(a_faulty_episode()))
    text = Page(html).text
    assert "This record does not replay: move 4, 12:" in text
    assert "It is shown up to move 3." in text
    assert len(data_of(html)["frames"]) == 4


def test_decks_of_ones_own_and_miniature_games_have_pages():
    rules = Rules(ranks=5, columns=6, reserve=4)
    game = Game(Deal.random(1, ranks=5), rules).push_all("D D")
    html = render_html(film(Record.of_game(game, "stopped")))
    assert "own deck" in html
    assert 'id="copy"' not in html
    assert len(data_of(html)["frames"][0]["changes"]) == 20


def test_a_long_episode_stays_a_small_file():
    game = Game(Deal.from_code("CF1-D3-AAAAACL")).push_all(["D"] * 2000)
    assert len(render_html(film(Record.of_game(game, "max_steps")))) < 3_000_000
