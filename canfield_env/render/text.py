"""The table as text, laid out as a person would. Plain ASCII, until ``show`` puts it on a terminal that can do more."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING, Final

from canfield_env.cards import SUITS, Card
from canfield_env.notation import Pile, Position
from canfield_env.render.describe import cards_up, next_needed
from canfield_env.rules import Rules
from canfield_env.view import PlayerView

if TYPE_CHECKING:
    from canfield_env.game import Game

_HIDDEN: Final = "??"
_EMPTY: Final = "--"
#: Cards in a line of those out of sight: whole groups of three, and within 80 columns.
_CARDS_IN_LINE: Final = 18
_SYMBOLS: Final = dict(zip(SUITS, "♣♦♥♠", strict=True))
_CARD: Final = re.compile(r"(?<!\w)([A2-9TJQK])([cdhs])(?!\w)")
_RED_CARD: Final = r"(?<!\w)[A2-9TJQK][dh♦♥](?!\w)"
_LABEL: Final = r"(?m)^ +(reserve|stock|waste|out of sight.*)|\b(foundations|next|columns)\b|--|\?\?"


def render_text(view: PlayerView | Position, caption: str = "", title: str = "") -> str:
    """The table as text of a few lines, without a line break at the end; nothing is changed.

    At the left stand reserve, stock and waste, each with its count and the card in play, of the waste the cards of one
    turn; at the right the foundations, what each takes next, and the columns. Cards that are known but out of sight
    (for a player, those of the stock seen in an earlier pass) are listed beneath, in the order in which they come up.

    Args:
        view: what the player knows, or a position. Whatever is unseen in it is ``??``. A bare position is taken for one
            of a standard game with draw 3, and has no score.
        caption: a line above the table, such as the move that led to it.
        title: what the game is called, such as its code.
    """
    if isinstance(view, Position):
        position, rules, draw, score = view, Rules(), 3, []
    else:
        position, rules, draw, score = view.position, view.rules, view.draw, [f"score {view.score}"]
    state = [
        title or f"draw {draw}",
        *score,
        f"cards up {cards_up(position, rules.ranks)} of {rules.cards}",
        f"moves {position.actions}",
        f"redeals {position.redeals}",
    ]
    lines = [caption] if caption else []
    lines += ["   ".join(state), ""]
    for left, right in zip_longest(_left_half(position, draw), _right_half(position, rules.ranks), fillvalue=""):
        lines.append(f"  {left:23}   {right}".rstrip())
    return "\n".join([*lines, *_out_of_sight(position, draw)])


def render_game(game: Game, caption: str = "", full: bool = False) -> str:
    """The table of a game as text, under its code: as the player knows it, or in ``full``."""
    view = game.player_view()
    if full:
        view = PlayerView(game.full_position(), game.rules, game.draw, game.score)
    return render_text(view, caption, game.deal.code or "" if game.deal else "")


def printable(text: str) -> str:
    """The text with what a terminal would obey and not show, such as escapes and marks of direction, spelled out."""
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)


def with_symbols(text: str) -> str:
    """The text with the suits of its cards as symbols: ``Q♣`` for ``Qc``."""
    return _CARD.sub(lambda card: card[1] + _SYMBOLS[card[2]], text)


def show(text: str, plain: bool = False) -> None:
    """Prints text of this module: with suit symbols and colour where standard output is a terminal that has them.

    ``NO_COLOR``, ``TERM=dumb`` and the terminal's encoding are respected; what is piped is plain ASCII.

    Args:
        text: one or more frames.
        plain: plain ASCII, whatever the terminal can do.
    """
    from rich.console import Console
    from rich.text import Text

    console = Console(soft_wrap=True)
    if plain or not console.is_terminal or console.is_dumb_terminal:
        print(text)
        return
    if _can_encode("".join(_SYMBOLS.values()), console.encoding):
        text = with_symbols(text)
    styled = Text(text)
    if not console.no_color:
        styled.highlight_regex(_LABEL, "dim")
        styled.highlight_regex(_RED_CARD, "bright_red")
    console.print(styled)


def _can_encode(text: str, encoding: str) -> bool:
    try:
        text.encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def _left_half(position: Position, draw: int) -> Iterator[str]:
    fan = [_name(card) for card in position.waste[-draw:]]
    for label, pile, cards in (
        ("reserve", position.reserve, [_name(card) for card in position.reserve[-1:]]),
        ("stock", position.stock, [_HIDDEN] if position.stock else []),
        ("waste", position.waste, fan),
    ):
        yield f"{label:7}  {len(pile):2}  {' '.join(cards) or _EMPTY:>8}"


def _right_half(position: Position, ranks: int) -> Iterator[str]:
    tops = [_name(pile[-1]) if pile else _EMPTY for pile in position.foundations(ranks)]
    needed = ["full" if card is None else _name(card) for card in next_needed(position, ranks)]
    yield _row("foundations", tops)
    yield _row("next", needed)
    yield ""
    yield _row("columns", [f"{k} " for k in range(1, len(position.columns) + 1)])
    columns = [[_name(card) for card in column] or [_EMPTY] for column in position.columns]
    for cells in zip_longest(*columns, fillvalue=""):
        yield _row("", cells)


def _row(label: str, cells: Sequence[str]) -> str:
    return f"{label:11}" + "".join(f"{cell:>6}" for cell in cells)


def _out_of_sight(position: Position, draw: int) -> Iterator[str]:
    """Lines for the piles of which more is known than what shows, first to come up first; the stock by its turns."""
    piles = (
        ("reserve", position.reserve[-2::-1], 1),
        ("stock", position.stock[::-1], draw),
        ("waste", position.waste[:-draw], draw),
    )
    heading = ["", "  out of sight, in the order of coming up:"]
    for label, pile, group in piles:
        if not any(pile):
            continue
        yield from heading
        heading = []
        for start in range(0, len(pile), _CARDS_IN_LINE):
            yield f"  {label:7}  " + _grouped(pile[start : start + _CARDS_IN_LINE], group)
            label = ""


def _grouped(pile: Pile, group: int) -> str:
    names = [_name(card) for card in pile]
    gap = "  " if group > 1 else " "
    return gap.join(" ".join(names[start : start + group]) for start in range(0, len(names), group))


def _name(card: Card | None) -> str:
    return _HIDDEN if card is None else card
