"""A run's folder: everything that is needed to repeat the run, to go on with it, and to look at it.

* ``config.toml``: the configuration as used, a valid ``--config``;
* ``run.json``: versions of the packages, git revision, when it was started, and from which model;
* ``metrics.jsonl``: one JSON object per update and per evaluation, by ``steps``;
* ``tensorboard/``: the same as curves;
* ``best.zip``, ``last.zip``: model files, the best by evaluation and the last one, from which the run can go on.
"""

from __future__ import annotations

import platform
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

import orjson
import tomli_w
from stable_baselines3.common.logger import KVWriter, Logger, TensorBoardOutputFormat

import canfield_env
from canfield_env.errors import ConfigError
from canfield_env.files import FOLDER_MARK, sole_use, whole_file, write_whole
from canfield_env.training.config import RunConfig

#: The packages whose versions a run depends on.
_PACKAGES: Final = ("gymnasium", "numba", "numpy", "safetensors", "sb3-contrib", "stable-baselines3", "torch")


class RunFolder:
    """The folder of a run, new or to be gone on with. Nothing is written before ``in_use``.

    Args:
        path: the folder.
        config: the run's configuration.
        resume: go on with the run that is in the folder, if there is one.

    Attributes:
        resumed: whether there is something to go on from, ``last``.

    Raises:
        ConfigError: it holds a run that is not to be resumed, one of another configuration, or something else.
    """

    def __init__(self, path: str | Path, config: RunConfig, *, resume: bool = False) -> None:
        self.path = Path(path)
        self.best, self.last = self.path / "best.zip", self.path / "last.zip"
        self.metrics, self.tensorboard = self.path / "metrics.jsonl", self.path / "tensorboard"
        self.resumed = self._find_run(config, resume)

    @contextmanager
    def in_use(self, config: RunConfig, init: str | None) -> Iterator[None]:
        """Keeps the folder to this process during the block, and writes what is known at the start.

        Args:
            config: the run's configuration.
            init: the model that a new run starts from, if any.

        Raises:
            ConfigError: the folder cannot be written, or another process has it.
        """
        with ExitStack() as held:
            try:
                self.path.mkdir(parents=True, exist_ok=True)
                held.enter_context(sole_use(self.path))
                write_whole(self.path / "config.toml", tomli_w.dumps(config.model_dump()).encode())
                if not self.resumed:
                    write_whole(self.path / "run.json", orjson.dumps(_origin(init), option=orjson.OPT_INDENT_2))
            except OSError as error:
                raise ConfigError(f"{self.path}: cannot be written: {error.strerror}") from error
            yield

    def check_init(self, init: str | None) -> None:
        """Checks that a run which is gone on with is not to start from another model than it did.

        Raises:
            ConfigError: it is; or what the run started from cannot be read.
        """
        if init is None:
            return
        path = self.path / "run.json"
        try:
            there = orjson.loads(path.read_bytes())["init"]
        except (OSError, orjson.JSONDecodeError, KeyError, TypeError) as error:
            raise ConfigError(f"{path}: cannot be read: {error}") from error
        if there != init:
            began = "random weights" if there is None else there
            raise ConfigError(f"{self.path}: the run in this folder began with {began}, not with {init}")

    def make_logger(self, steps: int) -> Logger:
        """What writes the metrics of a run that goes on from so many steps."""
        return Logger(None, [JsonLines(self.metrics, steps), TensorBoardOutputFormat(str(self.tensorboard))])

    def _find_run(self, config: RunConfig, resume: bool) -> bool:
        """Whether there is a run to go on with."""
        if not (self.path / "config.toml").exists():
            if self.path.exists() and not _is_empty(self.path):
                raise ConfigError(f"{self.path}: there is something here, and it is no run")
            return False
        if not resume:
            raise ConfigError(f"{self.path}: there is a run in this folder; --resume goes on with it")
        stored = type(config).load(self.path / "config.toml")
        if difference := _difference(stored, config):
            raise ConfigError(f"{self.path}: the run in this folder has another configuration: {difference}")
        return self.last.exists()  # if not, the run was killed before it had anything to go on from, and starts anew


def _is_empty(path: Path) -> bool:
    return path.is_dir() and all(file.name == FOLDER_MARK for file in path.iterdir())


def _difference(stored: RunConfig, given: RunConfig) -> str | None:
    """The first key in which two configurations differ; how many steps a run has may change."""
    for section, values in stored.model_dump().items():
        for key, value in values.items():
            other = given.model_dump()[section].get(key)
            if value != other and (section, key) != ("run", "steps"):
                return f"{section}.{key} is {value!r} there, not {other!r}"
    return None


def _origin(init: str | None) -> dict[str, Any]:
    return {
        "started": datetime.now(UTC).isoformat(timespec="seconds"),
        "init": init,
        "git": git_revision(),
        "python": platform.python_version(),
        "platform": platform.platform(),
        "packages": {"canfield-env": canfield_env.__version__, **{name: version(name) for name in _PACKAGES}},
    }


def git_revision() -> dict[str, Any] | None:
    """The commit that this package's checkout is at, and whether files differ from it; None where there is no git."""
    root = Path(canfield_env.__file__).parent.parent

    def git(*arguments: str) -> str:
        done = subprocess.run(["git", "-C", str(root), *arguments], capture_output=True, text=True, check=True)
        return done.stdout.strip()

    try:
        return {"commit": git("rev-parse", "HEAD"), "dirty": bool(git("status", "--porcelain", "--untracked-files=no"))}
    except (OSError, subprocess.CalledProcessError):
        return None


class JsonLines(KVWriter):
    """Writes what a stable-baselines3 logger is given as JSON Lines, after what a run to be gone on with has written.

    Args:
        path: the file.
        steps: lines of later steps are left out: the run goes on from before them.
    """

    def __init__(self, path: Path, steps: int) -> None:
        kept = [line for line in _whole_lines(path) if orjson.loads(line)["steps"] <= steps]
        with whole_file(path) as file:
            file.writelines(kept)
        self._file = path.open("ab", buffering=0)

    def write(self, key_values: Mapping[str, Any], key_excluded: Mapping[str, tuple[str, ...]], step: int = 0) -> None:
        """Adds a line."""
        line = {"steps": step, **dict(sorted(key_values.items()))}
        self._file.write(orjson.dumps(line, option=orjson.OPT_SERIALIZE_NUMPY) + b"\n")

    def close(self) -> None:
        """Closes the file."""
        self._file.close()


def _whole_lines(path: Path) -> list[bytes]:
    if not path.exists():
        return []
    return [line for line in path.read_bytes().splitlines(keepends=True) if line.endswith(b"\n")]
