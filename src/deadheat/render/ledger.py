"""Sighting counts per race, and a temporary database for more of them than memory should hold."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

# locations listed per race
PLACES: Final = 3
# variant, order of its example, sightings, damage, locations, offset and size of the example
_Row = tuple[str, int, int, int, str, int, int]


class Entry:
    """The count of a race; its example is in a `SpillBuffer`."""

    def __init__(
        self, node: str, order: int, seen: int, damage: int, places: str, at: int, size: int
    ) -> None:
        self.node = node
        self.order = order
        self.seen = seen
        self.damage = damage
        self.places = places
        self.at = at
        self.size = size

    def add(self, other: Entry) -> None:
        """Adds another count of the same race."""
        self.seen += other.seen
        if self.places.count("\n") < PLACES - 1:
            self.places = f"{self.places}\n{other.places}"
        # keep the least damaged example, the first of equals
        if other.size and (
            other.damage < self.damage or (other.damage == self.damage and other.order < self.order)
        ):
            self.order, self.damage = other.order, other.damage
            self.at, self.size = other.at, other.size

    @property
    def rank(self) -> tuple[int, int, int]:
        """Sorts by sightings (most first), damage of the example, then arrival."""
        return -self.seen, self.damage, self.order

    @property
    def row(self) -> _Row:
        return (
            self.node, self.order, self.seen, self.damage, self.places, self.at, self.size,
        )  # fmt: skip


def joined(ids: Mapping[str, str], nodes: Mapping[str, Entry]) -> dict[str, Entry]:
    """Merges the counts of variants into one count per race."""
    races: dict[str, Entry] = {}
    for node, entry in nodes.items():
        race = ids.get(node, node)
        known = races.get(race)
        if known is None:
            races[race] = entry
        else:
            known.add(entry)
    return races


def _rows(entries: Iterable[Entry]) -> Iterator[_Row]:
    # mypyc turns a generator expression into a list
    for entry in entries:
        yield entry.row


class Ledger:
    """Counts in a temporary SQLite file, which only sorts them."""

    def __init__(self) -> None:
        import sqlite3  # rarely needed

        self._base = sqlite3.connect("", isolation_level=None)
        columns = "node TEXT, n INT, seen INT, damage INT, places TEXT, at INT, size INT"
        self._base.executescript(
            "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -8000;"
            f"CREATE TABLE posted ({columns}); CREATE TABLE raced (race TEXT, {columns});"
            "CREATE TABLE name (node TEXT PRIMARY KEY, race TEXT) WITHOUT ROWID; BEGIN"
        )

    def post(self, entries: Iterable[Entry]) -> None:
        """Inserts counts; a race may occur more than once."""
        self._base.executemany("INSERT INTO posted VALUES (?, ?, ?, ?, ?, ?, ?)", _rows(entries))

    def name(self, ids: Mapping[str, str]) -> None:
        """Joins the variants of each race."""
        self._base.executemany("INSERT INTO name VALUES (?, ?)", ids.items())
        self._base.executemany("INSERT INTO raced VALUES (?, ?, ?, ?, ?, ?, ?, ?)", self._raced())

    def _raced(self) -> Iterator[tuple[str | int, ...]]:
        for race, entry in self._joined():
            yield (race, *entry.row)

    def _joined(self) -> Iterator[tuple[str, Entry]]:
        rows = self._base.execute(
            "SELECT coalesce(race, node), posted.* FROM posted LEFT JOIN name USING (node)"
            " ORDER BY 1, n"
        )
        last: tuple[str, Entry] | None = None
        for race, *row in rows:
            entry = Entry(*row)
            if last is not None and last[0] == race:
                last[1].add(entry)
                continue
            if last is not None:
                yield last
            last = race, entry
        if last is not None:
            yield last

    def totals(self) -> tuple[int, int]:
        """The number of races and of sightings."""
        races, seen = self._base.execute("SELECT count(*), total(seen) FROM raced").fetchone()
        return int(races), int(seen)

    def races(self) -> Iterator[tuple[str, Entry]]:
        """Yields every race in the order of `sort_key`."""
        for race, *row in self._base.execute("SELECT * FROM raced ORDER BY seen DESC, damage, n"):
            yield race, Entry(*row)

    def close(self) -> None:
        self._base.close()
