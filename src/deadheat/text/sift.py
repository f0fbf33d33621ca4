"""Finds the few places worth reading in a great many bytes; knows only literals and offsets.

In two steps: a few hints tell where a report may be near, and only there are all the literals looked
for. The fewer words, the faster the first step, and almost all bytes see nothing else.
"""

from __future__ import annotations

from contextlib import suppress
from functools import lru_cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deadheat.text.window import Buffer

Hits = list[tuple[int, int]]


# no literal is further than this from a hint
MARGIN = 1 << 14
# how much behind a hint is looked through before the next one is looked for
_STRETCH = 1 << 15
# rare bytes: one look for each spares a pass for every literal that has it
_MARKS = (b"\x1b", b"\xc2\xa0", b"&nbsp;")


class FindSifter:
    """One `bytes.find` pass per literal: needs nothing beyond the standard library."""

    name = "find"

    def __init__(self, literals: tuple[bytes, ...]) -> None:
        self.literals = literals

    def hits(self, block: Buffer, start: int = 0, end: int | None = None, base: int = 0) -> Hits:
        """`(offset, index of the literal)` of every occurrence in a part of the block.

        `base` is the offset of the block's first byte.
        """
        found: Hits = []
        stop = len(block) if end is None else end
        absent = [mark for mark in _MARKS if block.find(mark, start, stop) < 0]
        for index, literal in enumerate(self.literals):
            if any(mark in literal for mark in absent):
                continue
            at = block.find(literal, start, stop)
            while at >= 0:
                found.append((base + at, index))
                at = block.find(literal, at + len(literal), stop)
        found.sort()
        return found

    def firsts(self, block: Buffer, start: int) -> Iterator[int]:
        """Where a literal begins, but at most one in a stretch."""
        ahead = dict.fromkeys(self.literals, start - 1)
        while ahead:
            for literal in [known for known, at in ahead.items() if at < start]:
                ahead[literal] = block.find(literal, start)
                if ahead[literal] < 0:
                    del ahead[literal]  # nowhere in the rest
            if ahead:
                first = min(ahead.values())
                yield first
                start = first + _STRETCH


class HyperscanSifter:
    """All literals in one pass of vector instructions, for the `fast` extra."""

    name = "hyperscan"

    def __init__(self, literals: tuple[bytes, ...], hyperscan: Any) -> None:
        self.literals = literals
        self._lengths = [len(literal) for literal in literals]
        self._terminated = hyperscan.ScanTerminated
        self._database = hyperscan.Database(mode=hyperscan.HS_MODE_BLOCK)
        # hex escapes, because the pattern syntax gives meaning to most punctuation
        patterns = ["".join(f"\\x{b:02x}" for b in lit).encode() for lit in literals]
        self._database.compile(
            expressions=patterns,
            ids=list(range(len(literals))),
            elements=len(literals),
            flags=[0] * len(literals),
        )

    def hits(self, block: Buffer, start: int = 0, end: int | None = None, base: int = 0) -> Hits:
        """As `FindSifter.hits`."""
        found: Hits = []
        shifts = [base + start - length for length in self._lengths]
        view = memoryview(block)[start:end]  # type: ignore[arg-type]

        def hit(index: int, _begin: int, end: int, _flags: int, _context: object) -> None:
            found.append((end + shifts[index], index))

        with view:  # a map whose memory is still looked at cannot be closed
            self._database.scan(view, match_event_handler=hit)
        found.sort()
        return found

    def firsts(self, block: Buffer, start: int) -> Iterator[int]:
        """As `FindSifter.firsts`."""
        first = -1

        def hit(index: int, _begin: int, end: int, _flags: int, _context: object) -> bool:
            nonlocal first
            first = start + end - self._lengths[index]
            return True  # enough

        while first < start < len(block):
            # at a multiple of a cache line: vector instructions read slower from anywhere else
            start &= -64
            with memoryview(block)[start:] as view, suppress(self._terminated):  # type: ignore[arg-type]
                self._database.scan(view, match_event_handler=hit)
            if first < start:
                return
            yield first
            start = first + _STRETCH


OneStep = FindSifter | HyperscanSifter


class Sifter:
    """Looks for the literals where a hint is near."""

    def __init__(self, hints: OneStep, literals: OneStep) -> None:
        self._hints, self._literals = hints, literals
        self.literals = literals.literals
        self.name = literals.name
        self._longest = max(map(len, self.literals), default=1)

    def hits(self, block: Buffer, start: int = 0, base: int = 0) -> Hits:
        """`(offset, index of the literal)` of the occurrences from `start` on, in their order.

        `base` is the offset of the block's first byte.
        """
        found: Hits = []
        done = start
        for first in self._hints.firsts(block, start):
            begin, end = max(done, first - MARGIN), first + _STRETCH + MARGIN
            near = self._literals.hits(block, begin, end + self._longest - 1, base)
            found += [hit for hit in near if hit[0] < base + end]
            done = end
        return found


@lru_cache(maxsize=8)
def sifter(literals: tuple[bytes, ...], hints: tuple[bytes, ...] = ()) -> Sifter:
    """The fastest sifter that this installation has. Without hints, the literals are their own."""
    hints = tuple(dict.fromkeys(hints)) or literals
    try:
        import hyperscan
    except ImportError:
        return Sifter(FindSifter(hints), FindSifter(literals))
    return Sifter(HyperscanSifter(hints, hyperscan), HyperscanSifter(literals, hyperscan))
