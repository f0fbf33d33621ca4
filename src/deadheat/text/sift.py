"""Finds the few places worth reading in a great many bytes; knows only literals and offsets.

In two steps: a few hints tell where a report may be near, and only there are all the literals looked
for. The fewer words, the faster the first step, and almost all bytes see nothing else.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deadheat.text.window import Buffer

Hits = list[tuple[int, int]]


# no literal is further than this from a hint
MARGIN: Final = 1 << 14
# how much behind a hint is looked through before the next one is looked for
_STRETCH: Final = 1 << 12
# how much is searched at a time: text that is nothing but hints has very many of them
_PIECE: Final = 1 << 18
# the least of a phrase that is worth listening for
_LEAST: Final = 8
# rare bytes: one look for each spares a pass for every literal that has it
_MARKS: Final = (b"\x1b", b"\xc2\xa0", b"&nbsp;", b"</", b"\\_")


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

    def firsts(self, block: Buffer, start: int, end: int) -> Iterator[int]:
        """Where a literal begins in a part of the block, but at most one in a stretch."""
        ahead = dict.fromkeys(self.literals, start - 1)
        while ahead:
            for literal in [known for known, at in ahead.items() if at < start]:
                ahead[literal] = block.find(literal, start, end)
                if ahead[literal] < 0:
                    del ahead[literal]  # nowhere in the rest
            if ahead:
                first = min(ahead.values())
                yield first
                start = first + _STRETCH


class PackedSifter:
    """All literals in one pass of vector instructions, for the `fast` extra."""

    name = "ahocorasick"

    def __init__(self, literals: tuple[bytes, ...], ahocorasick_rs: Any) -> None:
        self.literals = literals
        self._longest = max(map(len, literals), default=1)
        # only a search for the leftmost one is done with vector instructions
        leftmost = ahocorasick_rs.MatchKind.LeftmostFirst
        self._search = ahocorasick_rs.BytesAhoCorasick(literals, leftmost).find_matches_as_indexes
        self._inside = [_overlaps(literals, index) for index in range(len(literals))]

    def hits(self, block: Buffer, start: int = 0, end: int | None = None, base: int = 0) -> Hits:
        """As `FindSifter.hits`."""
        with memoryview(block)[start:end] as view:  # type: ignore[arg-type]
            told = self._search(view)
        shift = base + start
        found = [(shift + at, index) for index, at, _ in told]
        stop = len(block) if end is None else end
        # one that begins within another is passed over
        for index, at, _ in told:
            for further, other, literal in self._inside[index]:
                here = start + at + further
                if block.find(literal, here, min(stop, here + len(literal))) >= 0:
                    found.append((base + here, other))
        found.sort()
        return found

    def firsts(
        self, block: Buffer, start: int, end: int, aside: int, heard: list[int]
    ) -> Iterator[int]:
        """As `FindSifter.firsts`, but all places of the literal `aside` are put aside."""
        for begin in range(start, end, _PIECE):
            until = min(begin + _PIECE + self._longest - 1, end)
            with memoryview(block)[begin:until] as view:  # type: ignore[arg-type]
                told = self._search(view)
            for index, at, _ in told:
                if index == aside:
                    heard.append(begin + at)
                elif begin + at >= start:
                    yield begin + at
                    start = begin + at + _STRETCH


def _overlaps(literals: tuple[bytes, ...], index: int) -> list[tuple[int, int, bytes]]:
    """Where within a literal which other ones may begin."""
    outer = literals[index]
    return [
        (at, other, literal)
        for at in range(len(outer))
        for other, literal in enumerate(literals)
        if other != index and (outer[at:].startswith(literal) or literal.startswith(outer[at:]))
    ]


OneStep = FindSifter | PackedSifter


def _audible(phrase: bytes, hints: tuple[bytes, ...]) -> int:
    """From where on a phrase neither hides a hint nor is hidden by one; its length if it always is."""
    for cut in range(len(phrase) - _LEAST + 1):
        rest = phrase[cut:]
        if not any(_overlaps((h, rest), 0) or _overlaps((rest, h), 0) for h in hints):
            return cut
    return len(phrase)


class Sifter:
    """Looks for the literals where a hint is near; hears a phrase by the way if it can."""

    def __init__(self, hints: OneStep, literals: OneStep, phrase: bytes = b"") -> None:
        self._hints, self._literals = hints, literals
        self.literals = literals.literals
        self.name = literals.name
        cut = _audible(phrase, hints.literals)
        self.hears = isinstance(hints, PackedSifter) and cut < len(phrase)
        self._before, self._heard = phrase[:cut], len(hints.literals)
        if self.hears:
            # in a pass of vector instructions, one more makes no difference
            self._hints = one_step((*hints.literals, phrase[cut:]))
        self._longest = max(map(len, self.literals), default=1)

    def hits(
        self,
        block: Buffer,
        start: int = 0,
        end: int | None = None,
        base: int = 0,
        said: list[int] | None = None,
    ) -> Hits:
        """`(offset, index of the literal)` of what occurs near hints in a part, in their order.

        `base` is the offset of the block's first byte. Who `hears` tells `said` where the phrase is.
        """
        found: Hits = []
        heard: list[int] = []
        done = start
        for first in self._firsts(block, start, len(block) if end is None else end, heard):
            begin, until = max(done, first - MARGIN), first + _STRETCH + MARGIN
            near = self._literals.hits(block, begin, until + self._longest - 1, base)
            found += [hit for hit in near if hit[0] < base + until]
            done = until
        if said is not None:
            cut = len(self._before)
            said += [
                base + at - cut for at in heard if block[max(0, at - cut) : at] == self._before
            ]
        return found

    def _firsts(self, block: Buffer, start: int, end: int, heard: list[int]) -> Iterator[int]:
        hints = self._hints
        if isinstance(hints, PackedSifter):
            return hints.firsts(block, start, end, self._heard, heard)
        return hints.firsts(block, start, end)


@lru_cache(maxsize=8)
def sifter(
    literals: tuple[bytes, ...], hints: tuple[bytes, ...] = (), phrase: bytes = b""
) -> Sifter:
    """The fastest sifter that this installation has. Without hints, the literals are their own."""
    return Sifter(one_step(tuple(dict.fromkeys(hints)) or literals), one_step(literals), phrase)


@lru_cache(maxsize=8)
def one_step(literals: tuple[bytes, ...]) -> OneStep:
    """The same for literals that may be anywhere."""
    try:
        import ahocorasick_rs
    except ImportError:
        return FindSifter(literals)
    return PackedSifter(literals, ahocorasick_rs)
