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

A report has two accesses with their stacks, then where each goroutine was created. Old versions
omit the address. Size, atomicity and locks are not printed. If one line both reads and writes, the
offsets of the two accesses (`+0x45`) show whether there is a call in between, as with `append`;
this is reported as a fact.

## Damage that is tolerated

Foreign lines anywhere, foreign text before or after any line, lines wrapped at a column, blank
lines doubled or missing, indentation missing; a missing banner, bar, access, or frames in the
middle. A report needs one access header with at least one frame below it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from deadheat.dialects import go_order, go_quick
from deadheat.dialects.go_grammar import ACCESS, BANNER, FOLDS, is_banner
from deadheat.dialects.go_machine import GoMachine
from deadheat.symbols import go
from deadheat.text.late import regex

if TYPE_CHECKING:
    from collections.abc import Sequence

    from deadheat.model import Report

_HEADER = regex(rf"{BANNER}|{ACCESS.pattern}")
# the end of a wrapped header, or a creation header below the accesses
_REMNANT = regex(r"DATA RACE\s*$|goroutine(?: \d{1,18})?:?\s*$|created at:?\s*$")
# raw bytes, perhaps colored: the end of an access header, or the start of a creation header
_PROMISE = regex(
    rb"oroutine(?:[ \t]|\xc2\xa0|&nbsp;|\x1b\[[0-9;]*m|</?[a-z][^<>\n]{0,99}>){0,4}"
    rb"(?:(?:\d{1,18}|[A-Z])(?:\x1b\[[0-9;]*m|</[a-z]{1,9}>)?)?"
    rb"(?::|[^a-z]{0,9}\((?:running|finished)|[ \t]*\r?\n)"
)
# a cut access header: "Read at 0x00c000123456 by gorou", "Previous write by", "Read"
_ADDRESS = rb"[0-9a-f]{0,16}(?![0-9a-f]| by (?:main )?goroutine)"
_ALONE = rb"(?:\W{0,4}\n| by(?! (?:main )?goroutine))"
_CUT = {
    **{word: regex(word + _ADDRESS) for word in (b" at 0x", b" 0x00c")},
    **{word: regex(word + _ALONE) for word in (b"Read", b"Write", b"us read", b"us write")},
}
_FRAME = (b"()", b" +0x")
# parts of a location, or of what replaces a stack; one stays intact wherever the line is wrapped.
# "()" for stacks without locations
_PLACES = (b" +0x", b"go:", b"go</", b"[fail", b"the stack]", b"()\n", b"()\r\n")
# "/src/shop/native.cc:31"
_PLACE = regex(rb"\.[A-Za-z]{1,4}:\d")
_NEAR = 1 << 11


class GoDialect:
    """Go's race detector, as every version since 1.1 prints it."""

    name = "go"
    called = "Go's race detector"
    symbols = go
    anchors = (
        b"DATA RACE",
        b" by goroutine",
        b" by main goroutine",
        b") created at",
        # the same, colored word by word
        *(
            b"DATA\x1b[",
            b"DATA \x1b[",
            b"by\x1b[",
            b"by \x1b[",
            b"goroutine\x1b[",
            b"goroutine \x1b[",
        ),
        # the same, copied from a web page
        *(b"DATA\xc2\xa0RACE", b"by\xc2\xa0goroutine", b"DATA&nbsp;RACE", b"by&nbsp;goroutine"),
        # the same, with a tag around each word
        *(b"DATA</", b"goroutine</"),
    )

    hints = (b"DATA", b"oroutine")

    def column(self, text: str) -> int:
        if "goroutine" not in text and BANNER not in text:
            return -1
        match = _HEADER.search(text)
        if match is None or (match[0] == BANNER and not is_banner(text.strip())):
            return -1
        return match.start()

    def remnant(self, text: str) -> bool:
        return _REMNANT.search(text) is not None

    def promises(self, ahead: bytes) -> bool:
        if not (b".go:" in ahead or any(word in ahead for word in _PLACES) or _PLACE.search(ahead)):
            return False
        if b"created at" in ahead:
            return True
        # searching for the literal first is ten times as fast
        at = ahead.find(b"oroutine")
        while at >= 0 and not _PROMISE.match(ahead, at):
            at = ahead.find(b"oroutine", at + 1)
        return at >= 0

    back = 1 << 14

    def sign(self, above: bytes) -> int:
        # an access header that was cut within its anchor, or frames without a header just above
        cuts = [_CUT[word].search(above) for word in _CUT if word in above]
        signs = [cut.start() for cut in cuts if cut]
        if all(word in above[-_NEAR:] for word in _FRAME):
            signs += map(above.find, _FRAME)
        return min(signs, default=len(above))

    headed = True

    def order(self, lines: Sequence[str]) -> int:
        return go_order.order(lines)

    def starts(self, anchor: bytes) -> bool:
        return anchor.startswith(b"DATA")

    beside = None
    near = 0
    folds = FOLDS

    opening = f"{BANNER}\n".encode()
    closing = b"\n==================\n"
    volatile = regex(rb" at 0x(?P<address>[0-9a-f]+)|oroutine (?P<actor>\d+)")

    def glance(self, text: str) -> Report | None:
        return go_quick.glance(text)

    def whole(self, text: str) -> Report | None:
        return go_quick.whole(text)

    def machine(self) -> GoMachine:
        return GoMachine()


DIALECT = GoDialect()
