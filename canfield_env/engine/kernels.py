"""The rules, compiled: the game of ``canfield_env.game`` over the structures of ``canfield_env.engine.layout``.

Every function works on one game, an element of ``GAME``, and the batch's settings, an element of ``SETTINGS``. Nothing
here checks its arguments. What can be played is kept as sets of cards, so a rule is a line of set algebra:

    to a foundation   (tops of reserve, columns, talon) & (next cards of the foundations)
    to column k       (cards that may leave their pile) & (cards that fit column k) & ~(cards of column k)
"""

from __future__ import annotations

import numpy as np

from canfield_env.deals import DEAL_COUNT, FIRST_TRAINING_DEAL
from canfield_env.engine import layout as at
from canfield_env.engine.jit import jit, lowest_bit
from canfield_env.game import CASINO_BETS, POINTS_PER_CARD

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_TRAINING_DEALS = np.uint64(DEAL_COUNT - FIRST_TRAINING_DEAL)
#: The largest output that the shuffle accepts for each number of places: below a multiple of it, so none is favoured.
_LARGEST_OUTPUT = np.array([0] + [2**64 - 2**64 % size - 1 for size in range(1, 53)], dtype=np.uint64)

_ALL_CARDS = 2**52 - 1
#: The two cards of the base rank, by colour; shifted left by a rank, those of that rank.
_BLACK_PAIR = 1 | 1 << 39
_RED_PAIR = 1 << 13 | 1 << 26

_BET = CASINO_BETS["fifty"]
#: What the casino's bet has brought, in dollars (H4): in a won game, and by number of cards up in any other.
_NET_WON = float(_BET.net(52, won=True))
_NET = np.array([_BET.net(cards, won=False) for cards in range(53)], np.float64)


# ---------------------------------------------------------------------------------------------------- dealing


@jit
def mix(state):
    """The output of SplitMix64 for a state (uint64)."""
    z = (state ^ (state >> np.uint64(30))) * _MIX_1
    z = (z ^ (z >> np.uint64(27))) * _MIX_2
    return z ^ (z >> np.uint64(31))


@jit
def next_deal(game):
    """Draws a deal number from the game's own generator, none of those kept for evaluation."""
    state = np.uint64(game.random) + _GOLDEN
    game.random = np.int64(state)
    return np.int64(mix(state) % _TRAINING_DEALS) + FIRST_TRAINING_DEAL


@jit
def shuffle(number, ranks, deck):
    """Fills ``deck`` (int8[52], of which ``4 * ranks`` are used, the ace lowest) with the deck of a deal number."""
    count = 0
    for card in at.START_CARDS:
        if card % 13 < ranks:
            deck[count] = card
            count += 1
    state = np.uint64(number)
    for i in range(count - 1, 0, -1):
        state += _GOLDEN
        output = mix(state)
        while output > _LARGEST_OUTPUT[i + 1]:
            state += _GOLDEN
            output = mix(state)
        j = np.int64(output % np.uint64(i + 1))
        deck[i], deck[j] = deck[j], deck[i]


@jit
def clear(game):
    """Empties the table."""
    game.legal[:] = 0
    game.column_set[:] = 0
    game.redeals = 0
    game.actions = 0
    game.score = 0
    game.height[:] = 0
    game.peak[:] = 0
    game.length[:] = 0
    game.waste_count = 0
    game.place[:] = at.NOWHERE


@jit
def deal(game, settings, deck, draw, number):
    """Deals a deck (A2) and starts the episode. The game's generator is left as it is."""
    ranks = settings.ranks
    reserve = settings.reserve
    columns = settings.columns
    base = deck[reserve] % 13
    clear(game)
    game.base = base
    game.draw = draw
    game.deal = number
    for i in range(4 * ranks):
        rank = deck[i] % 13
        card = deck[i] - rank + (rank - base) % ranks
        if i < reserve:
            game.reserve[i] = card
            game.place[card] = at.IN_RESERVE
        elif i == reserve:
            put(game, card, -1)
        elif i <= reserve + columns:
            put(game, card, i - reserve - 1)
        else:
            game.talon[i - 1 - reserve - columns] = card
            game.place[card] = at.IN_TALON
    game.reserve_count = reserve
    game.stock_count = settings.stock
    start(game, settings)


@jit
def deal_next(game, settings):
    """Draws a deal from the game's own generator, deals it and starts the episode."""
    deck = np.empty(52, np.int8)
    number = next_deal(game)
    shuffle(number, settings.ranks, deck)
    deal(game, settings, deck, settings.draw, number)


@jit
def start(game, settings):
    """Starts an episode on the table as it is.

    ``stock="auto"`` makes the first pass, which shows every card. Where no action is legal the episode is over at once:
    its first step plays nothing and says so.
    """
    game.steps = 0
    game.idle = 0
    game.total = 0.0
    game.over = False
    if settings.auto_stock and game.redeals == 0:
        while game.stock_count > 0:
            turn(game)
    found = find_moves(game, settings)
    game.outcome = at.RUNNING
    if is_won(game, settings):
        game.outcome = at.WON
    elif not found and not can_turn(game, settings):
        game.outcome = at.DEAD


