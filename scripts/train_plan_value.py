#!/usr/bin/env python
"""Trains the network that ``planner:learned`` judges the ends of plans by.

    python -m scripts.train_plan_value play    # runs/plan-value/ends-*.npz, two CPU minutes for 1,000 games
    python -m scripts.train_plan_value fit     # runs/plan-value/best.zip, a few CPU minutes

What a game comes to says little of one plan among a dozen. So the network is fitted first to that, and then twice to
what it made of the end of the next plan, mixed with what came of it: fitted value iteration with lambda-returns (Sutton
and Barto, Reinforcement Learning, 2nd ed., chapter 12).
"""

from __future__ import annotations

import hashlib
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any, Final

import numpy as np
import orjson
import torch
import typer
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn.functional import binary_cross_entropy_with_logits
from tqdm import tqdm

from agents.planner.experience import (
    DRAW,
    EXPLORING_WHIM,
    FIRST_DEAL,
    JUDGE,
    PART,
    PLAYER,
    RULES,
    SEED,
    WHIM,
    Ends,
    gather,
    load_ends,
    missing_parts,
)
from canfield_env.rules import Rules
from canfield_env.training.config import CardNetworkSection
from canfield_env.training.folder import git_revision
from canfield_env.training.model_file import Evidence, Header, save_model
from canfield_env.training.network import Network, make_network
from canfield_env.training.repetition import RESERVE
from canfield_env.training.running import fast_products, make_adamw
from scripts.command import run_script

ROOT: Final = Path(__file__).parents[1]
FOLDER: Final = ROOT / "runs" / "plan-value"
#: One game in so many is only measured by.
HELD_OUT: Final = 7
NETWORK: Final = CardNetworkSection(width=64, table_width=128)
#: For each fit how much of the target is what came of the game, and how often it goes over all ends.
ROUNDS: Final = ((1.0, 4), (0.5, 8), (0.3, 8))
BATCH: Final = 256
LEARNING_RATE: Final = 1e-3
WEIGHT_DECAY: Final = 0.1
MAX_GRAD_NORM: Final = 1.0

app = typer.Typer(add_completion=False, help=__doc__)


@app.command()
def play(
    parts: Annotated[int, typer.Option(min=1, help=f"How many parts of {PART} games.")] = 40,
    folder: Path = FOLDER,
    jobs: Annotated[int, typer.Option(min=1, help="Processes; what is played does not depend on it.")] = 1,
) -> None:
    """A quick planner plays training deals; where its plans end is kept. Ctrl-C stops it; it goes on where it was."""
    missing = missing_parts(folder, parts)
    for _ in tqdm(gather(folder, missing, jobs), total=parts, initial=parts - len(missing), unit="part", disable=None):
        pass


@app.command()
def fit(folder: Path = FOLDER) -> None:
    """Fits a network to the games that have been played, and writes it with how well it foretells games held out."""
    torch.set_num_threads(1)
    torch.manual_seed(SEED)
    ends, games = load_ends(folder)
    held_out = ends.games % HELD_OUT == 0
    report = {}

    def measure(name: str, value: PlanValue) -> NDArray[np.float32]:
        chances = find_chances(value, ends)
        report[name] = cross_entropy(chances[held_out], ends.won[held_out])
        return chances

    learned = np.flatnonzero(~held_out)
    for name, by_cards in (("the orders won", False), ("the orders won, by cards in the reserve", True)):
        value = PlanValue(None, by_cards)
        fit_evidence(value, ends, learned)
        measure(name, value)
    chances = ends.won
    with fast_products():
        for number, (mix, epochs) in enumerate(ROUNDS, 1):
            value = PlanValue(make_network(NETWORK))
            fit_evidence(value, ends, learned)
            fit_network(value, ends, lambda_returns(ends, chances, mix), learned, epochs)
            chances = measure(f"and a network, fit {number}", value)
    origin = {
        "games": games,
        "ends": len(ends.games),
        "sha256": hashlib.sha256(b"".join(array.tobytes() for array in ends)).hexdigest(),
        "seed": SEED,
        "git": git_revision(),
        "config": _config(),
        "held out": report,
    }
    _save(folder, value, origin)
    typer.echo(orjson.dumps(report, option=orjson.OPT_INDENT_2).decode())


def lambda_returns(ends: Ends, chances: NDArray[np.float32], mix: float) -> NDArray[np.float32]:
    """What the end of each plan is to be worth.

    Args:
        ends: the ends.
        chances: ``float32[N]``, what each has been thought to be worth.
        mix: lambda, 1 for what the games came to, 0 for what the next ends are thought to be worth.

    Returns:
        ``float32[N]``, 0 to 1; at the last end of a game what the game came to.
    """
    targets = ends.won.copy()
    for k in range(len(targets) - 2, -1, -1):
        if ends.games[k] == ends.games[k + 1]:
            targets[k] = (1 - mix) * chances[k + 1] + mix * targets[k + 1]
    return targets


