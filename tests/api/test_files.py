"""Files are written as a whole or not at all, and by one process at a time."""

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from canfield_env import ConfigError
from canfield_env.files import sole_use, whole_file


def test_a_folder_in_the_way_is_named_and_nothing_is_left(tmp_path: Path) -> None:
    (tmp_path / "report.json").mkdir()
    with pytest.raises(IsADirectoryError) as caught, whole_file(tmp_path / "report.json") as file:
        file.write(b"{}")
    assert caught.value.filename == str(tmp_path / "report.json")
    assert caught.value.filename2 is None
    assert [path.name for path in tmp_path.iterdir()] == ["report.json"]


def test_an_error_while_writing_keeps_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    path.write_text("old")
    with pytest.raises(TypeError), whole_file(path) as file:
        file.writelines([b"half", None])  # type: ignore[list-item]
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("there", [True, False])
def test_a_link_stays_a_link(tmp_path: Path, there: bool) -> None:
    target, link = tmp_path / "kept" / "report.json", tmp_path / "report.json"
    target.parent.mkdir()
    if there:
        target.write_text("old")
    link.symlink_to(target)
    with whole_file(link) as file:
        file.write(b"new")
    assert link.is_symlink()
    assert target.read_text() == "new"
    assert list(target.parent.iterdir()) == [target]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
@pytest.mark.parametrize("linked", [True, False])
def test_a_pipe_is_written_to_and_stays_a_pipe(tmp_path: Path, linked: bool) -> None:
    pipe = path = tmp_path / "pipe"
    os.mkfifo(pipe)
    if linked:
        path = tmp_path / "link"
        path.symlink_to(pipe)
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()), daemon=True)
    reader.start()
    with whole_file(path) as file:
        file.write(b"new")
    assert pipe.is_fifo()
    reader.join(10)
    assert read == [b"new"]


# ------------------------------------------------------------------ one process at a time


def taken_elsewhere(path: Path) -> bool:
    """Whether another process finds the path in use."""
    script = (
        "import sys\nfrom canfield_env.files import sole_use\n"
        "try:\n    with sole_use(sys.argv[1]): print('free')\nexcept ValueError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", script, path], capture_output=True, text=True, check=True)
    assert done.stdout.strip() in ("free", f"{path} is in use by another process")
    return done.stdout.strip() != "free"


def test_what_is_in_use_is_refused_to_others_until_it_is_free(tmp_path: Path) -> None:
    folder, file = tmp_path / "folder", tmp_path / "file.jsonl"
    folder.mkdir()
    for path in (folder, file):
        with sole_use(path):
            assert taken_elsewhere(path)
            with pytest.raises(ConfigError, match="in use by another process"), sole_use(path):
                pass
        assert not taken_elsewhere(path)


def test_an_error_gives_it_free_and_another_name_changes_nothing(tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "file.jsonl")
    with pytest.raises(KeyError), sole_use(tmp_path / "file.jsonl"):
        raise KeyError
    with sole_use(link), pytest.raises(ConfigError), sole_use(tmp_path / "file.jsonl"):
        pass
