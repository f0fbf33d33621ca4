"""Decoded text that maps its offsets to raw bytes."""

from __future__ import annotations

from bisect import bisect_right

from deadheat.model import Span


class Placed:
    """UTF-8 text made of pieces; a piece is either raw bytes, or mapped as a whole."""

    __slots__ = ("_ends", "_raws", "_starts", "data")

    def __init__(self) -> None:
        self.data = b""
        self._starts: list[int] = []
        self._raws: list[int] = []  # start of each piece in the raw file
        self._ends: list[int] = []  # end of each piece in the raw file

    @classmethod
    def verbatim(cls, data: bytes, at: int, end: int) -> Placed:
        """A slice of the raw file."""
        placed = cls()
        placed.put([(data[at:end], at, end)])
        return placed

    def put(self, pieces: list[tuple[bytes, int, int]]) -> None:
        """Appends pieces: the text of each, and its start and end in the raw file."""
        size = len(self.data)
        parts = [self.data]
        for text, raw, end in pieces:
            if not text:
                continue
            self._starts.append(size)
            self._raws.append(raw)
            self._ends.append(end)
            parts.append(text)
            size += len(text)
        self.data = b"".join(parts)

    def span(self, start: int, end: int) -> Span:
        """The raw bytes of `[start, end)` of the text."""
        raw = self._raw(start, last=False)
        return Span(raw, max(0, self._raw(end, last=True) - raw))

    def _raw(self, at: int, last: bool) -> int:
        """The raw offset of a position; `is_end` means that it is an end."""
        if not self._starts:
            return 0
        index = max(0, bisect_right(self._starts, at - last) - 1)
        start, raw, end = self._starts[index], self._raws[index], self._ends[index]
        size = (
            self._starts[index + 1] if index + 1 < len(self._starts) else len(self.data)
        ) - start
        if size == end - raw:
            return raw + min(at - start, size)
        return end if last else raw
