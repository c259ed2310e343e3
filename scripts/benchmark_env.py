#!/usr/bin/env python
"""Measures the environment's steps per second, beside those of others, all in one run on one machine.

Every loop plays random legal actions and fills observation and mask at every step, unless its name says otherwise; the
choice of the actions counts too. Results: docs/results/benchmark-env.json and .md. With ``--profile`` only their last
part is measured, where the time of a step goes, and the rest is left as it is there.
"""

from __future__ import annotations

import importlib.util
import os
import statistics
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Final
from unittest.mock import patch

import gymnasium
import numpy as np
import orjson
import typer
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

import canfield_env  # noqa: F401 - registers the environment
from canfield_env.engine.batch import Batch
from canfield_env.engine.jit import jit
from canfield_env.engine.kernels import mix
from canfield_env.engine.layout import ACTIONS
from scripts.command import run_script
from scripts.machine import machine

ROOT = Path(__file__).parent.parent
REPEATS = 7
#: Seconds of CPU that one timing takes, and steps of each game before the first, which bring games of all stages.
SECONDS = 0.3
WARM_UP = 400


@jit
def choose(masks: NDArray[np.int8], random: NDArray[np.uint64], actions: NDArray[np.int64]) -> None:
    """Chooses a random legal action for each game.

    Args:
        masks: ``int8[N, 261]``.
        random: ``uint64[1]``, state of the generator.
        actions: ``int64[N]``, filled.
    """
    state = random[0]
    for row in range(len(masks)):
        count = 0
        for action in range(ACTIONS):
            count += masks[row, action]
        state += np.uint64(0x9E3779B97F4A7C15)
        left = np.int64(mix(state) % np.uint64(count))
        for action in range(ACTIONS):
            left -= masks[row, action]
            if left < 0:
                actions[row] = action
                break
    random[0] = state


#: Plays that many steps of every game.
Play = Callable[[int], None]


@dataclass
class Case:
    """Something to measure.

    Attributes:
        name: what is stepped.
        envs: games side by side.
        make: makes what plays it; called once, before anything is timed.
        threads: worker threads.
        cpu, wall: steps per second by CPU and wall time, one number for each timing.
    """

    name: str
    envs: int
    make: Callable[[], Play]
    threads: int = 1
    cpu: list[float] = field(default_factory=list)
    wall: list[float] = field(default_factory=list)

    def prepare(self) -> None:
        """Makes it, plays into the steady state, and finds how many steps fill one timing."""
        self.play = self.make()
        self.play(WARM_UP)
        self.steps = WARM_UP
        while (seconds := self._time()[0]) < SECONDS / 4:
            self.steps *= 2
        self.steps = max(1, round(self.steps * SECONDS / seconds))

    def measure(self) -> None:
        """Adds one timing."""
        cpu, wall = self._time()
        self.cpu.append(self.steps * self.envs / cpu)
        self.wall.append(self.steps * self.envs / wall)

    def _time(self) -> tuple[float, float]:
        cpu, wall = time.process_time(), time.perf_counter()
        self.play(self.steps)
        return time.process_time() - cpu, time.perf_counter() - wall

    def result(self) -> dict[str, Any]:
        """The medians."""
        cpu, wall = statistics.median(self.cpu), statistics.median(self.wall)
        return {"name": self.name, "envs": self.envs, "threads": self.threads, "cpu": round(cpu), "wall": round(wall)}


# ---------------------------------------------------------------------------------------------------- what is measured


def canfield(**options: Any) -> Play:
    """One game through ``gymnasium.make``."""
    env = gymnasium.make("Canfield-v0", **options)
    random, actions = np.ones(1, np.uint64), np.zeros(1, np.int64)
    _, info = env.reset(seed=0)

    def play(steps: int) -> None:
        nonlocal info
        for _ in range(steps):
            choose(info["action_mask"][None], random, actions)
            _, _, terminated, truncated, info = env.step(actions.item())
            if terminated or truncated:
                _, info = env.reset()

    return play


