"""The memory of one game, ``GAME``, and the settings that all games of a batch share, ``SETTINGS``: numpy structures.

Cards are numbered as in the actions: ``13 * suit + rank_above_base`` (clubs, diamonds, hearts, spades; 0 is the base
rank), so the kernels need neither the base rank nor the real ranks. A set of cards is an integer with bit ``card`` set
for each of its cards: 52 bits of an int64, whose sign is never touched.

Numbers are signed throughout, so that arithmetic on them does not wrap, but for ``place``, which is widened where it
is read.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from canfield_env.cards import Card, card_at
from canfield_env.deals import START_ORDER
from canfield_env.rules import Rules

#: Number of actions: turning the stock, and each of 52 cards to its foundation or a column.
ACTIONS: Final = 261
#: Columns that the kernels and the action space have room for.
MAX_COLUMNS: Final = 4

#: One game, 496 bytes.
GAME: Final = np.dtype(
    [
        # What can be played next: the set of cards that may go to the foundations (0) and to column k (k + 1).
        ("legal", np.int64, 1 + MAX_COLUMNS),
        # The set of cards in each column.
        ("column_set", np.int64, MAX_COLUMNS),
        # State of the generator that deals are drawn from: a SplitMix64, its 64 bits kept as int64.
        ("random", np.int64),
        # Rewards of the episode so far, added up.
        ("total", np.float64),
        # Deal number, -1 where deck or position were given.
        ("deal", np.int32),
        # How often the waste has been turned back.
        ("redeals", np.int32),
        # Literal actions played, stock turns included.
        ("actions", np.int32),
        ("score", np.int32),
        # Steps of the episode, and those in a row without progress.
        ("steps", np.int32),
        ("idle", np.int32),
        # RUNNING, or how the episode ended.
        ("outcome", np.int8),
        # Whether the end of the episode has been told; nothing is played from then on.
        ("over", np.bool_),
        # Base rank, 0 (ace) to 12 (king), for the texts only.
        ("base", np.int8),
        # Cards that a turn of the stock brings.
        ("draw", np.int8),
        ("reserve_count", np.int8),
        ("waste_count", np.int8),
        ("stock_count", np.int8),
        # Cards on each foundation, the most that have ever been there, and cards in each column.
        ("height", np.int8, 4),
        ("peak", np.int8, 4),
        ("length", np.int8, MAX_COLUMNS),
        # The reserve, its top last.
        ("reserve", np.int8, 52),
        # Waste and stock in the order of play: the waste, its top last, then the stock, the card turned next first.
        ("talon", np.int8, 52),
        # Each column from its root to the card in play.
        ("columns", np.int8, (MAX_COLUMNS, 52)),
        # Where each card is: NOWHERE, ON_FOUNDATION, IN_RESERVE, IN_TALON, or IN_COLUMN + 52 * k + its index there.
        ("place", np.uint8, 52),
    ],
    align=True,
)

NOWHERE: Final = 0  # no card of this game
ON_FOUNDATION: Final = 1
IN_RESERVE: Final = 2
IN_TALON: Final = 3
IN_COLUMN: Final = 48

RUNNING: Final = 0
WON: Final = 1
DEAD: Final = 2
IDLED: Final = 3
MAX_STEPS: Final = 4
#: The names of the outcomes, by ``outcome``; the first is that of an episode still running.
OUTCOMES: Final = ("", "won", "dead", "idle", "max_steps")

#: What all games of a batch share; an array of one element.
SETTINGS: Final = np.dtype(
    [
        ("ranks", np.int64),
        ("columns", np.int64),
        ("reserve", np.int64),
        ("stock", np.int64),
        ("redeals", np.int64),  # -1: without limit
        ("tails", np.bool_),  # whether tails of a column move
        ("any_to_space", np.bool_),  # whether an empty column takes any card
        ("take_back", np.bool_),
        ("build_on_base", np.bool_),
        ("auto_stock", np.bool_),  # whether the stock is turned by itself, and every card it can bring up is in play
        ("planes", np.bool_),  # the observation form: planes or tokens
        ("draw", np.int64),  # cards that a turn brings in the games dealt at random
        ("max_steps", np.int64),  # -1: without limit
        ("max_idle", np.int64),  # -1: without limit
        ("reward", np.int64),
        ("illegal_reward", np.float64),
    ],
    align=True,
)

REWARD_FOUNDATION: Final = 0
REWARD_SCORE: Final = 1
REWARD_WIN: Final = 2
REWARD_CASINO: Final = 3

#: Games and settings as arrays of the structures above.
Games = NDArray[np.void]
Settings = NDArray[np.void]

#: The order that the frozen shuffle starts from, as card numbers with the ace as the lowest rank.
START_CARDS: Final[NDArray[np.int8]] = np.array([card.number for card in START_ORDER], dtype=np.int8)


def card_number(card: Card, base: int, ranks: int) -> int:
    """The number of a card in a game with that base rank."""
    return 13 * card.suit + (card.rank - base) % ranks


def numbered_card(number: int, base: int, ranks: int) -> Card:
    """The card of that number in a game with that base rank."""
    suit, above = divmod(number, 13)
    return card_at(suit, (above + base) % ranks)


def new_settings(rules: Rules, **others: Any) -> Settings:
    """The settings of a rule set, one element of ``SETTINGS``, with no limits and ``stock="turn"`` but for ``others``.

    Raises:
        ValueError: more columns than the kernels have room for.
    """
    if rules.columns > MAX_COLUMNS:
        raise ValueError(f"the compiled engine has room for {MAX_COLUMNS} columns, the rules have {rules.columns}")
    values = {
        "ranks": rules.ranks,
        "columns": rules.columns,
        "reserve": rules.reserve,
        "stock": rules.stock,
        "redeals": -1 if rules.redeals is None else rules.redeals,
        "tails": rules.runs == "any",
        "any_to_space": rules.spaces == "any",
        "take_back": rules.take_back,
        "build_on_base": rules.build_on_base,
        "draw": 3,
        "max_steps": -1,
        "max_idle": -1,
    } | others
    settings = np.zeros(1, SETTINGS)
    for name, value in values.items():
        settings[name] = value
    return settings
