"""What a task puts aside: a little is handed to the driver right away, more is written to files."""

from __future__ import annotations

import gc
import uuid
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from deadheat.lake import commits, told
from deadheat.lake.place import Place
from deadheat.lake.races import REPORT
from deadheat.lake.schema import NUMBER, REPORTS, TEXT
from deadheat.pipeline.mapping import PUT_ASIDE, batch_of, reading

if TYPE_CHECKING:
    from collections.abc import Iterator

    Plain = dict[str, Any]

_FAULT = pa.struct([("uri", TEXT), ("fault", TEXT), ("unopened", pa.bool_())])
# rows: a file of them, or they themselves; of reports in a file, what is asked of all of them
_ROWS = pa.struct(
    [
        *(("file", TEXT), ("rows", NUMBER), ("size", NUMBER), ("stats", TEXT)),
        ("content", pa.binary()),
    ]
)
# what a task tells of itself
DONE = pa.schema([("seen", _ROWS), ("reports", _ROWS), ("faults", pa.list_(_FAULT))])
# so many rows are written at a time
_PORTION = 4096
# so many new objects are worth a look for garbage
_GARBAGE = 50_000


def writing(
    lake: str, folder: str, batch: str, most: int, whole: int, batches: Iterator[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    """Writes what a task sees right where it is seen: to hand wide rows to Java takes longer.

    Up to `most` sightings are handed over as one piece of memory, into which Java does not look, and
    so are reports if they are fewer than `whole`. The name of a file is told only once it is whole,
    so that what a task has left behind that failed or was run twice counts for nothing.
    """
    _settle()
    place = Place(lake)
    seen = _Rows(place, folder, "sightings", PUT_ASIDE, most)
    reports = _Rows(place, folder, "reports", REPORTS, min(most, whole - 1))
    about: list[pa.RecordBatch] = []
    faults: list[Plain] = []
    for rows, lines in _portions(reading(batches, batch), faults):
        seen.write([batch_of(rows, PUT_ASIDE)])
        new = told.table(lines).to_batches()
        reports.write(new)
        if reports.count <= most:
            about += [one.select(REPORT) for one in new]
    if seen.count or faults:
        done = {
            "seen": seen.close(),
            "reports": reports.close(about if reports.count <= most else []),
            "faults": faults,
        }
        yield pa.RecordBatch.from_pylist([done], DONE)


def _portions(
    found: Iterator[Plain], faults: list[Plain]
) -> Iterator[tuple[list[Plain], list[str]]]:
    """Rows, and the lines of reports that they tell, some at a time; faults are put aside."""
    rows: list[Plain] = []
    lines: list[str] = []
    for row in found:
        if "fault" in row:
            faults.append(row)
            continue
        if line := row.pop("told", None):
            lines.append(line)
        rows.append(row)
        if len(rows) == _PORTION:
            yield rows, lines
            rows, lines = [], []
    if rows:
        yield rows, lines


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
                compression="zstd",
            )
        for batch in self._kept:
            self._writer.write_batch(batch)
        self._kept = []

    def close(self, about: list[pa.RecordBatch] | None = None) -> Plain:
        """What is to be told of them; of those in a file, `about` as well."""
        if self._writer is None:
            return {"rows": self.count, "content": packed(self._kept)}
        self._writer.close()
        name = self._place.path(str(self._name))
        with self._place.arrow.open_input_file(name) as file:
            size = file.size()
            stats = commits.stats(pq.read_metadata(file), self._table)
        content = packed(about or [])
        return {
            "file": self._name, "rows": self.count, "size": size, "stats": stats, "content": content
        }  # fmt: skip


def packed(batches: list[pa.RecordBatch]) -> bytes | None:
    """Batches as one piece of memory."""
    if not batches:
        return None
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, batches[0].schema) as writer:
        for batch in batches:
            writer.write_batch(batch)
    return bytes(sink.getvalue())


def unpacked(data: bytes | None) -> pa.Table | None:
    return None if data is None else pa.ipc.open_stream(data).read_all()
