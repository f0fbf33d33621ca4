"""The Spark pipeline, from DataFrames to DataFrames. No other package imports pyspark.

from deadheat import spark as pipeline
rows = pipeline.read(spark, ["logs/"])
races = pipeline.races(rows)
pipeline.families(races)
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from deadheat.lake.schema import SIGHTINGS
from deadheat.spark import reduce_spark
from deadheat.spark.dataframes import spark_schema
from deadheat.spark.input_files import list_work, pack_units
from deadheat.spark.records.reports import reports
from deadheat.spark.reduce_spark import add_variants, distinct_reports, families
from deadheat.spark.session import prepare_session, start_session, task_slots
from deadheat.spark.tasks import TASK_ROW_SCHEMA, map_portions, register

__all__ = [
    "distinct_reports",
    "families",
    "lake_sink",
    "prepare_session",
    "races",
    "read",
    "register",
    "reports",
    "sightings",
    "start_session",
]

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pyspark.sql import DataFrame, SparkSession


def lake_sink(lake: str, repo: str | None = None) -> Callable[[DataFrame, int], None]:
    """A function for `foreachBatch` that writes the rows of `reports` into a lake, each batch once."""
    # executors import this module, and need no library of the lake
    from deadheat.spark.records import sink as record_sink

    return record_sink.lake_sink(lake, repo)


def read(spark: SparkSession, paths: Sequence[str], unit: int | None = None) -> DataFrame:
    """Read everything below the paths: one row per sighting, with its report in the column `told`.

    A report has placeholders for addresses and numbers; their names are in the column `names`.
    """
    portions = pack_units(list_work(paths), task_slots(spark), unit)
    numbers = spark.range(0, len(portions), 1, len(portions))
    return numbers.mapInArrow(partial(map_portions, portions), spark_schema(TASK_ROW_SCHEMA))


def sightings(read_rows: DataFrame) -> DataFrame:
    """The sightings in the rows that were read, with their variants."""
    found = read_rows.where("fault is null")
    grouped = found.where("node is not null").select(SIGHTINGS.names)
    ungrouped = found.where("node is null").select(SIGHTINGS.names)
    return grouped.union(add_variants(ungrouped, distinct_reports(read_rows)))


def races(read_rows: DataFrame) -> DataFrame:
    """The races in the rows that were read, in the schema of the table `races`."""
    variants = reduce_spark.variants_frame(sightings(read_rows), distinct_reports(read_rows)).persist()
    found = reduce_spark.races_frame(reduce_spark.name_variants(variants)).persist()
    return reduce_spark.finish_races(found, families(found))
