"""The ``info`` of one game, the same in the single and the stable-baselines3 form."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from canfield_env.engine import layout as at


def game_info(
    mask: NDArray[np.int8], code: str | None, facts: tuple[int, int, int, int], *, illegal: bool
) -> dict[str, Any]:
    """The ``info`` of one game after a reset or a step.

    Args:
        mask: ``int8[261]``, the legal actions.
        code: game code, or None.
        facts: outcome (``layout.OUTCOMES``), score, cards up, literal moves.
        illegal: whether the action just given was masked.
    """
    outcome, score, cards_up, moves = facts
    info = {
        "action_mask": mask,
        "deal": code,
        "score": score,
        "cards_up": cards_up,
        "won": outcome == at.WON,
        "moves": moves,
        "illegal": illegal,
    }
    if outcome != at.RUNNING:
        info["outcome"] = at.OUTCOMES[outcome]
    return info
