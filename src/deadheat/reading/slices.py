"""Decodes the lines of a region and joins or splits them where needed."""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING, Final

from deadheat.reading import folded, objects
from deadheat.text import clean

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deadheat.reading.twice import Twice
    from deadheat.text.window import Windows

    # lines, and the offsets at which they begin and the last one ends
    Slice = tuple[list[str], list[int]]

# lines are decoded in slices of about this size
_SIZE: Final = 1 << 11


class Slices:
    """The decoded lines of a region."""

    def __init__(self, windows: Windows, encoding: str, twice: Twice) -> None:
        self._windows = windows
        self._encoding = encoding
        self._twice = twice
        self.folded = folded.Folded()
        self.objects = False  # whether each line is a record over several lines
        self.unfinished = False  # whether the text ends within a line
        self.stray = False

    def record(self, line: int, raw: bytes, floor: int) -> tuple[int, int]:
        """The start and end of the record that names the writer of this line, or of the line itself."""
        span = objects.around(self._windows, line, raw, floor, self._encoding)
        self.objects = span is not None
        return span or (line, line + len(raw))

    def lines(self, raw: bytes) -> list[str]:
        texts, _ = clean.lines(raw, self._encoding)
        return objects.joined(texts, range(len(texts) + 1), True)[0] if self.objects else texts

    def read(self, at: int, size: int = _SIZE) -> Iterator[Slice]:
        """Yields the lines from `at` on, in slices."""
        rest: Slice = ([], [])
        while raw := self._windows.slice(at, size):
            texts, stray = clean.lines(raw, self._encoding)
            self.stray = self.stray or stray
            offsets = list(accumulate((len(x) + 1 for x in raw.split(b"\n")), initial=at))
            self.unfinished = not raw.endswith(b"\n")
            if self.unfinished:
                offsets[-1] -= 1
            else:
                texts.pop()
                offsets.pop()
            self._twice.heed(at, raw)
            self._twice.spare(texts, offsets)
            at += len(raw)
            if self.objects:
                texts, offsets = [*rest[0], *texts], [*rest[1], *offsets]
                last = self._windows.ended and at >= self._windows.end
                texts, offsets, rest = objects.joined(texts, offsets, last)
            yield self.folded.paragraphs(texts, offsets)
        if rest[0]:
            yield rest[0], [*rest[1], at]
