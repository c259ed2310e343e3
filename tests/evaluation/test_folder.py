"""The folder of an evaluation in use by one process, and what two that had it at once have left."""

from __future__ import annotations

from pathlib import Path

import orjson
import pytest

from canfield_env import ConfigError, Deal
from canfield_env.errors import RecordError
from canfield_env.evaluation.runner import evaluate
from canfield_env.evaluation.suites import Suite
from canfield_env.files import sole_use
from canfield_env.records import read_records

FIRST = "tests.evaluation.players:FirstLegal"
SUITE = Suite.of_deals([Deal.from_number(number) for number in range(3)])


def test_a_folder_in_use_is_refused_and_left_alone(tmp_path: Path):
    evaluate([FIRST], SUITE, out=tmp_path)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    with sole_use(tmp_path), pytest.raises(ConfigError, match="in use by another process"):
        evaluate([FIRST], SUITE, out=tmp_path, resume=True)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
    evaluate([FIRST], SUITE, out=tmp_path, resume=True)


def test_a_folder_is_in_use_while_it_is_played_in_and_free_after_a_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    def play(*_: object) -> object:
        with pytest.raises(ConfigError, match="in use"), sole_use(tmp_path):
            pass
        raise KeyboardInterrupt

    monkeypatch.setattr("canfield_env.evaluation.workers.play_episode", play)
    with pytest.raises(KeyboardInterrupt):
        evaluate([FIRST], SUITE, out=tmp_path)
    monkeypatch.undo()
    for _ in range(2):  # neither an interrupt nor a refusal keeps it
        with pytest.raises(ConfigError, match="holds an evaluation already"):
            evaluate([FIRST], SUITE, out=tmp_path)
    assert len(evaluate([FIRST], SUITE, out=tmp_path, resume=True).records) == 3


def test_a_record_that_is_there_twice_is_no_harm_unless_the_two_differ(tmp_path: Path):
    evaluate([FIRST], SUITE, out=tmp_path)
    records = tmp_path / "records.jsonl"
    first, *others = records.read_bytes().splitlines(keepends=True)
    again = orjson.dumps(orjson.loads(first) | {"seconds": 9.5}) + b"\n"
    records.write_bytes(first + again + others[0])
    assert len(evaluate([FIRST], SUITE, out=tmp_path, resume=True).records) == 3
    assert [record.deal for record in read_records(records)] == list(SUITE.deals)
    table = orjson.loads(first)
    shorter = orjson.dumps(table | {"moves": table["moves"].rpartition(" ")[0]}) + b"\n"
    records.write_bytes(first + shorter)
    with pytest.raises(RecordError, match="record 2: 'first' on CF1-D3-AAAAAAA is there twice"):
        evaluate([FIRST], SUITE, out=tmp_path, resume=True)
