"""What is kept between runs, in the user's data folder: settings, the game in progress, a record of every game.

Files are replaced as a whole or not at all. One that cannot be read is set aside under another name, and said so.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, Final, Literal, TypeVar

import orjson

from canfield_env.deals import DRAWS
from canfield_env.errors import RecordError
from canfield_env.files import write_whole
from canfield_env.play.session import Session
from canfield_env.records import Record, append_record, recover_records

Content = TypeVar("Content")

#: The environment variable that names another data folder.
FOLDER_VARIABLE: Final = "CANFIELD_DATA"


@dataclass(slots=True)
class Settings:
    """What the player has chosen.

    Attributes:
        double_tap: whether a tapped card that fits no foundation goes to a column (rule I1).
        draw: cards a turn brings in a new game: 3 ("Hard") or 1 ("Easy").
        theme: ``"dark"`` or ``"light"``.
    """

    double_tap: bool = True
    draw: int = 3
    theme: Literal["dark", "light"] = "dark"

    @classmethod
    def from_dict(cls, table: dict[str, Any]) -> Settings:
        """Settings from a table; keys of other releases are passed over. Raises ValueError where a value is none."""
        settings = cls(**{field.name: table[field.name] for field in fields(cls) if field.name in table})
        if not isinstance(settings.double_tap, bool):
            raise ValueError("double_tap is neither true nor false")
        if type(settings.draw) is not int or settings.draw not in DRAWS:
            raise ValueError("draw is neither 1 nor 3")
        if settings.theme not in ("dark", "light"):
            raise ValueError("theme is neither dark nor light")
        return settings


class Storage:
    """The data folder.

    Args:
        folder: where it is, by default the usual place of the system, or what ``CANFIELD_DATA`` names.

    Attributes:
        notices: what the player should be told, such as a damaged file set aside or a folder that cannot be written.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder or data_folder()
        self.notices: list[str] = []

    @property
    def records_path(self) -> Path:
        """The file with the record of every game."""
        return self.folder / "records.jsonl"

    def load_settings(self) -> Settings:
        """The settings, or the usual ones."""
        return self._load("settings.json", Settings.from_dict) or Settings()

    def save_settings(self, settings: Settings) -> None:
        """Keeps the settings."""
        self._save("settings.json", asdict(settings))

    def load_session(self) -> Session | None:
        """The game in progress, if there is one."""
        return self._load("game.json", Session.from_dict)

    def save_session(self, session: Session) -> None:
        """Keeps the game in progress."""
        self._save("game.json", session.to_dict())

    def close_session(self, session: Session) -> None:
        """Records a game that is over or given up, unless nothing was played, and forgets it."""
        if session.game.moves:
            try:
                self.folder.mkdir(parents=True, exist_ok=True)
                self.records()  # mends or sets aside a file that could not be continued
                append_record(self.records_path, session.record())
            except OSError as error:
                self._cannot_save(error)
        with contextlib.suppress(OSError):
            (self.folder / "game.json").unlink(missing_ok=True)

    def records(self) -> list[Record]:
        """The records of all games so far."""
        try:
            return recover_records(self.records_path)
        except RecordError as error:
            self._set_aside(self.records_path, error)
        except OSError as error:
            self._cannot_save(error)
        return []

    def _load(self, name: str, read: Callable[[dict[str, Any]], Content]) -> Content | None:
        path = self.folder / name
        try:
            content = path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            self.notices.append(f"{path} cannot be read: {error.strerror}")
            return None
        try:
            table = orjson.loads(content)
            if not isinstance(table, dict):
                raise ValueError("not a JSON object")
            return read(table)
        except ValueError as error:  # orjson's errors are ValueErrors too
            self._set_aside(path, error)
            return None

    def _save(self, name: str, table: dict[str, Any]) -> None:
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            write_whole(self.folder / name, orjson.dumps(table, option=orjson.OPT_INDENT_2))
        except OSError as error:
            self._cannot_save(error)

    def _set_aside(self, path: Path, error: Exception) -> None:
        number = 1
        while (aside := path.with_name(f"{path.name}.damaged-{number}")).exists():
            number += 1
        try:
            path.rename(aside)
        except OSError as failure:
            self._cannot_save(failure)
            return
        self.notices.append(f"{path.name} was damaged and is now {aside.name} ({error})")

    def _cannot_save(self, error: OSError) -> None:
        notice = f"nothing can be saved in {self.folder}: {error.strerror}"
        if notice not in self.notices:
            self.notices.append(notice)


def data_folder() -> Path:
    """The usual data folder of the system, or the one that ``CANFIELD_DATA`` names."""
    if named := os.environ.get(FOLDER_VARIABLE):
        return Path(named)
    import platformdirs

    return platformdirs.user_data_path("canfield-env", appauthor=False)
