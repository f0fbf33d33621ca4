"""What people see in a terminal: few lines, no line too long, and how to see the rest."""

from __future__ import annotations

import io
import json
import os
import pty
import re
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from deadheat import cli
from deadheat.output.layout import cell_width
from deadheat.sources.line_numbers import LineNumbers
from tests.cases import ROOT, SHARED
from tests.test_cli import COMMAND

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

Capture = pytest.CaptureFixture[str]
REPORT = (ROOT / "go" / "two-goroutines.txt").read_text()
WIDTHS = (60, 80, 100, 200)
COUNT = 150  # many more than a terminal shows
TIDB = os.environ.get("DEADHEAT_TIDB", "")
SEEDS = sorted((SHARED / "seeds").glob("*.txt"))


def many_races(count: int) -> str:
    """Reports of different races at different addresses, three in each package."""
    return "".join(race_in_package(number, f"shop{number // 3}") for number in range(count))


def race_in_package(number: int, package: str) -> str:
    text = REPORT.replace("cart.(*Cart)", f"{package}.(*Cart{number})").replace("cart/cart.go", f"{package}/cart.go")
    return re.sub("0x00c0[0-9a-f]{8}", f"0x00c0{number * 4096:08x}", text)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def scan_on_terminal(*args: str | Path, columns: int = 100) -> list[str]:
    """The lines that a scan prints on a terminal, without colours."""
    out = Terminal()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COLUMNS", str(columns))
        patch.setattr(sys, "stdout", out)
        assert cli.main(["scan", "--quiet", *map(str, args)]) in (cli.EXIT_NOTHING, cli.EXIT_RACES)
    return without_colours(out.getvalue()).splitlines()


def without_colours(text: str) -> str:
    return re.sub(r"\x1b\[[\d;]*[mK]", "", text)


def test_a_real_terminal_gets_a_list_in_colour(log_of_many: Path) -> None:
    main, terminal = pty.openpty()
    environment = {**os.environ, "COLUMNS": "100", "NO_COLOR": ""}
    child = subprocess.Popen([*COMMAND, str(log_of_many)], stdout=terminal, stderr=subprocess.DEVNULL, env=environment)
    os.close(terminal)
    text = b"".join(_read_to_end(main)).decode().replace("\r\n", "\n")
    os.close(main)
    assert child.wait() == cli.EXIT_RACES
    assert "\x1b[1mread/write race" in text
    lines = without_colours(text).splitlines()
    assert lines == scan_on_terminal(log_of_many)
    assert len(lines) <= 60


def _read_to_end(descriptor: int) -> Iterator[bytes]:
    while True:
        try:
            block = os.read(descriptor, 1 << 16)
        except OSError:  # the other end was closed
            return
        if not block:
            return
        yield block


@pytest.fixture(scope="module")
def log_of_many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("many") / "ci.log"
    path.write_text(many_races(COUNT))
    return path


LAYOUTS = [(), ("--brief",), ("--group-by", "package"), ("--group-by", "cause"), ("--sort", "file")]


@pytest.mark.parametrize("width", [40, *WIDTHS])
@pytest.mark.parametrize("options", LAYOUTS, ids=" ".join)
def test_many_races_fit_on_a_terminal(log_of_many: Path, width: int, options: tuple[str, ...]) -> None:
    lines = scan_on_terminal(log_of_many, *options, columns=width)
    assert 20 < len(lines) <= 60 or "package" in options
    assert len(lines) <= 60
    assert max(map(cell_width, lines)) <= width
    assert f"{COUNT} races, {COUNT} sightings" in lines
    assert "--limit 0" in " ".join(lines[-5:])


def test_few_races_are_shown_with_their_stacks(tmp_path: Path) -> None:
    log = tmp_path / "ci.log"
    log.write_text(many_races(4))
    lines = scan_on_terminal(log)
    assert sum("created at" in line for line in lines) == 8
    assert lines[-1] == "4 races, 4 sightings"


def test_limit_full_and_brief_choose_what_is_shown(log_of_many: Path) -> None:
    assert sum("ci.log:" in line for line in scan_on_terminal(log_of_many, "--full")) == COUNT
    assert len(scan_on_terminal(log_of_many, "--brief", "--limit", "0", columns=200)) == COUNT + 1
    assert len(scan_on_terminal(log_of_many, "--brief")) <= 60
    limited = scan_on_terminal(log_of_many, "--limit", "30")
    assert sum("(*Cart" in line for line in limited) == 30
    assert f"{COUNT - 30} of them are not shown" in " ".join(limited)


