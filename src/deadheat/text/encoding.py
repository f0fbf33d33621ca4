"""Detects from its first bytes whether a document is text, and its encoding."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from deadheat.model import Span

if TYPE_CHECKING:
    from collections.abc import Callable

    Read = Callable[[int], bytes]

UTF8, LATIN1 = "utf-8", "latin-1"
# byte order marks; the one of UTF-32 begins with the one of UTF-16
_MARKS = (
    (b"\xff\xfe\0\0", 4, 0),
    (b"\0\0\xfe\xff", 4, 3),
    (b"\xff\xfe", 2, 0),
    (b"\xfe\xff", 2, 1),
)
# number of bytes needed for detection
HEAD = 4096


@dataclass(frozen=True, slots=True)
class Layout:
    """The encoding of a document, used to map offsets to raw bytes."""

    encoding: str = UTF8
    mark: int = 0  # size of the byte order mark in bytes
    unit: int = 1  # size of a code unit in bytes
    low: int = 0  # index of the low byte within a unit

    def narrowed(self, read: Read) -> Read:
        """Returns a reader that yields one byte per code unit, so that offsets stay proportional.

        Detectors print Latin-1; other characters become `?`.
        """
        if self.unit == 1:
            return read
        _exactly(read, self.mark)

        def narrow(size: int) -> bytes:
            raw = read(size & -self.unit)
            raw += _exactly(read, -len(raw) % self.unit)
            return _narrow(raw, self.low, self.unit)

        return narrow

    def raw(self, span: Span) -> Span:
        """Converts a span in the narrowed text to a span in the document."""
        if self.unit == 1:
            return span
        return Span(self.mark + span.offset * self.unit, span.length * self.unit, span.lane)


PLAIN = Layout()


def layout(head: bytes) -> Layout:
    """Detects the layout of a document from its first bytes."""
    for mark, unit, low in _MARKS:
        if head.startswith(mark):
            return Layout(LATIN1, len(mark), unit, low)
    for low in (0, 1):
        if len(head) >= 16 and _is_narrow(head[low::2], head[1 - low :: 2]):
            return Layout(LATIN1, 0, 2, low)
    return PLAIN  # UTF-32 without a mark is not distinguishable from numbers


def _exactly(read: Read, size: int) -> bytes:
    """Reads `size` bytes from a reader that may return less; fewer only at the end."""
    got = b""
    while len(got) < size and (more := read(size - len(got))):
        got += more
    return got


def _is_narrow(lows: bytes, highs: bytes) -> bool:
    return highs.count(0) > 0.7 * len(highs) and lows.count(0) < 0.1 * len(lows)


def _highs(raw: bytes, unit: int, low: int) -> bytes:
    return b"".join(raw[at::unit] for at in range(unit) if at != low)


def _narrow(raw: bytes, low: int, unit: int) -> bytes:
    lows = raw[low::unit]
    if not _highs(raw, unit, low).strip(b"\0"):
        return lows
    others = zip(*(raw[at::unit] for at in range(unit) if at != low), strict=False)
    return bytes(63 if any(high) else char for char, high in zip(lows, others, strict=False))


# signatures of ELF, Mach-O, PE, PNG, JPEG, GIF, PDF, class files, SQLite, Parquet, wasm
_MAGIC = (
    b"\x7fELF", b"\xcf\xfa\xed\xfe", b"\xca\xfe\xba\xbe", b"MZ\x90", b"\x89PNG", b"\xff\xd8\xff",
    b"GIF8", b"%PDF-", b"SQLite format 3\0", b"PAR1", b"\0asm",
)  # fmt: skip


def is_binary(head: bytes) -> bool:
    """Whether this is not text. Stray NULs, or a run of leading ones, are still text."""
    if head.startswith(_MAGIC):
        return True
    body = head.lstrip(b"\0")
    return layout(head) is PLAIN and body.count(0) * 20 > len(body) > 0
