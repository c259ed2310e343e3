"""Lessons: games in which a teacher is asked at every step, whoever plays. They are what datasets are made of."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from numpy.typing import NDArray

from agents.planner.values import MoveJudge
from canfield_env.env.single import CanfieldEnv
from canfield_env.errors import ConfigError
from canfield_env.evaluation.episode import episode_seed, make_env
from canfield_env.evaluation.protocol import Agent, Specialist
from canfield_env.evaluation.specs import load_agent
from canfield_env.records import Record, verify
from canfield_env.rules import Rules
from canfield_env.training.dataset import NO_ACTION, Plan, Shard
from canfield_env.training.model_file import fingerprint, load_model
from canfield_env.training.network import Network
from canfield_env.training.repetition import Memory
from canfield_env.view import PlayerView

#: Who chose a move, as places in ``dataset.PLAYERS``.
TEACHER, STUDENT, CHANCE = range(3)
_NOTHING: Final = np.zeros(0, np.uint8)


class School:
    """Plays the games of a plan, those of a shard side by side.

    Args:
        plan: what is played.

    Raises:
        ConfigError: no such teacher, it cannot teach this game, or the student is no model, another than the plan's,
            or was trained for another game.
    """

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._rules = Rules.from_dict(plan.rules)
        self._teacher = _load_teacher(plan, self._rules)
        self._network = None if plan.student is None else _load_student(plan, self._rules)
        self._judge = MoveJudge(plan.orders, plan.states) if plan.orders else None

    def play(self, shard: int) -> tuple[Shard, list[Record]]:
        """Plays the games of a shard. The same is played whatever has been played before."""
        lessons = [self._begin(game) for game in self._plan.games_of(shard)]
        while running := [lesson for lesson in lessons if lesson.record is None]:
            students = [lesson.look() for lesson in running]
            asked = [lesson for lesson, is_students in zip(running, students, strict=True) if is_students]
            if asked:
                for lesson, action in zip(asked, self._student_choices(asked), strict=True):
                    lesson.choose(action, STUDENT)
            for lesson in running:
                lesson.step()
        return _as_shard(lessons), [lesson.record for lesson in lessons if lesson.record is not None]

    def _begin(self, game: int) -> _Lesson:
        # Copies of the teacher share the memory that it works with; what an episode is about is set by ``reset``.
        return _Lesson(self._plan, game, copy(self._teacher), make_env(self._teacher, self._rules), self._judge)

    def _student_choices(self, lessons: list[_Lesson]) -> list[int]:
        assert self._network is not None
        tokens = np.stack([lesson.tokens for lesson in lessons])
        may = np.stack([lesson.may for lesson in lessons])
        with torch.inference_mode():
            scores, _ = self._network(torch.from_numpy(tokens), torch.from_numpy(may))
        choices: list[int] = scores.argmax(1).tolist()
        return choices


@dataclass(slots=True)
class _Line:
    """One step of a game, as ``Shard`` has it."""

    tokens: NDArray[np.uint8]
    may: NDArray[np.bool_]
    taught: int
    orders: int
    wins: NDArray[np.uint8]
    undecided: NDArray[np.uint8]
    played: int = NO_ACTION
    player: int = TEACHER
    reward: float = 0.0


class _Lesson:
    """One game. A step of it is ``look``, then ``choose`` where the student is to move, then ``step``."""

    def __init__(self, plan: Plan, game: int, teacher: Agent, env: CanfieldEnv, judge: MoveJudge | None) -> None:
        self.record: Record | None = None
        self.lines: list[_Line] = []
        self.deal = plan.deal(game)
        self._plan = plan
        self._teacher, self._env, self._judge = teacher, env, judge
        self._memory = Memory()
        self._random = np.random.default_rng([plan.seed, game, 1])
        self._observation, self._info = env.reset(options={"deal": self.deal})
        self._seed = episode_seed(plan.seed, env.player_view())
        self._lost_with: tuple[Any, ...] | None = None  # the hidden cards with which nothing could be won any more
        teacher.reset(self._seed)
        self._record()

    @property
    def tokens(self) -> NDArray[np.uint8]:
        return self._observation.view(np.uint8)

    def look(self) -> bool:
        """Asks the teacher, judges the moves, and chooses who plays; returns whether that is the student."""
        mask = self._info["action_mask"]
        self.may = self._memory.narrow(self.tokens[None], mask[None])[0]
        view = self._env.player_view()
        taught = self._teacher.act(self._observation, mask, view if self._teacher.wants_view else None)
        moves = np.flatnonzero(self.may)
        told = taught if self.may[taught] else NO_ACTION
        self.lines.append(_Line(self.tokens, self.may, told, *self._worth(view, moves), played=taught))
        self._taught = taught
        draw = self._random.random()
        if draw < self._plan.chance:
            self.choose(int(self._random.choice(moves)), CHANCE)
        return self._plan.chance <= draw < self._plan.chance + self._plan.mix

    def _worth(self, view: PlayerView, moves: NDArray[np.int64]) -> tuple[int, NDArray[np.uint8], NDArray[np.uint8]]:
        """By how many orders the moves are judged, which of them each wins, and which stay undecided."""
        if self._judge is None or len(moves) == 1 or view.unseen == self._lost_with:
            return 0, _NOTHING, _NOTHING
        wins, undecided, orders = self._judge.judge(view, moves, self._seed)
        if not (wins.any() or undecided.any()):
            self._lost_with = view.unseen
        return orders, wins, undecided

    def choose(self, action: int, player: int) -> None:
        """Puts another player's move in the place of the teacher's."""
        self.lines[-1].played, self.lines[-1].player = action, player

    def step(self) -> None:
        """Plays the move chosen. A teacher whose advice was not taken starts anew."""
        line = self.lines[-1]
        self._observation, line.reward, _, _, self._info = self._env.step(line.played)
        if line.played != self._taught:
            self._teacher.reset(self._seed)
        self._record()

    def _record(self) -> None:
        """Makes the record once the game is over, as it is from the start where nothing can be played."""
        if "outcome" in self._info:
            self.record = Record.of_game(self._env.game, self._info["outcome"], self._teacher.name)
            verify(self.record)
            self.end = self._info["won"], self._info["cards_up"]


def _as_shard(lessons: Sequence[_Lesson]) -> Shard:
    """The lines of finished games as arrays."""
    lines = [line for lesson in lessons for line in lesson.lines]
    records = [lesson.record for lesson in lessons if lesson.record is not None]
    return Shard(
        deals=np.array([record.deal.number for record in records], np.int64),
        ends=np.cumsum([len(lesson.lines) for lesson in lessons]),
        won=np.array([record.outcome == "won" for record in records]),
        cards_up=np.array([record.cards_up for record in records], np.int64),
        tokens=np.array([line.tokens for line in lines]),
        masks=np.packbits([line.may for line in lines], axis=1),
        taught=np.array([line.taught for line in lines], np.int64),
        played=np.array([line.played for line in lines], np.int64),
        players=np.array([line.player for line in lines], np.uint8),
        rewards=np.array([line.reward for line in lines], np.float32),
        orders=np.array([line.orders for line in lines], np.uint8),
        wins=np.concatenate([line.wins for line in lines]),
        undecided=np.concatenate([line.undecided for line in lines]),
    )


def _load_teacher(plan: Plan, rules: Rules) -> Agent:
    teacher = load_agent(plan.teacher)
    if teacher.stock != "auto" or teacher.observation != "tokens":
        raise ConfigError(f"agent {plan.teacher!r} cannot teach: it plays without stock='auto' or observation='tokens'")
    try:
        make_env(teacher, rules)
        if isinstance(teacher, Specialist):
            teacher.check_game(rules, plan.draw)
    except ConfigError as error:
        raise ConfigError(f"agent {plan.teacher!r} cannot teach this game: {error}") from error
    return teacher


def identify_student(path: str | Path) -> tuple[str, str]:
    """What a plan says of the student: the path, and the SHA-256 of the file.

    Raises:
        ConfigError: the file cannot be read.
    """
    return str(path), fingerprint(path)


def _load_student(plan: Plan, rules: Rules) -> Network:
    assert plan.student is not None
    path, digest = plan.student
    if identify_student(path)[1] != digest:
        raise ConfigError(f"{path}: the student is another model than the one that the dataset was begun with")
    header, network = load_model(path)
    try:
        header.check_game(rules, plan.draw)
    except ConfigError as error:
        raise ConfigError(f"student {path}: {error}") from error
    return network
