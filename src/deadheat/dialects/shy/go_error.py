"""Stacks that Go programs print under an error.

## What they look like

    [ledger:1204]no open batch
    github.com/pkg/errors.WithStack
        /go/pkg/mod/github.com/pkg/errors@v0.9.1/errors.go:145
    example.com/shop/ledger.(*Batch).add
        /src/shop/ledger/batch.go:88
    example.com/shop/ledger.(*worker).run
        /src/shop/ledger/worker.go:41
    runtime.goexit
        /usr/local/go/src/runtime/asm_amd64.s:1371

`pkg/errors` and its kin print the function, then a tab, the file and the line; no arguments, no `()`,
no offset. Loggers such as zap print the same under every line of level error.

## When it is read

Almost all such stacks have nothing to do with a race, so this dialect is *shy*: it is left out unless
the text is a bug report that speaks of a race, or `--error-stacks` asks for it. What comes out is of
kind `error-stack` and has one access, of operation `unknown` and without an actor: where the program
noticed, never proof of a race. The line above the stack is told as the fact `error`. The site is the
innermost frame of the user's own code; the library that made the error is nobody's code.

## What is read in spite of damage

Times and other prefixes, indentation gone, blank lines doubled, lines broken at a column, a logger's
line with `\\n\\t` in it, foreign lines between frames, a log line glued to either end of one. Two
frames are needed. An error that was wrapped on its way prints a stack per wrapping: the first one is
where it was made, and the others are left out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from deadheat.dialects import go_order
from deadheat.dialects.shy.go_error_grammar import LOCATION_LAST, SYMBOL
from deadheat.dialects.shy.go_error_machine import NAME, ErrorMachine
from deadheat.symbols import go
from deadheat.text.late import regex

if TYPE_CHECKING:
    from collections.abc import Sequence

    from deadheat.model import Report

# in raw bytes: "\x1b[31m", also as records have it
_COLOUR = rb"(?:\x1b|\\u001b|\\x1b|\\033)\[[0-9;]*[mK]"
# in raw bytes: a location that ends its line, its field or its escaped line
# the end of a colour whose escape is gone, or shown
_BARE = rb"(?:\^\[|ESC|\xe2\x90\x9b|\xe2\x86\x90)?\[0m"
_PROMISE = regex(
    rb"\.go(?:" + _COLOUR + rb"){0,4}:\d{1,9}"
    rb"(?:"
    + _COLOUR
    + rb"|[^\w\s+(:.-]){0,9}\s*(?:[\r\n]|\\[nr]|\\u000a|%0[AD]|\"|&#|#012|<|"
    + _BARE
    + rb"|$)"
)
# in raw bytes: what may be a function at the end of a line, a field or an escaped line; begins
# with a dot (after a name, or the `m` or `K` of a colour) because that is searched for fast
_FUNCTION = regex(
    rb"\.(?<=[\w)\]].)(?:" + _COLOUR + rb"){0,4}[A-Za-z_(*]"
    rb"(?:[\w.()*\[\]-]|"
    + _COLOUR
    + rb"){0,400}\s*(?:[\r\n]|\\|%0[AD]|\"|&#|#012|<|"
    + _BARE
    + rb"|$)"
)


class ErrorDialect:
    """Error stacks in the style of pkg/errors."""

    name = NAME
    called = "an error's stack"
    symbols = go
    anchors = (b".go:", b".go\x1b[")
    hints = anchors
    opening = closing = None
    volatile = None
    folds = None
    beside = _FUNCTION
    near = 1 << 11  # the next function stands within so many bytes
    # the function and the error's text stand just before the first location, records around each
    back = 1 << 12

    def column(self, text: str) -> int:
        text = text.rstrip(" \t|\r")
        if match := SYMBOL.search(text):
            return match.start(1)
        # no opening, but where a report's own text begins on its line
        match = LOCATION_LAST.search(text) if ":" in text[-10:] else None
        return match.start() if match else -1

    def remnant(self, text: str) -> bool:
        return LOCATION_LAST.search(text) is not None

    def promises(self, ahead: bytes) -> bool:
        line = ahead.find(b"\n") + 1 or len(ahead)
        if _PROMISE.search(ahead, 0, line) is None:
            return False
        return self.beside.search(ahead, 0, line + self.near) is not None

    def sign(self, above: bytes) -> int:
        return 0

    def glance(self, text: str) -> Report | None:
        return None

    def whole(self, text: str) -> Report | None:
        return None

    headed = False

    def order(self, lines: Sequence[str]) -> int:
        return go_order.order(lines)

    def starts(self, anchor: bytes) -> bool:
        return False

    def machine(self) -> ErrorMachine:
        return ErrorMachine()


DIALECT = ErrorDialect()
