"""The models that come with the agents: their files, by their names."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from canfield_env.errors import ConfigError
from canfield_env.training.model_file import Purpose, read_header

#: The shipped models, and what is to be known of them (README.md).
MODELS: Final = Path(__file__).parent / "models"


def find_model(name_or_path: str | Path, purpose: Purpose) -> Path:
    """The file of a shipped model by its name, or of another one by its path (anything with a ``/`` or ``.zip``).

    Raises:
        ConfigError: no model of that name is shipped; the text lists those that are, for the purpose.
    """
    text = str(name_or_path)
    if text.endswith(".zip") or "/" in text or isinstance(name_or_path, Path):
        return Path(name_or_path)
    path = MODELS / f"{text}.zip"
    if not path.is_file():
        known = ", ".join(shipped_models(purpose))
        raise ConfigError(f"no model is called {text!r}: there are {known}, or give a file, such as runs/NAME/best.zip")
    return path


def shipped_models(purpose: Purpose) -> list[str]:
    """The names of the models that are shipped for a purpose."""
    return sorted(path.stem for path in MODELS.glob("*.zip") if read_header(path).purpose == purpose)
