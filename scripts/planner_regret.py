"""Measures what the planner's settings cost decision by decision, on training deals.

    python scripts/planner_regret.py measure --games 12      # plays and judges, then writes the tables
    python scripts/planner_regret.py page                    # the tables of docs/planner.md, anew

At decisions of games of ``planner:fast`` many plans are judged on many orders. What a setting would choose, and how
many states it would search, follows from that, as the same searches end where its limits are. Figures are kept in
``docs/results/planner-regret.json``.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Final

import numpy as np
import orjson
import typer
from numpy.typing import NDArray
from tqdm import tqdm

from agents.planner.agent import from_argument
from agents.planner.decision import ATTEMPTS, FEW, RATE, STEP
from agents.planner.options import PRESETS
from agents.planner.samples import draw_samples
from agents.planner.search import MOST_PLANS, examine, explore, find_result, lay, new_plans, solve_order
from canfield_env import Deal, Rules
from canfield_env.deals import FIRST_TRAINING_DEAL
from canfield_env.evaluation.episode import episode_seed, make_env
from canfield_env.solver.moves import RELAXED
from canfield_env.solver.search import UNWINNABLE, WINNABLE
from canfield_env.solver.space import EXPANDED, new_space
from canfield_env.solver.state import DOMINANCES, RESERVE_CARDS
from canfield_env.view import PlayerView
from scripts.command import run_script
from scripts.pages import with_tables

ROOT: Final = Path(__file__).parents[1]
RESULTS: Final = ROOT / "docs" / "results" / "planner-regret.json"
PAGE: Final = ROOT / "docs" / "planner.md"
#: Orders that every plan is judged on, and states for each.
ORDERS, STATES = 144, 2_000
#: Orders whose solutions give plans, and short plans besides.
SOLVED, SHORT = 24, 72
#: With how many hidden cards a decision is judged.
HIDDEN: Final = (12, 10, 8, 6, 4)
#: The draws of a setting's orders that its regret is the mean of.
DRAWS: Final = 8
#: From here on, sources of plans are short plans.
EXPLORED: Final = 1_000


@dataclass(frozen=True, slots=True)
class Setting:
    """What the planner's options say of a comparison, see ``Options``; ``step`` is what each step counts."""

    orders: int
    states: int
    plans: int
    rounds: int = 2
    undecided: float = 0.3
    step: float = STEP


SETTINGS: Final = (
    *(Setting(o.orders, o.states, o.plans, o.rounds, o.undecided) for o in (PRESETS["fast"], PRESETS[""])),
    Setting(72, 200, 72),
    *(Setting(orders, 100, 36) for orders in (12, 24, 72)),
    *(Setting(36, states, 36) for states in (30, 300, 1_000)),
    *(Setting(36, 100, plans) for plans in (0, 6, 12, 72)),
    *(Setting(36, 100, 36, rounds) for rounds in (1, 3, 4)),
    *(Setting(36, 100, 36, undecided=value) for value in (0.0, 0.6, 0.9)),
    *(Setting(36, 100, 36, step=step) for step in (-STEP, 0.0, 0.01, 0.03)),
)


@dataclass(frozen=True, slots=True)
class Judged:
    """A decision of which much is known.

    Attributes:
        results: ``int64[P, K]``, what the search of each order from the end of each plan has come to.
        states: ``int64[P, K]``, the states that it took.
        lengths: ``int64[P]``, the states of the plans.
        sources: ``int64[P]``, the order whose solution starts so, or ``EXPLORED`` and which of the short plans it is.
        ahead: what the best plan is worth if all cards are known after the next one; if there is one more choice before
            that, the best for the orders that it is judged by; and the same, but the best for other orders.
    """

    results: NDArray[np.int64]
    states: NDArray[np.int64]
    lengths: NDArray[np.int64]
    sources: NDArray[np.int64]
    ahead: tuple[float, float, float]