# ---------------------------------------------------------------------------------------------------- the stock


@jit
def can_redeal(game, settings):
    """Whether the rules allow the waste to be turned back once more (E3)."""
    return settings.redeals < 0 or game.redeals < settings.redeals


@jit
def can_turn(game, settings):
    """Whether turning the stock is an action, and legal: there are cards to turn, or to turn back (E1, E3)."""
    if settings.auto_stock:
        return False
    return game.stock_count > 0 or (game.waste_count > 0 and can_redeal(game, settings))


@jit
def turn(game):
    """Turns the stock, or turns the waste back where the stock is empty (E1, E3)."""
    game.actions += 1
    if game.stock_count > 0:
        count = min(game.draw, game.stock_count)
        game.waste_count += count
        game.stock_count -= count
    else:
        game.stock_count = game.waste_count
        game.waste_count = 0
        game.redeals += 1


@jit
def up_in_pass(game, first):
    """The set of cards that come up in a pass whose first turn leaves ``first`` cards on the waste."""
    count = game.waste_count + game.stock_count
    cards = bit(game.talon[count - 1]) if count > 0 else 0
    for place in range(first, count, game.draw):
        cards |= bit(game.talon[place - 1])
    return cards


@jit
def up_in_this_pass(game):
    """The set of cards that turning brings up before the next redeal, the top of the waste included."""
    return up_in_pass(game, np.int64(game.waste_count if game.waste_count > 0 else game.draw))


@jit
def up_after_redeal(game, settings):
    """The set of cards that turning brings up after the next redeal, if there is one."""
    return up_in_pass(game, np.int64(game.draw)) if can_redeal(game, settings) else 0


@jit
def waste_top(game):
    """The top of the waste, as a set."""
    return bit(game.talon[game.waste_count - 1]) if game.waste_count > 0 else 0


# ---------------------------------------------------------------------------------------------------- legal moves


@jit
def bit(card):
    """The set of one card."""
    return np.int64(1) << np.int64(card)


@jit
def is_red(card):
    """Whether a card is a diamond or a heart."""
    return 13 <= card < 39


@jit
def next_cards(game, settings):
    """The set of cards that the foundations take (B2, B3)."""
    cards = 0
    for suit in range(4):
        if game.height[suit] < settings.ranks:
            cards |= bit(13 * suit + game.height[suit])
    return cards


@jit
def foundation_tops(game):
    """The set of the foundations' top cards."""
    cards = 0
    for suit in range(4):
        if game.height[suit] > 0:
            cards |= bit(13 * suit + game.height[suit] - 1)
    return cards


@jit
def column_last(game, k):
    """The last card of a column, as a set."""
    return bit(game.columns[k, game.length[k] - 1]) if game.length[k] > 0 else 0


@jit
def column_root(game, k):
    """The first card of a column, as a set."""
    return bit(game.columns[k, 0]) if game.length[k] > 0 else 0


@jit
def fitting(game, settings, k, talon):
    """The set of cards that column ``k`` takes; ``talon`` is the set of those that would come from the talon.

    (C1, C2, D4.)
    """
    length = game.length[k]
    if length == 0:
        return _ALL_CARDS if settings.any_to_space else talon
    below = game.columns[k, length - 1]
    rank = below % 13
    if rank == 0:
        if not settings.build_on_base:
            return 0
        rank = settings.ranks
    return (_BLACK_PAIR if is_red(below) else _RED_PAIR) << (rank - 1)


@jit
def find_moves(game, settings):
    """Finds the legal moves, but for turning the stock; returns whether there are any."""
    talon = up_in_this_pass(game) | up_after_redeal(game, settings) if settings.auto_stock else waste_top(game)
    loose = talon
    if game.reserve_count > 0:
        loose |= bit(game.reserve[game.reserve_count - 1])
    lasts = 0
    movable = loose | (foundation_tops(game) if settings.take_back else 0)  # D1, E4, F1
    for k in range(settings.columns):
        lasts |= column_last(game, k)
        movable |= game.column_set[k] if settings.tails else column_root(game, k)  # C3
    game.legal[0] = (loose | lasts) & next_cards(game, settings)  # B4
    found = game.legal[0]
    for k in range(settings.columns):
        game.legal[1 + k] = movable & ~game.column_set[k] & fitting(game, settings, k, talon)
        found |= game.legal[1 + k]
    return found != 0


@jit
def turning_helps(game, settings):
    """Whether turning the stock, any number of times, brings up a card that can be played."""
    wanted = next_cards(game, settings)
    for k in range(settings.columns):
        wanted |= fitting(game, settings, k, _ALL_CARDS)
    return wanted & (up_in_this_pass(game) | up_after_redeal(game, settings)) != 0


