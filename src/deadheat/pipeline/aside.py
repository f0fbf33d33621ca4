"""What a task puts aside: a little is handed to the driver right away, more is written to files."""

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
    # what is known of a report, on its way from a task: tuples that have names take long to pickle
    Flat = tuple[Any, ...]

# makes a tuple with names in a third of the time that its class takes
_new: Final = tuple.__new__
# so many rows are written at a time
_PORTION = 4096
# so many new objects are worth a look for garbage
_GARBAGE = 1_000_000


class Put(NamedTuple):
    """Rows that a task has put aside: a file of them, or they themselves."""

    rows: int
    file: str | None = None
    size: int = 0
    stats: str = ""
    content: bytes | None = None


class Known(NamedTuple):
    """What is asked of every report."""

    digest: str
    about: About
    mark: Mark
    alias: Alias  # what else its node may be called, which takes longest to find out

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
    """What could not be read, why, and could it not be opened at all."""

    uri: str
    what: str
    unopened: bool


class Done(NamedTuple):
    """What a task tells of itself."""

    seen: Put
    reports: Put
    known: list[Flat] | None  # of each report, unless there are too many
    faults: list[Fault]


def writing(
    lake: str, folder: str, batch: str, most: int, whole: int, portions: Iterable[Iterable[Unit]]
) -> Iterator[Done]:
    """Writes what a task sees right where it is seen: to hand wide rows to Java takes longer.

    Up to `most` sightings are handed over as one piece of memory, into which Java does not look, and
    so are reports if they are fewer than `whole`. The name of a file is told only once it is whole,
    so that what a task has left behind that failed or was run twice counts for nothing.
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
    # as it is in the row of the report
    mark = told.writable(one.mark) if one.told.odd else one.mark
    return Known(one.told.digest, one.told.about, mark, alias(mark))


def _portions(
    found: Iterator[Plain], faults: list[Fault]
) -> Iterator[tuple[list[Plain], list[Seen]]]:
    """Rows, and those that are the first to tell a report, some at a time; faults are put aside."""
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
    """Tells the garbage collector not to look at what there is, now that it has just been run.

    PySpark runs it after each task, and most of what it would look at are our modules, and reports
    that are remembered to be recognised. What nobody needs any more is given back all the same,
    unless it is a circle that was closed in an earlier task.
    """
    gc.freeze()
    gc.set_threshold(_GARBAGE)


class _Rows:
    """Rows of a task; in a file once there are more than `most`."""

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
        """What is to be told of them."""
        if self._writer is None:
            return Put(self.count, content=packed(self._kept))
        self._writer.close()
        name = self._place.path(str(self._name))
        with self._place.arrow.open_input_file(name) as file:
            size = file.size()
            stats = commits.stats(pq.read_metadata(file), self._table)
        return Put(self.count, self._name, size, stats)


def packed(batches: list[pa.RecordBatch]) -> bytes | None:
    """Batches as one piece of memory."""
    if not batches:
        return None
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, batches[0].schema) as writer:
        for batch in batches:
            writer.write_batch(batch)
    return bytes(sink.getvalue())


def unpacked(data: bytes) -> pa.Table:
    return pa.ipc.open_stream(data).read_all()
