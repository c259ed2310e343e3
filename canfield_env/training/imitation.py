"""Learning from a dataset: a network's scores and value are fitted to a teacher's moves, to what moves are worth, and
to what the games came to."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from tqdm import tqdm

from canfield_env.errors import ConfigError
from canfield_env.rules import Rules
from canfield_env.training.config import EnvSection
from canfield_env.training.dataset import NO_ACTION, Dataset, Shard, unpack_masks
from canfield_env.training.folder import RunFolder
from canfield_env.training.imitation_config import FitSection, ImitationConfig
from canfield_env.training.model_file import (
    Header,
    TrainingState,
    load_like,
    load_model,
    load_training,
    save_model,
)
from canfield_env.training.network import make_network
from canfield_env.training.play import play_deals
from canfield_env.training.repetition import RESERVE
from canfield_env.training.running import fast_products, make_adamw, on_signal
from canfield_env.training.state import optimizer_tensors, restore_optimizer
from canfield_env.training.threads import Scorer, in_threads

#: Lines whose losses are averaged for one line of the metrics.
LOG_EVERY: Final = 50_000
#: Lines that are measured at a time.
_MEASURED: Final = 4096


class Batch(NamedTuple):
    """Lines to learn from.

    Attributes:
        tokens: ``uint8[B, 62]`` observations.
        legal: ``bool[B, 261]``, what may be played.
        taught: ``int64[B]``, the teacher's moves; ``NO_ACTION`` where nothing is to be learned from them.
        losses: ``float[B, 261]``, how much worse than the best each move is, as a share of the orders won; 0 where the
            moves are not judged.
        returns: ``float[B]``, the discounted rewards still to come.
    """

    tokens: Tensor
    legal: Tensor
    taught: Tensor
    losses: Tensor
    returns: Tensor


@dataclass(frozen=True, slots=True)
class Lines:
    """Lines to learn from, N of them, in memory.

    Attributes:
        tokens, masks: as in ``Shard``.
        taught, returns: as in ``Batch``.
        losses: ``float32[M]``, those of the moves judged, by line and then by action.
        judged: ``int64[N]``, how many of these belong to each line: 0 or all of its moves.
        held_out: ``bool[N]``, whether a line is for measuring only: all lines of a deal, or none.
    """

    tokens: NDArray[np.uint8]
    masks: NDArray[np.uint8]
    taught: NDArray[np.int64]
    returns: NDArray[np.float32]
    losses: NDArray[np.float32]
    judged: NDArray[np.int64]
    held_out: NDArray[np.bool_]

    @classmethod
    def of_shard(cls, shard: Shard, fit: FitSection, env: EnvSection) -> Lines:
        """The lines of a shard. Where nothing is left to be gained the teacher's moves teach nothing."""
        judged = np.where(shard.orders > 0, shard.legal.sum(1), 0)
        worth = (shard.wins + fit.undecided * shard.undecided) / np.repeat(shard.orders, judged)
        best = np.zeros(len(judged))
        if len(worth):
            best[judged > 0] = np.maximum.reduceat(worth, (np.cumsum(judged) - judged)[judged > 0])
        returns = returns_of(shard, env, fit.gamma)
        hopeful = best > 0 if len(worth) else returns > 0
        lengths = np.diff(shard.ends, prepend=0)
        return cls(
            shard.tokens,
            shard.masks,
            np.where(hopeful, shard.taught, NO_ACTION),
            returns,
            (np.repeat(best, judged) - worth).astype(np.float32),
            judged,
            np.repeat(shard.deals % 1000 < 1000 * fit.held_out, lengths),
        )

    @classmethod
    def join(cls, parts: Sequence[Lines]) -> Lines:
        """All lines together."""
        return cls(*(np.concatenate([getattr(part, field.name) for part in parts]) for field in fields(cls)))

    def batch(self, rows: NDArray[np.int64], first: NDArray[np.int64]) -> Batch:
        """Some of the lines.

        Args:
            rows: which.
            first: where the values of each line begin, ``starts`` of these lines.
        """
        legal = unpack_masks(self.masks[rows])
        judged = self.judged[rows]
        losses = np.zeros(legal.shape, np.float32)
        places = np.repeat(first[rows] - np.cumsum(judged) + judged, judged) + np.arange(judged.sum())
        losses[legal & (judged > 0)[:, None]] = self.losses[places]
        arrays = (self.tokens[rows], legal, self.taught[rows], losses, self.returns[rows])
        return Batch(*map(torch.from_numpy, arrays))

    def starts(self) -> NDArray[np.int64]:
        """``int64[N]``, where in ``losses`` the values of each line begin."""
        return np.cumsum(self.judged) - self.judged


