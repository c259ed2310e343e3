"""Learning from where moves lead: after an update the policy follows what its value says of all moves.

PPO learns of a position from the one move that was played there, and from what happened by chance afterwards; once a
policy plays well this says less than the value of the positions that its moves lead to. With ``Q`` for what the moves
are worth by it (``lookahead``), the policy is to be ``p(move) exp(Q(move) / temperature)``, normalised, ``p`` being the
policy as it is: the step that a policy is improved by where it must not go far from what it is (Peters, Mülling and
Altün 2010; Abdolmaleki et al. 2018).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np
import torch
from sb3_contrib.common.maskable.buffers import MaskableRolloutBufferSamples
from torch import Tensor, nn

from canfield_env.training.config import TrainingConfig
from canfield_env.training.lookahead import worth_of_moves
from canfield_env.training.network import Network
from canfield_env.training.policy import NetworkPolicy

#: Positions that are looked at at a time.
_PART: Final = 4096


class Study:
    """What is learned after an update of PPO, beside the value of the same steps.

    Args:
        config: the run.
    """

    def __init__(self, config: TrainingConfig) -> None:
        self._section, self._env, self._algorithm = config.lookahead, config.env, config.algorithm
        self._seed = config.run.seed

    def learn(
        self, policy: NetworkPolicy, player: Network, rollout: MaskableRolloutBufferSamples, steps: int
    ) -> Mapping[str, float]:
        """Goes once over a share of the steps of a rollout.

        Args:
            policy: learns, by its optimizer.
            player: says what moves are worth, and how they are played so far.
            rollout: all of it.
            steps: of training so far; with the run's seed it decides which steps and orders are looked at.

        Returns:
            What is logged: the KL divergence of what the policy is to be from what it is, as it comes to a batch; and
            how much less than the best the player's favourite move is worth.
        """
        rng = np.random.default_rng([self._seed, steps])
        masks = rollout.action_masks.bool()
        choices = masks.sum(1)
        open_to_choice = ((choices > 1) & (choices < masks.shape[1])).numpy()  # after the end the mask is all ones
        rows = np.flatnonzero(open_to_choice & (rng.random(len(masks)) < self._section.share))
        tokens, masks, returns = rollout.observations[rows].to(torch.uint8), masks[rows], rollout.returns[rows]
        wanted, regret = self._look(player, tokens, masks, rng)
        divergences = []
        for batch in torch.split(torch.from_numpy(rng.permutation(len(rows))), self._algorithm.batch_size):
            logits, values = policy.score(tokens[batch], masks[batch])
            divergence = nn.functional.kl_div(torch.log_softmax(logits, 1), wanted[batch], reduction="batchmean")
            loss = divergence + self._algorithm.value * nn.functional.mse_loss(values, returns[batch])
            policy.optimizer.zero_grad()
            torch.autograd.backward(loss)
            nn.utils.clip_grad_norm_(policy.parameters(), self._algorithm.max_grad_norm)
            policy.optimizer.step()
            divergences.append(divergence.item())
        return {"divergence": float(np.mean(divergences)), "regret": regret}

    def _look(self, player: Network, tokens: Tensor, masks: Tensor, rng: np.random.Generator) -> tuple[Tensor, float]:
        """``float[N, 261]``, the probabilities that moves are to be played with; and the regret."""
        section = self._section
        worth = worth_of_moves(player, tokens, masks, self._env, self._algorithm.gamma, section.orders, rng)
        with torch.inference_mode():
            parts = zip(torch.split(tokens, _PART), torch.split(masks, _PART), strict=True)
            logits = torch.cat([player(*part)[0] for part in parts])
        wanted = torch.softmax(torch.log_softmax(logits, 1) + worth / section.temperature, 1)
        best = worth.masked_fill(~masks, -torch.inf).amax(1)
        return wanted.clone(), float((best - worth.gather(1, logits.argmax(1, keepdim=True)).squeeze(1)).mean())
