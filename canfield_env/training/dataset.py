"""Datasets to learn from: games with what a teacher would have played at every step, and what each move is worth.

A dataset is a folder:

* ``dataset.json``: its ``Plan``, from which the same dataset can be made again; and, once all is there, what came out;
* ``README.md``: the same for people;
* ``lines-00000.npz``, ...: the shards, a line for each step of each game, see ``Shard``;
* ``records-00000.jsonl``, ...: the same games as records that anyone can replay.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

import numpy as np
import orjson
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from canfield_env.configs import first_fault
from canfield_env.deals import DEAL_COUNT, FIRST_TRAINING_DEAL, Deal
from canfield_env.engine.layout import ACTIONS
from canfield_env.env import actions, observations
from canfield_env.env.vector import CanfieldVectorEnv
from canfield_env.errors import ConfigError, RecordError
from canfield_env.files import read_arrays, whole_file, write_whole
from canfield_env.records import read_records, verify
from canfield_env.rules import Rules
from canfield_env.training.repetition import Memory
from canfield_env.training.versions import check_versions

#: Version of the format.
FORMAT: Final = 1
PLAN_FILE: Final = "dataset.json"
#: Stands where the teacher says nothing that may be played.
NO_ACTION: Final = -1
TOKENS: Final = 62
MASK_BYTES: Final = -(-ACTIONS // 8)

#: Who chose a move, by ``Shard.players``.
PLAYERS: Final = ("teacher", "student", "chance")


class Plan(BaseModel):
    """What a dataset is made of.

    Attributes:
        teacher: the agent that is asked at every step, as ``canfield evaluate --agent`` has it.
        rules: the rule set, as its differences from the default one.
        draw: cards a turn of the stock brings.
        games: how many games.
        shard: games in a shard.
        seed: what deals, orders, and the moves of student and chance are drawn from.
        student: the model file that plays some of the moves, and the SHA-256 of its contents.
        mix: the share of the moves that the student plays.
        chance: the share of the moves that are random.
        orders: orders of the hidden cards by which moves are judged; 0 for no values.
        states: states that the solver searches for each order and move.
    """

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    format: int = FORMAT
    action_version: int = actions.VERSION
    observation_version: int = observations.VERSION
    teacher: str
    rules: dict[str, Any]
    draw: Literal[1, 3]
    games: int = Field(ge=1)
    shard: int = Field(default=200, ge=1)
    seed: int = Field(default=0, ge=0)
    student: tuple[str, str] | None = None
    mix: float = Field(default=0.0, ge=0, le=1)
    chance: float = Field(default=0.0, ge=0, le=1)
    orders: int = Field(default=8, ge=0, le=255)
    states: int = Field(default=250, ge=1)

    @model_validator(mode="after")
    def _shares_add_up(self) -> Plan:
        if self.mix + self.chance > 1:
            raise ConfigError(f"mix and chance are shares of the moves: {self.mix} and {self.chance} are more than all")
        return self

    @property
    def shards(self) -> int:
        """How many shards there are."""
        return -(-self.games // self.shard)

    def games_of(self, shard: int) -> range:
        """The numbers of the games in a shard."""
        return range(shard * self.shard, min((shard + 1) * self.shard, self.games))

    def deal(self, game: int) -> Deal:
        """The deal of a game: any that is not kept for evaluation."""
        return Deal.random(np.random.default_rng([self.seed, game]), self.draw)


@dataclass(frozen=True, slots=True)
class Shard:
    """E games with N steps and, at the steps with values, M moves that may be played.

    Attributes:
        deals: ``int64[E]``, deal numbers.
        ends: ``int64[E]``, the line after each game's last one. A game in which nothing can be played has no line.
        won: ``bool[E]``.
        cards_up: ``int64[E]``, at the end.
        tokens: ``uint8[N, 62]``, the observations.
        masks: ``uint8[N, 33]``, what may be played (``repetition.Memory``), as bits.
        taught: ``int64[N]``, the teacher's action, ``NO_ACTION`` where that may not be played.
        played: ``int64[N]``, the action played.
        players: ``uint8[N]``, who chose it, see ``PLAYERS``.
        rewards: ``float32[N]``, what it brought, of the environment's ``foundation`` reward.
        orders: ``uint8[N]``, by how many orders of the hidden cards the moves are judged; 0 where they are not.
        wins: ``uint8[M]``, the orders won after each move that may be played, by line and then by action.
        undecided: ``uint8[M]``, those of which the search came to no end.
    """

    deals: NDArray[np.int64]
    ends: NDArray[np.int64]
    won: NDArray[np.bool_]
    cards_up: NDArray[np.int64]
    tokens: NDArray[np.uint8]
    masks: NDArray[np.uint8]
    taught: NDArray[np.int64]
    played: NDArray[np.int64]
    players: NDArray[np.uint8]
    rewards: NDArray[np.float32]
    orders: NDArray[np.uint8]
    wins: NDArray[np.uint8]
    undecided: NDArray[np.uint8]

    @property
    def legal(self) -> NDArray[np.bool_]:
        """``bool[N, 261]``, what may be played."""
        return unpack_masks(self.masks)

    def save(self, path: Path) -> None:
        """Writes the shard, as a whole or not at all.

        Raises:
            OSError: it cannot be written.
        """
        with whole_file(path) as file:
            arrays: dict[str, Any] = {field.name: _narrowed(getattr(self, field.name)) for field in fields(self)}
            np.savez_compressed(file, **arrays)

    @classmethod
    def load(cls, path: Path) -> Shard:
        """Reads a shard.

        Raises:
            ConfigError: it cannot be read, or is damaged; the text says where.
        """
        arrays: dict[str, Any] = read_arrays(path, [field.name for field in fields(cls)], "shard of a dataset")
        wide = {name: array.astype(np.int64) if array.dtype.kind == "i" else array for name, array in arrays.items()}
        shard = cls(**wide)
        if fault := shard._fault():
            raise ConfigError(f"{path}: damaged: {fault}")
        return shard

    def _fault(self) -> str | None:
        """What does not fit together, or None."""
        games, lines = len(self.deals), len(self.tokens)
        for name, shape in (
            ("ends", (games,)),
            ("won", (games,)),
            ("cards_up", (games,)),
            ("tokens", (lines, TOKENS)),
            ("masks", (lines, MASK_BYTES)),
            *((name, (lines,)) for name in ("taught", "played", "players", "rewards", "orders")),
        ):
            if getattr(self, name).shape != shape:
                return f"{name} has the shape {getattr(self, name).shape}, not {shape}"
        if games == 0 or self.ends[-1] != lines or (np.diff(self.ends, prepend=0) < 0).any():
            return "the games' ends do not fit the lines"
        if self.deals.min() < FIRST_TRAINING_DEAL or self.deals.max() >= DEAL_COUNT:
            return "a deal is none to train on"
        judged = self.legal[self.orders > 0].sum()
        if len(self.wins) != judged or len(self.undecided) != judged:
            return f"there are {len(self.wins)} values for {judged} moves"
        return None

    def find_fault(self, plan: Plan) -> str | None:
        """Plays the games again, and tells of the first line that is not as the game has it; None if all are."""
        again = _replay(self, plan)
        taught = np.where(self.taught == NO_ACTION, self.played, self.taught)
        may_teach = (self.taught == NO_ACTION) | np.take_along_axis(self.legal, taught[:, None], 1)[:, 0]
        checks = (
            ("the observation is not the game's", (self.tokens == again.tokens).all(1)),
            ("the moves that may be played are not the game's", (self.masks == again.masks).all(1)),
            ("the teacher's move may not be played", may_teach),
            ("the move played is not legal", again.legal),
            ("the reward is not the game's", self.rewards == again.rewards),
            ("the game does not end as it is said to", self._told_end() == again.end),
        )
        right = np.array([each for _, each in checks])
        wrong = np.flatnonzero(~right.all(0))
        if len(wrong) == 0:
            return None
        line = int(wrong[0])
        game = int(np.searchsorted(self.ends, line, side="right"))
        what = checks[int(right[:, line].argmin())][0]
        return f"line {line} of game {Deal.from_number(int(self.deals[game]), plan.draw)}: {what}"

    def _told_end(self) -> NDArray[np.int64]:
        """For each line the cards up where it is a game's last one, plus 100 where that is won; else 0."""
        told = np.zeros(len(self.tokens), np.int64)
        played = np.diff(self.ends, prepend=0) > 0
        told[self.ends[played] - 1] = (self.cards_up + 100 * self.won)[played]
        return told


