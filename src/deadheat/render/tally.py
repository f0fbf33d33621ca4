"""Counts sightings per race in bounded memory, and keeps one example of each, already rendered."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from deadheat.model import Report

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from deadheat.model import Document, Sighting

_PLACES = 3
# beyond this many races a process may send an example again
_MOST_SENT = 1 << 16

# what one process has seen of a race since it last told: how often, where, the damage of the example,
# and the example's title and body, or None where this process has sent a good one; a plain tuple,
# because it is made for every sighting
Count = tuple[int, list[str], int, tuple[str, str] | None]


class Tallied(NamedTuple):
    """A race, how often it was seen, and where."""

    title: str
    body: str
    seen: int
    places: list[str]
    race: str


class TallyGatherer:
    """Counts where sightings are found. `render` is called once per race, not once per sighting."""

    def __init__(self, render: Callable[[Sighting], tuple[str, str]]) -> None:
        self._render = render
        self._counts: dict[str, Count] = {}
        self._sent: dict[str, int] = {}

    def add(self, sighting: Sighting) -> None:
        race = sighting.verdict.race
        seen, places, least, example = self._counts.get(race) or self._first(race)
        if len(places) < _PLACES:
            places.append(f"{sighting.uri} at byte {sighting.span.offset}")
        # the least damaged text makes the example; an undamaged one cannot be bettered
        if least and (damage := _damage(sighting)) < least:
            least, example = damage, self._render(sighting)
        self._counts[race] = seen + 1, places, least, example

    def tell(self, document: Document) -> None:
        """Its claims stand under the races that were seen in it."""

    def _first(self, race: str) -> Count:
        return 0, [], self._sent.get(race, 1 << 30), None

    def pack(self) -> dict[str, Count]:
        packed, self._counts = self._counts, {}
        if len(self._sent) > _MOST_SENT:
            self._sent.clear()
        self._sent.update((race, count[2]) for race, count in packed.items())
        return packed


def _damage(sighting: Sighting) -> int:
    # what is told later is undamaged, or it would have been read at once
    return len(sighting.told.damage) if isinstance(sighting.told, Report) else 0


class Tally:
    """Counts where sightings meet, in a private temporary database: any number of races will do."""

    def __init__(self) -> None:
        import sqlite3  # only this way of output needs it

        self._base = sqlite3.connect("", isolation_level=None)
        self._base.executescript(
            "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -8000;"
            "CREATE TABLE race (id TEXT PRIMARY KEY, first INTEGER, n INTEGER, damage INTEGER,"
            " places TEXT, title TEXT, body TEXT) WITHOUT ROWID; BEGIN"
        )
        self._order = 0

    def merge(self, counts: dict[str, Count]) -> None:
        for race, (seen, places, damage, example) in counts.items():
            self._order += 1
            title, body = example or (None, None)
            self._base.execute(
                "INSERT INTO race VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT (id) DO UPDATE"
                " SET n = n + ?3, title = iif(?6 IS NULL OR damage <= ?4, title, ?6),"
                " body = iif(?7 IS NULL OR damage <= ?4, body, ?7), damage = min(damage, ?4),"
                " places = iif(length(places) < 4096, places || char(10) || ?5, places)",
                (race, self._order, seen, damage, "\n".join(places), title, body),
            )

    def name(self, ids: Mapping[str, str]) -> None:
        """Tells which nodes are one race."""
        self._base.execute("CREATE TABLE name (node TEXT PRIMARY KEY, race TEXT) WITHOUT ROWID")
        self._base.executemany("INSERT INTO name VALUES (?, ?)", ids.items())

    def totals(self) -> tuple[int, int]:
        """How many races, and how many sightings of them."""
        races, sightings = self._base.execute(
            "SELECT count(DISTINCT coalesce(race, id)), total(n) FROM race"
            " LEFT JOIN name ON node = id"
        ).fetchone()
        return int(races), int(sightings)

    def races(self) -> Iterator[Tallied]:
        """Every race, the most often seen first, with the least damaged of its examples."""
        rows = self._base.execute(
            "SELECT id, coalesce(race, id), title, body, sum(n) AS seen,"
            " group_concat(places, char(10)), min(damage * 1000000000 + first) AS best"
            " FROM race LEFT JOIN name ON node = id GROUP BY 2 ORDER BY seen DESC, best"
        )
        for node, race, title, body, seen, places, _ in rows:
            title, body = (text.replace(node, race) for text in (title, body))
            yield Tallied(title, body, seen, places.split("\n")[:_PLACES], race)