def returns_of(shard: Shard, env: EnvSection, gamma: float) -> NDArray[np.float32]:
    """``float32[N]``, the discounted rewards from each line to the end of its game, as training has them."""
    played = np.diff(shard.ends, prepend=0) > 0
    lasts, won = shard.ends[played] - 1, np.zeros(len(shard.rewards), np.bool_)
    won[lasts] = shard.won[played]
    reserve = shard.tokens[:, RESERVE].astype(np.int64)
    after = np.append(reserve[1:], 0)
    after[lasts] = np.where(won[lasts], 0, reserve[lasts])
    rewards = env.shaped(shard.rewards, reserve - after, won)
    returns = np.zeros(len(rewards))
    ahead, is_last = 0.0, np.zeros(len(rewards), np.bool_)
    is_last[lasts] = True
    for line in range(len(rewards) - 1, -1, -1):
        ahead = rewards[line] + (0.0 if is_last[line] else gamma * ahead)
        returns[line] = ahead
    return returns.astype(np.float32)


class Losses(NamedTuple):
    """What is made small, and by what it is judged; each the mean over the lines of a batch.

    Attributes:
        taught: cross-entropy with the teacher's moves, where there are any. A move counts with the chance that it is
            good enough, as ``worth_loss`` has it: teachers err too.
        worth: see ``worth_loss``.
        value: squared error of the value.
        agreement: the share of the teacher's moves that have the best score.
        regret: how much worse than the best the move with the best score is, as a share of the orders won.
    """

    taught: Tensor
    worth: Tensor
    value: Tensor
    agreement: Tensor
    regret: Tensor


def losses_of(network: Scorer, batch: Batch, temperature: float) -> Losses:
    """Compares a network with a batch."""
    logits, values = network(batch.tokens, batch.legal)
    log_probs = torch.log_softmax(logits, 1)
    is_taught = batch.taught != NO_ACTION
    count = is_taught.sum().clamp(min=1)
    taught = batch.taught.clamp(min=0)[:, None]
    trust = is_taught * torch.exp(-batch.losses.gather(1, taught) / temperature).squeeze(1)
    best = logits.argmax(1)
    return Losses(
        -(log_probs.gather(1, taught).squeeze(1) * trust).sum() / count,
        worth_loss(log_probs, batch.losses, temperature).mean(),
        nn.functional.mse_loss(values, batch.returns),
        ((best == batch.taught) & is_taught).sum() / count,
        batch.losses.gather(1, best[:, None]).mean(),
    )


def worth_loss(log_probs: Tensor, losses: Tensor, temperature: float) -> Tensor:
    """How surprising it is that a move is good enough, if the policy plays it.

    A move that loses ``d`` of the orders is good enough with the chance ``exp(-d / temperature)``, so one that loses
    nothing always is. The loss is minus the logarithm of the chance that the policy's move is. So the policy is free
    to choose among the best moves; and unlike the expected loss it is learned from as well where the policy is sure of
    a bad move.

    Args:
        log_probs: ``float[B, 261]``, the policy's.
        losses: ``float[B, 261]``, how much worse than the best each move is.
        temperature: of the chance.

    Returns:
        ``float[B]``
    """
    return -torch.logsumexp(log_probs - losses / temperature, 1)