class _Replay(NamedTuple):
    """What the games themselves say of a shard's lines."""

    tokens: NDArray[np.uint8]
    masks: NDArray[np.uint8]
    legal: NDArray[np.bool_]
    rewards: NDArray[np.float32]
    end: NDArray[np.int64]


def _replay(shard: Shard, plan: Plan) -> _Replay:
    """Plays a shard's games again, all side by side."""
    count, lines = len(shard.deals), len(shard.tokens)
    env = CanfieldVectorEnv(count, Rules.from_dict(plan.rules), stock="auto", observation="tokens")
    seen, info = env.reset(options={"deal": [Deal.from_number(int(deal), plan.draw) for deal in shard.deals]})
    memory = Memory(count)
    again = _Replay(
        np.zeros((lines, TOKENS), np.uint8),
        np.zeros((lines, MASK_BYTES), np.uint8),
        np.zeros(lines, np.bool_),
        np.zeros(lines, np.float32),
        np.zeros(lines, np.int64),
    )
    starts = shard.ends - np.diff(shard.ends, prepend=0)
    for step in range(int((shard.ends - starts).max())):
        running = np.flatnonzero(starts + step < shard.ends)
        line = starts[running] + step
        tokens = seen[running].view(np.uint8)
        again.tokens[line] = tokens
        again.masks[line] = np.packbits(memory.narrow(tokens, info["action_mask"][running], running), axis=1)
        chosen = np.zeros(count, np.int64)  # those that have ended are dealt anew, which is of no account
        chosen[running] = shard.played[line]
        seen, rewards, terminated, truncated, info = env.step(chosen)
        again.legal[line] = ~info["illegal"][running]
        again.rewards[line] = rewards[running]
        again.end[line] = ((terminated | truncated) * (info["cards_up"] + 100 * info["won"]))[running]
    return again