class Judge:
    """Judges decisions; the memory that it needs is used again."""

    def __init__(self) -> None:
        self._space = new_space(2**17)
        self._plans, self._follow_ups = new_plans(ORDERS), new_plans(ORDERS)

    def judge(self, view: PlayerView) -> Judged | None:
        """What there is to know of a decision; None where no plan has been found."""
        _, orders, words, board = draw_samples(view, ORDERS, 1, *ATTEMPTS[0])
        tools = (*self._space, board)
        sources = self._find_plans(words, orders, tools)
        if not sources:
            return None
        plans, count = self._plans, len(sources)
        results, states = (np.zeros((count, len(orders)), np.int64) for _ in range(2))
        for k, order in enumerate(orders):
            lay(order, board)
            for plan in range(count):
                end = plans.paths[plan, plans.lengths[plan] - 1]
                results[plan, k] = find_result(*end, STATES, *tools)
                states[plan, k] = self._space.info[EXPANDED]
        best = int((results == WINNABLE).mean(axis=1).argmax())
        ahead = self._look_ahead(plans.paths[best, plans.lengths[best] - 1], orders, tools)
        return Judged(results, states, plans.lengths[:count].copy(), np.array(sources), ahead)

    def _find_plans(self, words: tuple[int, int], orders: NDArray[np.int64], tools: tuple[Any, ...]) -> list[int]:
        """Fills in the plans, and returns where each comes from."""
        board, plans, sources = tools[-1], self._plans, list[int]()
        top = board[RESERVE_CARDS + orders.shape[1]]
        for k in range(min(SOLVED, len(orders))):
            _, count = solve_order(*words, top, k, orders, STATES, plans, len(sources), *tools)
            sources += [k] * (count - len(sources))
        board[DOMINANCES] &= ~RELAXED
        count = explore(*words, top, 16_000, min(len(sources) + SHORT, MOST_PLANS), plans, len(sources), *tools)
        board[DOMINANCES] |= RELAXED
        return sources + [EXPLORED + k for k in range(count - len(sources))]

    def _look_ahead(
        self, words: NDArray[np.int64], orders: NDArray[np.int64], tools: tuple[Any, ...]
    ) -> tuple[float, float, float]:
        """What a plan is worth, see ``Judged.ahead``."""
        follow_ups, lost = self._follow_ups, np.zeros(ORDERS, np.bool_)
        known = best = chosen = 0
        for card in np.unique(orders[:, -1]):
            group = orders[orders[:, -1] == card]
            count = 0
            for k in range(len(group)):
                result, count = solve_order(*words, card, k, group, STATES, follow_ups, count, *tools)
                known += result == WINNABLE
            for plan in range(count):
                examine(plan, 0, len(group), group, STATES, lost, follow_ups, *tools)
            won = follow_ups.results[:count, : len(group)] == WINNABLE
            best += int(won.sum(axis=1).max(initial=0))
            if count:
                halves = won[:, ::2], won[:, 1::2]
                chosen += sum(int(one[other.sum(axis=1).argmax()].sum()) for one, other in (halves, halves[::-1]))
        return known / len(orders), best / len(orders), chosen / len(orders)


