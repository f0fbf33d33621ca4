"""Completes the reports of one document that show one side only; knows no other document.

DRD knows one side of a race, Helgrind may have forgotten the other one, and a log may end in the
middle. Where a run shows another side at the same address, the two are the sides of one race.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from deadheat.identity.fingerprint import UNKNOWN, fingerprint_of

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from deadheat.identity.evidence import Mark, Side

    Seen = tuple[Mark, Hashable, int, Callable[[], frozenset[str]]]

# more sides of one address than this are not looked at
_MOST: Final = 32


class _Place:
    """What is known of one address of one run."""

    def __init__(self) -> None:
        # the other side of a function, from reports that show both
        self._beside: dict[str, Side] = {}
        # the sides of reports that show one, and who was there
        self._shown: dict[Side, set[str]] = {}
        self._nearest: list[Side] | None = None
        # the least side, and the least that writes, if all are of one function
        self._own: tuple[Side | None, Side | None] | None = None

    def add(self, mark: Mark, actors: frozenset[str]) -> None:
        if mark.half:
            self._shown.setdefault(known(mark), set()).update(actors)
        elif len(mark.sides) == 2:
            for side, other in (mark.sides, mark.sides[::-1]):
                self._beside[side.name] = min(other, self._beside.get(side.name, other))

    def other(self, mine: Side) -> Side | None:
        """What may be the other side.

        If there are several, any of them will do, as long as it is always the same: all of them are
        about one variable.
        """
        if mine.name in self._beside:
            return self._beside[mine.name]
        if self._nearest is None:
            self._nearest = sorted(self._shown)[:_MOST]
        return next((side for side in self._nearest if self._may_meet(mine, side)), None)

    def itself(self, mine: Side) -> Side | None:
        """A side of the same function, where two actors were there and no other function was."""
        if len(self._shown[mine]) < 2 or self._beside:
            return None
        if self._own is None:
            same = len({side.name for side in self._shown}) == 1
            written = min((side for side in self._shown if side.writes), default=None)
            self._own = (min(self._shown), written) if same else (None, None)
        least, written = self._own
        return least if mine.writes else written

    def _may_meet(self, mine: Side, other: Side) -> bool:
        """Does one of the two write, and was somebody else there, as far as anyone knows?"""
        if mine.chain[:1] == other.chain[:1] or not (mine.writes or other.writes):
            return False
        ours, theirs = self._shown[mine], self._shown[other]
        # what one actor does on two lines of a function is not what it races with
        return len(ours | theirs) != 1 if mine.name != other.name else ours != theirs


Places = dict[tuple["Hashable", int], _Place]


def completed(seen: list[Seen]) -> list[Seen]:
    """The reports, those that show one side only with another one that was at the same address."""
    places = {(lane, address): _Place() for m, lane, address, _ in seen if m.half and address}
    if not places:
        return seen
    for m, lane, address, actors in seen:
        if (lane, address) in places:
            places[lane, address].add(m, actors())
    others = _alone(seen, places, _shared(seen, _met(seen, places)))
    # whose functions have more sides than could be completed may have more variables than that
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
    """The other sides, of which another line of the same function may have told."""
    told: dict[tuple[Hashable, int, str], Side] = {}
    keys = [(lane, address, known(m).name if m.half else "") for m, lane, address, _ in seen]
    for key, other in zip(keys, others, strict=True):
        if other is not None:
            told[key] = min(other, told.get(key, other))
    return [other or told.get(key) for key, other in zip(keys, others, strict=True)]


def _alone(seen: list[Seen], places: Places, others: list[Side | None]) -> list[Side | None]:
    """The other sides; a function that meets no other one may meet itself."""
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
    """The side that a report shows."""
    return next(s for s in mark.sides if s.name != UNKNOWN)
