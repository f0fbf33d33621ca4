"""Go's race detector.

## What it prints

    ==================
    WARNING: DATA RACE
    Write at 0x00c0000a1238 by goroutine 7:
      example.com/shop/cart.(*Cart).Add()
          /src/shop/cart/cart.go:31 +0x45

    Previous read at 0x00c0000a1238 by main goroutine:
      example.com/shop/cart.(*Cart).Total()
          /src/shop/cart/cart.go:40 +0x38

    Goroutine 7 (running) created at:
      main.main()
          /src/shop/main.go:12 +0x9a
    ==================

A report has two accesses with their stacks, then where each goroutine was created. Old versions omit the address. Size,
atomicity and locks are not printed. If one line both reads and writes, the offsets of the two accesses (`+0x45`) show
whether there is a call in between, as with `append`; this is reported as a fact.

## Damage that is tolerated

Foreign lines anywhere, foreign text before or after any line, lines wrapped at a column, blank lines doubled or
missing, indentation missing; a missing banner, bar, access, or frames in the middle. A report needs one access header
with at least one frame below it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from deadheat.detectors import Detector
from deadheat.detectors.go import fast
from deadheat.detectors.go.line_parser import GoRaceParser
from deadheat.detectors.go.line_patterns import ACCESS_HEADER, BANNER, JOINED_LINES, is_banner
from deadheat.parsing import line_order
from deadheat.symbols import go
from deadheat.text import lazy_compile

if TYPE_CHECKING:
    from collections.abc import Sequence

    from deadheat.model import Report

_REPORT_HEADER = lazy_compile(rf"{BANNER}|{ACCESS_HEADER.pattern}")
# the end of a wrapped header, or a creation header below the accesses
_HEADER_FRAGMENT = lazy_compile(r"DATA RACE\s*$|goroutine(?: \d{1,18})?:?\s*$|created at:?\s*$")
# raw bytes, perhaps colored: the end of an access header, or the start of a creation header
_GOROUTINE_HEADER = lazy_compile(
    rb"oroutine(?:[ \t]|\xc2\xa0|&nbsp;|\x1b\[[0-9;]*m|</?[a-z][^<>\n]{0,99}>){0,4}"
    rb"(?:(?:\d{1,18}|[A-Z])(?:\x1b\[[0-9;]*m|</[a-z]{1,9}>)?)?"
    rb"(?::|[^a-z]{0,9}\((?:running|finished)|[ \t]*\r?\n)"
)
# a cut access header: "Read at 0x00c000123456 by gorou", "Previous write by", "Read"
_CUT_ADDRESS = rb"[0-9a-f]{0,16}(?![0-9a-f]| by (?:main )?goroutine)"
_CUT_WORD = rb"(?:\W{0,4}\n| by(?! (?:main )?goroutine))"
_CUT_HEADERS = {
    **{literal: lazy_compile(literal + _CUT_ADDRESS) for literal in (b" at 0x", b" 0x00c")},
    **{literal: lazy_compile(literal + _CUT_WORD) for literal in (b"Read", b"Write", b"us read", b"us write")},
}
_FRAME_LITERALS = (b"()", b" +0x")
# parts of a location, or of what replaces a stack; one stays intact wherever the line is wrapped. "()" for stacks
# without locations
_LOCATION_LITERALS = (b" +0x", b"go:", b"go</", b"[fail", b"the stack]", b"()\n", b"()\r\n")
# "/src/shop/native.cc:31"
_FILE_AND_LINE = lazy_compile(rb"\.[A-Za-z]{1,4}:\d")
_NEARBY_BYTES = 1 << 11

# the program is loaded below; 0xc000000000, on 64-bit Arm 0x4000000000, on a Mac with it 0x14000000000
_HEAP_START, _HEAP_PREFIXES = 0x4000000000, (0xC0, 0x40, 0x140)


class GoRaceDetector(Detector):
    """Go's race detector, as every version since 1.1 prints it."""

    name = "go"
    display_name = "Go's race detector"
    symbols = go
    anchors = (
        *(b"DATA RACE", b" by goroutine", b" by main goroutine", b") created at"),
        # the same, colored word by word
        *(b"DATA\x1b[", b"DATA \x1b[", b"by\x1b[", b"by \x1b[", b"goroutine\x1b[", b"goroutine \x1b["),
        # the same, copied from a web page
        *(b"DATA\xc2\xa0RACE", b"by\xc2\xa0goroutine", b"DATA&nbsp;RACE", b"by&nbsp;goroutine"),
        # the same, with a tag around each word
        *(b"DATA</", b"goroutine</"),
    )

    hints = (b"DATA", b"oroutine")
    opening_literals = ("goroutine", BANNER)
    opening_patterns = (_REPORT_HEADER,)
    fragment_pattern = _HEADER_FRAGMENT
    lookback_bytes = 1 << 14
    joined_lines = JOINED_LINES
    report_start = f"{BANNER}\n".encode()
    report_end = b"\n==================\n"
    report_end_size = len(report_end)
    volatile_numbers = lazy_compile(rb" at 0x(?P<address>[0-9a-f]+)|oroutine (?P<actor>\d+)")

    def find_opening(self, text: str) -> int:
        column = super().find_opening(text)
        is_prose = column >= 0 and text.startswith(BANNER, column) and not is_banner(text.strip())
        return -1 if is_prose else column

    def might_contain(self, following: bytes) -> bool:
        if not (
            b".go:" in following
            or any(literal in following for literal in _LOCATION_LITERALS)
            or _FILE_AND_LINE.search(following)
        ):
            return False
        if b"created at" in following:
            return True
        # searching for the literal first is ten times as fast
        at = following.find(b"oroutine")
        while at >= 0 and not _GOROUTINE_HEADER.match(following, at):
            at = following.find(b"oroutine", at + 1)
        return at >= 0

    def earliest_start(self, preceding: bytes) -> int:
        # an access header that was cut within its anchor, or frames without a header just above
        matches = [_CUT_HEADERS[literal].search(preceding) for literal in _CUT_HEADERS if literal in preceding]
        starts = [match.start() for match in matches if match]
        if all(literal in preceding[-_NEARBY_BYTES:] for literal in _FRAME_LITERALS):
            starts += map(preceding.find, _FRAME_LITERALS)
        return min(starts, default=len(preceding))

    def order_score(self, lines: Sequence[str]) -> int:
        return line_order.go_order_score(lines)

    def anchor_starts_report(self, anchor: bytes) -> bool:
        return anchor.startswith(b"DATA")

    def address_traits(self, address: int) -> object:
        # alignment; the heap, or the program below it
        return address % 16, 0 < address < _HEAP_START, address >> 32 if address >> 32 in _HEAP_PREFIXES else None

    def parse_intact(self, text: str) -> Report | None:
        return fast.parse_intact(text)

    def new_parser(self) -> GoRaceParser:
        return GoRaceParser()


DETECTOR = GoRaceDetector()
