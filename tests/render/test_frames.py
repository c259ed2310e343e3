"""Episodes as frames."""

from __future__ import annotations

from dataclasses import replace

import pytest

from canfield_env import Deal, DealError
from canfield_env.render.frames import film
from tests.render.episodes import a_faulty_episode, an_episode


def test_there_is_a_frame_for_the_deal_and_for_each_move():
    record = an_episode()
    shown = film(record)
    assert shown.fault is None
    assert [frame.token for frame in shown.frames] == ["", *map(str, record.moves)]
    assert shown.frames[3].annotation == "Kh+1:2>4 (Qs:R>2)"
    assert [frame.value for frame in shown.frames[1:]] == record.extra["values"]
    assert shown.frames[-1].view.score == record.score
    assert shown.frames[3].everything.position == shown.frames[3].full
    assert None in shown.frames[3].view.position.reserve


def test_the_cards_that_moved_are_named():
    shown = film(an_episode())
    moved = {frame.token: set(map(str, frame.moved)) for frame in shown.frames[:5]}
    assert moved == {"": set(), "R2": {"Qc"}, "RF": {"8h"}, "24": {"Kh", "Qc", "Qs"}, "D": {"8d", "7c", "2d"}}
    back = [frame for frame in shown.frames if frame.token == "D" and not frame.full.waste]
    assert back
    assert all(not frame.moved for frame in back)


def test_a_record_that_does_not_replay_is_shown_up_to_the_bad_move():
    shown = film(a_faulty_episode())
    assert [frame.token for frame in shown.frames] == ["", "R2", "RF", "24"]
    assert shown.fault is not None
    assert shown.fault.startswith("move 4, 12:")


def test_a_result_that_the_moves_do_not_bear_out_is_a_fault():
    shown = film(replace(an_episode(), score=7))
    assert len(shown.frames) == 81
    assert shown.fault is not None
    assert "score" in shown.fault


def test_a_deck_of_another_size_shows_nothing():
    with pytest.raises(DealError):
        film(replace(an_episode(), deal=Deal.random(1, ranks=5)))


@pytest.mark.parametrize("values", [None, "high", [], [0.5], ["x"] * 80, [True] * 80])
def test_values_that_do_not_fit_are_passed_over(values: object):
    shown = film(replace(an_episode(), extra={"values": values}))
    assert {frame.value for frame in shown.frames} == {None}
