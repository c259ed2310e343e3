"""Where cards stand on a terminal, how they are painted, and how the cursor goes about."""

from __future__ import annotations

from itertools import groupby

import pytest

from canfield_env import Deal, Game, Position, Rules
from canfield_env.play.layout import Cell, Layout, card_text, lay_out, needed_size, neighbour
from canfield_env.play.paint import STYLES, Highlights, paint

RUN = "Kc" + "QhJcTh9c8h7c6h5c4h3c2hAc" * 4


def position(column: int = 3) -> Position:
    """A position with a column of that many cards, whatever else would be wrong with it."""
    return Position.parse(f"7:--8- (9)Js (20) 8d7c2d {RUN[: 2 * column] or '-'}/Qs/-/As 0 4")


def laid_out(width: int = 80, height: int = 21, column: int = 3) -> Layout:
    layout = lay_out(position(column), Rules(), width, height)
    assert layout is not None
    return layout


def painted(layout: Layout, where: Position, width: int = 80, height: int = 21, lit: Highlights | None = None) -> str:
    return "\n".join("".join(text for text, _ in row) for row in paint(layout, where, Rules(), width, height, lit))


@pytest.mark.parametrize("size", [(74, 18), (80, 21), (100, 30), (200, 57), (300, 100)])
@pytest.mark.parametrize("column", [0, 1, 2, 9, 13, 20, 30, 40])
def test_every_card_of_the_columns_stands_on_the_screen(size: tuple[int, int], column: int):
    width, height = size
    layout = laid_out(width, height, column)
    for cell in layout.cells:
        assert cell.x >= 0
        assert cell.y >= 0
        assert cell.x + cell.width <= width
        assert cell.y + cell.height <= height
        assert layout.at(cell.x, cell.y) == cell, "its upper left corner is not covered"
    assert [c.index for c in layout.cells if c.pile == "1"] == (list(range(column)) or [-1])


@pytest.mark.parametrize("column", [3, 13, 14, 25, 40])
@pytest.mark.parametrize("size", [(80, 21), (200, 57)])
def test_every_card_of_a_column_can_be_read(size: tuple[int, int], column: int):
    width, height = size
    shown = painted(laid_out(width, height, column), position(column), width, height)
    cards = [card for card in position(column).columns[0] if card is not None]
    for card, many in groupby(sorted(cards)):
        short = card_text(card).replace("10", "T")
        assert shown.count(card_text(card)) + (short != card_text(card)) * shown.count(short) >= len(list(many))


def test_a_larger_screen_has_larger_cards():
    heights = [laid_out(*size).size.height for size in ((80, 21), (100, 30), (100, 42), (200, 57))]
    assert heights == sorted(set(heights))


def test_the_needed_size_is_exact():
    for rules in (Rules(), Rules(ranks=13, columns=7)):
        width, height = needed_size(rules)
        table = Game(Deal.random(1), rules).player_view().position
        assert lay_out(table, rules, width, height) is not None
        assert lay_out(table, rules, width - 1, height) is None
        assert lay_out(table, rules, width, height - 1) is None
    assert needed_size(Rules())[0] <= 80
    assert needed_size(Rules())[1] <= 21


def test_hidden_cards_are_not_painted():
    game = Game(Deal.from_code("CF1-D3-AAAAACL")).push_all("R2 RF 24 D")
    view = game.player_view()
    layout = lay_out(view.position, game.rules, 200, 57)
    assert layout is not None
    shown = painted(layout, view.position, 200, 57)
    for card in view.unseen:
        ghost = card.rank == game.base or card_text(card) == "9♥"  # what foundations need next
        assert ghost or card_text(card) not in shown
    assert layout.top("D").card is None


def test_large_cards_have_as_many_pips_as_their_rank_says():
    for rank in "A23456789T":
        where = Position.parse(f"7:---- - - - {rank}h/-/-/- 0 0")
        for width, height in ((200, 57), (100, 42)):
            layout = lay_out(where, Rules(), width, height)
            assert layout is not None
            ghosts = 2  # the foundation of hearts: its place, and what it needs next
            pips = painted(layout, where, width, height).count("♥") - ghosts - 2
            assert pips == "A23456789T".index(rank) + 1


def test_labels_tell_counts_and_what_foundations_need_next():
    shown = painted(laid_out(), position())
    for text in ("stock 20", "waste 3", "reserve 10", "next 7♣", "next 9♥", "next 7♠"):
        assert text in shown


def test_everything_pointed_out_shows_without_colour():
    plain = painted(laid_out(), position())
    for lit in (
        Highlights(cursor=("1", 1)),
        Highlights(picked=("1", 1)),
        Highlights(hint=("1", 1)),
        Highlights(targets=["4"]),
        Highlights(targets=["Fh"]),
        Highlights(cursor=("3", -1)),
    ):
        assert painted(laid_out(), position(), lit=lit) != plain


def test_a_picked_run_is_framed_from_its_card_on():
    rows = paint(laid_out(), position(), Rules(), 80, 21, Highlights(picked=("1", 1)))
    framed = [row for row in rows if any(style == "picked" for _, style in row)]
    assert len(framed) == 1 + 3, "the strip of one card and the whole of the last"


def test_only_known_styles_are_used():
    lit = Highlights(("R", -1), ("1", 1), ("W", 2), ["2", "Fh"])
    for column in (0, 3, 30):
        for row in paint(laid_out(column=column), position(column), Rules(), 80, 21, lit):
            assert sum(len(text) for text, _ in row) == 80
            assert {style for _, style in row} <= set(STYLES)


@pytest.mark.parametrize("size", [(80, 21), (200, 57)])
@pytest.mark.parametrize("column", [3, 25])
def test_the_arrow_keys_reach_every_card_that_can_move(size: tuple[int, int], column: int):
    layout = laid_out(*size, column=column)
    seen: set[Cell] = set()
    todo = [layout.top("R")]
    while todo:
        cell = todo.pop()
        if cell not in seen:
            seen.add(cell)
            todo += [neighbour(layout, cell, direction) for direction in ("left", "right", "up", "down")]
    covered = {cell for cell in layout.cells if cell.pile == "W" and cell != layout.top("W")}
    assert seen == set(layout.cells) - covered


def test_arrow_keys_stop_at_the_edge_and_go_through_columns_card_by_card():
    layout = laid_out()
    assert neighbour(layout, layout.top("D"), "left") == layout.top("D")
    assert neighbour(layout, layout.top("1"), "up") == layout.find("1", 1)
    assert neighbour(layout, layout.find("1", 0), "down") == layout.find("1", 1)
    assert neighbour(layout, layout.find("1", 0), "up") == layout.top("Fc")
    assert neighbour(layout, layout.top("R"), "right").pile == "1"
    assert neighbour(layout, layout.top("D"), "down") == layout.top("R")
