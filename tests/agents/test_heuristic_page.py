"""The page about the heuristic says what its result file says, of the heuristic as it is."""

from __future__ import annotations

import orjson

from agents.heuristic import POSITIONS, WEIGHTS
from scripts.ablate_heuristic import AGENTS, GAMES, PAGE, RESULTS, VARIANTS, page


def test_the_tables_come_out_of_the_result_file():
    text = PAGE.read_text(encoding="utf-8")
    assert page(text, orjson.loads(RESULTS.read_bytes())) == text


def test_the_results_are_those_of_the_heuristic_as_it_is():
    results = orjson.loads(RESULTS.read_bytes())
    assert results["weights"] == WEIGHTS._asdict()
    assert results["positions"] == POSITIONS
    assert list(results["variants"]) == list(VARIANTS)
    assert {game: tuple(agents) for game, agents in results["games"].items()} == dict.fromkeys(GAMES, AGENTS)
