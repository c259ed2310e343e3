"""Where the configuration files that come with the project lie, how TOML is read, and what is wrong with it."""

from __future__ import annotations

import tomllib
from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from canfield_env.errors import ConfigError

if TYPE_CHECKING:
    from pydantic import ValidationError


def configs_dir() -> Path:
    """The folder of the shipped configuration: inside an installed wheel, else the checkout's ``configs/``."""
    inside = Path(__file__).parent / "_configs"
    return inside if inside.is_dir() else Path(__file__).parent.parent / "configs"


def read_toml(path: str | Path) -> dict[str, Any]:
    """Reads a TOML file.

    Raises:
        ConfigError: the file cannot be read or is not TOML; the text names the file and the place.
    """
    try:
        with open(path, "rb") as file:
            return tomllib.load(file)
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: not TOML: {error}") from error


class Fault(NamedTuple):
    """What is wrong with a value that pydantic has refused.

    Attributes:
        place: where it stands, the keys joined by dots; empty where several values do not go together.
        text: the place and what is wrong there, in a line.
    """

    place: str
    text: str


def first_fault(error: ValidationError, kinds: Collection[str] = ()) -> Fault:
    """The first thing that pydantic has found wrong.

    Args:
        error: what it raised.
        kinds: the names of kinds of sections, which pydantic puts between a section's name and the key's.
    """
    fault = error.errors()[0]
    place = ".".join(str(part) for part in fault["loc"] if part not in kinds)
    if fault["type"] == "extra_forbidden":
        return Fault(place, f"unknown key {place!r}")
    if fault["type"] == "value_error":
        return Fault(place, str(fault["ctx"]["error"]))
    return Fault(place, f"{place}: {fault['msg']}")


def find_config(folder: str, name_or_path: str | Path, kind: str) -> Path:
    """A configuration file by name (``configs/FOLDER/NAME.toml``) or by path (anything with a ``/`` or ``.toml``).

    Raises:
        ConfigError: no such file; the text lists the names there are.
    """
    text = str(name_or_path)
    if text.endswith(".toml") or "/" in text or isinstance(name_or_path, Path):
        path = Path(name_or_path)
        if path.is_file():
            return path
        raise ConfigError(f"{text}: no such {kind} file")
    path = configs_dir() / folder / f"{text}.toml"
    if not text or not path.is_file():
        known = ", ".join(config_names(folder))
        raise ConfigError(f"no {kind} is called {text!r}: there are {known}")
    return path


def config_names(folder: str) -> list[str]:
    """The names of the shipped configurations of one kind, sorted."""
    return sorted(path.stem for path in (configs_dir() / folder).glob("*.toml"))
