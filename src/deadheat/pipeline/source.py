"""The data source `spark.read.format("deadheat").load(path)`: the reports below a path."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition

from deadheat.errors import DeadheatError
from deadheat.lake import columns, masks
from deadheat.lake.schema import NUMBER, TEXT, TIME, TOLD
from deadheat.pipeline.frames import typed
from deadheat.pipeline.mapping import batched, sighted
from deadheat.pipeline.units import bins, works

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pyspark.sql import SparkSession
    from pyspark.sql.types import StructType

    Plain = dict[str, Any]

# a data source does not know the number of cores
_PORTIONS = 8
# cached rows of equal reports
_KNOWN = 1024
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
    """Register the format `deadheat` in a session."""
    spark.dataSource.register(DeadheatSource)


class DeadheatSource(DataSource):
    """The format `deadheat`. Unreadable files are skipped; `ingest` records them."""

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
        return batched(_rows(sighted(units)), COLUMNS)


def _rows(found: Iterator[Plain]) -> Iterator[Plain]:
    """The rows of this format: each report as printed, and its position."""
    known: dict[str, Plain] = {}
    for seen in found:
        report = seen["told"].told
        if (plain := known.get(report.digest)) is None:
            if len(known) == _KNOWN:
                known.clear()
            (plain,) = columns.table([report.row]).to_pylist()
            known[report.digest] = plain
        yield {**masks.unmasked(plain, seen["names"]), **{key: seen[key] for key in _PLACE}}
