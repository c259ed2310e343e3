"""Where the configuration files that come with the project lie, and how TOML is read."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from canfield_env.errors import ConfigError


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