def test_a_pipe_gets_every_race_in_full(log_of_many: Path, capsys: Capture) -> None:
    assert cli.main(["scan", str(log_of_many)]) == cli.EXIT_RACES
    out = capsys.readouterr().out
    assert out.count("created at") == 2 * COUNT
    assert "not shown" not in out


def test_a_terminal_is_told_that_nothing_was_found(tmp_path: Path, capsys: Capture) -> None:
    log = tmp_path / "ok.log"
    log.write_text("all well\n")
    assert scan_on_terminal(log) == ["no race found in 1 input"]
    assert scan_on_terminal(tmp_path, "--test", "TestX") == ["no race that matches the options found in 1 input"]
    cli.main(["scan", str(log)])
    assert capsys.readouterr().out == ""


def test_locations_are_lines_that_editors_open(tmp_path: Path) -> None:
    log = tmp_path / "ci.log"
    log.write_text("well\n" * 40 + REPORT)
    [line] = [line for line in scan_on_terminal(log) if "ci.log" in line]
    name, _, number = line.strip().rpartition(":")
    assert name == str(log)
    assert "WARNING: DATA RACE" in "".join(log.read_text().splitlines()[int(number) - 1 : int(number) + 1])
    assert "at byte" not in " ".join(scan_on_terminal(log))


# -- filters ----------------------------------------------------------------------------------------


def titles(capsys: Capture, *args: str | Path) -> list[str]:
    cli.main(["scan", "--format", "jsonl", *map(str, args)])
    return [json.loads(line)["title"] for line in capsys.readouterr().out.splitlines()]


def test_filters_choose_reports_by_detector_package_and_test(tmp_path: Path, capsys: Capture) -> None:
    log = tmp_path / "ci.log"
    log.write_text(many_races(6) + (ROOT / "tsan" / "test-of-googletest.txt").read_text())
    assert len(titles(capsys, log)) == 7
    assert len(titles(capsys, log, "--detector", "tsan")) == 1
    assert len(titles(capsys, log, "--package", "shop1")) == 3
    assert len(titles(capsys, log, "--package", "shop[0-9]")) == 6
    assert titles(capsys, log, "--package", "hop1") == []
    [of_test] = titles(capsys, log, "--test", "CartTest.*")
    assert of_test == titles(capsys, log, "--detector", "tsan")[0]


def test_new_since_shows_what_the_baseline_does_not_have(tmp_path: Path, capsys: Capture) -> None:
    old, new, baseline = tmp_path / "old.log", tmp_path / "new.log", tmp_path / "races.jsonl"
    old.write_text(many_races(3))
    new.write_text(many_races(5))
    cli.main(["gate", "--baseline", str(baseline), "--update", "--quiet", str(old)])
    capsys.readouterr()
    assert cli.main(["scan", "--new-since", str(baseline), str(new)]) == cli.EXIT_RACES
    out = capsys.readouterr().out
    assert "2 races, 2 sightings" in out
    assert "(*Cart4)" in out
    assert "(*Cart2)" not in out
    assert cli.main(["scan", "--new-since", str(baseline), str(old)]) == cli.EXIT_NOTHING


@pytest.mark.parametrize(
    "args", [["--group-by", "test", "--format", "html"], ["--limit", "3", "--format", "jsonl"], ["--sort", "magic"]]
)
def test_options_that_a_format_cannot_follow_are_refused(log_of_many: Path, capsys: Capture, args: list[str]) -> None:
    with pytest.raises(SystemExit) as exit_info:
        cli.main(["scan", *args, str(log_of_many)])
    assert exit_info.value.code == cli.EXIT_USAGE
    assert capsys.readouterr().err.count("\n") == 1


def test_cause_and_identity_are_explained(capsys: Capture) -> None:
    cli.main(["scan", "--cause", "--why", str(ROOT / "go" / "two-goroutines.txt")])
    out = capsys.readouterr().out
    for expected in ("cause: ", "missing  ", "evidence  ", "remedy  ", "fingerprint ", "Nothing orders the write"):
        assert expected in out


