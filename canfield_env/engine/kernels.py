"""The rules, compiled: the game of ``canfield_env.game`` over the rows of ``canfield_env.engine.layout``.

Every function works on one game: ``row`` (uint8), ``numbers`` (int64) and the batch's ``settings`` (int64). Bytes are
widened where they are read, since unsigned arithmetic wraps. Nothing here checks its arguments.
"""

from __future__ import annotations

import numpy as np

from canfield_env.deals import DEAL_COUNT, FIRST_TRAINING_DEAL
from canfield_env.engine import layout as at
from canfield_env.engine.jit import jit

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_ALL_ONES = np.uint64(0xFFFFFFFFFFFFFFFF)
_TRAINING_DEALS = np.uint64(DEAL_COUNT - FIRST_TRAINING_DEAL)

#: Which cards of the talon count as in play: the top of the waste, or all that turning the stock can bring up.
TOP_ONLY = 0
ALL_IN_REACH = 1


# ---------------------------------------------------------------------------------------------------- dealing


@jit
def mix(state):
    """The output of SplitMix64 for a state (uint64)."""
    z = (state ^ (state >> np.uint64(30))) * _MIX_1
    z = (z ^ (z >> np.uint64(27))) * _MIX_2
    return z ^ (z >> np.uint64(31))


@jit
def next_deal(numbers):
    """Draws a deal number from the game's own generator, none of those kept for evaluation."""
    state = np.uint64(numbers[at.RANDOM]) + _GOLDEN
    numbers[at.RANDOM] = np.int64(state)
    return np.int64(mix(state) % _TRAINING_DEALS) + FIRST_TRAINING_DEAL


@jit
def shuffle(number, ranks, deck):
    """Fills ``deck`` (uint8[4 * ranks], numbers with the ace lowest) with the deck of a deal number."""
    count = 0
    for i in range(52):
        if at.START_CARDS[i] % 13 < ranks:
            deck[count] = at.START_CARDS[i]
            count += 1
    state = np.uint64(number)
    for i in range(count - 1, 0, -1):
        size = np.uint64(i + 1)
        rest = (_ALL_ONES % size + np.uint64(1)) % size  # 2^64 mod size
        state += _GOLDEN
        output = mix(state)
        while output > _ALL_ONES - rest:
            state += _GOLDEN
            output = mix(state)
        j = np.int64(output % size)
        deck[i], deck[j] = deck[j], deck[i]


