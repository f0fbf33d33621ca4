"""What the first bytes of a document say about the rest: text or not, and in which encoding."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from deadheat.model import Span

if TYPE_CHECKING:
    from collections.abc import Callable

    Read = Callable[[int], bytes]

UTF8, LATIN1 = "utf-8", "latin-1"
# byte order marks; that of UTF-32 begins with that of UTF-16
_MARKS = (
    (b"\xff\xfe\0\0", 4, 0),
    (b"\0\0\xfe\xff", 4, 3),
    (b"\xff\xfe", 2, 0),
    (b"\xfe\xff", 2, 1),
)
# how many bytes are enough to tell
HEAD = 4096


@dataclass(frozen=True, slots=True)
class Layout:
    """How a document's bytes are laid out, so that offsets can be given in the raw ones."""

    encoding: str = UTF8
    mark: int = 0  # bytes of a byte order mark
    unit: int = 1  # bytes of a code unit
    low: int = 0  # which of a unit's bytes is the low one

    def narrowed(self, read: Read) -> Read:
        """Reads one byte per code unit, so that a raw offset is a multiple of the offset in it.

        Detectors print Latin-1; what lies beyond becomes `?`.
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
        """A span of what `narrowed` reads as a span of the document."""
        if self.unit == 1:
            return span
        return Span(self.mark + span.offset * self.unit, span.length * self.unit, span.lane)


PLAIN = Layout()


def layout(head: bytes) -> Layout:
    """The layout of a document that begins with these bytes."""
    for mark, unit, low in _MARKS:
        if head.startswith(mark):
            return Layout(LATIN1, len(mark), unit, low)
    for low in (0, 1):
        if len(head) >= 16 and _is_narrow(head[low::2], head[1 - low :: 2]):
            return Layout(LATIN1, 0, 2, low)
    return PLAIN  # four bytes to a unit, without a mark, are as good as numbers


def _exactly(read: Read, size: int) -> bytes:
    """As many bytes, in however many pieces they come; fewer at the end only."""
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


# first bytes of ELF, Mach-O, PE, PNG, JPEG, GIF, PDF, class files, SQLite, Parquet, wasm
_MAGIC = (
    b"\x7fELF", b"\xcf\xfa\xed\xfe", b"\xca\xfe\xba\xbe", b"MZ\x90", b"\x89PNG", b"\xff\xd8\xff",
    b"GIF8", b"%PDF-", b"SQLite format 3\0", b"PAR1", b"\0asm",
)  # fmt: skip


def is_binary(head: bytes) -> bool:
    """Does this look like no text at all? Stray NULs, or a run of them in front, are still text."""
    if head.startswith(_MAGIC):
        return True
    body = head.lstrip(b"\0")
    return layout(head) is PLAIN and body.count(0) * 20 > len(body) > 0
