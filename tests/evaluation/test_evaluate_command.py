"""``canfield evaluate``: what it prints, keeps and refuses."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from canfield_env.cli import main
from canfield_env.evaluation.certificates import read_certificate
from canfield_env.evaluation.suites import Suite
from canfield_env.records import read_records

FIRST = "tests.evaluation.players:FirstLegal"
CODES = ("CF1-D3-AAAAACL", "CF1-D3-AAAAABX")


def run(capsys: pytest.CaptureFixture[str], *args: str | Path) -> tuple[int, str, str]:
    """Exit status, standard output and standard error of ``canfield evaluate``, without the notice that it compiles."""
    with pytest.raises(SystemExit) as caught:
        main(["evaluate", *map(str, args)])
    out, err = capsys.readouterr()
    assert isinstance(caught.value.code, int)
    return caught.value.code, out, "".join(line for line in err.splitlines(True) if "compiling" not in line)


def test_table_and_records(capsys: pytest.CaptureFixture[str], tmp_path: Path):
    status, out, err = run(capsys, "--agent", FIRST, "--agent", "random", "--deals", *CODES, "--out", tmp_path)
    assert (status, err) == (0, "")
    assert out.startswith("given deals: 2 deals, app rules, draw 3, seed 0\n")
    for text in ("first", "random", "cards up", "CPU seconds", "McNemar"):
        assert text in " ".join(out.split())
    assert [r.deal.code for r in read_records(tmp_path / "records.jsonl")] == [*CODES, *CODES]


def test_json_is_one_object(capsys: pytest.CaptureFixture[str]):
    status, out, err = run(capsys, "--agent", FIRST, "--deals", CODES[0], "--deals", CODES[1], "--json")
    assert (status, err) == (0, "")
    report = json.loads(out)
    assert out.count("\n") == 1
    assert report["deals"] == list(CODES)
    assert report["summaries"][0]["games"] == 2
    assert report["comparisons"] == []


def test_a_suite_has_its_rules_unless_others_are_named(capsys: pytest.CaptureFixture[str]):
    _, out, _ = run(capsys, "--agent", FIRST, "--suite", "smoke", "--json")
    assert (json.loads(out)["suite"], json.loads(out)["rules"]) == ("smoke", "app")
    _, out, _ = run(capsys, "--agent", FIRST, "--suite", "smoke", "--rules", "hoyle", "--json")
    assert (json.loads(out)["suite"], json.loads(out)["rules"]) == ("smoke", "hoyle")


def test_a_certified_suite_tells_how_many_of_the_winnable_deals_were_won(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
):
    status, out, _ = run(capsys, "--agent", "greedy", "--suite", "smoke", "--out", tmp_path)
    certificate = read_certificate(Suite.load("smoke"))
    assert status == 0
    assert certificate is not None
    winnable = {code for code, found in certificate.items() if found.verdict == "winnable"}
    won = {str(r.deal) for r in read_records(tmp_path / "records.jsonl") if r.outcome == "won"}
    text = f"{len(won & winnable)} of {len(winnable)}, "
    assert 0 < len(winnable) < 20
    assert text in " ".join(out.split())
    assert f"| won of the winnable | {text}" in (tmp_path / "report.md").read_text()
    assert f"{len(winnable)} are proven winnable" in (tmp_path / "report.md").read_text()
    (summary,) = json.loads((tmp_path / "report.json").read_bytes())["summaries"]
    assert (summary["winnable"], summary["winnable_wins"]) == (len(winnable), len(won & winnable))


def test_other_rules_have_no_certificate(capsys: pytest.CaptureFixture[str]):
    _, out, _ = run(capsys, "--agent", FIRST, "--suite", "smoke", "--rules", "hoyle")
    assert "winnable" not in out


def test_a_deck_of_ones_own(capsys: pytest.CaptureFixture[str], tmp_path: Path):
    from canfield_env import Deal

    deck = tmp_path / "deck.txt"
    deck.write_text(" ".join(Deal.from_code(CODES[0]).deck))
    status, out, _ = run(capsys, "--agent", FIRST, "--deck", deck, "--draw", "1", "--json")
    assert status == 0
    assert json.loads(out)["deals"] == [f"{deck.read_text()} (draw 1)"]


def test_resume(capsys: pytest.CaptureFixture[str], tmp_path: Path):
    run(capsys, "--agent", FIRST, "--deals", *CODES, "--out", tmp_path)
    before = (tmp_path / "records.jsonl").read_bytes()
    status, _, err = run(capsys, "--agent", FIRST, "--deals", *CODES, "--out", tmp_path)
    assert (status, err) == (
        2,
        f"canfield: {tmp_path} holds an evaluation already: go on with it by --resume, or name another folder\n",
    )
    assert run(capsys, "--agent", FIRST, "--deals", *CODES, "--out", tmp_path, "--resume")[0] == 0
    assert (tmp_path / "records.jsonl").read_bytes() == before


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--agent", "gready", "--suite", "smoke"], "no agent is called 'gready': there are random, greedy, heuristic"),
        (["--agent", FIRST, "--suite", "smokes"], "no suite is called 'smokes': there are d1-test"),
        (["--agent", FIRST, "--suite", "no/such.toml"], "no/such.toml: no such suite file"),
        (["--agent", FIRST, "--suite", "{tmp}/bad.toml"], "bad.toml: not TOML"),
        (["--agent", FIRST, "--suite", "{tmp}/key.toml"], "key.toml: unknown key 'colour'"),
        (["--agent", FIRST, "--deals", "CF1-D3-AAAAACM"], "is mistyped"),
        (["--agent", FIRST, "--deals", CODES[0], CODES[0]], "the deal CF1-D3-AAAAACL is there 2 times"),
        (["--agent", FIRST, "--deals", CODES[0], "--draw", "1"], "--draw 1 does not go with it"),
        (["--agent", FIRST, "--suite", "smoke", "--draw", "1"], "--draw does not go with --suite"),
        (
            ["--agent", FIRST, "--deals", CODES[0], "--out", "{tmp}/bad.toml"],
            "bad.toml: cannot be written: File exists",
        ),
        (["--agent", FIRST, "--deals", CODES[0], "--rules", "poker"], "poker"),
        (["--agent", FIRST, "--deals", CODES[0], "--jobs", "0"], "--jobs"),
        (["--agent", FIRST, "--deals", CODES[0], "--seed", "-1"], "--seed"),
        (["--agent", FIRST, "--deals", CODES[0], "--resume"], "to resume needs the folder"),
        (["--agent", FIRST, "--suite", "smoke", "--deals", CODES[0]], "give one of --suite, --deals and --deck"),
        (["--agent", FIRST], "give one of --suite, --deals and --deck"),
        (["--suite", "smoke"], "--agent"),
    ],
)
def test_bad_input_is_told_in_one_line(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, args: list[str], message: str
):
    (tmp_path / "bad.toml").write_text("deals = [")
    (tmp_path / "key.toml").write_text(
        f'name = "x"\nversion = 1\ndescription = ""\nrules = "app"\ndraw = 3\ndeals = ["{CODES[0]}"]\ncolour = 1\n'
    )
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    status, out, err = run(capsys, *(arg.format(tmp=tmp_path) for arg in args))
    assert (status, out) == (2, "")
    assert err.startswith("canfield: ")
    assert message in err
    assert err.count("\n") == 1
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_the_script_is_the_command():
    command = [sys.executable, "scripts/evaluate.py", "--agent", FIRST, "--deals", CODES[0], "--json"]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    assert json.loads(result.stdout)["summaries"][0]["agent"] == "first"
