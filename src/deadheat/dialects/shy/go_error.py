"""Error stacks of Go programs (opt-in).

## What it prints

    [ledger:1204]no open batch
    github.com/pkg/errors.WithStack
        /go/pkg/mod/github.com/pkg/errors@v0.9.1/errors.go:145
    example.com/shop/ledger.(*Batch).add
        /src/shop/ledger/batch.go:88
    example.com/shop/ledger.(*worker).run
        /src/shop/ledger/worker.go:41
    runtime.goexit
        /usr/local/go/src/runtime/asm_amd64.s:1371

`pkg/errors` and similar libraries print the function, then a tab, the file and the line, without
arguments, `()` or offset. Loggers such as zap print the same below every line of level error.

## When it is used

Almost all such stacks are unrelated to races, so this detector is opt-in: it is used for bug
reports that mention a race, and with `--error-stacks`. Its reports are of kind `error-stack` and
have one access, with the operation `unknown` and no actor. They show where the program failed and
are not evidence of a race. The line above the stack is the fact `error`. The site is the innermost
frame in user code; frames of the library that created the error are not user code.

## Damage that is tolerated

Timestamps and other prefixes, missing indentation, doubled blank lines, lines wrapped at a column,
escaped line breaks in a log line, foreign lines between frames, log lines glued to either end of a
line. At least two frames are needed. A wrapped error prints one stack per wrapping: the first one
is where the error was created, and the others are ignored.
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

# raw bytes: "\x1b[31m", also escaped
_COLOUR = rb"(?:\x1b|\\u001b|\\x1b|\\033)\[[0-9;]*[mK]"
# the end of a color without its escape character, or with a visible one
_BARE = rb"(?:\^\[|ESC|\xe2\x90\x9b|\xe2\x86\x90)?\[0m"
# raw bytes: a location at the end of a line, a field or an escaped line
_PROMISE = regex(
    rb"\.go(?:" + _COLOUR + rb"){0,4}:\d{1,9}"
    rb"(?:"
    + _COLOUR
    + rb"|[^\w\s+(:.-]){0,9}\s*(?:[\r\n]|\\[nr]|\\u000a|%0[AD]|\"|&#|#012|<|"
    + _BARE
    + rb"|$)"
)
# raw bytes: a possible function at the end of a line, a field or an escaped line; the pattern starts
# with a dot (after a name, or the `m` or `K` of a color) because that is fast to search
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
    near = 1 << 11  # the next function follows within
    # the function and the error text are just before the first location
    back = 1 << 12

    def column(self, text: str) -> int:
        text = text.rstrip(" \t|\r")
        if match := SYMBOL.search(text):
            return match.start(1)
        # not an opening line, but where the text of a report starts
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
