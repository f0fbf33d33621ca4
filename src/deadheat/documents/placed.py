"""A decoded text that knows which raw bytes each piece of it came from."""

from __future__ import annotations

from bisect import bisect_right

from deadheat.model import Span


class Placed:
    """UTF-8 text made of pieces; within a piece either every byte is raw, or none can be told."""

    __slots__ = ("_ends", "_raws", "_starts", "data")

    def __init__(self) -> None:
        self.data = b""
        self._starts: list[int] = []
        self._raws: list[int] = []  # where each piece begins in the raw file
        self._ends: list[int] = []  # and where it ends there

    @classmethod
    def verbatim(cls, data: bytes, at: int, end: int) -> Placed:
        """A slice of the raw file as it is."""
        placed = cls()
        placed.put([(data[at:end], at, end)])
        return placed

    def put(self, pieces: list[tuple[bytes, int, int]]) -> None:
        """Adds pieces: what each one says, and the raw bytes it was made from."""
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
        """The raw bytes behind `[start, end)` of the text."""
        raw = self._raw(start, last=False)
        return Span(raw, max(0, self._raw(end, last=True) - raw))

    def _raw(self, at: int, last: bool) -> int:
        """The raw offset of a place; `last` says that it ends something."""
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
