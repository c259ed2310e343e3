"""The move that loses a game is found where it is."""

from canfield_env.evaluation.runner import evaluate
from canfield_env.evaluation.suites import Suite
from canfield_env.game import Game
from canfield_env.solver import Solver
from scripts import what_loses
from scripts.what_loses import LOSING, NEVER_WINNABLE, NOT_LOST, OTHER, STOCK_DOWN, STOCK_UP, TURNED_UP, WON


def test_the_losing_move_is_the_first_one_after_which_nothing_can_be_won():
    records = evaluate(["greedy"], Suite.load("smoke")).records[:12]
    solver = Solver()
    seen = set()
    for record in records:
        what, cards = what_loses.what_lost(record, solver)
        seen.add(what)
        assert (what == WON) == (record.outcome == "won")
        if what not in LOSING:
            continue
        game = Game(record.deal, record.rules)
        before = game.copy()
        for move in record.moves:
            if what_loses.is_lost(game, solver):
                break
            before = game.copy()
            game.push(move)
        assert len(before.reserve) == cards
        last = game.moves[-1]
        if what == TURNED_UP:
            assert len(game.reserve) < cards
        elif what in (STOCK_UP, STOCK_DOWN):
            assert (last.source, last.target == "F") == ("W", what == STOCK_UP)
        else:
            assert what == OTHER
            assert last.source != "W"
    assert seen & {STOCK_UP, STOCK_DOWN}
    assert seen <= {WON, NEVER_WINNABLE, NOT_LOST, *LOSING}
