"""The engine against the plain game: legal moves, position, score, end and observations at every step."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from random import Random

import numpy as np
import pytest

from canfield_env import Deal, Game, Rules
from canfield_env.engine import layout
from canfield_env.engine.batch import Batch, Told
from canfield_env.engine.pack import unpack
from canfield_env.env import actions
from tests import oracle
from tests.parity import plain
from tests.walks import RULE_SETS, late_state, law_of

ENGINE_RULES = {name: rules for name, rules in RULE_SETS.items() if rules.columns <= layout.MAX_COLUMNS}
ONLY = np.zeros(1, np.intp)
MAX_IDLE = 30


def new_batch(game: Game, *, auto: bool = False, planes: bool = True) -> Batch:
    """A batch of one that holds a game, without limits."""
    batch = Batch(1, layout.new_settings(game.rules, auto_stock=auto, planes=planes))
    batch.begin(ONLY, [None], {0: game})
    return batch


def late_game(rng: Random, rules: Rules, draw: int) -> Game:
    return Game.from_position(oracle.show(late_state(rng, law_of(rules, draw))), rules, draw)


def new_game(rng: Random, rules: Rules, draw: int) -> Game:
    return Game(Deal.random(rng.randrange(10**6), draw, rules.ranks), rules)


def facts(told: Told) -> tuple[str, int, int, int]:
    outcome, score, cards_up, moves, _ = told.facts[:, 0].tolist()
    return layout.OUTCOMES[outcome], score, cards_up, moves


class Player:
    """Plays the same game in the engine and in plain Python."""

    def __init__(self, game: Game, *, planes: bool, rng: Random) -> None:
        self.game, self.planes, self.rng = game, planes, rng
        self.batch = new_batch(game, planes=planes)
        self.batch.settings["max_idle"] = -1
        self.told = self.batch.tell()
        self.idle = 0
        self.peaks = [len(pile) for pile in game.foundations]
        self.longest = 0

    def check(self, *, at_start: bool) -> None:
        game, told = self.game, self.told
        assert unpack(self.batch.games, 0, game.rules) == game
        outcome, score, cards_up, moves = facts(told)
        assert (score, cards_up, moves) == (game.score, game.cards_up, game.actions)
        assert (outcome == "won") == game.is_won
        if not at_start:  # whether turning can help at all is found out by the first step
            assert (outcome == "dead") == game.is_dead
        legal = plain.legal_actions(game)
        if outcome:
            assert told.masks.all()
            assert game.is_won or set(legal) <= {actions.TURN}
        else:
            assert set(np.flatnonzero(told.masks)) == set(legal)
            position = game.full_position()
            for action, move in legal.items():
                assert actions.decode(position, action, game.rules.ranks) == move
        view = game.player_view()
        if self.planes:
            expected = plain.planes(view, self.idle, self.peaks, None)
            np.testing.assert_allclose(told.observations.view(np.float32)[0], expected, rtol=1e-6)
        else:
            np.testing.assert_array_equal(told.observations[0], plain.tokens(view, self.idle, self.peaks))
        self.longest = max(self.longest, *map(len, game.columns))

    def check_refusals(self) -> None:
        """Every masked action is refused, and is refused by the plain game too."""
        legal = plain.legal_actions(self.game)
        for action in range(layout.ACTIONS):
            refused = self.batch.find_refused(np.array([action]), masked=True) == 0
            assert refused == (action not in legal), action
            if refused:
                assert actions.refusal(self.game, action, auto_stock=False).startswith(f"action {action}")

    def play(self, steps: int) -> None:
        self.check(at_start=True)
        for step in range(steps):
            moves = self.game.legal_moves()
            if self.told.facts[0, 0] != layout.RUNNING or not moves:
                return
            if step % 40 == 7:
                self.check_refusals()
            if self.rng.random() < 0.05:
                ways: list[Callable[[Batch], Batch]] = [copy.deepcopy, self.unpickle, self.repack]
                self.batch = self.rng.choice(ways)(self.batch)
            self.push(plain.choose(moves, self.rng))
            self.check(at_start=False)

    def unpickle(self, batch: Batch) -> Batch:
        again: Batch = pickle.loads(pickle.dumps(batch))
        return again

    def repack(self, batch: Batch) -> Batch:
        """The game restored from its plain form, with what the plain form does not know."""
        fresh = new_batch(unpack(batch.games, 0, self.game.rules), planes=self.planes)
        for name in ("idle", "steps", "peak", "total"):
            fresh.games[name] = batch.games[name]
        return fresh

    def push(self, move) -> None:
        action = actions.encode(self.game.full_position(), move, self.game.rules.ranks)
        before = self.game.full_position()
        peaks = sum(self.peaks)
        self.game.push(move)
        self.peaks = [max(peak, len(pile)) for peak, pile in zip(self.peaks, self.game.foundations, strict=True)]
        after = self.game.full_position()
        talon_before, talon_after = (len(p.stock) + len(p.waste) for p in (before, after))
        progress = sum(self.peaks) > peaks or talon_after < talon_before or len(after.reserve) < len(before.reserve)
        self.idle = 0 if progress else self.idle + 1
        self.told = self.batch.step(np.array([action]))
        assert not self.told.flags[2, 0]
        assert self.told.rewards[0, 0] == 5 * (sum(self.peaks) - peaks)


@pytest.mark.parametrize("draw", [1, 3])
@pytest.mark.parametrize("name", ENGINE_RULES)
def test_engine_agrees_at_every_step(name: str, draw: int) -> None:
    rules, rng = ENGINE_RULES[name], Random(f"{name} {draw}")
    for k in range(4):
        planes = k % 2 == 0 or rules.stock > 45  # more than the tokens tell apart
        Player(new_game(rng, rules, draw), planes=planes, rng=rng).play(150)
        Player(late_game(rng, rules, draw), planes=planes, rng=rng).play(60)


@pytest.mark.slow
@pytest.mark.parametrize("draw", [1, 3])
@pytest.mark.parametrize("name", ENGINE_RULES)
def test_engine_agrees_over_many_long_games(name: str, draw: int) -> None:
    rules, rng = ENGINE_RULES[name], Random(f"slow {name} {draw}")
    for k in range(10):
        planes = k % 2 == 0 or rules.stock > 45
        Player(new_game(rng, rules, draw), planes=planes, rng=rng).play(1000)
        Player(late_game(rng, rules, draw), planes=planes, rng=rng).play(300)


#: All 52 cards as one packed run from Kc down, in alternating colours and wrapping.
RUN = [f"{'KQJT98765432A'[i % 13]}{'cd'[i % 2] if i < 26 else 'sh'[i % 2]}" for i in range(52)]


def test_columns_of_up_to_52_cards() -> None:
    assert len(set(RUN)) == 52
    for length in (18, 26, 40, 52):
        column, waste = "".join(RUN[:length]), "".join(RUN[length:]) or "-"
        for text in (f"A:---- - - {waste} {column}/-/-/- 1 0", f"A:---- - {waste} - -/-/-/{column} 1 0"):
            for seed in range(3):
                player = Player(Game.from_position(text), planes=seed % 2 == 0, rng=Random(seed))
                player.play(120)
                assert player.longest >= length


@pytest.mark.parametrize("ranks", [13, 5, 2])
def test_engine_deals_the_decks_of_the_deal_numbers(ranks: int) -> None:
    rules = Rules(ranks=ranks, columns=2, reserve=2)
    batch = Batch(300, layout.new_settings(rules, draw=1))
    batch.begin(np.arange(300), range(300), {})
    numbers = batch.games["deal"].tolist()
    assert len(set(numbers)) == 300
    assert min(numbers) >= 2**20
    assert max(numbers) < 2**30
    for row, number in enumerate(numbers):
        deal = Deal.from_number(number, 1, ranks)
        assert unpack(batch.games, row, rules) == Game(deal, rules)
        assert batch.codes[row] == (deal.code or "")


@pytest.mark.parametrize("draw", [1, 3])
@pytest.mark.parametrize("name", [name for name, rules in ENGINE_RULES.items() if rules.redeals is None])
def test_auto_stock_plays_what_turning_can_bring_up(name: str, draw: int) -> None:
    rules, rng = ENGINE_RULES[name], Random(f"auto {name} {draw}")
    for late in (False, True, False):
        game = late_game(rng, rules, draw) if late else new_game(rng, rules, draw)
        batch = new_batch(game, auto=True)
        if game.redeals == 0:
            while game.stock:
                game.push("D")
        told = batch.tell()
        for _ in range(100):
            assert unpack(batch.games, 0, rules).full_position() == game.full_position()
            expected = plain.reachable_actions(game)
            if told.facts[0, 0] != layout.RUNNING:
                assert game.is_won or not expected
                break
            assert set(np.flatnonzero(told.masks)) == set(expected)
            for action in range(0, layout.ACTIONS, 7):
                if action not in expected:
                    assert actions.refusal(game, action, auto_stock=True).startswith(f"action {action}")
            move = plain.choose([move for _, move in expected.values()], rng)
            action, (turns, _) = next((a, found) for a, found in expected.items() if found[1] == move)
            for _ in range(turns):
                game.push("D")
            game.push(move)
            told = batch.step(np.array([action]))
            assert facts(told)[1:] == (game.score, game.cards_up, game.actions)


def test_the_same_generator_whatever_the_history() -> None:
    """A deal given by hand leaves the order of the random ones alone."""
    batch = Batch(2, layout.new_settings(Rules()))
    batch.begin(np.arange(2), [7, 7], {})
    batch.begin(np.arange(2), [None, None], {0: Game(Deal.from_number(5))})
    assert batch.codes[0] == Deal.from_number(5).code
    second = batch.codes[1]
    batch.begin(np.arange(2), [None, None], {})
    assert batch.codes[0] == second


def test_more_columns_than_the_engine_has() -> None:
    with pytest.raises(ValueError, match="4 columns, the rules have 9"):
        layout.new_settings(RULE_SETS["nine-columns"])


def test_a_game_is_small() -> None:
    assert layout.GAME.itemsize <= 512
