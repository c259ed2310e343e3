"""The configuration of a run that learns from a dataset."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import Field, model_validator

from canfield_env.errors import ConfigError
from canfield_env.training.config import Count, Positive, RunConfig, Section, Share, Weight


class FitSection(Section):
    """What is fitted, and how.

    Attributes:
        taught: weight of the cross-entropy with the teacher's moves.
        worth: weight of the loss by what the moves are worth, see ``imitation.worth_loss``.
        temperature: how much worse than the best a move may be in it, as a share of the orders won.
        undecided: what an order counts of which the solver came to no end, 0 to 1: a loss, a win or between.
        value: weight of the squared error of the value.
        gamma: discount of a step, for the value.
        held_out: the share of the deals that are kept to measure by.
        batch_size: lines in a gradient step.
        learning_rate: AdamW's, at the start; it falls to zero over the run, in a straight line.
        weight_decay: AdamW's.
        max_grad_norm: longest gradient.
    """

    taught: Weight = 1.0
    worth: Weight = 20.0
    temperature: Positive = 0.2
    undecided: Share = 0.3
    value: Weight = 0.5
    gamma: Share = 0.99
    held_out: Annotated[float, Field(gt=0, lt=1)] = 0.05
    batch_size: Count = 512
    learning_rate: Positive = 0.003
    weight_decay: Weight = 1e-4
    max_grad_norm: Positive = 1.0


class ImitationConfig(RunConfig):
    """A run that learns from a dataset. ``run.steps`` counts lines, each as often as it is learned from."""

    FOLDER = "imitate"
    KIND = "imitation configuration"

    fit: FitSection = FitSection()

    @property
    def discount(self) -> float:
        """Discount of a step, for the value."""
        return self.fit.gamma

    @model_validator(mode="after")
    def _is_of_datasets(self) -> Self:
        options = self.env.options()
        if options.stock != "auto" or options.reward != "foundation":
            raise ConfigError("env: datasets have stock='auto' and reward='foundation'")
        return self
