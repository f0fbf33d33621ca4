"""Helpers for DataFrames: schemas, tables of the lake, connected components."""

from __future__ import annotations

import uuid
from functools import partial
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import functions as F  # noqa: N812, its name everywhere
from pyspark.sql.pandas.types import from_arrow_schema

from deadheat.grouping.links import ConnectedComponents
from deadheat.lake import data_files
from deadheat.lake.data_files import AddedFile, is_in
from deadheat.lake.schema import TABLES
from deadheat.lake.storage import LakeStorage
from deadheat.spark.session import task_slots

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import StructType

    from deadheat.lake.tables import Lake

# nested rows are wide, so small batches
_BATCH_ROWS = 4096
_TASKS_PER_SLOT = 4


def spark_schema(schema: pa.Schema) -> StructType:
    return from_arrow_schema(schema, prefer_timestamp_ntz=False)


_PATH_SCHEMA = pa.schema([("path", pa.string())])
_ADDED_SCHEMA = pa.schema([("path", pa.string()), ("size", pa.int64()), ("stats", pa.string()), ("day", pa.string())])


def lake_table(
    spark: SparkSession,
    lake: Lake,
    name: str,
    columns: Sequence[str] | None = None,
    where: tuple[str, Collection[str]] | None = None,
) -> DataFrame:
    """A table of the lake, or the rows in which a column has one of some values.

    Executors read the data files with Arrow, so that Spark needs no connector for the object store.
    """
    files = lake.data_files(name)
    if where:
        low, high = min(where[1], default=""), max(where[1], default="")
        files = [file for file in files if file.may_contain(where[0], low, high)]
    wanted = tuple(columns or TABLES[name].names)
    schema = pa.schema([TABLES[name].field(column) for column in wanted])
    task = partial(_read_table_files, lake.uri, name, wanted, where and (where[0], sorted(where[1])))
    paths = [file.path for file in sorted(files, key=lambda file: -file.size)]
    return frame_of_paths(spark, paths).mapInArrow(task, spark_schema(schema))


def _read_table_files(
    uri: str, table: str, columns: Sequence[str], where: tuple[str, list[str]] | None, batches: Iterable[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    storage = LakeStorage(uri)
    read_columns = dict.fromkeys((*columns, *((where[0],) if where else ())))
    for path in (path for batch in batches for path in batch.column(0).to_pylist()):
        content = data_files.read_file(storage, table, path, [*read_columns])
        if where:
            content = content.filter(is_in(*where)).select(columns)
        yield from content.to_batches(max_chunksize=_BATCH_ROWS)


def read_parquet(spark: SparkSession, lake: str, names: Sequence[str], schema: pa.Schema) -> DataFrame:
    """Files in the folder of a lake that are not data files of a table."""
    return frame_of_paths(spark, names).mapInArrow(partial(_read_files, lake, schema), spark_schema(schema))


def _read_files(uri: str, schema: pa.Schema, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    storage = LakeStorage(uri)
    for path in (path for batch in batches for path in batch.column(0).to_pylist()):
        with storage.arrow_filesystem.open_input_file(storage.path_of(path)) as file:
            for batch in pq.ParquetFile(file).iter_batches(_BATCH_ROWS):
                yield from pa.Table.from_batches([batch]).select(schema.names).cast(schema).to_batches()


def frame_of_paths(spark: SparkSession, paths: Sequence[str]) -> DataFrame:
    """Paths, evenly spread over tasks. Large files come first."""
    if not paths:
        return empty_frame(spark, _PATH_SCHEMA)
    count = min(len(paths), _TASKS_PER_SLOT * task_slots(spark))
    return spark.range(0, len(paths), 1, count).mapInArrow(
        partial(_chosen_paths, tuple(paths)), spark_schema(_PATH_SCHEMA)
    )


def _chosen_paths(paths: Sequence[str], batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        chosen = [paths[number] for number in batch.column(0).to_pylist()]
        yield pa.RecordBatch.from_pylist([{"path": path} for path in chosen], _PATH_SCHEMA)


def write_frame(frame: DataFrame, lake: str, table: str, name: str) -> list[AddedFile]:
    """Write a DataFrame as data files of a table. Executors write them with Arrow.

    Only files of tasks that succeed are returned; others are never part of the table.
    """
    rows = frame.select(TABLES[table].names)
    added = rows.mapInArrow(partial(_write_files, lake, table, name), spark_schema(_ADDED_SCHEMA)).toArrow()
    return [AddedFile(*row.values()) for row in added.to_pylist()]


def _write_files(uri: str, table: str, name: str, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    storage = LakeStorage(uri)
    pending: list[pa.RecordBatch] = []

    def write_pending() -> Iterator[pa.RecordBatch]:
        content = pa.Table.from_batches(pending).cast(TABLES[table])
        pending.clear()
        added = data_files.write_rows(storage, table, f"{name}-{uuid.uuid4().hex}", content)
        yield pa.RecordBatch.from_pylist([file._asdict() for file in added], _ADDED_SCHEMA)

    for batch in batches:
        pending.append(batch)
        if sum(one.num_rows for one in pending) >= data_files.MAX_FILE_ROWS:
            yield from write_pending()
    if sum(one.num_rows for one in pending):
        yield from write_pending()


def empty_frame(spark: SparkSession, schema: pa.Schema) -> DataFrame:
    return spark.createDataFrame([], spark_schema(schema))


def frame_of_table(spark: SparkSession, content: pa.Table, schema: pa.Schema) -> DataFrame:
    """A DataFrame of a few rows from the driver."""
    return (
        spark.createDataFrame(content.cast(schema), spark_schema(schema))
        if content.num_rows
        else empty_frame(spark, schema)
    )


_LABEL_SCHEMA = pa.schema([("id", pa.string()), ("label", pa.string())])


# up to this many rows are reduced on the driver, in a second or two instead of dozens of Spark jobs
MAX_LOCAL_ROWS = 100_000


def component_labels(edges: DataFrame) -> DataFrame:
    """Return `id` and `label` for the ids in columns `a` and `b`: the smallest id of the component.

    Each task reduces its edges to one edge per id. One task joins what is left, with some 200 bytes per id.
    """
    reduced = edges.select(F.col("a").alias("id"), F.col("b").alias("label"))
    for _ in range(2):
        reduced = reduced.mapInArrow(_label_ids, spark_schema(_LABEL_SCHEMA)).repartition(1)
    return reduced


def _label_ids(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The ids of some edges with the smallest id that these edges connect them with."""
    components = ConnectedComponents()
    for batch in batches:
        for a, b in zip(batch.column(0).to_pylist(), batch.column(1).to_pylist(), strict=True):
            components.join(a, b)
    roots = components.roots()
    labels = pa.table([pa.array(roots.keys(), pa.string()), pa.array(roots.values(), pa.string())], _LABEL_SCHEMA)
    yield from labels.to_batches(max_chunksize=_BATCH_ROWS)
