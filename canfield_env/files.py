"""Files that are written as a whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO


@contextmanager
def whole_file(path: str | Path) -> Iterator[BinaryIO]:
    """A file to write that takes its place at the end of the block; after an error, what was there before is there.

    Raises:
        OSError: the file cannot be written.
    """
    path = Path(path)
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        file = open(unfinished, "wb")  # noqa: SIM115 -- the block below closes it
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None
    try:
        with file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        _put(unfinished, path)
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise


def _put(unfinished: Path, path: Path) -> None:
    try:
        os.replace(unfinished, path)
    except OSError as error:  # the name of the unfinished file means nothing to anyone
        raise OSError(error.errno, error.strerror, str(path)) from None
