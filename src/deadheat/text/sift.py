"""Finds the few places worth reading in a great many bytes; knows only literals and offsets."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from deadheat.text.window import Buffer

Hits = list[tuple[int, int]]


# rare bytes: one look for each spares a pass for every literal that has it
_MARKS = (b"\x1b", b"\xc2\xa0", b"&nbsp;")


class FindSifter:
    """One `bytes.find` pass per literal: needs nothing beyond the standard library."""

    name = "find"

    def __init__(self, literals: tuple[bytes, ...]) -> None:
        self.literals = literals

    def hits(self, block: Buffer, start: int = 0, base: int = 0) -> Hits:
        """`(offset, index of the literal)` of every occurrence that begins at `start` or later.

        `base` is the offset of the block's first byte.
        """
        found: Hits = []
        absent = [mark for mark in _MARKS if block.find(mark, start) < 0]
        for index, literal in enumerate(self.literals):
            if any(mark in literal for mark in absent):
                continue
            at = block.find(literal, start)
            while at >= 0:
                found.append((base + at, index))
                at = block.find(literal, at + len(literal))
        found.sort()
        return found


class HyperscanSifter:
    """All literals in one pass of vector instructions, for the `fast` extra."""

    name = "hyperscan"

    def __init__(self, literals: tuple[bytes, ...], hyperscan: Any) -> None:
        self.literals = literals
        self._lengths = [len(literal) for literal in literals]
        self._database = hyperscan.Database(mode=hyperscan.HS_MODE_BLOCK)
        # hex escapes, because the pattern syntax gives meaning to most punctuation
        patterns = ["".join(f"\\x{b:02x}" for b in lit).encode() for lit in literals]
        self._database.compile(
            expressions=patterns,
            ids=list(range(len(literals))),
            elements=len(literals),
            flags=[0] * len(literals),
        )

    def hits(self, block: Buffer, start: int = 0, base: int = 0) -> Hits:
        """As `FindSifter.hits`."""
        found: Hits = []
        shifts = [base + start - length for length in self._lengths]
        view = memoryview(block)[start:]  # type: ignore[arg-type]

        def hit(index: int, _begin: int, end: int, _flags: int, _context: object) -> None:
            found.append((end + shifts[index], index))

        with view:  # a map whose memory is still looked at cannot be closed
            self._database.scan(view, match_event_handler=hit)
        found.sort()
        return found


Sifter = FindSifter | HyperscanSifter


@lru_cache(maxsize=8)
def sifter(literals: tuple[bytes, ...]) -> Sifter:
    """The fastest sifter that this installation has."""
    try:
        import hyperscan
    except ImportError:
        return FindSifter(literals)
    return HyperscanSifter(literals, hyperscan)
