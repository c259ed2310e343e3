"""Learning from where moves lead: after an update the policy follows what its value says of all moves.

PPO learns of a position from the one move that was played there, and from what happened by chance afterwards. The value
of the positions that moves lead to says something of all of them. With ``Q`` for what the moves are worth by it
(``lookahead``), the policy is to be ``p(move) exp(Q(move) / temperature)``, normalised, ``p`` being the policy of the
player, of the averaged weights where there are any: the step that a policy is improved by where it must not go far from
what it is (Peters, Mülling and Altün 2010; Abdolmaleki et al. 2018).

What is compared are not the probabilities, of which those of rare moves hardly count, but the moves' scores, less their
mean. They are linear in ``Q``, so what is learned from is right on average whatever noise is in it.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import torch
from sb3_contrib.common.maskable.buffers import MaskableRolloutBufferSamples
from torch import Tensor, nn

from canfield_env.training.afterstates import foresee
from canfield_env.training.config import TrainingConfig
from canfield_env.training.lookahead import PART, worth_of_moves
from canfield_env.training.network import Network
from canfield_env.training.policy import NetworkPolicy


class Study:
    """What is learned after an update of PPO, beside the value of the same steps.

    Args:
        config: the run.
    """

    def __init__(self, config: TrainingConfig) -> None:
        self._section, self._env, self._algorithm = config.lookahead, config.env, config.algorithm
        self._seed, self._threads = config.run.seed, config.run.threads

    def learn(
        self, policy: NetworkPolicy, player: Network, rollout: MaskableRolloutBufferSamples, steps: int
    ) -> Mapping[str, float]:
        """Learns from a share of the steps of a rollout.

        Args:
            policy: learns, by its optimizer.
            player: says what moves are worth, and how they are played so far.
            rollout: all of it.
            steps: of training so far; with the run's seed it decides which steps are looked at.

        Returns:
            What is logged: the loss, Huber's, by which the scores differ from what they are to be as the policy comes
            to them; and how much less than the best the player's favourite move is worth. Nothing where no step is
            looked at.
        """
        rng = np.random.default_rng([self._seed, steps])
        masks = rollout.action_masks.bool()
        choices = masks.sum(1)
        open_to_choice = ((choices > 1) & (choices < masks.shape[1])).numpy()  # after the end the mask is all ones
        rows = np.flatnonzero(open_to_choice & (rng.random(len(masks)) < self._section.share))
        if len(rows) == 0:
            return {}
        tokens, masks, returns = rollout.observations[rows].to(torch.uint8), masks[rows], rollout.returns[rows]
        wanted, regret = self._look(player, tokens, masks)
        losses = []
        order = np.concatenate([rng.permutation(len(rows)) for _ in range(self._section.epochs)])
        for batch in torch.split(torch.from_numpy(order), self._section.batch_size):
            legal = masks[batch]
            logits, values = policy.score(tokens[batch], legal)
            distance = nn.functional.smooth_l1_loss(_centred(logits, legal)[legal], wanted[batch][legal])
            loss = distance + self._algorithm.value * nn.functional.mse_loss(values, returns[batch])
            policy.optimizer.zero_grad()
            torch.autograd.backward(loss)
            nn.utils.clip_grad_norm_(policy.parameters(), self._algorithm.max_grad_norm)
            policy.optimizer.step()
            losses.append(distance.item())
        return {"loss": float(np.mean(losses)), "regret": regret}

    def _look(self, player: Network, tokens: Tensor, masks: Tensor) -> tuple[Tensor, float]:
        """``float[N, 261]``, what the scores of the moves in the mask are to be, less their mean; and the regret."""
        section, gamma = self._section, self._algorithm.gamma
        ahead = foresee(tokens.numpy(), masks.numpy(), self._env.options())
        worth = worth_of_moves(player, ahead, masks, self._env, gamma, threads=self._threads)
        with torch.no_grad():  # not in inference mode: what comes out is learned from
            parts = zip(torch.split(tokens, PART), torch.split(masks, PART), strict=True)
            logits = torch.cat([player(*part)[0] for part in parts])
            wanted = _centred(logits + worth / section.temperature, masks)
            best = worth.masked_fill(~masks, -torch.inf).amax(1, keepdim=True)
            regret = (best - worth.gather(1, logits.argmax(1, keepdim=True))).mean()
        return wanted, float(regret)


def _centred(scores: Tensor, masks: Tensor) -> Tensor:
    """The scores of the moves in the mask less their mean; of no account elsewhere."""
    return scores - scores.masked_fill(~masks, 0.0).sum(1, keepdim=True) / masks.sum(1, keepdim=True)
