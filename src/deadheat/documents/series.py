"""Splits a file of many bug reports into pieces of complete ones."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple, Protocol

from deadheat.documents import LIMIT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Read = Callable[[int], bytes]

_PIECE = 1 << 21
_BLOCK = 1 << 20
_BLANK = b"\xef\xbb\xbf \t\r\n"
# '{"url": "...", "number": 12, ...}' and the beginning of the next line
_LINES = re.compile(rb"\{[^\n]*\}[ \t\r]*\n\s*\{")
# '[{', '[\n  {'
_ARRAY = re.compile(rb"\[\s*\{")
# the next string, or a bracket outside of strings; possessive, because strings may be long
_TOKEN = re.compile(rb"[^\"{}\[\]]*+(?:\"[^\"\\]*+(?:\\.[^\"\\]*+)*+\"|[{}\[\]])", re.DOTALL)
# "From dev@example.com Thu May  2 12:00:00 2024" after a blank line
_MESSAGE = re.compile(rb"(?<=\n)\r?\nFrom [^\r\n]{1,200}\d{4}[^\r\n]{0,20}\r?\n")
_LONGEST_FROM = 256


class Piece(NamedTuple):
    """Some bytes of the file from `offset` on. If not `is_complete`, it ends within a bug report."""

    at: int
    data: bytes
    whole: bool = True


class Cut(Protocol):
    """Finds where a piece may end."""

    between: bytes  # bytes between two bug reports

    def end(self, data: bytes, fresh: int) -> int:
        """The end of the last complete bug report, or 0. Bytes up to `searched` were searched before."""


class Lines:
    """One JSON object per line."""

    between = b""

    def end(self, data: bytes, fresh: int) -> int:
        return data.rfind(b"\n", fresh) + 1


class Messages:
    """An mbox."""

    between = b""

    def end(self, data: bytes, fresh: int) -> int:
        last = 0
        for match in _MESSAGE.finditer(data, max(0, fresh - _LONGEST_FROM)):
            last = data.index(b"From ", match.start())
        return last


class Objects:
    """A JSON array of objects."""

    between = b" \t\r\n,"

    def __init__(self) -> None:
        self._depth = self._at = 0

    def end(self, data: bytes, fresh: int) -> int:
        if not fresh:
            self._depth = self._at = 0
        last = 0
        while match := _TOKEN.match(data, self._at):
            self._at = match.end()
            mark = data[self._at - 1 : self._at]
            if mark in (b"{", b"["):
                self._depth += 1
            elif mark != b'"':
                self._depth -= 1
                if not self._depth:
                    last = self._at
        return last


def cut(head: bytes) -> Cut | None:
    """The splitter for a file with this head; None if it is not a series of bug reports."""
    text = head.lstrip(_BLANK)
    if _LINES.match(text):
        return Lines()
    if _ARRAY.match(text):
        return Objects()
    return Messages() if text.startswith(b"From ") else None


def pieces(how: Cut, read: Read) -> Iterator[Piece]:
    """Yields the pieces of a file in order; after an incomplete one, the caller reads on."""
    first = read(_BLOCK)
    data = first.lstrip(_BLANK + b"[" if how.between else _BLANK)
    at, fresh, end = len(first) - len(data), 0, 0
    while True:
        end = how.end(data, fresh) or end
        if end >= _PIECE:
            yield Piece(at, data[:end])
            rest = data[end:].lstrip(how.between)
            at, data, fresh, end = at + len(data) - len(rest), rest, 0, 0
            continue
        if len(data) > LIMIT:
            yield Piece(at, data, whole=False)
            return
        fresh = len(data)
        if not (block := read(_BLOCK)):
            break
        data += block
    if data.strip(b" \t\r\n]"):
        yield Piece(at, data.rstrip(b" \t\r\n]") if how.between else data)
