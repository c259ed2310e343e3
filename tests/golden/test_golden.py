"""Golden games: whole games, replayed step by step, with everything a player was told at each."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from canfield_env import Deal, Game, Rules
from tests.walks import RULE_SETS

Line = dict[str, Any]
FILES = {path.stem: path for path in sorted(Path(__file__).parent.glob("*.jsonl"))}
NAMED = {f"{name}-d{draw}" for name in ("app", "hoyle") for draw in (1, 3)}
#: Where so few redeals are allowed, or there are so many columns, the strategy behind the games wins none.
NONE_WON = {"no-redeal-d3", "two-redeals-d3", "casino-d3", "nine-columns-d3"}


def games(path: Path) -> Iterator[list[Line]]:
    """The lines of each game; the first one tells the deal."""
    game: list[Line] = []
    for text in path.read_text().splitlines():
        line = json.loads(text)
        if "deck" in line and game:
            yield game
            game = []
        game.append(line)
    yield game


def told(game: Game) -> Line:
    """What the lines say of where a game stands."""
    said = {
        "position": game.position("player"),
        "score": game.score,
        "legal": " ".join(map(str, game.legal_moves())),
        "won": game.is_won,
        "dead": game.is_dead,
    }
    return {key: value for key, value in said.items() if value is not False}


@pytest.mark.parametrize("name", FILES)
def test_golden_games_replay(name: str) -> None:
    for opening, *steps in games(FILES[name]):
        rules = Rules.from_dict(opening["rules"])
        game = Game(Deal.from_deck(opening["deck"], opening["draw"], rules.ranks), rules)
        assert told(game).items() <= opening.items()
        for number, step in enumerate(steps, 1):
            if step["done"] == "undo":
                game.undo()
            else:
                game.push(step["done"])
            assert {"done": step["done"]} | told(game) == step, f"{name}, step {number}"


def test_no_golden_game_is_missing() -> None:
    assert set(FILES) >= NAMED
    assert {name.rpartition("-")[0] for name in FILES} == set(RULE_SETS)
    for name, path in FILES.items():
        openings = [game[0] for game in games(path)]
        assert {(Rules.from_dict(line["rules"]), line["draw"]) for line in openings} == {
            (RULE_SETS[name.rpartition("-")[0]], int(name[-1]))
        }


def test_every_file_has_a_won_game_and_one_with_undos() -> None:
    for name, path in FILES.items():
        ends = [game[-1].get("won", False) for game in games(path)]
        assert any(ends) == (name not in NONE_WON), name
        assert any(line.get("done") == "undo" for game in games(path) for line in game), name


def test_a_win_with_no_card_taken_back_scores_255() -> None:
    for name in NAMED:
        (won,) = [game for game in games(FILES[name]) if game[-1].get("won")]
        assert won[-1]["score"] == 255
        assert won[-1]["legal"] == ""
