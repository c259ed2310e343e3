"""The commands deal, moves, perft and replay: what they print, and what they say to bad input."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import canfield_env
from canfield_env import Deal, Game, Rules
from canfield_env.cli import main
from canfield_env.deals import FIRST_TRAINING_DEAL
from canfield_env.records import Record

PUBLISHED = "CF1-D3-AAAAACL"
DECK = " ".join(Deal.from_code(PUBLISHED).deck)
AFTER_THREE = "7:--8- (9)Js (34) - 6c/Qs/Qh/AsKhQc 0 3"


class Result(NamedTuple):
    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one JSON object that standard output must hold."""
        (line,) = self.out.splitlines()
        return json.loads(line)


Run = Callable[..., Result]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """Runs a command line; whatever it is, standard error holds nothing, or one line where it failed."""

    def call(*args: object, stdin: bytes = b"") -> Result:
        (tmp_path / "stdin").write_bytes(stdin)
        with open(tmp_path / "stdin", encoding="utf-8") as file:
            monkeypatch.setattr("sys.stdin", file)
            with pytest.raises(SystemExit) as caught:
                main(list(map(str, args)))
        result = Result(caught.value.code, *capsys.readouterr())  # type: ignore[arg-type]
        assert re.fullmatch(r"canfield: .+\n" if result.status else "", result.err), result
        return result

    return call


def failed(result: Result, text: str, status: int = 2) -> None:
    """Checks that a command failed with that text on standard error, and printed nothing."""
    assert result.status == status
    assert text in result.err
    assert not result.out


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    """The file of a rule set of two ranks."""
    path = tmp_path / "tiny.toml"
    path.write_text("ranks = 2\ncolumns = 2\nreserve = 2\n")
    return path


def write_records(path: Path, *records: Record) -> Path:
    path.write_bytes(b"".join(record.to_json() + b"\n" for record in records))
    return path


@pytest.fixture
def opening() -> Record:
    """The record of the published opening."""
    return Record.of_game(Game(Deal.from_code(PUBLISHED)).push_all("R2 RF 24"), "max_steps", "test", 0.5)


# ------------------------------------------------------------------ deal


def test_deal_shows_the_table(run: Run):
    result = run("deal", PUBLISHED.lower())
    assert result.out.splitlines()[0].startswith(PUBLISHED)
    assert result.out.splitlines()[-1].split() == ["6c", "Kh", "Qh", "As"]
    assert "8h" not in result.out.replace("next", "").split("8h")[0]
    assert result.out.isascii()


def test_deal_hides_what_a_player_cannot_see(run: Run):
    assert "Js" not in run("deal", PUBLISHED).out
    assert "Js" in run("deal", PUBLISHED, "--full").out


def test_deal_as_json(run: Run):
    assert run("deal", PUBLISHED, "--json").json == {
        "deal": PUBLISHED,
        "number": 2,
        "draw": 3,
        "deck": DECK,
        "position": Game(Deal.from_code(PUBLISHED)).position(),
    }


def test_a_new_deal_is_random_and_none_of_those_for_evaluation(run: Run):
    found = [run("deal", *args, "--json").json for args in ([], ["--new"], ["--new", "--draw", "1"])]
    assert len({each["number"] for each in found}) == 3
    assert all(each["number"] >= FIRST_TRAINING_DEAL for each in found)
    assert [each["draw"] for each in found] == [3, 3, 1]
    assert Deal.from_code(found[2]["deal"]).number == found[2]["number"]


def test_a_deck_stands_in_place_of_a_code(run: Run, tmp_path: Path):
    path = tmp_path / "deck.txt"
    path.write_bytes(b"\xef\xbb\xbf" + DECK.replace(" ", "\n").lower().encode())
    expected = {"deal": None, "number": None, "draw": 3, "deck": DECK}
    assert run("deal", "--deck", path, "--json").json.items() >= expected.items()
    assert run("deal", "--deck", "-", "--json", stdin=DECK.encode()).json.items() >= expected.items()
    assert run("deal", "--deck", "-", "--draw", "1", "--json", stdin=DECK.encode()).json["draw"] == 1
    assert run("deal", "--deck", path).out.startswith("draw 3   score 0")


def test_a_miniature_deal(run: Run, tiny: Path):
    result = run("deal", "--rules", tiny, "--json").json
    assert sorted(result["deck"].split()) == sorted(f"{rank}{suit}" for rank in "A2" for suit in "cdhs")


# ------------------------------------------------------------------ moves


