"""Perft: counting move sequences, the usual way to hold two implementations of a game's rules against each other."""

from __future__ import annotations

from canfield_env.game import UNDO_DEPTH, Game


def perft(game: Game, depth: int) -> int:
    """The number of sequences of exactly ``depth`` moves from where the game stands, which stays as it is.

    Sequences that lead to the same position count each. A won game has no moves.

    Raises:
        ValueError: the depth is negative, or more than can be undone.
    """
    _check_depth(depth)
    return _count(game.copy(), depth)


def divide(game: Game, depth: int) -> dict[str, int]:
    """The same count split by first move, in the order of ``legal_moves``; empty at depth 0.

    Raises:
        ValueError: the depth is negative, or more than can be undone.
    """
    _check_depth(depth)
    return _divide(game.copy(), depth) if depth else {}


def _check_depth(depth: int) -> None:
    if not 0 <= depth <= UNDO_DEPTH:
        raise ValueError(f"depth must be from 0 to {UNDO_DEPTH}, not {depth}")


def _count(game: Game, depth: int) -> int:
    if depth == 0:
        return 1
    if depth == 1:
        return len(game.legal_moves())
    return sum(_divide(game, depth).values())


def _divide(game: Game, depth: int) -> dict[str, int]:
    counts = {}
    for move in game.legal_moves():
        game.push(move)
        counts[str(move)] = _count(game, depth - 1)
        game.undo()
    return counts
