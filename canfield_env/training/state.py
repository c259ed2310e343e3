"""What a training run goes on from: the optimiser, the games, the random generators and the counts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from canfield_env.training.model_file import TrainingState
from canfield_env.training.ppo import PausingPPO
from canfield_env.training.vecenv import TrainingVecEnv

#: What the names of the weights begin with of a network that learns while its average plays.
_LEARNER: Final = "learner "


def capture(ppo: PausingPPO, env: TrainingVecEnv, **facts: Any) -> TrainingState:
    """The state between two rollouts, without the weights of ``ppo.player``.

    Args:
        ppo: the algorithm.
        env: what it trains on.
        facts: more to be kept, as JSON has it.
    """
    keys, place = _numpy_generator()
    facts |= {"steps": ppo.num_timesteps, "updates": ppo._n_updates, "numpy generator": place}
    tensors = {"torch generator": torch.get_rng_state(), **optimizer_tensors(ppo.policy.optimizer)}
    assert ppo._last_episode_starts is not None
    arrays = {"numpy generator": keys, "starts": ppo._last_episode_starts, **env.state()}
    tensors |= {name: torch.tensor(np.frombuffer(array.tobytes(), np.uint8)) for name, array in arrays.items()}
    if ppo.average is not None:
        facts["averaged"] = int(ppo.average.n_averaged)
        tensors |= {_LEARNER + name: values for name, values in ppo.network.state_dict().items()}
    return TrainingState(facts, tensors)


def restore(state: TrainingState, ppo: PausingPPO, env: TrainingVecEnv) -> None:
    """Goes back to what ``capture`` gave. ``ppo`` and ``env`` have been made from the same configuration, and the
    network has the player's weights.

    Raises:
        KeyError, RuntimeError, TypeError, ValueError: the state is no such thing.
    """
    facts, tensors = state.facts, state.tensors

    def array(name: str, like: NDArray[Any]) -> NDArray[Any]:
        return np.frombuffer(tensors[name].numpy().tobytes(), like.dtype).reshape(like.shape)

    ppo.num_timesteps, ppo._n_updates = facts["steps"], facts["updates"]
    restore_optimizer(ppo.policy.optimizer, tensors)
    if ppo.average is not None:
        ppo.average.n_averaged.fill_(facts["averaged"])
        ppo.average.module.load_state_dict(ppo.network.state_dict())
        learner = {name: values for name, values in tensors.items() if name.startswith(_LEARNER)}
        ppo.network.load_state_dict({name.removeprefix(_LEARNER): values for name, values in learner.items()})
    ppo._last_obs = env.restore({name: array(name, like) for name, like in env.state().items()})
    ppo._last_episode_starts = array("starts", np.empty(env.num_envs, np.bool_))
    torch.set_rng_state(tensors["torch generator"])
    keys = array("numpy generator", _numpy_generator()[0])
    np.random.set_state(("MT19937", keys, facts["numpy generator"], 0, 0.0))  # noqa: NPY002


def _numpy_generator() -> tuple[NDArray[np.uint32], int]:
    """The state of numpy's global generator, which stable-baselines3 shuffles with."""
    state = np.random.get_state()  # noqa: NPY002
    assert isinstance(state, tuple)
    return state[1], state[2]


def optimizer_tensors(optimizer: torch.optim.Optimizer) -> dict[str, Tensor]:
    """What an optimiser remembers, under names that begin with ``optimizer``."""
    state = optimizer.state_dict()["state"]
    return {f"optimizer {index} {key}": value for index, values in state.items() for key, value in values.items()}


def restore_optimizer(optimizer: torch.optim.Optimizer, tensors: Mapping[str, Tensor]) -> None:
    """Goes back to what ``optimizer_tensors`` gave, which may lie among other tensors."""
    state: dict[int, dict[str, Tensor]] = {}
    for name, tensor in tensors.items():
        if name.startswith("optimizer "):
            _, index, key = name.split(" ")
            state.setdefault(int(index), {})[key] = tensor
    optimizer.load_state_dict({**optimizer.state_dict(), "state": state})
