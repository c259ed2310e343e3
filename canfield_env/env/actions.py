"""The action space: 261 discrete actions that mean the same whatever the base rank.

====================  ==========================================================================
action                move
====================  ==========================================================================
``0``                 turn the stock
``1 + 5*card``        ``card`` to its foundation
``1 + 5*card + k``    ``card``, with the run on it, onto column ``k`` (1 to 4)
====================  ==========================================================================

``card = 13*suit + rank_above_base``: suits c, d, h, s are 0 to 3, and the rank counts from the base rank (0) to the
last one (12). So every legal move has exactly one action, and no two legal moves share one.
"""

from __future__ import annotations

from typing import Final, SupportsIndex

from canfield_env.cards import SUITS, Card, card_at
from canfield_env.engine.layout import ACTIONS, card_number, numbered_card
from canfield_env.errors import IllegalMoveError, NotationError
from canfield_env.game import Game
from canfield_env.notation import Move, Position

#: Rises whenever what an action means changes; models are bound to it.
VERSION: Final = 1
#: The action that turns the stock.
TURN: Final = 0
#: Why that action is never legal with ``stock="auto"``.
TURNED_BY_ITSELF: Final = "with stock='auto' the stock is turned by itself"


def encode(position: Position, move: Move, ranks: int = 13) -> int:
    """The action of a move that is legal in a position.

    Args:
        position: full, or as the player knows it.
        move: a legal move.
        ranks: cards per suit.
    """
    if move.source == "D":
        return TURN
    if move.source == "W":
        card = position.waste[-1]
    elif move.source == "R":
        card = position.reserve[-1]
    elif move.source[0] == "F":
        suit = SUITS.index(move.source[1])
        top = position.tops[suit]
        card = None if top is None else card_at(suit, top)
    else:
        column = position.columns[int(move.source) - 1]
        card = column[-1] if move.target == "F" else column[-move.count if move.count else 0]
    assert card is not None  # cards that a legal move takes lie face up
    dest = 0 if move.target == "F" else int(move.target)
    return 1 + 5 * card_number(card, position.base, ranks) + dest


def decode(position: Position, action: int, ranks: int = 13) -> Move:
    """The move that an action means in a position; whether it is legal is the game's to say.

    A card of the stock or the waste is taken to be the top of the waste, which with ``stock="auto"`` it becomes first.

    Args:
        position: full, or as the player knows it.
        action: 0 to 260.
        ranks: cards per suit.

    Raises:
        IllegalMoveError: the action's card cannot be moved there, or is none that the player could move.
    """
    if action == TURN:
        return Move("D")
    card = card_of(action, position.base, ranks)
    dest = (action - 1) % 5
    target = str(dest) if dest else "F"
    if card is not None:
        for k, column in enumerate(position.columns, 1):
            if card in column:
                count = len(column) - column.index(card)
                if dest == k:
                    raise IllegalMoveError(f"action {action}: {card} is in column {k} already")
                if dest:
                    return Move(str(k), target, 0 if count == len(column) else count)
                if count == 1:
                    return Move(str(k), target)
        if position.reserve and position.reserve[-1] == card:
            return Move("R", target)
        if dest and position.tops[card.suit] == card.rank:
            return Move("F" + SUITS[card.suit], target)
        if card in position.waste or card in position.stock:
            return Move("W", target)
    name = card or "a card of no suit in this game"
    raise IllegalMoveError(f"action {action}: {name} is not in play there")


def card_of(action: int, base: int, ranks: int = 13) -> Card | None:
    """The card that an action other than 0 moves, or None where a miniature game has no such card."""
    number = (action - 1) // 5
    return numbered_card(number, base, ranks) if number % 13 < ranks else None


def check_action(action: SupportsIndex) -> int:
    """The action as an int.

    Raises:
        NotationError: it is no whole number from 0 to 260.
    """
    try:
        number = -1 if isinstance(action, bool) else action.__index__()
    except (AttributeError, TypeError):
        number = -1
    if not 0 <= number < ACTIONS:
        raise NotationError(f"action {action!r}: an action is a whole number from 0 to {ACTIONS - 1}")
    return number


def refusal(game: Game, action: int, *, auto_stock: bool) -> str:
    """Why an action is masked, as far as the player may know.

    Args:
        game: where the action was given.
        action: 0 to 260, masked.
        auto_stock: whether ``stock="auto"`` is played.
    """
    if action == TURN and auto_stock:
        return f"action 0: {TURNED_BY_ITSELF}"
    ranks = game.rules.ranks
    try:
        move = decode(game.player_view().position, action, ranks)
        if move.source == "W":
            card = card_of(action, game.base, ranks)
            game = game.copy()
            if game.waste[-1:] != (card,) and not (auto_stock and turn_up(game, card)):
                return f"action {action}: {card} is not in play"
        game.verify(move)
    except IllegalMoveError as error:
        return str(error) if str(error).startswith("action") else f"action {action}, {error}"
    raise AssertionError(f"action {action} is masked but {move} is legal")


def turn_up(game: Game, card: Card | None) -> bool:
    """Turns the stock of a game, at most through the next whole pass, until a card is the top of the waste."""
    for _ in range(2 * (len(game.stock) + len(game.waste)) + 2):
        if game.waste[-1:] == (card,):
            return True
        game.push("D")
    return False
