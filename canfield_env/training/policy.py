"""A network as a policy of stable-baselines3."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from torch import Tensor

from canfield_env.training.network import Network
from canfield_env.training.threads import in_threads


class NetworkPolicy(MaskableActorCriticPolicy):
    """Plays by a ``Network``'s scores; PPO's own layers and distributions have no part in it.

    Args:
        make_network: makes the network.
        threads: how many threads the network runs in.

    Attributes:
        network: the network.
        score: the network, in its threads.
    """

    def __init__(self, *args: Any, make_network: Callable[[], Network], threads: int = 1, **kwargs: Any) -> None:
        self._make_network = make_network
        self._threads = threads
        super().__init__(*args, **kwargs)

    def _build(self, lr_schedule: Callable[[float], float]) -> None:
        self.network = self._make_network()
        self.score = in_threads(self.network, self._threads)
        self.optimizer = torch.optim.Adam(self.parameters(), lr=lr_schedule(1.0), eps=1e-5)

    def forward(
        self, obs: Tensor, deterministic: bool = False, action_masks: Any = None
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Chooses moves.

        Args:
            obs: ``[N, 62]`` observations.
            deterministic: whether to take the move with the highest score, not one drawn by the scores.
            action_masks: ``bool[N, 261]``, an array or a tensor.

        Returns:
            ``int64[N]`` actions, ``float32[N]`` values, ``float32[N]`` logarithms of the actions' probabilities.

        Raises:
            ValueError: no masks.
        """
        logits, values = self.score(obs, _as_masks(action_masks))
        log_probs = torch.log_softmax(logits, 1)
        actions = logits.argmax(1) if deterministic else torch.multinomial(log_probs.exp(), 1).squeeze(1)
        return actions, values, log_probs.gather(1, actions[:, None]).squeeze(1)

    def evaluate_actions(self, obs: Any, actions: Tensor, action_masks: Any = None) -> tuple[Tensor, Tensor, Tensor]:
        """Judges moves that were chosen.

        Args:
            obs: ``[N, 62]`` observations.
            actions: ``[N]``, whole numbers of any dtype.
            action_masks: ``bool[N, 261]``, an array or a tensor.

        Returns:
            ``float32[N]`` values, ``float32[N]`` logarithms of the actions' probabilities, ``float32[N]`` entropies in
            nats.

        Raises:
            ValueError: no masks.
        """
        masks = _as_masks(action_masks)
        logits, values = self.score(obs, masks)
        log_probs = torch.log_softmax(logits, 1)
        entropy = -(log_probs.exp() * torch.where(masks, log_probs, 0.0)).sum(1)
        return values, log_probs.gather(1, actions.long()[:, None]).squeeze(1), entropy

    def _predict(self, observation: Any, deterministic: bool = False, action_masks: Any = None) -> Tensor:
        return self.forward(observation, deterministic, action_masks)[0]

    def predict_values(self, obs: Any) -> Tensor:
        """The values alone, ``float32[N]``, of ``[N, 62]`` observations."""
        return self.network.value(obs)


def _as_masks(masks: np.ndarray[Any, Any] | Tensor | None) -> Tensor:
    if masks is None:
        raise ValueError("the policy needs action masks")
    masks = torch.as_tensor(masks, dtype=torch.bool)
    return masks.reshape(-1, masks.shape[-1])
