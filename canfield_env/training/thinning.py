"""Learning from fewer of the steps that teach little.

Where the policy is nearly certain of its move and plays it, the policy gradient is nearly nothing; half of a good
policy's steps are of that kind. Learning from a share of them, each of which counts for several, is right on average
(importance sampling), and an update takes less time. That holds for the policy and the value; the entropy bonus is of
the steps that are left, so it weighs more where the policy is in doubt.
"""

from __future__ import annotations

import math
from collections.abc import Generator
from typing import Any, Final

import torch
from sb3_contrib.common.maskable.buffers import MaskableRolloutBuffer, MaskableRolloutBufferSamples

#: How likely the move was that the policy is nearly certain of.
CERTAIN: Final = 0.97


class ThinnedRollout(MaskableRolloutBuffer):
    """A rollout, of which each pass in batches leaves out most of the steps with moves from ``CERTAIN`` on.

    The advantages that are given out are normalised over the whole rollout, and then multiplied so that their mean
    times the gradients is on average what it would be for all steps. PPO must not normalise them again. The returns
    are moved away from the old values as much, so that the gradient of the value's squared error, as it begins, is on
    average that of all steps as well: of the steps in one position, those with the certain move are left out.

    Args:
        share: of the steps with such a move, those that a pass has.
    """

    def __init__(self, *args: Any, share: float, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._share = share

    def get(self, batch_size: int | None = None) -> Generator[MaskableRolloutBufferSamples, None, None]:  # type: ignore[override]
        """All steps together where there is no ``batch_size``; else those of a pass at random, in batches of about that
        size."""
        (whole,) = super().get()
        if batch_size is None:
            yield whole
            return
        shares = torch.where(whole.old_log_prob >= math.log(CERTAIN), self._share, 1.0)
        (kept,) = torch.where(torch.rand(len(shares)) < shares)
        weights = len(kept) / len(shares) / shares
        advantages = (whole.advantages - whole.advantages.mean()) / (whole.advantages.std() + 1e-8)
        returns = whole.old_values + weights * (whole.returns - whole.old_values)
        steps = whole._replace(advantages=weights * advantages, returns=returns)
        for batch in torch.tensor_split(kept, max(1, round(len(kept) / batch_size))):
            if len(batch):
                yield MaskableRolloutBufferSamples(*(values[batch] for values in steps))
