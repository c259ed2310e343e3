"""PPO as a configuration describes it: sb3-contrib's ``MaskablePPO`` on the training environment."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.buffers import MaskableRolloutBufferSamples
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

from canfield_env.training.config import AlgorithmSection, TrainingConfig
from canfield_env.training.curriculum import CurriculumVecEnv
from canfield_env.training.network import Network, make_network
from canfield_env.training.policy import NetworkPolicy
from canfield_env.training.study import Study
from canfield_env.training.vecenv import TrainingVecEnv


class PausingPPO(MaskablePPO):
    """PPO that asks before every rollout whether to go on. Everything is at rest then: that is the time to save.

    Attributes:
        before_rollout: says whether to go on.
        value_first: steps at the start in which only the value is trained. What it shares with the policy is left as
            it is, so the policy does not change until the value is worth following.
        average: the mean of the network's weights so far, if one is kept.
        study: what is learned after each update, if anything.
    """

    before_rollout: Callable[[], bool]
    value_first: int = 0
    average: AveragedModel | None = None
    study: Study | None = None

    @property
    def network(self) -> Network:
        """The network that learns."""
        assert isinstance(self.policy, NetworkPolicy)
        return self.policy.network

    @property
    def player(self) -> Network:
        """The network that is worth playing with: the averaged one, once there is one."""
        if self.average is None or self.average.n_averaged == 0:
            return self.network
        assert isinstance(self.average.module, Network)
        return self.average.module

    def collect_rollouts(self, *args: Any, **kwargs: Any) -> bool:
        """A rollout, or False where training is to stop."""
        return self.before_rollout() and super().collect_rollouts(*args, **kwargs)

    def train(self) -> None:
        """An update."""
        learns = self.num_timesteps > self.value_first
        self.policy.requires_grad_(learns)
        self.network.outlook.requires_grad_(True)
        super().train()
        if self.study is not None and learns:
            self._learn_by(self.study)
        if self.average is not None:
            self.average.update_parameters(self.network)

    def _learn_by(self, study: Study) -> None:
        assert isinstance(self.policy, NetworkPolicy)
        (rollout,) = self.rollout_buffer.get()
        assert isinstance(rollout, MaskableRolloutBufferSamples)
        for name, value in study.learn(self.policy, self.player, rollout, self.num_timesteps).items():
            self.logger.record(f"study/{name}", value)


def make_env(config: TrainingConfig) -> TrainingVecEnv:
    """The games that are trained on."""
    section = config.env
    games = CurriculumVecEnv(
        section.count,
        section.rules,
        section=config.curriculum,
        seed=config.run.seed,
        draw=section.draw,
        stock=section.stock,
        reward=section.reward,
        observation="tokens",
        illegal="raise",
    )
    return TrainingVecEnv(games, section)


def make_ppo(config: TrainingConfig, env: TrainingVecEnv, before_rollout: Callable[[], bool]) -> PausingPPO:
    """PPO with a new network.

    Args:
        config: the run.
        env: what it trains on.
        before_rollout: says before every rollout whether to go on.
    """
    section = config.algorithm
    ppo = PausingPPO(
        NetworkPolicy,
        env,
        policy_kwargs={"make_network": partial(make_network, config.network), "threads": config.run.threads},
        n_steps=section.rollout,
        batch_size=section.batch_size,
        n_epochs=section.epochs,
        learning_rate=learning_rates(section, config.run.steps),
        gamma=section.gamma,
        gae_lambda=section.gae_lambda,
        ent_coef=section.entropy,
        vf_coef=section.value,
        clip_range=section.clip,
        max_grad_norm=section.max_grad_norm,
        target_kl=section.target_kl or None,
        seed=config.run.seed,
        device="cpu",
    )
    ppo.before_rollout = before_rollout
    ppo.value_first = section.value_first
    if config.lookahead.share:
        ppo.study = Study(config)
    if section.ema_decay:
        mean = get_ema_multi_avg_fn(section.ema_decay)  # type: ignore[no-untyped-call]
        ppo.average = AveragedModel(ppo.network, multi_avg_fn=mean)
    env.seed(config.run.seed * env.num_envs)  # game i gets this seed plus i, so no other run's
    return ppo


def learning_rates(section: AlgorithmSection, steps: int) -> Callable[[float], float]:
    """The learning rate by the share of the run's ``steps`` that is left, which is negative after the last rollout."""

    def rate(left: float) -> float:
        falling = max(left, 0.0) if section.anneal else 1.0
        rising = min((1 - left) * steps / section.warmup, 1.0) if section.warmup else 1.0
        return section.learning_rate * falling * rising

    return rate
