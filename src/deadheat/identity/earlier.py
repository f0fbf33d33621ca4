"""Variables of an object that a document shows on earlier lines than a variant.

Ordinals are counted in line order. A run that shows only some variables of an object counts them
wrongly. It may show in a race with another function that a different variable comes earlier. Then
the first variable is not the variant, and its ordinal is ambiguous.
"""

from __future__ import annotations

from itertools import permutations
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator

    from deadheat.identity.evidence import Mark

    # key, stream, address, actors
    Seen = tuple[Mark, Hashable, int, Callable[[], frozenset[str]]]
    Whose = tuple[str, Hashable]  # variant id or fingerprint, and stream

# fields of one object are within 1 << 8 bytes
_NEAR: Final = 8
# maximum number of variants compared per bucket
_MOST: Final = 16


class _Spot:
    """The first line of a variant in one function."""

    def __init__(self, fingerprint: str) -> None:
        self.fingerprint = fingerprint
        self.line = 1 << 62


def earlier(ids: list[str], seen: list[Seen], has_parts: bool) -> dict[Whose, set[str]]:
    """For each variant, the ids of variants with other variables of its object on earlier lines.

    `ids` are the variant ids of the reports.
    """
    found = _parts(ids, seen) if has_parts else {}
    crowded = _crowded(seen)
    if not crowded:
        return found
    together = [pair for pair in zip(ids, seen, strict=True) if pair[1][2] >> _NEAR in crowded]
    shared = _shared(together)
    actors: dict[Whose, set[str]] = {}
    spots: dict[tuple[Hashable, str, int], dict[str, _Spot]] = {}
    addresses: dict[Whose, set[int]] = {}  # by variant id, and by fingerprint
    for name, (mark, lane, address, who) in together if shared else ():
        mine = [s for s in mark.sides if s.chain and (lane, s.name) in shared]
        if not mine:
            continue
        for whose in (name, mark.fingerprint):
            addresses.setdefault((whose, lane), set()).add(address)
        actors.setdefault((name, lane), set()).update(who())
        for s in mine:
            bucket = address >> _NEAR
            # near addresses are in the same bucket or in adjacent ones
            for key in ((lane, s.name, bucket), (lane, s.name, bucket + 1)):
                spot = spots.setdefault(key, {}).setdefault(name, _Spot(mark.fingerprint))
                spot.line = min(spot.line, s.chain[0][0])
    for (lane, _, _), held in spots.items():
        for name, other in _ordered(held):
            # the variable is already counted if the fingerprint was seen at its address
            twins = addresses[held[name].fingerprint, lane]
            counted = not twins.isdisjoint(addresses[other, lane])
            if not counted and actors[name, lane] & actors[other, lane]:
                found.setdefault((name, lane), set()).add(other)
    return found


def _parts(ids: list[str], seen: list[Seen]) -> dict[Whose, set[str]]:
    """The same for maps whose reading function is omitted.

    The content of a map may be at any address. But the same actors on different lines race for two
    variables.
    """
    maps: dict[tuple[Hashable, str], dict[tuple[int, frozenset[str]], str]] = {}
    for name, (mark, lane, _, who) in zip(ids, seen, strict=True):
        for s in mark.sides if mark.is_part else ():
            if s.chain and s.writes and len(maps.setdefault((lane, s.name), {})) < _MOST:
                maps[lane, s.name][s.chain[0][0], who()] = name
    found: dict[Whose, set[str]] = {}
    lines: dict[Whose, set[tuple[str, int]]] = {}  # by fingerprint
    whole = [pair for pair in zip(ids, seen, strict=True) if not pair[1][0].is_part]
    for _, (mark, lane, *_) in whole:
        sites = [(s.name, s.chain[0][0]) for s in mark.sides if s.chain]
        lines.setdefault((mark.fingerprint, lane), set()).update(sites)
    for name, (mark, lane, _, who) in whole:
        for s in mark.sides:
            for (line, met), other in maps.get((lane, s.name), {}).items() if s.chain else ():
                counted = (s.name, line) in lines[mark.fingerprint, lane]
                if line < s.chain[0][0] and met == who() and not counted:
                    found.setdefault((name, lane), set()).add(other)
    return found


def _crowded(seen: list[Seen]) -> set[int]:
    """The address buckets with reports of different fingerprints."""
    first: dict[int, str] = {}
    crowded: set[int] = set()
    for mark, _, address, _ in seen:
        bucket = address >> _NEAR
        if first.setdefault(bucket, mark.fingerprint) != mark.fingerprint:
            crowded.add(bucket)
    first.pop(0, None)  # unknown addresses
    crowded.update([side for at in first if at + 1 in first for side in (at, at + 1)])
    return crowded - {0}


def _shared(together: list[tuple[str, Seen]]) -> set[tuple[Hashable, str]]:
    """The functions with races under more than one fingerprint."""
    first: dict[tuple[Hashable, str], str] = {}
    nodes = {(name, lane): mark for name, (mark, lane, *_) in together}
    return {
        (lane, side.name)
        for (_, lane), mark in nodes.items()
        for side in mark.sides
        if first.setdefault((lane, side.name), mark.fingerprint) != mark.fingerprint
    }


def _ordered(held: dict[str, _Spot]) -> Iterator[tuple[str, str]]:
    """Pairs of variants of which the second is on an earlier line."""
    for (name, spot), (other, before) in permutations([*held.items()][:_MOST], 2):
        if spot.fingerprint != before.fingerprint and before.line < spot.line:
            yield name, other
