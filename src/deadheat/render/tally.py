"""Counts sightings per race in bounded memory: one example of each, and how often it was seen."""

from __future__ import annotations

import marshal
import sqlite3
from typing import TYPE_CHECKING, Any, NamedTuple

from deadheat.wire import sighting_from_wire, sighting_to_wire

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deadheat.model import Sighting

_PLACES = 3
# race -> (count, damages of the example, a few places, the example)
Counts = dict[str, tuple[int, int, list[str], bytes]]


class Tallied(NamedTuple):
    """A race, how often it was seen, and where."""

    example: Sighting
    seen: int
    places: list[str]


class TallyPart:
    """Counts on the map side."""

    def __init__(self) -> None:
        self._counts: Counts = {}

    def add(self, sighting: Sighting) -> None:
        race = sighting.verdict.race
        known = self._counts.get(race)
        damage = len(sighting.report.damage)
        if known is None:
            self._counts[race] = (1, damage, [_place(sighting)], _packed(sighting))
            return
        count, least, places, example = known
        if len(places) < _PLACES:
            places.append(_place(sighting))
        if damage < least:
            least, example = damage, _packed(sighting)
        self._counts[race] = (count + 1, least, places, example)

    def pack(self) -> Counts:
        return self._counts


def _place(sighting: Sighting) -> str:
    return f"{sighting.uri}:{sighting.span.offset}"


def _packed(sighting: Sighting) -> bytes:
    # marshal is the quickest way there is, and both ends are this very program
    return marshal.dumps(sighting_to_wire(sighting))


class Tally:
    """Counts on the reduce side, in a private temporary database: any number of races will do."""

    def __init__(self) -> None:
        self._base = sqlite3.connect("", isolation_level=None)
        self._base.executescript(
            "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -32000;"
            "CREATE TABLE race (id TEXT PRIMARY KEY, first INTEGER, n INTEGER, damage INTEGER,"
            " places TEXT, example BLOB) WITHOUT ROWID; BEGIN"
        )
        self._order = 0

    def merge(self, counts: Counts) -> None:
        for race, (count, damage, places, example) in counts.items():
            self._order += 1
            self._base.execute(
                "INSERT INTO race VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT (id) DO UPDATE SET"
                " n = n + ?3, example = iif(damage <= ?4, example, ?6), damage = min(damage, ?4),"
                " places = iif(length(places) < 4096, places || char(10) || ?5, places)",
                (race, self._order, count, damage, "\n".join(places), example),
            )

    def totals(self) -> tuple[int, int]:
        """How many races, and how many sightings of them."""
        races, sightings = self._base.execute("SELECT count(*), total(n) FROM race").fetchone()
        return int(races), int(sightings)

    def races(self) -> Iterator[Tallied]:
        """Every race, the most often seen first."""
        rows = self._base.execute("SELECT n, places, example FROM race ORDER BY n DESC, first")
        for count, places, example in rows:
            wire: dict[str, Any] = marshal.loads(example)
            yield Tallied(sighting_from_wire(wire), count, places.split("\n")[:_PLACES])
