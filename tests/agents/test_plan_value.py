"""How the network of ``planner:learned`` is trained: games that can be stopped and gone on with, and the fits."""

from __future__ import annotations

import numpy as np
import pytest
from typer.testing import CliRunner

from agents.planner import experience
from agents.planner.experience import Ends, Explorer, gather, load_ends, missing_parts, part_file
from agents.planner.options import Options
from canfield_env import ConfigError
from canfield_env.training.model_file import load_model
from scripts import train_plan_value


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """Parts of two games, by a planner that hardly thinks."""
    monkeypatch.setattr(experience, "PART", 2)
    monkeypatch.setattr(experience, "PLAYER", Options(orders=4, states=50, last=500, plans=4, explore=100, rounds=1))
    monkeypatch.setattr(experience, "JUDGE", Options(orders=8, states=20))


def are_equal(one: Ends, other: Ends) -> bool:
    return all(np.array_equal(getattr(one, name), getattr(other, name)) for name in Ends._fields)


def test_play_goes_on_where_it_was_stopped_with_the_same_result(tmp_path):
    list(gather(tmp_path / "whole", range(3)))
    stopped = gather(tmp_path / "stopped", missing_parts(tmp_path / "stopped", 3))
    next(stopped)
    stopped.close()
    assert missing_parts(tmp_path / "stopped", 3) == [1, 2]
    assert list(gather(tmp_path / "stopped", [1, 2])) == [1, 2]
    assert missing_parts(tmp_path / "stopped", 3) == []
    assert are_equal(load_ends(tmp_path / "whole")[0], load_ends(tmp_path / "stopped")[0])


def test_the_command_plays_only_what_is_missing(tmp_path):
    for parts in ("1", "2"):
        done = CliRunner().invoke(train_plan_value.app, ["play", "--parts", parts, "--folder", str(tmp_path)])
        assert done.exit_code == 0
        times = [part_file(tmp_path, part).stat().st_mtime_ns for part in range(int(parts))]
        assert times == sorted(times)
    ends, games = load_ends(tmp_path)
    assert games == 4
    assert np.unique(ends.games).tolist() == [0, 1, 2, 3]


def test_an_end_is_noted_for_each_decision_and_from_the_exploring_one_on():
    explorer, noted = Explorer(), 0
    for game in range(6):
        ends = explorer.play(game)
        cards = ends.tokens[:, 52].tolist()
        assert cards == sorted(set(cards), reverse=True)
        assert max(cards, default=0) <= (explorer.explored or 12)
        noted += len(cards)
        assert len({*ends.won.tolist()}) <= 1
        assert np.abs(ends.shares).max(initial=0) <= np.log(17)  # eight orders, and half an order more
    assert noted > 12


def test_what_a_plan_is_to_be_worth_comes_from_the_next_end_and_from_the_outcome():
    won = np.array([1, 1, 1, 0, 0], np.float32)
    ends = Ends(np.zeros((5, 62), np.uint8), np.array([0, 0, 0, 1, 1]), np.zeros(5, np.float32), won)
    chances = np.array([0.1, 0.5, 0.8, 0.3, 0.4], np.float32)
    assert train_plan_value.lambda_returns(ends, chances, 1.0) == pytest.approx([1, 1, 1, 0, 0])
    assert train_plan_value.lambda_returns(ends, chances, 0.0) == pytest.approx([0.5, 0.8, 1, 0.4, 0])
    assert train_plan_value.lambda_returns(ends, chances, 0.5) == pytest.approx([0.7, 0.9, 1, 0.2, 0])


def test_a_fit_foretells_what_only_the_network_can_see(tmp_path, monkeypatch):
    """Games that are won where the first suit is up, whatever the share of orders."""
    monkeypatch.setattr(train_plan_value, "ROUNDS", ((1.0, 8), (0.5, 4)))
    monkeypatch.setattr(train_plan_value, "BATCH", 32)
    rng = np.random.default_rng(0)
    won = rng.integers(0, 2, 1400)
    tokens = np.zeros((1400, 62), np.uint8)
    tokens[:, :13] = won[:, None]
    tokens[:, 52] = rng.integers(2, 13, 1400)
    ends = Ends(tokens, np.arange(1400), rng.normal(size=1400).astype(np.float32), won.astype(np.float32))
    np.savez(part_file(tmp_path, 0), **ends._asdict())
    assert CliRunner().invoke(train_plan_value.app, ["fit", "--folder", str(tmp_path)]).exit_code == 0
    header, _ = load_model(tmp_path / "best.zip", "judging plans")
    shares, by_cards, first, second = header.origin["held out"].values()
    assert shares == pytest.approx(np.log(2), abs=0.02)
    assert by_cards > 0.6
    assert first < 0.3
    assert second < 0.3
    assert header.origin["ends"] == 1400


def test_a_damaged_part_is_told(tmp_path):
    list(gather(tmp_path, range(1)))
    path = part_file(tmp_path, 0)
    for content in (b"", path.read_bytes()[:-40]):
        path.write_bytes(content)
        with pytest.raises(ConfigError, match=r"ends-0000\.npz: no part of the games, or a damaged one"):
            load_ends(tmp_path)


def test_without_games_there_is_nothing_to_fit(tmp_path):
    done = CliRunner().invoke(train_plan_value.app, ["fit", "--folder", str(tmp_path)])
    assert isinstance(done.exception, FileNotFoundError)
