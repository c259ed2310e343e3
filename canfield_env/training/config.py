"""The configuration of a training run: TOML, typed and checked, with nothing unknown in it."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from canfield_env.configs import find_config, first_fault, read_toml
from canfield_env.env.options import EnvOptions, Reward, Stock
from canfield_env.errors import ConfigError
from canfield_env.evaluation.suites import Suite
from canfield_env.rules import Rules


class Section(BaseModel):
    """A section of a configuration: nothing unknown, nothing of another type."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False)


Share = Annotated[float, Field(ge=0, le=1)]
Positive = Annotated[float, Field(gt=0)]
Weight = Annotated[float, Field(ge=0)]
Count = Annotated[int, Field(ge=1)]
Numbers = NDArray[Any]


class Rewards(Section):
    """The rewards that are trained on.

    Attributes:
        reward: the environment's reward.
        reward_scale: multiplies it.
        win_reward: added on winning, after scaling.
        reserve_reward: added for each card that leaves the reserve.
    """

    reward: Reward = "foundation"
    reward_scale: Positive = 0.02
    win_reward: Weight = 1.0
    reserve_reward: Weight = 0.0

    def shaped(self, rewards: Numbers, from_reserve: Numbers, won: NDArray[np.bool_]) -> Numbers:
        """The rewards that are trained on, ``float[N]``.

        Args:
            rewards: ``float[N]``, the environment's.
            from_reserve: ``float[N]``, how many cards left the reserve.
            won: ``bool[N]``, whether the game was won.
        """
        return self.reward_scale * rewards + self.reserve_reward * from_reserve + self.win_reward * won


class EnvSection(Rewards):
    """What is played, and for which rewards.

    Attributes:
        rules: name or path of the rule set.
        draw: cards a turn of the stock brings, 1 or 3.
        stock: who turns the stock, as in ``Canfield-v0``.
        count: games played side by side.
    """

    rules: str = "app"
    draw: Literal[1, 3] = 3
    stock: Stock = "auto"
    count: Count = 256

    def options(self) -> EnvOptions:
        """The options of ``Canfield-v0`` that this section stands for.

        Raises:
            ConfigError: they do not go together, or there is no such rule set.
        """
        return EnvOptions.of(
            self.rules, draw=self.draw, stock=self.stock, reward=self.reward, observation="tokens", illegal="raise"
        )


class CurriculumSection(Section):
    """Where episodes start: ``curriculum.py``.

    Attributes:
        share: of the episodes, those that start within a game that the solver has won; the others are whole deals.
        games: how many such games there are, on training deals.
        distance: how many steps before the end such an episode starts at most, at first.
        target, growth: once that share of them is won, the distance is multiplied by the growth.
        winnable: whether whole deals are only those that the solver proves winnable at once.
    """

    share: Share = 0.0
    games: Count = 1000
    distance: Count = 10
    target: Share = 0.7
    growth: Annotated[float, Field(ge=1)] = 1.25
    winnable: bool = False


class AlgorithmSection(Section):
    """PPO (Schulman et al. 2017), as sb3-contrib's ``MaskablePPO`` has it.

    Attributes:
        rollout: steps in each game between two updates.
        batch_size: steps in a gradient step.
        epochs: passes over what was played, in an update.
        learning_rate: Adam's, at the start.
        anneal: whether the learning rate falls to zero over the run, in a straight line.
        warmup: steps at the start in which the learning rate is multiplied by the share of them that is done. Adam's
            first steps are long, as it has no mean of the gradients yet; they would spoil a model that a run starts
            from.
        gamma: discount of a step.
        gae_lambda: the lambda of generalised advantage estimation (Schulman et al. 2016).
        entropy: weight of the entropy bonus.
        value: weight of the value loss.
        clip: the clipping range of the probability ratio.
        max_grad_norm: longest gradient.
        target_kl: an update ends early once the policy has moved so far (an estimate of the KL divergence); 0: never.
        value_first: steps at the start in which only the value is trained, for a run that starts from a model.
        ema_decay: decay of the weights' exponential moving average (Polyak and Juditsky 1992), which takes up the
            weights after each update. Where it is not 0, the averaged network is the one that is evaluated and kept;
            the other goes on learning.
    """

    rollout: Count = 16
    batch_size: Count = 512
    epochs: Count = 4
    learning_rate: Positive = 0.002
    anneal: bool = True
    warmup: Annotated[int, Field(ge=0)] = 0
    gamma: Share = 0.99
    gae_lambda: Share = 0.95
    entropy: Weight = 0.01
    value: Weight = 0.5
    clip: Positive = 0.2
    max_grad_norm: Positive = 0.5
    target_kl: Weight = 0.0
    value_first: Annotated[int, Field(ge=0)] = 0
    ema_decay: Annotated[float, Field(ge=0, lt=1)] = 0.0


