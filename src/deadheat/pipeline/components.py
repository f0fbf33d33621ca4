"""Connected components: small graphs on the driver, large ones in DataFrame operations."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
from pyspark.sql import functions as F  # noqa: N812, its name everywhere

from deadheat.identity.components import Components
from deadheat.pipeline.frames import rows

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, Row, SparkSession

_LABELS = pa.schema([("id", pa.string()), ("label", pa.string())])


# up to this many edges are joined on the driver, in a second instead of a dozen Spark jobs
FEW = 200_000


def labels(edges: DataFrame, few: int = FEW) -> DataFrame:
    """Return `id` and `label` for the ids in columns `a` and `b`: the smallest id of the component."""
    edges = edges.select("a", "b").distinct()
    if few and len(some := edges.limit(few).collect()) < few:
        return _joined_here(edges.sparkSession, some)
    return _joined(edges.localCheckpoint())


def _joined_here(spark: SparkSession, edges: list[Row]) -> DataFrame:
    components = Components()
    for a, b in edges:
        components.join(a, b)
    found = [{"id": name, "label": root} for name, root in components.roots().items()]
    return rows(spark, found, _LABELS)


def _joined(edges: DataFrame) -> DataFrame:
    """Every id takes the smallest label of its neighbours, then the label of that label.

    A long chain takes a number of rounds logarithmic in its length.
    """
    turned = edges.select(F.col("b").alias("a"), F.col("a").alias("b"))
    both = edges.union(turned).distinct().localCheckpoint()
    found = both.groupBy(F.col("a").alias("id")).agg(F.min("b").alias("least"))
    found = found.select("id", F.least("id", "least").alias("label")).localCheckpoint()
    while True:
        better = _jumped(_hooked(both, found)).localCheckpoint()
        if _is_same(found, better):
            return better
        found = better


def _hooked(both: DataFrame, found: DataFrame) -> DataFrame:
    theirs = found.select(F.col("id").alias("b"), F.col("label").alias("theirs"))
    least = (
        both.join(theirs, "b").groupBy(F.col("a").alias("id")).agg(F.min("theirs").alias("least"))
    )
    return found.join(least, "id").select("id", F.least("label", "least").alias("label"))


def _jumped(found: DataFrame) -> DataFrame:
    further = found.select(F.col("id").alias("label"), F.col("label").alias("further"))
    return found.join(further, "label").select("id", F.least("label", "further").alias("label"))


def _is_same(before: DataFrame, after: DataFrame) -> bool:
    was = before.select("id", F.col("label").alias("was"))
    return after.join(was, "id").where("label != was").isEmpty()
