"""Suites: named, fixed sets of deals on which agents are compared. They are data, ``configs/suites/NAME.toml``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from canfield_env.configs import find_config, first_fault, read_toml
from canfield_env.deals import Deal
from canfield_env.errors import ConfigError, DealError
from canfield_env.rules import Rules


@dataclass(frozen=True, slots=True)
class Suite:
    """A set of deals to be played under one rule set.

    Attributes:
        name: the suite's name; empty for deals named one by one.
        version: rises if the deals ever have to differ; a suite that is used is never changed.
        description: what it is for.
        rules: the rule set.
        deals: the deals, all different.

    Raises:
        ConfigError: there is no deal, or one is there twice.
    """

    name: str
    version: int
    description: str
    rules: Rules
    deals: tuple[Deal, ...]

    def __post_init__(self) -> None:
        if not self.deals:
            raise ConfigError("there are no deals")
        deal, times = Counter(self.deals).most_common(1)[0]
        if times > 1:
            raise ConfigError(f"the deal {deal} is there {times} times")

    @classmethod
    def of_deals(cls, deals: Sequence[Deal], rules: Rules | str = "app") -> Suite:
        """A suite without a name.

        Raises:
            ConfigError: there is no deal, one is there twice, or there is no such rule set.
        """
        return cls("", 0, "deals named one by one", Rules.of(rules), tuple(deals))

    def under(self, rules: Rules | str) -> Suite:
        """The same deals under other rules.

        Raises:
            ConfigError: there is no such rule set.
        """
        return replace(self, rules=Rules.of(rules))

    @classmethod
    def load(cls, name_or_path: str | Path) -> Suite:
        """Reads a suite that comes with the project, by its name, or any file, by its path.

        Raises:
            ConfigError: no such suite or file, it is not TOML, a key is unknown, missing or of the wrong type, or
                a code is bad, of another draw count or there twice; the text names the file and the place.
        """
        path = find_config("suites", name_or_path, "suite")
        table = read_toml(path)
        try:
            file = _SuiteFile.model_validate(table)
            rules, deals = Rules.of(file.rules), [_deal(code, file.draw) for code in file.deals]
            return cls(file.name, file.version, file.description, rules, tuple(deals))
        except ValidationError as error:
            raise ConfigError(f"{path}: {first_fault(error).text}") from None
        except (ConfigError, DealError) as error:
            raise ConfigError(f"{path}: {error}") from error


class _SuiteFile(BaseModel):
    """What a suite file holds."""

    model_config = ConfigDict(extra="forbid", strict=True)

    name: str = Field(min_length=1)
    version: int = Field(ge=1)
    description: str
    rules: str
    draw: Literal[1, 3]
    deals: list[str]


def _deal(code: str, draw: int) -> Deal:
    deal = Deal.from_code(code)
    if deal.draw != draw:
        raise ConfigError(f"{code} is a deal with draw {deal.draw}, the suite's is {draw}")
    return deal
