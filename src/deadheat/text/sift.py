"""Finds candidate offsets in large inputs by literals.

A first pass looks for a small set of hints; the full set of literals is searched only near them.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deadheat.text.window import Buffer

Hits = list[tuple[int, int]]


# a literal is never further than this from a hint
MARGIN: Final = 1 << 14
# number of bytes after a hint that are searched before the next hint is sought
_STRETCH: Final = 1 << 12
# number of bytes per search, to bound memory if the text consists of hints
_PIECE: Final = 1 << 18
# minimum length of a phrase that is searched in the same pass
_LEAST: Final = 8
# rare bytes: one search for each excludes all literals that contain it
_MARKS: Final = (b"\x1b", b"\xc2\xa0", b"&nbsp;", b"</", b"\\_")


class FindSifter:
    """Searches with `bytes.find`, once per literal; needs only the standard library."""

    name = "find"

    def __init__(self, literals: tuple[bytes, ...]) -> None:
        self.literals = literals

    def hits(self, block: Buffer, start: int = 0, end: int | None = None, base: int = 0) -> Hits:
        """Returns `(offset, literal index)` of every occurrence in a part of the block.

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
        """Yields offsets of literals in a part of the block, at most one per `_HINT_REGION` bytes."""
        ahead = dict.fromkeys(self.literals, start - 1)
        while ahead:
            for literal in [known for known, at in ahead.items() if at < start]:
                ahead[literal] = block.find(literal, start, end)
                if ahead[literal] < 0:
                    del ahead[literal]
            if ahead:
                first = min(ahead.values())
                yield first
                start = first + _STRETCH


class PackedSifter:
    """Searches all literals in one pass with vector instructions; needs the `fast` extra."""

    name = "ahocorasick"

    def __init__(self, literals: tuple[bytes, ...], ahocorasick_rs: Any) -> None:
        self.literals = literals
        self._longest = max(map(len, literals), default=1)
        # only leftmost search uses vector instructions
        leftmost = ahocorasick_rs.MatchKind.LeftmostFirst
        self._search = ahocorasick_rs.BytesAhoCorasick(literals, leftmost).find_matches_as_indexes
        self._inside = [_overlaps(literals, index) for index in range(len(literals))]

    def hits(self, block: Buffer, start: int = 0, end: int | None = None, base: int = 0) -> Hits:
        """As `BytesFindSearcher.find_hits`."""
        with memoryview(block)[start:end] as view:  # type: ignore[arg-type]
            told = self._search(view)
        shift = base + start
        found = [(shift + at, index) for index, at, _ in told]
        stop = len(block) if end is None else end
        # leftmost search skips literals that begin within another
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
        """As `BytesFindSearcher.find_hint_regions`; collects all offsets of the phrase separately."""
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
    """The offsets within a literal at which other literals may begin."""
    outer = literals[index]
    return [
        (at, other, literal)
        for at in range(len(outer))
        for other, literal in enumerate(literals)
        if other != index and (outer[at:].startswith(literal) or literal.startswith(outer[at:]))
    ]


OneStep = FindSifter | PackedSifter


def _audible(phrase: bytes, hints: tuple[bytes, ...]) -> int:
    """The first offset from which a phrase overlaps no hint; its length if there is none."""
    for cut in range(len(phrase) - _LEAST + 1):
        rest = phrase[cut:]
        if not any(_overlaps((h, rest), 0) or _overlaps((rest, h), 0) for h in hints):
            return cut
    return len(phrase)


class Sifter:
    """Searches for literals near hints; finds a phrase in the same pass if possible."""

    def __init__(self, hints: OneStep, literals: OneStep, phrase: bytes = b"") -> None:
        self._hints, self._literals = hints, literals
        self.literals = literals.literals
        self.name = literals.name
        cut = _audible(phrase, hints.literals)
        self.hears = isinstance(hints, PackedSifter) and cut < len(phrase)
        self._before, self._heard = phrase[:cut], len(hints.literals)
        if self.hears:
            # another literal costs nothing in a vectorized pass
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
        """Returns `(offset, literal index)` of the literals near hints, in order.

        `base` is the offset of the block's first byte. If `finds_phrase`, offsets of the
        phrase are added to `phrase_hits`.
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
    """The fastest prefilter that is installed. Without hints, the literals are the hints."""
    return Sifter(one_step(tuple(dict.fromkeys(hints)) or literals), one_step(literals), phrase)


@lru_cache(maxsize=8)
def one_step(literals: tuple[bytes, ...]) -> OneStep:
    """The fastest search for literals that is installed."""
    try:
        import ahocorasick_rs
    except ImportError:
        return FindSifter(literals)
    return PackedSifter(literals, ahocorasick_rs)
