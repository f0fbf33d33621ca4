"""An index of the sightings of a lake, so that a page of them costs the same however many there are.

It is a SQLite file in the user's cache folder: the sightings of each race in the order of their times, and what each
run has seen. A process of its own brings it up to date (`index_builder`), reading only data files that are new. It can
be deleted at any time.
"""

from __future__ import annotations

import re
import sqlite3
import threading
import zlib
from datetime import UTC, datetime, timedelta
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from deadheat.repo.disk_cache import cache_folder

if TYPE_CHECKING:
    from collections.abc import Sequence

    JsonDict = dict[str, Any]

# increment it when the tables change; an index of another version is built anew
_FORMAT = 2
_SCHEMA = """
CREATE TABLE IF NOT EXISTS file (id INTEGER PRIMARY KEY, path TEXT UNIQUE, sightings INTEGER);
CREATE TABLE IF NOT EXISTS node (id INTEGER PRIMARY KEY, name TEXT UNIQUE);
CREATE TABLE IF NOT EXISTS uri (id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE IF NOT EXISTS word (id INTEGER PRIMARY KEY, name TEXT UNIQUE);
CREATE TABLE IF NOT EXISTS context (
  id INTEGER PRIMARY KEY, repo TEXT, branch TEXT, "commit" TEXT, job TEXT, run TEXT,
  UNIQUE (repo, branch, "commit", job, run));
CREATE INDEX IF NOT EXISTS context_run ON context (run);
CREATE INDEX IF NOT EXISTS context_commit ON context ("commit");
CREATE TABLE IF NOT EXISTS sighting (
  node INTEGER, time INTEGER, file INTEGER, row INTEGER, uri INTEGER, "offset" INTEGER, length INTEGER, lane INTEGER,
  context INTEGER, test INTEGER, PRIMARY KEY (node, time, file, row)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS run_node (
  context INTEGER, node INTEGER, first INTEGER, last INTEGER, sightings INTEGER,
  PRIMARY KEY (context, node)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS node_branch (node INTEGER, branch INTEGER, PRIMARY KEY (node, branch)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS run (
  context INTEGER PRIMARY KEY, first INTEGER, last INTEGER, sightings INTEGER, nodes INTEGER);
CREATE INDEX IF NOT EXISTS run_last ON run (last);
CREATE TABLE IF NOT EXISTS report (digest TEXT PRIMARY KEY, data BLOB);
CREATE TABLE IF NOT EXISTS state (name TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
"""
# "1779991200000000.4.0"
_CURSOR = re.compile(r"(-?[0-9]{1,18})\.([0-9]{1,9})\.([0-9]{1,9})")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
RUN_COLUMNS = ("repo", "branch", "commit", "job", "run")


class RunSummary(NamedTuple):
    """A run of CI: everything that its documents have in common."""

    context: int
    repo: str | None
    branch: str | None
    commit: str | None
    job: str | None
    run: str | None
    first: datetime
    last: datetime
    sightings: int
    races: int


class RunRace(NamedTuple):
    """What a run saw of a variant of a race."""

    node: str
    first: datetime
    sightings: int


def index_path(lake_uri: str) -> Path:
    """The file of the index of a lake."""
    name = blake2b(lake_uri.encode("utf-8", "surrogatepass"), digest_size=10).hexdigest()
    return cache_folder() / "serve" / f"{name}-{_FORMAT}.sqlite"


