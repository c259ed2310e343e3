#!/usr/bin/env python
"""Searches for training settings with Optuna, by short runs that configs/trials/search-d3.toml describes.

    python scripts/search_training.py                  # can be stopped and started again
    python scripts/search_training.py --report         # only writes what has been found so far

Runs and study are kept in runs/search/; all trials are written to docs/results/training-search.json and .md. Trials are
told apart by the mean of the cards up, which so few deals measure better than the win rate.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any, Final

import optuna
import orjson
import typer
from optuna.trial import FrozenTrial, Trial, TrialState
from pydantic import BaseModel, ConfigDict, ValidationError

from canfield_env.configs import first_fault, read_toml
from canfield_env.errors import ConfigError
from canfield_env.evaluation.metrics import share
from canfield_env.training.config import TrainingConfig
from canfield_env.training.folder import RunFolder
from canfield_env.training.play import Result
from canfield_env.training.trainer import Trainer
from scripts.command import run_script

ROOT: Final = Path(__file__).parent.parent
PLAN: Final = ROOT / "configs" / "trials" / "search-d3.toml"
RESULTS: Final = ROOT / "docs" / "results"
Value = int | float | str | bool


class Range(BaseModel):
    """Numbers between two ends."""

    model_config = ConfigDict(extra="forbid")
    low: float
    high: float
    log: bool = False

    def suggest(self, trial: Trial, key: str) -> Value:
        """Optuna's pick, to three digits."""
        return float(f"{trial.suggest_float(key, self.low, self.high, log=self.log):.3g}")


class Choices(BaseModel):
    """One of some values."""

    model_config = ConfigDict(extra="forbid")
    choices: list[Value]

    def suggest(self, trial: Trial, key: str) -> Value:
        """Optuna's pick."""
        value = trial.suggest_categorical(key, self.choices)
        assert value is not None
        return value


class Plan(BaseModel):
    """What is searched: the configuration that trials change, what all of them have, and what each has of its own.

    Attributes:
        base: the configuration.
        settings: what all trials have.
        seed: what Optuna draws from.
        trials: how many are made.
        first: what is tried before Optuna picks.
        space: what is picked for each key.
    """

    model_config = ConfigDict(extra="forbid")
    base: str
    settings: list[str]
    seed: int
    trials: int
    first: list[dict[str, Value]]
    space: dict[str, Range | Choices]


class Search:
    """A study, kept on disk.

    Args:
        plan: what is searched.
        folder: where runs and study are kept.

    Raises:
        ConfigError: the plan's base is no configuration, or the folder holds trials of another one or of another space.
    """

    def __init__(self, plan: Plan, folder: Path) -> None:
        self._plan, self._folder = plan, folder
        setup = {
            "base": TrainingConfig.load(plan.base, plan.settings).model_dump(),
            "space": {key: space.model_dump() for key, space in plan.space.items()},
        }
        folder.mkdir(parents=True, exist_ok=True)
        self.study = optuna.create_study(
            study_name="training",
            storage=f"sqlite:///{folder / 'study.db'}",
            direction="maximize",
            load_if_exists=True,
            pruner=optuna.pruners.MedianPruner(n_startup_trials=4, n_warmup_steps=30_000),
        )
        there = self.study.user_attrs.get("setup")
        if self.study.trials and there != setup:
            raise ConfigError(
                f"{folder}: the trials in this folder are of another base or space: {_first(there, setup)}"
            )
        self.study.set_user_attr("setup", setup)
        # Trials drawn after a stop must be others than those drawn before it.
        self.study.sampler = optuna.samplers.TPESampler(seed=plan.seed + len(self.study.trials), n_startup_trials=8)

    def run(self) -> None:
        """Makes the trials that there are still to be made; those that were stopped are made anew."""
        if not self.study.trials:
            for settings in self._plan.first:
                self.study.enqueue_trial(settings)
        for trial in self.study.get_trials(states=[TrialState.RUNNING]):
            self.study.tell(trial.number, state=TrialState.FAIL)
            self.study.enqueue_trial(trial.params)
        self.study.optimize(self._try, n_trials=self._plan.trials - len(finished(self.study)))

    def _try(self, trial: Trial) -> float:
        settings = [f"{key}={space.suggest(trial, key)}" for key, space in self._plan.space.items()]
        trial.set_user_attr("settings", settings)
        print(f"trial {trial.number}: {' '.join(settings)}", file=sys.stderr)
        config = TrainingConfig.load(self._plan.base, self._plan.settings + settings)

        def watch(steps: int, result: Result) -> bool:
            _, cards_up = result.score
            trial.report(cards_up, steps)
            found = {"steps": steps, "cards_up": cards_up, "wins": int(result.won.sum()), "deals": len(result.won)}
            for key, value in found.items():
                trial.set_user_attr(key, value)
            return not trial.should_prune()

        trainer = Trainer(config, RunFolder(self._folder / f"{trial.number:03}", config), watch=watch)
        done = trainer.run()
        trial.set_user_attr("cpu_seconds", round(trainer.seconds, 1))
        if not done and not trial.should_prune():
            self.study.enqueue_trial(trial.params)
            raise KeyboardInterrupt
        if not done:
            raise optuna.TrialPruned
        return float(trial.user_attrs["cards_up"])


