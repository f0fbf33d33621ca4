"""Parses a Go error stack line by line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deadheat.dialects import Verdict, go_order, go_stack
from deadheat.dialects.go_stack import Side
from deadheat.dialects.shy.go_error_grammar import (
    BOTTOMS,
    ELISION,
    FAILED,
    FENCE,
    LOCATION,
    LOGGED,
    PART,
    REMNANT,
    SYMBOL,
    location_behind,
    symbol_before,
    symbol_behind,
)
from deadheat.model import Damage, Frame, Origin, Report
from deadheat.symbols import go

if TYPE_CHECKING:
    import re
    from collections.abc import Callable

NAME = "go-error"
_MAX_FRAMES = 1_000
_LONGEST = 500
_PATIENCE = 12
# a stack with only these origins is ignored
_MACHINERY = (Origin.RUNTIME, Origin.TEST)
# lines are not wrapped at fewer columns
_NARROW = 36


class ErrorMachine:
    """Parses one stack. `_state` is the method that parses the next line."""

    def __init__(self) -> None:
        self._state: Callable[[str], Verdict] = self._in_stack
        self._frames: list[Frame] = []
        self._symbol = ""
        self._part = ""
        self._foreign = 0
        self._before = self._tail = (
            ""  # the previous line; the text after the last gap of this line
        )
        self._guess = ""  # at the end of a foreign line; confirmed by a location
        self._doubtful = ""  # the line that ends with the first function
        self._told = ""  # the error text above the first function
        self._over = False  # the outermost frame was parsed
        self._between: list[str] = []  # lines after the outermost frame
        self._damage: set[Damage] = set()
        self._last_open = False

    topless = False  # locations without a function are not frames

    @property
    def patience(self) -> int:
        # if lines are interleaved, foreign lines also follow the last one
        return 1 if self._over and Damage.INTERLEAVED not in self._damage else _PATIENCE

    def feed(self, text: str) -> Verdict:
        body = text.strip(" \t|\r")
        self._tail = location_behind(text.rstrip(" \t|\r"))
        verdict = self._state(body)
        self._before = body
        return verdict

    # -- states ---------------------------------------------------------------------------------

    def _in_stack(self, body: str) -> Verdict:
        """Matches `example.com/shop/ledger.(*Batch).add`; leads to `_parse_location_line`."""
        if not body:
            return Verdict.NEUTRAL
        if symbol := SYMBOL.match(body):
            return self._function(symbol[1])
        if body in ELISION and self._frames:
            self._damage.add(Damage.ELIDED)
            return Verdict.OWN
        if self._part and (symbol := SYMBOL.match(self._part + body)):
            self._foreign = max(0, self._foreign - 1)
            self._damage.add(Damage.WRAPPED)
            return self._function(symbol[1])
        if self._guess and (match := LOCATION.match(body) or self._glued_place()):
            self._damage.add(Damage.GLUED)
            self._symbol, self._foreign = self._guess, max(0, self._foreign - 1)
            return self._place(match, wrapped=False)
        return self._glued(body) or self._none(body)

    def _glued(self, body: str) -> Verdict | None:
        """Parse a function with a log line glued to it; after prose, a location must confirm it."""
        before, behind = symbol_before(body), symbol_behind(body)
        if before or (behind and not self._frames):
            self._damage.add(Damage.GLUED)
            return self._function(before or behind or "", "" if self._frames else body)
        if behind:
            self._guess = behind
        return None

    def _none(self, body: str) -> Verdict:
        """Handle a line that is not a function, but may be the start of a wrapped one."""
        may_go_on = PART.match(body) and (self._frames or body.endswith("=") or "/" in body)
        self._part = body.removesuffix("=") if may_go_on else ""
        if self._part and not self._frames:
            self._foreign += 1
            return Verdict.FOREIGN
        return self._unknown(body)

    def _in_frame(self, body: str) -> Verdict:
        """Matches `/src/shop/ledger/batch.go:88`; leads to `_parse_function_line`."""
        if not body:
            self._damage.add(Damage.DOUBLED_BLANK_LINES)
            return Verdict.NEUTRAL
        for joined in (body, self._part + body):
            if match := LOCATION.match(joined):
                return self._place(match, wrapped=joined is not body)
        if match := self._glued_place():
            self._damage.add(Damage.GLUED)
            return self._place(match, wrapped=False)
        if self._is_another(body):
            self._end_frame()
            return self._in_stack(body)
        if PART.match(body) and len(self._part) < 2000:
            return self._cut(body)
        if not self._frames and not self._may_wait(body):
            return self._begin_again(body)
        return self._unknown(body)

    def _in_chain(self, body: str) -> Verdict:
        """Matches one line of error text after the stack, then the next stack of a wrapped error."""
        if symbol := SYMBOL.match(body) or symbol_before(body) or symbol_behind(body):
            said = [line for line in self._between if line and not LOGGED.match(line)]
            blank = "" in self._between and Damage.DOUBLED_BLANK_LINES not in self._damage
            if len(said) != 1 or blank:
                return Verdict.ANOTHER
            self._symbol = symbol if isinstance(symbol, str) else symbol[1]
            self._state = self._in_other
            return Verdict.OWN
        logged = LOGGED.match(body) is not None
        if logged and (FAILED.search(body) or Damage.INTERLEAVED not in self._damage):
            return Verdict.ANOTHER  # perhaps the next error
        self._between.append(body)
        return Verdict.FOREIGN if body else Verdict.NEUTRAL

    def _in_other(self, body: str) -> Verdict:
        """Skip the stack of an outer wrapping of the same error."""
        if match := LOCATION.match(body) or self._glued_place():
            if self._symbol in BOTTOMS or match[3]:
                self._between, self._state = [], self._in_chain
            return Verdict.OWN
        symbol = SYMBOL.search(body)
        found = symbol[1] if symbol else symbol_before(body) or symbol_behind(body)
        self._symbol = found or self._symbol
        return Verdict.OWN if found else Verdict.FOREIGN if body else Verdict.NEUTRAL

    # -- lines ----------------------------------------------------------------------------------

    def _unknown(self, body: str) -> Verdict:
        """Count a foreign line; a code fence, or prose after a blank line, ends the stack."""
        self._foreign += 1
        if not self._frames:
            # in a log record, the field that contains the stack
            none = FENCE.match(body) or REMNANT.match(body)
            self._told = "" if none else body.rpartition('="')[2]
        elif FENCE.match(body) or not (self._before or LOGGED.match(body)):
            self._over, self._between, self._state = True, ["", body], self._in_chain
        return Verdict.FOREIGN

    def _function(self, symbol: str, within: str = "") -> Verdict:
        """Start a frame; `glued_line` is the line that ends with the function, perhaps prose."""
        if not self._frames and not self._told:
            self._damage.add(Damage.NO_BANNER)
        self._symbol, self._part, self._guess = symbol, "", ""
        if not self._frames:
            self._foreign = 0  # lines before the stack are not in it
        self._doubtful = within
        self._state = self._in_frame
        return Verdict.OWN

    def _is_another(self, body: str) -> bool:
        """Is this the next function, so that the location of the previous one is missing?"""
        symbol = SYMBOL.match(body)
        if symbol is None or self._part:
            return False
        # the end of a wrapped name also contains a dot
        return not self._frames or "/" in body or len(self._before) < _NARROW

    def _end_frame(self) -> None:
        """Add a frame without a location; discard it if it is the first, as it may be prose."""
        if self._frames:
            self._frames.append(go.frame(self._symbol, "", None))
            self._damage.add(Damage.TRUNCATED)
        else:
            self._damage.clear()
            self._told = self._doubtful or self._told

    def _may_wait(self, body: str) -> bool:
        """Can the location of the first function still follow? A file name may look like a function."""
        sure = "/" in self._symbol or "(" in self._symbol or LOGGED.match(body) is not None
        return sure and self._foreign < _PATIENCE

    def _begin_again(self, body: str) -> Verdict:
        """Discard the first function, which was not one."""
        self._symbol = self._part = ""
        self._damage.clear()
        self._state = self._in_stack
        return self._unknown(body)

    def _cut(self, body: str) -> Verdict:
        """Add the rest of a wrapped symbol or the start of a wrapped path."""
        if "/" in body or self._part:
            self._part += body.removesuffix("=")
        elif self._frames:
            self._symbol += body
        else:
            return self._begin_again(body)
        self._damage.add(Damage.WRAPPED)
        return Verdict.OWN

    def _glued_place(self) -> re.Match[str] | None:
        """The location at the end of an unfinished log line."""
        match = LOCATION.match(self._tail)
        return match if match and not match[3] else None

    def _place(self, match: re.Match[str], wrapped: bool) -> Verdict:
        path, line, behind = match.groups()
        if behind.lstrip().startswith("+0x"):
            return Verdict.ABANDONED  # a goroutine dump
        if self._foreign:
            self._damage.add(Damage.INTERLEAVED)
        self._foreign, self._part, self._guess = 0, "", ""
        if wrapped:
            self._damage.add(Damage.WRAPPED)
        if len(self._frames) < _MAX_FRAMES:
            self._frames.append(go.frame(self._symbol, path, int(line)))
        self._last_open = not behind
        self._state = self._in_stack
        ends = behind[:1] in ("\\", '"', "'", "]", "}", "`")
        if ends and behind.strip("\"'`]})>\\ \t"):
            # a record with another field after this one, perhaps with a stack
            self._over, self._symbol, self._state = True, "", self._in_other
        elif ends or self._symbol == "runtime.goexit":
            self._over, self._state = True, self._in_chain
        elif behind:
            self._damage.add(Damage.GLUED)
        return Verdict.OWN

    # -- the report -----------------------------------------------------------------------------

    def finish(self, cut: bool) -> Report | None:
        frames = self._frames
        if len(frames) < 2 or all(f.origin in _MACHINERY for f in frames):
            return None
        if not go_order.frames_fit(frames) or self._may_be_turned():
            return None  # a log with the newest line first
        if frames[-1].function not in BOTTOMS:
            self._damage.add(Damage.TRUNCATED)
            if cut and self._last_open:
                # `:12` may have been `:123`
                frames[-1] = frames[-1]._replace(line=None)
        side = Side("")
        side.frames = _without_makers(frames)
        report = go_stack.report(NAME, "error-stack", [side], [], self._damage)
        return report._replace(facts=(("error", self._told[:_LONGEST]),)) if self._told else report

    def _may_be_turned(self) -> bool:
        """Without text above the first function and a location after the last, lines may be reversed."""
        dangling = self._state == self._in_frame
        return dangling and Damage.NO_BANNER in self._damage


def _without_makers(frames: list[Frame]) -> list[Frame]:
    """Set the origin of the error library's frames, at the top of the stack, to runtime."""
    top = next((i for i, f in enumerate(frames) if not go.makes_errors(f.package)), len(frames))
    return [f._replace(origin=Origin.RUNTIME) for f in frames[:top]] + frames[top:]
