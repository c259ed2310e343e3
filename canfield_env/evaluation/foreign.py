"""Other people's code: whatever an agent's module, factory or methods raise becomes one error that says whose it is."""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from contextlib import contextmanager

from canfield_env.errors import ConfigError


@contextmanager
def foreign_code(what: str) -> Iterator[None]:
    """Runs other people's code.

    Args:
        what: what runs, for the text of the error.

    Raises:
        ConfigError: it raised something, or wanted to exit; the text says what, and where if that is in their code.
    """
    try:
        yield
    except ConfigError as error:
        raise ConfigError(f"{what}: {error}") from error
    except (Exception, SystemExit) as error:
        raise ConfigError(f"{what}: {type(error).__name__}: {error}{_place(error)}") from error


def _place(error: BaseException) -> str:
    """The file and the line that raised an error; empty where that is the block itself, or Python's own import."""
    _, _, *theirs = traceback.extract_tb(error.__traceback__)  # the first two are ``foreign_code`` and its block
    places = [f" ({frame.filename}, line {frame.lineno})" for frame in theirs if not frame.filename.startswith("<")]
    return "" if isinstance(error, SyntaxError) or not places else places[-1]
