"""Families of races in DataFrame operations, with the result of `grouping.races.find_families`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
from pyspark.sql import functions as F  # noqa: N812, its name everywhere
from pyspark.sql.pandas.functions import arrow_udf
from pyspark.sql.types import StringType

from deadheat.identity.families import MOST, reason
from deadheat.lake.schema import FAMILIES
from deadheat.pipeline.components import labels

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def _reasons(keys: pa.Array) -> pa.Array:
    return pa.array([reason(key) for key in keys.to_pylist()], pa.string())


def families(races: DataFrame) -> DataFrame:
    """The families of races by their family keys."""
    held = races.select("race", F.explode("keys").alias("key")).distinct()
    count = held.groupBy("key").agg(F.count("*").alias("n"), F.min("race").alias("first"))
    shared = count.where(F.col("n").between(2, MOST)).localCheckpoint()
    edges = held.join(shared, "key").select(F.col("first").alias("a"), F.col("race").alias("b"))
    known = labels(edges)
    members = known.groupBy(F.col("label").alias("family")).agg(
        F.array_sort(F.collect_list("id")).alias("races")
    )
    told = arrow_udf(_reasons, StringType())  # type: ignore[call-overload]
    reasons = (
        shared.join(known, shared["first"] == known["id"])
        .withColumn("one", F.struct(-F.col("n"), "key", told("key").alias("why")))
        .select(F.col("label").alias("family"), "one")
        .groupBy("family")
        .agg(F.array_sort(F.collect_list("one")).alias("ones"))
    )
    return (
        members.join(reasons, "family")
        .select("family", "races", F.col("ones.why").alias("why"))
        .withColumn("culprit", F.element_at("why", 1))
        .select(FAMILIES.names)
    )
