"""What a document shows of an object before a twin, in the same function and under another name.

Twins are counted in the order of their lines. A run that shows only some of them would count wrong,
but it may show that another variable of the object comes earlier, in a race of that function with
another one: then the first twin is not that variable, whatever its number says.
"""

from __future__ import annotations

from itertools import permutations
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator

    from deadheat.identity.evidence import Mark

    # a report's mark, lane, and address, and who was there
    Seen = tuple[Mark, Hashable, int, Callable[[], frozenset[str]]]
    Whose = tuple[str, Hashable]  # a node's id, or its fingerprint, and its lane

# fields of one object lie within so many bytes: 1 << 8
_NEAR: Final = 8
# more nodes than this at one place are not looked at
_MOST: Final = 16


class _Spot:
    """Where a node was in one function."""

    def __init__(self, fingerprint: str) -> None:
        self.fingerprint = fingerprint
        self.line = 1 << 62


def earlier(ids: list[str], seen: list[Seen], has_parts: bool) -> dict[Whose, set[str]]:
    """For each node, the ids of those that show other variables of its object on earlier lines.

    `ids` has the node of each report; some may be parts, of which a function is left out.
    """
    found = _parts(ids, seen) if has_parts else {}
    crowded = _crowded(seen)
    if not crowded:
        return found
    together = [pair for pair in zip(ids, seen, strict=True) if pair[1][2] >> _NEAR in crowded]
    shared = _shared(together)
    actors: dict[Whose, set[str]] = {}
    spots: dict[tuple[Hashable, str, int], dict[str, _Spot]] = {}
    addresses: dict[Whose, set[int]] = {}  # by the node's id, and by its fingerprint
    for name, (mark, lane, address, who) in together if shared else ():
        mine = [s for s in mark.sides if s.chain and (lane, s.name) in shared]
        if not mine:
            continue
        for whose in (name, mark.fingerprint):
            addresses.setdefault((whose, lane), set()).add(address)
        actors.setdefault((name, lane), set()).update(who())
        for s in mine:
            bucket = address >> _NEAR
            # of two near addresses, one's own bucket is the other's own or next one
            for key in ((lane, s.name, bucket), (lane, s.name, bucket + 1)):
                spot = spots.setdefault(key, {}).setdefault(name, _Spot(mark.fingerprint))
                spot.line = min(spot.line, s.chain[0][0])
    for (lane, _, _), held in spots.items():
        for name, other in _ordered(held):
            # where a twin shows the same variable, it has been counted
            twins = addresses[held[name].fingerprint, lane]
            counted = not twins.isdisjoint(addresses[other, lane])
            if not counted and actors[name, lane] & actors[other, lane]:
                found.setdefault((name, lane), set()).add(other)
    return found


def _parts(ids: list[str], seen: list[Seen]) -> dict[Whose, set[str]]:
    """The same, where a map comes earlier of which the function that reads it is left out.

    Its content may lie anywhere; but who meets on different lines meets at two variables.
    """
    maps: dict[tuple[Hashable, str], dict[tuple[int, frozenset[str]], str]] = {}
    for name, (mark, lane, _, who) in zip(ids, seen, strict=True):
        for s in mark.sides if mark.is_part else ():
            if s.chain and s.writes and len(maps.setdefault((lane, s.name), {})) < _MOST:
                maps[lane, s.name][s.chain[0][0], who()] = name
    found: dict[Whose, set[str]] = {}
    lines: dict[Whose, set[tuple[str, int]]] = {}  # of each fingerprint
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
    """Where reports with different fingerprints were near one another, maybe in different lanes."""
    first: dict[int, str] = {}
    crowded: set[int] = set()
    for mark, _, address, _ in seen:
        bucket = address >> _NEAR
        if first.setdefault(bucket, mark.fingerprint) != mark.fingerprint:
            crowded.add(bucket)
    first.pop(0, None)  # they did not say
    crowded.update([side for at in first if at + 1 in first for side in (at, at + 1)])
    return crowded - {0}


def _shared(together: list[tuple[str, Seen]]) -> set[tuple[Hashable, str]]:
    """The functions that have races under more than one fingerprint."""
    first: dict[tuple[Hashable, str], str] = {}
    nodes = {(name, lane): mark for name, (mark, lane, *_) in together}
    return {
        (lane, side.name)
        for (_, lane), mark in nodes.items()
        for side in mark.sides
        if first.setdefault((lane, side.name), mark.fingerprint) != mark.fingerprint
    }


def _ordered(held: dict[str, _Spot]) -> Iterator[tuple[str, str]]:
    """Pairs of nodes, the second of which is on an earlier line."""
    for (name, spot), (other, before) in permutations([*held.items()][:_MOST], 2):
        if spot.fingerprint != before.fingerprint and before.line < spot.line:
            yield name, other