class Imitator:
    """Fits a network to datasets in a run's folder.

    A run that is stopped and gone on with makes the same steps as one that was never stopped, on the same machine and
    with the same packages.

    Args:
        config: the run.
        folder: its folder, new or with a run to be gone on with.
        datasets: what is learned from.
        init: a model whose weights a new run starts from; one that is gone on with must have started from it.
        progress: show a progress bar on standard error where that is a terminal.

    Raises:
        ConfigError: a dataset or a model is bad, or for another game or network than the configuration; or the run
            began with another.
        RecordError: a line of a dataset is not as the game has it.
    """

    def __init__(
        self,
        config: ImitationConfig,
        folder: RunFolder,
        datasets: Sequence[Dataset],
        *,
        init: str | Path | None = None,
        progress: bool = False,
    ) -> None:
        torch.set_num_threads(1)
        self.config = config
        self.folder = folder
        self.steps = 0
        self._lines = _load_lines(config, datasets)
        self._starts = self._lines.starts()
        self._learned, self._measured = (np.flatnonzero(self._lines.held_out == held) for held in (False, True))
        if len(self._learned) < config.fit.batch_size or len(self._measured) == 0:
            raise ConfigError("the datasets are too small for a batch and a measurement")
        self._deals = config.evaluation.load().deals
        torch.manual_seed(config.run.seed)
        self._network = make_network(config.network)
        self._score = in_threads(self._network, config.run.threads)
        self._optimizer = make_adamw(self._network, config.fit.learning_rate, config.fit.weight_decay)
        self._data = [_identity(dataset) for dataset in datasets]
        self._init = None if init is None else str(init)
        self._progress = progress
        self._best: tuple[float, float] | None = None
        self._seconds, self._started = 0.0, time.process_time()
        self._stopping = False
        self._pass, self._order = -1, self._learned
        if folder.resumed:
            folder.check_init(self._init)
            self._restore()
        elif init is not None:
            self._network.load_state_dict(load_like(init, config.network).state_dict())

    def run(self) -> bool:
        """Fits until all steps are done, or until Ctrl-C or SIGTERM, upon which everything is saved.

        Returns:
            Whether all steps are done.

        Raises:
            ConfigError: the folder cannot be written, or another process has it.
            OSError: a file could not be written later on.
        """
        total = self.config.run.steps
        if self.steps >= total:
            return True
        with (
            self.folder.in_use(self.config, self._init),
            tqdm(total=total, initial=self.steps, unit="line", disable=None if self._progress else True) as bar,
            closing(self.folder.make_logger(self.steps)) as logger,
            on_signal(self._stop),
            fast_products(),
        ):
            self._logger = logger
            while self.steps < total and not self._stopping:
                before = self.steps
                self._learn()
                bar.update(self.steps - before)
                if self._is_due(self.config.evaluation.every, before):
                    self._evaluate()
                    self._save_last()
            if self._stopping:
                self._save_last()
        return self.steps >= total

    def _stop(self) -> None:
        self._stopping = True
        tqdm.write("stopping after this step; again stops at once", file=sys.stderr)

    def _is_due(self, every: int, before: int) -> bool:
        """Whether something is due that is done every so many steps, and at the end."""
        return self.steps // every > before // every or self.steps >= self.config.run.steps

    # ------------------------------------------------------------------ a step

    def _learn(self) -> None:
        fit, before = self.config.fit, self.steps
        for group in self._optimizer.param_groups:
            group["lr"] = fit.learning_rate * (1 - self.steps / self.config.run.steps)
        losses = losses_of(self._score, self._next_batch(), fit.temperature)
        self._optimizer.zero_grad()
        loss = fit.taught * losses.taught + fit.worth * losses.worth + fit.value * losses.value
        torch.autograd.backward(loss)
        nn.utils.clip_grad_norm_(self._network.parameters(), fit.max_grad_norm)
        self._optimizer.step()
        self.steps += fit.batch_size
        for name, loss in losses._asdict().items():
            self._logger.record_mean(f"fit/{name}", loss.item())
        if self._is_due(LOG_EVERY, before):
            self._dump()

    def _next_batch(self) -> Batch:
        """The next lines, every pass over them in an order of its own; what is left of a pass is left out."""
        size = self.config.fit.batch_size
        number, place = divmod(self.steps // size, len(self._learned) // size)
        if self._pass != number:
            self._pass = number
            self._order = np.random.default_rng([self.config.run.seed, number]).permutation(self._learned)
        return self._lines.batch(self._order[place * size : (place + 1) * size], self._starts)

    # ------------------------------------------------------------------ what is measured and saved

    def _evaluate(self) -> None:
        """Measures by the lines held out, and by playing."""
        with torch.inference_mode():
            for first in range(0, len(self._measured), _MEASURED):
                batch = self._lines.batch(self._measured[first : first + _MEASURED], self._starts)
                for name, loss in losses_of(self._score, batch, self.config.fit.temperature)._asdict().items():
                    self._logger.record_mean(f"held_out/{name}", loss.item())
        result = play_deals(self._network, self.config.env, self._deals)
        won, cards_up = result.score
        for name, value in (("won", won), ("cards_up", cards_up), ("length", float(result.steps.mean()))):
            self._logger.record(f"evaluation/{name}", value)
        self._dump()
        if self._best is None or result.score > self._best:
            self._best = result.score
            save_model(self.folder.best, self._header(), self._network)

    def _dump(self) -> None:
        self._logger.record("time/cpu_seconds", round(self._all_seconds(), 1))
        self._logger.dump(self.steps)

    def _all_seconds(self) -> float:
        return self._seconds + time.process_time() - self._started

    def _header(self) -> Header:
        learned = {"lines learned from": self.steps, "datasets": self._data, "won, cards up": self._best}
        return Header.of_run(self.config, run=self.folder.path.name, **learned)

    def _save_last(self) -> None:
        facts = {"steps": self.steps, "best": self._best, "seconds": self._all_seconds(), "datasets": self._data}
        state = TrainingState(facts, optimizer_tensors(self._optimizer))
        save_model(self.folder.last, self._header(), self._network, state)

    def _restore(self) -> None:
        self._network.load_state_dict(load_model(self.folder.last)[1].state_dict())
        state = load_training(self.folder.last)
        try:
            if state.facts["datasets"] != self._data:
                raise ConfigError(f"{self.folder.path}: the run learns from other datasets: {state.facts['datasets']}")
            restore_optimizer(self._optimizer, state.tensors)
            self.steps, self._seconds = state.facts["steps"], state.facts["seconds"]
            self._best = state.facts["best"] and tuple(state.facts["best"])
        except (KeyError, RuntimeError, TypeError) as error:
            raise ConfigError(f"{self.folder.last}: damaged: {error!r}") from error


def _load_lines(config: ImitationConfig, datasets: Sequence[Dataset]) -> Lines:
    """The lines of all datasets, which must be of the configuration's game."""
    options = config.env.options()
    parts = []
    for dataset in datasets:
        there = dataset.plan
        if (Rules.from_dict(there.rules), there.draw) != (options.rules, options.draw):
            name = Rules.from_dict(there.rules).name or there.rules
            raise ConfigError(
                f"{dataset.path}: the dataset is of {name} with draw {there.draw}, "
                f"the configuration of {config.env.rules} with draw {options.draw}"
            )
        parts += [Lines.of_shard(shard, config.fit, config.env) for shard in dataset.shards()]
    return Lines.join(parts)


def _identity(dataset: Dataset) -> dict[str, Any]:
    """What a run remembers of a dataset."""
    return {"folder": str(dataset.path), "sha256": dataset.digest}
