"""Parses a Go race report line by line, and joins lines that were broken in two."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deadheat.detectors import LineVerdict
from deadheat.detectors.go import line_patterns as lines
from deadheat.detectors.go.report_builder import GoReportDraft, GoStackRecord
from deadheat.model import ActorState, Damage
from deadheat.parsing.line_joining import LineJoiner
from deadheat.text import lazy_compile

if TYPE_CHECKING:
    import re
    from collections.abc import Callable

    from deadheat.model import Report

# the start of a wrapped symbol or path: only characters that can be in one
_CUT_TOKEN = lazy_compile(r"(?:[A-Za-z]:[\\/])?[\w./()*·\[\]%@~+,\\-]{24,}=?$")
# longer paths are recognized by `_CUT_TOKEN`
_MAX_SHORT_PATH = 60
# "example.com/pool.(*Pool[go.shape.struct { example.com/web.body": type arguments that continue
_OPEN_TYPE_ARGUMENTS = lazy_compile(r"[^\s\[]{1,1000}\[[^\]]{0,1000}(?:\[\d*\][^\[\]]{0,200}){0,9}$")
_MAX_JOINED_LENGTH = 4096
# "struct { Key" and "string; Rank int }"
_STRUCT_FIELD = lazy_compile(r"[{;] \w+$")
_FIELD_TYPE = lazy_compile(r"[\w.*\[\]]{1,200}(?: \}|;)")


class LineFragments:
    """Fragments that may continue on the next line."""

    def __init__(self) -> None:
        self.pending = ""  # the last line, if it could not be parsed
        self.header_start = ""  # the start of a header that other output interrupts
        self._open_type_arguments = ""  # type arguments over several lines
        self.joiner = LineJoiner()
        self.separators: tuple[str, ...] = ()

    def keep_fragment(self, body: str) -> None:
        """Keep a line that could not be parsed."""
        if match := lines.ACCESS_HEADER_START.search(body):
            self.header_start = match[0]
        self.pending, self._open_type_arguments = self._open_type_arguments or body, ""

    def keep_type_arguments(self, fragment: str, body: str) -> None:
        """Keep two lines that do not parse, if they may be type arguments that continue."""
        if _OPEN_TYPE_ARGUMENTS.match(fragment) and len(fragment) + len(body) < _MAX_JOINED_LENGTH:
            self._open_type_arguments = self.join_texts(fragment, body)[0]

    def joined_token(self, rest: str) -> str:
        """The symbol or path that starts on the last line, or an empty string."""
        pending = self.pending
        return pending.removesuffix("=") + rest if pending and _CUT_TOKEN.match(pending) else ""

    def joined_paths(self, rest: str) -> list[str]:
        """Possible paths that start on the last line, wrapped at a space or at a column."""
        pending = self.pending
        if pending[:1] != "/" or rest[:1] in "/<-" or len(pending) >= _MAX_SHORT_PATH:
            return []
        return [f"{pending}{separator}{rest}" for separator in self.separators]

    def joined_header(self, rest: str) -> str:
        """The header that ends with this line, or an empty string."""
        match = lines.ACCESS_HEADER_END.search(rest)
        return f"{self.header_start} {match[0]}" if match else ""

    def join_texts(self, fragment: str, body: str) -> list[str]:
        """A line joined with the next one, likeliest first."""
        without_space = fragment.removesuffix("=") + body
        if fragment.endswith("="):
            return [without_space]
        with_space = f"{fragment} {body}"
        # both are possible only in type arguments; there is a space before a field's type
        is_field = _STRUCT_FIELD.search(fragment) is not None and _FIELD_TYPE.match(body) is not None
        breaks_at_column = self.separators[0] == "" and "[" in fragment and not is_field
        return [without_space, with_space] if breaks_at_column else [with_space, without_space]


class GoRaceParser:
    """Parses one report. `_state` is the method that parses the next line."""

    def __init__(self) -> None:
        self._state: Callable[[str], LineVerdict] = self._parse_opening
        self._draft = GoReportDraft()
        self._fragments = LineFragments()
        self._foreign_count = 0  # foreign lines since the last accepted line
        self._in_foreign_dump = False  # a goroutine dump has started, which is not part of the report

    @property
    def max_foreign_lines(self) -> int:
        if not self._draft.accesses:
            return 16
        return 48 if self._draft.has_stack() and not self._draft.is_complete() else 12

    @property
    def lacks_top_frame(self) -> bool:
        """Does the stack start with a location, as in reversed lines?"""
        return len(self._draft.stack) == 1 and not self._draft.stack[0].function

    def feed(self, text: str) -> LineVerdict:
        self._fragments.separators = self._fragments.joiner.join_separators(text)
        return self._state(text)

    def finish(self, ends_mid_line: bool) -> Report | None:
        return self._draft.build_report(ends_mid_line)

    def _parse_opening(self, text: str) -> LineVerdict:
        """Matches `WARNING: DATA RACE`, or the end of a stack; a header leads to `_parse_function_line`."""
        body = text.strip()
        if lines.is_banner(body):
            return self._parse_banner(body)
        if (verdict := self._parse_access_header(body)) is not None:
            return verdict
        if not body or lines.is_bar(body):
            return LineVerdict.NEUTRAL
        if self._draft.has_banner:
            return self._parse_joined_line(body) or self._parse_unknown_line(body)
        self._keep_headless_frame(body)
        if (verdict := self._parse_joined_line(body)) is not None:
            return verdict
        self._fragments.pending = body
        return LineVerdict.FOREIGN

    def _parse_function_line(self, text: str) -> LineVerdict:
        """Matches `  example.com/shop/cart.(*Cart).Add()`; leads to `_parse_location_line`."""
        body = text.strip()
        if body.endswith("()") and " " not in body and not self._fragments.pending and not self._in_foreign_dump:
            self._draft.pending_symbol = body[:-2]
            self._state = self._parse_location_line
            return self._accept_line()
        return self._parse_damaged_function(body) or self._parse_other_line(body)

    def _parse_location_line(self, text: str) -> LineVerdict:
        """Matches `      /src/cart.go:31 +0x45`; leads to `_parse_function_line`."""
        body = text.strip()
        if (self._fragments.pending and self._parse_rest_of_path(body)) or self._parse_location(body):
            return self._accept_line()
        if not body:
            self._draft.blank_after_symbol = True
            return LineVerdict.NEUTRAL
        return self._parse_damaged_function(body) or self._parse_other_line(body)

    def _parse_banner(self, body: str) -> LineVerdict:
        draft = self._draft
        if draft.has_banner:
            return LineVerdict.NEXT_REPORT  # nothing followed the first banner
        draft.stack, draft.pending_symbol = [], ""
        draft.has_banner = True
        if body.strip("= ") != lines.BANNER:
            draft.damage.add(Damage.GLUED)
        return LineVerdict.ACCEPTED

    def _parse_section_header(self, body: str) -> LineVerdict | None:
        """Matches access and creation headers and `[failed to restore the stack]`."""
        if (verdict := self._parse_access_header(body)) is not None:
            return verdict
        if "created at:" in body and (match := lines.CREATION_HEADER.search(body)):
            return self._begin_creation(match, body)
        if lines.FAILED_STACK in body and self._draft.accesses:
            (self._draft.creations or self._draft.accesses)[-1].stack_failed = True
            self._draft.damage.add(Damage.NO_STACK)
            return self._accept_line()
        return None

    def _parse_access_header(self, body: str) -> LineVerdict | None:
        """Matches `Previous write at 0x00c0000a1238 by goroutine 6:`, in every state."""
        if "goroutine" not in body:
            return None
        match = lines.ACCESS_HEADER.search(body) or lines.SPLIT_ACCESS_HEADER.search(body)
        if match is None or (match.start() and match.end() < len(body)):
            return None  # text on both sides: prose about a race
        return self._begin_access(match, body)

    def _begin_access(self, match: re.Match[str], body: str) -> LineVerdict:
        is_previous = match["previous"] is not None
        if len(self._draft.accesses) >= 1 + is_previous or self._draft.creations:
            return LineVerdict.NEXT_REPORT
        self._draft.add_access(GoStackRecord(match["actor"], lines.parse_op(match), match["address"]), is_previous)
        if match["left"]:
            self._draft.damage.add(Damage.ELIDED)
        return self._begin_section(match, body)

    def _begin_creation(self, match: re.Match[str], body: str) -> LineVerdict:
        if not self._draft.accesses:
            return LineVerdict.FOREIGN
        self._draft.add_creation(GoStackRecord(f"goroutine {match[1]}", state=ActorState(match[2])))
        return self._begin_section(match, body)

    def _begin_section(self, match: re.Match[str], body: str) -> LineVerdict:
        if match.start() or match.end() < len(body):
            self._draft.damage.add(Damage.GLUED)
        self._fragments.header_start = ""
        self._in_foreign_dump = False
        self._state = self._parse_function_line
        return self._accept_line()

    def _parse_bar(self) -> LineVerdict:
        if not self._draft.has_stack():
            return LineVerdict.NEUTRAL
        self._draft.is_closed = True
        return LineVerdict.CLOSED

    def _accept_line(self) -> LineVerdict:
        if self._foreign_count:
            self._foreign_count = 0
            self._draft.damage.add(Damage.INTERLEAVED)
        self._fragments.pending = ""
        return LineVerdict.ACCEPTED

    def _parse_damaged_function(self, body: str) -> LineVerdict | None:
        """Matches a function that is wrapped, glued, or has spaces in it."""
        if self._in_foreign_dump:
            return None
        joined = self._fragments.joined_token(body)
        if joined and (parsed := lines.parse_function_line(joined)) is not None:
            self._record_wrapping()
            return self._begin_frame(*parsed)
        parsed = lines.parse_function_line(body)
        return self._begin_frame(*parsed) if parsed is not None else None

    def _begin_frame(self, symbol: str, suffix: str) -> LineVerdict:
        if suffix:
            self._draft.damage.add(Damage.GLUED)
        self._draft.finish_frame()
        self._draft.pending_symbol = lines.restore_brace_spaces(symbol)
        self._state = self._parse_location_line
        self._accept_line()
        location = lines.TRAILING_LOCATION.match(suffix)
        self._parse_location(location[1] if location else suffix.strip())
        return LineVerdict.ACCEPTED

    def _parse_location(self, body: str) -> bool:
        """Add a location, unless this is a log line that contains one."""
        match = lines.LOCATION_LINE.match(body)
        if match is None or self._in_foreign_dump:
            return False
        path, line, offset, suffix = match.groups()
        if joined_path := self._fragments.joined_token(path):
            path = joined_path
            self._record_wrapping()
        has_frame = offset or "." in self._draft.pending_symbol
        if not has_frame or not lines.is_location(path, offset, suffix):
            return False
        if offset and suffix:
            self._draft.damage.add(Damage.GLUED)
        self._draft.add_location(path, int(line), offset)
        self._state = self._parse_function_line
        return True

    def _keep_headless_frame(self, body: str) -> None:
        """Keep a frame before any header, in case the first header is that of the second access."""
        draft = self._draft
        pending, self._fragments.pending = self._fragments.pending, ""
        if draft.pending_symbol and self._parse_location(body):
            self._state = self._parse_opening
        elif body.endswith("()") and lines.is_symbol(body[:-2]):
            draft.pending_symbol = body[:-2]
        else:
            draft.stack, draft.pending_symbol = [], ""
            self._fragments.pending = pending

    def _record_wrapping(self) -> None:
        """A line that was counted as foreign is the start of a wrapped line."""
        self._foreign_count = max(0, self._foreign_count - 1)
        self._draft.damage.add(Damage.WRAPPED)

    def _parse_rest_of_path(self, body: str) -> bool:
        """Is this the rest of a wrapped path?"""
        paths = self._fragments.joined_paths(body)
        pending, self._fragments.pending = self._fragments.pending, ""
        if any(map(self._parse_location, paths)):
            self._record_wrapping()
            return True
        self._fragments.pending = pending
        return False

    def _parse_joined_line(self, body: str) -> LineVerdict | None:
        """Matches the rest of a wrapped line: `goroutine 101:` after `Read by`."""
        rest = lines.OFFSET_LINE.match(body)
        if rest and self._draft.add_offset_line(rest[1]):
            return self._accept_line()
        fragments = self._fragments
        if fragments.header_start and (header := fragments.joined_header(body)):
            return self._parse_section_header(header)
        if not fragments.pending:
            return None
        candidates = fragments.join_texts(fragments.pending, body)
        pending, fragments.pending = fragments.pending, ""
        foreign_count = self._foreign_count
        self._foreign_count = max(0, foreign_count - 1)
        for candidate in candidates:
            verdict = self._parse_section_header(candidate) or self._parse_repaired_frame(candidate)
            if verdict is not None and verdict is not LineVerdict.FOREIGN:
                self._draft.damage.add(Damage.WRAPPED)
                fragments.joiner.record_broken_line()
                return verdict
        self._foreign_count = foreign_count
        fragments.keep_type_arguments(pending, body)
        return None

    def _parse_repaired_frame(self, line: str) -> LineVerdict | None:
        """Parse a function or location that was joined, or separated from glued text."""
        if self._draft.pending_symbol and self._parse_location(line):
            return self._accept_line()
        return self._parse_damaged_function(line) if line.endswith("()") else None

    def _parse_other_line(self, body: str) -> LineVerdict:
        """Parse a line that is neither a function nor a location."""
        if not body:
            return LineVerdict.NEUTRAL
        if lines.is_bar(body):
            return self._parse_bar()
        if lines.is_banner(body):
            return LineVerdict.NEXT_REPORT
        if (verdict := self._parse_section_header(body)) is not None:
            return verdict
        if body in lines.ELISION_MARKS:
            self._draft.damage.add(Damage.ELIDED)
            return self._accept_line()
        if body.startswith(lines.CODE_FENCES):
            return LineVerdict.NEUTRAL
        return self._parse_joined_line(body) or self._parse_unknown_line(body)

    def _parse_unknown_line(self, body: str) -> LineVerdict:
        match = None if self._in_foreign_dump else lines.BARE_LOCATION.match(body)
        if match and self._draft.add_bare_location(match[1], int(match[2])):
            return self._accept_line()
        # `db.(*Pool).get  pool.go:31`, in a stack of such frames
        frame = None if self._in_foreign_dump else lines.parse_one_line_frame(body)
        if (frame and self._draft.add_one_line_frame(*frame)) or self._parse_glued_line(body):
            self._draft.damage.add(Damage.GLUED)
            return self._accept_line()
        self._in_foreign_dump = self._in_foreign_dump or lines.GOROUTINE_DUMP.match(body) is not None
        self._foreign_count += 1
        self._fragments.keep_fragment(body)
        return LineVerdict.FOREIGN

    def _parse_glued_line(self, body: str) -> bool:
        """Parse the text after an unfinished log line, which keeps its indentation."""
        self._fragments.pending = ""
        line = lines.text_after_gap(body)
        return bool(line) and self._parse_repaired_frame(line) is not None
