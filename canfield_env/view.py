"""What a player may know, and full positions that agree with it: all that search agents ever get."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from canfield_env.cards import Card, full_deck
from canfield_env.notation import Pile, Position
from canfield_env.rules import Rules


@dataclass(frozen=True, slots=True)
class PlayerView:
    """The table as a player knows it who remembers every card seen.

    Unseen are the reserve below its top card and the stock cards that have never been turned. ``Game.from_view``
    makes a playable game of a view by guessing them.

    Attributes:
        position: the table, with None for each unseen card.
        rules: the rule set.
        draw: cards a turn of the stock brings.
        score: the points so far.
    """

    position: Position
    rules: Rules
    draw: int
    score: int

    def __str__(self) -> str:
        return str(self.position)

    @property
    def unseen(self) -> tuple[Card, ...]:
        """The cards that lie in the places unseen, in deck order, which says nothing of where each is."""
        position = self.position
        known = {card for pile in position.foundations(self.rules.ranks) for card in pile}
        for pile in (position.reserve, position.stock, position.waste, *position.columns):
            known.update(card for card in pile if card is not None)
        return tuple(card for card in full_deck(self.rules.ranks) if card not in known)

    def sample(self, rng: np.random.Generator | int | None = None) -> Position:
        """A full position that agrees with the view, the unseen cards in random order, each order equally likely.

        Args:
            rng: a numpy generator, a seed for one, or None for a fresh one.
        """
        order = np.random.default_rng(rng).permutation(len(unseen := self.unseen))
        cards = iter([unseen[k] for k in order])

        def fill(pile: Pile) -> Pile:
            return tuple(next(cards) if card is None else card for card in pile)

        return replace(self.position, reserve=fill(self.position.reserve), stock=fill(self.position.stock))