class LookaheadSection(Section):
    """What is learned after each update of PPO from the value of the positions that moves lead to: ``study.py``.

    Attributes:
        share: of the steps of a rollout, those whose moves are judged so; 0: none.
        temperature: how much more a move is worth than another one that is to be played e times as often, the policy
            having played both alike.
        batch_size, epochs: steps in a gradient step, and passes over those that are judged.
    """

    share: Share = 0.0
    temperature: Positive = 0.06
    batch_size: Count = 512
    epochs: Count = 1


class CardNetworkSection(Section):
    """``network.CardNetwork``.

    Attributes:
        width: size of the embeddings of cards and columns.
        table_width: size of the table's.
        move_width: size of the moves', by which each is compared with all others; 0: each move is scored by itself.
        reach: whether cards are told what their leaving waste or stock brings in reach, and puts out of it.
        rounds: how many rounds of messages there are between the cards.
        groups: whether in each round all cards are told about those that matter to all, as the ends of the columns.
        norm: whether the cards are normalised after each round.
        score_width: size of the two layers that a move is scored by; 0: one layer of half the table's size.
        ahead: whether a move is scored also from the cards that can be played once it is made, and those that no longer
            can.
        afterstates: whether a move that is likely is scored also by the position that it leads to.
    """

    kind: Literal["cards"] = "cards"
    width: Count = 64
    table_width: Annotated[int, Field(ge=2)] = 128
    move_width: Annotated[int, Field(ge=0)] = 0
    reach: bool = False
    rounds: Annotated[int, Field(ge=0)] = 0
    groups: bool = False
    norm: bool = False
    score_width: Annotated[int, Field(ge=0)] = 0
    ahead: bool = False
    afterstates: bool = False

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        if self.rounds == 0 and (self.groups or self.norm):
            raise ConfigError(f"network.{'groups' if self.groups else 'norm'} is of no use without network.rounds")
        if self.ahead and self.move_width:
            raise ConfigError("network.ahead does not go with network.move_width")
        return self


class FlatNetworkSection(Section):
    """``network.FlatNetwork``, the baseline."""

    kind: Literal["flat"]
    width: Count = 256


NetworkSection = Annotated[CardNetworkSection | FlatNetworkSection, Field(discriminator="kind")]


def check_foresight(network: NetworkSection, rules: Rules, stock: Stock) -> None:
    """Checks that a network can foresee the moves of a game.

    Raises:
        ConfigError: it has ``ahead`` or ``afterstates``, and the game other rules than ``app``; or it has
            ``afterstates``, and the player turns the stock.
    """
    if not isinstance(network, CardNetworkSection):
        return
    for key, is_on in (("ahead", network.ahead), ("afterstates", network.afterstates)):
        if is_on and rules != Rules():
            raise ConfigError(f"network.{key} looks ahead by the rules of app, not by {rules.name or rules}")
    if network.afterstates and stock != "auto":
        raise ConfigError(f"network.afterstates needs env.stock to be auto, not {stock}")


class EvaluationSection(Section):
    """What is measured on the way, and by what the best model is chosen: the win rate, then the cards up.

    Attributes:
        suite: name or path of the suite, of the same rules and draw as is trained on.
        deals: how many of its deals are played, from its first on.
        every: steps between two evaluations; last checkpoints are written as often.
    """

    suite: str
    deals: Count = 500
    every: Count = 250_000

    def load(self) -> Suite:
        """The suite, cut to the deals that are played.

        Raises:
            ConfigError: no such suite, or it has fewer deals.
        """
        suite = Suite.load(self.suite)
        if len(suite.deals) < self.deals:
            raise ConfigError(
                f"evaluation.deals: the suite {self.suite} has {len(suite.deals)} deals, not {self.deals}"
            )
        return Suite(suite.name, suite.version, suite.description, suite.rules, suite.deals[: self.deals])


