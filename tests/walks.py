"""Rule sets, random games and random late positions, for the tests that compare two ways of playing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from random import Random

from canfield_env import Rules
from tests import oracle

#: Rule sets by name: the named ones, every switch by itself, and sizes far from the usual ones.
RULE_SETS = {
    "app": Rules.named("app"),
    "hoyle": Rules.named("hoyle"),
    "whole-runs": Rules(runs="whole"),
    "waste-spaces": Rules(spaces="waste"),
    "no-take-back": Rules(take_back=False),
    "closed-base": Rules(build_on_base=False),
    "no-redeal": Rules(redeals=0),
    "two-redeals": Rules(redeals=2, take_back=False),
    "casino": Rules(runs="whole", spaces="waste", take_back=False, build_on_base=False, redeals=1),
    "miniature": Rules(ranks=3, columns=3, reserve=3),
    "miniature-hoyle": Rules(runs="whole", spaces="waste", take_back=False, ranks=3, columns=3, reserve=3),
    "two-ranks": Rules(ranks=2, columns=2, reserve=2),
    "one-column": Rules(ranks=5, columns=1, reserve=4),
    "no-reserve": Rules(ranks=6, columns=4, reserve=0),
    "no-stock": Rules(ranks=4, columns=4, reserve=11),
    "nine-columns": Rules(ranks=13, columns=9, reserve=13),
}


def law_of(rules: Rules, draw: int) -> oracle.Law:
    """The oracle's name for a rule set."""
    return oracle.Law(**asdict(rules), draw=draw)


def every_token(columns: int, longest: int) -> list[str]:
    """All tokens for that many columns and tails of at most that many cards."""
    names = [str(k) for k in range(1, columns + 1)]
    onto = [a + b for a in names for b in names if a != b]
    tails = [f"{token}x{n}" for token in onto for n in range(1, longest + 1)]
    up = ["WF", "RF", *(f"{a}F" for a in names)]
    return ["D", *up, *onto, *tails, *(source + a for source in ("W", "R", "Fc", "Fd", "Fh", "Fs") for a in names)]


def choose(state: oracle.State, rng: Random) -> str | None:
    """A random legal token, mostly one that brings the game on; None where there is none."""
    tokens = sorted(oracle.moves(state))
    weights = [
        8 if t[-1] == "F" else 4 if t[0] == "R" else 3 if t[0] == "W" else 0.3 if t[0] == "F" else 1 for t in tokens
    ]
    return rng.choices(tokens, weights)[0] if tokens else None


def walk(state: oracle.State, rng: Random, steps: int) -> Iterator[tuple[str, oracle.State]]:
    """A random game of at most that many actions: each token and the state after it."""
    for _ in range(steps):
        token = choose(state, rng)
        if token is None:
            return
        state = oracle.advance(state, token)
        yield token, state


def random_deck(rng: Random, ranks: int = 13) -> oracle.Pile:
    """The cards of a game with that many ranks, shuffled."""
    deck = list(range(4 * ranks))
    rng.shuffle(deck)
    return tuple(deck)


def late_state(rng: Random, law: oracle.Law) -> oracle.State:
    """A random position far into a game, mostly with an empty reserve, long columns and open empty ones."""
    dealt_stock = 4 * law.ranks - law.reserve - 1 - law.columns
    tries = 0
    while True:
        state = _table(rng, law, least_up=min(tries // 10, law.ranks))
        if len(state.stock) + len(state.waste) <= dealt_stock and (all(state.columns) or not state.reserve):
            return oracle.look(state)
        tries += 1


def _table(rng: Random, law: oracle.Law, least_up: int) -> oracle.State:
    """Lays out a random table: foundations, reserve and columns first, stock and waste from what is left."""
    base, most_up = rng.randrange(law.ranks), rng.randint(least_up, law.ranks)
    up = tuple(rng.randint(least_up, most_up) for _ in range(4))
    rest = [c for c in random_deck(rng, law.ranks) if (c // 4 - base) % law.ranks >= up[c % 4]]
    state = oracle.State(law, base, up, (), (), (), ())
    reserve = [
        rest.pop() for _ in range(rng.choice((0, 0, 0, min(1, law.reserve), rng.randint(0, law.reserve)))) if rest
    ]
    columns: list[list[int]] = []
    for _ in range(law.columns):
        column = [rest.pop()] if rest and (reserve or rng.random() < 0.7) else []
        while column and rng.random() < 0.9:
            fitting = [c for c in rest if oracle.fits_card(state, c, column[-1])]
            if not fitting:
                break
            column.append(rng.choice(fitting))
            rest.remove(column[-1])
        columns.append(column)
    turned = rng.randint(0, len(rest))
    return state._replace(
        reserve=tuple(reserve),
        stock=tuple(rest[turned:]),
        waste=tuple(rest[:turned]),
        columns=tuple(map(tuple, columns)),
        actions=rng.randint(0, 500),
    )
