"""Long questions, answered in a process of their own so that the screen never waits.

``Helper`` starts ``python -m canfield_env.play.helper`` when it is first asked, and ends it when a question is dropped.
Questions and answers are JSON objects, one a line.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
from collections.abc import Callable
from typing import Any, BinaryIO, Final

import orjson

from canfield_env.game import Game
from canfield_env.notation import Move, Position
from canfield_env.rules import Rules
from canfield_env.view import PlayerView

#: How long the solver looks, in seconds.
SOLVE_SECONDS: Final = 20
# The longest line that is read, in bytes; a solution has a few hundred moves.
_LINE_LIMIT: Final = 1 << 20

Answer = dict[str, Any]


class HelperError(Exception):
    """The question could not be answered; the text says why."""


class Helper:
    """A process that answers questions, one at a time."""

    def __init__(self) -> None:
        self._process: asyncio.subprocess.Process | None = None

    async def hint(self, view: PlayerView) -> tuple[Move, str]:
        """A good move for a player who knows that much, and the name of the agent that gave it.

        Raises:
            HelperError: there is no agent, or it failed.
        """
        answer = await self._ask({"ask": "hint", **_table_fields(view.position, view), "score": view.score})
        return Move.parse(answer["move"]), answer["agent"]

    async def solve(self, game: Game) -> str:
        """Whether the game can still be won from where it stands, hidden cards looked at: the solver's verdict.

        Raises:
            HelperError: there is no solver, or it failed.
        """
        view = game.player_view()
        answer = await self._ask({"ask": "solve", **_table_fields(game.full_position(), view)})
        return str(answer["verdict"])

    async def _ask(self, question: dict[str, Any]) -> Answer:
        process = await self._started()
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(orjson.dumps(question) + b"\n")
            await process.stdin.drain()
            line = await process.stdout.readline()
        except asyncio.CancelledError:
            await self.close()  # its answer would be taken for that of the next question
            raise
        except OSError as error:
            await self.close()
            raise HelperError(f"the helper process has ended: {error}") from error
        if not line:
            await self.close()
            raise HelperError("the helper process has ended")
        answer = orjson.loads(line)
        if "error" in answer:
            raise HelperError(answer["error"])
        return dict(answer)

    async def _started(self) -> asyncio.subprocess.Process:
        if self._process is None or self._process.returncode is not None:
            self._process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-m",
                __name__,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.DEVNULL,
                limit=_LINE_LIMIT,
            )
        return self._process

    async def close(self) -> None:
        """Ends the process, whatever it is doing."""
        process, self._process = self._process, None
        if process is None:
            return
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.communicate()  # closes its pipes too


def _table_fields(position: Position, view: PlayerView) -> dict[str, Any]:
    return {"position": str(position), "rules": view.rules.to_dict(), "draw": view.draw}


# ------------------------------------------------------------------ in the process itself


def answer_hint(question: dict[str, Any]) -> Answer:
    """Answers ``{"ask": "hint"}``."""
    from canfield_env.play.advisor import find_advisor

    name, advisor = find_advisor()
    rules = Rules.from_dict(question["rules"])
    view = PlayerView(Position.parse(question["position"]), rules, question["draw"], question["score"])
    return {"move": str(advisor(view)), "agent": name}


def answer_solve(question: dict[str, Any]) -> Answer:
    """Answers ``{"ask": "solve"}``."""
    from canfield_env.solver import solve

    rules = Rules.from_dict(question["rules"])
    game = Game.from_position(question["position"], rules, question["draw"])
    return {"verdict": solve(game, max_seconds=SOLVE_SECONDS).verdict}


_ANSWERS: Final[dict[str, Callable[[dict[str, Any]], Answer]]] = {"hint": answer_hint, "solve": answer_solve}


def serve(questions: BinaryIO, answers: BinaryIO) -> None:
    """Answers questions until there are no more; one that fails is answered with the reason."""
    for line in questions:
        question = orjson.loads(line)
        try:
            answer = _ANSWERS[question["ask"]](question)
        except Exception as error:  # an agent may fail in any way, and the player is to be told
            answer = {"error": f"{error}" or type(error).__name__}
        answers.write(orjson.dumps(answer) + b"\n")
        answers.flush()


def main() -> None:
    """Answers on standard output, and keeps away from it whatever else prints."""
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    with contextlib.suppress(BrokenPipeError, KeyboardInterrupt):
        serve(sys.stdin.buffer, answers)


if __name__ == "__main__":
    main()
