"""Brings the index of sightings up to date: `python -m deadheat.web.index_builder LAKE FILE`.

The server starts it as a process of its own, with low priority, so that building takes no time from requests. The
newest data files are read first.
"""

from __future__ import annotations

import fcntl
import json
import os
import sqlite3
import sys
from itertools import repeat
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from deadheat.errors import DeadheatError
from deadheat.lake.schema import REPORTS
from deadheat.lake.tables import Lake
from deadheat.web.sighting_index import RUN_COLUMNS, open_for_writing, pack_report

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from deadheat.lake.tables import DataFile

    JsonDict = dict[str, Any]

_COLUMNS = ("node", "uri", "offset", "length", "lane", "observed_at", *RUN_COLUMNS, "test")
_ADD_TO_RUN = """
INSERT INTO run_node VALUES (?, ?, ?, ?, ?) ON CONFLICT (context, node) DO UPDATE SET
  first = min(first, excluded.first), last = max(last, excluded.last), sightings = sightings + excluded.sightings
"""
_NICENESS = 10
# reports that are read from the lake at once
_REPORTS_AT_ONCE = 100
# the text of a report is not JSON, and is read from the lake
_REPORT_COLUMNS = [name for name in REPORTS.names if name not in ("text", "text_names")]


class IndexBuilder:
    """Adds data files to an index, each in one transaction."""

    def __init__(self, lake: Lake, database: sqlite3.Connection) -> None:
        self._lake, self._database = lake, database
        self._nodes = {name: number for number, name in database.execute("SELECT id, name FROM node")}
        rows = database.execute('SELECT id, repo, branch, "commit", job, run FROM context')
        self._contexts = {tuple(row[1:]): row[0] for row in rows}
        self._branches: dict[int, int] = {}  # the branch of a context, as a word
        self._words = {name: number for number, name in database.execute("SELECT id, name FROM word")}
        for values, context in self._contexts.items():
            self._note_branch(context, values[1])
        self._uris = self._max_id("uri")
        self._files = self._max_id("file")

    def _max_id(self, table: str) -> int:
        return int(self._database.execute(f"SELECT coalesce(max(id), 0) FROM {table}").fetchone()[0])

    def update(self) -> None:
        """Index what the lake has now, and nothing else."""
        present = {file.path: file for file in self._lake.data_files("sightings")}
        known = dict(self._database.execute("SELECT path, id FROM file"))
        self._remove([number for path, number in known.items() if path not in present])
        self._add_reports()
        new = [file for path, file in present.items() if path not in known]
        new.sort(key=lambda file: (file.day, file.path), reverse=True)
        for file in new:
            self._add_file(file)
        if new or len(known) != len(present):
            self._sum_runs()
        self._set_state("version", str(self._lake.delta_table("sightings").version()))

    def _set_state(self, name: str, value: str) -> None:
        self._database.execute("INSERT OR REPLACE INTO state VALUES (?, ?)", (name, value))

    def _remove(self, files: Sequence[int]) -> None:
        """Remove the sightings of data files that the table has no more."""
        if not files:
            return
        marks = ",".join(map(str, files))
        self._database.execute("BEGIN")
        self._database.execute(f"DELETE FROM sighting WHERE file IN ({marks})")
        self._database.execute(f"DELETE FROM file WHERE id IN ({marks})")
        self._database.execute("DELETE FROM run_node")
        columns = "context, node, min(time), max(time), count(*)"
        self._database.execute(f"INSERT INTO run_node SELECT {columns} FROM sighting GROUP BY context, node")
        self._database.execute("DELETE FROM node_branch")
        self._database.execute(
            "INSERT OR IGNORE INTO node_branch SELECT r.node, w.id FROM run_node r JOIN context c ON c.id = r.context"
            " JOIN word w ON w.name = c.branch"
        )
        self._database.execute("COMMIT")

    def _add_file(self, file: DataFile) -> None:
        rows = self._lake.read_rows("sightings", _COLUMNS, files=[file])
        self._files += 1
        self._database.execute("BEGIN")
        nodes, contexts = self._node_ids(rows["node"]), self._context_ids(rows)
        times = rows["observed_at"].cast(pa.int64()).to_pylist()
        columns = [
            nodes, times, repeat(self._files), range(rows.num_rows), self._uri_ids(rows["uri"]),
            rows["offset"].to_pylist(), rows["length"].to_pylist(), self._word_ids(rows["lane"]), contexts,
            self._word_ids(rows["test"]),
        ]  # fmt: skip
        statement = f"INSERT INTO sighting VALUES ({','.join('?' * len(columns))})"
        self._database.executemany(statement, zip(*columns, strict=False))
        self._add_to_runs(contexts, nodes, times)
        self._database.execute("INSERT INTO file VALUES (?, ?, ?)", (self._files, file.path, rows.num_rows))
        self._database.execute("COMMIT")

    def _add_to_runs(self, contexts: list[int], nodes: list[int | None], times: list[int]) -> None:
        """Add the sightings of a data file to the sums of their runs."""
        sums: dict[tuple[int, int | None], tuple[int, int, int]] = {}
        for context, node, time in zip(contexts, nodes, times, strict=True):
            first, last, count = sums.get((context, node), (time, time, 0))
            sums[context, node] = min(first, time), max(last, time), count + 1
        self._database.executemany(_ADD_TO_RUN, [(*key, *values) for key, values in sums.items()])
        branches = {(node, self._branches[context]) for context, node in sums if context in self._branches}
        self._database.executemany("INSERT OR IGNORE INTO node_branch VALUES (?, ?)", branches)

    def _node_ids(self, column: pa.ChunkedArray) -> list[int | None]:
        return self._ids_of_names("node", self._nodes, column)

    def _word_ids(self, column: pa.ChunkedArray) -> list[int | None]:
        return self._ids_of_names("word", self._words, column)

    def _ids_of_names(self, table: str, known: dict[str, int], column: pa.ChunkedArray) -> list[int | None]:
        values, indexes = _encoded(column)
        new = [name for name in values if name not in known]
        known.update(zip(new, range(len(known) + 1, len(known) + 1 + len(new)), strict=True))
        self._database.executemany(f"INSERT INTO {table} VALUES (?, ?)", ((known[name], name) for name in new))
        return [None if index is None else known[values[index]] for index in indexes]

    def _uri_ids(self, column: pa.ChunkedArray) -> list[int]:
        """The numbers of names of documents. One that is in several data files has several: there may be millions."""
        values, indexes = _encoded(column)
        first = self._uris + 1
        self._uris += len(values)
        self._database.executemany("INSERT INTO uri VALUES (?, ?)", enumerate(values, first))
        return [first + index for index in indexes]

    def _context_ids(self, rows: pa.Table) -> list[int]:
        """The numbers of the runs: the columns are encoded, so that equal rows cost one look-up."""
        encoded = [_encoded(rows[name]) for name in RUN_COLUMNS]
        numbers: dict[tuple[int | None, ...], int] = {}
        found = []
        for indexes in zip(*(column[1] for column in encoded), strict=True):
            number = numbers.get(indexes)
            if number is None:
                values = tuple(None if i is None else column[0][i] for i, column in zip(indexes, encoded, strict=True))
                number = numbers[indexes] = self._context_id(values)
            found.append(number)
        return found

    def _context_id(self, values: tuple[Any, ...]) -> int:
        number = self._contexts.get(values)
        if number is None:
            number = self._contexts[values] = len(self._contexts) + 1
            self._database.execute("INSERT INTO context VALUES (?, ?, ?, ?, ?, ?)", (number, *values))
            self._note_branch(number, values[1])
        return number

    def _note_branch(self, context: int, branch: str | None) -> None:
        if branch is None:
            return
        if branch not in self._words:
            self._words[branch] = len(self._words) + 1
            self._database.execute("INSERT INTO word VALUES (?, ?)", (self._words[branch], branch))
        self._branches[context] = self._words[branch]

    def _sum_runs(self) -> None:
        """Sum the runs, so that the latest ones are found without reading all."""
        columns = "context, min(first), max(last), sum(sightings), count(*)"
        self._database.execute("BEGIN")
        self._database.execute("DELETE FROM run")
        self._database.execute(f"INSERT INTO run SELECT {columns} FROM run_node GROUP BY context")
        self._database.execute("COMMIT")

    def _add_reports(self) -> None:
        """Keep the reports that races are shown with, which a lake finds only among all."""
        wanted = {*self._lake.read_rows("races", ["report"])["report"].to_pylist()}
        known = {digest for (digest,) in self._database.execute("SELECT digest FROM report")}
        missing = sorted(wanted - known)
        for rows in self._read_reports(missing):
            packed = [(row["digest"], pack_report(json.dumps(row))) for row in rows]
            self._database.execute("BEGIN")
            self._database.executemany("INSERT OR REPLACE INTO report VALUES (?, ?)", packed)
            self._database.execute("COMMIT")
        gone = sorted(known - wanted)
        if len(gone) > len(wanted):
            self._database.executemany("DELETE FROM report WHERE digest = ?", [(digest,) for digest in gone])

    def _read_reports(self, digests: Sequence[str]) -> Iterator[list[JsonDict]]:
        """The rows of reports, some at a time: nested columns take much memory."""
        import pyarrow.parquet as pq

        wanted = pa.array(digests, pa.string())
        files = self._lake.data_files("reports") if digests else []
        for file in files:
            if not file.may_contain("digest", digests[0], digests[-1]):
                continue
            with self._lake.open_data_file("reports", file.path) as opened:
                for batch in pq.ParquetFile(opened).iter_batches(
                    _REPORTS_AT_ONCE, columns=_REPORT_COLUMNS, use_threads=False
                ):
                    found = batch.filter(pc.is_in(batch["digest"], value_set=wanted))
                    if found.num_rows:
                        yield found.to_pylist()


def _encoded(column: pa.ChunkedArray) -> tuple[list[Any], list[Any]]:
    """The distinct values of a column, and the index of each row's value, or None."""
    encoded = pc.dictionary_encode(column).combine_chunks()
    if isinstance(encoded, pa.ChunkedArray):
        encoded = encoded.chunk(0) if encoded.num_chunks else pa.array([], pa.string()).dictionary_encode()
    return encoded.dictionary.to_pylist(), encoded.indices.to_pylist()


def build_index(lake: Lake, path: Path) -> bool:
    """Bring an index up to date; False if another process is doing so."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with open(f"{path}.lock", "w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        database = open_for_writing(path)
        try:
            IndexBuilder(lake, database).update()
        finally:
            database.close()
    return True


def main(arguments: list[str]) -> int:
    from pathlib import Path

    os.nice(_NICENESS)
    uri, path = arguments
    pa.set_memory_pool(pa.system_memory_pool())  # the default one keeps what it has allocated
    try:
        build_index(Lake(uri).require(), Path(path))
    except (DeadheatError, OSError, sqlite3.Error) as error:
        print(f"deadheat: the index of sightings: {error}", file=sys.stderr)
        return 3
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