class Dataset:
    """A finished dataset.

    Args:
        path: its folder.

    Attributes:
        path: its folder.
        plan: what it is made of.
        summary: what came out, see ``summarise``.

    Raises:
        ConfigError: there is none, it is not finished, it is damaged, or it is for another version of the actions, the
            observations or the format; the text names both versions.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self.plan, summary = read_plan(self.path)
        if summary is None:
            raise ConfigError(f"{path}: the dataset is not finished")
        self.summary = summary

    @property
    def digest(self) -> str:
        """The SHA-256 of all lines."""
        files = (lines_file(self.path, number) for number in range(self.plan.shards))
        return sha256(b"".join(sha256(file.read_bytes()).digest() for file in files)).hexdigest()

    def shards(self) -> Iterator[Shard]:
        """The shards, each checked by playing its games again.

        Raises:
            ConfigError: one cannot be read, is damaged, or is not of the plan's games.
            RecordError: a line is not as the game has it; the text names file and line.
        """
        for number in range(self.plan.shards):
            path = lines_file(self.path, number)
            shard = Shard.load(path)
            deals = [self.plan.deal(game).number for game in self.plan.games_of(number)]
            if shard.deals.tolist() != deals:
                raise ConfigError(f"{path}: the games are not those of {PLAN_FILE}")
            if fault := shard.find_fault(self.plan):
                raise RecordError(f"{path}: {fault}")
            yield shard

    def check(self) -> int:
        """Checks everything: the shards, and that the records replay and are of the same games.

        Returns:
            How many games there are.

        Raises:
            ConfigError: see ``shards``.
            RecordError, IllegalMoveError: a line or a record is bad; the text names file and line.
        """
        games = 0
        for number, shard in enumerate(self.shards()):
            path = records_file(self.path, number)
            records = list(read_records(path))
            if [record.deal.number for record in records] != shard.deals.tolist():
                raise RecordError(f"{path}: the games are not those of {lines_file(self.path, number).name}")
            for line, (record, won, up) in enumerate(zip(records, shard.won, shard.cards_up, strict=True), 1):
                try:
                    game = verify(record)
                    if (game.is_won, game.cards_up, game.rules) != (won, up, Rules.from_dict(self.plan.rules)):
                        raise RecordError("the game is another than that of the lines")
                except ValueError as error:
                    raise type(error)(f"{path}:{line}: {error}") from None
            games += len(records)
        return games


def unpack_masks(masks: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """``bool[N, 261]``, the masks that ``Shard.masks`` has as bits."""
    return np.unpackbits(masks, axis=1, count=ACTIONS).view(np.bool_)


def lines_file(path: Path, shard: int) -> Path:
    """The file of a shard's lines."""
    return path / f"lines-{shard:05}.npz"


def records_file(path: Path, shard: int) -> Path:
    """The file of a shard's records."""
    return path / f"records-{shard:05}.jsonl"


def read_plan(path: Path) -> tuple[Plan, dict[str, Any] | None]:
    """The plan of a dataset and, if it is finished, its summary.

    Raises:
        ConfigError: see ``Dataset``.
    """
    file = path / PLAN_FILE
    try:
        table = orjson.loads(file.read_bytes())
        plan, summary = dict(table["plan"]), table.get("summary")
        check_versions(f"{file}: the dataset is of", plan, "dataset format", FORMAT)
        return Plan.model_validate_json(orjson.dumps(plan)), summary
    except OSError as error:
        raise ConfigError(f"{path}: no dataset: {file.name} cannot be read: {error.strerror}") from None
    except (orjson.JSONDecodeError, KeyError, TypeError) as error:
        raise ConfigError(f"{file}: damaged: {error}") from None
    except ValidationError as error:
        raise ConfigError(f"{file}: {first_fault(error).text}") from None


def write_plan(path: Path, plan: Plan, summary: dict[str, Any] | None = None) -> None:
    """Writes ``dataset.json``.

    Raises:
        OSError: it cannot be written.
    """
    content = {"plan": plan.model_dump(), "summary": summary}
    write_whole(path / PLAN_FILE, orjson.dumps(content, option=orjson.OPT_INDENT_2))


def _narrowed(array: NDArray[Any]) -> NDArray[Any]:
    """The array in the smallest type that holds it, if it is of whole numbers."""
    if array.dtype != np.int64:
        return array
    return array.astype(np.result_type(np.min_scalar_type(array.min()), np.min_scalar_type(array.max()), np.int8))
