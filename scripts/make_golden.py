"""Writes the golden games under ``tests/golden/``: whole games, step by step, that a test replays.

A file is one rule set and draw. A line that starts a game has its rules, deck and opening; each line after it has what
was done (a token, or ``undo``), the position that the player then saw, the score and the legal tokens. There is a won
game in each file, where a simple strategy finds one, and a random one with undos. The script plays them on the game and
on the oracle of the tests, and writes nothing on which the two disagree.

Usage: python scripts/make_golden.py
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

from canfield_env import Deal, Game, Rules
from scripts.command import run_script
from tests import oracle
from tests.walks import RULE_SETS, law_of

ROOT = Path(__file__).resolve().parents[1]
#: The named rule sets are played with both draws, the others with one.
FILES = [(name, draw) for name in RULE_SETS for draw in ((1, 3) if name in ("app", "hoyle") else (3,))]
TRIES, WINS, RANDOM_STEPS, MOST_STEPS = 200, 4, 60, 400


def strategy(state: oracle.State, met: set[oracle.State]) -> str | None:
    """Up to a foundation, else between columns, from the reserve, from the waste, turn; never into a position met."""

    def place(token: str) -> tuple[int, str]:
        return 0 if token.endswith("F") else 4 if token == "D" else "RW".find(token[0]) + 2, token

    for token in sorted((t for t in oracle.moves(state) if t[0] != "F"), key=place):
        if bare(oracle.advance(state, token)) not in met:
            return token
    return None


def bare(state: oracle.State) -> oracle.State:
    """The piles alone."""
    return state._replace(redeals=0, actions=0, score=0, seen=frozenset())


def won_game(deal: Deal, rules: Rules) -> list[str] | None:
    """The tokens with which the strategy wins a deal, or None."""
    state = oracle.deal(oracle.cards(" ".join(deal.deck)), law_of(rules, deal.draw))
    met = {bare(state)}
    played: list[str] = []
    while len(played) < MOST_STEPS and (token := strategy(state, met)):
        played.append(token)
        state = oracle.advance(state, token)
        met.add(bare(state))
    return played if oracle.is_won(state) else None


def shortest_win(rules: Rules, draw: int) -> tuple[Deal, list[str]] | None:
    """The shortest of the first wins that the strategy finds."""
    wins: list[tuple[Deal, list[str]]] = []
    for seed in range(TRIES):
        deal = Deal.random(seed, draw, rules.ranks)
        if played := won_game(deal, rules):
            wins.append((deal, played))
            if len(wins) == WINS:
                break
    return min(wins, key=lambda win: len(win[1]), default=None)


def random_game(deal: Deal, rules: Rules, rng: Random) -> list[str]:
    """A game of random moves with an undo now and then."""
    game = Game(deal, rules)
    done: list[str] = []
    while len(done) < RANDOM_STEPS:
        moves = game.legal_moves()
        if game.moves and (not moves or rng.random() < 0.15):
            game.undo()
            done.append("undo")
        elif moves:
            done.append(str(game.push(rng.choice(moves))))
        else:
            break
    return done


def lines(deal: Deal, rules: Rules, done: list[str]) -> Iterator[dict[str, Any]]:
    """The game played on both, as the lines of a file."""
    game = Game(deal, rules)
    states = [oracle.deal(oracle.cards(" ".join(deal.deck)), law_of(rules, deal.draw))]
    yield {"rules": rules.to_dict(), "draw": deal.draw, "deck": " ".join(deal.deck)} | told(game, states[-1])
    for what in done:
        if what == "undo":
            game.undo()
            last = states.pop()
            states[-1] = oracle.undo(states[-1], last)
        else:
            game.push(what)
            states.append(oracle.play(states[-1], what))
        yield {"done": what} | told(game, states[-1])


def told(game: Game, state: oracle.State) -> dict[str, Any]:
    """What both say of where the game stands.

    Raises:
        ValueError: they do not agree.
    """
    legal = list(map(str, game.legal_moves()))
    said = {
        "position": game.position("player"),
        "score": game.score,
        "legal": " ".join(legal),
        "won": game.is_won,
        "dead": game.is_dead,
    }
    other = {
        "position": oracle.show(state, "player"),
        "score": state.score,
        "legal": " ".join(sorted(oracle.moves(state), key=legal.index)),
        "won": oracle.is_won(state),
        "dead": oracle.is_dead(state),
    }
    if said != other:
        raise ValueError(f"game and oracle disagree: {said} {other}")
    return {key: value for key, value in said.items() if value is not False}


def main() -> None:
    """Write every file."""
    for name, draw in FILES:
        rules = RULE_SETS[name]
        deal = Deal.random(Random(name).randrange(2**32), draw, rules.ranks)
        games = [(deal, random_game(deal, rules, Random(f"golden {name} {draw}")))]
        if win := shortest_win(rules, draw):
            games.append(win)
        path = ROOT / "tests" / "golden" / f"{name}-d{draw}.jsonl"
        rows = [json.dumps(line) for deal, done in games for line in lines(deal, rules, done)]
        path.write_text("\n".join(rows) + "\n")
        print(f"{path.relative_to(ROOT)}: {', '.join(str(len(done)) for _, done in games)} steps")


if __name__ == "__main__":
    sys.exit(run_script(main))
