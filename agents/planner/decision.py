"""A decision of the planner: what to do until the next card of the reserve is seen."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from time import perf_counter
from typing import Final

import numpy as np
from numpy.typing import NDArray

from agents.planner.options import Options
from agents.planner.samples import Samples, Weights, draw_samples
from agents.planner.search import (
    MOST_PLANS,
    Plans,
    compile_kernels,
    examine,
    explore,
    new_plans,
    reach_far,
    solve_order,
)
from canfield_env.env import actions
from canfield_env.errors import IllegalMoveError
from canfield_env.game import Game
from canfield_env.solver.moves import ALL_DOMINANCES, RELAXED, TAILS
from canfield_env.solver.search import FULL, OPEN, UNWINNABLE, WINNABLE
from canfield_env.solver.solution import Step
from canfield_env.solver.space import Space, new_space
from canfield_env.solver.state import DOMINANCES, RESERVE_CARDS
from canfield_env.view import PlayerView

#: The dominances, and what a card in the reserve, in the stock and in the columns counts in the search order. Short
#: searches win the most with the first of these; the others are for plans that turn out not to be playable: a way may
#: not be legal where D4 is not proved, and it may move cards to and fro for so long that the episode ends.
ATTEMPTS: Final[tuple[tuple[int, Weights], ...]] = (
    (ALL_DOMINANCES, (6, 3, 1)),
    (ALL_DOMINANCES, (6, 2, 1)),
    (ALL_DOMINANCES, (6, 1, 1)),
    (ALL_DOMINANCES & ~TAILS, (6, 3, 1)),
    (ALL_DOMINANCES & ~TAILS, (6, 1, 1)),
)
#: Actions in a row without progress that a plan may have: fewer than end an episode.
MOST_IDLE: Final = 30
#: The share of the plans that a round keeps is one in so many, and the next has so many times the orders and states.
RATE: Final = 3
#: So few orders are not made fewer for a first round.
FEW: Final = 6
#: What each step of a plan counts, as a share of the orders: of plans that win as often the shortest is taken, which
#: leaves the most open.
STEP: Final = 0.003
#: Orders that are searched between two looks at the clock.
BLOCK: Final = 8
#: How much is searched where no win is in sight: orders, and states for each.
LOST_ORDERS: Final = 12
LOST_STATES: Final = 250


class Planner:
    """Makes decisions; the memory that it needs is used again for each.

    Args:
        options: how much it thinks.
        make: what makes a decision: ``Decision``, or a kind of it.
    """

    def __init__(self, options: Options, make: MakeDecision) -> None:
        self._options = options
        self._make = make
        self._space: Space = new_space(max(8 * options.last, 2**17))
        self._plans: Plans = new_plans(max(options.orders, LOST_ORDERS))
        compile_kernels()

    def decide(self, view: PlayerView, seed: int) -> list[int]:
        """The actions up to the next card of the reserve, or to the end; none where nothing is left to be gained.

        It depends on the view and the seed only. No stock card may be unseen.
        """
        played: list[int] = []
        for dominances, weights in ATTEMPTS:
            try:
                played, idle = self._decide(view, seed, dominances, weights)
            except IllegalMoveError:  # D4 is not proved for what was met
                continue
            if idle <= MOST_IDLE:
                break
        return played

    def _decide(self, view: PlayerView, seed: int, dominances: int, weights: Weights) -> tuple[list[int], int]:
        samples = draw_samples(view, self._options.orders, seed, dominances, weights)
        return self._make(samples, self._options, self._space, self._plans).actions()


class Decision:
    """One decision at work.

    Args:
        samples: what the player knows.
        options: how much is thought.
        space, plans: memory for the search and its plans, whatever they hold.
    """

    def __init__(self, samples: Samples, options: Options, space: Space, plans: Plans) -> None:
        self._game, self._orders, self._words, self._board = samples
        self._options = options
        self._plans = plans
        self._ends_at = perf_counter() + options.seconds
        hidden = self._orders.shape[1]
        # The last hidden card is known, because all others are.
        self._top = int(self._board[RESERVE_CARDS + hidden]) if hidden > 1 else -1
        self._lost = np.zeros(len(self._orders), np.bool_)
        self._count = 0
        self._tools = (*space, self._board)

    def actions(self) -> tuple[list[int], int]:
        """The actions of the best plan, and how many of them in a row bring no progress."""
        best = self._find_winning()
        if best is None:
            best = self._find_furthest()
        return ([], 0) if best is None else self._as_actions(best)

    def _find_winning(self) -> int | None:
        """The plan that wins on most orders, or None where none wins on any."""
        options, orders = self._options, len(self._orders)
        # Fewer orders than asked for are searched the more.
        states = options.states * max(1, options.orders // orders)
        thorough = max(options.last if self._top < 0 else 0, states * RATE**options.rounds)
        self._solve(orders, thorough)
        if self._top >= 0 and not self._lost.all():
            self._explore(options.explore, options.plans)
            best = self._compare(states)
            if orders == 2 and best is not None and not self._is_best(best, orders):
                self._explore(options.last, MOST_PLANS)  # the last choice there is: by all plans
                best = self._compare(states)
            if best is not None:
                return best
            self._count = 0
        while self._count == 0 and thorough < options.last and not self._lost.all() and not self._is_late():
            thorough = min(thorough * RATE, options.last)
            self._solve(max(1, orders // RATE), thorough)
        return 0 if self._count else None

    def _solve(self, orders: int, states: int) -> None:
        """Finds the plans with which solutions of the orders start."""
        self._count = 0
        for k in range(orders):
            if self._is_late():
                break
            if not self._lost[k]:
                result, self._count = solve_order(
                    *self._words, self._top, k, self._orders, states, self._plans, self._count, *self._tools
                )
                self._lost[k] = result == UNWINNABLE

    def _explore(self, states: int, plans: int) -> None:
        """Adds short plans, which no order has any part in."""
        dominances = int(self._board[DOMINANCES])
        self._board[DOMINANCES] &= ~RELAXED
        most = min(self._count + plans, MOST_PLANS)
        self._count = explore(*self._words, self._top, states, most, self._plans, self._count, *self._tools)
        self._board[DOMINANCES] = dominances

    def _compare(self, states: int) -> int | None:
        """The best of the plans, or None where no order has been won after it."""
        certain = self._find_certain(states)
        return self._play_off(states) if certain is None else certain

    def _find_certain(self, states: int) -> int | None:
        """The best of the plans after which all orders are won that can be, if there are such."""
        plans = np.arange(self._count)
        for plan in np.argsort(-self._worth(plans, np.ones(self._count), len(self._orders)), kind="stable").tolist():
            for first in range(0, len(self._orders), BLOCK):
                if self._is_late():
                    return None
                self._examine(plan, first, first + BLOCK, states)
                if not self._is_best(plan, first + BLOCK):
                    break
            else:
                return int(plan)
        return None

    def _play_off(self, states: int) -> int | None:
        """The best of the plans by all rounds, or None where no order has been won after it."""
        chosen = np.arange(self._count)
        for still in range(self._options.rounds - 1, -1, -1):
            if len(chosen) < 2 or self._is_late():
                break
            orders = max(min(FEW, len(self._orders)), -(-len(self._orders) // RATE**still))
            done = 0
            while done < len(chosen) and self._has_examined(int(chosen[done]), orders, states):
                done += 1
                if still == 0 and self._is_best(int(chosen[done - 1]), orders):
                    break
            if done == 0:
                break
            chosen = chosen[:done]
            chosen = chosen[np.argsort(-self._values(chosen, orders), kind="stable")]
            chosen = chosen[: -(-len(chosen) // RATE)]
            states *= RATE
        won = [plan for plan in chosen if (self._plans.results[plan, : len(self._orders)] == WINNABLE).any()]
        return int(won[0]) if won else None

    def _has_examined(self, plan: int, orders: int, states: int) -> bool:
        """Searches the orders from the end of a plan, and tells whether there was time for all of them."""
        for first in range(0, orders, BLOCK):
            if self._is_late():
                return False
            self._examine(plan, first, min(first + BLOCK, orders), states)
        return True

    def _examine(self, plan: int, first: int, stop: int, states: int) -> None:
        """Searches some of the orders from the end of a plan."""
        stop = min(stop, len(self._orders))
        examine(plan, first, stop, self._orders, states, self._lost, self._plans, *self._tools)

    def _is_best(self, plan: int, orders: int) -> bool:
        """Whether of so many orders each is won after the plan that is not lost anyway: no plan can do better."""
        orders = min(orders, len(self._orders))
        return bool((self._lost[:orders] | (self._plans.results[plan, :orders] == WINNABLE)).all())

    def _values(self, chosen: NDArray[np.int64], orders: int) -> NDArray[np.float64]:
        """What the plans are worth by the first so many orders."""
        return self._worth(chosen, self._shares(chosen, orders), orders)

    def _shares(self, chosen: NDArray[np.int64], orders: int) -> NDArray[np.float64]:
        """The share of the orders that is won after each plan, with what the undecided ones count."""
        results = self._plans.results[chosen, :orders]
        undecided = (results == OPEN) | (results == FULL)
        shares: NDArray[np.float64] = ((results == WINNABLE) + self._options.undecided * undecided).mean(axis=1)
        return shares

    def _worth(self, chosen: NDArray[np.int64], shares: NDArray[np.float64], orders: int) -> NDArray[np.float64]:
        """What plans are worth after which these shares of so many orders are won; equal ones differ by their steps."""
        return shares - STEP * self._plans.lengths[chosen]

    def _find_furthest(self) -> int | None:
        """The plan that gets the most cards up on average, or None where nothing more can be reached."""
        self._board[DOMINANCES] &= ~RELAXED  # that gives up what is lost
        orders = self._orders[:LOST_ORDERS]
        self._count = reach_far(*self._words, self._top, orders, LOST_STATES, self._plans, *self._tools)
        if self._count == 0:
            return None
        return int(self._plans.reached[: self._count, : len(orders)].sum(axis=1).argmax())

    def _is_late(self) -> bool:
        return self._options.seconds > 0 and perf_counter() >= self._ends_at

    def _as_actions(self, plan: int) -> tuple[list[int], int]:
        """The actions of a plan, and how many in a row bring no progress; the game is played on by them.

        Where the way turns out not to be legal it ends with the last progress before that.

        Raises:
            IllegalMoveError: there is none.
        """
        game = self._game
        path = [(a, b) for a, b in self._plans.paths[plan, : self._plans.lengths[plan]].tolist()]
        played: list[int] = []
        least, progressed, most_idle = _left(game), 0, 0
        try:
            for before, after in pairwise(path):
                for move in Step(before, after, self._board, game).moves():
                    if move.source != "D":
                        played.append(actions.encode(game.full_position(), move, game.rules.ranks))
                    game.push(move)
                    if _left(game) < least:
                        least, progressed = _left(game), len(played)
                    most_idle = max(most_idle, len(played) - progressed)
        except IllegalMoveError:
            if progressed == 0:
                raise
            return played[:progressed], 0
        return played, most_idle


#: Makes a decision out of what ``Decision`` takes.
MakeDecision = Callable[[Samples, Options, Space, Plans], Decision]


def _left(game: Game) -> int:
    """What is left to do: cards to come out of the reserve, the stock and the waste, and cards not yet up."""
    return len(game.reserve) + len(game.stock) + len(game.waste) + game.rules.cards - game.cards_up
