"""What the map side of one batch has seen, put aside in files that no table knows."""

from __future__ import annotations

import uuid
from functools import cached_property
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
import pyarrow.parquet as pq

from deadheat.lake.commits import STAGING
from deadheat.lake.place import Place
from deadheat.lake.schema import REPORTS, SIGHTINGS
from deadheat.pipeline import frames
from deadheat.pipeline.frames import typed
from deadheat.pipeline.mapping import SEEN, reading
from deadheat.pipeline.units import spread

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from pyspark.sql import DataFrame, SparkSession

    from deadheat.lake.tables import Lake
    from deadheat.pipeline.units import Work

_FILES = pa.schema([("name", pa.string())])
_IS_FAULT = pc.field("fault").is_valid()


class Staged:
    """Sightings, reports and faults, for Spark and for Arrow."""

    def __init__(self, lake: Lake, batch: str) -> None:
        self._lake, self._batch = lake, batch
        self._folder = f"{STAGING}/{batch}"
        self._names: list[str] = []

    def write(self, spark: SparkSession, works: Sequence[Work], unit: int) -> None:
        """Reads everything there is to read."""
        self._lake.place.make(self._folder)
        writer = _writer(self._lake.uri, self._folder, self._batch)
        done = spread(spark, works, unit).mapInArrow(writer, typed(_FILES)).collect()
        self._names = [row.name for row in done]

    @cached_property
    def _data(self) -> ds.Dataset:
        place = self._lake.place
        paths = [place.path(name) for name in self._names]
        return ds.dataset(paths, SEEN, format="parquet", filesystem=place.arrow)

    @cached_property
    def faults(self) -> list[tuple[str, str, bool]]:
        """Where, what, and whether nothing of it could be read at all."""
        columns = ["uri", "fault", "unopened"]
        found = self._data.to_table(columns, filter=_IS_FAULT).to_pylist()
        return sorted({(row["uri"], row["fault"], row["unopened"]) for row in found})

    @cached_property
    def unread(self) -> list[str]:
        """Files that could not be opened, or of which a range could not; nothing of them counts."""
        return sorted({uri for uri, _, unopened in self.faults if unopened})

    @cached_property
    def count(self) -> int:
        """How many sightings there are."""
        return int(self._data.count_rows(filter=self._is_sighting))

    def sightings(self) -> pa.Table:
        return self._data.to_table(SIGHTINGS.names, filter=self._is_sighting)

    @property
    def _is_sighting(self) -> pc.Expression:
        return ~_IS_FAULT & ~pc.field("file").isin(pa.array(self.unread, pa.string()))

    def reports(self) -> pa.Table:
        """The distinct reports."""
        told = self._data.to_table(["told"], filter=pc.field("told").is_valid())["told"]
        found = pa.Table.from_batches(
            [pa.RecordBatch.from_struct_array(chunk) for chunk in told.chunks], REPORTS
        )
        first = dict.fromkeys(found["digest"].to_pylist())
        firsts = pc.index_in(pa.array([*first], pa.string()), value_set=found["digest"])
        return found.take(firsts)

    def frame(self, spark: SparkSession) -> DataFrame:
        return frames.files(spark, [self._lake.place.at(name) for name in self._names], SEEN)


def _writer(
    lake: str, folder: str, batch: str
) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """Writes what a task sees right where it is seen: to hand wide rows to Java takes longer.

    The name of a file is told only once it is whole, so that what a task has left behind that failed
    or was run twice counts for nothing.
    """

    def write(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        name = f"{folder}/{uuid.uuid4().hex}.parquet"
        place = Place(lake)
        writer = None
        for seen in reading(batches, batch):
            if writer is None:
                writer = pq.ParquetWriter(
                    place.path(name), SEEN, filesystem=place.arrow, compression="zstd"
                )
            writer.write_batch(seen)
        if writer is not None:
            writer.close()
            yield pa.RecordBatch.from_pylist([{"name": name}], _FILES)

    return write
