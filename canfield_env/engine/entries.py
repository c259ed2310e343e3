"""The kernels that are called from Python: loops over the games of a batch.

They are few, since each is compiled with all that it calls.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from canfield_env.deals import ALPHABET, DRAWS, encode_code
from canfield_env.engine import kernels, layout, observe
from canfield_env.engine.jit import jit

# Rows of the arrays of ``Told``.
TERMINATED, TRUNCATED, ILLEGAL = range(3)  # flags
OUTCOME, SCORE, CARDS_UP, MOVES, STEPS = range(5)  # facts
REWARD, TOTAL = range(2)  # rewards

#: Characters of a game code.
CODE_LENGTH: Final = len(encode_code(0))

_SHIFTS = np.arange(25, -1, -5)
_ALPHABET = np.array([ord(symbol) for symbol in ALPHABET], np.uint32)
#: The code of deal number 0, by draw count.
_CODE_OF_0 = np.zeros((max(DRAWS) + 1, CODE_LENGTH), np.uint32)
for _draw in DRAWS:
    _CODE_OF_0[_draw] = [ord(symbol) for symbol in encode_code(0, _draw)]
#: What each digit adds to the check symbol at each place; the sum, over GF(32), is an exclusive or.
_CHECK = np.array(
    [[ALPHABET.index(encode_code(digit << shift)[-1]) for digit in range(32)] for shift in _SHIFTS.tolist()]
)


@jit
def begin_rows(games, settings, rows, deal, codes):
    """Starts episodes in some games, dealt anew or on the table as it is, and notes their game codes."""
    for row in rows:
        game = games[row]
        if deal:
            kernels.deal_next(game, settings[0])
        else:
            kernels.start(game, settings[0])
        write_code(game, settings[0], codes[row])


@jit
def tell_rows(games, settings, rows, observations, masks, flags, facts, rewards):
    """Tells of some games how they stand."""
    for row in rows:
        tell(games[row], settings[0], row, observations, masks, facts, rewards)


@jit
def step_rows(games, settings, actions, first, last, observations, masks, flags, facts, rewards):
    """Steps the games from ``first`` to ``last`` that are not over, and tells of all of them."""
    for row in range(first, last):
        game = games[row]
        if not game.over:
            rewards[REWARD, row], legal = kernels.step(game, settings[0], actions[row])
            flags[ILLEGAL, row] = not legal
            flags[TERMINATED, row] = game.outcome == layout.WON or game.outcome == layout.DEAD
            flags[TRUNCATED, row] = game.over and not flags[TERMINATED, row]
        tell(game, settings[0], row, observations, masks, facts, rewards)


@jit
def step_one(games, settings, action, refuse, observation, mask):
    """Steps a batch of one game; with ``refuse`` a masked action changes nothing.

    Returns reward, whether the action was legal, outcome, score, cards up and literal moves.
    """
    game = games[0]
    reward, legal = 0.0, False
    if not refuse or game.outcome != layout.RUNNING or kernels.is_legal(game, settings[0], action):
        reward, legal = kernels.step(game, settings[0], action)
    kernels.fill_mask(game, settings[0], mask)
    observe.observe(game, settings[0], observation)
    return reward, legal, game.outcome, game.score, kernels.cards_up(game), game.actions


@jit
def find_illegal(games, settings, actions):
    """The first game in which the episode goes on and the action is not legal, or -1."""
    for row in range(len(games)):
        game = games[row]
        if game.outcome == layout.RUNNING and not kernels.is_legal(game, settings[0], actions[row]):
            return row
    return -1


@jit
def mask_rows(games, settings, masks):
    """Fills the masks of all games."""
    for row in range(len(games)):
        kernels.fill_mask(games[row], settings[0], masks[row])


@jit
def tell(game, settings, row, observations, masks, facts, rewards):
    kernels.fill_mask(game, settings, masks[row])
    observe.observe(game, settings, observations[row])
    facts[OUTCOME, row] = game.outcome
    facts[SCORE, row] = game.score
    facts[CARDS_UP, row] = kernels.cards_up(game)
    facts[MOVES, row] = game.actions
    facts[STEPS, row] = game.steps
    rewards[TOTAL, row] = game.total


@jit
def write_code(game, settings, code):
    """Writes the game code into ``code`` (uint32[CODE_LENGTH]), or zeros where the deal has none."""
    if game.deal < 0 or settings.ranks != 13:
        code[:] = 0
        return
    code[:] = _CODE_OF_0[game.draw]
    check = 0
    for place in range(6):
        digit = (game.deal >> _SHIFTS[place]) & 31
        code[CODE_LENGTH - 7 + place] = _ALPHABET[digit]
        check ^= _CHECK[place, digit]
    code[CODE_LENGTH - 1] = _ALPHABET[check]
