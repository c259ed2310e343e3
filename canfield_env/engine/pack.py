"""Between the plain game and the structures of the engine."""

from __future__ import annotations

from canfield_env.cards import Card
from canfield_env.engine import layout as at
from canfield_env.game import Game
from canfield_env.notation import Position
from canfield_env.rules import Rules


def pack(game: Game, games: at.Games, index: int = 0) -> None:
    """Writes a game into ``games[index]``, on which ``kernels.start`` then starts an episode.

    The generator there is left as it is. What lies on a foundation counts as having reached it.
    """
    packed = games[index]
    packed["column_set"] = packed["length"] = packed["place"] = 0
    packed["legal"] = 0
    packed["base"], packed["draw"] = game.base, game.draw

    def number(card: Card) -> int:
        return at.card_number(card, game.base, game.rules.ranks)

    talon = game.waste + game.stock[::-1]
    for name, pile, place in (("reserve", game.reserve, at.IN_RESERVE), ("talon", talon, at.IN_TALON)):
        for i, card in enumerate(pile):
            packed[name][i] = number(card)
            packed["place"][number(card)] = place
    for k, column in enumerate(game.columns):
        packed["length"][k] = len(column)
        for i, card in enumerate(column):
            packed["columns"][k, i] = number(card)
            packed["column_set"][k] |= 1 << number(card)
            packed["place"][number(card)] = at.IN_COLUMN + 52 * k + i
    for suit, cards in enumerate(game.foundations):
        packed["height"][suit] = packed["peak"][suit] = len(cards)
        for card in cards:
            packed["place"][number(card)] = at.ON_FOUNDATION
    packed["reserve_count"], packed["waste_count"] = len(game.reserve), len(game.waste)
    packed["stock_count"] = len(game.stock)
    packed["redeals"], packed["actions"], packed["score"] = game.redeals, game.actions, game.score
    packed["deal"] = -1 if game.deal is None or game.deal.number is None else game.deal.number


def unpack(games: at.Games, index: int, rules: Rules) -> Game:
    """The plain game in ``games[index]``, without its past."""
    packed = games[index]
    base, ranks = int(packed["base"]), rules.ranks

    def cards(numbers: at.Games) -> tuple[Card, ...]:
        return tuple(at.numbered_card(number, base, ranks) for number in numbers.tolist())

    waste, stock = int(packed["waste_count"]), int(packed["stock_count"])
    position = Position(
        base,
        tuple((base + height - 1) % ranks if height else None for height in packed["height"].tolist()),
        cards(packed["reserve"][: packed["reserve_count"]]),
        cards(packed["talon"][waste : waste + stock])[::-1],
        cards(packed["talon"][:waste]),
        tuple(cards(packed["columns"][k, : packed["length"][k]]) for k in range(rules.columns)),
        int(packed["redeals"]),
        int(packed["actions"]),
    )
    return Game.from_position(position, rules, int(packed["draw"]), score=int(packed["score"]))