def test_moves_of_the_worked_example(run: Run):
    result = run("moves", PUBLISHED, "--play", "R2 RF 24")
    assert f"position  {AFTER_THREE}" in result.out
    assert result.out.splitlines()[-1] == "moves     R3 D"
    assert result.out.startswith(f"{PUBLISHED}   score 5   cards up 2 of 52   moves 3")


def test_moves_as_json(run: Run):
    game = Game(Deal.from_code(PUBLISHED)).push_all("R2 RF 24")
    assert run("moves", PUBLISHED, "--play", "R2 rf 24", "--json").json == {
        "deal": PUBLISHED,
        "moves": ["R3", "D"],
        "position": game.position(),
        "view": AFTER_THREE,
        "score": 5,
        "cards_up": 2,
        "won": False,
        "dead": False,
    }


def test_moves_from_a_deck_and_from_a_position(run: Run):
    game = Game(Deal.from_deck(DECK, draw=1)).push_all("D")
    from_deck = run("moves", "--deck", "-", "--draw", "1", "--play", "D", "--json", stdin=DECK.encode()).json
    assert (from_deck["deck"], from_deck["draw"]) == (DECK, 1)
    from_position = run("moves", "--position", game.position(), "--draw", "1", "--json").json
    assert from_position["draw"] == 1
    assert "deal" not in from_position
    assert from_deck["moves"] == from_position["moves"] == list(map(str, game.legal_moves()))
    assert from_deck["position"] == from_position["position"] == game.position()


def test_moves_under_other_rules(run: Run, tmp_path: Path):
    path = tmp_path / "rules.toml"
    path.write_text("take_back = false\nruns = 'whole'\n")
    played = "D D W4 42 24 D"
    for rules in ("app", "hoyle", path):
        game = Game(Deal.from_code(PUBLISHED), Rules.of(str(rules)))
        tokens = []
        for token in played.split():
            if game.can(token):
                game.push(token)
                tokens.append(token)
        result = run("moves", PUBLISHED, "--play", " ".join(tokens), "--rules", rules, "--json").json
        assert result["moves"] == list(map(str, game.legal_moves()))


def test_a_won_game_has_no_moves(run: Run):
    won = "7:6666 - - - -/-/-/- 9 300"
    assert run("moves", "--position", won).out.splitlines()[-1] == "moves     none"
    result = run("moves", "--position", won, "--json").json
    assert (result["moves"], result["won"], result["dead"]) == ([], True, False)


def test_many_moves_are_wrapped(run: Run):
    clubs_first, diamonds_first = (
        "".join(f"{rank}{suits[k % 2]}" for k, rank in enumerate("KQJT98765432A")) for suits in ("cd", "dc")
    )
    result = run("moves", "--position", f"A:--KK - - - {clubs_first}/{diamonds_first}/-/- 0 0", "--full")
    _, tokens = result.out.split("\nmoves     ")
    first, *others = tokens.splitlines()
    assert first.startswith("1F 2F 12 13 13x12 ")
    assert len(others) > 1
    assert all(line.startswith(10 * " ") and len(line) <= 80 for line in others)


# ------------------------------------------------------------------ perft


def naive_count(game: Game, depth: int) -> int:
    """Sequences of exactly that many moves."""
    if depth == 0:
        return 1
    total = 0
    for move in game.legal_moves():
        after = game.copy()
        after.push(move)
        total += naive_count(after, depth - 1)
    return total


@pytest.mark.parametrize(("play", "rules"), [("", "app"), ("R2 RF", "app"), ("R2 RF", "hoyle")])
def test_perft_counts_sequences_by_their_first_move(run: Run, play: str, rules: str):
    result = run("perft", PUBLISHED, "--depth", "3", "--play", play, "--rules", rules, "--json").json
    expected = {}
    for move in Game(Deal.from_code(PUBLISHED), rules).push_all(play).legal_moves():
        after = Game(Deal.from_code(PUBLISHED), rules).push_all(play)
        after.push(move)
        expected[str(move)] = naive_count(after, 2)
    assert result == {"nodes": sum(expected.values()), "divide": expected}


def test_perft_of_depth_nought_and_of_a_won_game(run: Run):
    assert run("perft", PUBLISHED, "--depth", "0", "--json").json == {"nodes": 1, "divide": {}}
    won = "7:6666 - - - -/-/-/- 9 300"
    assert run("perft", "--position", won, "--depth", "2", "--json").json == {"nodes": 0, "divide": {}}


