"""Text that resembles a report is none, hides none, and is cheap to reject."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

import deadheat
from bench.hostile import hostile_texts
from bench.logs import NEAR_MISSES
from deadheat.parsing.active_parsers import ActiveParsers

if TYPE_CHECKING:
    from collections.abc import Callable

REPORT = b"""\
==================
WARNING: DATA RACE
Write at 0x00c0000a1238 by goroutine 73:
  example.com/shop/cart.(*Basket).add()
      /home/ci/build/shop/cart/basket.go:212 +0x384

Previous read at 0x00c0000a1238 by main goroutine:
  example.com/shop/cart.(*Basket).total()
      /home/ci/build/shop/cart/summary.go:40 +0x86

Goroutine 73 (running) created at:
  example.com/shop/cart.(*Server).launch()
      /home/ci/build/shop/cart/server.go:190 +0x10d
==================
"""
HEAD, REST = REPORT.split(b"WARNING: DATA RACE\n")
# found by the fast parser; line by line from the banner; from a header after the first line
REPORTS = {
    "whole": REPORT,
    "stamped": b"".join(b"[12:00:00] " + line for line in REPORT.splitlines(keepends=True)),
    "without banner": REST,
}


@pytest.fixture
def fed_lines(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The lines that are fed to parsers."""
    lines: list[str] = []
    feed = ActiveParsers.feed

    def counted(self: ActiveParsers, stream: str | None, text: str, at: int, end: int, after_end: bool) -> None:
        lines.append(text)
        feed(self, stream, text, at, end, after_end)

    monkeypatch.setattr(ActiveParsers, "feed", counted)
    return lines


# a truncated Miri header takes the following lines for its rest, even those of other reports
SWALLOWS = "Miri's headers"


@pytest.mark.long
@pytest.mark.parametrize("name", [name for name in hostile_texts() if name != SWALLOWS])
def test_hostile_text_is_not_a_report_and_hides_none(name: str) -> None:
    text = hostile_texts()[name](9_000)
    wide = text.startswith(b"\xff\xfe")
    for kind, report in REPORTS.items():
        behind = b"\n" + report + b"\n"
        both = text + (behind.decode().encode("utf-16-le") if wide else behind)
        sightings = [s for s in deadheat.scan(both, diagnose=False) if s.report.detector == "go"]
        sites = [[a.site and a.site.line for a in s.report.accesses] for s in sightings]
        assert sites == [[212, 40]], kind


# text that was once read a hundred times
AGAIN = (
    "creations in quotes of quotes, lured",
    "partial CRI lines without end, lured",
    "headers in sentences, lured",
    "halves of headers, lured",
    "banners in code, lured",
)


@pytest.mark.parametrize("name", AGAIN)
def test_no_line_is_read_repeatedly(name: str, fed_lines: list[str]) -> None:
    text = hostile_texts()[name](30_000)
    assert not deadheat.scan(text, diagnose=False)
    assert len(fed_lines) < 2.5 * text.count(b"\n") + 100


def test_near_misses_are_rejected_within_a_few_lines(fed_lines: list[str]) -> None:
    rng = random.Random(3)
    texts = [rng.choice(NEAR_MISSES) for _ in range(1_500)]
    assert not deadheat.scan("".join(texts), diagnose=False)
    assert len(fed_lines) < 15 * len(texts)


def test_most_near_misses_are_rejected_without_a_parser(fed_lines: list[str]) -> None:
    for text in NEAR_MISSES:
        assert not deadheat.scan(text, diagnose=False)
    assert len(fed_lines) < len(NEAR_MISSES)


SENTENCE = 'We saw "Write at 0x00c0000a1238 by goroutine 7:" {}\n'
FRAME = "  example.com/shop.(*Cart).Add()\n      /src/shop/cart.go:31 +0x45\n"


@pytest.mark.parametrize(
    ("text", "count"),
    [
        (SENTENCE.format("twice") + FRAME, 0),
        (SENTENCE.format("") + FRAME, 0),
        # without a position after the call, a line holds no report
        ("Write at 0x00c0000a1238 by goroutine 7: main.f() is to blame, so is main.g()\n", 0),
        (f"We saw Write at 0x00c0000a1238 by goroutine 7: in main.f() of cart.go:31\n{FRAME}", 0),
        # with text on one side only, it may be a header
        (f"progress: 45%Write at 0x00c0000a1238 by goroutine 7:\n{FRAME}", 1),
        (f"Write at 0x00c0000a1238 by goroutine 7:served in 3ms\n{FRAME}", 1),
        # after a prefix that the next lines share
        ("".join(f"w3> {x}\n" for x in f"Write by goroutine 7:ok\n{FRAME}".splitlines()), 1),
    ],
)
def test_header_within_a_sentence_starts_no_report(text: str, count: int) -> None:
    assert len(deadheat.scan(text, diagnose=False)) == count


def test_patterns_a_sentence_and_a_panic_are_no_report() -> None:
    patterns = '  - "WARNING: DATA RACE"\n  - "fatal error: concurrent map writes"\n  - "panic: "\n'
    dump = f"panic: no item\n\ngoroutine 1 [running]:\n{FRAME}exit status 2\n"
    assert not deadheat.scan(2 * f"patterns:\n{patterns}{SENTENCE.format('twice')}" + dump, diagnose=False)


@pytest.fixture(name="filler")
def _filler() -> Callable[[int], bytes]:
    return lambda size: b"request served in 3 ms, 200 OK\n" * (size // 31)


@pytest.mark.parametrize("gap", [0, 7_000, 200_000, 260_000, 300_000, 1_100_000])
def test_report_after_a_long_gap_is_found(gap: int, filler: Callable[[int], bytes]) -> None:
    """The skipped region ends before the report, wherever blocks end."""
    banners = b"the words DATA RACE and nothing else\n" * 40
    text = banners + filler(gap) + banners + REPORT + banners
    assert [s.span.offset for s in deadheat.scan(text, diagnose=False)] == [text.index(b"WARNING: DATA RACE\nW")]


# what this tool prints, in a page about it
TWO_COLUMNS = """\
# A data race

$ deadheat explain depot.log
1. read/write race in depot.(*Shelf): Total / Add
   READ by goroutine 7                                         WRITE by goroutine 6
     depot.(*Shelf).Total                                        depot.(*Shelf).Add
         depot/shelf.go:21                                           depot/shelf.go:13
     depot.TestShelf.func1                                       depot.TestShelf
         depot/shelf_test.go:9                                       depot/shelf_test.go:14
"""
FILE_THEN_LIST = """\
# A data race

$ deadheat scan var/log/depot.log
1. concurrent map in main.(*Depot).total

   READ by goroutine 1
         /home/ci/src/depot/main.go:19
     main.main
         /home/ci/src/depot/main.go:34
"""
TWO_NAMES = """\
The data race is between these two, see

    depot.(*Shelf).Total
        depot/shelf.go:21
    which is called while the shelf is filled in
    depot.(*Shelf).Add
        depot/shelf.go:13
"""


@pytest.mark.parametrize("text", [TWO_COLUMNS, FILE_THEN_LIST, TWO_NAMES])
def test_page_about_a_race_has_no_error_stack(text: str) -> None:
    assert deadheat.scan(text, "page.md", opt_in=True) == []
