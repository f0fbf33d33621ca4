"""Completes the reports of one document that show one side only; knows no other document.

DRD knows one side of a race, Helgrind may have forgotten the other one, and a log may end in the
middle. Where a run shows another side at the same address, the two are the sides of one race.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from deadheat.identity.fingerprint import UNKNOWN, fingerprint_of

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable

    from deadheat.identity.evidence import Mark, Side

    Seen = tuple[Mark, Hashable, int, Callable[[], frozenset[str]]]
    Place = tuple[Hashable, int]  # lane and address


def completed(seen: list[Seen]) -> list[Seen]:
    """The reports, those that show one side only with the other one, if there is just one for it."""
    places = {(lane, address) for m, lane, address, _ in seen if m.half and address}
    if not places:
        return seen
    there: dict[Place, list[Seen]] = {place: [] for place in places}
    for one in seen:
        if one[1:3] in there:
            there[one[1:3]].append(one)
    made: dict[tuple[int, Side], Mark] = {}
    found = []
    for one in seen:
        m, lane, address, actors = one
        other = _other(one, there[lane, address]) if m.half and address else None
        if other is not None:
            key = id(m), other
            if key not in made:
                made[key] = _whole(m, other)
            m = made[key]
        found.append((m, lane, address, actors))
    return found


def _whole(mark: Mark, other: Side) -> Mark:
    sides = tuple(sorted([known(mark), other]))
    name = fingerprint_of(mark.kind, [s.name for s in sides])
    return mark._replace(fingerprint=name, sides=sides, half=False, same="", asks=(), answers=())


def known(mark: Mark) -> Side:
    """The side that a report shows."""
    return next(s for s in mark.sides if s.name != UNKNOWN)


def _other(half: Seen, there: Iterable[Seen]) -> Side | None:
    """The only function that may be the other side, among those that were at the same place."""
    mine = known(half[0])
    whole: list[Side] = []
    halves: list[Side] = []
    for m, _, _, actors in there:
        if not m.half and len(m.sides) == 2:
            for side, other in (m.sides, m.sides[::-1]):
                if side.name == mine.name:
                    whole.append(other)
        elif m.half and _may_meet(mine, known(m)) and not _is_alone(half[3](), actors()):
            halves.append(known(m))
    others = whole or halves
    return min(others) if len({s.name for s in others}) == 1 else None


def _may_meet(mine: Side, other: Side) -> bool:
    return mine.name != other.name and (mine.writes or other.writes)


def _is_alone(ours: frozenset[str], theirs: frozenset[str]) -> bool:
    """Is one and the same actor all that is known of both?"""
    return len(ours) == 1 and ours == theirs