@jit
def is_legal(game, settings, action):
    """Whether an action (0 to 260) is legal in a running episode."""
    if action == 0:
        return can_turn(game, settings)
    return game.legal[(action - 1) % 5] & bit((action - 1) // 5) != 0


@jit
def fill_mask(game, settings, mask):
    """Fills ``mask`` (int8[261]) with the legal actions, or with ones after the end."""
    if game.outcome != at.RUNNING:
        mask[:] = 1
        return
    mask[:] = 0
    mask[0] = can_turn(game, settings)
    for target in range(1 + settings.columns):
        cards = game.legal[target]
        while cards:
            mask[1 + 5 * lowest_bit(cards) + target] = 1
            cards &= cards - 1


# ---------------------------------------------------------------------------------------------------- playing


@jit
def play(game, action):
    """Plays a legal action, with the turns of the stock (``stock="auto"``) and the refill (D3) that belong to it.

    Returns whether a card left the reserve, the stock or the waste, or reached its foundation for the first time.
    """
    if action == 0:
        turn(game)
        return False
    card = (action - 1) // 5
    target = (action - 1) % 5 - 1
    if target < 0:
        game.score += POINTS_PER_CARD
    place = np.int64(game.place[card])
    if place >= at.IN_COLUMN:
        progress = move_run(game, (place - at.IN_COLUMN) // 52, (place - at.IN_COLUMN) % 52, target)
    else:
        if place == at.ON_FOUNDATION:
            game.height[card // 13] -= 1
        elif place == at.IN_RESERVE:
            game.reserve_count -= 1
        else:
            take_from_talon(game, card)
        progress = put(game, card, target) or place != at.ON_FOUNDATION
    game.actions += 1
    return progress


@jit
def take_from_talon(game, card):
    """Takes a card off the waste, after turning the stock until it is the top."""
    while waste_top(game) != bit(card):
        turn(game)
    game.waste_count -= 1
    for place in range(game.waste_count, np.int64(game.waste_count) + game.stock_count):
        game.talon[place] = game.talon[place + 1]


@jit
def put(game, card, target):
    """Puts a card on its foundation (target -1) or a column; returns whether it is there for the first time."""
    if target < 0:
        suit = card // 13
        game.place[card] = at.ON_FOUNDATION
        game.height[suit] += 1
        if game.height[suit] > game.peak[suit]:
            game.peak[suit] = game.height[suit]
            return True
        return False
    length = game.length[target]
    game.columns[target, length] = card
    game.column_set[target] |= bit(card)
    game.place[card] = at.IN_COLUMN + 52 * target + length
    game.length[target] = length + 1
    return False


@jit
def move_run(game, source, first, target):
    """Moves the cards of column ``source`` from index ``first`` on, and refills the column if that empties it (D3).

    Returns whether a card left the reserve or is on its foundation for the first time.
    """
    progress = False
    for i in range(first, game.length[source]):
        card = np.int64(game.columns[source, i])
        game.column_set[source] &= ~bit(card)
        progress = put(game, card, target)
    game.length[source] = first
    if first == 0 and game.reserve_count > 0:
        game.reserve_count -= 1
        put(game, np.int64(game.reserve[game.reserve_count]), source)
        progress = True
    return progress


@jit
def step(game, settings, action):
    """One step: plays the action if it is legal; where the episode was over as it was dealt, plays nothing and says so.

    Returns the reward and whether the action was legal.
    """
    game.steps += 1
    game.idle += 1
    score = game.score
    peaks = peak_sum(game)
    running = game.outcome == at.RUNNING
    legal = not running or is_legal(game, settings, action)
    if running:
        if legal and play(game, action):
            game.idle = 0
        game.outcome = find_outcome(game, settings)
    game.over = game.outcome != at.RUNNING
    reward = 0.0 if legal else settings.illegal_reward
    if settings.reward == at.REWARD_FOUNDATION:
        reward += POINTS_PER_CARD * (peak_sum(game) - peaks)
    elif settings.reward == at.REWARD_SCORE:
        reward += game.score - score
    elif settings.reward == at.REWARD_WIN:
        reward += running and game.outcome == at.WON
    elif game.over:
        reward += casino(game)
    game.total += reward
    return reward, legal


@jit
def find_outcome(game, settings):
    """Finds the legal moves, and from them whether the episode goes on or how it has ended."""
    found = find_moves(game, settings)
    if is_won(game, settings):
        return at.WON
    if not found and not (can_turn(game, settings) and turning_helps(game, settings)):
        return at.DEAD
    if 0 <= settings.max_idle <= game.idle:
        return at.IDLED
    if 0 <= settings.max_steps <= game.steps:
        return at.MAX_STEPS
    return at.RUNNING


@jit
def cards_up(game):
    """Cards on the foundations."""
    return np.int64(game.height[0]) + game.height[1] + game.height[2] + game.height[3]


@jit
def is_won(game, settings):
    """Whether all foundations are full (G1)."""
    return cards_up(game) == 4 * settings.ranks


@jit
def peak_sum(game):
    """Cards that have ever been on the foundations."""
    return np.int64(game.peak[0]) + game.peak[1] + game.peak[2] + game.peak[3]


@jit
def casino(game):
    """What the casino's bet has brought, in dollars (H4)."""
    return _NET_WON if game.outcome == at.WON else _NET[cards_up(game)]