class PlanValue(nn.Module):
    """The log-odds of a win from the end of a plan: what the orders won after it say, and what a network adds.

    Args:
        network: its value is added; None for nothing.
        by_cards: whether the orders won say something else with each number of cards in the reserve.
    """

    def __init__(self, network: Network | None, by_cards: bool = True) -> None:
        super().__init__()
        self.network = network
        self.slopes, self.offsets = nn.Parameter(torch.ones(14)), nn.Parameter(torch.zeros(14))
        self._by_cards = by_cards

    def forward(self, ends: Ends, rows: NDArray[np.int64]) -> Tensor:
        """The log-odds for some of the ends, ``float[N]``."""
        tokens, shares = torch.from_numpy(ends.tokens[rows]), torch.from_numpy(ends.shares[rows])
        cards = tokens[:, RESERVE].long() * self._by_cards
        known = self.slopes[cards] * shares + self.offsets[cards]
        return known if self.network is None else known + self.network.value(tokens)


def fit_evidence(value: PlanValue, ends: Ends, rows: NDArray[np.int64]) -> None:
    """Fits what the orders won say, to what the games came to; the network adds nothing as long as it is new."""
    optimizer = torch.optim.LBFGS([value.slopes, value.offsets], max_iter=100, line_search_fn="strong_wolfe")
    network, value.network = value.network, None
    won = torch.from_numpy(ends.won[rows])

    def loss() -> Tensor:
        optimizer.zero_grad()
        loss = binary_cross_entropy_with_logits(value(ends, rows), won)
        torch.autograd.backward(loss)
        return loss

    optimizer.step(loss)  # type: ignore[no-untyped-call]
    value.network = network


def fit_network(
    value: PlanValue, ends: Ends, targets: NDArray[np.float32], rows: NDArray[np.int64], epochs: int
) -> None:
    """Fits all that there is to targets, ``float32[N]`` from 0 to 1."""
    optimizer = make_adamw(value, LEARNING_RATE, WEIGHT_DECAY)
    batches = len(rows) // BATCH
    falling = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: 1 - step / (epochs * batches))
    rng = np.random.default_rng(SEED)
    for _ in tqdm(range(epochs), unit="epoch", disable=None):
        for batch in np.array_split(rng.permutation(rows), batches):
            optimizer.zero_grad()
            torch.autograd.backward(
                binary_cross_entropy_with_logits(value(ends, batch), torch.from_numpy(targets[batch]))
            )
            nn.utils.clip_grad_norm_(value.parameters(), MAX_GRAD_NORM)
            optimizer.step()
            falling.step()


def find_chances(value: PlanValue, ends: Ends) -> NDArray[np.float32]:
    """The chances of a win by all ends, ``float32[N]``."""
    parts = np.array_split(np.arange(len(ends.games)), -(-len(ends.games) // 2048))
    with torch.inference_mode():
        return np.concatenate([torch.sigmoid(value(ends, rows)).numpy() for rows in parts])


def cross_entropy(chances: NDArray[np.float32], won: NDArray[np.float32]) -> float:
    """The mean cross-entropy of what came, in nats, by the chances that it was given."""
    return float(-np.log(np.where(won > 0, chances, 1 - chances), dtype=np.float64).mean())


def _config() -> dict[str, Any]:
    """What games and fits were made with."""
    games = {"first_deal": FIRST_DEAL, "whim": WHIM, "exploring_whim": EXPLORING_WHIM}
    fits = {"batch_size": BATCH, "learning_rate": LEARNING_RATE, "weight_decay": WEIGHT_DECAY}
    return {
        "games": {**games, "player": asdict(PLAYER), "judge": asdict(JUDGE)},
        "network": NETWORK.model_dump(),
        "fit": {**fits, "max_grad_norm": MAX_GRAD_NORM, "lambda_and_epochs": ROUNDS},
    }


def _save(folder: Path, value: PlanValue, origin: dict[str, Any]) -> None:
    """Writes the model."""
    assert value.network is not None
    evidence = Evidence(slopes=tuple(value.slopes.tolist()), offsets=tuple(value.offsets.tolist()))
    rules = Rules.of(RULES).to_dict()
    header = Header(rules=rules, draw=DRAW, stock="auto", network=NETWORK, origin=origin, evidence=evidence)
    save_model(folder / "best.zip", header, value.network)


if __name__ == "__main__":
    sys.exit(run_script(app, stopped="stopped; the same command goes on"))