def find_regret(setting: Setting, decision: Judged, rng: np.random.Generator) -> tuple[float, int]:
    """What the plan that a setting takes wins less than the best one, and the states it searches to find it.

    The orders that it sees are drawn; the plans are judged on the others, where there are enough.
    """
    drawn = rng.permutation(decision.results.shape[1])
    seen, others = drawn[: setting.orders], drawn[setting.orders :]
    worth = (decision.results[:, others if len(others) > ORDERS // 4 else drawn] == WINNABLE).mean(axis=1)
    explored = decision.sources - EXPLORED
    chosen = np.flatnonzero(
        (decision.sources < min(SOLVED, setting.orders)) | (explored >= 0) & (explored < setting.plans)
    )
    if len(chosen) == 0:
        return float(worth.max()), 0
    searched, limit = 0, setting.states * max(1, setting.orders // len(seen))
    for still in range(setting.rounds - 1, -1, -1):
        here = np.ix_(chosen, seen[: max(min(FEW, len(seen)), -(-len(seen) // RATE**still))])
        ended = decision.states[here] <= limit
        won = (decision.results[here] == WINNABLE) & ended
        lost = (decision.results[here] == UNWINNABLE) & ended
        searched += int(np.minimum(decision.states[here], limit).sum())
        values = (won + setting.undecided * ~(won | lost)).mean(axis=1) - setting.step * decision.lengths[chosen]
        chosen = chosen[np.argsort(-values, kind="stable")][: -(-len(chosen) // RATE)]
        limit = min(limit * RATE, STATES)
    return float(worth.max() - worth[chosen[0]]), searched


def decisions(games: int, first: int) -> Iterator[Judged]:
    """Decisions of games of ``planner:fast``."""
    agent, judge = from_argument("fast"), Judge()
    env = make_env(agent, Rules.of("app"))
    for k in tqdm(range(games), disable=None):
        observation, info = env.reset(options={"deal": Deal.from_number(FIRST_TRAINING_DEAL + first + k, 3)})
        agent.reset(episode_seed(0, env.player_view()))
        judged = set[int]()
        while "outcome" not in info:
            view = env.player_view()
            hidden = len(view.unseen)
            if None not in view.position.stock and hidden in HIDDEN and hidden not in judged:
                judged.add(hidden)
                if decision := judge.judge(view):
                    yield decision
            observation, _, _, _, info = env.step(agent.act(observation, info["action_mask"], view))


def figures(judged: list[Judged], games: int, first: int) -> dict[str, Any]:
    """What is kept."""
    rows = []
    for setting in SETTINGS:
        rng = np.random.default_rng(0)
        found = np.array([find_regret(setting, decision, rng) for decision in judged for _ in range(DRAWS)])
        regret, searched = found.mean(axis=0)
        options = {name: getattr(setting, name) for name in Setting.__dataclass_fields__}
        rows.append({**options, "regret": float(regret), "searched": float(searched)})
    ahead = np.mean([decision.ahead for decision in judged], axis=0)
    return {
        "games": games,
        "first": first,
        "decisions": len(judged),
        "settings": rows,
        "ahead": dict(zip(AHEAD, ahead.tolist(), strict=True)),
    }


# ------------------------------------------------------------------ the page


def regret_table(results: dict[str, Any]) -> str:
    """The settings, those of the agents first."""
    lines = [
        f"{results['decisions']} decisions of {results['games']} games from deal 2^20 + {results['first']:,} on:",
        "",
        "| orders | states | plans | rounds | undecided | step | wins less than the best | states searched |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for row in results["settings"]:
        options = " | ".join(f"{row[name]:g}" for name in Setting.__dataclass_fields__)
        lines.append(f"| {options} | {row['regret']:.2%} | {row['searched']:,.0f} |")
    return "\n".join(lines)


def ahead_table(results: dict[str, Any]) -> str:
    """What the best plan is worth with a second choice."""
    rows = [f"| {AHEAD[name]} | {share:.2%} |" for name, share in results["ahead"].items()]
    return "\n".join([f"| the best plan at {results['decisions']} decisions | orders won |", "| --- | --- |", *rows])


#: What ``Judged.ahead`` holds, in words.
AHEAD: Final = {
    "known": "all cards known after the next one",
    "best": "one more choice before that: of the way that wins most of these orders",
    "chosen": "one more choice before that: of the way that wins most of as many other orders",
}
TABLES: Final = {"regret": regret_table, "ahead": ahead_table}


def page(text: str, results: dict[str, Any]) -> str:
    """The page's text with its tables made anew."""
    return with_tables(text, {name: partial(table, results) for name, table in TABLES.items()})


app = typer.Typer(add_completion=False, help=__doc__)


@app.command()
def measure(
    games: Annotated[int, typer.Option(min=1)] = 12,
    first: Annotated[int, typer.Option(min=0, help="The first deal, counted from number 2^20.")] = 20_000,
) -> None:
    """Judges decisions of games, and writes the figures and the tables."""
    results = figures(list(decisions(games, first)), games, first)
    RESULTS.write_bytes(orjson.dumps(results, option=orjson.OPT_INDENT_2))
    write_page()


@app.command(name="page")
def write_page() -> None:
    """Writes the tables of ``docs/planner.md`` anew."""
    results = orjson.loads(RESULTS.read_bytes())
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8"), results), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(run_script(app))
