"""The output of a task: small results are returned to the driver, large ones are written to files."""

from __future__ import annotations

import gc
import uuid
from itertools import chain
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from deadheat.identity.evidence import Mark, Side
from deadheat.identity.races import alias
from deadheat.lake import columns, commits, told
from deadheat.lake.place import Place
from deadheat.lake.schema import REPORTS
from deadheat.lake.told import About
from deadheat.pipeline.mapping import PUT_ASIDE, batch_of, reading

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from deadheat.identity.races import Alias
    from deadheat.lake.rows import Seen
    from deadheat.pipeline.units import Unit

    Plain = dict[str, Any]
    # a `ReportFacts` as plain tuples, which are pickled faster
    Flat = tuple[Any, ...]

# creates a named tuple three times as fast as its class
_new: Final = tuple.__new__
_PORTION = 4096
# new objects between two runs of the garbage collector
_GARBAGE = 1_000_000


class Put(NamedTuple):
    """The rows of a task: in a file, or in memory."""

    rows: int
    file: str | None = None
    size: int = 0
    stats: str = ""
    content: bytes | None = None


class Known(NamedTuple):
    """What is needed of every report."""

    digest: str
    about: About
    mark: Mark
    alias: Alias  # the derived aliases of its variant, which are the most expensive part

    @property
    def flat(self) -> Flat:
        digest, about, mark, alias = self
        fingerprint, sides, *others = mark
        return digest, (*about,), (fingerprint, [(*side,) for side in sides], *others), alias

    @classmethod
    def of(cls, flat: Flat) -> Known:
        digest, about, (fingerprint, sides, *others), alias = flat
        mark = _new(Mark, (fingerprint, tuple([_new(Side, side) for side in sides]), *others))
        return _new(cls, (digest, _new(About, about), mark, alias))


class Fault(NamedTuple):
    """A file that could not be read, why, and whether it could not be opened at all."""

    uri: str
    what: str
    unopened: bool


class Done(NamedTuple):
    """The result of a task."""

    seen: Put
    reports: Put
    known: list[Flat] | None  # of each report, unless there are too many
    faults: list[Fault]


def writing(
    lake: str, folder: str, batch: str, most: int, whole: int, portions: Iterable[Iterable[Unit]]
) -> Iterator[Done]:
    """Read units and write their sightings from the Python worker.

    This is faster than passing rows to the JVM. Up to `max_rows` sightings are returned as one
    binary value that the JVM does not decode, and so are reports if there are fewer than
    `min_file_rows`. The name of a file is returned only when the file is complete, so files of
    failed or repeated tasks are ignored.
    """
    _settle()
    place = Place(lake)
    seen = _Rows(place, folder, "sightings", PUT_ASIDE, most)
    reports = _Rows(place, folder, "reports", REPORTS, min(most, whole - 1))
    known: list[Flat] = []
    faults: list[Fault] = []
    found = reading(chain.from_iterable(portions), batch)
    for rows, first in _portions(found, faults):
        seen.write([batch_of(rows, PUT_ASIDE)])
        reports.write(columns.table([one.told.row for one in first]).to_batches())
        if reports.count <= most:
            known += [_known(one).flat for one in first]
    if seen.count or faults:
        few = reports.count <= most
        yield Done(seen.close(), reports.close(), known if few else None, faults)


def _known(one: Seen) -> Known:
    # as in the row of the report
    mark = told.writable(one.mark) if one.told.odd else one.mark
    return Known(one.told.digest, one.told.about, mark, alias(mark))


def _portions(
    found: Iterator[Plain], faults: list[Fault]
) -> Iterator[tuple[list[Plain], list[Seen]]]:
    """Yield portions of rows with the first rows of each report. Faults are collected."""
    rows: list[Plain] = []
    first: list[Seen] = []
    for row in found:
        if "fault" in row:
            faults.append(told.writable(Fault(row["uri"], row["fault"], row["unopened"])))
            continue
        if one := row.pop("told", None):
            first.append(one)
        rows.append(row)
        if len(rows) == _PORTION:
            yield rows, first
            rows, first = [], []
    if rows:
        yield rows, first


def _settle() -> None:
    """Exclude all existing objects from garbage collection.

    PySpark collects after each task. Most of the objects it would scan are our modules and cached
    reports. Only reference cycles from earlier tasks are not freed.
    """
    gc.freeze()
    gc.set_threshold(_GARBAGE)


class _Rows:
    """The rows of a task; written to a file if there are more than `max_rows`."""

    def __init__(self, place: Place, folder: str, table: str, schema: pa.Schema, most: int) -> None:
        self._place, self._folder, self._table = place, folder, table
        self._schema, self._most = schema, most
        self._kept: list[pa.RecordBatch] = []
        self._writer: pq.ParquetWriter | None = None
        self._name: str | None = None
        self.count = 0

    def write(self, batches: list[pa.RecordBatch]) -> None:
        self._kept += batches
        self.count += sum(batch.num_rows for batch in batches)
        if self.count <= self._most:
            return
        if self._writer is None:
            self._name = f"{self._folder}/{uuid.uuid4().hex}.parquet"
            self._writer = pq.ParquetWriter(
                self._place.path(self._name),
                self._schema,
                filesystem=self._place.arrow,
                **commits.layout(self._table, self.count),
            )
        for batch in self._kept:
            self._writer.write_batch(batch)
        self._kept = []

    def close(self) -> Put:
        """Finish the file and return its metadata, or the rows."""
        if self._writer is None:
            return Put(self.count, content=packed(self._kept))
        self._writer.close()
        name = self._place.path(str(self._name))
        with self._place.arrow.open_input_file(name) as file:
            size = file.size()
            stats = commits.stats(pq.read_metadata(file), self._table)
        return Put(self.count, self._name, size, stats)


def packed(batches: list[pa.RecordBatch]) -> bytes | None:
    """Batches as one binary value in Arrow IPC format."""
    if not batches:
        return None
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, batches[0].schema) as writer:
        for batch in batches:
            writer.write_batch(batch)
    return bytes(sink.getvalue())


def unpacked(data: bytes) -> pa.Table:
    return pa.ipc.open_stream(data).read_all()
