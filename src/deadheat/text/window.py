"""A sliding buffer over a byte source that is searched for hits as it advances."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING, Final, Protocol

from deadheat.text.sift import MARGIN

if TYPE_CHECKING:
    from collections.abc import Callable

    from deadheat.text.sift import Hits, Sifter

    # called with the start and end of a searched range and the offsets of the phrase in it
    Listen = Callable[[int, int, list[int]], None]

BLOCK: Final = 1 << 20
# bytes kept before a hit: enough for its line and the beginning of a damaged report
BEHIND: Final = 1 << 16
# longer lines are read in pieces of this size, which begin a little before a hit
MAX_LINE: Final = 1 << 16
_BEFORE_HIT: Final = 1 << 12
# size of the first search step; doubled each time, until hits are dense
_STEP: Final = 1 << 16


class Buffer(Protocol):
    """The common interface of `bytes`, `bytearray` and `mmap`."""

    def __len__(self) -> int: ...
    def __getitem__(self, index: slice, /) -> bytes: ...
    def find(self, sub: bytes, start: int = 0, end: int = -1, /) -> int: ...
    def rfind(self, sub: bytes, start: int = 0, end: int = -1, /) -> int: ...


class Source(Protocol):
    """Bytes that are accessed through a buffer which advances."""

    @property
    def base(self) -> int:
        """Offset of the buffer's first byte."""

    @property
    def buffer(self) -> Buffer: ...

    def more(self, keep: int) -> bool:
        """Advances, keeping the bytes from `keep` on; returns False at the end."""


class Stream:
    """A source over a function that reads sequentially."""

    def __init__(self, read: Callable[[int], bytes], base: int = 0) -> None:
        self._read = read
        self.base = base
        self.buffer = b""

    def more(self, keep: int) -> bool:
        block = self._read(BLOCK)
        if not block:
            return False
        drop = max(0, min(keep - self.base, len(self.buffer)))
        self.buffer = self.buffer[drop:] + block
        self.base += drop
        return True


class Windows:
    """The hits in a source, and the lines around them.

    Offsets are those of the source. Memory is bounded by a few blocks.
    """

    def __init__(self, source: Source, sifter: Sifter, listen: Listen | None = None) -> None:
        self._source = source
        self._sifter = sifter
        self._listen = listen if sifter.hears else None
        self._overlap = max(map(len, sifter.literals), default=1) - 1 + MARGIN
        self._sifted = source.base
        self._step = _STEP
        self._hits: Hits = []
        self._next = 0
        self._absent: dict[bytes, int] = {}  # offset up to which a literal does not occur
        self.ended = False

    @property
    def end(self) -> int:
        """Offset after the last byte read."""
        return self._source.base + len(self._source.buffer)

    def next_hit(self, at: int, end: int | None = None) -> tuple[int, int] | None:
        """Returns the first hit at `at` or later, advancing as needed.

        May return None if all further hits are in lines that begin at `end` or later.
        """
        while True:
            self._next = i = bisect_left(self._hits, (at, -1), self._next)
            if i < len(self._hits):
                return self._hits[i]
            enough = None if end is None else end + self._overlap + BEHIND
            if enough is not None and self._sifted >= enough:
                return None
            if self._sifted < self.end:
                self._sift(enough)
            elif not self._more(max(at, self.end) - BEHIND):
                return None

    def continues(self, at: int, text: bytes) -> bool:
        """Whether the text at `at` is `text`; if so, the search continues after `at`."""
        if self.peek(at, len(text)) != text:
            return False
        if self._sifted < at:
            self._sifted, self._step = at, _STEP
        return True

    def line_start(self, at: int, floor: int) -> int:
        """The start of the line that contains `at`, but not before `floor`."""
        base = self._source.base
        low = max(floor - base, at - base - BEHIND, 0)
        newline = self._source.buffer.rfind(b"\n", low, at - base)
        if newline >= 0:
            return base + newline + 1
        if base + low == floor or not low:
            return base + low
        return max(floor, at - _BEFORE_HIT)

    def line_end(self, at: int) -> int:
        """The end of the line that begins at `at`, or of its first piece."""
        newline = self._source.buffer.find(b"\n", at - self._source.base)
        return self._source.base + newline + 1 if newline >= 0 else at + len(self.slice(at, 0))

    def back(self, at: int, size: int, floor: int) -> int:
        """The start of the first line that begins at most `size` bytes before `at`."""
        base = self._source.base
        floor = max(floor, base)
        if at - size <= floor:
            return floor
        newline = self._source.buffer.find(b"\n", at - size - base, at - base)
        return base + newline + 1 if newline >= 0 else at

    def until(self, at: int, closing: bytes, most: int) -> bytes | None:
        """The bytes between `at` and a literal, if it occurs within `max_size` bytes."""
        while True:
            buffer, base = self._source.buffer, self._source.base
            begin = at - base
            # do not search again what was searched for an earlier hit
            fresh = max(begin, self._absent.get(closing, 0) - base)
            found = _found(buffer, closing, fresh, begin + most)
            if found >= 0:
                return buffer[begin:found]
            self._absent[closing] = max(at, min(at + most, self.end) - len(closing) + 1)
            if len(buffer) - begin >= most or not self._more(at - BEHIND):
                return None

    def peek(self, at: int, size: int) -> bytes:
        """The next bytes, regardless of line ends."""
        while self.end - at < size and self._more(at - BEHIND):
            pass
        begin = at - self._source.base
        return self._source.buffer[begin : begin + size]

    def slice(self, at: int, size: int) -> bytes:
        """Complete lines from `at` on, about `size` bytes; only the last may lack a newline."""
        while True:
            buffer, begin = self._source.buffer, at - self._source.base
            if begin + size < len(buffer):
                newline = buffer.find(b"\n", begin + size, begin + MAX_LINE)
                if newline >= 0:
                    return buffer[begin : newline + 1]
                if len(buffer) - begin >= MAX_LINE:
                    return buffer[begin : begin + MAX_LINE]
            if self.ended or not self._more(at - BEHIND):
                return self._source.buffer[at - self._source.base :]

    def _more(self, keep: int) -> bool:
        while self._sifted < min(keep, self.end):  # search it before it is dropped
            self._sift()
        if self.ended or not self._source.more(keep):
            self.ended = True
            return False
        return True

    def _sift(self, enough: int | None = None) -> None:
        """Searches the next part of the buffer for literals."""
        base = self._source.base
        self._hits = self._hits[self._next :]
        self._next = 0
        known = self._hits[-1] if self._hits else (-1, -1)
        # aligned to a cache line, which vector instructions read faster
        fresh = max(0, self._sifted - self._overlap - base) & -64
        until = min(self._sifted + self._step - base, len(self._source.buffer))
        if enough is not None:
            until = min(until, enough - base)
        said: list[int] = []
        found = self._sifter.hits(self._source.buffer, fresh, until, base, said)
        if self._listen is not None:
            self._listen(base + fresh, base + until, said)
        self._hits += found[bisect_right(found, known) :]
        self._sifted = base + until
        self._step *= 2


def _found(buffer: Buffer, closing: bytes, start: int, end: int) -> int:
    """Finds a literal that repeats one byte; searching for the byte is four times as fast."""
    first = buffer.find(closing[1:2], start, end) - 1
    if first >= start and buffer[first : min(first + len(closing), end)] == closing:
        return first
    return buffer.find(closing, start, end)
