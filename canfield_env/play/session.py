"""A game as a person plays it, apart from any screen: undo and redo, carrying cards about, saving, the record."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, Final, Literal

from canfield_env.cards import SUITS, Card
from canfield_env.deals import Deal
from canfield_env.errors import IllegalMoveError
from canfield_env.game import UNDO_DEPTH, Game
from canfield_env.notation import Move, parse_moves
from canfield_env.records import Record, deal_fields
from canfield_env.rules import Rules

#: How the player is called in records.
AGENT: Final = "human"


class Session:
    """A game with what a person wants around it.

    Args:
        deal: the deal.
        rules: the rule set.
        clock: seconds on a clock that only goes forward.

    Attributes:
        game: the game; to be changed through the session only.
    """

    def __init__(self, deal: Deal, rules: Rules | str = "app", clock: Callable[[], float] = time.monotonic) -> None:
        self.deal = deal
        self.game = Game(deal, rules)
        self._undone: list[Move] = []
        self._clock = clock
        self._since = clock()
        self._before = 0.0

    @property
    def title(self) -> str:
        """The code, or what stands for it where the deck was given."""
        return self.deal.code or "own deck"

    @property
    def seconds(self) -> float:
        """How long the game has been played, over all sittings."""
        return self._before + self._clock() - self._since

    @property
    def state(self) -> Literal["won", "dead", "open"]:
        """Whether the game is won, has no move left whatever the stock brings, or goes on."""
        return "won" if self.game.is_won else "dead" if self.game.is_dead else "open"

    # ------------------------------------------------------------------ moves

    def play(self, move: Move | str) -> str:
        """Plays a move and returns it as people read it; what had been undone can no longer be redone.

        Raises:
            IllegalMoveError: the move is against the rules; nothing has changed then.
        """
        text = self.game.annotate(move)
        self.game.push(move)
        self._undone.clear()
        return text

    def foretell(self, move: Move) -> str:
        """A move as people read it before it is played: without the cards that turning the stock will bring up.

        Raises:
            IllegalMoveError: the move is not legal now.
        """
        text = self.game.annotate(move)
        return "turn the stock" if move.source == "D" and self.game.stock else text

    def undo(self) -> Move:
        """Takes back the last move, with its points.

        Raises:
            IllegalMoveError: nothing is left to undo.
        """
        move = self.game.undo()
        self._undone.append(move)
        return move

    def redo(self) -> Move:
        """Plays again what was undone last.

        Raises:
            IllegalMoveError: nothing has been undone since the last move.
        """
        if not self._undone:
            raise IllegalMoveError("nothing can be redone")
        return self.game.push(self._undone.pop())

    def tap(self, card: Card, double_tap: bool = True) -> Move | None:
        """The move that tapping a card makes (rule I1), or None; nothing is played."""
        return self.game.tap(card, double_tap)

    def carry(self, source: str, index: int, target: str) -> Move:
        """The move that carries the card at a place of a pile, with the run on it, to another pile.

        Args:
            source: ``"W"``, ``"R"``, ``"1"`` ..., or ``"Fc"`` ... ``"Fs"``.
            index: place in the pile, from the bottom.
            target: a column, or any foundation.

        Raises:
            IllegalMoveError: that is no move; the text says why.
        """
        pile = self.pile(source)
        count = len(pile) - index
        if target in ("W", "R", "D", source):
            raise IllegalMoveError("cards are carried to other columns and to foundations only")
        if count > 1 and not source.isdecimal():
            raise IllegalMoveError("only the card in play can be carried")
        if target[0] == "F":
            if count > 1:
                raise IllegalMoveError("only one card at a time goes to a foundation")
            if source[0] == "F":
                raise IllegalMoveError("from a foundation, cards go back to columns only")
            if pile and target[1:] not in ("", SUITS[pile[-1].suit]):
                raise IllegalMoveError(f"{pile[-1]} does not go on the foundation of another suit")
            return self.game.verify(Move(source, "F"))
        tail = count if source.isdecimal() and count < len(pile) else 0
        return self.game.verify(Move(source, target, tail))

    def longest(self, source: str, target: str) -> Move:
        """The legal move between two piles that carries the most cards.

        Raises:
            IllegalMoveError: there is none; the text says why the largest is not legal.
        """
        goal = "F" if target[0] == "F" else target
        for move in self.game.legal_moves():  # long runs come before short ones
            if (move.source, move.target) == (source, goal):
                return move
        whole = source.isdecimal() and goal != "F"
        return self.carry(source, 0 if whole else max(len(self.pile(source)) - 1, 0), target)

    def targets(self, source: str, index: int) -> list[str]:
        """The piles to which the card at a place of a pile can be carried: columns and ``Fc`` ... ``Fs``."""
        names = [str(k + 1) for k in range(self.game.rules.columns)] + [f"F{suit}" for suit in SUITS]
        return [name for name in names if self._can_carry(source, index, name)]

    def _can_carry(self, source: str, index: int, target: str) -> bool:
        try:
            self.carry(source, index, target)
        except IllegalMoveError:
            return False
        return True

    def pile(self, name: str) -> tuple[Card, ...]:
        """A pile by its name: ``"D"`` (stock), ``"W"``, ``"R"``, a column ``"1"`` ..., or ``"Fc"`` ... ``"Fs"``."""
        if name[0] == "F":
            return self.game.foundations[SUITS.index(name[1])]
        if name.isdecimal():
            return self.game.columns[int(name) - 1]
        return {"D": self.game.stock, "W": self.game.waste, "R": self.game.reserve}[name]

    # ------------------------------------------------------------------ keeping

    def record(self) -> Record:
        """The record of the game as it stands; its outcome is ``won``, ``dead``, or ``stopped`` by the player."""
        outcome = self.state if self.state != "open" else "stopped"
        return Record.of_game(self.game, outcome, AGENT, round(self.seconds, 1))

    def to_dict(self) -> dict[str, Any]:
        """All that ``from_dict`` needs to go on with the game, moves that can be redone included."""
        return {
            **deal_fields(self.deal),
            "rules": self.game.rules.to_dict(),
            "moves": " ".join(map(str, self.game.moves)),
            "undone": " ".join(map(str, self._undone)),
            "seconds": round(self.seconds, 1),
        }

    @classmethod
    def from_dict(cls, table: dict[str, Any], clock: Callable[[], float] = time.monotonic) -> Session:
        """A game to go on with.

        Raises:
            ValueError: the table does not describe a game; the text says why.
        """
        try:
            rules = Rules.from_dict(table["rules"])
            if "deal" in table:
                deal = Deal.from_code(table["deal"])
            else:
                deal = Deal.from_deck(table["deck"], table["draw"], rules.ranks)
            moves, undone = parse_moves(table["moves"]), parse_moves(table["undone"])
            session = cls(deal, rules, clock)
            session._before = float(table["seconds"])
        except (KeyError, TypeError, AttributeError) as error:
            raise ValueError(f"no game in progress: {error!r}") from error
        # What has been undone is played too and then undone: the player has seen the cards that it brought up.
        session.game.push_all([*moves, *reversed(undone)])
        for _ in undone[:UNDO_DEPTH]:
            session.undo()
        return session
