"""Finds candidate offsets in large inputs by literals.

A first pass looks for a small set of hints; the full set of literals is searched only near them.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deadheat.text.window import ByteBuffer

Hits = list[tuple[int, int]]


# a literal is never further than this from a hint
HINT_MARGIN: Final = 1 << 14
# number of bytes after a hint that are searched before the next hint is sought
_HINT_REGION: Final = 1 << 12
# number of bytes per search, to bound memory if the text consists of hints
_SEARCH_SIZE: Final = 1 << 18
# minimum length of a phrase that is searched in the same pass
_MIN_PHRASE_LENGTH: Final = 8
# rare bytes: one search for each excludes all literals that contain it
_RARE_BYTES: Final = (b"\x1b", b"\xc2\xa0", b"&nbsp;", b"</", b"\\_")


class BytesFindSearcher:
    """Searches with `bytes.find`, once per literal; needs only the standard library."""

    name = "find"

    def __init__(self, literals: tuple[bytes, ...]) -> None:
        self.literals = literals

    def find_hits(self, block: ByteBuffer, start: int = 0, end: int | None = None, base: int = 0) -> Hits:
        """Returns `(offset, literal index)` of every occurrence in a part of the block.

        `base` is the offset of the block's first byte.
        """
        hits: Hits = []
        stop = len(block) if end is None else end
        absent = [rare for rare in _RARE_BYTES if block.find(rare, start, stop) < 0]
        for index, literal in enumerate(self.literals):
            if any(rare in literal for rare in absent):
                continue
            at = block.find(literal, start, stop)
            while at >= 0:
                hits.append((base + at, index))
                at = block.find(literal, at + len(literal), stop)
        hits.sort()
        return hits

    def find_hint_regions(self, block: ByteBuffer, start: int, end: int) -> Iterator[int]:
        """Yields offsets of literals in a part of the block, at most one per `_HINT_REGION` bytes."""
        next_offsets = dict.fromkeys(self.literals, start - 1)
        while next_offsets:
            for literal in [candidate for candidate, at in next_offsets.items() if at < start]:
                next_offsets[literal] = block.find(literal, start, end)
                if next_offsets[literal] < 0:
                    del next_offsets[literal]
            if next_offsets:
                first = min(next_offsets.values())
                yield first
                start = first + _HINT_REGION


class AhoCorasickSearcher:
    """Searches all literals in one pass with vector instructions; needs the `fast` extra."""

    name = "ahocorasick"

    def __init__(self, literals: tuple[bytes, ...], ahocorasick_rs: Any) -> None:
        self.literals = literals
        self._max_length = max(map(len, literals), default=1)
        # only leftmost search uses vector instructions
        leftmost = ahocorasick_rs.MatchKind.LeftmostFirst
        self._search = ahocorasick_rs.BytesAhoCorasick(literals, leftmost).find_matches_as_indexes
        self._overlapping = [_overlapping_literals(literals, index) for index in range(len(literals))]

    def find_hits(self, block: ByteBuffer, start: int = 0, end: int | None = None, base: int = 0) -> Hits:
        """As `BytesFindSearcher.find_hits`."""
        with memoryview(block)[start:end] as view:  # type: ignore[arg-type]
            matches = self._search(view)
        shift = base + start
        hits = [(shift + at, index) for index, at, _ in matches]
        stop = len(block) if end is None else end
        # leftmost search skips literals that begin within another
        for index, at, _ in matches:
            for inner_offset, other, literal in self._overlapping[index]:
                inner_start = start + at + inner_offset
                if block.find(literal, inner_start, min(stop, inner_start + len(literal))) >= 0:
                    hits.append((base + inner_start, other))
        hits.sort()
        return hits

    def find_hint_regions(
        self, block: ByteBuffer, start: int, end: int, phrase_index: int, phrase_offsets: list[int]
    ) -> Iterator[int]:
        """As `BytesFindSearcher.find_hint_regions`; collects all offsets of the phrase separately."""
        for begin in range(start, end, _SEARCH_SIZE):
            until = min(begin + _SEARCH_SIZE + self._max_length - 1, end)
            with memoryview(block)[begin:until] as view:  # type: ignore[arg-type]
                matches = self._search(view)
            for index, at, _ in matches:
                if index == phrase_index:
                    phrase_offsets.append(begin + at)
                elif begin + at >= start:
                    yield begin + at
                    start = begin + at + _HINT_REGION


def _overlapping_literals(literals: tuple[bytes, ...], index: int) -> list[tuple[int, int, bytes]]:
    """The offsets within a literal at which other literals may begin."""
    outer = literals[index]
    return [
        (at, other, literal)
        for at in range(len(outer))
        for other, literal in enumerate(literals)
        if other != index and (outer[at:].startswith(literal) or literal.startswith(outer[at:]))
    ]


LiteralSearcher = BytesFindSearcher | AhoCorasickSearcher


def _separable_start(phrase: bytes, hints: tuple[bytes, ...]) -> int:
    """The first offset from which a phrase overlaps no hint; its length if there is none."""
    for cut in range(len(phrase) - _MIN_PHRASE_LENGTH + 1):
        phrase_rest = phrase[cut:]
        if not any(
            _overlapping_literals((hint, phrase_rest), 0) or _overlapping_literals((phrase_rest, hint), 0)
            for hint in hints
        ):
            return cut
    return len(phrase)


class Prefilter:
    """Searches for literals near hints; finds a phrase in the same pass if possible."""

    def __init__(self, hints: LiteralSearcher, literals: LiteralSearcher, phrase: bytes = b"") -> None:
        self._hints, self._literals = hints, literals
        self.literals = literals.literals
        self.name = literals.name
        cut = _separable_start(phrase, hints.literals)
        self.finds_phrase = isinstance(hints, AhoCorasickSearcher) and cut < len(phrase)
        self._phrase_head, self._phrase_index = phrase[:cut], len(hints.literals)
        if self.finds_phrase:
            # another literal costs nothing in a vectorized pass
            self._hints = make_searcher((*hints.literals, phrase[cut:]))
        self._max_length = max(map(len, self.literals), default=1)

    def find_hits(
        self,
        block: ByteBuffer,
        start: int = 0,
        end: int | None = None,
        base: int = 0,
        phrase_hits: list[int] | None = None,
    ) -> Hits:
        """Returns `(offset, literal index)` of the literals near hints, in order.

        `base` is the offset of the block's first byte. If `finds_phrase`, offsets of the
        phrase are added to `phrase_hits`.
        """
        hits: Hits = []
        phrase_offsets: list[int] = []
        searched_to = start
        for first in self._find_hint_regions(block, start, len(block) if end is None else end, phrase_offsets):
            begin, until = max(searched_to, first - HINT_MARGIN), first + _HINT_REGION + HINT_MARGIN
            nearby_hits = self._literals.find_hits(block, begin, until + self._max_length - 1, base)
            hits += [hit for hit in nearby_hits if hit[0] < base + until]
            searched_to = until
        if phrase_hits is not None:
            cut = len(self._phrase_head)
            phrase_hits += [
                base + at - cut for at in phrase_offsets if block[max(0, at - cut) : at] == self._phrase_head
            ]
        return hits

    def _find_hint_regions(self, block: ByteBuffer, start: int, end: int, phrase_offsets: list[int]) -> Iterator[int]:
        hints = self._hints
        if isinstance(hints, AhoCorasickSearcher):
            return hints.find_hint_regions(block, start, end, self._phrase_index, phrase_offsets)
        return hints.find_hint_regions(block, start, end)


@lru_cache(maxsize=8)
def make_prefilter(literals: tuple[bytes, ...], hints: tuple[bytes, ...] = (), phrase: bytes = b"") -> Prefilter:
    """The fastest prefilter that is installed. Without hints, the literals are the hints."""
    return Prefilter(make_searcher(tuple(dict.fromkeys(hints)) or literals), make_searcher(literals), phrase)


@lru_cache(maxsize=8)
def make_searcher(literals: tuple[bytes, ...]) -> LiteralSearcher:
    """The fastest search for literals that is installed."""
    try:
        import ahocorasick_rs
    except ImportError:
        return BytesFindSearcher(literals)
    return AhoCorasickSearcher(literals, ahocorasick_rs)
