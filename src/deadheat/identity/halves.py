"""Completes reports of one document that show only one side.

DRD reports one side of a race, Helgrind may have lost the other one, and a log may be truncated. If
a run shows another side at the same address, both are sides of one race.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from deadheat.identity.fingerprint import UNKNOWN, fingerprint_of

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from deadheat.identity.evidence import Mark, Side

    Seen = tuple[Mark, Hashable, int, Callable[[], frozenset[str]]]

# maximum number of sides compared per address
_MOST: Final = 32


class _Place:
    """The sides that one run shows at one address."""

    def __init__(self) -> None:
        # the other side of each function, from two-sided reports
        self._beside: dict[str, Side] = {}
        # the sides of one-sided reports, and their actors
        self._shown: dict[Side, set[str]] = {}
        self._nearest: list[Side] | None = None
        # the least side and the least side that writes, if all sides are in one function
        self._own: tuple[Side | None, Side | None] | None = None

    def add(self, mark: Mark, actors: frozenset[str]) -> None:
        if mark.half:
            self._shown.setdefault(known(mark), set()).update(actors)
        elif len(mark.sides) == 2:
            for side, other in (mark.sides, mark.sides[::-1]):
                self._beside[side.name] = min(other, self._beside.get(side.name, other))

    def other(self, mine: Side) -> Side | None:
        """A side that may race with this one.

        If there are several, any of them is correct, because all concern one variable. The choice
        must be deterministic.
        """
        if mine.name in self._beside:
            return self._beside[mine.name]
        if self._nearest is None:
            self._nearest = sorted(self._shown)[:_MOST]
        return next((side for side in self._nearest if self._may_meet(mine, side)), None)

    def itself(self, mine: Side) -> Side | None:
        """A side of the same function, if two actors and no other function accessed the address."""
        if len(self._shown[mine]) < 2 or self._beside:
            return None
        if self._own is None:
            same = len({side.name for side in self._shown}) == 1
            written = min((side for side in self._shown if side.writes), default=None)
            self._own = (min(self._shown), written) if same else (None, None)
        least, written = self._own
        return least if mine.writes else written

    def _may_meet(self, mine: Side, other: Side) -> bool:
        """Does one of the sides write, and may different actors have accessed the address?"""
        if mine.chain[:1] == other.chain[:1] or not (mine.writes or other.writes):
            return False
        ours, theirs = self._shown[mine], self._shown[other]
        # two lines of one function in one actor do not race
        return len(ours | theirs) != 1 if mine.name != other.name else ours != theirs


Places = dict[tuple["Hashable", int], _Place]


def completed(seen: list[Seen]) -> list[Seen]:
    """Return the reports. One-sided reports are completed with a side at the same address."""
    places = {(lane, address): _Place() for m, lane, address, _ in seen if m.half and address}
    if not places:
        return seen
    for m, lane, address, actors in seen:
        if (lane, address) in places:
            places[lane, address].add(m, actors())
    others = _alone(seen, places, _shared(seen, _met(seen, places)))
    # if a side of a function cannot be completed, the function may access further variables
    left = {
        (lane, known(m).name)
        for (m, lane, *_), other in zip(seen, others, strict=True)
        if m.half and other is None
    }
    made: dict[tuple[int, Side], Mark] = {}
    found = []
    for (m, lane, address, actors), other in zip(seen, others, strict=True):
        whole = m
        if other is not None and left.isdisjoint(((lane, known(m).name), (lane, other.name))):
            whole = made.get((id(m), other)) or _whole(m, other)
            made[id(m), other] = whole
        found.append((whole, lane, address, actors))
    return found


def _met(seen: list[Seen], places: Places) -> list[Side | None]:
    return [
        places[lane, address].other(known(m)) if m.half and address else None
        for m, lane, address, _ in seen
    ]


def _shared(seen: list[Seen], others: list[Side | None]) -> list[Side | None]:
    """The other sides, also from other lines of the same function."""
    told: dict[tuple[Hashable, int, str], Side] = {}
    keys = [(lane, address, known(m).name if m.half else "") for m, lane, address, _ in seen]
    for key, other in zip(keys, others, strict=True):
        if other is not None:
            told[key] = min(other, told.get(key, other))
    return [other or told.get(key) for key, other in zip(keys, others, strict=True)]


def _alone(seen: list[Seen], places: Places, others: list[Side | None]) -> list[Side | None]:
    """The other sides. A function that races with no other function may race with itself."""
    meets = {
        (lane, known(m).name)
        for (m, lane, *_), other in zip(seen, others, strict=True)
        if m.half and other is not None and other.name != known(m).name
    }
    return [
        places[lane, address].itself(known(m))
        if other is None and m.half and address and (lane, known(m).name) not in meets
        else other
        for (m, lane, address, _), other in zip(seen, others, strict=True)
    ]


def _whole(mark: Mark, other: Side) -> Mark:
    sides = tuple(sorted([known(mark), other]))
    name = fingerprint_of(mark.kind, [s.name for s in sides])
    return mark._replace(fingerprint=name, sides=sides, half=False, same="", asks=(), answers=())


def known(mark: Mark) -> Side:
    """The known side of a one-sided report."""
    return next(s for s in mark.sides if s.name != UNKNOWN)