@jit
def deal(row, numbers, settings, deck, draw, number, mask):
    """Deals a deck (rule A2) and starts the episode. The game's generator is left as it is."""
    ranks = settings[at.RULE_RANKS]
    reserve = settings[at.RULE_RESERVE]
    columns = settings[at.RULE_COLUMNS]
    stock = settings[at.RULE_STOCK]
    base = np.int64(deck[reserve]) % 13
    row[:] = 0
    row[at.BASE] = base
    row[at.DRAW] = draw
    for i in range(4 * ranks):
        face = np.int64(deck[i])
        card = face - face % 13 + (face % 13 - base) % ranks
        if i < reserve:
            row[at.HELD + i] = card
            row[at.PILE + card] = at.IN_RESERVE
            row[at.SLOT + card] = i
        elif i == reserve:
            row[at.PILE + card] = at.ON_FOUNDATION
            row[at.HEIGHT + card // 13] = 1
            row[at.PEAK + card // 13] = 1
        elif i <= reserve + columns:
            k = i - reserve - 1
            row[at.CARDS + 52 * k] = card
            row[at.PILE + card] = at.IN_COLUMN + k
            row[at.COLUMN + k] = 1
        else:
            slot = i - 1 - columns
            row[at.HELD + slot] = card
            row[at.PILE + card] = at.IN_TALON
            row[at.SLOT + card] = slot
    row[at.RESERVE] = reserve
    row[at.STOCK] = stock
    numbers[at.REDEALS] = 0
    numbers[at.ACTIONS] = 0
    numbers[at.SCORE] = 0
    numbers[at.DEAL] = number
    start(row, numbers, settings, mask)


@jit
def start(row, numbers, settings, mask):
    """Starts an episode on the position in the row and fills ``mask``.

    ``stock="auto"`` makes the first pass, which shows every card. Where no action is legal the episode is over at once:
    its first step plays nothing and says so.
    """
    row[at.OUTCOME] = at.RUNNING
    numbers[at.STEPS] = 0
    numbers[at.IDLE] = 0
    if settings[at.AUTO_STOCK] and numbers[at.REDEALS] == 0:
        while row[at.STOCK] > 0:
            turn(row, numbers, settings)
    if is_won(row, settings):
        row[at.OUTCOME] = at.WON
    elif fill_mask(row, numbers, settings, mask) == 0:
        row[at.OUTCOME] = at.DEAD
    if row[at.OUTCOME] != at.RUNNING:
        mask[:] = 1


@jit
def deal_next(row, numbers, settings, draw, mask):
    """Draws a deal from the game's own generator, deals it and starts the episode."""
    deck = np.empty(52, np.uint8)
    number = next_deal(numbers)
    shuffle(number, settings[at.RULE_RANKS], deck)
    deal(row, numbers, settings, deck, draw, number, mask)


# ---------------------------------------------------------------------------------------------------- the stock


@jit
def can_turn(row, numbers, settings):
    """Whether the stock can be turned, or turned back (E1, E3)."""
    if row[at.STOCK] > 0:
        return True
    limit = settings[at.RULE_REDEALS]
    return row[at.WASTE] > 0 and (limit < 0 or numbers[at.REDEALS] < limit)


@jit
def turn(row, numbers, settings):
    """Turns the stock, or turns the waste back where the stock is empty (E1, E3)."""
    left = settings[at.RULE_RESERVE]
    right = left + settings[at.RULE_STOCK]
    waste = np.int64(row[at.WASTE])
    stock = np.int64(row[at.STOCK])
    numbers[at.ACTIONS] += 1
    if stock > 0:
        count = min(np.int64(row[at.DRAW]), stock)
        for i in range(count):
            put_in_talon(row, left + waste + i, np.int64(row[at.HELD + right - stock + i]))
        row[at.WASTE] = waste + count
        row[at.STOCK] = stock - count
    else:
        if left + waste < right:
            for i in range(1, waste + 1):
                put_in_talon(row, right - i, np.int64(row[at.HELD + left + waste - i]))
        row[at.STOCK] = waste
        row[at.WASTE] = 0
        numbers[at.REDEALS] += 1


@jit
def put_in_talon(row, slot, card):
    row[at.HELD + slot] = card
    row[at.SLOT + card] = slot


@jit
def talon_place(row, settings, slot):
    """How many cards lie on the waste when the talon card at a slot is its top."""
    place = slot - settings[at.RULE_RESERVE] + 1
    if place > row[at.WASTE]:
        gap = settings[at.RULE_STOCK] - np.int64(row[at.WASTE]) - np.int64(row[at.STOCK])
        return place - gap
    return place


@jit
def up_in_this_pass(row, place):
    """Whether turning brings up the talon card at that place before the next redeal, or has brought it up."""
    ahead = place - np.int64(row[at.WASTE])
    if ahead <= 0:
        return ahead == 0
    return ahead % row[at.DRAW] == 0 or ahead == row[at.STOCK]


@jit
def up_after_redeal(row, numbers, settings, place):
    """Whether turning brings up the talon card at that place after a redeal, if there is another."""
    limit = settings[at.RULE_REDEALS]
    if limit >= 0 and numbers[at.REDEALS] >= limit:
        return False
    return place % row[at.DRAW] == 0 or place == np.int64(row[at.WASTE]) + np.int64(row[at.STOCK])


@jit
def talon_in_play(row, numbers, settings, slot, reach):
    """Whether the talon card at a slot can be played: as the top of the waste, or after turning the stock."""
    place = talon_place(row, settings, slot)
    if reach == TOP_ONLY:
        return place == row[at.WASTE]
    return up_in_this_pass(row, place) or up_after_redeal(row, numbers, settings, place)


# ---------------------------------------------------------------------------------------------------- legal moves


@jit
def is_single(row, numbers, settings, card, reach):
    """Whether a card is in play by itself: on top of the reserve or a column, or in play in the talon (B4)."""
    pile = np.int64(row[at.PILE + card])
    slot = np.int64(row[at.SLOT + card])
    if pile >= at.IN_COLUMN:
        return slot + 1 == row[at.COLUMN + pile - at.IN_COLUMN]
    if pile == at.IN_RESERVE:
        return slot + 1 == row[at.RESERVE]
    return pile == at.IN_TALON and talon_in_play(row, numbers, settings, slot, reach)


@jit
def can_leave(row, numbers, settings, card, target, reach):
    """Whether a card, with the run on it, may leave its pile for column ``target`` (C3, D1, E4, F1)."""
    pile = np.int64(row[at.PILE + card])
    slot = np.int64(row[at.SLOT + card])
    if pile >= at.IN_COLUMN:
        return pile != at.IN_COLUMN + target and (slot == 0 or settings[at.RULE_TAILS] != 0)
    if pile == at.IN_RESERVE:
        return slot + 1 == row[at.RESERVE]
    if pile == at.IN_TALON:
        return talon_in_play(row, numbers, settings, slot, reach)
    return settings[at.RULE_TAKE_BACK] != 0 and card % 13 + 1 == row[at.HEIGHT + card // 13]


@jit
def is_red(card):
    return 13 <= card < 39


@jit
def accepts(row, settings, target, card):
    """Whether column ``target`` takes a card, wherever that comes from (C1, C2, D4)."""
    length = np.int64(row[at.COLUMN + target])
    if length == 0:
        return settings[at.RULE_SPACES] != 0 or row[at.PILE + card] == at.IN_TALON
    below = np.int64(row[at.CARDS + 52 * target + length - 1])
    if is_red(below) == is_red(card) or (card % 13 + 1) % settings[at.RULE_RANKS] != below % 13:
        return False
    return below % 13 != 0 or settings[at.RULE_BUILD_ON_BASE] != 0


@jit
def is_legal(row, numbers, settings, action):
    """Whether an action (0 to 260) is legal in a running episode."""
    if action == 0:
        return settings[at.AUTO_STOCK] == 0 and can_turn(row, numbers, settings)
    reach = settings[at.AUTO_STOCK]
    card = (action - 1) // 5
    target = (action - 1) % 5 - 1
    ranks = settings[at.RULE_RANKS]
    if card % 13 >= ranks or target >= settings[at.RULE_COLUMNS]:
        return False
    if target < 0:
        return card % 13 == row[at.HEIGHT + card // 13] and is_single(row, numbers, settings, card, reach)
    return can_leave(row, numbers, settings, card, target, reach) and accepts(row, settings, target, card)


@jit
def find_moves(row, numbers, settings, reach, mask):
    """Sets the legal actions other than turning in ``mask`` (int8[261]) and returns how many there are."""
    ranks = settings[at.RULE_RANKS]
    found = 0
    for suit in range(4):
        height = np.int64(row[at.HEIGHT + suit])
        card = 13 * suit + height
        if height < ranks and is_single(row, numbers, settings, card, reach):
            mask[1 + 5 * card] = 1
            found += 1
    for target in range(settings[at.RULE_COLUMNS]):
        length = np.int64(row[at.COLUMN + target])
        if length == 0:
            for suit in range(4):
                for rank in range(ranks):
                    card = 13 * suit + rank
                    if accepts(row, settings, target, card) and can_leave(row, numbers, settings, card, target, reach):
                        mask[2 + 5 * card + target] = 1
                        found += 1
        else:
            below = np.int64(row[at.CARDS + 52 * target + length - 1])
            rank = (below % 13 - 1) % ranks
            first = 0 if is_red(below) else 1  # clubs and spades, or diamonds and hearts
            for suit in (first, 3 - first):
                card = 13 * suit + rank
                if accepts(row, settings, target, card) and can_leave(row, numbers, settings, card, target, reach):
                    mask[2 + 5 * card + target] = 1
                    found += 1
    return found


@jit
def fill_mask(row, numbers, settings, mask):
    """Fills ``mask`` (int8[261]) with the legal actions, or with ones after the end; returns how many are legal."""
    if row[at.OUTCOME] != at.RUNNING:
        mask[:] = 1
        return 0
    mask[:] = 0
    found = find_moves(row, numbers, settings, settings[at.AUTO_STOCK], mask)
    if settings[at.AUTO_STOCK] == 0 and can_turn(row, numbers, settings):
        mask[0] = 1
        found += 1
    return found


@jit
def is_won(row, settings):
    up = np.int64(row[at.HEIGHT]) + row[at.HEIGHT + 1] + row[at.HEIGHT + 2] + row[at.HEIGHT + 3]
    return up == 4 * settings[at.RULE_RANKS]


# ---------------------------------------------------------------------------------------------------- playing


@jit
def play(row, numbers, settings, action):
    """Plays a legal action, with the turns of the stock (``stock="auto"``) and the refill (D3) that belong to it.

    Returns whether a card left the reserve, the stock or the waste, or reached its foundation for the first time.
    """
    if action == 0:
        turn(row, numbers, settings)
        return False
    card = (action - 1) // 5
    target = (action - 1) % 5 - 1
    pile = np.int64(row[at.PILE + card])
    numbers[at.ACTIONS] += 1
    if pile >= at.IN_COLUMN:
        progress = move_run(row, pile - at.IN_COLUMN, np.int64(row[at.SLOT + card]), target)
    else:
        if pile == at.ON_FOUNDATION:
            row[at.HEIGHT + card // 13] -= 1
        elif pile == at.IN_RESERVE:
            row[at.RESERVE] -= 1
        else:
            while talon_place(row, settings, np.int64(row[at.SLOT + card])) != row[at.WASTE]:
                turn(row, numbers, settings)
            row[at.WASTE] -= 1
        progress = put(row, card, target) or pile != at.ON_FOUNDATION
    if target < 0:
        numbers[at.SCORE] += 5  # H1
    return progress


@jit
def put(row, card, target):
    """Puts a card on its foundation (target -1) or a column; returns whether it is there for the first time."""
    if target < 0:
        suit = card // 13
        row[at.PILE + card] = at.ON_FOUNDATION
        row[at.HEIGHT + suit] += 1
        if row[at.HEIGHT + suit] > row[at.PEAK + suit]:
            row[at.PEAK + suit] = row[at.HEIGHT + suit]
            return True
        return False
    length = np.int64(row[at.COLUMN + target])
    row[at.CARDS + 52 * target + length] = card
    row[at.PILE + card] = at.IN_COLUMN + target
    row[at.SLOT + card] = length
    row[at.COLUMN + target] = length + 1
    return False


@jit
def move_run(row, source, slot, target):
    """Moves the cards of column ``source`` from ``slot`` up, and refills the column if that empties it (D3).

    Returns whether a card left the reserve or is on its foundation for the first time.
    """
    progress = False
    for i in range(slot, np.int64(row[at.COLUMN + source])):
        progress = put(row, np.int64(row[at.CARDS + 52 * source + i]), target)
    row[at.COLUMN + source] = slot
    reserve = np.int64(row[at.RESERVE])
    if slot == 0 and reserve > 0:
        row[at.RESERVE] = reserve - 1
        put(row, np.int64(row[at.HELD + reserve - 1]), source)
        progress = True
    return progress


@jit
def step(row, numbers, settings, action, illegal_reward, mask):
    """One step: plays the action if it is legal, and fills ``mask`` for what follows. After the end nothing is played.

    Returns the reward and whether the action was legal. The outcome is in the row.
    """
    numbers[at.STEPS] += 1
    if row[at.OUTCOME] != at.RUNNING:
        mask[:] = 1
        pays = settings[at.REWARD] == at.REWARD_CASINO and numbers[at.STEPS] == 1  # over as soon as it was dealt
        return casino(row) if pays else 0.0, True
    legal = is_legal(row, numbers, settings, action)
    score = numbers[at.SCORE]
    peaks = peak_sum(row)
    numbers[at.IDLE] += 1
    if legal and play(row, numbers, settings, action):
        numbers[at.IDLE] = 0
    finish_step(row, numbers, settings, mask)
    reward = 0.0 if legal else illegal_reward
    kind = settings[at.REWARD]
    if kind == at.REWARD_FOUNDATION:
        reward += 5.0 * (peak_sum(row) - peaks)
    elif kind == at.REWARD_SCORE:
        reward += numbers[at.SCORE] - score
    elif kind == at.REWARD_WIN:
        reward += row[at.OUTCOME] == at.WON
    elif row[at.OUTCOME] != at.RUNNING:
        reward += casino(row)
    return reward, legal


@jit
def finish_step(row, numbers, settings, mask):
    """Sets the outcome if the episode is over now, and fills ``mask``."""
    if is_won(row, settings):
        row[at.OUTCOME] = at.WON
    elif is_dead(row, numbers, settings, mask):
        row[at.OUTCOME] = at.DEAD
    elif 0 <= settings[at.LIMIT_IDLE] <= numbers[at.IDLE]:
        row[at.OUTCOME] = at.IDLED
    elif 0 <= settings[at.LIMIT_STEPS] <= numbers[at.STEPS]:
        row[at.OUTCOME] = at.MAX_STEPS
    if row[at.OUTCOME] != at.RUNNING:
        mask[:] = 1


@jit
def is_dead(row, numbers, settings, mask):
    """Whether no turning of the stock brings up any legal move; fills ``mask`` with the legal actions on the way."""
    found = fill_mask(row, numbers, settings, mask)
    if found > np.int64(mask[0]):
        return False
    if settings[at.AUTO_STOCK]:
        return True
    ahead = np.zeros(261, np.int8)
    return find_moves(row, numbers, settings, ALL_IN_REACH, ahead) == 0


@jit
def peak_sum(row):
    return np.int64(row[at.PEAK]) + row[at.PEAK + 1] + row[at.PEAK + 2] + row[at.PEAK + 3]


@jit
def casino(row):
    """The casino's bet in dollars (H4): 50 for the deck, 5 for each card up, 500 for all of them."""
    up = np.int64(row[at.HEIGHT]) + row[at.HEIGHT + 1] + row[at.HEIGHT + 2] + row[at.HEIGHT + 3]
    return 450.0 if row[at.OUTCOME] == at.WON else 5.0 * up - 50.0
