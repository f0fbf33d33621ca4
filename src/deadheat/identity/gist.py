"""Which reports of a document tell nothing that an earlier one with the same mark has not told.

A log may repeat a race ten thousand times, at other addresses. Where no other race is near any of
them and no other report could be taken for it, the first one will do for all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Sequence

    from deadheat.identity.evidence import Mark

    Seen = tuple[Mark, Hashable, int]  # a report's mark, lane and address

# nobody compares addresses that are further apart than 1 << 8
_NEAR: Final = 8


def gist(seen: Sequence[Seen]) -> list[int]:
    """For each report, the index of the one that tells of it: mostly the first with its mark."""
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
    """The first report with an equal mark; where a fingerprint has several marks, all are crowded."""
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