def _first(there: dict[str, Any] | None, here: dict[str, Any]) -> str:
    """The first key by which what is stored of a study differs from what it would be now."""
    if there is None:
        return "they do not say of which"
    names = [key for key in {**there, **here} if there.get(key) != here.get(key)]
    first, second = there.get(names[0]), here.get(names[0])
    if isinstance(first, dict) and isinstance(second, dict):
        return f"{names[0]}.{_first(first, second)}"
    return f"{names[0]} is {first!r} there, not {second!r}"


def finished(study: optuna.Study) -> list[FrozenTrial]:
    """The trials that were made to their end, or to where they were pruned."""
    return study.get_trials(states=[TrialState.COMPLETE, TrialState.PRUNED])


def rows(study: optuna.Study) -> list[dict[str, Any]]:
    """What is kept of each trial, the best first, those that were stopped early after the others."""
    kept = [
        {
            "trial": trial.number,
            "stopped": trial.state == TrialState.PRUNED,
            **{key: trial.user_attrs[key] for key in ("settings", "steps", "cpu_seconds", "wins", "deals", "cards_up")},
        }
        for trial in finished(study)
    ]
    return sorted(kept, key=lambda row: (row["stopped"], -row["cards_up"]))


def markdown(plan: dict[str, Any], found: list[dict[str, Any]]) -> str:
    """The results as a page."""
    keys = list(plan["space"])
    names = " | ".join(key.partition(".")[2] for key in keys)
    seconds = sum(row["cpu_seconds"] for row in found)
    lines = [
        "# Training settings searched",
        "",
        "By `scripts/search_training.py`, from `training-search.json`. One run each; the last model, greedy, on the",
        f"validation suite; those that fell behind were stopped. {len(found)} trials, {seconds:,.0f} CPU seconds.",
        f"All: `{plan['base']}` with `{' '.join(plan['settings'])}`.",
        "",
        f"| trial | {names} | steps | CPU seconds | won | 95 % | cards up |",
        "|---" * (len(keys) + 6) + "|",
    ]
    for row in found:
        values = dict(setting.split("=") for setting in row["settings"])
        won = share(row["wins"], row["deals"])
        lines.append(
            f"| {row['trial']} | {' | '.join(values[key] for key in keys)} | {row['steps']:,}"
            f"{' (stopped)' if row['stopped'] else ''} | {row['cpu_seconds']:.0f} | {won.value:.1%} "
            f"| {won.low:.1%} to {won.high:.1%} | {row['cards_up']:.1f} |"
        )
    return "\n".join(lines) + "\n"


def main(
    report: Annotated[bool, typer.Option("--report", help="Make no more trials.")] = False,
    folder: Annotated[Path, typer.Option(help="Where runs and study are kept.")] = ROOT / "runs" / "search",
    out: Annotated[Path, typer.Option(help="Where the results go.")] = RESULTS,
) -> None:
    """Search for training settings."""
    table = read_toml(PLAN)
    try:
        plan = Plan.model_validate(table)
    except ValidationError as error:
        raise ConfigError(f"{PLAN}: {first_fault(error).text}") from None
    search = Search(plan, folder)
    try:
        if not report:
            search.run()
    except KeyboardInterrupt:
        raise typer.Exit(130) from None
    finally:
        found = rows(search.study)
        out.mkdir(parents=True, exist_ok=True)
        content = orjson.dumps({"plan": table, "trials": found}, option=orjson.OPT_INDENT_2)
        (out / "training-search.json").write_bytes(content + b"\n")
        (out / "training-search.md").write_text(markdown(table, found))


if __name__ == "__main__":
    sys.exit(run_script(main))
