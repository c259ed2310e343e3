"""Rule sets: everything in which one game of Canfield may differ from another, as one frozen value."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from functools import cache
from pathlib import Path
from typing import Any, Literal

from canfield_env.configs import config_names, configs_dir, find_config, read_toml
from canfield_env.errors import ConfigError


@dataclass(frozen=True, slots=True)
class Rules:
    """A rule set. The defaults are those of the ``app`` rules.

    How many cards a turn of the stock brings is the deal's, not the rule set's.

    Attributes:
        runs: ``"any"``: any packed run of a column moves as one; ``"whole"``: only the whole column (C3).
        spaces: what an open empty column takes: ``"any"`` card or run, or only the top of the ``"waste"`` (D4).
        take_back: whether the top card of a foundation may be taken back to a column (F1).
        build_on_base: whether cards of the last rank may be built on base-rank cards in the columns (C2).
        redeals: how often the waste may be turned back; None is without limit (E3).
        ranks: cards per suit, 2 to 13, counted from the ace.
        columns: number of columns, 1 to 9.
        reserve: cards dealt to the reserve.

    Raises:
        ConfigError: a value that is none of these, or sizes that leave too few cards to deal.
    """

    runs: Literal["any", "whole"] = "any"
    spaces: Literal["any", "waste"] = "any"
    take_back: bool = True
    build_on_base: bool = True
    redeals: int | None = None
    ranks: int = 13
    columns: int = 4
    reserve: int = 13

    def __post_init__(self) -> None:
        _one_of("runs", self.runs, ("any", "whole"))
        _one_of("spaces", self.spaces, ("any", "waste"))
        for name in ("take_back", "build_on_base"):
            if not isinstance(getattr(self, name), bool):
                raise ConfigError(f"rules: {name} must be true or false, not {getattr(self, name)!r}")
        if self.redeals is not None:
            _whole_number("redeals", self.redeals, 0, 1_000_000)
        _whole_number("ranks", self.ranks, 2, 13)
        _whole_number("columns", self.columns, 1, 9)
        _whole_number("reserve", self.reserve, 0, 51)
        if self.stock < 0:
            raise ConfigError(
                f"rules: a reserve of {self.reserve}, a base card and {self.columns} columns "
                f"need more than the {self.cards} cards of {self.ranks} ranks"
            )

    @property
    def cards(self) -> int:
        """Number of cards in the deck."""
        return 4 * self.ranks

    @property
    def stock(self) -> int:
        """Number of cards that remain for the stock after dealing."""
        return self.cards - self.reserve - 1 - self.columns

    @property
    def name(self) -> str | None:
        """The name under which this rule set is shipped, or None."""
        return next((name for name in config_names("rules") if Rules.named(name) == self), None)

    @classmethod
    def named(cls, name: str) -> Rules:
        """A rule set that comes with the project: ``app`` or ``hoyle``.

        Raises:
            ConfigError: there is none of that name.
        """
        if name not in config_names("rules"):
            raise ConfigError(f"no rule set is called {name!r}: there are {', '.join(config_names('rules'))}")
        return _named(name)

    @classmethod
    def from_toml(cls, path: str | Path) -> Rules:
        """Reads a rule set from a TOML file whose keys are the attributes above; those left out keep their defaults.

        Raises:
            ConfigError: the file cannot be read, or has an unknown key or a bad value.
        """
        try:
            return cls.from_dict(read_toml(path))
        except ConfigError as error:
            raise error if str(error).startswith(str(path)) else ConfigError(f"{path}: {error}") from error

    @classmethod
    def from_dict(cls, table: dict[str, Any]) -> Rules:
        """A rule set from a table of its attributes.

        Raises:
            ConfigError: an unknown key or a bad value.
        """
        known = [field.name for field in fields(cls)]
        for key in table:
            if key not in known:
                raise ConfigError(f"rules: unknown key {key!r}; there are {', '.join(known)}")
        return cls(**table)

    @classmethod
    def of(cls, rules: Rules | str | Path) -> Rules:
        """The rule set itself, by its name, or from a TOML file.

        Raises:
            ConfigError: no such rule set or file.
        """
        if isinstance(rules, Rules):
            return rules
        if isinstance(rules, str) and not (rules.endswith(".toml") or "/" in rules):
            return cls.named(rules)
        return cls.from_toml(find_config("rules", rules, "rule set"))

    def to_dict(self) -> dict[str, Any]:
        """The attributes that differ from the defaults; ``from_dict`` reads them back."""
        plain = asdict(Rules())
        return {key: value for key, value in asdict(self).items() if value != plain[key]}


@cache
def _named(name: str) -> Rules:
    return Rules.from_toml(configs_dir() / "rules" / f"{name}.toml")


def _one_of(name: str, value: object, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise ConfigError(f"rules: {name} must be {' or '.join(map(repr, allowed))}, not {value!r}")


def _whole_number(name: str, value: object, low: int, high: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise ConfigError(f"rules: {name} must be a whole number from {low} to {high}, not {value!r}")
