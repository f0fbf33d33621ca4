"""Finds reports of a document that add nothing to an earlier report with an equal key.

A log may repeat a race ten thousand times at different addresses. The first report represents all
of them, unless other races are near or other reports may be confused with it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Sequence

    from deadheat.identity.evidence import Mark

    Seen = tuple[Mark, Hashable, int]  # key, stream, address

# addresses more than 1 << 8 apart are never compared
_NEAR: Final = 8


def gist(seen: Sequence[Seen]) -> list[int]:
    """For each report, the index of its representative: usually the first report with its key."""
    firsts: dict[tuple[int, Hashable], int] = {}
    at: dict[int, int] = {}
    crowded: set[int] = set()
    told = []
    for index, (mark, lane, address) in enumerate(seen):
        first = firsts.setdefault((id(mark), lane), index)
        told.append(first)
        if address and (other := at.setdefault(address >> _NEAR, first)) != first:
            crowded.update((first, other))
    if len(firsts) == len(seen):
        return told
    for bucket, first in at.items():
        if (other := at.get(bucket + 1, first)) != first:
            crowded.update((first, other))
    same = _same(seen, firsts.values(), crowded)
    return [index if first in crowded else same[first] for index, first in enumerate(told)]


def _same(seen: Sequence[Seen], firsts: Iterable[int], crowded: set[int]) -> dict[int, int]:
    """The first report with an equal key. A fingerprint with several keys is ambiguous."""
    known: dict[tuple[str, Hashable], list[int]] = {}
    for first in firsts:
        mark, lane, _ = seen[first]
        known.setdefault((mark.fingerprint, lane), []).append(first)
    same: dict[int, int] = {}
    for alike in known.values():
        mark = seen[alike[0]][0]
        if mark.half or any(seen[other][0] != mark for other in alike[1:]):
            crowded.update(alike)
        same.update(dict.fromkeys(alike, alike[0]))
    return same
