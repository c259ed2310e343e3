"""Records that the tests of pictures and replays share."""

from __future__ import annotations

import random

from canfield_env import Deal, Game, Move
from canfield_env.records import Record


def an_episode(moves: int = 80) -> Record:
    """An episode on the published deal, with values, in which every kind of move occurs."""
    game = Game(Deal.from_code("CF1-D3-AAAAACL")).push_all("R2 RF 24 D D D")
    rng = random.Random(5)
    while len(game.moves) < moves:
        legal = game.legal_moves()
        useful = [move for move in legal if move.target == "F"] or [move for move in legal if move.source in "RW"]
        game.push(useful[0] if useful and rng.random() < 0.7 else rng.choice(legal))
    values = [round(rng.random(), 3) for _ in game.moves]
    return Record.of_game(game, "stopped", "a <b>careful</b> agent", 1.5, values=values)


def a_faulty_episode() -> Record:
    """An episode whose fourth move is against the rules."""
    moves = tuple(Move.parse(token) for token in ("R2", "RF", "24", "12", "D"))
    return Record(Deal.from_code("CF1-D3-AAAAACL"), Game(Deal.from_number(2)).rules, moves, "won", 52, 255, "broken")