def open_for_writing(path: Path) -> sqlite3.Connection:
    """The index for the one process that writes it; created if it is not there, and anew if it is damaged."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    try:
        return _connect_writer(path)
    except sqlite3.DatabaseError:
        for suffix in ("", "-wal", "-shm"):
            Path(f"{path}{suffix}").unlink(missing_ok=True)
        return _connect_writer(path)


def _connect_writer(path: Path) -> sqlite3.Connection:
    database = sqlite3.connect(path, isolation_level=None)
    try:
        path.chmod(0o600)
        # a lost index is built again, so nothing waits for the disk
        database.executescript("PRAGMA journal_mode=WAL; PRAGMA synchronous=OFF; PRAGMA cache_size=-16384;")
        database.executescript(_SCHEMA)
    except BaseException:
        database.close()
        raise
    return database


def to_microseconds(time: datetime) -> int:
    return (time - _EPOCH) // _MICROSECOND


def from_microseconds(number: int) -> datetime:
    return _EPOCH + number * _MICROSECOND


def pack_report(text: str) -> bytes:
    return zlib.compress(text.encode("utf-8", "surrogatepass"), 6)


def unpack_report(data: bytes) -> str:
    return zlib.decompress(data).decode("utf-8", "surrogatepass")


_SIGHTING_QUERY = """
SELECT s.time, u.name AS uri, s."offset", s.length, l.name AS lane, c.repo, c.branch, c."commit", c.job, c.run,
  t.name AS test, f.path, s.file, s.row
FROM sighting s JOIN uri u ON u.id = s.uri LEFT JOIN word l ON l.id = s.lane LEFT JOIN word t ON t.id = s.test
  JOIN context c ON c.id = s.context JOIN file f ON f.id = s.file
