"""Bug reports: cheap detection, the draft that a format produces, and decoded text with raw offsets.

This module is imported for every log, so it must stay cheap. Formats are in `formats/`, each with a `FORMAT` that the
plugin registry finds."""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from deadheat.model import Span

if TYPE_CHECKING:
    import re
    from collections.abc import Callable

TextPiece = tuple[bytes, int, int]  # a text, and its start and end in the raw file

# a larger file contains many bug reports, or is a log
MAX_BUG_REPORT_SIZE = 1 << 23
_FIRST_BYTES = (b"{", b"[", b"<", b"#", b"ID:", b"Title:", b"From", b"Return-Path:", b"Delivered-To:",
          b"Received:", b"Message-I", b"MIME-Version:", b"Subject:", b"Date:", b"---\n")  # fmt: skip


def may_be_bug_report(head: bytes, uri: str) -> bool:
    """Whether a file with this head could be a bug report. Cheap, with false positives."""
    begins = head.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(_FIRST_BYTES)
    if not (begins or b"\n```" in head or uri.lower().endswith((".md", ".markdown"))):
        return False
    from deadheat.bug_reports.formats import plain_text  # regular expressions that a log does not need

    return plain_text.looks_like_bug_report(head, uri)


def may_be_bulk_export(head: bytes) -> bool:
    """Whether a file that begins like a bug report could contain any number of them."""
    return head.removeprefix(b"\xef\xbb\xbf").lstrip().startswith((b"{", b"[", b"From "))


class DraftPassage(NamedTuple):
    """A decoded part of a bug report with its raw offsets."""

    text: OffsetText
    # "title" and "label" are too short for a report; "output" is a program's, not the author's
    kind: str = "text"


class BugReportDraft(NamedTuple):
    """A bug report as a format splits it off, before reports and claims are extracted."""

    fragment: str
    passages: tuple[DraftPassage, ...]
    title: str = ""
    id: str = ""
    written: str = ""
    thread: str = ""
    test: str = ""  # the test whose output it is
    error: Exception | None = None  # why the format could not be read; the text is unchanged then


class BugReportFormat(NamedTuple):
    """A file format of bug reports."""

    name: str
    rank: int  # if several formats match, the one with the lowest rank is used
    # the bug reports in a file, given its bytes and URI; None if the file does not have this format
    split: Callable[[bytes, str], list[BugReportDraft] | None]


class OffsetText:
    """UTF-8 text made of pieces; a piece is either raw bytes, or mapped as a whole."""

    __slots__ = ("_raw_ends", "_raw_starts", "_starts", "data")

    def __init__(self, pieces: list[TextPiece]) -> None:
        pieces = [piece for piece in pieces if piece[0]]
        self.data = b"".join(text for text, _, _ in pieces)
        self._starts = list(accumulate((len(text) for text, _, _ in pieces), initial=0))[:-1]
        self._raw_starts = [start for _, start, _ in pieces]
        self._raw_ends = [end for _, _, end in pieces]

    @classmethod
    def from_slice(cls, data: bytes, start: int, end: int) -> OffsetText:
        """A slice of the raw file."""
        return cls([(data[start:end], start, end)])

    def raw_span(self, start: int, end: int) -> Span:
        """The raw bytes of `[start, end)` of the text."""
        raw = self._raw_offset(start, is_end=False)
        return Span(raw, max(0, self._raw_offset(end, is_end=True) - raw))

    def _raw_offset(self, position: int, is_end: bool) -> int:
        """The raw offset of a position; `is_end` means that it is an end."""
        if not self._starts:
            return 0
        index = max(0, bisect_right(self._starts, position - is_end) - 1)
        piece_start, raw_start, raw_end = self._starts[index], self._raw_starts[index], self._raw_ends[index]
        size = (self._starts[index + 1] if index + 1 < len(self._starts) else len(self.data)) - piece_start
        if size == raw_end - raw_start:
            return raw_start + min(position - piece_start, size)
        return raw_end if is_end else raw_start


def replace_matches(
    raw: bytes, pattern: re.Pattern[bytes], offset: int, replacement: Callable[[bytes], bytes]
) -> list[TextPiece]:
    """Split `raw`, which is at `offset` in the file, into text between matches and the replacement of each match."""
    pieces: list[TextPiece] = []
    piece_start = 0
    for match in pattern.finditer(raw):
        pieces.append((raw[piece_start : match.start()], offset + piece_start, offset + match.start()))
        pieces.append((replacement(match[0]), offset + match.start(), offset + match.end()))
        piece_start = match.end()
    return [*pieces, (raw[piece_start:], offset + piece_start, offset + len(raw))]