def canfield_batch(count: int, **options: Any) -> Play:
    """Many games through ``gymnasium.make_vec``."""
    env = gymnasium.make_vec("Canfield-v0", num_envs=count, **options)
    random, actions = np.ones(1, np.uint64), np.zeros(count, np.int64)
    _, info = env.reset(seed=0)

    def play(steps: int) -> None:
        nonlocal info
        for _ in range(steps):
            choose(info["action_mask"], random, actions)
            *_, info = env.step(actions)

    return play


def cart_pole() -> Play:
    """Gymnasium's ``CartPole-v1``."""
    env = gymnasium.make("CartPole-v1")
    env.reset(seed=0)
    actions = np.random.default_rng(0).integers(0, 2, 1000).tolist()

    def play(steps: int) -> None:
        for step in range(steps):
            _, _, terminated, truncated, _ = env.step(actions[step % 1000])
            if terminated or truncated:
                env.reset()

    return play


def cart_pole_batch(count: int) -> Play:
    """Gymnasium's own vector form of ``CartPole-v1``."""
    env = gymnasium.make_vec("CartPole-v1", num_envs=count, vectorization_mode="vector_entry_point")
    env.reset(seed=0)
    rng = np.random.default_rng(0)

    def play(steps: int) -> None:
        for _ in range(steps):
            env.step(rng.integers(0, 2, count))

    return play


def open_spiel_klondike() -> Play:
    """OpenSpiel's ``solitaire`` from Python, with observation and mask."""
    import pyspiel

    game = pyspiel.load_game("solitaire")
    rng = np.random.default_rng(0)
    state = game.new_initial_state()

    def play(steps: int) -> None:
        nonlocal state
        while steps:
            if state.is_terminal():
                state = game.new_initial_state()
            elif state.is_chance_node():
                outcomes = state.chance_outcomes()
                state.apply_action(outcomes[rng.integers(len(outcomes))][0])
            else:
                np.array(state.observation_tensor(), np.float32)
                legal = np.flatnonzero(np.array(state.legal_actions_mask(), np.int8))
                state.apply_action(int(legal[rng.integers(len(legal))]))
                steps -= 1

    return play


def open_spiel_bare() -> Play:
    """OpenSpiel's ``solitaire`` played by its own random bot, without observation and mask."""
    import pyspiel

    game = pyspiel.load_game("solitaire")
    bots = [pyspiel.make_uniform_random_bot(0, 0)]
    # Games are played whole, so a step is counted as the share of one that it is on average.
    length = statistics.mean(_player_moves(game, bots, seed) for seed in range(200))
    owed = 0.0
    seed = 0

    def play(steps: int) -> None:
        nonlocal owed, seed
        owed += steps
        while owed >= length:
            pyspiel.evaluate_bots(game.new_initial_state(), bots, seed)
            owed -= length
            seed += 1

    return play


def _player_moves(game: Any, bots: list[Any], seed: int) -> int:
    import pyspiel

    state = game.new_initial_state()
    pyspiel.evaluate_bots(state, bots, seed)
    return sum(move.player == 0 for move in state.full_history())


def cases() -> Iterator[Case]:
    """Everything that is measured, but for learning."""
    for form in ("planes", "tokens"):
        yield Case(f"Canfield, {form}", 1, partial(canfield, observation=form))
        for count in (64, 1024, 8192):
            for threads in sorted({1, os.cpu_count() or 1}):
                make = partial(canfield_batch, count, observation=form, threads=threads)
                yield Case(f"Canfield, {form}", count, make, threads)
    yield Case("CartPole-v1", 1, cart_pole)
    for count in (64, 1024, 8192):
        yield Case("CartPole-v1", count, partial(cart_pole_batch, count))
    if importlib.util.find_spec("pyspiel"):
        yield Case("OpenSpiel Klondike", 1, open_spiel_klondike)
        yield Case("OpenSpiel Klondike, C++ bot, no observation", 1, open_spiel_bare)


