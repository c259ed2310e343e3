"""The environment as PPO trains on it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from stable_baselines3.common.vec_env import VecEnvWrapper
from stable_baselines3.common.vec_env.base_vec_env import VecEnvStepReturn

from canfield_env.deals import FIRST_TRAINING_DEAL, decode_code
from canfield_env.engine.layout import ACTIONS
from canfield_env.env.sb3 import CanfieldVecEnv
from canfield_env.errors import ConfigError
from canfield_env.training.config import Rewards
from canfield_env.training.repetition import RESERVE, Memory


def _reserves(observations: Any) -> NDArray[np.float32]:
    """Cards in the reserve of each game."""
    reserves: NDArray[np.float32] = observations[:, RESERVE].astype(np.float32)
    return reserves


def _check_deal(code: str | None) -> None:
    """Raises ConfigError on a deal whose number is kept for evaluation."""
    if code is not None and decode_code(code)[0] < FIRST_TRAINING_DEAL:
        raise ConfigError(f"{code} is kept for evaluation: nothing is to be trained on it")


class TrainingVecEnv(VecEnvWrapper):
    """Narrows the masks against repetition, scales the rewards, and makes an idle end an end.

    The environment truncates an episode that gets nowhere. PPO would carry on the value of the last position there,
    and so value positions in which nothing can be done any more at whatever it guesses; for a learner that sees the
    count of idle steps the end is as real as any other.

    Args:
        games: with ``tokens`` observations.
        shaping: the rewards that are trained on.

    Attributes:
        finished: the last infos of the episodes that have ended, for whoever empties the list.
    """

    def __init__(self, games: CanfieldVecEnv, shaping: Rewards) -> None:
        super().__init__(games)
        self.finished: list[dict[str, Any]] = []
        self._games = games
        self._shaping = shaping
        self._reserves = np.zeros(self.num_envs, np.float32)  # cards in the reserve of each game
        self._memory = Memory(self.num_envs)
        self._masks = np.ones((self.num_envs, ACTIONS), np.bool_)

    def reset(self) -> Any:
        observations = self._games.reset()
        self._look(observations)
        return observations

    def step_wait(self) -> VecEnvStepReturn:
        observations, rewards, dones, infos = self._games.step_wait()
        reserves, won = _reserves(observations), np.zeros(self.num_envs, np.bool_)
        for index in np.flatnonzero(dones):
            info = infos[index]
            reserves[index] = info["terminal_observation"][RESERVE]
            won[index] = info["won"]
            info["TimeLimit.truncated"] = info["outcome"] == "max_steps"
            _check_deal(info["deal"])
            self.finished.append(info)
        rewards = self._shaping.shaped(rewards, self._reserves - reserves, won)
        self._look(observations)
        return observations, rewards, dones, infos

    def state(self) -> dict[str, NDArray[Any]]:
        """The arrays that ``restore`` takes."""
        state = self._games.state() | self._memory.state() | {"masks": self._masks}
        return {name: np.asarray(value) for name, value in state.items()}

    def restore(self, state: dict[str, NDArray[Any]]) -> NDArray[Any]:
        """Goes back to what ``state`` gave, and returns the observations there."""
        self._memory.restore(state)
        self._masks = state["masks"]
        observations = self._games.restore(state)
        self._reserves = _reserves(observations)
        return observations

    def _look(self, observations: Any) -> None:
        """Takes note of where the games stand now."""
        self._masks = self._memory.narrow(observations, self._games.action_masks())
        self._reserves = _reserves(observations)

    def env_method(self, method_name: str, *args: Any, **kwargs: Any) -> list[Any]:
        """As ``CanfieldVecEnv``'s, but the masks are the narrowed ones."""
        return [self._masks] if method_name == "action_masks" else super().env_method(method_name, *args, **kwargs)
