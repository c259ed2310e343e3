"""The table as text: what it shows, what it hides, and that it suits pipes and terminals."""

from __future__ import annotations

import re
from collections import Counter
from random import Random

import pytest

from canfield_env import Deal, Game, Position
from canfield_env.render.text import render_game, render_text, with_symbols
from tests.walks import RULE_SETS

PUBLISHED = "CF1-D3-AAAAACL"


def played(seed: int, rules: str = "app", draw: int = 3, moves: int = 60) -> Game:
    """A game after random moves."""
    rng = Random(seed)
    game = Game(Deal.random(seed, draw, RULE_SETS[rules].ranks), RULE_SETS[rules])
    for _ in range(moves):
        if not (legal := game.legal_moves()):
            break
        game.push(rng.choice(legal))
    return game


GAMES = [(seed, rules, draw) for seed, rules in enumerate(RULE_SETS) for draw in (1, 3)]


def test_the_published_deal():
    assert render_game(Game(Deal.from_code(PUBLISHED))).splitlines() == [
        "CF1-D3-AAAAACL   score 0   cards up 1 of 52   moves 0   redeals 0",
        "",
        "  reserve  13        Qc     foundations    --    --    7h    --",
        "  stock    34        ??     next           7c    7d    8h    7s",
        "  waste     0        --",
        "                            columns        1     2     3     4",
        "                                           6c    Kh    Qh    As",
    ]


def test_a_frame_with_its_move():
    game = Game(Deal.from_code(PUBLISHED)).push_all("R2 RF 24 D")
    assert render_game(game, "D   turn 8d 7c 2d").splitlines() == [
        "D   turn 8d 7c 2d",
        "CF1-D3-AAAAACL   score 5   cards up 2 of 52   moves 4   redeals 0",
        "",
        "  reserve  10        Js     foundations    --    --    8h    --",
        "  stock    31        ??     next           7c    7d    9h    7s",
        "  waste     3  8d 7c 2d",
        "                            columns        1     2     3     4",
        "                                           6c    Qs    Qh    As",
        "                                                             Kh",
        "                                                             Qc",
    ]


def test_a_player_sees_the_stock_after_a_redeal_and_the_full_view_everything():
    game = Game(Deal.from_code(PUBLISHED)).push_all("R2 RF 24" + 14 * " D")
    stock = [
        "",
        "  out of sight, in the order of coming up:",
        "  stock    5s 2s Ah  Jc 9d 6s  4h Kd 6d  4d 9s Jh  4c 9c Jd  Tc Qd 5c",
        "           4s 8c 6h  3d 8s Ts  Ks 7s Td  Ad 2c 5d  5h",
    ]
    player, full = render_game(game).splitlines(), render_game(game, full=True).splitlines()
    assert player[-4:] == stock
    assert full == [*player[:-2], "  reserve  Ac 7d Th Kc 3h 2h 3c 3s 9h", *stock[2:]]


def test_a_won_game_has_full_foundations():
    text = render_text(Position.parse("7:6666 - - - -/-/-/- 9 300"))
    assert text.splitlines() == [
        "draw 3   cards up 52 of 52   moves 300   redeals 9",
        "",
        "  reserve   0        --     foundations    6c    6d    6h    6s",
        "  stock     0        --     next         full  full  full  full",
        "  waste     0        --",
        "                            columns        1     2     3     4",
        "                                           --    --    --    --",
    ]


@pytest.mark.parametrize(("seed", "rules", "draw"), GAMES)
def test_every_card_off_the_foundations_is_in_the_full_view_once(seed, rules, draw):
    game = played(seed, rules, draw)
    lines = render_game(game, full=True).splitlines()
    foundations, needed = (
        next(k for k, line in enumerate(lines) if f" {name} " in line) for name in ("foundations", "next")
    )
    lines[foundations], lines[needed] = (
        lines[foundations].partition("foundations")[0],
        lines[needed].partition("next")[0],
    )
    shown = Counter(re.findall(r"\b[A2-9TJQK][cdhs]\b", "\n".join(lines)))
    lying = [card for pile in (game.reserve, game.stock, game.waste, *game.columns) for card in pile]
    assert shown == Counter(map(str, lying))


@pytest.mark.parametrize(("seed", "rules", "draw"), GAMES)
def test_nothing_shown_to_a_player_depends_on_unseen_cards(seed, rules, draw):
    game = played(seed, rules, draw, moves=12)
    view = game.player_view()
    for guess in range(5):
        other = Game.from_view(view, guess)
        assert render_text(other.player_view()) == render_text(view)
    hidden = [*game.reserve[:-1], *game.stock]
    shown = set(re.findall(r"\b[A2-9TJQK][cdhs]\b", re.sub("next.*", "", render_text(view))))
    assert shown.isdisjoint(set(hidden) & set(view.unseen))


@pytest.mark.parametrize(("seed", "rules", "draw"), GAMES)
def test_frames_are_plain_narrow_and_stable(seed, rules, draw):
    game = played(seed, rules, draw, moves=200)
    before = game.copy()
    for text in (render_game(game), render_game(game, full=True)):
        lines = text.splitlines()
        assert text.isascii()
        assert max(map(len, lines)) <= (80 if game.rules.columns == 4 else 100)
        assert all(line == line.rstrip() for line in lines)
        assert [lines[k][2:9].strip() for k in (2, 3, 4)] == ["reserve", "stock", "waste"]
        assert [lines[k][28:39].strip() for k in (2, 3, 5)] == ["foundations", "next", "columns"]
    assert game == before
    assert game.moves == before.moves


def test_a_bare_position_is_shown_as_far_as_it_goes():
    text = render_text(Position.parse("7:--7- (12)Qc (34) - 6c/Kh/Qh/As 0 0"), title="deal")
    assert text.splitlines()[0] == "deal   cards up 1 of 52   moves 0   redeals 0"
    assert text.splitlines()[2] == "  reserve  13        Qc     foundations    --    --    7h    --"


def test_symbols_replace_the_suits_of_cards_and_nothing_else():
    assert with_symbols("24   Kh+1:2>4 (Qs:R>2)") == "24   K♥+1:2>4 (Q♠:R>2)"
    assert with_symbols("Fh2   8h:F>2") == "Fh2   8♥:F>2"
    assert with_symbols("D   turn 8d 7c 2d") == "D   turn 8♦ 7♣ 2♦"
    assert with_symbols("CF1-D3-AAAAACL   cards up 2") == "CF1-D3-AAAAACL   cards up 2"
    assert with_symbols("13x2   Td+1:1>3") == "13x2   T♦+1:1>3"
