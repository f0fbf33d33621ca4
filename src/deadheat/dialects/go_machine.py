"""Parses a Go race report line by line, whatever happened to the lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deadheat.dialects import Verdict
from deadheat.dialects import go_lines as lines
from deadheat.dialects.go_draft import GoDraft
from deadheat.dialects.go_grammar import ACCESS, BANNER, CREATED, TORN, is_banner, op
from deadheat.dialects.go_pieces import Pieces
from deadheat.dialects.go_stack import Side
from deadheat.model import Damage, State

if TYPE_CHECKING:
    import re
    from collections.abc import Callable

    from deadheat.model import Report


class GoMachine:
    """Parses one report. `_state` is the method that parses the next line."""

    def __init__(self) -> None:
        self._state: Callable[[str], Verdict] = self._in_opening
        self._draft = GoDraft()
        self._pieces = Pieces()
        self._foreign = 0  # foreign lines since the last accepted line
        self._dump = False  # a goroutine dump has started, which is not part of the report

    @property
    def patience(self) -> int:
        if not self._draft.accesses:
            return 16
        if not self._draft.has_stack():
            return 12
        return 12 if self._draft.is_whole() else 48

    @property
    def topless(self) -> bool:
        """Does the stack start with a location, as in reversed lines?"""
        return self._draft.is_topless

    def feed(self, text: str) -> Verdict:
        self._pieces.see(text)
        return self._state(text)

    def finish(self, cut: bool) -> Report | None:
        return self._draft.report(cut)

    # -- states ---------------------------------------------------------------------------------

    def _in_opening(self, text: str) -> Verdict:
        """Matches `WARNING: DATA RACE`, or the end of a stack without a header.

        An access header leads to `_parse_function_line`.
        """
        body = text.strip()
        if is_banner(body):
            return self._at_banner(body)
        if (verdict := self._header(body)) is not None:
            return verdict
        if not body or lines.is_bar(body):
            return Verdict.NEUTRAL
        if self._draft.banner:
            return self._joined(body) or self._unknown(body)
        self._orphan(body)
        if (verdict := self._joined(body)) is not None:
            return verdict
        self._pieces.last = body
        return Verdict.FOREIGN

    def _in_stack(self, text: str) -> Verdict:
        """Matches `  example.com/shop/cart.(*Cart).Add()`; leads to `_parse_location_line`."""
        body = text.strip()
        if body.endswith("()") and " " not in body and not self._pieces.last and not self._dump:
            self._draft.symbol = body[:-2]
            self._state = self._in_frame
            return self._own()
        return self._function(body) or self._other(body)

    def _in_frame(self, text: str) -> Verdict:
        """Matches `      /src/cart.go:31 +0x45`; leads to `_parse_function_line`."""
        body = text.strip()
        if (self._pieces.last and self._goes_on(body)) or self._place(body):
            return self._own()
        if not body:
            self._draft.gap = True
            return Verdict.NEUTRAL
        return self._function(body) or self._other(body)

    # -- the banner, the headers, the bar -------------------------------------------------------

    def _at_banner(self, body: str) -> Verdict:
        draft = self._draft
        if draft.banner:
            return Verdict.ANOTHER  # nothing followed the first banner
        draft.stack, draft.symbol = [], ""
        draft.banner = True
        if body.strip("= ") != BANNER:
            draft.damage.add(Damage.GLUED)
        return Verdict.OWN

    def _section(self, body: str) -> Verdict | None:
        """Matches access and creation headers and `[failed to restore the stack]`."""
        if (verdict := self._header(body)) is not None:
            return verdict
        if "created at:" in body and (created := CREATED.search(body)):
            return self._created(created, body)
        if lines.FAILED in body and self._draft.accesses:
            self._draft.fail()
            return self._own()
        return None

    def _header(self, body: str) -> Verdict | None:
        """Matches `Previous write at 0x00c0000a1238 by goroutine 6:`, in every state."""
        if "goroutine" not in body:
            return None
        access = ACCESS.search(body) or TORN.search(body)
        if access is None or (access.start() and access.end() < len(body)):
            return None  # text on both sides: prose about a race
        return self._access(access, body)

    def _access(self, match: re.Match[str], body: str) -> Verdict:
        previous = match["previous"] is not None
        if len(self._draft.accesses) >= 1 + previous or self._draft.creations:
            return Verdict.ANOTHER
        self._draft.add_access(Side(match["actor"], op(match), match["address"]), previous)
        if match["left"]:
            self._draft.damage.add(Damage.ELIDED)
        return self._begin(match, body)

    def _created(self, match: re.Match[str], body: str) -> Verdict:
        if not self._draft.accesses:
            return Verdict.FOREIGN
        side = Side(f"goroutine {match[1]}")
        side.state = State(match[2])
        self._draft.add_creation(side)
        return self._begin(match, body)

    def _begin(self, match: re.Match[str], body: str) -> Verdict:
        if match.start() or match.end() < len(body):
            self._draft.damage.add(Damage.GLUED)
        self._pieces.half = ""
        self._dump = False
        self._state = self._in_stack
        return self._own()

    def _at_bar(self) -> Verdict:
        if not self._draft.has_stack():
            return Verdict.NEUTRAL
        self._draft.closed = True
        return Verdict.CLOSED

    # -- frames ---------------------------------------------------------------------------------

    def _own(self) -> Verdict:
        if self._foreign:
            self._foreign = 0
            self._draft.damage.add(Damage.INTERLEAVED)
        self._pieces.last = ""
        return Verdict.OWN

    def _function(self, body: str) -> Verdict | None:
        """Matches a function that is wrapped, glued, or has spaces in it."""
        if self._dump:
            return None
        if whole := self._pieces.token(body):
            found = lines.function(whole)
            if found is not None:
                self._was_broken()
                return self._named(*found)
        found = lines.function(body)
        return self._named(*found) if found is not None else None

    def _named(self, symbol: str, behind: str) -> Verdict:
        if behind:
            self._draft.damage.add(Damage.GLUED)
        self._draft.end_frame()
        self._draft.symbol = lines.spaced(symbol)
        self._state = self._in_frame
        self._own()
        self._place(lines.aside(behind))
        return Verdict.OWN

    def _place(self, body: str) -> bool:
        """Add a location, unless this is a log line that contains one."""
        match = lines.LOCATION.match(body)
        if match is None or self._dump:
            return False
        path, line, offset, behind = match.groups()
        if whole := self._pieces.token(path):
            path = whole
            self._was_broken()
        if not lines.is_place(path, offset, behind):
            return False
        if not offset and "." not in self._draft.symbol:
            return False
        if offset and behind:
            self._draft.damage.add(Damage.GLUED)
        self._draft.add_place(path, int(line), offset)
        self._state = self._in_stack
        return True

    def _orphan(self, body: str) -> None:
        """Keep a frame before any header, in case the first header is that of the second access."""
        draft = self._draft
        last, self._pieces.last = self._pieces.last, ""
        if draft.symbol and self._place(body):
            self._state = self._in_opening
        elif body.endswith("()") and lines.is_symbol(body[:-2]):
            draft.symbol = body[:-2]
        else:
            draft.stack, draft.symbol = [], ""
            self._pieces.last = last

    # -- wrapped lines --------------------------------------------------------------------------

    def _was_broken(self) -> None:
        """A line that was counted as foreign is the start of a wrapped line."""
        self._foreign = max(0, self._foreign - 1)
        self._draft.damage.add(Damage.WRAPPED)

    def _goes_on(self, body: str) -> bool:
        """Is this the rest of a wrapped path?"""
        paths = self._pieces.paths(body)
        last, self._pieces.last = self._pieces.last, ""
        if any(map(self._place, paths)):
            self._was_broken()
            return True
        self._pieces.last = last
        return False

    def _joined(self, body: str) -> Verdict | None:
        """Matches the rest of a wrapped line: `goroutine 101:` after `Read by`."""
        rest = lines.OFFSET.match(body)
        if rest and self._draft.add_rest(rest[1]):
            return self._own()
        pieces = self._pieces
        if pieces.half and (header := pieces.header(body)):
            return self._section(header)
        if not pieces.last:
            return None
        ways = pieces.whole(body)
        last, pieces.last = pieces.last, ""
        foreign = self._foreign
        self._foreign = max(0, foreign - 1)
        for whole in ways:
            verdict = self._section(whole) or self._whole_frame_line(whole)
            if verdict is not None and verdict is not Verdict.FOREIGN:
                self._draft.damage.add(Damage.WRAPPED)
                pieces.were_one()
                return verdict
        self._foreign = foreign
        pieces.keep_open(last, body)
        return None

    def _whole_frame_line(self, line: str) -> Verdict | None:
        """Parse a function or location that was joined, or separated from glued text."""
        if self._draft.symbol and self._place(line):
            return self._own()
        return self._function(line) if line.endswith("()") else None

    # -- other lines ----------------------------------------------------------------------------

    def _other(self, body: str) -> Verdict:
        """Parse a line that is neither a function nor a location."""
        if not body:
            return Verdict.NEUTRAL
        if lines.is_bar(body):
            return self._at_bar()
        if is_banner(body):
            return Verdict.ANOTHER
        if (verdict := self._section(body)) is not None:
            return verdict
        if body in lines.ELISION:
            self._draft.damage.add(Damage.ELIDED)
            return self._own()
        if body.startswith(lines.FENCES):
            return Verdict.NEUTRAL
        return self._joined(body) or self._unknown(body)

    def _unknown(self, body: str) -> Verdict:
        place = None if self._dump else lines.PLACE_ONLY.match(body)
        if place and self._draft.add_place_only(place[1], int(place[2])):
            return self._own()
        if self._retold(body) or self._glued(body):
            self._draft.damage.add(Damage.GLUED)
            return self._own()
        self._dump = self._dump or lines.DUMP.match(body) is not None
        self._foreign += 1
        self._pieces.keep(body)
        return Verdict.FOREIGN

    def _retold(self, body: str) -> bool:
        """Matches `db.(*Pool).get  pool.go:31`, in a stack of such frames."""
        frame = None if self._dump else lines.retold(body)
        return frame is not None and self._draft.add_retold(*frame)

    def _glued(self, body: str) -> bool:
        """Parse the text after an unfinished log line, which keeps its indentation."""
        self._pieces.last = ""
        line = lines.behind_gap(body)
        return bool(line) and self._whole_frame_line(line) is not None
