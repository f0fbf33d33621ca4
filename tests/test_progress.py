"""The progress line: what it says, how wide it is, when it appears, and that it leaves nothing behind."""

from __future__ import annotations

import fcntl
import io
import os
import pty
import re
import struct
import subprocess
import sys
import termios
import threading
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

import deadheat
from deadheat import cli
from deadheat.cli.progress import (
    CountOf,
    LineStyle,
    ProgressLine,
    ProgressState,
    format_bytes,
    format_commits,
    format_duration,
    format_line,
    is_terminal,
    show_progress,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

ERASED = "\r\x1b[K"
SEQUENCE = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


class Terminal(io.StringIO):
    """A terminal without a size."""

    encoding = "utf-8"

    def isatty(self) -> bool:
        return True

    @property
    def screen(self) -> str:
        """What is on the last line now."""
        line = self.getvalue().rpartition("\n")[2]
        return SEQUENCE.sub("", line.rpartition("\r")[2])


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture(autouse=True)
def plain_terminal(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    yield
    monkeypatch.setattr(cli, "pause_progress", nullcontext)


def new_line(total: float | None = None) -> tuple[ProgressLine, Terminal, Clock]:
    out, clock = Terminal(), Clock()
    return ProgressLine(total, None, format_commits, "reading", out, clock), out, clock


# -- what it says -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("state", "expected"),
    [
        (
            ProgressState("reading", 2e9, 4e9, 4, "1 report found"),
            "reading  ##########----------   50%  2.0 GB of 4.0 GB  4 s left  500.0 MB/s  1 report found",
        ),
        (
            ProgressState("examining", 12345, 30669, 1.5, "", format_commits),
            "examining  ########------------   40%  12,345 of 30,669 commits  2 s left  8,230/s",
        ),
        (ProgressState("searching", 1, None, 9, "", format_commits), "searching  1 commit  0.11/s"),
        (ProgressState("starting Spark", 0, None, 7.4), "starting Spark  7 s"),
        # neither a rate of a moment nor an estimate from nothing
        (ProgressState("reading", 5e8, 1e9, 0.01), "reading  ##########----------   50%  500.0 MB of 1.0 GB"),
        (ProgressState("reading", 1, 1e9, 5), "reading  --------------------    0%  1 B of 1.0 GB  0 B/s"),
        (ProgressState("a", 7, 7, 5, "", format_commits), "a  ####################  100%  7 of 7 commits  1.4/s"),
    ],
)  # fmt: skip
def test_line_says_phase_amount_rate_and_time_left(state: ProgressState, expected: str) -> None:
    assert format_line(state, 200) == expected


@pytest.mark.parametrize(
    ("width", "expected"),
    [
        (80, "examining  ########------------   40%  12,345 of 30,669 commits  2 s left"),
        (60, "examining   40%  12,345 of 30,669 commits  2 s left  8,230/s"),
        (48, "examining   40%  12,345 of 30,669 commits"),
        (30, "examining   40%  2 s left"),
        (9, "examining"),
        (4, "exam"),
    ],
)
def test_narrow_line_keeps_what_matters(width: int, expected: str) -> None:
    state = ProgressState("examining", 12345, 30669, 1.5, "", format_commits)
    assert format_line(state, width) == expected


@given(
    phase=st.text("abc ", max_size=60), done=st.floats(0, 1e15), total=st.none() | st.floats(0, 1e15),
    seconds=st.floats(0, 1e7), note=st.sampled_from(["", "3 reports found"]), width=st.integers(1, 250),
    unit=st.sampled_from([format_bytes, format_commits, CountOf("race")]), colour=st.booleans(),
)  # fmt: skip
def test_line_is_never_wider_than_the_terminal(
    phase: str, done: float, total: float | None, seconds: float, note: str, width: int, unit: CountOf, colour: bool
) -> None:
    state = ProgressState(phase, done, total, seconds, note, unit)
    line = format_line(state, width, LineStyle(colour, unicode=True))
    assert len(SEQUENCE.sub("", line)) <= width
    assert SEQUENCE.sub("", line) == format_line(state, width, LineStyle(False, unicode=True))
    assert ("\x1b" in line) <= colour
    assert "\n" not in line


@pytest.mark.parametrize(
    ("seconds", "expected"), [(0.4, "0 s"), (89, "89 s"), (150, "2 min"), (5100, "85 min"), (5400, "1 h 30 min")]
)
def test_duration(seconds: float, expected: str) -> None:
    assert format_duration(seconds) == expected


# -- when it appears --------------------------------------------------------------------------------


def test_line_appears_after_a_second_and_is_erased() -> None:
    line, out, clock = new_line(40)
    line.tick(10)
    clock.now += 0.9
    line.tick(5)
    assert out.getvalue() == ""  # what is soon over needs no line
    clock.now += 1.1
    line.tick(5)
    assert out.screen == "reading  ━━━━━━━━━━──────────   50%  20 of 40 commits  2 s left  10/s"
    before = out.getvalue()
    clock.now += 0.05
    line.tick(5)  # not more often than can be read
    assert out.getvalue() == before
    line.clear()
    assert out.getvalue() == before + ERASED
    line.clear()
    assert out.getvalue() == before + ERASED


@pytest.mark.parametrize(("variable", "value"), [("TERM", "dumb"), ("", "")])
def test_nothing_is_drawn_where_it_cannot_be_erased(monkeypatch: pytest.MonkeyPatch, variable: str, value: str) -> None:
    out: io.StringIO = Terminal() if variable else io.StringIO()
    if variable:
        monkeypatch.setenv(variable, value)
    assert not is_terminal(out)
    clock = Clock()
    line = ProgressLine(None, None, format_commits, "reading", out, clock)
    clock.now += 9
    line.tick(10)
    line.stop()
    assert out.getvalue() == ""


def test_quiet_command_has_no_line_and_no_thread() -> None:
    before = threading.active_count()
    with show_progress(True, "reading") as line:
        assert not line.is_enabled
        assert threading.active_count() == before


def test_colours_only_without_no_color(monkeypatch: pytest.MonkeyPatch) -> None:
    for value, expected in (("1", False), ("", True)):
        monkeypatch.setenv("NO_COLOR", value)
        line, out, clock = new_line()
        clock.now += 2
        line.tick(10)
        assert ("\x1b[1m" in out.getvalue()) is expected


def test_bar_is_ascii_if_the_terminal_is_not_utf_8() -> None:
    line, out, clock = new_line(40)
    out.encoding = "latin-1"
    clock.now += 2
    line.tick(20)
    assert out.screen.isascii()


def test_terminal_that_went_away_ends_the_line() -> None:
    line, out, clock = new_line()
    out.close()
    clock.now += 2
    line.tick(10)
    assert not line.is_enabled


# -- phases -----------------------------------------------------------------------------------------


def test_part_of_a_phase_is_shown_until_it_is_done() -> None:
    line, out, clock = new_line()
    line.start_phase("explaining the race")
    clock.now += 3
    line.refresh()
    assert out.screen == "explaining the race  3 s"
    line.show_count("reading the history", 0, 50, "commit")
    clock.now += 1
    line.show_count("reading the history", 25, 50, "commit")
    assert out.screen.startswith("reading the history  ━━━━━━━━━━──────────   50%  25 of 50 commits")
    line.show_count("reading the history", 50, 50, "commit")
    clock.now += 1
    line.refresh()
    assert out.screen == "explaining the race  5 s"
    with line.run_phase("starting Spark"):
        clock.now += 2
        line.refresh()
        assert out.screen == "starting Spark  2 s"
    clock.now += 1
    line.refresh()
    assert out.screen == "explaining the race  1 s"


def test_message_is_printed_on_a_line_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    line, out, clock = new_line()
    monkeypatch.setattr(sys, "stderr", out)
    clock.now += 2
    line.tick(10)
    assert out.screen.startswith("reading")
    cli.print_to_stderr("a.log: no such file")
    assert out.getvalue().endswith(f"{ERASED}deadheat: a.log: no such file\n")
    clock.now += 1
    line.tick(10)
    assert out.screen.startswith("reading")
    line.stop()
    assert out.screen == ""
    clock.now += 1
    line.tick(10)
    assert out.screen == ""


# -- on a real terminal -----------------------------------------------------------------------------

SCRIPT = """
import itertools, sys
from deadheat import cli
from deadheat.cli.progress import ProgressLine, format_commits
seconds = itertools.count()
line = ProgressLine(1000, None, format_commits, "reading the history", clock=lambda: float(next(seconds)))
for number in range(30):
    line.tick(10)
    if number == 15:
        cli.print_to_stderr("a message")
line.stop()
print("the result")
"""


@pytest.mark.parametrize("columns", [20, 40, 60, 100, 200])
def test_line_on_a_terminal_fits_and_is_gone_at_the_end(columns: int) -> None:
    """The clock is that of the script, so that nothing depends on the speed of this machine."""
    main, other = pty.openpty()
    fcntl.ioctl(other, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    source = str(Path(deadheat.__file__).parents[1])
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": source, "TERM": "xterm", "PYTHONIOENCODING": "utf-8"}
    process = subprocess.Popen(
        [sys.executable, "-c", SCRIPT], stdin=subprocess.DEVNULL, stdout=other, stderr=other, env=environment
    )
    os.close(other)
    output = b""
    while True:
        try:
            chunk = os.read(main, 65536)
        except OSError:  # the terminal is closed
            break
        if not chunk:
            break
        output += chunk
    os.close(main)
    assert process.wait(60) == 0
    text = output.decode()
    frames = [SEQUENCE.sub("", frame) for frame in re.split(r"\r(?!\n)", text)]
    drawn = [frame for frame in frames if frame.startswith("reading")]
    assert len(drawn) > 20
    assert max(len(frame) for frame in drawn) < columns
    assert "\r\x1b[Kdeadheat: a message\r\n" in text
    assert text.endswith("\r\x1b[Kthe result\r\n")
