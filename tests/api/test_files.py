"""Files are written as a whole or not at all."""

from pathlib import Path

import pytest

from canfield_env.files import whole_file


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