def learning(count: int = 256, steps: int = 32) -> dict[str, float]:
    """Frames per second of MaskablePPO, and the environment's share of its time."""
    import torch
    from sb3_contrib import MaskablePPO
    from stable_baselines3.common.vec_env import VecEnvWrapper

    from canfield_env.env.sb3 import CanfieldVecEnv

    class Timed(VecEnvWrapper):
        """Adds up the time that is spent in the environment."""

        seconds = 0.0

        def timed(self, call: Callable[[], Any]) -> Any:
            begun = time.process_time()
            result = call()
            self.seconds += time.process_time() - begun
            return result

        def reset(self) -> Any:
            return self.timed(self.venv.reset)

        def step_async(self, actions: Any) -> None:
            self.timed(lambda: self.venv.step_async(actions))

        def step_wait(self) -> Any:
            return self.timed(self.venv.step_wait)

        def env_method(self, *args: Any, **kwargs: Any) -> Any:
            return self.timed(lambda: self.venv.env_method(*args, **kwargs))

    torch.set_num_threads(1)
    env = Timed(CanfieldVecEnv(count, observation="tokens"))
    model = MaskablePPO("MlpPolicy", env, n_steps=steps, batch_size=2048, n_epochs=4, seed=0, device="cpu")
    model.learn(count * steps)
    env.seconds, frames = 0.0, 3 * count * steps
    begun = time.process_time()
    model.learn(frames)
    seconds = time.process_time() - begun
    return {"envs": count, "frames_per_second": round(frames / seconds), "environment_share": env.seconds / seconds}


# ---------------------------------------------------------------------------------------------------- where it goes


#: The parts of a step that are timed, and the methods of ``Batch`` that do them; the rest is Python.
PARTS: Final = {
    "check": ("find_refused",),
    "play and tell": ("step",),
    "deal": ("deal", "tell_again"),
}
#: Rounds of a profile, of which the fastest is told; how many of them are made on end; and games stepped in a round.
ROUNDS = 2_000
ON_END = 50
GAMES_OF_ROUND = 8192


class Stopwatch:
    """Adds up the wall time of what it is around."""

    def __init__(self) -> None:
        self.seconds: defaultdict[str, float] = defaultdict(float)

    def around(self, part: str, call: Callable[..., Any]) -> Callable[..., Any]:
        """The call, timed."""

        def timed(*arguments: Any, **options: Any) -> Any:
            begun = time.perf_counter()
            try:
                return call(*arguments, **options)
            finally:
                self.seconds[part] += time.perf_counter() - begun

        return timed


