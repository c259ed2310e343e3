"""Long questions, answered in a process of their own."""

from __future__ import annotations

import asyncio
import io
from typing import Any

import numpy as np
import orjson
import pytest
from numpy.typing import NDArray

from canfield_env import Card, Deal, Game, Move, PlayerView
from canfield_env.env.actions import encode
from canfield_env.evaluation import specs
from canfield_env.play import advisor, helper
from canfield_env.play.helper import Helper, HelperError

DEAL = Deal.from_code("CF1-D3-AAAAACL")


class FirstLegal:
    """An agent that plays the legal action with the smallest number but 0, and keeps what it has been shown."""

    name = "first"
    observation = "tokens"
    wants_view = True

    def __init__(self, stock: str = "turn") -> None:
        self.stock: Any = stock
        self.shown: list[tuple[NDArray[Any], NDArray[np.int8], PlayerView | None]] = []

    def reset(self, seed: int) -> None:
        pass

    def act(self, observation: NDArray[Any], mask: NDArray[np.int8], view: PlayerView | None) -> int:
        self.shown.append((observation, mask, view))
        legal = np.flatnonzero(mask)
        return int(legal[legal > 0][0]) if (legal > 0).any() else 0


def test_an_agent_gives_a_legal_move_and_is_shown_no_hidden_card():
    game = Game(DEAL)
    agent = FirstLegal()
    advise = advisor.advisor_of(agent)  # type: ignore[arg-type]
    for number in range(40):
        view = game.player_view()
        assert game.can(advise(view))
        advise(Game.from_view(view, rng=number).player_view())
        (one, mask, shown), (other, other_mask, _) = agent.shown[-2:]
        assert (one == other).all()
        assert (mask == other_mask).all()
        assert shown == view
        game.push(game.legal_moves()[number % len(game.legal_moves())])


def test_an_agent_that_has_the_stock_turned_for_it_says_to_turn():
    agent = FirstLegal("auto")
    advise = advisor.advisor_of(agent)  # type: ignore[arg-type]
    game = Game(DEAL)
    assert advise(game.player_view()) == Move("D"), "it wants to see the stock first"
    assert agent.shown == []
    while not game.redeals:
        game.push("D")
    for _ in range(60):
        view = game.player_view()
        move = advise(view)
        assert game.can(move)
        action = int(np.flatnonzero(agent.shown[-1][1])[0])
        if move.source != "D":
            assert encode(view.position, move) == action
        game.push(move)


def test_the_best_agent_there_is_gives_the_hint(monkeypatch: pytest.MonkeyPatch):
    makers: dict[str, Any] = {"heuristic": lambda _: FirstLegal()}
    monkeypatch.setattr(specs, "named_agents", lambda: makers)
    assert advisor.find_advisor()[0] == "heuristic"
    makers["planner"] = lambda _: FirstLegal()
    assert advisor.find_advisor()[0] == "planner"
    makers.clear()
    with pytest.raises(LookupError, match="come with the project's checkout"):
        advisor.find_advisor()


def answer(*questions: dict[str, Any]) -> list[dict[str, Any]]:
    answers = io.BytesIO()
    helper.serve(io.BytesIO(b"".join(orjson.dumps(question) + b"\n" for question in questions)), answers)
    return [orjson.loads(line) for line in answers.getvalue().splitlines()]


def test_a_question_that_fails_is_answered_with_the_reason_and_the_next_one_answered(monkeypatch: pytest.MonkeyPatch):
    view = Game(DEAL).player_view()
    hint = {"ask": "hint", "position": str(view), "rules": {}, "draw": 3, "score": 0}

    def fail() -> tuple[str, advisor.Advisor]:
        raise LookupError("there is nobody")

    monkeypatch.setattr(advisor, "find_advisor", fail)
    assert answer(hint, hint) == [{"error": "there is nobody"}] * 2
    monkeypatch.setattr(advisor, "find_advisor", lambda: ("test", lambda view: Move("R", "2")))
    assert answer(hint) == [{"move": "R2", "agent": "test"}]


def test_the_process_answers_and_can_be_stopped_at_any_time():
    async def ask() -> None:
        process = Helper()
        game = Game(DEAL).push_all("R2 RF 24")
        move, agent = await process.hint(game.player_view())
        assert game.can(move)
        assert agent in advisor.PREFERRED
        question = asyncio.create_task(process.hint(game.player_view()))
        await asyncio.sleep(0)
        question.cancel()
        with pytest.raises(asyncio.CancelledError):
            await question
        again, _ = await process.hint(game.player_view())
        assert again == move, "a dropped question is not answered later"
        await process.close()
        await process.close()

    asyncio.run(ask())


def test_a_process_that_ends_is_told():
    async def ask() -> None:
        process = Helper()
        started = await process._started()
        started.kill()
        with pytest.raises(HelperError, match="has ended"):
            await process.hint(Game(DEAL).player_view())
        await process.close()

    asyncio.run(ask())


def test_the_solver_answers_from_where_the_game_stands():
    async def ask() -> str:
        process = Helper()
        # All that is left is to play four kings.
        position = "A:QQQQ - - KsKh Kc/Kd/-/- 1 80"
        try:
            return await process.solve(Game.from_position(position, draw=1))
        finally:
            await process.close()

    assert Card("Kc") in Game.from_position("A:QQQQ - - KsKh Kc/Kd/-/- 1 80").columns[0]
    assert asyncio.run(ask()) == "winnable"
