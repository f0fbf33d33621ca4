"""The output of all map tasks of one batch, before it is committed."""

from __future__ import annotations

from functools import cached_property, partial
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from deadheat.identity.races import alias
from deadheat.lake import rows, told
from deadheat.lake.commits import STAGING
from deadheat.lake.schema import REPORTS, SIGHTINGS
from deadheat.pipeline import aside, frames, units
from deadheat.pipeline.aside import Known
from deadheat.pipeline.mapping import PUT_ASIDE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import DataFrame, SparkSession

    from deadheat.lake.tables import Lake
    from deadheat.pipeline.aside import Done, Fault, Put
    from deadheat.pipeline.units import Work

# smaller files of reports are not kept
WHOLE = 128


class Staged:
    """Sightings, reports and faults, as DataFrames and as Arrow tables."""

    def __init__(self, lake: Lake, batch: str) -> None:
        self._lake, self._batch = lake, batch
        self._folder = f"{STAGING}/{batch}"
        self._seen: list[Put] = []
        self.told: list[Done] = []  # tasks with reports; several may have the same one
        self.faults: list[Fault] = []

    def write(
        self, spark: SparkSession, works: Sequence[Work], unit: int | None = None, most: int = 0
    ) -> None:
        """Read all files. Up to about `max_rows` sightings are kept in memory."""
        self._lake.place.make(self._folder)
        portions = units.bins(works, spark.sparkContext.defaultParallelism, unit)
        each = most // len(portions)
        # a module function, so that it is pickled by name
        task = partial(aside.writing, self._lake.uri, self._folder, self._batch, each, WHOLE)
        # an RDD, because the JVM does not decode the results
        todo = spark.sparkContext.parallelize(portions, len(portions))
        done: list[Done] = todo.mapPartitions(task).collect()
        self._seen = [one.seen for one in done if one.seen.rows]
        self.told = [one for one in done if one.reports.rows]
        self.faults = sorted({fault for one in done for fault in one.faults})

    @cached_property
    def unread(self) -> list[str]:
        """Files that could not be opened completely; all their rows are ignored."""
        return sorted({uri for uri, _, unopened in self.faults if unopened})

    @cached_property
    def count(self) -> int:
        """The number of sightings."""
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

    def known(self, done: Done) -> list[Known]:
        """The facts of the reports of a task."""
        if done.known is not None:
            return [*map(Known.of, done.known)]
        found = self.reports(done).to_pylist()
        marks = map(rows.mark_of, found)
        return [
            Known(row["digest"], told.about(row), mark, alias(mark))
            for row, mark in zip(found, marks, strict=True)
        ]

    def reports(self, done: Done) -> pa.Table:
        """The reports of a task."""
        return self._rows(done.reports, REPORTS.names)

    def _rows(self, put: Put, columns: Sequence[str]) -> pa.Table:
        if put.content is not None:
            return aside.unpacked(put.content).select(columns)
        place = self._lake.place
        with place.arrow.open_input_file(place.path(str(put.file))) as file:
            return pq.ParquetFile(file).read(list(columns)).select(columns)

    def frame(self, spark: SparkSession) -> DataFrame:
        """The sightings."""
        seen = frames.files(spark, self._paths("sightings", self._seen), PUT_ASIDE)
        if self.unread:
            seen = seen.where(~seen.file.isin(self.unread))
        return seen.select(SIGHTINGS.names)

    def told_frame(self, spark: SparkSession) -> DataFrame:
        """The distinct reports."""
        paths = self._paths("reports", [one.reports for one in self.told])
        return frames.files(spark, paths, REPORTS).dropDuplicates(["digest"])

    def _paths(self, name: str, puts: Sequence[Put]) -> list[str]:
        """The rows as files for Spark. Rows in memory are written to a file first."""
        place = self._lake.place
        paths = [place.at(put.file) for put in puts if put.file]
        kept = [aside.unpacked(put.content) for put in puts if put.content is not None]
        if kept:
            held = f"{self._folder}/{name}-at-hand.parquet"
            pq.write_table(pa.concat_tables(kept), place.path(held), filesystem=place.arrow)
            paths.append(place.at(held))
        return paths
