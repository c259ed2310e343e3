"""The page of the environment's speed is what its script makes of the measured results."""

from pathlib import Path

import numpy as np
import orjson
import pytest

from scripts import benchmark_env

RESULTS = Path(__file__).parents[2] / "docs" / "results"


def test_page_is_made_of_the_results():
    report = orjson.loads((RESULTS / "benchmark-env.json").read_bytes())
    assert (RESULTS / "benchmark-env.md").read_text() == benchmark_env.markdown(report)


def test_choice_is_legal_and_even():
    masks = np.zeros((3000, 261), np.int8)
    masks[:, [0, 17, 260]] = 1
    actions = np.zeros(len(masks), np.int64)
    benchmark_env.choose(masks, np.ones(1, np.uint64), actions)
    chosen, counts = np.unique(actions, return_counts=True)
    assert chosen.tolist() == [0, 17, 260]
    assert counts.min() > 850


def test_parts_of_a_profile_add_up_and_all_are_seen():
    case = benchmark_env.Profile("tokens", 256, 2)
    case.run(3)
    spent = case.result()["microseconds"]
    whole = spent.pop("whole")
    assert set(spent) == {"choice", *benchmark_env.PARTS, "rest"}
    assert all(value > 0 for value in spent.values())
    assert sum(spent.values()) == pytest.approx(whole, abs=0.5)


def test_every_target_is_one_of_the_comparisons():
    report = orjson.loads((RESULTS / "benchmark-env.json").read_bytes())
    assert set(benchmark_env.TARGETS) <= set(report["ratios"])
