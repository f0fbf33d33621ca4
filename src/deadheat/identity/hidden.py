"""Reports of one document in which Go 1.27 omitted the function that reads a map.

The function is omitted if the key is missing, but not if an element is read. So a run may show two
maps and for one of them only an element, which is then counted as the first. If the same actors
race for the map on the same line, the element has the position of that map.
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
    Shown = Mapping[str, list[int]]  # the ordinals that a document shows, sorted
    Line = tuple[Hashable, Chain]  # the stream and call chain of a write


class Told(NamedTuple):
    """A report of a map. It gives the position of elements that are written on the same line."""

    left: Side  # what remains of the reading side
    number: int  # among the ordinals of the fingerprint
    asks: tuple[str, ...]
    actors: frozenset[str]


def numbered(seen: list[Seen], ranks: Ranks, shown: Shown) -> dict[tuple[int, Hashable], Told]:
    """The reports of elements that do not belong to the first map, by key and stream."""
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
    """The map reports with an omitted reader and several ordinals, by writer."""
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
    """May the remaining frames have called the reader?"""
    return not left.chain or left.name in reader.callers or go.is_test(left.function)
