"""Which reports of a document tell nothing that an earlier one with the same mark has not told.

A log may repeat a race ten thousand times, at other addresses. Where no other race is near any of
them and no other report could be taken for it, the first one will do for all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Sequence

    from deadheat.identity.evidence import Mark

    Seen = tuple[Mark, Hashable, int]  # a report's mark, lane and address

# nobody compares addresses that are further apart than 1 << 8
_NEAR = 8


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
    crowded.update(_alike(seen, firsts.values()))
    return [index if first in crowded else first for index, first in enumerate(told)]


def _alike(seen: Sequence[Seen], firsts: Iterable[int]) -> set[int]:
    """Those whose fingerprint another mark of the lane has, or may come to have."""
    known: dict[tuple[str, Hashable], int] = {}
    alike: set[int] = set()
    for first in firsts:
        mark, lane, _ = seen[first]
        other = known.setdefault((mark.fingerprint, lane), first)
        if mark.half or other != first:
            alike.update((first, other))
    return alike
