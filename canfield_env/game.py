"""The game in plain Python, the reference that all faster code is held to. Rule numbers: ``docs/rules.md``."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from copy import deepcopy
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Final, Literal

import numpy as np

from canfield_env.cards import RANKS, SUIT_NAMES, SUITS, Card, card_at, deck_fault, full_deck
from canfield_env.deals import Deal, check_draw
from canfield_env.errors import DealError, IllegalMoveError, NotationError
from canfield_env.notation import Move, Position, parse_moves
from canfield_env.rules import Rules
from canfield_env.view import PlayerView

#: How many actions can be undone (H3).
UNDO_DEPTH: Final = 100
#: Points for a card that reaches a foundation (H1).
POINTS_PER_CARD: Final = 5


@dataclass(slots=True)
class _Table:
    """The piles, each from bottom to top: the last card is the one in play."""

    foundations: list[list[Card]]
    reserve: list[Card]
    stock: list[Card]
    waste: list[Card]
    columns: list[list[Card]]
    redeals: int = 0
    actions: int = 0
    score: int = 0

    def copy(self) -> _Table:
        return _Table(
            [pile[:] for pile in self.foundations],
            self.reserve[:],
            self.stock[:],
            self.waste[:],
            [pile[:] for pile in self.columns],
            self.redeals,
            self.actions,
            self.score,
        )


@dataclass(frozen=True, slots=True)
class CasinoBet:
    """A telling of the casino's bet (H4), in dollars.

    Attributes:
        deck: price of the deck.
        card: paid for each card on the foundations, the base card counted.
        all_cards: paid for a won game in place of that, or None.
    """

    deck: int
    card: int
    all_cards: int | None

    def net(self, cards_up: int, won: bool) -> int:
        """What the player has gained, or lost where negative, with that many cards up."""
        paid = self.all_cards if won and self.all_cards is not None else self.card * cards_up
        return paid - self.deck


#: The two tellings of the bet: $50 a deck and $500 for all cards; or $52 a deck and nothing extra.
CASINO_BETS: Final = {"fifty": CasinoBet(50, 5, 500), "fifty-two": CasinoBet(52, 5, None)}


@dataclass(slots=True)
class _Past:
    """What undo needs: the tables before the last moves, and those moves."""

    tables: deque[_Table] = field(default_factory=lambda: deque(maxlen=UNDO_DEPTH))
    moves: list[Move] = field(default_factory=list)


class Game:
    """A game of Canfield in progress.

    Args:
        deal: the shuffled deck and the number of cards a turn brings.
        rules: ``"app"``, ``"hoyle"``, a ``Rules`` value, or the path of a TOML file.

    Raises:
        ConfigError: no such rule set.
        DealError: it is no deal, or the deck is not of the size that the rules need.
    """

    def __init__(self, deal: Deal, rules: Rules | str = "app") -> None:
        if not isinstance(deal, Deal):
            raise DealError(f"a game is played on a Deal, such as Deal.from_code('CF1-D3-AAAAACL'), not {deal!r}")
        rules = Rules.of(rules)
        if len(deal.deck) != rules.cards:
            raise DealError(f"the deck has {len(deal.deck)} cards, the rules need {rules.cards}")
        cards = list(deal.deck)  # A2
        reserve, cards = cards[: rules.reserve], cards[rules.reserve :]
        base, cards = cards[0], cards[1:]
        columns, stock = cards[: rules.columns], cards[rules.columns :]
        foundations: list[list[Card]] = [[], [], [], []]
        foundations[base.suit].append(base)
        table = _Table(foundations, reserve, stock[::-1], [], [[card] for card in columns])
        self._start(rules, deal.draw, base.rank, table, deal)

    def _start(self, rules: Rules, draw: int, base: int, table: _Table, deal: Deal | None) -> None:
        self.rules = rules
        self.draw = draw
        self.deal = deal
        self.base = base
        self._table = table
        self._past = _Past()
        self._seen: set[Card] = set()
        if table.redeals:  # the waste has been turned back, so every card of the stock has been on it
            self._seen.update(table.stock)
        self._look()

    # ------------------------------------------------------------------ what lies on the table

    @property
    def foundations(self) -> tuple[tuple[Card, ...], ...]:
        """The foundations of clubs, diamonds, hearts and spades, from the base card up."""
        return tuple(map(tuple, self._table.foundations))

    @property
    def reserve(self) -> tuple[Card, ...]:
        """The reserve; its last card is on top."""
        return tuple(self._table.reserve)

    @property
    def stock(self) -> tuple[Card, ...]:
        """The stock; its last card is turned next."""
        return tuple(self._table.stock)

    @property
    def waste(self) -> tuple[Card, ...]:
        """The waste; its last card is on top."""
        return tuple(self._table.waste)

    @property
    def columns(self) -> tuple[tuple[Card, ...], ...]:
        """The columns, each from its root to the card in play."""
        return tuple(map(tuple, self._table.columns))

    @property
    def redeals(self) -> int:
        """How often the waste has been turned back."""
        return self._table.redeals

    @property
    def actions(self) -> int:
        """Actions played, stock turns included; an undone action no longer counts."""
        return self._table.actions

    @property
    def score(self) -> int:
        """Points: +5 for each card that reached a foundation from the reserve, a column or the waste (H1)."""
        return self._table.score

    @property
    def cards_up(self) -> int:
        """Cards on the foundations, the base card included."""
        return sum(map(len, self._table.foundations))

    @property
    def is_won(self) -> bool:
        """Whether all foundations are full (G1)."""
        return self.cards_up == self.rules.cards

    @property
    def is_dead(self) -> bool:
        """Whether the game is not won and no sequence of stock turns brings up any legal move but turning."""
        if self.is_won:
            return False
        trial = self.copy()
        while trial.redeals < self.redeals + 2:  # the rest of this pass and one more bring up all that ever comes up
            if any(move.source != "D" for move in trial.legal_moves()):
                return False
            if not trial.can("D"):
                return True
            trial.push("D")
        return True

    @property
    def moves(self) -> tuple[Move, ...]:
        """The moves played since the start, undone ones left out."""
        return tuple(self._past.moves)

    def casino_net(self, telling: Literal["fifty", "fifty-two"] = "fifty") -> int:
        """What the casino's bet has brought the player so far, in dollars (H4); negative is a loss.

        Raises:
            ValueError: the telling is neither ``"fifty"`` nor ``"fifty-two"``.
        """
        if telling not in CASINO_BETS:
            raise ValueError(f"telling must be {' or '.join(map(repr, CASINO_BETS))}, not {telling!r}")
        return CASINO_BETS[telling].net(self.cards_up, self.is_won)

    # ------------------------------------------------------------------ moves

    def legal_moves(self) -> list[Move]:
        """The legal moves, in this order; a won game has none.

        To a foundation: from the reserve, columns 1 to 4, the waste. Between columns: by source, then target, the whole
        column before its tails, long tails before short ones. Then reserve to columns, waste to columns, foundations
        back to columns (clubs, diamonds, hearts, spades), and last turning the stock.
        """
        if self.is_won:
            return []
        columns = [str(k) for k in range(1, self.rules.columns + 1)]
        ups = [Move(source, "F") for source in ("R", *columns, "W")]
        moves = [up for up in ups if (pile := self._pile(up.source)) and self._foundation_refusal(pile[-1]) is None]
        for source in (*columns, "R", "W", *(f"F{suit}" for suit in SUITS)):
            runs = self._runs(source)
            for target in columns:
                if source != target:
                    fitting = (count for count, card in runs if self._column_fault(card, target, source) is None)
                    moves += [Move(source, target, count) for count in fitting]
        return [*moves, Move("D")] if self._turn_refusal() is None else moves

    def _runs(self, source: str) -> list[tuple[int, Card]]:
        """What may leave a pile for a column, long runs first: ``Move.count``, and the card that leads the run."""
        pile = self._pile(source)
        if not pile:
            return []
        runs = [(0, pile[0] if source.isdecimal() else pile[-1])]
        if source.isdecimal():
            runs += [(count, pile[-count]) for count in range(len(pile) - 1, 0, -1)]
        return [(count, card) for count, card in runs if self._leaving_refusal(source, count) is None]

    def can(self, move: Move | str) -> bool:
        """Whether the move is legal now. Raises NotationError where the text is no token."""
        return self._refusal(Move.parse(str(move))) is None

    def verify(self, move: Move | str) -> Move:
        """The move, read from its token, if it is legal now.

        Raises:
            NotationError: the text is no token.
            IllegalMoveError: the move is against the rules; the text gives the reason.
        """
        move = Move.parse(str(move))
        if (reason := self._refusal(move)) is not None:
            raise IllegalMoveError(f"{move}: {reason}")
        return move

    def _refusal(self, move: Move) -> str | None:
        """Why the move is not legal now, or None if it is."""
        if self.is_won:
            return "the game is won"
        if move.source == "D":
            return self._turn_refusal()
        for name in (move.source, move.target):
            if name.isdecimal() and int(name) > self.rules.columns:
                return f"there is no column {name}"
        pile = self._pile(move.source)
        if not pile:
            return f"{_PILE_NAMES.get(move.source, f'column {move.source}')} is empty"
        if move.target == "F":  # B4
            return self._foundation_refusal(pile[-1])
        if move.source == move.target:
            return "a column cannot go onto itself"
        if (reason := self._leaving_refusal(move.source, move.count)) is not None:
            return reason
        if move.count >= len(pile):
            return f"column {move.source} holds {len(pile)} {'card' if len(pile) == 1 else 'cards'}: x is for fewer"
        card, column = self._cards_of(move)[0], self._pile(move.target)
        fault = self._column_fault(card, move.target, move.source)
        return f"{card} does not go on {column[-1]}: {fault}" if fault and column else fault

    # ``legal_moves`` and ``_refusal`` both ask the four methods that follow, so no rule of moving stands twice.

    def _turn_refusal(self) -> str | None:
        table, redeals = self._table, self.rules.redeals
        if table.stock:  # E1
            return None
        if not table.waste:
            return "stock and waste are empty"
        if redeals is not None and table.redeals >= redeals:  # E3
            return f"the waste may be turned back {redeals} times only"
        return None

    def _foundation_refusal(self, card: Card) -> str | None:
        pile, name = self._table.foundations[card.suit], SUIT_NAMES[card.suit]
        if len(pile) == self.rules.ranks:
            return f"the {name} foundation is full"
        needed = card_at(card.suit, (self.base + len(pile)) % self.rules.ranks)  # B2, B3
        return None if card == needed else f"{card} does not fit: the {name} foundation needs {needed} next"

    def _leaving_refusal(self, source: str, count: int) -> str | None:
        """Why a move to a column, whichever, may not take that many cards (``Move.count``) from its pile, or None."""
        if count and self.rules.runs == "whole":  # C3
            return "only whole columns move"
        if source[0] == "F" and not self.rules.take_back:  # F1
            return "cards are not taken back from the foundations"
        return None

    def _column_fault(self, card: Card, target: str, source: str) -> str | None:
        """What keeps a card from going onto a column, or None."""
        column = self._pile(target)
        if column:
            return build_fault(card, column[-1], self.base, self.rules)
        if self.rules.spaces == "waste" and source != "W":  # D4
            return "an empty column takes only the top card of the waste"
        return None

    def _pile(self, name: str) -> list[Card]:
        """The pile that a move calls by that name."""
        table = self._table
        if name == "W":
            return table.waste
        if name == "R":
            return table.reserve
        if name[0] == "F":
            return table.foundations[SUITS.index(name[1])]
        return table.columns[int(name) - 1]

    def _cards_of(self, move: Move) -> list[Card]:
        """The cards that a move other than ``D`` takes from its pile, bottom to top."""
        pile = self._pile(move.source)
        run = move.source.isdecimal() and move.target != "F"
        return pile[-(move.count or len(pile)) :] if run else pile[-1:]

    def _refill(self, move: Move) -> Card | None:
        """The card of the reserve that fills the column which a move other than ``D`` empties (D3), or None."""
        reserve = self._table.reserve
        empties = move.source.isdecimal() and len(self._cards_of(move)) == len(self._pile(move.source))
        return reserve[-1] if empties and reserve else None

    def _turned(self) -> list[Card]:
        """The cards that the next turn lays on the waste, in order (E1); none where it turns the waste back."""
        return self._table.stock[-self.draw :][::-1]

    def push(self, move: Move | str) -> Move:
        """Plays a move, with the refill that it may cause (D3), and returns it.

        Raises:
            NotationError: the text is no token.
            IllegalMoveError: the move is against the rules. Nothing has changed then.
        """
        move = self.verify(move)
        self._past.tables.append(self._table.copy())
        self._past.moves.append(move)
        self._table.actions += 1
        if move.source == "D":
            self._turn()
        else:
            self._carry(move)
        self._look()
        return move

    def push_all(self, moves: str | Iterable[str | Move]) -> Game:
        """Plays moves in turn and returns the game itself.

        Raises:
            NotationError: one is no token. Nothing has been played.
            IllegalMoveError: one is against the rules; the text says which. Nothing has been played.
        """
        trial = self.copy()
        for place, move in enumerate(parse_moves(moves), 1):
            try:
                trial.push(move)
            except IllegalMoveError as error:
                raise IllegalMoveError(f"move {place}, {error}") from None
        self._table, self._past, self._seen = trial._table, trial._past, trial._seen
        return self

    def _turn(self) -> None:
        table = self._table
        if turned := self._turned():  # E1
            del table.stock[-len(turned) :]
            table.waste += turned
        else:  # E3
            table.stock, table.waste = table.waste[::-1], []
            table.redeals += 1

    def _carry(self, move: Move) -> None:
        table, source = self._table, self._pile(move.source)
        cards, refill = self._cards_of(move), self._refill(move)
        del source[-len(cards) :]
        if move.target == "F":
            table.foundations[cards[0].suit] += cards
            table.score += POINTS_PER_CARD  # H1
        else:
            table.columns[int(move.target) - 1] += cards
        if refill is not None:
            source.append(table.reserve.pop())

    def undo(self) -> Move:
        """Takes back the last move with its points and returns it. What the player has seen stays seen.

        Raises:
            IllegalMoveError: nothing is left to undo; the last 100 moves can be undone (H3).
        """
        if not self._past.tables:
            limit = f": the last {UNDO_DEPTH} moves can be" if self._past.moves else ""
            raise IllegalMoveError(f"nothing can be undone{limit}")
        self._table = self._past.tables.pop()
        return self._past.moves.pop()

    def tap(self, card: Card | str, double_tap: bool = True) -> Move | None:
        """The move that tapping a card makes (I1), or None; nothing is played.

        A card in play goes to its foundation if it fits. Otherwise, with ``double_tap``, it goes, with the run on it,
        to the longest column that accepts it, else to an empty one; the leftmost where several are alike. A card on a
        foundation stays there: taking back is never a tap.

        Raises:
            NotationError: the text is no card.
        """
        card = Card(card)
        found = self._tappable(card)
        if found is None:
            return None
        source, count = found
        if count == 1 and self._refusal(Move(source, "F")) is None:
            return Move(source, "F")
        if not double_tap:
            return None
        columns = self._table.columns
        whole = source.isdecimal() and count == len(columns[int(source) - 1])
        tail = count if source.isdecimal() and not whole else 0
        for k in sorted(range(self.rules.columns), key=lambda k: -len(columns[k])):
            move = Move(source, str(k + 1), tail)
            if self._refusal(move) is None:
                return move
        return None

    def _tappable(self, card: Card) -> tuple[str, int] | None:
        """The pile that a card can be tapped in, and how many cards would move; None where it cannot be."""
        for source, pile in (("R", self._table.reserve), ("W", self._table.waste)):
            if pile and pile[-1] == card:
                return source, 1
        for k, column in enumerate(self._table.columns, 1):
            if card in column:
                return str(k), len(column) - column.index(card)
        return None

    def annotate(self, move: Move | str) -> str:
        """A legal move as people read it, such as ``Qc:R>2`` or, with the refill it causes, ``Kh+1:2>4 (Qs:R>2)``.

        Raises:
            NotationError: the text is no token.
            IllegalMoveError: the move is not legal now.
        """
        move = self.verify(move)
        if move.source == "D":
            turned = self._turned()
            return f"turn {' '.join(turned)}" if turned else "turn the waste back"
        cards, refill = self._cards_of(move), self._refill(move)
        run = f"{cards[0]}+{len(cards) - 1}" if len(cards) > 1 else cards[0]
        text = f"{run}:{move.source[0]}>{move.target}"
        return text if refill is None else f"{text} ({refill}:R>{move.source})"

    # ------------------------------------------------------------------ positions and views

    def _look(self) -> None:
        """Remembers the cards that lie face up."""
        table = self._table
        for pile in (*table.foundations, table.waste, *table.columns, table.reserve[-1:]):
            self._seen.update(pile)

    def full_position(self) -> Position:
        """Everything on the table, hidden cards included."""
        table = self._table
        return Position(
            self.base,
            tuple(pile[-1].rank if pile else None for pile in table.foundations),
            tuple(table.reserve),
            tuple(table.stock),
            tuple(table.waste),
            tuple(map(tuple, table.columns)),
            table.redeals,
            table.actions,
        )

    def player_view(self) -> PlayerView:
        """What a player who remembers everything seen knows."""
        return PlayerView(self.full_position().hide(self._seen), self.rules, self.draw, self.score)

    def position(self, view: Literal["full", "player"] = "full") -> str:
        """The position text; the ``player`` view leaves out the cards that the player has not seen.

        Raises:
            ValueError: the view is neither ``"full"`` nor ``"player"``.
        """
        if view not in ("full", "player"):
            raise ValueError(f"view must be 'full' or 'player', not {view!r}")
        return str(self.full_position() if view == "full" else self.player_view().position)

    @classmethod
    def from_position(
        cls, text: str | Position, rules: Rules | str = "app", draw: int = 3, score: int | None = None
    ) -> Game:
        """A game that goes on from a full position, with an empty past.

        Args:
            text: the position.
            rules: the rule set.
            draw: cards a turn of the stock brings.
            score: the points so far, which the position does not tell; None stands for what the cards up have brought.

        Raises:
            NotationError: the text cannot be read, hides cards, or is no position of this game; it says why.
            ConfigError: no such rule set.
            DealError: the draw count is not 1 or 3.
        """
        rules = Rules.of(rules)
        check_draw(draw)
        position = text if isinstance(text, Position) else Position.parse(text)
        game = cls.__new__(cls)
        game._start(rules, draw, position.base, _table_of(position, rules), None)
        if score is not None:
            if type(score) is not int or score < 0:
                raise NotationError(f"a score is a whole number from 0 up, not {score!r}")
            game._table.score = score
        return game

    @classmethod
    def from_view(cls, view: PlayerView, rng: np.random.Generator | int | None = None) -> Game:
        """A game that agrees with a player's view, the unseen cards in random order; the player knows as much in it.

        Args:
            view: what the player knows.
            rng: a numpy generator, a seed for one, or None for a fresh one.
        """
        game = cls.from_position(view.sample(rng), view.rules, view.draw, view.score)
        game._seen = set(full_deck(view.rules.ranks)).difference(view.unseen)
        return game

    def copy(self) -> Game:
        """An independent game in the same state, with the same past."""
        return deepcopy(self)

    def __deepcopy__(self, memo: dict[int, Any]) -> Game:
        game = Game.__new__(Game)
        game._start(self.rules, self.draw, self.base, self._table.copy(), self.deal)
        # Tables of the past are never changed, so they can be shared.
        game._past = _Past(self._past.tables.copy(), self._past.moves.copy())
        game._seen = self._seen.copy()
        return game

    def __eq__(self, other: object) -> bool:
        """Whether rules, draw count, table, score and the player's knowledge are the same; the past does not count."""
        if not isinstance(other, Game):
            return NotImplemented
        mine = (self.rules, self.draw, self._table, self._seen)
        return mine == (other.rules, other.draw, other._table, other._seen)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<Game {self.position('player')}>"

    def _repr_html_(self) -> str:
        """The table, as notebooks show it."""
        from canfield_env.render.notebook import game_html

        return game_html(self)


