"""What moves are worth: on how many orders of the hidden cards the game can still be won after each of them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from agents.planner.decision import ATTEMPTS
from agents.planner.samples import draw_samples
from agents.planner.search import lay
from canfield_env.engine.jit import jit
from canfield_env.env import actions
from canfield_env.game import Game
from canfield_env.solver.search import UNWINNABLE, WINNABLE, search
from canfield_env.solver.space import new_space
from canfield_env.solver.state import pack
from canfield_env.view import PlayerView


class MoveJudge:
    """Judges moves; the memory that it needs is used again for each position.

    All moves of a position are judged by the same orders, so that they differ by what they do and not by luck.

    Args:
        orders: orders of the hidden cards at most; where there are no more, all of them are taken.
        states: states that the solver searches for each of them. Where there are fewer orders each has more.
    """

    def __init__(self, orders: int, states: int) -> None:
        self._orders = orders
        self._states = states
        self._space = new_space(max(8 * orders * states, 2**17))

    def judge(
        self, view: PlayerView, moves: Sequence[int] | NDArray[np.int64], seed: int
    ) -> tuple[NDArray[np.uint8], NDArray[np.uint8], int]:
        """What is reached after each move. It depends on the arguments only, and so on nothing that is hidden.

        Args:
            view: what the player knows; no stock card may be unseen.
            moves: M legal actions of ``stock="auto"``.
            seed: what the orders are drawn from.

        Returns:
            ``uint8[M]``, the orders that the solver wins; ``uint8[M]``, those that it comes to no end of; and how many
            orders there are.
        """
        game, orders, _, board = draw_samples(view, self._orders, seed, *ATTEMPTS[0])
        words = np.array([pack(_after(game, int(move)).full_position(), view.rules, view.draw) for move in moves])
        results = np.zeros((2, len(moves)), np.uint8)
        _judge_all(words, orders, self._states * (self._orders // len(orders)), results, *self._space, board)
        return results[0], results[1], len(orders)


def _after(game: Game, action: int) -> Game:
    """The game after an action of ``stock="auto"``. Which card comes up next in the reserve is of no account."""
    game = game.copy()
    move = actions.decode(game.full_position(), action, game.rules.ranks)
    if move.source == "W":
        actions.turn_up(game, actions.card_of(action, game.base, game.rules.ranks))
    game.push(move)
    return game


@jit
def _judge_all(
    words: np.ndarray,
    orders: np.ndarray,
    limit: int,
    results: np.ndarray,
    nodes: np.ndarray,
    table: np.ndarray,
    info: np.ndarray,
    board: np.ndarray,
) -> None:
    """Counts for each state the orders won, and those undecided."""
    for k in range(orders.shape[0]):
        lay(orders[k], board)
        for move in range(words.shape[0]):
            result = search(words[move, 0], words[move, 1], limit, nodes, table, info, board)
            results[0, move] += result == WINNABLE
            results[1, move] += result != WINNABLE and result != UNWINNABLE
