"""The command line as a process of its own: streams that break, terminals, and what starting it loads."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from canfield_env import Deal, Game
from canfield_env.records import Record

PUBLISHED = "CF1-D3-AAAAACL"
COMMAND = [sys.executable, "-m", "canfield_env"]


def environment(**changes: str) -> dict[str, str]:
    """The environment without what decides on colours and encodings, and with the changes."""
    plain = ("NO_COLOR", "FORCE_COLOR", "TERM", "COLORTERM", "TTY_COMPATIBLE", "LANG", "LC_ALL", "PYTHONIOENCODING")
    return {key: value for key, value in os.environ.items() if key not in plain} | {"PYTHONUTF8": "1"} | changes


def on_a_terminal(*args: str, **changes: str) -> str:
    """What a command writes on a terminal."""
    pty = pytest.importorskip("pty")
    ours, theirs = pty.openpty()
    changes = {"TERM": "xterm-256color", **changes}
    process = subprocess.Popen(
        [*COMMAND, *args], stdin=theirs, stdout=theirs, stderr=theirs, env=environment(**changes)
    )
    os.close(theirs)
    output = b""
    try:
        while block := os.read(ours, 65536):
            output += block
    except OSError:  # on Linux the end of a terminal is an error
        pass
    os.close(ours)
    assert process.wait() == 0
    return output.decode().replace("\r\n", "\n")


def test_a_terminal_gets_symbols_and_red_suits():
    output = on_a_terminal("deal", PUBLISHED)
    assert "Q♣" in output
    assert "\x1b[91m7♥\x1b[" in output
    assert "Qc" not in output


def test_no_color_leaves_the_symbols():
    output = on_a_terminal("deal", PUBLISHED, NO_COLOR="1")
    assert "7♥" in output
    assert "\x1b" not in output


@pytest.mark.parametrize(
    ("args", "changes"),
    [(["--ascii"], {}), ([], {"TERM": "dumb"})],
)
def test_plain_ascii_on_a_terminal(args: list[str], changes: dict[str, str]):
    output = on_a_terminal("deal", PUBLISHED, *args, **changes)
    assert "7h" in output
    assert output.isascii()
    assert "\x1b" not in output


def test_a_terminal_without_the_symbols_gets_letters_in_colour():
    output = on_a_terminal("deal", PUBLISHED, PYTHONUTF8="0", PYTHONIOENCODING="latin-1")
    assert "\x1b[91m7h\x1b[" in output
    assert output.isascii()


def test_a_pipe_gets_plain_ascii():
    done = subprocess.run([*COMMAND, "deal", PUBLISHED], capture_output=True, check=True, env=environment(TERM="xterm"))
    assert done.stdout.isascii()
    assert b"\x1b" not in done.stdout
    assert not done.stderr


def test_names_that_a_stream_cannot_write(tmp_path: Path):
    path = tmp_path / "records.jsonl"
    path.write_bytes(Record.of_game(Game(Deal.from_number(2)), "stopped", agent="Zoë ♣").to_json() + b"\n")
    ascii_only = environment(PYTHONUTF8="0", PYTHONIOENCODING="ascii")
    done = subprocess.run([*COMMAND, "replay", path], capture_output=True, check=True, env=ascii_only)
    assert rb"Zo\xeb \u2663" in done.stdout


def test_nobody_reads_the_output():
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run([*COMMAND, "deal", PUBLISHED], stdout=writer, stderr=subprocess.PIPE, check=False)
    os.close(writer)
    assert (done.returncode, done.stderr) == (141, b"")


@pytest.mark.skipif(os.name != "posix", reason="needs a POSIX shell")
def test_standard_output_is_closed():
    shell = subprocess.run(
        ["sh", "-c", '"$@" >&-', "sh", *COMMAND, "deal", PUBLISHED], capture_output=True, check=False
    )
    assert (shell.returncode, shell.stdout, shell.stderr) == (0, b"", b"")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full")
def test_output_that_does_not_fit():
    with open("/dev/full", "wb") as full:
        done = subprocess.run([*COMMAND, "deal", PUBLISHED], stdout=full, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith(b"canfield: ")
    assert done.stderr.count(b"\n") == 1


def test_the_light_commands_load_nothing_heavy():
    script = (
        "import sys; from canfield_env.cli import main\ntry: main(['deal'])\nexcept SystemExit: print(*sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    heavy = {"torch", "numba", "scipy", "matplotlib", "textual", "optuna", "PIL"}
    assert heavy.isdisjoint(done.stdout.splitlines()[-1].split())
