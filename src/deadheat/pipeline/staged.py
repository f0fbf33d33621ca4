"""What the map side of one batch has seen, before any table knows of it."""

from __future__ import annotations

from functools import cached_property, partial
from typing import TYPE_CHECKING, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from deadheat.lake import races
from deadheat.lake.commits import STAGING
from deadheat.lake.schema import REPORTS, SIGHTINGS
from deadheat.pipeline import aside, frames, units
from deadheat.pipeline.frames import typed
from deadheat.pipeline.mapping import PUT_ASIDE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import DataFrame, Row, SparkSession

    from deadheat.lake.tables import Lake
    from deadheat.pipeline.units import Work

# a file with fewer reports than this is not worth having
WHOLE = 128


class Put(NamedTuple):
    """Rows that a task has put aside: in a file, or here."""

    rows: int
    file: str | None
    size: int
    stats: str
    content: pa.Table | None  # of reports in a file, what is asked of all of them

    @classmethod
    def of(cls, row: Row) -> Put:
        return cls(row.rows, row.file, row.size, row.stats, aside.unpacked(row.content))


class Staged:
    """Sightings, reports and faults, for Spark and for Arrow."""

    def __init__(self, lake: Lake, batch: str) -> None:
        self._lake, self._batch = lake, batch
        self._folder = f"{STAGING}/{batch}"
        self._seen: list[Put] = []
        self.told: list[Put] = []  # the reports of each task; several may tell the same one
        # where, what, and could nothing be read at all
        self.faults: list[tuple[str, str, bool]] = []

    def write(
        self, spark: SparkSession, works: Sequence[Work], unit: int | None = None, most: int = 0
    ) -> None:
        """Reads everything there is to read; keeps up to about `most` sightings at hand."""
        self._lake.place.make(self._folder)
        portions = units.bins(works, spark.sparkContext.defaultParallelism, unit)
        each = most // len(portions)
        # a function of a module, so that it is named to the workers, and not sent
        task = partial(aside.writing, self._lake.uri, self._folder, self._batch, each, WHOLE)
        done = units.frame(spark, portions).mapInArrow(task, typed(aside.DONE)).collect()
        self._seen = [Put.of(row.seen) for row in done if row.seen.rows]
        self.told = [Put.of(row.reports) for row in done if row.reports.rows]
        self.faults = sorted({(f.uri, f.fault, f.unopened) for row in done for f in row.faults})

    @cached_property
    def unread(self) -> list[str]:
        """Files that could not be opened, or of which a range could not; nothing of them counts."""
        return sorted({uri for uri, _, unopened in self.faults if unopened})

    @cached_property
    def count(self) -> int:
        """How many sightings there are."""
        if self.unread:
            return int(self.sightings(["file"]).num_rows)
        return sum(put.rows for put in self._seen)

    def sightings(self, columns: Sequence[str] = PUT_ASIDE.names) -> pa.Table:
        seen = [self._rows(put, columns) for put in self._seen]
        wanted = pa.schema([PUT_ASIDE.field(name) for name in columns])
        everything = pa.concat_tables([wanted.empty_table(), *seen])
        if not self.unread:
            return everything
        return everything.filter(~pc.field("file").isin(pa.array(self.unread, pa.string())))

    def about(self, put: Put) -> pa.Table:
        """What is asked of all reports that a task has put aside."""
        if put.content is None:
            return self._rows(put, races.REPORT)
        return put.content

    def reports(self, put: Put) -> pa.Table:
        """The reports that a task has put aside."""
        return self._rows(put, REPORTS.names)

    def _rows(self, put: Put, columns: Sequence[str]) -> pa.Table:
        if put.file is None:
            assert put.content is not None
            return put.content.select(columns)
        place = self._lake.place
        with place.arrow.open_input_file(place.path(put.file)) as file:
            return pq.ParquetFile(file).read(list(columns)).select(columns)

    def frame(self, spark: SparkSession) -> DataFrame:
        """The sightings."""
        seen = frames.files(spark, self._paths("sightings", self._seen), PUT_ASIDE)
        if self.unread:
            seen = seen.where(~seen.file.isin(self.unread))
        return seen.select(SIGHTINGS.names)

    def told_frame(self, spark: SparkSession) -> DataFrame:
        """The distinct reports."""
        paths = self._paths("reports", self.told)
        return frames.files(spark, paths, REPORTS).dropDuplicates(["digest"])

    def _paths(self, name: str, puts: Sequence[Put]) -> list[str]:
        """All rows in files, for Spark; those at hand are written to one first."""
        place = self._lake.place
        paths = [place.at(put.file) for put in puts if put.file]
        kept = [put.content for put in puts if put.file is None]
        if kept:
            held = f"{self._folder}/{name}-at-hand.parquet"
            pq.write_table(pa.concat_tables(kept), place.path(held), filesystem=place.arrow)
            paths.append(place.at(held))
        return paths
