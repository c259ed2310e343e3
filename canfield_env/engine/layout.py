"""The memory of one game: a row of bytes, a row of numbers, and the settings that all games of a batch share.

Cards are numbered as in the actions: ``13 * suit + rank_above_base`` (clubs, diamonds, hearts, spades; 0 is the base
rank), so the kernels need neither the base rank nor the real ranks.

``row``: ``uint8[ROW_BYTES]``

=================  ===========================================================================================
``BASE``           base rank, 0 (ace) to 12 (king), for the texts only
``DRAW``           cards that a turn of the stock brings
``RESERVE``        cards in the reserve
``WASTE``          cards in the waste
``STOCK``          cards in the stock
``OUTCOME``        ``RUNNING`` or how the episode ended
``COLUMN + k``     cards in column k (0 to 3)
``HEIGHT + suit``  cards on the foundation
``PEAK + suit``    the most cards that have ever been on the foundation
``PILE + card``    where it is: ``IN_RESERVE``, ``IN_TALON`` (stock or waste), ``ON_FOUNDATION``, ``IN_COLUMN + k``
``SLOT + card``    its index there: from the bottom of the pile, or the index in ``HELD`` where it is in the talon
``HELD + i``       reserve and talon: the reserve from index 0 up, its top last. The talon is a gap buffer over the
                   indices ``RULE_RESERVE`` to ``RULE_RESERVE + RULE_STOCK``: the waste lies at its left end, the top
                   last; the stock at its right end, the card turned next first; so the whole is in the order of play
``CARDS + 52k+i``  column k from its root (i = 0) to the card in play
=================  ===========================================================================================

``numbers``: ``int64[NUMBERS]``

============  ================================================================================================
``REDEALS``   how often the waste has been turned back
``ACTIONS``   literal actions played, stock turns included
``SCORE``     points
``STEPS``     steps of the episode
``IDLE``      steps in a row without progress
``DEAL``      deal number, -1 where deck or position were given
``RANDOM``    state of the generator that deals are drawn from: a SplitMix64, its 64 bits kept as int64
============  ================================================================================================
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from canfield_env.deals import START_ORDER
from canfield_env.rules import Rules

#: Columns that the kernels and the action space have room for.
MAX_COLUMNS: Final = 4

BASE: Final = 0
DRAW: Final = 1
RESERVE: Final = 2
WASTE: Final = 3
STOCK: Final = 4
OUTCOME: Final = 5
COLUMN: Final = 6
HEIGHT: Final = 10
PEAK: Final = 14
PILE: Final = 18
SLOT: Final = PILE + 52
HELD: Final = SLOT + 52
CARDS: Final = HELD + 52
ROW_BYTES: Final = CARDS + 52 * MAX_COLUMNS + 2  # rounded up to a multiple of eight

IN_RESERVE: Final = 0
IN_TALON: Final = 1
ON_FOUNDATION: Final = 2
IN_COLUMN: Final = 3

REDEALS: Final = 0
ACTIONS: Final = 1
SCORE: Final = 2
STEPS: Final = 3
IDLE: Final = 4
DEAL: Final = 5
RANDOM: Final = 6
NUMBERS: Final = 7

RUNNING: Final = 0
WON: Final = 1
DEAD: Final = 2
IDLED: Final = 3
MAX_STEPS: Final = 4
#: The names of the outcomes, by ``OUTCOME``; the first is that of an episode still running.
OUTCOMES: Final = ("", "won", "dead", "idle", "max_steps")

# Settings: int64[SETTINGS], shared by all games of a batch.
RULE_TAILS: Final = 0  # whether tails of a column move
RULE_SPACES: Final = 1  # whether an empty column takes any card
RULE_TAKE_BACK: Final = 2
RULE_BUILD_ON_BASE: Final = 3
RULE_REDEALS: Final = 4  # -1: without limit
RULE_RANKS: Final = 5
RULE_COLUMNS: Final = 6
RULE_RESERVE: Final = 7
RULE_STOCK: Final = 8
AUTO_STOCK: Final = 9  # whether the stock is turned by itself, and every card it can bring up is in play
REWARD: Final = 10
LIMIT_STEPS: Final = 11  # -1: without limit
LIMIT_IDLE: Final = 12  # -1: without limit
SETTINGS: Final = 13

REWARD_FOUNDATION: Final = 0
REWARD_SCORE: Final = 1
REWARD_WIN: Final = 2
REWARD_CASINO: Final = 3

#: The order that the frozen shuffle starts from, as card numbers with the ace as the lowest rank.
START_CARDS: Final[NDArray[np.uint8]] = np.array([card.number for card in START_ORDER], dtype=np.uint8)


def rule_settings(rules: Rules) -> NDArray[np.int64]:
    """The settings of a rule set, with no limits, ``stock="turn"`` and the foundation reward.

    Raises:
        ValueError: more columns than the kernels have room for.
    """
    if rules.columns > MAX_COLUMNS:
        raise ValueError(f"the compiled engine has room for {MAX_COLUMNS} columns, the rules have {rules.columns}")
    settings = np.zeros(SETTINGS, dtype=np.int64)
    settings[RULE_TAILS] = rules.runs == "any"
    settings[RULE_SPACES] = rules.spaces == "any"
    settings[RULE_TAKE_BACK] = rules.take_back
    settings[RULE_BUILD_ON_BASE] = rules.build_on_base
    settings[RULE_REDEALS] = -1 if rules.redeals is None else rules.redeals
    settings[RULE_RANKS] = rules.ranks
    settings[RULE_COLUMNS] = rules.columns
    settings[RULE_RESERVE] = rules.reserve
    settings[RULE_STOCK] = rules.stock
    settings[LIMIT_STEPS] = settings[LIMIT_IDLE] = -1
    return settings
