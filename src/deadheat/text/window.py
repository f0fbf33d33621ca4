"""Bytes of a document: an opened document, and a sliding window over its bytes."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable  # noqa: TC003, mypyc needs it at run time
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

from deadheat.text.prefilter import HINT_MARGIN

if TYPE_CHECKING:
    from deadheat.errors import UnreadableError
    from deadheat.text.prefilter import Hits, Prefilter

    # called with the start and end of a searched range and the offsets of the phrase in it
    PhraseListener = Callable[[int, int, list[int]], None]

    ReadBytes = Callable[[int], bytes]


BLOCK_SIZE: Final = 1 << 20
# bytes kept before a hit: enough for its line and the beginning of a damaged report
KEPT_BEFORE_HIT: Final = 1 << 16
# longer lines are read in pieces of this size, which begin a little before a hit
MAX_LINE: Final = 1 << 16
_BEFORE_HIT: Final = 1 << 12
# size of the first search step; doubled each time, until hits are dense
_FIRST_STEP: Final = 1 << 16


class ByteBuffer(Protocol):
    """The common interface of `bytes`, `bytearray` and `mmap`."""

    def __len__(self) -> int: ...
    def __getitem__(self, index: slice, /) -> bytes: ...
    def find(self, sub: bytes, start: int = 0, end: int = -1, /) -> int: ...
    def rfind(self, sub: bytes, start: int = 0, end: int = -1, /) -> int: ...


class ByteSource(Protocol):
    """Bytes that are accessed through a buffer which advances."""

    @property
    def base(self) -> int:
        """Offset of the buffer's first byte."""

    @property
    def buffer(self) -> ByteBuffer: ...

    @property
    def error(self) -> UnreadableError | None:
        """Why the bytes ended early."""

    def read_more(self, keep: int) -> bool:
        """Advances, keeping the bytes from `keep` on; returns False at the end."""


class StreamSource:
    """A source over a function that reads sequentially."""

    def __init__(self, read: Callable[[int], bytes], base: int = 0) -> None:
        self._read = read
        self.base = base
        self.buffer = b""
        self.error: UnreadableError | None = None

    def read_more(self, keep: int) -> bool:
        block = self._read(BLOCK_SIZE)
        if not block:
            return False
        drop = max(0, min(keep - self.base, len(self.buffer)))
        self.buffer = self.buffer[drop:] + block
        self.base += drop
        return True


