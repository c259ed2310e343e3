"""One episode: an agent plays a deal, and what it did is recorded and checked."""

from __future__ import annotations

import hashlib
import time

from canfield_env.deals import Deal
from canfield_env.env.single import CanfieldEnv
from canfield_env.errors import IllegalMoveError, NotationError
from canfield_env.evaluation.foreign import foreign_code
from canfield_env.evaluation.protocol import Agent, Versatile
from canfield_env.records import Record, verify
from canfield_env.rules import Rules
from canfield_env.view import PlayerView


def make_env(agent: Agent, rules: Rules) -> CanfieldEnv:
    """The environment that an agent plays in; it raises on illegal actions.

    Its ``stock`` option is the agent's, or the one that the agent has for limited redeals.

    Raises:
        ConfigError: the agent's options do not go with the rules.
    """
    stock = agent.limited_stock if rules.redeals is not None and isinstance(agent, Versatile) else agent.stock
    return CanfieldEnv(rules, stock=stock, observation=agent.observation, illegal="raise")


def episode_seed(seed: int, view: PlayerView) -> int:
    """The seed of an episode, 0 to 2^63 - 1.

    It depends on the evaluation's seed and on what the player sees at the start: not on when or where the deal is
    played, and on no hidden card either, since the agent is given it.
    """
    text = f"{seed} {view.draw} {view}"
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") >> 1


def play_episode(agent: Agent, env: CanfieldEnv, deal: Deal, seed: int = 0) -> Record:
    """Lets an agent play a deal to its end.

    Args:
        agent: the player.
        env: made by ``make_env`` for that agent.
        deal: the deal.
        seed: the evaluation's seed, see ``episode_seed``.

    Returns:
        The record, which has been replayed in the plain game. Its ``seconds`` are the CPU seconds of this process in
        which the agent decided.

    Raises:
        ConfigError: the agent raised an error.
        IllegalMoveError, NotationError: the agent gave an action that is illegal, or none at all.
        RecordError: the episode does not replay in the plain game: environment and game disagree.
    """
    observation, info = env.reset(options={"deal": deal})
    first_seed = episode_seed(seed, env.player_view())
    name = f"agent {agent.name!r} on {deal}"
    begun = time.process_time()
    with foreign_code(name):
        agent.reset(first_seed)
    seconds = time.process_time() - begun
    while "outcome" not in info:
        view = env.player_view() if agent.wants_view else None
        begun = time.process_time()
        with foreign_code(name):
            action = agent.act(observation, info["action_mask"], view)
        seconds += time.process_time() - begun
        try:
            observation, _, _, _, info = env.step(action)
        except (IllegalMoveError, NotationError) as error:
            raise type(error)(f"{name}: {error}") from error
    record = Record.of_game(env.game, info["outcome"], agent.name, round(seconds, 4))
    verify(record)
    return record