def test_perft_as_a_table(run: Run):
    lines = [line.split() for line in run("perft", PUBLISHED, "--depth", "1").out.splitlines()]
    assert lines == [["24", "1"], ["R2", "1"], ["D", "1"], ["total", "3"]]


# ------------------------------------------------------------------ replay


def test_replay_checks_every_record(run: Run, tmp_path: Path, opening: Record):
    path = write_records(tmp_path / "r.jsonl", opening, opening)
    lines = run("replay", path).out.splitlines()
    assert [line.split() for line in lines] == [
        f"episode {k} {PUBLISHED} max_steps 2 up score 5 3 moves test ok".split() for k in (1, 2)
    ]


def test_replay_prints_frames(run: Run, tmp_path: Path, opening: Record):
    path = write_records(tmp_path / "r.jsonl", opening)
    out = run("replay", path, "--frames").out
    captions = ["R2   Qc:R>2", "RF   8h:R>F", "24   Kh+1:2>4 (Qs:R>2)"]
    assert [line for line in out.splitlines() if ":" in line] == captions
    assert out.count("foundations") == 4
    assert out.isascii()
    first = out.partition(captions[0])[0]
    assert first.startswith(PUBLISHED)
    assert "Js" not in first
    assert "Js" in run("replay", path, "--frames", "--full").out.partition(captions[0])[0]


def test_replay_as_json_lines(run: Run, tmp_path: Path, opening: Record):
    path = write_records(tmp_path / "r.jsonl", opening, Record(opening.deal, opening.rules, (), "dead", 1, 0))
    result = run("replay", path, "--json")
    first, second = map(json.loads, result.out.splitlines())
    assert first == {
        "episode": 1,
        "deal": PUBLISHED,
        "agent": "test",
        "outcome": "max_steps",
        "cards_up": 2,
        "score": 5,
        "moves": 3,
        "error": None,
    }
    assert second["error"] == "after 0 moves the game is not dead, and the outcome is 'dead'"
    assert result.status == 1


def test_replay_says_which_record_which_move_and_why(run: Run, tmp_path: Path, opening: Record):
    bad = opening.to_json().replace(b"24", b"3F")
    path = tmp_path / "r.jsonl"
    path.write_bytes(opening.to_json() + b"\n" + bad + b"\n" + bad + b"\n" + opening.to_json() + b"\n")
    for args in ([], ["--frames"]):
        result = run("replay", path, *args)
        assert result.status == 1
        assert result.err == (
            f"canfield: {path}: 2 of 4 records do not replay; episode 2: "
            "move 3, 3F: Qh does not fit: the hearts foundation needs 9h next\n"
        )
        assert [line.split()[-1] for line in result.out.splitlines() if line.startswith("episode")] == [
            "ok",
            "next",
            "next",
            "ok",
        ]
    assert run("replay", path, "--episode", "4").status == 0
    assert "1 of 1" in run("replay", path, "--episode", "3").err


def test_replay_shows_names_and_lets_none_steer_the_terminal(run: Run, tmp_path: Path, opening: Record):
    path = tmp_path / "r.jsonl"
    table = json.loads(opening.to_json())
    names = {"agent": "Zoë \x1b[2J\nepisode 2", "outcome": "st\u202eop\r\x9b"}
    path.write_text(json.dumps(table | names) + "\n")
    result = run("replay", path)
    assert result.out.count("\n") == 1
    assert r"Zoë \x1b[2J\nepisode 2" in result.out
    assert r"st\u202eop\r\x9b" in result.out
    path.write_text(json.dumps(table | {"outcome": "won\x1b[2J", "cards_up": 3}) + "\n")
    result = run("replay", path)
    assert result.status == 1
    assert "\x1b" not in result.out + result.err
    assert "\x1b" not in run("replay", f"{path}\x1b[2J").err


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"cards_up": 52}, "cards_up is 2, not 52"),
        ({"score": 0}, "score is 5, not 0"),
        ({"outcome": "won"}, "the game is not won"),
    ],
)
def test_replay_finds_results_that_the_moves_do_not_lead_to(run: Run, tmp_path: Path, opening: Record, change, text):
    path = tmp_path / "r.jsonl"
    path.write_text(json.dumps(json.loads(opening.to_json()) | change))
    result = run("replay", path)
    assert (result.status, text in result.err) == (1, True)


# ------------------------------------------------------------------ bad input


