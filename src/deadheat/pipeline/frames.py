"""Converts between the tables of a lake and Spark DataFrames."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyspark.sql.pandas.types import from_arrow_schema

from deadheat.lake.schema import TABLES

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import StructType

    from deadheat.lake.tables import Lake


def typed(schema: pa.Schema) -> StructType:
    """An Arrow schema as a Spark schema."""
    return from_arrow_schema(schema, prefer_timestamp_ntz=False)


def table(spark: SparkSession, lake: Lake, name: str, without: Iterable[str] = ()) -> DataFrame:
    """A table of the lake, optionally without some of its data files."""
    gone = {*without}
    paths = [path for path in lake.paths(name) if path not in gone]
    return files(spark, [lake.place.at(f"{name}/{path}") for path in paths], TABLES[name])


def files(spark: SparkSession, paths: Sequence[str], schema: pa.Schema) -> DataFrame:
    """Data files with this schema; there may be none."""
    if not paths:
        return empty(spark, schema)
    return spark.read.schema(typed(schema)).parquet(*paths)


def empty(spark: SparkSession, schema: pa.Schema) -> DataFrame:
    return spark.createDataFrame([], typed(schema))


def rows(spark: SparkSession, content: list[dict[str, Any]], schema: pa.Schema) -> DataFrame:
    """A DataFrame of a few rows from the driver."""
    import pyarrow as pa

    if not content:
        return empty(spark, schema)
    return spark.createDataFrame(pa.Table.from_pylist(content, schema))
