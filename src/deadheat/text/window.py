"""A sliding buffer over some bytes that is sifted as it moves, and read only around hits."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING, Final, Protocol

from deadheat.text.sift import MARGIN

if TYPE_CHECKING:
    from collections.abc import Callable

    from deadheat.text.sift import Hits, Sifter

    # is told that between two offsets a phrase stands at these, and nowhere else
    Listen = Callable[[int, int, list[int]], None]

BLOCK: Final = 1 << 20
# how much is kept behind a hit: enough for its line and for what a damaged report began with
BEHIND: Final = 1 << 16
# a longer line is read in pieces of this size, which begin a little before a hit
MAX_LINE: Final = 1 << 16
_BEFORE_HIT: Final = 1 << 12
# how much is sifted at first; twice as much each time, until reports stand so close that they lead
# from one to the next
_STEP: Final = 1 << 16


class Buffer(Protocol):
    """What `bytes`, `bytearray` and `mmap` have in common."""

    def __len__(self) -> int: ...
    def __getitem__(self, index: slice, /) -> bytes: ...
    def find(self, sub: bytes, start: int = 0, end: int = -1, /) -> int: ...
    def rfind(self, sub: bytes, start: int = 0, end: int = -1, /) -> int: ...


class Source(Protocol):
    """Bytes that are looked at through a buffer which moves forward."""

    @property
    def base(self) -> int:
        """Offset of the buffer's first byte."""

    @property
    def buffer(self) -> Buffer: ...

    def more(self, keep: int) -> bool:
        """Moves on, keeping at least what lies at `keep` and later; False at the end."""


class Stream:
    """A source over anything that can be read from front to back."""

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

    Offsets are the source's. Memory is bounded by a few blocks, whatever the source holds.
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
        self._absent: dict[bytes, int] = {}  # up to where a literal does not begin
        self.ended = False

    @property
    def end(self) -> int:
        """Offset just behind what has been read so far."""
        return self._source.base + len(self._source.buffer)

    def next_hit(self, at: int, end: int | None = None) -> tuple[int, int] | None:
        """The first hit at `at` or later, moving on as far as it takes.

        None may be told where all that follow are in lines that begin at `end` or later.
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
        """Is this the text at `at`, up to where all is known? Then nothing is sifted before it."""
        if self.peek(at, len(text)) != text:
            return False
        if self._sifted < at:
            self._sifted, self._step = at, _STEP
        return True

    def line_start(self, at: int, floor: int) -> int:
        """Where the line begins that holds offset `at`; not before `floor`."""
        base = self._source.base
        low = max(floor - base, at - base - BEHIND, 0)
        newline = self._source.buffer.rfind(b"\n", low, at - base)
        if newline >= 0:
            return base + newline + 1
        if base + low == floor or not low:
            return base + low
        return max(floor, at - _BEFORE_HIT)

    def line_end(self, at: int) -> int:
        """Where the line that begins at `at` ends, or the piece of it that is read at a time."""
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
        """What stands between `at` and a literal, if that comes within `most` bytes."""
        while True:
            buffer, base = self._source.buffer, self._source.base
            begin = at - base
            # what was searched for an earlier hit is not searched again
            fresh = max(begin, self._absent.get(closing, 0) - base)
            found = _found(buffer, closing, fresh, begin + most)
            if found >= 0:
                return buffer[begin:found]
            self._absent[closing] = max(at, min(at + most, self.end) - len(closing) + 1)
            if len(buffer) - begin >= most or not self._more(at - BEHIND):
                return None

    def peek(self, at: int, size: int) -> bytes:
        """The next bytes, wherever a line may end."""
        while self.end - at < size and self._more(at - BEHIND):
            pass
        begin = at - self._source.base
        return self._source.buffer[begin : begin + size]

    def slice(self, at: int, size: int) -> bytes:
        """Whole lines from `at` on, about `size` bytes; only the source's end lacks a newline."""
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
        while self._sifted < min(keep, self.end):  # what is given away
            self._sift()
        if self.ended or not self._source.more(keep):
            self.ended = True
            return False
        return True

    def _sift(self, enough: int | None = None) -> None:
        """Looks for literals in some of what is new, and where the new begins."""
        base = self._source.base
        self._hits = self._hits[self._next :]
        self._next = 0
        known = self._hits[-1] if self._hits else (-1, -1)
        # at a multiple of a cache line, since vector instructions read slower from anywhere else
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
    """Where a line that is one byte again and again stands: that byte is found four times as fast."""
    first = buffer.find(closing[1:2], start, end) - 1
    if first >= start and buffer[first : min(first + len(closing), end)] == closing:
        return first
    return buffer.find(closing, start, end)