class SlidingWindow:
    """The hits in a source, and the lines around them.

    Offsets are those of the source. Memory is bounded by a few blocks.
    """

    def __init__(self, source: ByteSource, prefilter: Prefilter, on_phrase: PhraseListener | None = None) -> None:
        self._source = source
        self._prefilter = prefilter
        self._on_phrase = on_phrase if prefilter.finds_phrase else None
        self._overlap = max(map(len, prefilter.literals), default=1) - 1 + HINT_MARGIN
        self._searched_to = source.base
        self._step_size = _FIRST_STEP
        self._hits: Hits = []
        self._next_index = 0
        self._absent_until: dict[bytes, int] = {}  # offset up to which a literal does not occur
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
            self._next_index = i = bisect_left(self._hits, (at, -1), self._next_index)
            if i < len(self._hits):
                return self._hits[i]
            search_limit = None if end is None else end + self._overlap + KEPT_BEFORE_HIT
            if search_limit is not None and self._searched_to >= search_limit:
                return None
            if self._searched_to < self.end:
                self._search_step(search_limit)
            elif not self._read_more(max(at, self.end) - KEPT_BEFORE_HIT):
                return None

    def continues_with(self, at: int, text: bytes) -> bool:
        """Whether the text at `at` is `text`; if so, the search continues after `at`."""
        if self.peek(at, len(text)) != text:
            return False
        if self._searched_to < at:
            self._searched_to, self._step_size = at, _FIRST_STEP
        return True

    def line_start(self, at: int, floor: int) -> int:
        """The start of the line that contains `at`, but not before `floor`."""
        base = self._source.base
        low = max(floor - base, at - base - KEPT_BEFORE_HIT, 0)
        newline = self._source.buffer.rfind(b"\n", low, at - base)
        if newline >= 0:
            return base + newline + 1
        if base + low == floor or not low:
            return base + low
        return max(floor, at - _BEFORE_HIT)

    def line_end(self, at: int) -> int:
        """The end of the line that begins at `at`, or of its first piece."""
        newline = self._source.buffer.find(b"\n", at - self._source.base)
        return self._source.base + newline + 1 if newline >= 0 else at + len(self.read_lines(at, 0))

    def line_start_before(self, at: int, size: int, floor: int) -> int:
        """The start of the first line that begins at most `size` bytes before `at`."""
        base = self._source.base
        floor = max(floor, base)
        if at - size <= floor:
            return floor
        newline = self._source.buffer.find(b"\n", at - size - base, at - base)
        return base + newline + 1 if newline >= 0 else at

    def bytes_until(self, at: int, closing: bytes, max_size: int) -> bytes | None:
        """The bytes between `at` and a literal, if it occurs within `max_size` bytes."""
        while True:
            buffer, base = self._source.buffer, self._source.base
            begin = at - base
            # do not search again what was searched for an earlier hit
            search_start = max(begin, self._absent_until.get(closing, 0) - base)
            position = _find_bar(buffer, closing, search_start, begin + max_size)
            if position >= 0:
                return buffer[begin:position]
            self._absent_until[closing] = max(at, min(at + max_size, self.end) - len(closing) + 1)
            if len(buffer) - begin >= max_size or not self._read_more(at - KEPT_BEFORE_HIT):
                return None

    def peek(self, at: int, size: int) -> bytes:
        """The next bytes, regardless of line ends."""
        while self.end - at < size and self._read_more(at - KEPT_BEFORE_HIT):
            pass
        begin = at - self._source.base
        return self._source.buffer[begin : begin + size]

    def read_lines(self, at: int, size: int) -> bytes:
        """Complete lines from `at` on, about `size` bytes; only the last may lack a newline."""
        while True:
            buffer, begin = self._source.buffer, at - self._source.base
            if begin + size < len(buffer):
                newline = buffer.find(b"\n", begin + size, begin + MAX_LINE)
                if newline >= 0:
                    return buffer[begin : newline + 1]
                if len(buffer) - begin >= MAX_LINE:
                    return buffer[begin : begin + MAX_LINE]
            if self.ended or not self._read_more(at - KEPT_BEFORE_HIT):
                return self._source.buffer[at - self._source.base :]

    def _read_more(self, keep: int) -> bool:
        while self._searched_to < min(keep, self.end):  # search it before it is dropped
            self._search_step()
        if self.ended or not self._source.read_more(keep):
            self.ended = True
            return False
        return True

    def _search_step(self, search_limit: int | None = None) -> None:
        """Searches the next part of the buffer for literals."""
        base = self._source.base
        self._hits = self._hits[self._next_index :]
        self._next_index = 0
        last_known = self._hits[-1] if self._hits else (-1, -1)
        # aligned to a cache line, which vector instructions read faster
        search_start = max(0, self._searched_to - self._overlap - base) & -64
        search_end = min(self._searched_to + self._step_size - base, len(self._source.buffer))
        if search_limit is not None:
            search_end = min(search_end, search_limit - base)
        phrase_offsets: list[int] = []
        new_hits = self._prefilter.find_hits(self._source.buffer, search_start, search_end, base, phrase_offsets)
        if self._on_phrase is not None:
            self._on_phrase(base + search_start, base + search_end, phrase_offsets)
        self._hits += new_hits[bisect_right(new_hits, last_known) :]
        self._searched_to = base + search_end
        self._step_size *= 2


def _find_bar(buffer: ByteBuffer, closing: bytes, start: int, end: int) -> int:
    """Finds a literal that repeats one byte; searching for the byte is four times as fast."""
    first = buffer.find(closing[1:2], start, end) - 1
    if first >= start and buffer[first : min(first + len(closing), end)] == closing:
        return first
    return buffer.find(closing, start, end)


class OpenedDocument(NamedTuple):
    """A document that is read sequentially. `read` raises UnreadableError."""

    uri: str
    head: bytes  # the first bytes, at most `HEAD_SIZE`
    read: Callable[[int], bytes]  # the bytes after the head


class DocumentRange(NamedTuple):
    """A range of a plain log with random access. Both functions raise UnreadableError."""

    uri: str
    start: int
    end: int | None
    open_at: Callable[[int], ByteSource]  # the bytes from an offset on
    read_between: Callable[[int, int], bytes]  # independent of the position of the source


def prepend_bytes(head: bytes, read: ReadBytes) -> ReadBytes:
    """Returns a reader that first returns `head`, then the rest."""
    pending = head

    def read_prepended(size: int) -> bytes:
        nonlocal pending
        if not pending:
            return read(size)
        first, pending = pending[:size], pending[size:]
        return first

    return read_prepended