class Profile:
    """Where the time of a step of many games goes.

    Args:
        form: the observation.
        count: the games.
        threads: worker threads.
    """

    def __init__(self, form: str, count: int, threads: int) -> None:
        self._about = {"form": form, "envs": count, "threads": threads}
        self._env = gymnasium.make_vec("Canfield-v0", num_envs=count, observation=form, threads=threads)
        self._random, self._actions = np.ones(1, np.uint64), np.zeros(count, np.int64)
        _, self._info = self._env.reset(seed=0)
        self._steps = max(1, GAMES_OF_ROUND // count)
        self._fastest: dict[str, float] = {}
        self.run(WARM_UP // self._steps)
        self._fastest = {}

    def run(self, rounds: int) -> None:
        """Plays some rounds, and keeps what the parts took in the fastest of all so far."""
        watch = Stopwatch()
        pick = watch.around("choice", choose)
        with ExitStack() as stack:
            for part, methods in PARTS.items():
                for method in methods:
                    timed = watch.around(part, getattr(Batch, method))
                    stack.enter_context(patch.object(Batch, method, timed))
            for _ in range(rounds):
                watch.seconds.clear()
                begun = time.perf_counter()
                for _ in range(self._steps):
                    pick(self._info["action_mask"], self._random, self._actions)
                    *_, self._info = self._env.step(self._actions)
                whole = time.perf_counter() - begun
                if whole < self._fastest.get("whole", float("inf")):
                    self._fastest = {**watch.seconds, "rest": whole - sum(watch.seconds.values()), "whole": whole}

    def result(self) -> dict[str, Any]:
        """Microseconds of each part, for one step of all games."""
        parts = ("choice", *PARTS, "rest", "whole")
        spent = {part: round(1e6 * self._fastest.get(part, 0.0) / self._steps, 1) for part in parts}
        return {**self._about, "microseconds": spent}


def waking(threads: int) -> float:
    """Microseconds that it takes to hand threads nothing to do, and to wait for them: the fastest of many times."""
    fastest = float("inf")
    with ThreadPoolExecutor(threads) as pool:
        for _ in range(20 * ROUNDS):
            begun = time.perf_counter()
            for done in [pool.submit(int) for _ in range(threads)]:
                done.result()
            fastest = min(fastest, time.perf_counter() - begun)
    return round(1e6 * fastest, 1)


def profiles() -> dict[str, Any]:
    """Where the time of a step goes: one thread, and for very many games all cores too."""
    threads = os.cpu_count() or 1
    cases = [Profile(form, 1024, 1) for form in ("tokens", "planes")]
    cases += [Profile(form, 8192, count) for form in ("tokens", "planes") for count in sorted({1, threads})]
    for _ in range(ROUNDS // ON_END):  # in turns: what else the machine does comes and goes
        for case in cases:
            case.run(ON_END)
    return {
        "load": round(os.getloadavg()[0], 1),
        "steps": [case.result() for case in cases],
        "waking": {"threads": threads, "microseconds": waking(threads)},
    }


# ---------------------------------------------------------------------------------------------------- results


#: What is aimed at, by the names that ``ratios`` gives.
TARGETS: Final = {
    "N=1024, tokens and mask, million steps/s": 4.0,
    "N=1024, planes and mask, million steps/s": 2.0,
    "single env, planes and mask, against CartPole-v1": 1.0,
    "2 threads against one, N=8192, wall time": 1.7,
    "N=1024, tokens, against OpenSpiel with observation and mask": 300.0,
    "N=1024, tokens, against OpenSpiel's bare C++ bot": 20.0,
}
#: The environment's share of learning is to stay below this.
MOST_SHARE: Final = 0.03


def ratios(results: list[dict[str, Any]]) -> dict[str, float]:
    """The comparisons that the targets name."""
    cpu = {(row["name"], row["envs"], row["threads"]): row["cpu"] for row in results}
    wall = {(row["name"], row["envs"], row["threads"]): row["wall"] for row in results}
    tokens, planes = cpu["Canfield, tokens", 1024, 1], cpu["Canfield, planes", 1024, 1]
    found = {
        "N=1024, tokens and mask, million steps/s": tokens / 1e6,
        "N=1024, planes and mask, million steps/s": planes / 1e6,
        "single env, planes and mask, against CartPole-v1": cpu["Canfield, planes", 1, 1] / cpu["CartPole-v1", 1, 1],
        "N=1024, tokens, against CartPole-v1's vector form": tokens / cpu["CartPole-v1", 1024, 1],
    }
    if (os.cpu_count() or 1) > 1:
        threads = os.cpu_count()
        gain = wall["Canfield, tokens", 8192, threads] / wall["Canfield, tokens", 8192, 1]
        found[f"{threads} threads against one, N=8192, wall time"] = gain
    for peer, name in (
        ("OpenSpiel Klondike", "N=1024, tokens, against OpenSpiel with observation and mask"),
        ("OpenSpiel Klondike, C++ bot, no observation", "N=1024, tokens, against OpenSpiel's bare C++ bot"),
    ):
        if (peer, 1, 1) in cpu:
            found[name] = tokens / cpu[peer, 1, 1]
    return found


def markdown(report: dict[str, Any]) -> str:
    """The report for people."""
    where = report["machine"]
    versions = ", ".join(f"{name} {where[name]}" for name in ("python", "numpy", "numba", "gymnasium"))
    lines = [
        "# Steps per second",
        "",
        "By `scripts/benchmark_env.py`: random legal actions, observation and mask filled at every step, the choice of",
        f"the actions counted. Medians of {REPEATS} timings in one run. {where['cores']} cores ({where['processor']}), "
        f"load {where['load']} at the start, {versions}.",
        "",
        "| what | games | threads | steps/s, CPU time | steps/s, wall time |",
        "|---|---:|---:|---:|---:|",
    ]
    lines += [
        f"| {row['name']} | {row['envs']} | {row['threads']} | {row['cpu']:,} | {row['wall']:,} |"
        for row in report["results"]
    ]
    lines += ["", "| comparison | measured | target |", "|---|---:|---:|"]
    lines += [
        f"| {name} | {value:.2f} | {f'{TARGETS[name]:g}' if name in TARGETS else ''} |"
        for name, value in report["ratios"].items()
    ]
    if learning := report["learning"]:
        lines += [
            "",
            f"MaskablePPO on {learning['envs']} games (`tokens`, the library's MLP, 4 epochs, one thread): "
            f"{learning['frames_per_second']:,} frames a second of CPU time, of which the environment takes "
            f"{learning['environment_share']:.2%} (target: under {MOST_SHARE:.0%}).",
        ]
    return "\n".join([*lines, *profile_lines(report["profile"])]) + "\n"


def profile_lines(found: dict[str, Any]) -> Iterator[str]:
    """The part of the report that tells where the time of a step goes."""
    parts = ("choice", *PARTS, "rest", "whole")
    yield ""
    yield "## Where the time of a step goes"
    yield ""
    yield "Microseconds of wall time in which all games are stepped once, by `scripts/benchmark_env.py --profile`; the"
    yield f"fastest of {ROUNDS:,} rounds each, load {found['load']} at the end. *choice*: of random legal actions, in"
    yield "compiled code; *check*: of the actions given; *play and tell*: the kernels that play them and fill"
    yield "observations, masks and counts, with fresh arrays, which is what threads share out; *deal*: new games for"
    yield "those that have ended; *rest*: Python, above all the info."
    yield ""
    yield f"| observation | games | threads | {' | '.join(parts)} | ns a game |"
    yield f"|---|{'---:|' * (len(parts) + 3)}"
    for row in found["steps"]:
        spent = row["microseconds"]
        cells = [row["form"], row["envs"], row["threads"], *(f"{spent[part]:,.1f}" for part in parts)]
        yield f"| {' | '.join(map(str, cells))} | {1000 * spent['whole'] / row['envs']:.0f} |"
    yield ""
    waking = found["waking"]
    yield f"Handing {waking['threads']} threads nothing to do takes {waking['microseconds']} microseconds."


def show(report: dict[str, Any]) -> None:
    """Prints the report."""
    console = Console()
    table = Table("what", "games", "threads", "steps/s, CPU", "steps/s, wall", title="Steps per second")
    for row in report["results"]:
        table.add_row(row["name"], str(row["envs"]), str(row["threads"]), f"{row['cpu']:,}", f"{row['wall']:,}")
    console.print(table)
    table = Table("comparison", "value")
    for name, value in report["ratios"].items():
        table.add_row(name, f"{value:.2f}")
    console.print(table)
    if learning := report["learning"]:
        console.print(
            f"MaskablePPO, {learning['envs']} games: {learning['frames_per_second']:,} frames/s, "
            f"environment's share {learning['environment_share']:.2%}"
        )


def main(
    out: Annotated[Path, typer.Option(help="Where the results go.")] = ROOT / "docs" / "results",
    learn: Annotated[bool, typer.Option(help="Measure MaskablePPO too (needs the train extra).")] = True,
    profile_only: Annotated[
        bool, typer.Option("--profile", help="Measure only where the time of a step goes.")
    ] = False,
) -> None:
    """Measure the environment's speed."""
    if profile_only:
        report = orjson.loads((out / "benchmark-env.json").read_bytes()) | {"profile": profiles()}
    else:
        report = measure(learn)
        show(report)
    out.mkdir(parents=True, exist_ok=True)
    (out / "benchmark-env.json").write_bytes(orjson.dumps(report, option=orjson.OPT_INDENT_2) + b"\n")
    (out / "benchmark-env.md").write_text(markdown(report))


def measure(learn: bool) -> dict[str, Any]:
    """The whole report; ``learn`` as in ``main``."""
    where = machine()
    measured = list(cases())
    for case in measured:
        case.prepare()
    for _ in range(REPEATS):
        for case in measured:
            case.measure()
    results = [case.result() for case in measured]
    return {
        "machine": where,
        "results": results,
        "ratios": ratios(results),
        "learning": learning() if learn else None,
        "profile": profiles(),
    }


if __name__ == "__main__":
    sys.exit(run_script(main))