_PILE_NAMES: Final = {"W": "the waste", "R": "the reserve"} | {f"F{suit}": "that foundation" for suit in SUITS}


def build_fault(card: Card, below: Card, base: int, rules: Rules) -> str | None:
    """What keeps a card from going on another in a column (C1, C2), or None."""
    if card.is_red == below.is_red or (card.rank + 1) % rules.ranks != below.rank:
        return "it needs the other colour, one rank higher"
    if below.rank == base and not rules.build_on_base:
        return "nothing is built on base-rank cards"
    return None


def _table_of(position: Position, rules: Rules) -> _Table:
    """The table that a full position describes. Raises NotationError where it is no position of this game."""

    def refuse(why: str) -> NotationError:
        return NotationError(f"position {str(position)!r}: {why}")

    if len(position.columns) != rules.columns:
        raise refuse(f"{len(position.columns)} columns, the rules have {rules.columns}")
    named: list[list[Card]] = []
    for pile in (position.reserve, position.stock, position.waste, *position.columns):
        named.append([card for card in pile if card is not None])
        if len(named[-1]) != len(pile):
            raise refuse("it hides cards; a game needs a full position")
    ranks = [position.base, *(top for top in position.tops if top is not None)]
    if max(ranks) >= rules.ranks:
        raise refuse(f"rank {RANKS[max(ranks)]} is not in a game of {rules.ranks} ranks")
    foundations = [list(pile) for pile in position.foundations(rules.ranks)]
    if fault := deck_fault([card for pile in (*foundations, *named) for card in pile], rules.ranks):
        raise refuse(fault)
    reserve, stock, waste, *columns = named
    if len(reserve) > rules.reserve:
        raise refuse(f"{len(reserve)} cards in the reserve, the rules deal {rules.reserve}")
    if len(stock) + len(waste) > rules.stock:
        raise refuse(f"{len(stock) + len(waste)} cards in stock and waste, the rules leave {rules.stock}")
    for k, column in enumerate(columns, 1):
        if not column and reserve:
            raise refuse(f"column {k} is empty while the reserve still has cards")
        for below, card in pairwise(column):
            if build_fault(card, below, position.base, rules):
                raise refuse(f"column {k} is no run: {card} does not go on {below}")
    if rules.redeals is not None and position.redeals > rules.redeals:
        raise refuse(f"turned back {position.redeals} times, the rules allow {rules.redeals}")
    table = _Table(foundations, reserve, stock, waste, columns, position.redeals, position.actions)
    table.score = POINTS_PER_CARD * max(sum(map(len, foundations)) - 1, 0)
    return table