"""
_RUN_QUERY = "SELECT c.*, r.* FROM run r JOIN context c ON c.id = r.context"
_OF_NODE = "WHERE s.node = (SELECT id FROM node WHERE name = ?)"


class SightingCursor(NamedTuple):
    """A position among the sightings of a race, in their order."""

    time: int
    file: int
    row: int

    @staticmethod
    def parse(text: str) -> SightingCursor | None:
        match = _CURSOR.fullmatch(text)
        return SightingCursor(*map(int, match.groups())) if match else None

    def __str__(self) -> str:
        return f"{self.time}.{self.file}.{self.row}"


class SightingIndex:
    """Reads an index. Each thread has a connection of its own; without a file everything is empty."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._local = threading.local()

    def _rows(self, query: str, parameters: Sequence[Any] = ()) -> list[sqlite3.Row]:
        database = self._connection()
        if database is None:
            return []
        try:
            return database.execute(query, parameters).fetchall()
        except sqlite3.DatabaseError:  # it is being made, or was damaged and is made anew
            self._local.database = None
            return []

    def _connection(self) -> sqlite3.Connection | None:
        database: sqlite3.Connection | None = getattr(self._local, "database", None)
        if database is None and self.path.exists():
            try:
                database = sqlite3.connect(f"{self.path.as_uri()}?mode=ro", uri=True, timeout=5)
                database.row_factory = sqlite3.Row
            except sqlite3.DatabaseError:
                return None
            self._local.database = database
        return database

    def state(self, name: str) -> str:
        """A value that the builder has written; empty if it has not."""
        rows = self._rows("SELECT value FROM state WHERE name = ?", (name,))
        return str(rows[0]["value"]) if rows else ""

    def indexed_sightings(self) -> int:
        rows = self._rows("SELECT coalesce(sum(sightings), 0) AS n FROM file")
        return int(rows[0]["n"]) if rows else 0

    def sightings_of(self, nodes: Sequence[str], limit: int, after: SightingCursor | None = None) -> list[JsonDict]:
        """The sightings of a race, the latest first; those after a position if it is given."""
        position = "AND (s.time, s.file, s.row) < (?, ?, ?)" if after else ""
        query = f"{_SIGHTING_QUERY} {_OF_NODE} {position} ORDER BY s.time DESC, s.file DESC, s.row DESC LIMIT ?"
        rows = [row for node in nodes for row in self._rows(query, (node, *(after or ()), limit))]
        rows.sort(key=lambda row: (row["time"], row["file"], row["row"]), reverse=True)
        return [_sighting_row(row) for row in rows[:limit]]

    def find_sighting(self, nodes: Sequence[str], time: datetime, uri: str, offset: int) -> JsonDict | None:
        """The sighting of a race at a place of a document."""
        query = f'{_SIGHTING_QUERY} {_OF_NODE} AND s.time = ? AND s."offset" = ?'
        for node in nodes:
            for row in self._rows(query, (node, to_microseconds(time), offset)):
                if row["uri"] == uri:
                    return _sighting_row(row)
        return None

    def sighting_at(self, nodes: Sequence[str], commit: str | None, time: datetime) -> JsonDict | None:
        """A sighting of a race at a commit and time."""
        query = f'{_SIGHTING_QUERY} {_OF_NODE} AND s.time = ? AND c."commit" IS ? LIMIT 1'
        found = (self._rows(query, (node, to_microseconds(time), commit)) for node in nodes)
        return next((_sighting_row(rows[0]) for rows in found if rows), None)

    def first_sightings(self, commits: Sequence[str]) -> dict[str, datetime]:
        """When each of these commits was sighted first, with any race."""
        query = 'SELECT min(r.first) AS first FROM run r JOIN context c ON c.id = r.context WHERE c."commit" = ?'
        first = {commit: self._rows(query, (commit,)) for commit in commits}
        return {
            commit: from_microseconds(rows[0]["first"])
            for commit, rows in first.items()
            if rows and rows[0]["first"] is not None
        }

    def report(self, digest: str) -> str | None:
        """The row of a report as JSON."""
        rows = self._rows("SELECT data FROM report WHERE digest = ?", (digest,))
        return unpack_report(rows[0]["data"]) if rows else None

    def branches(self) -> tuple[dict[int, str], dict[int, str], list[tuple[int, int]]]:
        """Names of variants and of branches by their numbers, and which variants were seen on which branches."""
        pairs = [(row[0], row[1]) for row in self._rows("SELECT node, branch FROM node_branch")]
        names = [
            {row["id"]: row["name"] for row in self._rows(query)}
            for query in (
                "SELECT id, name FROM node",
                "SELECT id, name FROM word WHERE id IN (SELECT branch FROM node_branch)",
            )
        ]
        return names[0], names[1], pairs

    def runs(self, limit: int, offset: int) -> list[RunSummary]:
        """Runs with sightings, the latest first."""
        query = f"{_RUN_QUERY} WHERE c.run IS NOT NULL ORDER BY r.last DESC, c.id LIMIT ? OFFSET ?"
        return [_run_summary(row) for row in self._rows(query, (limit, offset))]

    def run_count(self) -> int:
        rows = self._rows("SELECT count(*) AS n FROM context WHERE run IS NOT NULL")
        return int(rows[0]["n"]) if rows else 0

    def contexts_of_run(self, run: str, repo: str | None) -> list[RunSummary]:
        """The jobs of a run. Repositories may number their runs alike."""
        query = f"{_RUN_QUERY} WHERE c.run = ? AND (? IS NULL OR c.repo = ?) ORDER BY r.last DESC, c.id"
        return [_run_summary(row) for row in self._rows(query, (run, repo, repo))]

    def races_of_context(self, context: int, limit: int) -> list[RunRace]:
        query = """SELECT n.name, r.first, r.sightings FROM run_node r JOIN node n ON n.id = r.node WHERE r.context = ?
            ORDER BY r.sightings DESC LIMIT ?"""
        rows = self._rows(query, (context, limit))
        return [RunRace(row["name"], from_microseconds(row["first"]), row["sightings"]) for row in rows]


def _sighting_row(row: sqlite3.Row) -> JsonDict:
    found = {**row}
    found["cursor"] = str(SightingCursor(found["time"], found.pop("file"), found["row"]))
    found["observed_at"] = from_microseconds(found.pop("time"))
    return found


def _run_summary(row: sqlite3.Row) -> RunSummary:
    repo, branch, commit, job, run = (row[name] for name in RUN_COLUMNS)
    first, last = from_microseconds(row["first"]), from_microseconds(row["last"])
    return RunSummary(row["id"], repo, branch, commit, job, run, first, last, row["sightings"], row["nodes"])