@pytest.mark.parametrize("command", [["deal"], ["moves"], ["perft", "--depth", "1"]])
@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("CF1-D3-AAAAAC", "needs 7 symbols after CF1-D3-, has 6"),
        ("CF1-D3-AAAAACLL", "needs 7 symbols after CF1-D3-, has 8"),
        ("CF1-D3-AAAA1CL", "symbol 5, '1'"),
        ("CF1-D3-AAAAACM", "mistyped"),
        ("CF1-D3-AAAACAL", "mistyped"),
        ("CF2-D3-AAAAACL", "must start CF1-D3- or CF1-D1-"),
        ("CF1-D2-AAAAACL", "must start CF1-D3- or CF1-D1-"),
        ("nonsense\nof two lines", "must start"),
        ("", "must start"),
    ],
)
def test_bad_codes(run: Run, command: list[str], code: str, text: str):
    failed(run(*command, code), text)
    failed(run(*command, code, "--json"), text)


@pytest.mark.parametrize("command", [["deal"], ["moves"], ["perft", "--depth", "1"]])
@pytest.mark.parametrize(
    ("deck", "text"),
    [
        (DECK[3:].encode(), "deck of 51 cards"),
        (DECK.replace("Qc", "Qh").encode(), "Qh is there twice"),
        (DECK.replace("Qc", "Qx").encode(), "'Qx' is no card"),
        (b"", "are missing"),
        (b"\xff\xfe\x00", "not text"),
    ],
)
def test_bad_decks(run: Run, tmp_path: Path, command: list[str], deck: bytes, text: str):
    path = tmp_path / "deck.txt"
    path.write_bytes(deck)
    failed(run(*command, "--deck", path), text)
    failed(run(*command, "--deck", "-", "--json", stdin=deck), text)


@pytest.mark.parametrize("command", [["moves"], ["perft", "--depth", "1"]])
@pytest.mark.parametrize(
    ("play", "text"),
    [
        ("R2 ZZ", "move 2: 'ZZ' is no move"),
        ("R2 13x", "move 2: '13x' is no move"),
        ("R2 RF 3F", "move 3, 3F: Qh does not fit: the hearts foundation needs 9h next"),
        ("W1", "move 1, W1: the waste is empty"),
        ("15", "move 1, 15: there is no column 5"),
        ("12x1", "move 1, 12x1: column 1 holds 1 card"),
    ],
)
def test_bad_moves(run: Run, command: list[str], play: str, text: str):
    failed(run(*command, PUBLISHED, "--play", play), text)


FULL = Game(Deal.from_code(PUBLISHED)).position()


@pytest.mark.parametrize("command", [["moves"], ["perft", "--depth", "1"]])
@pytest.mark.parametrize(
    ("position", "text"),
    [
        ("", "expected 7 fields"),
        ("7:--7- (12)Qc (34) - 6c/Kh/Qh/As 0 0", "hides cards"),
        (FULL.replace("6c/", "-/"), "6c is missing"),
        (FULL.replace("6c/", "6c6c/"), "6c is there twice"),
        (FULL.replace("Kh/Qh/As", "-/Qh/AsKh"), "column 2 is empty while"),
        (FULL.replace("Qc ", " ").replace("6c/Kh/Qh/As", "6c/KhQh/As/Qc"), "column 2 is no run: Qh does not go on Kh"),
        (FULL.replace("7:--7-", "7:--Z-"), "foundations"),
        (FULL.replace("7:--7-", "7:--8-"), "8h is there twice"),
        (FULL.replace(" 0 0", " 0 x"), "actions: 'x' is not a whole number"),
    ],
)
def test_bad_positions(run: Run, command: list[str], position: str, text: str):
    failed(run(*command, "--position", position), text)


def test_bad_rule_sets(run: Run, tmp_path: Path):
    failed(run("moves", PUBLISHED, "--rules", "poker"), "no rule set is called 'poker': there are app, hoyle")
    failed(run("moves", PUBLISHED, "--rules", tmp_path / "none.toml"), "none.toml: no such rule set file")
    for content, text in [
        ("reserves = 13", "unknown key 'reserves'"),
        ("ranks = 'many'", "ranks must be a whole number from 2 to 13, not 'many'"),
        ("runs = 'some'", "runs must be 'any' or 'whole'"),
        ("ranks = ", "not TOML"),
        ("ranks = 2\ncolumns = 2\nreserve = 2", "the deck has 52 cards, the rules need 8"),
    ]:
        path = tmp_path / "rules.toml"
        path.write_text(content)
        failed(run("moves", PUBLISHED, "--rules", path), text)


