"""Bug reports: cheap detection, the draft that a format produces, and decoded text with raw offsets.

This module is imported for every log, so it must stay cheap. Formats are in `formats/`, each with a
`FORMAT` that the plugin registry finds."""

from __future__ import annotations

from bisect import bisect_right
from typing import NamedTuple, Protocol

from deadheat.model import Span

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


class BugReportFormat(Protocol):
    """A file format of bug reports."""

    name: str
    # if several formats match, the one with the lowest rank is used
    rank: int

    def split(self, data: bytes, uri: str) -> list[BugReportDraft] | None:
        """Returns the bug reports in a file, or None if it does not have this format."""


class OffsetText:
    """UTF-8 text made of pieces; a piece is either raw bytes, or mapped as a whole."""

    __slots__ = ("_raw_ends", "_raw_starts", "_starts", "data")

    def __init__(self) -> None:
        self.data = b""
        self._starts: list[int] = []
        self._raw_starts: list[int] = []  # start of each piece in the raw file
        self._raw_ends: list[int] = []  # end of each piece in the raw file

    @classmethod
    def from_slice(cls, data: bytes, start: int, end: int) -> OffsetText:
        """A slice of the raw file."""
        text = cls()
        text.append_pieces([(data[start:end], start, end)])
        return text

    def append_pieces(self, pieces: list[tuple[bytes, int, int]]) -> None:
        """Appends pieces: the text of each, and its start and end in the raw file."""
        size = len(self.data)
        parts = [self.data]
        for text, raw, end in pieces:
            if not text:
                continue
            self._starts.append(size)
            self._raw_starts.append(raw)
            self._raw_ends.append(end)
            parts.append(text)
            size += len(text)
        self.data = b"".join(parts)

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
