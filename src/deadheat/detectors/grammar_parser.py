"""Parses reports of detectors that print one line per frame, whatever happened to the lines.

A `LineGrammar` tells what a single line means. `GrammarParser` handles lines that are wrapped, glued together,
interleaved with others, or missing.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from typing import TYPE_CHECKING, NamedTuple, Protocol

from deadheat.detectors import LineVerdict
from deadheat.model import Damage
from deadheat.parsing.line_joining import LineJoiner
from deadheat.text import lazy_compile

if TYPE_CHECKING:
    import re
    from collections.abc import Mapping

    from deadheat.model import Frame, Report


class LineRole(IntEnum):
    """The role of a line in a report."""

    OPENING = 1  # starts a report
    SECTION = 2  # header of a stack or of a description
    FRAME = 3  # a frame of the current stack; number 0 may start a "bare" stack
    DETAIL = 4  # more about the section or the report
    CLOSING = 5  # the last line of the report
    STOP = 6  # not part of the report, which has ended
    CONTINUATION = 7  # the end of a wrapped line, without information


class LineToken(NamedTuple):
    """A parsed line. `start` and `end` are its columns in the printed line."""

    role: LineRole
    name: str
    fields: dict[str, str]
    start: int
    end: int
    is_complete: bool = True  # False: it may continue on the next line
    frame_number: int | None = None  # of a frame, if the detector prints one


def token_from_match(role: LineRole, name: str, match: re.Match[str], is_complete: bool = True) -> LineToken:
    """A token with the named groups of a match as its fields."""
    fields = {key: value for key, value in match.groupdict().items() if value is not None}
    return LineToken(role, name, fields, *match.span(), is_complete)


def search_patterns(role: LineRole, patterns: Mapping[str, re.Pattern[str]], body: str) -> LineToken | None:
    """The token of the first pattern that occurs in a line; its key is the name of the token."""
    for name, pattern in patterns.items():
        if match := pattern.search(body):
            return token_from_match(role, name, match)
    return None


@dataclass
class ReportSection:
    """A header with the stack and the details below it."""

    name: str
    fields: dict[str, str]
    frames: list[Frame] = field(default_factory=list)
    frame_tokens: list[LineToken] = field(default_factory=list)  # the tokens of the frames
    details: list[LineToken] = field(default_factory=list)

    @property
    def stack(self) -> tuple[Frame, ...]:
        return tuple(self.frames)


@dataclass
class ReportDraft:
    """The part of a report that has been parsed so far."""

    opening_fields: dict[str, str] | None = None
    sections: list[ReportSection] = field(default_factory=list)
    details: list[LineToken] = field(default_factory=list)
    is_closed: bool = False
    closing_fields: dict[str, str] | None = None  # the fields of the closing line
    has_ended: bool = False  # the last line is followed by a blank line or another report

    def find_sections(self, *names: str) -> list[ReportSection]:
        return [section for section in self.sections if section.name in names]


class LineGrammar(Protocol):
    """The lines that one detector prints, implemented by the detector. All methods are pure."""

    allows_headerless_stack: bool  # can frame number 0 start a stack without a header?

    def parse_line(self, body: str) -> LineToken | None:
        """Parse a line without its indentation; foreign text may be glued to either end."""

    def build_frame(self, token: LineToken) -> Frame: ...

    def starts_new_report(self, draft: ReportDraft, token: LineToken) -> bool:
        """Does this section start another report, given the draft?"""

    def is_complete(self, draft: ReportDraft) -> bool:
        """Does the draft have every part of an undamaged report?"""

    def build_report(self, draft: ReportDraft, damage: set[Damage]) -> Report | None:
        """Return the report, or None if the draft is not one. May add to `damage`."""


_MAX_JOINED_LINES = 4
# longer lines are skipped, as docs/reference/commands/scan.md says
_MAX_LINE_LENGTH = 1 << 12
_MAX_FRAMES = 1_000
_MAX_SECTIONS = 200
_MAX_DETAILS = 200  # of a section
_ELISION_MARKS = frozenset(("...", "[...]", "…", "[…]", "(...)", "[snip]", "<snip>"))
_CODE_FENCES = ("```", "~~~")
_INTACT_VERDICTS = (LineVerdict.ACCEPTED, LineVerdict.NEUTRAL)
# the indentation of a line that follows an unfinished log line
_INDENTATION_GAP = lazy_compile(r" {2,}|\t+")


class GrammarParser:
    """Parses one report by a grammar."""

    def __init__(self, grammar: LineGrammar) -> None:
        self._grammar = grammar
        self._draft = ReportDraft()
        self._pending_lines: list[str] = []  # lines that may continue on the next line
        self._pending_token: LineToken | None = None  # what they mean if they do not continue
        self._last_token: LineToken | None = None
        self._foreign_count = 0
        self._after_blank_line = False
        self._counts_before_pending = (False, 0)  # (after_blank_line, foreign_count) at that time
        self.lacks_top_frame = False  # a stack started with a frame number above 0
        self._joiner = LineJoiner()
        self._damage: set[Damage] = set()

    @property
    def max_foreign_lines(self) -> int:
        if not any(section.frames for section in self._draft.sections):
            return 16
        return 12 if self._grammar.is_complete(self._draft) else 48

    def feed(self, text: str) -> LineVerdict:
        body = text.strip()
        if body.startswith(_CODE_FENCES) and " " in body:
            body = body.strip("`~ ")  # a code fence directly before the first line
        if not body or body.startswith(_CODE_FENCES):
            self._after_blank_line = self._after_blank_line or not body
            self._draft.has_ended = self._draft.has_ended or not body
            return LineVerdict.NEUTRAL
        if len(body) > _MAX_LINE_LENGTH:
            self._release_pending()
            self._foreign_count += 1
            return LineVerdict.FOREIGN
        separators = self._joiner.join_separators(text)
        token = self._grammar.parse_line(body)
        if token is None or not self._cannot_continue_line(token):
            joined = self._join_with_pending(body, token is not None, separators)
            if joined is not None:
                return self._accept_joined_line(*joined)
        if token is None:
            return self._handle_unknown_line(body)
        self._release_pending()
        return self._accept_token(token, body) if token.is_complete else self._hold_incomplete(token, body)

    def _cannot_continue_line(self, token: LineToken) -> bool:
        """Is this certainly not the end of the line before?"""
        if token.role is LineRole.CONTINUATION:
            return self._pending_token is None
        # a frame's number is at the start of its line
        return token.is_complete or (token.frame_number is not None and token.start == 0)

    def _join_with_pending(
        self, body: str, is_parsed: bool, separators: tuple[str, ...]
    ) -> tuple[LineToken, str, int] | None:
        """Join the line with pending lines if the result parses; return token, text, and their number."""
        # a line that is parsed alone can only continue a line that is parsed alone, too
        min_count = len(self._pending_lines) + (self._pending_token is None) if is_parsed else 1
        partial = None
        for count in range(min_count, len(self._pending_lines) + 1):
            parts = [line.removesuffix("=") for line in self._pending_lines[-count:]]
            # the token must extend into this line, and to its end if the pending lines parse alone
            uses_all_pending = count == len(self._pending_lines) and self._pending_token is not None
            for text in (separator.join([*parts, body]) for separator in separators):
                token = self._grammar.parse_line(text) if len(text) <= _MAX_LINE_LENGTH else None
                if token is None or token.end < (len(text) if uses_all_pending else len(text) - len(body) + 1):
                    continue
                if token.is_complete:
                    return token, text, count
                # of two incomplete tokens, prefer the one with fields
                if partial is None or (token.fields and not partial[0].fields):
                    partial = token, text, count
        return partial

    def _accept_joined_line(self, token: LineToken, text: str, count: int) -> LineVerdict:
        uses_all_pending = count == len(self._pending_lines) and self._pending_token is not None
        if uses_all_pending:
            self._foreign_count += self._counts_before_pending[1]
        else:
            self._release_pending()
        self._foreign_count = max(0, self._foreign_count - (count - uses_all_pending))
        self._damage.add(Damage.WRAPPED)
        self._joiner.record_broken_line()
        self._pending_lines, self._pending_token = [], None
        return self._accept_token(token, text) if token.is_complete else self._hold_incomplete(token, text)

    def _hold_incomplete(self, token: LineToken, body: str) -> LineVerdict:
        if self._starts_new_report(token):
            return LineVerdict.NEXT_REPORT  # even if its first line is incomplete
        self._pending_lines, self._pending_token = [body], token
        self._counts_before_pending = self._after_blank_line, self._foreign_count
        self._after_blank_line, self._foreign_count = False, 0
        return LineVerdict.ACCEPTED if self._fits_draft(token) else LineVerdict.FOREIGN

    def _release_pending(self) -> None:
        """Accept the pending token as it is, as the next line does not continue it."""
        token, lines = self._pending_token, self._pending_lines
        self._pending_lines, self._pending_token = [], None
        if token is not None and self._fits_draft(token):
            counts = self._after_blank_line, self._foreign_count, self._draft.has_ended
            self._after_blank_line, self._foreign_count = self._counts_before_pending
            self._add_to_draft(token, lines[0])
            self._after_blank_line, self._foreign_count, self._draft.has_ended = counts

    def _handle_unknown_line(self, body: str) -> LineVerdict:
        if body in _ELISION_MARKS and self._draft.sections:
            self._damage.add(Damage.ELIDED)
            return LineVerdict.ACCEPTED
        if (tail := _INDENTATION_GAP.sub("\0", body).rpartition("\0")[2]) != body:
            token = self._grammar.parse_line(tail)
            if token is not None and token.is_complete and token.start == 0:
                self._damage.add(Damage.GLUED)
                self._release_pending()
                return self._accept_token(token, tail)
        if self._pending_token is not None and len(self._pending_lines) >= _MAX_JOINED_LINES:
            self._release_pending()
        self._pending_lines = [*self._pending_lines[1 - _MAX_JOINED_LINES :], body]
        self._foreign_count += 1
        return LineVerdict.FOREIGN

    def _accept_token(self, token: LineToken, text: str) -> LineVerdict:
        if self._starts_new_report(token):
            return LineVerdict.NEXT_REPORT
        if token.role is LineRole.STOP:
            return LineVerdict.ABANDONED
        if not self._fits_draft(token):
            self._foreign_count += 1
            return LineVerdict.FOREIGN
        self._add_to_draft(token, text)
        if token.role is LineRole.CLOSING:
            self._draft.is_closed, self._draft.closing_fields = True, token.fields
            return LineVerdict.CLOSED
        return LineVerdict.ACCEPTED

    def _starts_new_report(self, token: LineToken) -> bool:
        draft = self._draft
        if token.role in (LineRole.OPENING, LineRole.STOP):
            is_new = draft.opening_fields is not None or bool(draft.sections)
        else:
            is_new = token.role is LineRole.SECTION and self._grammar.starts_new_report(draft, token)
        draft.has_ended = draft.has_ended or is_new
        return is_new

    def _fits_draft(self, token: LineToken) -> bool:
        if token.role in (LineRole.OPENING, LineRole.SECTION):
            return True
        if token.role is LineRole.FRAME and not self._grammar.allows_headerless_stack:
            return bool(self._draft.sections)
        if token.role is LineRole.FRAME and token.frame_number == 0:
            return True
        return bool(self._draft.sections) or self._draft.opening_fields is not None

    def _add_to_draft(self, token: LineToken, text: str) -> None:
        draft = self._draft
        if self._foreign_count:
            self._foreign_count = 0
            if self._last_token is not None:  # lines before the report are not in it
                self._damage.add(Damage.INTERLEAVED)
        if token.start or token.end < len(text):
            self._damage.add(Damage.GLUED)
        if token.role is LineRole.OPENING:
            draft.opening_fields = token.fields
        elif token.role is LineRole.SECTION:
            self._add_section(ReportSection(token.name, token.fields))
        elif token.role is LineRole.FRAME:
            self._add_frame(token)
        elif token.role is LineRole.CONTINUATION:
            self._joiner.record_broken_line()
        elif token.role is LineRole.DETAIL:
            details = (draft.sections[-1] if draft.sections else draft).details
            if len(details) < _MAX_DETAILS:
                details.append(token)
        self._after_blank_line = draft.has_ended = False
        self._last_token = token

    def _add_section(self, section: ReportSection) -> None:
        if len(self._draft.sections) < _MAX_SECTIONS:
            self._draft.sections.append(section)

    def _add_frame(self, token: LineToken) -> None:
        if not self._draft.sections:
            self._add_section(ReportSection("bare", {}))
        section = self._draft.sections[-1]
        if section.frames and token.frame_number == 0:
            # the header of this stack is missing
            section = ReportSection("lost", {})
            self._add_section(section)
            self._damage.add(Damage.TRUNCATED)
        elif self._after_blank_line and section.frames:
            self._damage.add(Damage.DOUBLED_BLANK_LINES)
        self.lacks_top_frame = self.lacks_top_frame or bool(not section.frames and token.frame_number)
        if len(section.frames) < _MAX_FRAMES:
            section.frames.append(self._grammar.build_frame(token))
            section.frame_tokens.append(token)

    def finish(self, ends_mid_line: bool) -> Report | None:
        partial = self._pending_token
        self._release_pending()
        if ends_mid_line:
            self._draft.has_ended = False  # the last line may be incomplete
        if ends_mid_line and partial is not None and partial.role is LineRole.FRAME:
            self._distrust_last_frame()
        if not self._grammar.is_complete(self._draft):
            self._damage.add(Damage.TRUNCATED)
        return self._grammar.build_report(self._draft, self._damage)

    def _distrust_last_frame(self) -> None:
        """Drop the end of the text: `:12` may have been `:123`, and a name may be cut."""
        if not self._draft.sections or not self._draft.sections[-1].frames:
            return
        section = self._draft.sections[-1]
        last_frame, token = section.frames.pop(), section.frame_tokens.pop()
        if last_frame.line is not None:
            section.frames.append(last_frame._replace(line=None))
            section.frame_tokens.append(token)
        self._damage.add(Damage.TRUNCATED)


def parse_intact(grammar: LineGrammar, text: str) -> Report | None:
    """Parse a report of which every line is as printed; None if it is damaged."""
    parser = GrammarParser(grammar)
    *lines, last = text.split("\n")
    if any(parser.feed(line) not in _INTACT_VERDICTS for line in lines) or (
        parser.feed(last) not in (*_INTACT_VERDICTS, LineVerdict.CLOSED)
    ):
        return None
    report = parser.finish(ends_mid_line=False)
    # without their first frame, lines may be out of order
    return None if report is None or report.damage or parser.lacks_top_frame else report
