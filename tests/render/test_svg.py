"""Positions as SVG."""

from __future__ import annotations

import re
from dataclasses import replace
from xml.etree import ElementTree

import pytest

from canfield_env import Card, Deal, Game, PlayerView, Position, Rules
from canfield_env.cards import CARDS
from canfield_env.render.art import CARD_HEIGHT, CARD_WIDTH, STRIP, Shape, card_face, flatten
from canfield_env.render.scene import place_cards, scene_size
from canfield_env.render.svg import render_svg

NAMESPACE = "{http://www.w3.org/2000/svg}"


def played(moves: str = "R2 RF 24 D") -> Game:
    return Game(Deal.from_code("CF1-D3-AAAAACL")).push_all(moves)


def everything(game: Game) -> PlayerView:
    return replace(game.player_view(), position=game.full_position())


def faces_used(svg: str) -> list[str]:
    return [use.get("href", "")[-2:] for use in ElementTree.fromstring(svg).iter(f"{NAMESPACE}use")]


def test_every_reference_is_defined_and_nothing_is_fetched():
    svg = render_svg(played().player_view(), "CF1-D3-AAAAACL", spread=True)
    tree = ElementTree.fromstring(svg)
    defined = {element.get("id") for element in tree.iter()}
    for use in tree.iter(f"{NAMESPACE}use"):
        assert use.get("href", "").removeprefix("#") in defined
    assert set(re.findall(r"https?://[^\"' ]+", svg)) == {"http://www.w3.org/2000/svg"}


def test_the_players_picture_holds_no_unseen_card():
    game = played()
    view = game.player_view()
    shown = {face for face in faces_used(render_svg(view, spread=True)) if face != "ck"}
    assert shown == {str(card) for card in CARDS} - {str(card) for card in view.unseen}
    assert "Kc" not in render_svg(view), "a card of the reserve that has not been seen"


def test_permuting_unseen_cards_changes_nothing():
    view = played().player_view()
    other = Game.from_view(view, rng=1)
    assert other.full_position() != played().full_position()
    assert render_svg(other.player_view()) == render_svg(view)


def test_the_full_picture_shows_every_card_once():
    game = played()
    faces = faces_used(render_svg(everything(game), spread=True))
    hearts = [str(card) for card in game.foundations[2]]
    assert sorted(face for face in faces if face != "ck") == sorted(str(card) for card in CARDS)
    assert faces.index(hearts[0]) < faces.index(hearts[1]), "the later card lies on top"


def test_two_pictures_on_one_page_share_no_id():
    first = set(re.findall(r' id="([^"]+)"', render_svg(played("D").player_view())))
    second = set(re.findall(r' id="([^"]+)"', render_svg(played("D D").player_view())))
    assert first.isdisjoint(second)


def test_title_and_footer_are_escaped_and_described_in_words():
    svg = render_svg(played().player_view(), "<&>", footer="Kh+1:2>4 (Qs:R>2)")
    tree = ElementTree.fromstring(svg)
    assert tree.findtext(f"{NAMESPACE}title") == "Canfield <&>"
    assert "Column 4: ace of spades, king of hearts, queen of clubs" in (tree.findtext(f"{NAMESPACE}desc") or "")
    assert "Kh+1:2>4 (Qs:R>2)" in [text.text for text in tree.iter(f"{NAMESPACE}text")]


def test_marked_cards_are_framed():
    view = played().player_view()
    assert render_svg(view, marked=[Card("Qc")]).count("#ffb703") == 1
    assert render_svg(view).count("#ffb703") == 0


@pytest.mark.parametrize(
    "position",
    [
        "7:---- - (34) - -/-/-/- 0 0",
        "7:6666 - - - -/-/-/- 9 400",
        # The longest column there can be.
        "A:A--- - - - " + "/".join(["Kc" + "QhJcTh9c8h7c6h5c4h3c2hAc" * 2, "-", "-", "-"]) + " 0 0",
        "A:A--- (13) (20) (14) -/-/-/- 0 0",
    ],
)
@pytest.mark.parametrize("spread", [False, True])
def test_every_pile_stays_on_the_table(position: str, spread: bool):
    rules = Rules()
    width, height = scene_size(rules, spread)
    for _, x, y, scale, _ in place_cards(Position.parse(position), rules, spread):
        assert 0 <= x <= width - CARD_WIDTH * scale
        assert 0 <= y <= height - CARD_HEIGHT * scale


def test_miniature_games_have_their_own_table():
    rules = Rules(ranks=5, columns=6, reserve=4)
    game = Game(Deal.random(1, ranks=5), rules)
    assert scene_size(rules)[0] > scene_size(Rules())[0]
    ElementTree.fromstring(render_svg(game.player_view()))


@pytest.mark.parametrize("card", CARDS)
def test_rank_and_suit_can_be_read_in_both_strips(card: Card):
    """What stays uncovered in a column (an upper strip) and in the waste (a left strip) shows rank and suit."""
    rank, below, beside = card_face(card)[1:4]
    for shape in (rank, beside):
        assert _bounds(shape)[3] <= STRIP, "within the upper strip"
    for shape in (rank, below):
        assert _bounds(shape)[2] <= STRIP, "within the left strip"
    for shape in card_face(card):
        left, top, right, bottom = _bounds(shape)
        assert left >= 0
        assert top >= 0
        assert right <= CARD_WIDTH
        assert bottom <= CARD_HEIGHT


def _bounds(shape: Shape) -> tuple[float, float, float, float]:
    points = [point for line, _ in flatten(shape.path) for point in line]
    half = shape.stroke / 2
    xs = [shape.x + shape.scale * (x + side) for x, _ in points for side in (-half, half)]
    ys = [shape.y + shape.scale * (y + side) for _, y in points for side in (-half, half)]
    return min(xs), min(ys), max(xs), max(ys)


def test_flatten_keeps_the_ends_of_every_part():
    parts = list(flatten("M 0 0 C 0 10 10 10 10 0 L 5 5 Z M 1 2 L 3 4"))
    assert [closed for _, closed in parts] == [True, False]
    assert parts[0][0][0] == (0, 0)
    assert parts[0][0][-2:] == [(10, 0), (5, 5)]
    assert parts[1][0] == [(1, 2), (3, 4)]
