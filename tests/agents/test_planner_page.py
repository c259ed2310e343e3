"""The page about the planner says what its result files say, of the planner as it is; and how these are made."""

from __future__ import annotations

import numpy as np
import orjson
import pytest
from typer.testing import CliRunner

from agents.planner.options import PRESETS
from canfield_env.solver.search import UNWINNABLE, WINNABLE
from scripts import planner_regret, tune_planner

SETTINGS = "orders=2,states=20,last=100,plans=2,explore=20"


def test_the_tables_come_out_of_the_result_files():
    text = tune_planner.PAGE.read_text(encoding="utf-8")
    assert tune_planner.page(text, tune_planner.read(tune_planner.RESULTS)) == text
    assert planner_regret.page(text, orjson.loads(planner_regret.RESULTS.read_bytes())) == text


def test_the_settings_that_were_compared_are_among_others_those_of_the_agents():
    rows = orjson.loads(planner_regret.RESULTS.read_bytes())["settings"]
    names = ("orders", "states", "plans", "rounds", "undecided")
    compared = {tuple(row[name] for name in names) for row in rows}
    assert compared >= {tuple(getattr(options, name) for name in names) for options in PRESETS.values()}


def test_measuring_goes_on_from_the_games_played(tmp_path):
    path = tmp_path / "results.json"
    for games in (1, 3):
        arguments = ["play", SETTINGS, "--first", "7", "--games", str(games), "--results", str(path)]
        assert CliRunner().invoke(tune_planner.app, arguments).exit_code == 0
        (entry,) = tune_planner.read(path)
        assert len(entry["won"]) == len(entry["cards_up"]) == games
    whole = tmp_path / "whole.json"
    CliRunner().invoke(tune_planner.app, ["play", SETTINGS, "--first", "7", "--games", "3", "--results", str(whole)])
    assert tune_planner.read(whole)[0]["cards_up"] == entry["cards_up"]


def test_measurements_on_the_same_deals_are_compared():
    same = {"rules": "app", "draw": 3, "first": 0, "told": False, "cards_up": [9, 52], "seconds": 1.0}
    entries = [
        {**same, "argument": "", "won": "11"},
        {**same, "argument": "fast", "won": "10"},
        {**same, "argument": "", "first": 5, "won": "11"},
    ]
    text = tune_planner.page("<!-- begin games -->\n<!-- end games -->", entries)
    rows = [line.split(" | ") for line in text.splitlines()[3:-1]]
    assert [row[-1] for row in rows] == [" |", "0, 1, 1 |", " |"]


@pytest.mark.parametrize(("states", "regret"), [(100, 0.0), (5, 1.0)])
def test_regret_is_what_is_not_found_within_the_limits(states, regret):
    """Of two plans the longer one wins every order, but only a search of ten states finds that."""
    decision = planner_regret.Judged(
        results=np.repeat([[UNWINNABLE], [WINNABLE]], 60, axis=1),
        states=np.full((2, 60), 10),
        lengths=np.array([2, 3]),
        sources=np.array([0, planner_regret.EXPLORED]),
        ahead=(1.0, 1.0, 1.0),
    )
    setting = planner_regret.Setting(orders=12, states=states, plans=1, rounds=1)
    assert planner_regret.find_regret(setting, decision, np.random.default_rng(0))[0] == regret
