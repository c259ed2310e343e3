"""A training run, from its configuration to its best model."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from sb3_contrib import MaskablePPO
from stable_baselines3.common.logger import Logger, TensorBoardOutputFormat
from tqdm import tqdm

from canfield_env.env.sb3 import CanfieldVecEnv
from canfield_env.errors import ConfigError
from canfield_env.training.config import TrainingConfig
from canfield_env.training.folder import JsonLines, RunFolder
from canfield_env.training.model_file import Header, TrainingState, load_model, load_training, save_model
from canfield_env.training.network import Network, make_network
from canfield_env.training.play import play_deals
from canfield_env.training.policy import NetworkPolicy
from canfield_env.training.vecenv import TrainingVecEnv


class Trainer:
    """Trains a network with PPO in a run's folder.

    A run that is stopped and gone on with makes the same updates as one that was never stopped, on the same machine
    and with the same packages.

    Args:
        config: the run.
        folder: its folder, new or with a run to be gone on with.
        init: a model whose weights a new run starts from.
        progress: show a progress bar on standard error where that is a terminal.

    Raises:
        ConfigError: a model file is bad, or has another network than the configuration.
    """

    def __init__(
        self, config: TrainingConfig, folder: RunFolder, *, init: str | Path | None = None, progress: bool = False
    ) -> None:
        torch.set_num_threads(1)
        self.config = config
        self.folder = folder
        self._deals = config.evaluation.load().deals
        self._env = TrainingVecEnv(_make_env(config), config.env.reward_scale, config.env.win_reward)
        self._ppo = _make_ppo(config, self._env, self._before_rollout)
        self._best: tuple[float, float] | None = None
        self._evaluated = 0  # steps at the last evaluation
        self._seconds = 0.0  # of training, before this process
        self._started = time.monotonic()
        self._progress = progress
        self._stopping = False
        if folder.resumed:
            self._restore(load_training(folder.last))
        elif init is not None:
            self._network.load_state_dict(_load_like(init, config).state_dict())

    @property
    def steps(self) -> int:
        """Steps of training so far."""
        return int(self._ppo.num_timesteps)

    @property
    def _network(self) -> Network:
        policy = self._ppo.policy
        assert isinstance(policy, NetworkPolicy)
        return policy.network

    def run(self) -> bool:
        """Trains until all steps are done, or until Ctrl-C or SIGTERM, upon which everything is saved.

        Returns:
            Whether all steps are done.

        Raises:
            OSError: a file could not be written.
        """
        total = self.config.run.steps
        if self.steps >= total:
            return True
        self._ppo.set_logger(self._make_logger())
        self._bar = tqdm(total=total, initial=self.steps, unit="step", disable=None if self._progress else True)
        with self._bar, _on_signal(self._stop):
            self._ppo.learn(total - self.steps, reset_num_timesteps=False, log_interval=None)
            if not self._stopping:
                self._before_rollout()
        self._ppo.logger.close()
        return not self._stopping

    def _stop(self) -> None:
        self._stopping = True
        tqdm.write("stopping after this update; again stops at once")

    # ------------------------------------------------------------------ between two updates

    def _before_rollout(self) -> bool:
        """Logs, evaluates and saves what is due; returns whether to go on."""
        self._log_rollout()
        due = self.steps - self._evaluated >= self.config.evaluation.every or self.steps >= self.config.run.steps
        if due and not self._stopping:
            self._evaluate()
        if due or self._stopping:
            save_model(self.folder.last, self._header(), self._network, self._state())
        return not self._stopping

    def _log_rollout(self) -> None:
        self._bar.update(self.steps - self._bar.n)
        finished, self._env.finished = self._env.finished, []
        if finished:
            for key in ("won", "cards_up"):
                self._ppo.logger.record(f"rollout/{key}", float(np.mean([info[key] for info in finished])))
            self._ppo.logger.record("rollout/length", float(np.mean([info["episode"]["l"] for info in finished])))
            self._ppo.logger.record("time/seconds", round(self._all_seconds(), 1))
            self._ppo.logger.dump(self.steps)

    def _evaluate(self) -> None:
        result = play_deals(self._network, self.config.env, self._deals)
        self._evaluated = self.steps
        win_rate, cards_up = result.score
        for key, value in (("won", win_rate), ("cards_up", cards_up), ("length", float(result.steps.mean()))):
            self._ppo.logger.record(f"evaluation/{key}", value)
        self._ppo.logger.record("time/seconds", round(self._all_seconds(), 1))
        self._ppo.logger.dump(self.steps)
        self._bar.set_postfix_str(f"{win_rate:.1%} won, {cards_up:.1f} cards up")
        if self._best is None or result.score > self._best:
            self._best = result.score
            save_model(self.folder.best, self._header(), self._network)

    def _all_seconds(self) -> float:
        return self._seconds + time.monotonic() - self._started

    def _make_logger(self) -> Logger:
        lines = JsonLines(self.folder.metrics, self.steps)
        return Logger(None, [lines, TensorBoardOutputFormat(str(self.folder.tensorboard))])

    # ------------------------------------------------------------------ what is saved

    def _header(self) -> Header:
        options = self.config.env.options()
        return Header(
            rules=options.rules.to_dict(),
            draw=self.config.env.draw,
            stock=options.stock,
            network=self.config.network,
            origin={
                "run": self.folder.path.name,
                "seed": self.config.run.seed,
                "steps": self.steps,
                "suite": self.config.evaluation.suite,
                "deals": len(self._deals),
                "won, cards up": self._best,
            },
        )

    def _state(self) -> TrainingState:
        ppo = self._ppo
        facts = {
            "steps": self.steps,
            "updates": ppo._n_updates,
            "evaluated": self._evaluated,
            "best": self._best,
            "seconds": self._all_seconds(),
        }
        tensors = {"torch generator": torch.get_rng_state()}
        for index, values in ppo.policy.optimizer.state_dict()["state"].items():
            tensors |= {f"optimizer {index} {key}": value for key, value in values.items()}
        generator = np.random.get_state(legacy=False)
        assert isinstance(generator, dict)
        facts["numpy generator"] = generator["state"]["pos"]
        arrays = {"numpy generator": generator["state"]["key"], **self._env.state(), "starts": ppo._last_episode_starts}
        tensors |= {name: torch.tensor(np.frombuffer(array.tobytes(), np.uint8)) for name, array in arrays.items()}
        return TrainingState(facts, tensors)

    def _restore(self, state: TrainingState) -> None:
        facts, tensors, ppo = state.facts, state.tensors, self._ppo

        def array(name: str, like: NDArray[Any]) -> NDArray[Any]:
            return np.frombuffer(tensors[name].numpy().tobytes(), like.dtype).reshape(like.shape)

        self._network.load_state_dict(load_model(self.folder.last)[1].state_dict())
        try:
            ppo.num_timesteps, ppo._n_updates = facts["steps"], facts["updates"]
            self._evaluated, self._seconds = facts["evaluated"], facts["seconds"]
            self._best = None if facts["best"] is None else tuple(facts["best"])
            _restore_optimizer(ppo.policy.optimizer, tensors)
            ppo._last_obs = self._env.restore({name: array(name, like) for name, like in self._env.state().items()})
            ppo._last_episode_starts = array("starts", np.empty(self._env.num_envs, np.bool_))
            torch.set_rng_state(tensors["torch generator"])
            generator = np.random.get_state(legacy=False)
            generator["state"]["key"] = array("numpy generator", generator["state"]["key"])
            generator["state"]["pos"] = facts["numpy generator"]
            np.random.set_state(generator)
        except (KeyError, TypeError, ValueError, RuntimeError) as error:
            raise ConfigError(f"{self.folder.last}: damaged: {error!r}") from error


class _PausingPPO(MaskablePPO):
    """PPO that asks before each rollout whether to go on."""

    before_rollout: Callable[[], bool]

    def collect_rollouts(self, *args: Any, **kwargs: Any) -> bool:
        return self.before_rollout() and super().collect_rollouts(*args, **kwargs)


def _make_ppo(config: TrainingConfig, env: TrainingVecEnv, before_rollout: Callable[[], bool]) -> _PausingPPO:
    section = config.algorithm
    ppo = _PausingPPO(
        NetworkPolicy,
        env,
        policy_kwargs={"make_network": partial(make_network, config.network)},
        n_steps=section.rollout,
        batch_size=section.batch_size,
        n_epochs=section.epochs,
        learning_rate=_schedule(section.learning_rate, section.anneal),
        gamma=section.gamma,
        gae_lambda=section.gae_lambda,
        ent_coef=section.entropy,
        vf_coef=section.value,
        clip_range=section.clip,
        max_grad_norm=section.max_grad_norm,
        seed=config.run.seed,
        device="cpu",
    )
    ppo.before_rollout = before_rollout
    env.seed(config.run.seed * env.num_envs)  # game i gets this seed plus i: runs of other seeds share no deals
    return ppo


def _schedule(learning_rate: float, anneal: bool) -> Callable[[float], float]:
    """The learning rate by the share of the run that is left, which is negative after the last rollout."""
    return lambda left: learning_rate * max(left, 0.0) if anneal else learning_rate


def _make_env(config: TrainingConfig) -> CanfieldVecEnv:
    env = config.env
    return CanfieldVecEnv(
        env.count,
        env.rules,
        draw=env.draw,
        stock=env.stock,
        reward=env.reward,
        observation="tokens",
        illegal="raise",
    )


def _load_like(path: str | Path, config: TrainingConfig) -> Network:
    """A model's network, which must be as the configuration has it."""
    header, network = load_model(path)
    if header.network != config.network:
        raise ConfigError(f"{path}: the model's network is {header.network!r}, the configuration's {config.network!r}")
    return network


def _restore_optimizer(optimizer: torch.optim.Optimizer, tensors: Mapping[str, torch.Tensor]) -> None:
    state: dict[int, dict[str, torch.Tensor]] = {}
    for name, tensor in tensors.items():
        kind, _, rest = name.partition(" ")
        if kind == "optimizer":
            index, _, key = rest.partition(" ")
            state.setdefault(int(index), {})[key] = tensor
    optimizer.load_state_dict({**optimizer.state_dict(), "state": state})


@contextmanager
def _on_signal(stop: Callable[[], None]) -> Iterator[None]:
    """Calls ``stop`` on the first Ctrl-C or SIGTERM; a second one does what it did before."""
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}

    def restore() -> None:
        for number, handler in before.items():
            signal.signal(number, handler)

    def handle(number: int, frame: FrameType | None) -> None:
        restore()
        stop()

    try:
        for number in before:
            signal.signal(number, handle)
        yield
    finally:
        restore()