@pytest.mark.parametrize(
    ("args", "text"),
    [
        ([], "Missing command"),
        (["shuffle"], "No such command 'shuffle'"),
        (["--depth"], "No such option"),
        (["deal", PUBLISHED, "--draw", "2"], "'2' is not one of '1', '3'"),
        (["deal", PUBLISHED, "--draw", "1"], "draw 3: --draw 1 does not go with it"),
        (["deal", "--new", "--draw", "2"], "'2' is not one of '1', '3'"),
        (["deal", "--draw", "three"], "'three' is not one of"),
        (["deal", PUBLISHED, "--new"], "give one of CODE, --new and --deck"),
        (["deal", PUBLISHED, PUBLISHED], "unexpected extra argument"),
        (["deal", "--deck", "/no/such/file"], "/no/such/file"),
        (["deal", "--deck", "/"], "Is a directory"),
        (["moves"], "give one of CODE, --deck and --position"),
        (["moves", PUBLISHED, "--position", FULL], "give one of CODE, --deck and --position"),
        (["moves", "--position", FULL, "--draw", "2"], "'2' is not one of '1', '3'"),
        (["perft", PUBLISHED], "--depth"),
        (["perft", PUBLISHED, "--depth", "-1"], "--depth"),
        (["perft", PUBLISHED, "--depth", "two"], "--depth"),
        (["perft", PUBLISHED, "--depth", "101"], "depth must be from 0 to 100, not 101"),
        (["replay"], "FILE"),
        (["replay", "/no/such/file"], "/no/such/file: cannot be read: No such file or directory"),
        (["replay", "/"], "/: cannot be read: Is a directory"),
        (["replay", "x", "--episode", "0"], "--episode"),
        (["replay", "x", "--json", "--frames"], "--frames prints text: it does not go with --json"),
        (["replay", "x", "--full"], "--full goes with --frames"),
        (["play", "--port", "8123"], "--port goes with --web"),
    ],
)
def test_bad_calls(run: Run, args: list[str], text: str):
    failed(run(*args), text)


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b"", "holds no records"),
        (b"not json\n", "r.jsonl:1: not JSON"),
        (b"[]\n", "r.jsonl:1: not a JSON object"),
        (b"\x00\xff\n", "r.jsonl:1: not JSON"),
        (
            b'{"deal": "CF1-D3-AAAAACM", "rules": "app", "moves": ""}\n',
            "r.jsonl:1: game code 'CF1-D3-AAAAACM' is mistyped",
        ),
        (b'{"deal": "CF1-D3-AAAAACL", "rules": "app", "moves": "R2 Q"}\n', "r.jsonl:1: move 2: 'Q' is no move"),
        (b'{"deal": "CF1-D3-AAAAACL", "rules": "poker", "moves": ""}\n', "r.jsonl:1: no rule set is called 'poker'"),
        (b'{"deal": "CF1-D3-AAAAACL", "rules": "app", "mov', "r.jsonl:1: the last line breaks off"),
    ],
)
def test_files_that_hold_no_records(run: Run, tmp_path: Path, content: bytes, text: str):
    path = tmp_path / "r.jsonl"
    path.write_bytes(content)
    failed(run("replay", path), text)


def test_a_torn_last_line_is_told_after_the_records_before_it(run: Run, tmp_path: Path, opening: Record):
    path = write_records(tmp_path / "r.jsonl", opening, opening)
    path.write_bytes(path.read_bytes()[:-30])
    result = run("replay", path)
    assert result.status == 2
    assert "r.jsonl:2: the last line breaks off" in result.err
    assert result.out.count("ok") == 1


def test_an_episode_that_is_not_there(run: Run, tmp_path: Path, opening: Record):
    path = write_records(tmp_path / "r.jsonl", opening)
    failed(run("replay", path, "--episode", "2"), "there is no episode 2: the last is 1")


# ------------------------------------------------------------------ around it


def test_version_and_help(run: Run):
    assert run("--version").out == f"canfield {canfield_env.__version__}\n"
    assert all(name in run("--help").out for name in ("deal", "moves", "perft", "replay"))
    for command in ("deal", "moves", "perft", "replay"):
        assert "--json" in run(command, "-h").out


def test_an_interrupt_ends_with_130(run: Run, monkeypatch: pytest.MonkeyPatch):
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Game, "legal_moves", interrupt)
    failed(run("moves", PUBLISHED), "interrupted", status=130)
