"""The Spark pipeline, from DataFrames to DataFrames. No other package imports pyspark.

from deadheat import spark as pipeline
rows = pipeline.read(spark, ["logs/"])
races = pipeline.races(rows)
pipeline.families(races)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from deadheat.lake.schema import SIGHTINGS
from deadheat.pipeline import consolidate
from deadheat.pipeline.families import families
from deadheat.pipeline.identify import identified, reports_of
from deadheat.pipeline.mapping import mapped
from deadheat.pipeline.session import prepare, started
from deadheat.pipeline.source import register
from deadheat.pipeline.units import spread, works

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import DataFrame, SparkSession

__all__ = [
    "families",
    "mapped",
    "prepare",
    "races",
    "read",
    "register",
    "reports",
    "sightings",
    "spread",
    "started",
    "works",
]


def read(spark: SparkSession, paths: Sequence[str], unit: int | None = None) -> DataFrame:
    """Read everything below the paths: one row per sighting, with its report in the column `told`.

    A report has placeholders for addresses and numbers; their names are in the column `names`.
    """
    return mapped(spread(spark, works(paths), unit))


def sightings(seen: DataFrame) -> DataFrame:
    """The sightings in the rows that were read, with their variants."""
    found = seen.where("fault is null")
    whole = found.where("node is not null").select(SIGHTINGS.names)
    parts = found.where("node is null").select(SIGHTINGS.names)
    return whole.union(identified(parts, reports_of(seen)))


def reports(seen: DataFrame) -> DataFrame:
    """The distinct reports in the rows that were read."""
    return reports_of(seen)


def races(seen: DataFrame) -> DataFrame:
    """The races in the rows that were read, in the schema of the table `races`."""
    nodes = consolidate.nodes(sightings(seen), reports(seen)).localCheckpoint()
    found = consolidate.races(nodes).localCheckpoint()
    return consolidate.finished(found, families(found))