def test_hints_name_options_that_the_command_has(log_of_many: Path, tmp_path: Path) -> None:
    grouped = " ".join(scan_on_terminal(log_of_many, "--group-by", "cause"))
    assert "--group-by package" not in grouped
    assert "--full" not in " ".join(scan_on_terminal(log_of_many, "--brief"))
    out = Terminal()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdout", out)
        cli.main(["gate", "--quiet", "--baseline", str(tmp_path / "none"), str(log_of_many)])
    assert "not shown: --full shows the stacks" in " ".join(out.getvalue().split())
    assert "--limit" not in out.getvalue()


def test_a_limit_is_told_in_every_format(log_of_many: Path, capsys: Capture) -> None:
    for name in ("sarif", "junit", "github", "gitlab", "markdown", "pr-comment", "html"):
        cli.main(["scan", "--limit", "2", "--format", name, str(log_of_many)])
        assert f"--limit leaves out {COUNT - 2} races" in capsys.readouterr().err


def test_a_dumb_terminal_gets_no_colours(log_of_many: Path) -> None:
    out = Terminal()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TERM", "dumb")
        patch.setattr(sys, "stdout", out)
        cli.main(["scan", "--quiet", str(log_of_many)])
    assert "\x1b" not in out.getvalue()


def test_lines_are_those_of_the_file_that_was_read(tmp_path: Path) -> None:
    log = tmp_path / "new\nline.log"
    log.write_text("well\n" * 9 + REPORT)
    finder = LineNumbers({"a": str(log), "pipe": str(tmp_path / "pipe"), "gone": str(tmp_path / "gone")})
    os.mkfifo(tmp_path / "pipe")
    assert finder.line_of("a", 45) == 10
    assert [finder.line_of(name, 45) for name in ("pipe", "gone", "other")] == [None] * 3
    log.write_text("")
    assert finder.line_of("a", 45) is None
    log.write_text(REPORT)
    assert "new\\nline.log:2" in " ".join(scan_on_terminal(log, columns=200))


# -- one title for one race -------------------------------------------------------------------------

TWO_TITLES = REPORT.replace("Previous read", "Previous write")


@pytest.mark.parametrize("order", [(REPORT, TWO_TITLES), (TWO_TITLES, REPORT)])
def test_every_command_shows_the_same_title(tmp_path: Path, capsys: Capture, order: tuple[str, str]) -> None:
    log = tmp_path / "ci.log"
    log.write_text("".join(order))
    outputs = []
    for command in (["scan"], ["explain"], ["gate", "--baseline", str(tmp_path / "none.jsonl"), "--quiet"]):
        cli.main([*command, str(log)])
        outputs.append(capsys.readouterr().out.splitlines()[0].removeprefix("1. "))
    assert len(set(outputs)) == 1
    assert outputs[0].startswith("write/write race")


# -- explain ----------------------------------------------------------------------------------------


def explained(monkeypatch: pytest.MonkeyPatch, width: int, *args: str) -> list[str]:
    out = io.StringIO()
    with monkeypatch.context() as patch:
        patch.setenv("COLUMNS", str(width))
        patch.setattr(sys, "stdout", out)
        cli.main(["explain", "--quiet", *args])
    return out.getvalue().splitlines()


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("folder", ["go", "tsan", "kcsan", "helgrind", "miri"])
def test_no_line_of_a_dossier_is_wider_than_the_terminal(
    monkeypatch: pytest.MonkeyPatch, folder: str, width: int
) -> None:
    lines = explained(monkeypatch, width, "--diff", str(ROOT / folder))
    assert len(lines) > 200
    assert [line for line in lines if cell_width(line) > width] == []


@pytest.mark.skipif(not TIDB or not SEEDS, reason="no clone, or no seeds")
@pytest.mark.parametrize("seed", SEEDS, ids=lambda path: path.stem[:3])
def test_answer_and_snippets_of_a_bug_report_are_on_the_first_40_lines(
    monkeypatch: pytest.MonkeyPatch, seed: Path
) -> None:
    for width in WIDTHS:
        lines = explained(monkeypatch, width, "--repo", TIDB, str(seed))
        assert [line for line in lines if cell_width(line) > width] == []
    lines = explained(monkeypatch, 100, "--repo", TIDB, str(seed))
    start = next(index for index, line in enumerate(lines) if line.startswith(("  based on", "  to find out")))
    assert start <= 40
    head = "\n".join(lines[:start])
    for label in ("variable", "cause", "affected", "fix", "owner", str(seed)):
        assert label in head
    sides = 1 if "error stack" in lines[0] else 2
    assert len(re.findall(r"^   > +\d+ ", head, re.MULTILINE)) == sides
