"""What the map side of one batch has seen, put aside in files that no table knows."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds

from deadheat.lake.commits import STAGING
from deadheat.lake.schema import REPORTS, SIGHTINGS
from deadheat.pipeline import frames
from deadheat.pipeline.mapping import SEEN, mapped
from deadheat.pipeline.units import spread

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import DataFrame, SparkSession

    from deadheat.lake.tables import Lake
    from deadheat.pipeline.units import Work

_IS_FAULT = pc.field("fault").is_valid()


class Staged:
    """Sightings, reports and faults, for Spark and for Arrow."""

    def __init__(self, lake: Lake, batch: str) -> None:
        self._lake, self._batch = lake, batch
        self._folder = f"{STAGING}/{batch}"

    def write(self, spark: SparkSession, works: Sequence[Work], unit: int) -> None:
        """Reads everything there is to read."""
        if works:
            seen = mapped(spread(spark, works, unit), self._batch)
            seen.write.mode("overwrite").parquet(self._lake.place.at(self._folder))

    @cached_property
    def _data(self) -> ds.Dataset:
        names = [n for n, _ in self._lake.place.below(self._folder) if n.endswith(".parquet")]
        paths = [self._lake.place.path(f"{self._folder}/{name}") for name in names]
        return ds.dataset(paths, SEEN, format="parquet", filesystem=self._lake.place.arrow)

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
        if not self._data.files:
            return frames.empty(spark, SEEN)
        return frames.files(spark, [self._lake.place.at(self._folder)], SEEN)
