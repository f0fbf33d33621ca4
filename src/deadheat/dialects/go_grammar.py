"""Patterns for the header lines of a Go race report."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from deadheat.dialects import Folds
from deadheat.model import Op
from deadheat.text.late import regex

if TYPE_CHECKING:
    import re

BANNER: Final = "WARNING: DATA RACE"
_OP: Final = (
    r"(?P<op>(?P<previous>Previous )(?:atomic )?(?:read|write)|Read|Write|Atomic (?:read|write))"
)
# "goroutine 6", or "goroutine A" in a report that was rewritten by hand
_ACTOR: Final = r"(?P<actor>main goroutine|goroutine (?:\d{1,18}|[A-Z]))(?: \[[^\]]{0,80}\])?:"
# "0x...", "0x…5ac8", "0xc000…", "0xXXXX": an address that was elided by hand
_LEFT_OUT: Final = r"(?:0x)?[0-9a-f]{0,12}(?:\.{2,3}|…|[xX?*_]{2,16})[0-9a-f]{0,12}"
# "Previous write at 0x00c0000a1238 by goroutine 6:", "Read by main goroutine:"
ACCESS: Final = regex(
    rf"{_OP}(?: at (?:(?P<address>0x[0-9a-f]{{1,16}})|(?P<left>{_LEFT_OUT})))? by {_ACTOR}"
)
# "Read at 0x00c0000180a8 by debug: tick main goroutine:": other output within a header
TORN: Final = regex(rf"{_OP} at (?P<address>0x[0-9a-f]{{1,16}})(?P<left>) by .{{1,120}}?{_ACTOR}")
# the start and the end of a header, with other lines in between
FIRST_HALF: Final = regex(rf"{_OP} at 0x[0-9a-f]{{1,16}} by\b")
SECOND_HALF: Final = regex(_ACTOR)
# "Goroutine 7 (running) created at:"
CREATED: Final = regex(r"Goroutine (\d{1,18}|[A-Z]) \((running|finished)\) created at:")

# the ends of lines that were joined; a call is followed by its location. Lines that were copied from a
# terminal may be padded with spaces
_GAP: Final = r"(?:\\[rt]|[^\w/(\[<.?=+])"
_GOROUTINE: Final = r"oroutine(?: \d{1,18})?(?: gp=[^\[]{1,80})?(?: \[[^\]]{1,80}\])?:"
_PLACE: Final = r"[^\s()]{1,400}:\d{1,9}\b"
# "-:0 +0x5ab3f1" is a location, too
FOLDS: Final = Folds(
    regex(
        rf"(?P<end>{BANNER}|=={{17}}|{_GOROUTINE}|created at:|the stack\]"
        r"|\+0x[0-9a-f]{1,8}(?: fp=\S{1,20} sp=\S{1,20} pc=0x[0-9a-f]{1,16})?"
        rf"|(?:\(\)|\.(?:go|s):\d{{1,9}}(?! \+0x))(?={_GAP})"
        r"|(?:\)|created by [^\s()]{1,400}|in goroutine \d{1,18})"
        rf"(?={_GAP}{{1,40}}{_PLACE}))(?:(?!-:0 ){_GAP}){{0,600}}"
        r"|(?<!by )(?<!in )(?=goroutine \d{1,18} (?:gp=[^\[]{1,80})?\[)"
    ),
    regex(
        rf"{_GOROUTINE}{_GAP}{{0,600}}(?:[^\s()]{{1,400}}[(]|\[fail)"
        rf"|{BANNER}{_GAP}{{0,600}}(?:Read|Write|Prev|Atom)"
    ),
)

OPS: Final = {
    "read": Op.READ,
    "write": Op.WRITE,
    "atomic read": Op.ATOMIC_READ,
    "atomic write": Op.ATOMIC_WRITE,
}


def op(match: re.Match[str]) -> Op:
    """The operation in an access header."""
    return OPS[match["op"].removeprefix("Previous ").lower()]


def is_banner(body: str) -> bool:
    """Is this the banner, with text glued to at most one side? With text on both sides it is prose."""
    return body.startswith(BANNER) or body.endswith(BANNER)
