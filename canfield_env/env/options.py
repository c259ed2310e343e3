"""The options of the environment and of its reset, read and checked in one place for its single and vector forms."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal, get_args

import numpy as np

from canfield_env.deals import Deal, check_draw
from canfield_env.engine import layout as at
from canfield_env.env.observations import MOST_TOKEN_PLACES, Form
from canfield_env.errors import ConfigError
from canfield_env.game import Game
from canfield_env.rules import Rules

Stock = Literal["turn", "auto"]
Reward = Literal["foundation", "score", "win", "casino"]
Illegal = Literal["noop", "raise"]

#: Steps without progress after which an episode is cut off, unless ``max_idle`` says otherwise.
DEFAULT_MAX_IDLE: Final = {"turn": 200, "auto": 40}

#: The longest limit that the kernels count to.
_MOST: Final = int(np.iinfo(np.int64).max)

_REWARDS: Final = {
    "foundation": at.REWARD_FOUNDATION,
    "score": at.REWARD_SCORE,
    "win": at.REWARD_WIN,
    "casino": at.REWARD_CASINO,
}


@dataclass(frozen=True, slots=True)
class EnvOptions:
    """What ``CanfieldEnv`` and its vector form are made with; see there.

    Raises:
        ConfigError: an option that is none of those allowed.
        DealError: a draw count other than 1 or 3.
    """

    rules: Rules
    draw: int = 3
    stock: Stock = "turn"
    observation: Form = "planes"
    reward: Reward = "foundation"
    illegal: Illegal = "noop"
    illegal_reward: float = -1.0
    max_steps: int | None = 2000
    max_idle: int | Literal["default"] | None = "default"

    @classmethod
    def of(cls, rules: Rules | str | Path, **options: Any) -> EnvOptions:
        """The options, with the rule set by name, from a TOML file, or itself."""
        return cls(Rules.of(rules), **options)

    def __post_init__(self) -> None:
        check_draw(self.draw)
        for name, allowed in (("stock", Stock), ("observation", Form), ("reward", Reward), ("illegal", Illegal)):
            if getattr(self, name) not in get_args(allowed):
                choices = " or ".join(map(repr, get_args(allowed)))
                raise ConfigError(f"{name} must be {choices}, not {getattr(self, name)!r}")
        if self.stock == "auto" and self.rules.redeals is not None:
            raise ConfigError("stock='auto' is for rule sets with unlimited redeals")
        if self.rules.columns > at.MAX_COLUMNS:
            raise ConfigError(f"the action space has {at.MAX_COLUMNS} columns, the rules have {self.rules.columns}")
        if self.observation == "tokens" and self.rules.stock > MOST_TOKEN_PLACES:
            raise ConfigError(
                f"observation='tokens' tells {MOST_TOKEN_PLACES} stock cards apart, the rules have {self.rules.stock}"
            )
        reward: object = self.illegal_reward
        if isinstance(reward, bool) or not isinstance(reward, int | float) or not math.isfinite(reward):
            raise ConfigError(f"illegal_reward must be a number, and finite, not {reward!r}")
        if self.max_idle == "default":
            object.__setattr__(self, "max_idle", DEFAULT_MAX_IDLE[self.stock])
        for name in ("max_steps", "max_idle"):
            limit = getattr(self, name)
            if limit is not None and (isinstance(limit, bool) or not isinstance(limit, int) or not 1 <= limit <= _MOST):
                raise ConfigError(f"{name} must be a whole number from 1 to {_MOST}, or None, not {limit!r}")

    def settings(self) -> at.Settings:
        """The options as the kernels take them."""
        return at.new_settings(
            self.rules,
            draw=self.draw,
            auto_stock=self.stock == "auto",
            planes=self.observation == "planes",
            reward=_REWARDS[self.reward],
            illegal_reward=self.illegal_reward,
            max_steps=-1 if self.max_steps is None else self.max_steps,
            max_idle=-1 if self.max_idle is None else self.max_idle,
        )

    def read_start(self, options: Mapping[str, Any] | None) -> Game | None:
        """The game that the options of ``reset`` ask for, or None where they ask for the next random deal.

        Raises:
            ConfigError: unknown or contradicting options.
            DealError, NotationError: the deal, deck or position is bad.
        """
        check_mapping(options)
        if not options:
            return None
        for key in options:
            if key not in ("deal", "deck", "position", "draw"):
                raise ConfigError(f"reset: unknown option {key!r}; there are deal, deck, position and draw")
        given = [key for key in ("deal", "deck", "position") if options.get(key) is not None]
        if len(given) != 1:
            raise ConfigError("reset: give exactly one of the options deal, deck and position")
        draw = options.get("draw", self.draw)
        check_draw(draw)
        if given == ["position"]:
            return Game.from_position(options["position"], self.rules, draw)
        if given == ["deck"]:
            return Game(Deal.from_deck(options["deck"], draw, self.rules.ranks), self.rules)
        deal = options["deal"] if isinstance(options["deal"], Deal) else Deal.from_code(options["deal"])
        if options.get("draw") not in (None, deal.draw):
            raise ConfigError(f"reset: the deal {deal} is for draw {deal.draw}, not {draw}")
        return Game(deal, self.rules)

    def read_starts(self, options: Mapping[str, Any] | None, rows: Iterable[int], count: int) -> dict[int, Game]:
        """The games that the options of a batch's ``reset`` ask for, by index; the others are dealt at random.

        A value is for all games alike, or a list with one for each of them, where None stands for none.

        Args:
            options: those of ``read_start``.
            rows: the games that are reset.
            count: number of games in the batch.

        Raises:
            ConfigError: unknown or contradicting options, or a list of another length.
            DealError, NotationError: a deal, deck or position is bad; the text says in which game.
        """
        options = options or {}
        per_game = {key for key, value in options.items() if isinstance(value, list | tuple | np.ndarray)}
        for key in per_game:
            if len(options[key]) != count:
                raise ConfigError(f"reset: {len(options[key])} values of {key!r} for {count} games")
        starts = {}
        for row in rows:
            own = {key: value[row] if key in per_game else value for key, value in options.items()}
            try:
                start = self.read_start({key: value for key, value in own.items() if value is not None})
            except ValueError as error:
                raise type(error)(f"game {row}: {error}") from None
            if start is not None:
                starts[row] = start
        return starts


def check_mapping(options: object) -> None:
    """Raises ConfigError unless the options of ``reset`` are a dictionary or None."""
    if options is not None and not isinstance(options, Mapping):
        raise ConfigError(f"reset: options must be a dictionary, not {options!r}")
