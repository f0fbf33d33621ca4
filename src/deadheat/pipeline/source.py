"""`spark.read.format("deadheat").load(path)`: every report below a path, as nested columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition

from deadheat.errors import DeadheatError
from deadheat.lake import masks, told
from deadheat.lake.schema import NUMBER, TEXT, TIME, TOLD
from deadheat.pipeline.frames import typed
from deadheat.pipeline.mapping import batched, sighted
from deadheat.pipeline.units import bins, works

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pyspark.sql import SparkSession
    from pyspark.sql.types import StructType

# nobody tells a format how many cores there are
_PORTIONS = 8
_PLACE = ("uri", "offset", "length", "lane", "observed_at", "node")
COLUMNS = pa.schema(
    [
        ("uri", TEXT),
        ("offset", NUMBER),
        ("length", NUMBER),
        ("lane", TEXT),
        ("observed_at", TIME),
        ("node", TEXT),
        *TOLD,
    ]
)


def register(spark: SparkSession) -> None:
    """Makes the format `deadheat` known to a session."""
    spark.dataSource.register(DeadheatSource)


class DeadheatSource(DataSource):
    """The format `deadheat`. What cannot be read is left out; `ingest` keeps account of that."""

    @classmethod
    def name(cls) -> str:
        return "deadheat"

    def schema(self) -> StructType:
        return typed(COLUMNS)

    def reader(self, schema: StructType) -> DataSourceReader:
        path = self.options.get("path")
        if not path:
            raise DeadheatError("no path", do='spark.read.format("deadheat").load(path)')
        return _Reader(path)


class _Reader(DataSourceReader):
    def __init__(self, path: str) -> None:
        self._path = path

    def partitions(self) -> Sequence[InputPartition]:
        return [InputPartition(portion) for portion in bins(works([self._path]), _PORTIONS)]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        units = (unit._asdict() for unit in partition.value)
        return batched(map(_row, sighted(units)), COLUMNS)


def _row(seen: dict[str, Any]) -> dict[str, Any]:
    """A row of this format: the report as it was printed, and where."""
    printed = masks.unmasked(told.plain(seen["told"].told.line), seen["names"])
    return {**printed, **{key: seen[key] for key in _PLACE}}
