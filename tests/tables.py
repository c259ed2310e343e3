"""Tables laid out for one test."""

from __future__ import annotations

from canfield_env import Card, Game, Position, Rules
from canfield_env.cards import full_deck


def table(
    columns: str,
    *,
    tops: str = "A:----",
    reserve: str = "",
    stock: str = "-",
    waste: str = "-",
    rules: Rules | str = "app",
    draw: int = 3,
    redeals: int = 0,
) -> Game:
    """A game with these piles, written as in position texts, bottom to top.

    Cards named nowhere lie at the bottom of the stock, and those that it has no room for at the bottom of the reserve
    (unless that is ``-``, empty).
    """
    rules = Rules.of(rules)
    named = Position.parse(f"{tops} {reserve or '-'} {stock} {waste} {columns} {redeals} 0")
    lying = {
        card
        for pile in (*named.foundations(rules.ranks), named.reserve, named.stock, named.waste, *named.columns)
        for card in pile
    }
    rest: list[Card] = [card for card in full_deck(rules.ranks) if card not in lying]
    room = rules.stock - len(named.stock) - len(named.waste)
    under = 0 if reserve == "-" else max(len(rest) - room, 0)
    position = Position(
        named.base,
        named.tops,
        (*rest[:under], *named.reserve),
        (*rest[under:], *named.stock),
        named.waste,
        named.columns,
        redeals,
    )
    return Game.from_position(position, rules, draw)


def tokens(game: Game) -> list[str]:
    """The legal tokens."""
    return [str(move) for move in game.legal_moves()]
