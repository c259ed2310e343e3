"""A training run, from its configuration to its best model."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import torch
from tqdm import tqdm

from canfield_env.errors import ConfigError
from canfield_env.training.config import TrainingConfig
from canfield_env.training.folder import RunFolder
from canfield_env.training.model_file import Header, load_like, load_model, load_training, save_model
from canfield_env.training.play import Result, play_deals
from canfield_env.training.ppo import make_env, make_ppo
from canfield_env.training.running import fast_products, on_signal
from canfield_env.training.state import capture, restore


class Trainer:
    """Trains a network with PPO in a run's folder.

    A run that is stopped and gone on with makes the same updates as one that was never stopped, on the same machine
    and with the same packages.

    Args:
        config: the run.
        folder: its folder, new or with a run to be gone on with.
        init: a model whose weights a new run starts from; one that is gone on with must have started from it.
        progress: show a progress bar on standard error where that is a terminal.
        watch: is told the steps and the result of each evaluation, and says whether to go on.

    Raises:
        ConfigError: a model file is bad, or has another network than the configuration; or the run began with another.
    """

    def __init__(
        self,
        config: TrainingConfig,
        folder: RunFolder,
        *,
        init: str | Path | None = None,
        progress: bool = False,
        watch: Callable[[int, Result], bool] | None = None,
    ) -> None:
        torch.set_num_threads(1)
        self.config = config
        self.folder = folder
        self._deals = config.evaluation.load().deals
        self._env = make_env(config)
        self._ppo = make_ppo(config, self._env, self._before_rollout)
        self._best: tuple[float, float] | None = None
        self._evaluated = 0  # steps at the last evaluation
        self._seconds = 0.0  # CPU time of the run before this process
        self._started = time.process_time()
        self._init = None if init is None else str(init)
        self._progress = progress
        self._watch = watch
        self._stopping = False
        if folder.resumed:
            folder.check_init(self._init)
            self._restore()
        elif init is not None:
            self._ppo.network.load_state_dict(load_like(init, config.network).state_dict())

    @property
    def steps(self) -> int:
        """Steps of training so far."""
        return int(self._ppo.num_timesteps)

    def run(self) -> bool:
        """Trains until all steps are done, or until ``watch``, Ctrl-C or SIGTERM stop it, with everything saved.

        Returns:
            Whether all steps are done.

        Raises:
            ConfigError: the folder cannot be written, or another process has it.
            OSError: a file could not be written later on.
        """
        total = self.config.run.steps
        if self.steps >= total:
            return True
        self._bar = tqdm(total=total, initial=self.steps, unit="step", disable=None if self._progress else True)
        with (
            self.folder.in_use(self.config, self._init),
            self._bar,
            closing(self.folder.make_logger(self.steps)) as logger,
            on_signal(self._stop),
            fast_products(),
        ):
            self._ppo.set_logger(logger)
            self._ppo.learn(total - self.steps, reset_num_timesteps=False, log_interval=total)  # it logs for itself
            if self.steps >= total:
                self._before_rollout()
        return self.steps >= total

    def _stop(self) -> None:
        self._stopping = True
        tqdm.write("stopping after this update; again stops at once", file=sys.stderr)

    # ------------------------------------------------------------------ between two updates

    def _before_rollout(self) -> bool:
        """Logs, evaluates and saves what is due; returns whether to go on."""
        self._log_rollout()
        due = self.steps - self._evaluated >= self.config.evaluation.every or self.steps >= self.config.run.steps
        if due:
            self._evaluate()
        if due or self._stopping:
            self._save_last()
        return not self._stopping

    def _log_rollout(self) -> None:
        self._bar.update(self.steps - self._bar.n)
        finished, self._env.finished = self._env.finished, []
        whole = [info for info in finished if not info["within"]]
        within = [info for info in finished if info["within"]]
        if whole:
            self._log("rollout", **_means(whole))
        if within:
            self._log("curriculum", distance=within[-1]["distance"], **_means(within))

    def _evaluate(self) -> None:
        result = play_deals(self._ppo.player, self.config.env, self._deals)
        self._evaluated = self.steps
        win_rate, cards_up = result.score
        self._log("evaluation", won=win_rate, cards_up=cards_up, length=result.steps.mean())
        self._bar.set_postfix_str(f"{win_rate:.1%} won, {cards_up:.1f} cards up")
        if self._best is None or result.score > self._best:
            self._best = result.score
            save_model(self.folder.best, self._header(), self._ppo.player)
        if self._watch is not None and not self._watch(self.steps, result):
            self._stopping = True

    def _log(self, group: str, **values: float | np.floating[Any]) -> None:
        """Writes a line of the metrics, with what PPO has recorded since the last one."""
        for key, value in values.items():
            self._ppo.logger.record(f"{group}/{key}", float(value))
        self._ppo.logger.record("time/cpu_seconds", round(self.seconds, 1))
        self._ppo.logger.dump(self.steps)

    @property
    def seconds(self) -> float:
        """CPU seconds of the run so far, all its processes together."""
        return self._seconds + time.process_time() - self._started

    # ------------------------------------------------------------------ what is saved

    def _header(self) -> Header:
        best = {"won, cards up": self._best}
        return Header.of_run(self.config, run=self.folder.path.name, steps=self.steps, **best)

    def _save_last(self) -> None:
        state = capture(self._ppo, self._env, evaluated=self._evaluated, best=self._best, seconds=self.seconds)
        save_model(self.folder.last, self._header(), self._ppo.player, state)

    def _restore(self) -> None:
        self._ppo.network.load_state_dict(load_model(self.folder.last)[1].state_dict())
        state = load_training(self.folder.last)
        try:
            restore(state, self._ppo, self._env)
            self._evaluated, self._seconds = state.facts["evaluated"], state.facts["seconds"]
            self._best = state.facts["best"] and tuple(state.facts["best"])
        except (KeyError, RuntimeError, TypeError, ValueError) as error:
            raise ConfigError(f"{self.folder.last}: damaged: {error!r}") from error


def _means(infos: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """What is logged of episodes that have ended."""
    return {
        "won": float(np.mean([info["won"] for info in infos])),
        "cards_up": float(np.mean([info["cards_up"] for info in infos])),
        "length": float(np.mean([info["episode"]["l"] for info in infos])),
    }