class RunSection(Section):
    """How long, and from which random numbers.

    Attributes:
        steps: steps of training in all games together; the run ends with the update that reaches them.
        seed: what the weights, the deals and the moves tried are drawn from.
        threads: how many threads the network runs in. Another number gives other roundings, and so another run.
    """

    steps: Count
    seed: Annotated[int, Field(ge=0, lt=2**32)] = 0
    threads: Count = 1


class RunConfig(Section):
    """What the configurations of all runs have in common: a subclass for each kind of run."""

    FOLDER: ClassVar[str]
    KIND: ClassVar[str]

    env: EnvSection = EnvSection()
    network: NetworkSection = CardNetworkSection()
    evaluation: EvaluationSection
    run: RunSection

    @property
    def discount(self) -> float:
        """Discount of a step, for the value."""
        raise NotImplementedError

    @model_validator(mode="after")
    def _goes_together(self) -> Self:
        options, suite = self.env.options(), self.evaluation.load()
        if suite.rules != options.rules or suite.deals[0].draw != options.draw:
            raise ConfigError(f"evaluation.suite: {self.evaluation.suite} is of other rules or another draw than env")
        check_foresight(self.network, options.rules, options.stock)
        return self

    @classmethod
    def load(cls, name_or_path: str | Path, settings: Sequence[str] = ()) -> Self:
        """Reads a configuration file.

        Args:
            name_or_path: a name under ``configs/FOLDER/``, or a path.
            settings: ``section.key=value`` texts that override the file.

        Raises:
            ConfigError: no such file, it is not TOML, a key is unknown, missing or of the wrong type, or the values do
                not go together; the text names the file or the setting, and the key.
        """
        path = find_config(cls.FOLDER, name_or_path, cls.KIND)
        table = read_toml(path)
        for setting in settings:
            _override(table, setting)
        try:
            return cls.model_validate(table)
        except ValidationError as error:
            fault = first_fault(error, kinds=("cards", "flat"))
            named = [text for text in settings if text.partition("=")[0].strip() == fault.place]
            raise ConfigError(f"{f'--set {named[-1]}' if named else path}: {fault.text}") from None


class TrainingConfig(RunConfig):
    """A run that trains with PPO. See the sections for what each key means."""

    FOLDER = "train"
    KIND = "training configuration"

    curriculum: CurriculumSection = CurriculumSection()
    algorithm: AlgorithmSection = AlgorithmSection()
    lookahead: LookaheadSection = LookaheadSection()

    @property
    def discount(self) -> float:
        """Discount of a step, for the value."""
        return self.algorithm.gamma

    @model_validator(mode="after")
    def _moves_can_be_foreseen(self) -> Self:
        if self.lookahead.share and self.env.stock != "auto":
            raise ConfigError(f"lookahead.share needs env.stock to be auto, not {self.env.stock}")
        return self

    @model_validator(mode="after")
    def _warmup_ends(self) -> Self:
        if self.algorithm.warmup > self.run.steps:
            raise ConfigError(
                f"algorithm.warmup: {self.algorithm.warmup} is more than the {self.run.steps} steps of the run"
            )
        return self

    @model_validator(mode="after")
    def _rollout_holds_a_batch(self) -> Self:
        played = self.env.count * self.algorithm.rollout
        if self.algorithm.batch_size > played:
            raise ConfigError(
                f"algorithm.batch_size: {self.algorithm.batch_size} is more than the {played} steps of a rollout"
            )
        return self


def _override(table: dict[str, Any], setting: str) -> None:
    """Writes a ``section.key=value`` text into a configuration; the value is TOML, or text without quotes."""
    name, equals, text = setting.partition("=")
    section, dot, key = name.strip().partition(".")
    if not (equals and dot and section and key):
        raise ConfigError(f"--set {setting}: it must be section.key=value")
    try:
        value = tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        value = text.strip()
    inner = table.setdefault(section, {})
    if not isinstance(inner, dict):
        raise ConfigError(f"--set {setting}: {section} is no section")
    inner[key] = value
