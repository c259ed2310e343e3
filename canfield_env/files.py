"""Files that are written as a whole or not at all, and by one process at a time; and files of arrays read."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, Final

import numpy as np
from numpy.typing import NDArray

from canfield_env.errors import ConfigError

#: What marks a folder as in use.
FOLDER_MARK: Final = ".lock"


@contextmanager
def whole_file(path: str | Path) -> Iterator[BinaryIO]:
    """A file to write that takes its place at the end of the block; after an error, what was there before is there.

    Where the path is a symbolic link, what it points to is written. A device or a pipe is written to as it stands.

    Raises:
        OSError: the file cannot be written.
    """
    if _is_special(path):
        with open(path, "wb") as file:
            yield file
        return
    target = Path(os.path.realpath(path))
    unfinished = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        file = open(unfinished, "wb")  # noqa: SIM115 -- the block below closes it
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None
    try:
        with file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        _put(unfinished, target, path)
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise


def write_whole(path: str | Path, content: bytes) -> None:
    """Writes a file as a whole or not at all; see ``whole_file``.

    Raises:
        OSError: the file cannot be written.
    """
    with whole_file(path) as file:
        file.write(content)


def _is_special(path: str | Path) -> bool:
    """Whether there is something at the path that is neither a file nor a folder."""
    try:
        mode = os.stat(path).st_mode
    except OSError:
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def _put(unfinished: Path, target: Path, path: str | Path) -> None:
    try:
        os.replace(unfinished, target)
    except OSError as error:  # the name of the unfinished file means nothing to anyone
        raise OSError(error.errno, error.strerror, str(path)) from None


@contextmanager
def sole_use(path: str | Path) -> Iterator[None]:
    """Keeps a file, or a folder that is there, to this process during the block, among all that ask for it.

    What marks it as in use is a file of its own, which stays: ``.NAME.lock`` beside a file, ``.lock`` in a folder. The
    system lets go of it when the process ends, however that comes about.

    Raises:
        ConfigError: another process has it.
        OSError: the mark cannot be written.
    """
    from filelock import FileLock, Timeout

    real = Path(os.path.realpath(path))
    mark = real / FOLDER_MARK if real.is_dir() else real.with_name(f".{real.name}.lock")
    lock = FileLock(mark, timeout=0, thread_local=False)  # whichever thread ends the block gives it free
    try:
        lock.acquire()
    except Timeout:
        raise ConfigError(f"{path} is in use by another process") from None
    try:
        yield
    finally:
        lock.release()


def read_arrays(path: Path, names: Iterable[str], what: str) -> dict[str, NDArray[Any]]:
    """Some of the arrays of an ``.npz`` file, by their names. Nothing in it is executed.

    Args:
        path: the file.
        names: the arrays.
        what: what the file should be, for the text of the error.

    Raises:
        ConfigError: it cannot be read, or is damaged.
    """
    try:
        # Given a name, numpy would leave a damaged file open.
        with open(path, "rb") as raw, np.load(raw, allow_pickle=False) as file:
            return {name: file[name] for name in names}
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror or error}") from None
    except Exception as error:  # numpy and zipfile meet damage with errors of a dozen kinds
        raise ConfigError(f"{path}: no {what}, or a damaged one: {error}") from None
