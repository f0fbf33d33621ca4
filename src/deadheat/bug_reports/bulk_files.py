"""Splits a large file with any number of bug reports into pieces of complete bug reports."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple, Protocol

from deadheat import bug_reports

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deadheat.text.opened_document import ReadBytes

_MIN_PIECE_SIZE = 1 << 21
_BLOCK_SIZE = 1 << 20
_BLANK_BYTES = b"\xef\xbb\xbf \t\r\n"
# '{"url": "...", "number": 12, ...}' and the beginning of the next line
_JSON_LINES = re.compile(rb"\{[^\n]*\}[ \t\r]*\n\s*\{")
# '[{', '[\n  {'
_JSON_ARRAY = re.compile(rb"\[\s*\{")
# the next string, or a bracket outside of strings; possessive, because strings may be long
_JSON_TOKEN = re.compile(rb"[^\"{}\[\]]*+(?:\"[^\"\\]*+(?:\\.[^\"\\]*+)*+\"|[{}\[\]])", re.DOTALL)
# "From dev@example.com Thu May  2 12:00:00 2024" after a blank line
_MBOX_MESSAGE = re.compile(rb"(?<=\n)\r?\nFrom [^\r\n]{1,200}\d{4}[^\r\n]{0,20}\r?\n")
_MAX_FROM_LINE = 256


class BulkPiece(NamedTuple):
    """Some bytes of the file from `offset` on. If not `is_complete`, it ends within a bug report."""

    offset: int
    data: bytes
    is_complete: bool = True


class BulkSplitter(Protocol):
    """Finds where a piece may end."""

    separators: bytes  # bytes between two bug reports

    def last_report_end(self, data: bytes, searched: int) -> int:
        """The end of the last complete bug report, or 0. Bytes up to `searched` were searched before."""


class JsonLinesSplitter:
    """One JSON object per line."""

    separators = b""

    def last_report_end(self, data: bytes, searched: int) -> int:
        return data.rfind(b"\n", searched) + 1


class MboxSplitter:
    """An mbox."""

    separators = b""

    def last_report_end(self, data: bytes, searched: int) -> int:
        last_end = 0
        for match in _MBOX_MESSAGE.finditer(data, max(0, searched - _MAX_FROM_LINE)):
            last_end = data.index(b"From ", match.start())
        return last_end


class JsonArraySplitter:
    """A JSON array of objects."""

    separators = b" \t\r\n,"

    def __init__(self) -> None:
        self._depth = self._offset = 0

    def last_report_end(self, data: bytes, searched: int) -> int:
        if not searched:
            self._depth = self._offset = 0
        last_end = 0
        while match := _JSON_TOKEN.match(data, self._offset):
            self._offset = match.end()
            bracket = data[self._offset - 1 : self._offset]
            if bracket in (b"{", b"["):
                self._depth += 1
            elif bracket != b'"':
                self._depth -= 1
                if not self._depth:
                    last_end = self._offset
        return last_end


def choose_splitter(head: bytes) -> BulkSplitter | None:
    """The splitter for a file with this head; None if it is not a series of bug reports."""
    text = head.lstrip(_BLANK_BYTES)
    if _JSON_LINES.match(text):
        return JsonLinesSplitter()
    if _JSON_ARRAY.match(text):
        return JsonArraySplitter()
    return MboxSplitter() if text.startswith(b"From ") else None


def split_pieces(splitter: BulkSplitter, read: ReadBytes) -> Iterator[BulkPiece]:
    """Yields the pieces of a file in order; after an incomplete one, the caller reads on."""
    first = read(_BLOCK_SIZE)
    data = first.lstrip(_BLANK_BYTES + b"[" if splitter.separators else _BLANK_BYTES)
    offset, searched, end = len(first) - len(data), 0, 0
    while True:
        end = splitter.last_report_end(data, searched) or end
        if end >= _MIN_PIECE_SIZE:
            yield BulkPiece(offset, data[:end])
            rest = data[end:].lstrip(splitter.separators)
            offset, data, searched, end = offset + len(data) - len(rest), rest, 0, 0
            continue
        if len(data) > bug_reports.MAX_BUG_REPORT_SIZE:
            yield BulkPiece(offset, data, is_complete=False)
            return
        searched = len(data)
        if not (block := read(_BLOCK_SIZE)):
            break
        data += block
    if data.strip(b" \t\r\n]"):
        yield BulkPiece(offset, data.rstrip(b" \t\r\n]") if splitter.separators else data)


def read_to_limit(head: bytes, read: ReadBytes) -> bytes:
    """Reads a file up to a little more than `MAX_BUG_REPORT_SIZE`."""
    parts, size = [head], len(head)
    while size <= bug_reports.MAX_BUG_REPORT_SIZE and (block := read(1 << 20)):
        parts.append(block)
        size += len(block)
    return b"".join(parts)
