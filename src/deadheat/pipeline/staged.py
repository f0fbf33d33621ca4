"""What the map side of one batch has seen, put aside in files that no table knows."""

from __future__ import annotations

import gc
import uuid
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from deadheat.lake import told
from deadheat.lake.commits import STAGING
from deadheat.lake.place import Place
from deadheat.lake.schema import NUMBER, REPORTS, SIGHTINGS, TEXT
from deadheat.pipeline import frames
from deadheat.pipeline.frames import typed
from deadheat.pipeline.mapping import PUT_ASIDE, batch_of, reading
from deadheat.pipeline.units import spread

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pyspark.sql import DataFrame, SparkSession

    from deadheat.lake.tables import Lake
    from deadheat.pipeline.units import Work

    Plain = dict[str, Any]

_FAULT = pa.struct([("uri", TEXT), ("fault", TEXT), ("unopened", pa.bool_())])
# what a task tells of itself
_DONE = pa.schema(
    [
        *(("seen", TEXT), ("count", NUMBER)),
        *(("reports", TEXT), ("rows", NUMBER)),
        ("faults", pa.list_(_FAULT)),
    ]
)
# so many rows are written at a time
_ROWS = 4096
# tasks that this process has begun
_begun = 0


class Staged:
    """Sightings, reports and faults, for Spark and for Arrow."""

    def __init__(self, lake: Lake, batch: str) -> None:
        self._lake, self._batch = lake, batch
        self._folder = f"{STAGING}/{batch}"
        self._seen: list[str] = []
        self._count = 0
        self.told: dict[str, int] = {}  # files of reports, and how many there are in each
        self.faults: list[
            tuple[str, str, bool]
        ] = []  # where, what, and could nothing be read at all

    def write(self, spark: SparkSession, works: Sequence[Work], unit: int | None = None) -> None:
        """Reads everything there is to read."""
        self._lake.place.make(self._folder)
        # a function of a module, so that it is named to the workers, and not sent
        task = partial(writing, self._lake.uri, self._folder, self._batch)
        done = spread(spark, works, unit).mapInArrow(task, typed(_DONE)).collect()
        self._seen = [row.seen for row in done if row.seen]
        self._count = sum(row["count"] for row in done)
        self.told = {row.reports: row.rows for row in done if row.reports}
        self.faults = sorted({(f.uri, f.fault, f.unopened) for row in done for f in row.faults})

    @cached_property
    def unread(self) -> list[str]:
        """Files that could not be opened, or of which a range could not; nothing of them counts."""
        return sorted({uri for uri, _, unopened in self.faults if unopened})

    @cached_property
    def count(self) -> int:
        """How many sightings there are."""
        return int(self.sightings(["file"]).num_rows) if self.unread else self._count

    def sightings(self, columns: Sequence[str] | None = None) -> pa.Table:
        seen = [self._read(name, columns) for name in self._seen]
        wanted = pa.schema([PUT_ASIDE.field(name) for name in columns or PUT_ASIDE.names])
        everything = pa.concat_tables([wanted.empty_table(), *seen])
        if not self.unread:
            return everything
        return everything.filter(~pc.field("file").isin(pa.array(self.unread, pa.string())))

    def reports(self, name: str, columns: Sequence[str] | None = None) -> pa.Table:
        """The reports in one of the files."""
        return self._read(name, columns)

    def _read(self, name: str, columns: Sequence[str] | None) -> pa.Table:
        place = self._lake.place
        with place.arrow.open_input_file(place.path(name)) as file:
            return pq.ParquetFile(file).read(columns and list(columns))

    def frame(self, spark: SparkSession) -> DataFrame:
        """The sightings."""
        place = self._lake.place
        seen = frames.files(spark, [place.at(name) for name in self._seen], PUT_ASIDE)
        if self.unread:
            seen = seen.where(~seen.file.isin(self.unread))
        return seen.select(SIGHTINGS.names)

    def told_frame(self, spark: SparkSession) -> DataFrame:
        """The distinct reports."""
        paths = [self._lake.place.at(name) for name in self.told]
        return frames.files(spark, paths, REPORTS).dropDuplicates(["digest"])


def writing(
    lake: str, folder: str, batch: str, batches: Iterator[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    """Writes what a task sees right where it is seen: to hand wide rows to Java takes longer.

    The name of a file is told only once it is whole, so that what a task has left behind that failed
    or was run twice counts for nothing.
    """
    _settle()
    place = Place(lake)
    seen = _File(place, folder, PUT_ASIDE, "snappy")
    reports = _File(place, folder, REPORTS, "zstd")
    faults: list[Plain] = []
    for rows, lines in _portions(reading(batches, batch), faults):
        seen.write(batch_of(rows, PUT_ASIDE))
        reports.write(*told.table(lines).to_batches())
    if seen.rows or faults:
        done = {
            "seen": seen.close(),
            "count": seen.rows,
            "reports": reports.close(),
            "rows": reports.rows,
            "faults": faults,
        }
        yield pa.RecordBatch.from_pylist([done], _DONE)


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
        if len(rows) == _ROWS:
            yield rows, lines
            rows, lines = [], []
    if rows:
        yield rows, lines


def _settle() -> None:
    """Tells the garbage collector, which is made to run after each task, not to look at our modules.

    Only now and then: what has been settled is never looked at again.
    """
    global _begun
    _begun += 1
    if not _begun & (_begun - 1):
        gc.freeze()


class _File:
    """A file that is there once something is written to it."""

    def __init__(self, place: Place, folder: str, schema: pa.Schema, compression: str) -> None:
        self._place, self._folder = place, folder
        self._schema, self._compression = schema, compression
        self._writer: pq.ParquetWriter | None = None
        self._name: str | None = None
        self.rows = 0

    def write(self, *batches: pa.RecordBatch) -> None:
        for batch in batches:
            if self._writer is None:
                self._name = f"{self._folder}/{uuid.uuid4().hex}.parquet"
                self._writer = pq.ParquetWriter(
                    self._place.path(self._name),
                    self._schema,
                    filesystem=self._place.arrow,
                    compression=self._compression,
                )
            self._writer.write_batch(batch)
            self.rows += batch.num_rows

    def close(self) -> str | None:
        if self._writer is not None:
            self._writer.close()
        return self._name
