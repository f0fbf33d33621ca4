"""Parses reports with one line per frame, by a `LineGrammar`.

The grammar parses single lines. This module handles lines that are wrapped, glued, interleaved or
missing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from deadheat.dialects import Verdict
from deadheat.dialects.line_grammar import Draft, Grammar, Role, Section, Token
from deadheat.dialects.seams import Seams
from deadheat.model import Damage
from deadheat.text.late import regex

if TYPE_CHECKING:
    from collections.abc import Sequence

    from deadheat.dialects import Folds
    from deadheat.model import Report

_PIECES = 4
# no detector prints longer lines
_LONGEST_LINE = 1 << 12
_MOST_FRAMES = 1_000
_MOST_SECTIONS = 200
_ELISION = frozenset(("...", "[...]", "…", "[…]", "(...)", "[snip]", "<snip>"))
_FENCES = ("```", "~~~")
# the indentation of a line that follows an unfinished log line
_GAP = regex(r" {2,}|\t+")


class LineMachine:
    """Parses one report by a grammar."""

    def __init__(self, grammar: Grammar) -> None:
        self._grammar = grammar
        self._draft = Draft()
        self._held: list[str] = []  # lines that may continue on the next line
        self._partial: Token | None = None  # what they mean if they do not continue
        self._last: Token | None = None
        self._foreign = 0
        self._blank = False
        self._before_held = (False, 0)  # (after_blank_line, foreign_count) at that time
        self.topless = False  # a stack started with a frame number above 0
        self._seams = Seams()
        self._damage: set[Damage] = set()

    @property
    def patience(self) -> int:
        if not any(section.frames for section in self._draft.sections):
            return 16
        return 12 if self._grammar.is_complete(self._draft) else 48

    def feed(self, text: str) -> Verdict:
        body = text.strip()
        if body.startswith(_FENCES) and " " in body:
            body = body.strip("`~ ")  # a code fence directly before the first line
        if not body or body.startswith(_FENCES):
            self._blank = self._blank or not body
            self._draft.ended = self._draft.ended or not body
            return Verdict.NEUTRAL
        if len(body) > _LONGEST_LINE:
            self._release()
            self._foreign += 1
            return Verdict.FOREIGN
        gaps = self._seams.gaps(text)
        token = self._grammar.token(body)
        if token is None or not self._stands_alone(token):
            joined = self._joined(body, token is not None, gaps)
            if joined is not None:
                return self._rejoined(*joined)
        if token is None:
            return self._unknown(body)
        self._release()
        return self._take(token, body) if token.whole else self._hold(token, body)

    def _stands_alone(self, token: Token) -> bool:
        """Is this certainly not the end of the line before?"""
        if token.role is Role.REST:
            return self._partial is None
        # a frame's number is at the start of its line
        return token.whole or (token.number is not None and token.start == 0)

    def _joined(
        self, body: str, sensible: bool, gaps: tuple[str, ...]
    ) -> tuple[Token, str, int] | None:
        """Join the line with pending lines if the result parses; return token, text, and their number.

        A line that `is_parsed` alone can only continue a line that is parsed alone, too.
        """
        fewest = len(self._held) + (self._partial is None) if sensible else 1
        partial = None
        for count in range(fewest, len(self._held) + 1):
            pieces = [line.removesuffix("=") for line in self._held[-count:]]
            # the token must extend into this line, and to its end if the pending lines parse alone
            over = count == len(self._held) and self._partial is not None
            for text in (gap.join([*pieces, body]) for gap in gaps):
                token = self._grammar.token(text) if len(text) <= _LONGEST_LINE else None
                if token is None or token.end < (len(text) if over else len(text) - len(body) + 1):
                    continue
                if token.whole:
                    return token, text, count
                # of two incomplete tokens, prefer the one with fields
                if partial is None or (token.fields and not partial[0].fields):
                    partial = token, text, count
        return partial

    def _rejoined(self, token: Token, text: str, count: int) -> Verdict:
        over = count == len(self._held) and self._partial is not None
        if over:
            self._foreign += self._before_held[1]
        else:
            self._release()
        self._foreign = max(0, self._foreign - (count - over))
        self._damage.add(Damage.WRAPPED)
        self._seams.was_one()
        self._held, self._partial = [], None
        return self._take(token, text) if token.whole else self._hold(token, text)

    def _hold(self, token: Token, body: str) -> Verdict:
        if self._is_another(token):
            return Verdict.ANOTHER  # even if its first line is incomplete
        self._held, self._partial = [body], token
        self._before_held = self._blank, self._foreign
        self._blank, self._foreign = False, 0
        return Verdict.OWN if self._has_place(token) else Verdict.FOREIGN

    def _release(self) -> None:
        """Accept the pending token as it is, as the next line does not continue it."""
        token, held = self._partial, self._held
        self._held, self._partial = [], None
        if token is not None and self._has_place(token):
            since = self._blank, self._foreign, self._draft.ended
            self._blank, self._foreign = self._before_held
            self._apply(token, held[0])
            self._blank, self._foreign, self._draft.ended = since

    def _unknown(self, body: str) -> Verdict:
        if body in _ELISION and self._draft.sections:
            self._damage.add(Damage.ELIDED)
            return Verdict.OWN
        if (tail := _GAP.sub("\0", body).rpartition("\0")[2]) != body:
            token = self._grammar.token(tail)
            if token is not None and token.whole and token.start == 0:
                self._damage.add(Damage.GLUED)
                self._release()
                return self._take(token, tail)
        if self._partial is not None and len(self._held) >= _PIECES:
            self._release()
        self._held = [*self._held[1 - _PIECES :], body]
        self._foreign += 1
        return Verdict.FOREIGN

    # -- parsed lines -----------------------------------------------------------------------------

    def _take(self, token: Token, text: str) -> Verdict:
        if self._is_another(token):
            return Verdict.ANOTHER
        if token.role is Role.STOP:
            return Verdict.ABANDONED
        if not self._has_place(token):
            self._foreign += 1
            return Verdict.FOREIGN
        self._apply(token, text)
        if token.role is Role.CLOSING:
            self._draft.closed, self._draft.closing = True, token.fields
            return Verdict.CLOSED
        return Verdict.OWN

    def _is_another(self, token: Token) -> bool:
        draft = self._draft
        if token.role in (Role.OPENING, Role.STOP):
            another = draft.opening is not None or bool(draft.sections)
        else:
            another = token.role is Role.SECTION and self._grammar.begins(draft, token)
        draft.ended = draft.ended or another
        return another

    def _has_place(self, token: Token) -> bool:
        if token.role in (Role.OPENING, Role.SECTION):
            return True
        if token.role is Role.FRAME and not self._grammar.bare:
            return bool(self._draft.sections)
        if token.role is Role.FRAME and token.number == 0:
            return True
        return bool(self._draft.sections) or self._draft.opening is not None

    def _apply(self, token: Token, text: str) -> None:
        draft = self._draft
        if self._foreign:
            self._foreign = 0
            if self._last is not None:  # lines before the report are not in it
                self._damage.add(Damage.INTERLEAVED)
        if token.start or token.end < len(text):
            self._damage.add(Damage.GLUED)
        if token.role is Role.OPENING:
            draft.opening = token.fields
        elif token.role is Role.SECTION:
            if len(draft.sections) < _MOST_SECTIONS:
                draft.sections.append(Section(token.name, token.fields))
        elif token.role is Role.FRAME:
            self._add_frame(token)
        elif token.role is Role.REST:
            self._seams.was_one()
        elif token.role is Role.DETAIL:
            (draft.sections[-1] if draft.sections else draft).details.append(token)
        self._blank = draft.ended = False
        self._last = token

    def _add_frame(self, token: Token) -> None:
        if not self._draft.sections:
            self._draft.sections.append(Section("bare", {}))
        section = self._draft.sections[-1]
        if section.frames and token.number == 0:
            # the header of this stack is missing
            section = Section("lost", {})
            self._draft.sections.append(section)
            self._damage.add(Damage.TRUNCATED)
        elif self._blank and section.frames:
            self._damage.add(Damage.DOUBLED_BLANK_LINES)
        self.topless = self.topless or bool(not section.frames and token.number)
        if len(section.frames) < _MOST_FRAMES:
            section.frames.append(self._grammar.frame(token))
            section.tokens.append(token)

    # -- the report -------------------------------------------------------------------------------

    def finish(self, cut: bool) -> Report | None:
        partial = self._partial
        self._release()
        if cut:
            self._draft.ended = False  # the last line may be incomplete
        if cut and partial is not None and partial.role is Role.FRAME:
            self._distrust_last_frame()
        if not self._grammar.is_complete(self._draft):
            self._damage.add(Damage.TRUNCATED)
        return self._grammar.report(self._draft, self._damage)

    def _distrust_last_frame(self) -> None:
        """Drop the end of the text: `:12` may have been `:123`, and a name may be cut."""
        section = self._draft.sections[-1] if self._draft.sections else None
        if section is None or not section.frames:
            return
        last, token = section.frames.pop(), section.tokens.pop()
        if last.line is not None:
            section.frames.append(last._replace(line=None))
            section.tokens.append(token)
        self._damage.add(Damage.TRUNCATED)


class LineDialect:
    """Defaults for detectors that are parsed by a grammar."""

    opening = closing = None
    volatile = None
    beside = None
    near = 0
    folds: Folds | None = None
    back = 1 << 13
    headed = True

    def sign(self, above: bytes) -> int:
        return 0

    def order(self, lines: Sequence[str]) -> int:
        return 0  # frames are numbered

    def glance(self, text: str) -> Report | None:
        return None

    def whole(self, text: str) -> Report | None:
        return None
