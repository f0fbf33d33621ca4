"""Joins records that span several lines, with the text and the writer on different lines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from deadheat.text import clean, records
from deadheat.text.late import regex

if TYPE_CHECKING:
    from collections.abc import Sequence

    from deadheat.text.window import Windows

# first and last line of a record: `    {`, `    },`; nested objects have keys: `"labels": {`
_OPEN = regex(r"(\s{0,100})\[?\{\s{0,9}$")
_CLOSE = regex(r"(\s{0,100})\}[,\]]{0,2}\s{0,9}$")
# limits of a record that contains one line of text
_LONGEST: Final = 1 << 12
_MANY: Final = 100


def around(
    windows: Windows, line: int, raw: bytes, floor: int, encoding: str
) -> tuple[int, int] | None:
    """The start and end of the record around the line at `line`, if it names a writer."""
    if not raw.lstrip().startswith(b'"'):
        return None
    start = windows.back(line, _LONGEST, floor)
    above = windows.peek(start, line - start)
    begin = _opening(above.decode("latin-1"))
    if begin < 0:
        return None
    text, _ = clean.lines(windows.peek(start + begin, _LONGEST), encoding)
    size = _size(text)
    told = _told(text[:size]) if size else None
    if told is None or not any(piece.lane for piece in told):
        return None
    end = start + begin
    for _ in range(size):
        end = windows.line_end(end)
    return start + begin, end


def joined(
    texts: Sequence[str], offsets: Sequence[int], ended: bool
) -> tuple[list[str], list[int], tuple[list[str], list[int]]]:
    """Returns the lines and offsets with each record joined, and the rest of an incomplete record."""
    out: list[str] = []
    starts: list[int] = []
    at = 0
    while at < len(texts):
        size = _size(texts[at : at + _MANY])
        if size:
            one = "".join(map(str.strip, texts[at : at + size]))
            told = [one] if records.pieces(one, []) else texts[at : at + size]
        elif _OPEN.match(texts[at]) and not ended and len(texts) - at < _MANY:
            break
        else:
            size, told = 1, texts[at : at + 1]
        out += told
        starts += offsets[at : at + len(told)]
        at += size
    rest = list(texts[at:]), list(offsets[at : len(texts)])
    return out, [*starts, offsets[at]], rest


def _opening(above: str) -> int:
    """The start of the record that is open at the end of these lines, or -1."""
    at = len(above)
    closed: set[str] = set()
    while at > 0:
        begin = above.rfind("\n", 0, at - 1) + 1
        text = above[begin:at]
        if close := _CLOSE.match(text):
            closed.add(close[1])
        elif (opened := _OPEN.match(text)) and opened[1] not in closed:
            return begin
        at = begin
    return -1


def _size(texts: Sequence[str]) -> int:
    """The number of lines of the record that begins with the first line; 0 if it does not end."""
    opened = _OPEN.match(texts[0]) if texts else None
    if opened is None:
        return 0
    for i, text in enumerate(texts[:_MANY]):
        if (close := _CLOSE.match(text)) and close[1] == opened[1]:
            return i + 1
    return 0


def _told(texts: Sequence[str]) -> list[records.Piece] | None:
    return records.pieces("".join(map(str.strip, texts)), [])
