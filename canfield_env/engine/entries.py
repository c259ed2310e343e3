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
def tell_rows(games, settings, rows, actions, observations, masks, flags, facts, rewards):
    """Tells of some games how they stand; before that, where ``actions`` is not empty, steps those that are not over.

    One loop for both, without helpers: they would be handed all the arrays anew for each game, which takes longer than
    what they do.
    """
    setting = settings[0]
    playing = len(actions) > 0
    for row in rows:
        game = games[row]
        if playing and not game.over:
            reward, legal = kernels.step(game, setting, actions[row])
            rewards[REWARD, row] = reward
            flags[ILLEGAL, row] = not legal
            flags[TERMINATED, row] = game.outcome == layout.WON or game.outcome == layout.DEAD
            flags[TRUNCATED, row] = game.over and not flags[TERMINATED, row]
        kernels.fill_mask(game, setting, masks[row])
        facts[OUTCOME, row] = game.outcome
        facts[SCORE, row] = game.score
        facts[CARDS_UP, row] = kernels.cards_up(game)
        facts[MOVES, row] = game.actions
        facts[STEPS, row] = game.steps
        rewards[TOTAL, row] = game.total
    observe.observe_rows(games, setting, rows, observations)


@jit
def step_one(games, settings, action, refuse, observation, mask):
    """Steps a batch of one game and tells of it; with ``refuse`` a masked action changes nothing.

    Returns reward, whether the action was legal, outcome, score, cards up and literal moves.
    """
    game = games[0]
    reward, legal = 0.0, False
    if not refuse or game.outcome != layout.RUNNING or kernels.is_legal(game, settings[0], action):
        reward, legal = kernels.step(game, settings[0], action)
    kernels.fill_mask(game, settings[0], mask)
    if settings[0].planes:
        observe.planes(game, settings[0], observation.view(np.float32))
    else:
        observe.tokens(game, settings[0], observation)
    return reward, legal, game.outcome, game.score, kernels.cards_up(game), game.actions


@jit
def find_refused(games, settings, actions, refuse):
    """The first game whose action is not 0 to 260 or, with ``refuse``, is masked where it goes on; -1 if none is."""
    for row in range(len(actions)):
        if not 0 <= actions[row] < layout.ACTIONS:
            return row
        if refuse:  # else the games are not looked at, which takes longer than all the rest
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
