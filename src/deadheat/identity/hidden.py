"""Reports of one document in which Go 1.27 left out who read a map; knows no other document.

Who reads a missing key is hidden, who reads an element is not. So a run may show two maps, and of one
only an element: with nobody to compare, that would be counted as the first of its twins. But if the same
two meet at the map on the same line, it has the map's number.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from deadheat.identity.evidence import Side  # noqa: TC001 - compiled, a named tuple needs it at run time
from deadheat.symbols import go

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Mapping

    from deadheat.identity.evidence import Mark
    from deadheat.identity.stacks import Chain

    Seen = tuple[Mark, Hashable, int, Callable[[], frozenset[str]]]
    Ranks = Mapping[tuple[str, Hashable, tuple[Chain, ...]], int]
    Shown = Mapping[str, list[int]]  # the twins that a document shows, in their order
    Line = tuple[Hashable, Chain]  # in a lane, how something is written


class Told(NamedTuple):
    """What a report of a map tells of another one that the same line writes."""

    left: Side  # what is left of who read
    number: int  # among its twins
    asks: tuple[str, ...]
    actors: frozenset[str]


def numbered(seen: list[Seen], ranks: Ranks, shown: Shown) -> dict[tuple[int, Hashable], Told]:
    """The reports of elements that are not of the first map, by mark and lane, and what tells so."""
    maps = _maps(seen, ranks, shown)
    found: dict[tuple[int, Hashable], Told] = {}
    for m, lane, _, actors in seen if maps else ():
        if m.fingerprint in shown or len(m.sides) != 2 or m.is_part:
            continue
        for writer, reader in (m.sides, m.sides[::-1]):
            for told in maps.get((lane, writer.chain), ()) if writer.writes else ():
                if _may_call(told.left, reader) and told.actors == actors():
                    found[id(m), lane] = min(told, found.get((id(m), lane), told))
    return {key: told for key, told in found.items() if told.number}


def _maps(seen: list[Seen], ranks: Ranks, shown: Shown) -> dict[Line, list[Told]]:
    """The reports with a reader left out that are known to be twins, by how the map is written."""
    maps: dict[Line, list[Told]] = {}
    for m, lane, _, actors in seen:
        twins = shown.get(m.fingerprint)
        if twins is None or not m.is_part:
            continue
        number = twins.index(ranks.get((m.fingerprint, lane, m.chains), 0))
        left = next(s for s in m.sides if s.hidden)
        for s in m.sides:
            if s.chain and s.writes:
                told = Told(left, number, m.asks, actors())
                maps.setdefault((lane, s.chain), []).append(told)
    return maps


def _may_call(left: Side, reader: Side) -> bool:
    """May what is left of a stack have called that one?"""
    return not left.chain or left.name in reader.callers or go.is_test(left.function)
