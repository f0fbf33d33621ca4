"""Keeps what was counted of races, of more than memory should hold in a private database."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

# how many places are worth telling
PLACES: Final = 3
# node, order of its example, sightings, damage, places, and where the example is
_Row = tuple[str, int, int, int, str, int, int]


class Entry:
    """What was counted of a race; its example is on a shelf."""

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
        """Takes in what else was counted of the same race."""
        self.seen += other.seen
        if self.places.count("\n") < PLACES - 1:
            self.places = f"{self.places}\n{other.places}"
        # the least damaged example, and of those the first
        if other.size and (
            other.damage < self.damage or (other.damage == self.damage and other.order < self.order)
        ):
            self.order, self.damage = other.order, other.damage
            self.at, self.size = other.at, other.size

    @property
    def rank(self) -> tuple[int, int, int]:
        """The most often seen come first, then those with a good example, then as they came."""
        return -self.seen, self.damage, self.order

    @property
    def row(self) -> _Row:
        return (
            self.node, self.order, self.seen, self.damage, self.places, self.at, self.size,
        )  # fmt: skip


def joined(ids: Mapping[str, str], nodes: Mapping[str, Entry]) -> dict[str, Entry]:
    """One entry for each race, by the ids that nodes have."""
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
    # no generator expression, of which compiled code makes a list
    for entry in entries:
        yield entry.row


class Ledger:
    """Entries in a file, which is gone with the process; the database does no more than sort them."""

    def __init__(self) -> None:
        import sqlite3  # few scans find so much

        self._base = sqlite3.connect("", isolation_level=None)
        columns = "node TEXT, n INT, seen INT, damage INT, places TEXT, at INT, size INT"
        self._base.executescript(
            "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -8000;"
            f"CREATE TABLE posted ({columns}); CREATE TABLE raced (race TEXT, {columns});"
            "CREATE TABLE name (node TEXT PRIMARY KEY, race TEXT) WITHOUT ROWID; BEGIN"
        )

    def post(self, entries: Iterable[Entry]) -> None:
        """Takes entries, some of them perhaps of races that it has."""
        self._base.executemany("INSERT INTO posted VALUES (?, ?, ?, ?, ?, ?, ?)", _rows(entries))

    def name(self, ids: Mapping[str, str]) -> None:
        """Joins what is one race."""
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
        """How many races, and how many sightings of them."""
        races, seen = self._base.execute("SELECT count(*), total(seen) FROM raced").fetchone()
        return int(races), int(seen)

    def races(self) -> Iterator[tuple[str, Entry]]:
        """Every race, in the order of `rank`."""
        for race, *row in self._base.execute("SELECT * FROM raced ORDER BY seen DESC, damage, n"):
            yield race, Entry(*row)

    def close(self) -> None:
        """Nobody will ask any more."""
        self._base.close()
