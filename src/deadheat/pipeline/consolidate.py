"""The reduce side: from sightings to races with lasting ids, in DataFrame operations.

Everything that is known of a race adds up: counts are sums, sets are unions, times and the best report
are minima. So new sightings can be merged into the races that there are, and the result is the same
as if all sightings had been counted together.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
from pyspark.sql import functions as F  # noqa: N812, its name everywhere
from pyspark.sql.pandas.functions import arrow_udf

from deadheat.identity.history import history
from deadheat.lake.schema import RACES
from deadheat.pipeline.components import labels
from deadheat.pipeline.frames import empty, typed

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

# sets that a race has of each
_SETS = {"repos": "repo", "runs": "run", "tests": "test", "days": "day"}
# the best report, and what a race takes from it; compared from left to right
_BEST = ("damage", "report", "title", "detector", "kind", "sites", "cause")


def races(sightings: DataFrame, reports: DataFrame, before: DataFrame | None = None) -> DataFrame:
    """The races of these sightings, together with those that there were `before`.

    `reports` needs to have the reports of these sightings only. What is said relative to all races
    (families, state) is left to `finished`.
    """
    new = _counted(sightings, reports)
    old = empty(sightings.sparkSession, RACES) if before is None else before
    named = _named(
        new.select("race", *_kept()), old.select("race", *_kept()), _links(sightings, old)
    )
    return named.localCheckpoint()


def _kept() -> list[str]:
    return ["sightings", *_SETS, "first_seen", "last_seen", "members", "keys", *_BEST]


def _counted(sightings: DataFrame, reports: DataFrame) -> DataFrame:
    """One row per member, as if it were a race of its own."""
    few = sightings.groupBy(
        "member", "report", "repo", "run", "test", F.to_date("observed_at").alias("day")
    ).agg(
        F.count("*").alias("sightings"),
        F.min("observed_at").alias("first_seen"),
        F.max("observed_at").alias("last_seen"),
        F.min("damage").alias("damage"),
    )
    about = reports.select(
        F.col("digest").alias("report"), "title", "detector", "kind", "keys",
        F.transform("accesses", _site).alias("sites"),
        F.try_element_at("causes", F.lit(1))["cause"].alias("cause"),
    )  # fmt: skip
    texts = (
        few.groupBy("member", "report").agg(F.min("damage").alias("damage")).join(about, "report")
    )
    best = texts.groupBy("member").agg(
        F.min(F.struct(*_BEST)).alias("best"),
        F.array_sort(F.array_distinct(F.flatten(F.collect_set("keys")))).alias("keys"),
    )
    counted = few.groupBy("member").agg(
        F.sum("sightings").alias("sightings"),
        F.min("first_seen").alias("first_seen"),
        F.max("last_seen").alias("last_seen"),
        *(F.array_sort(F.collect_set(one)).alias(many) for many, one in _SETS.items()),
    )
    members = F.array(F.struct("first_seen", "member")).alias("members")
    return (
        counted.join(best, "member")
        .withColumn("members", members)
        .select(F.col("member").alias("race"), "*", "best.*")
    )


def _site(access: Column) -> Column:
    site = access["site"]
    return F.concat_ws(" ", site["function"], F.concat_ws(":", site["file"], site["line"]))


def _links(sightings: DataFrame, old: DataFrame) -> DataFrame:
    """Which races are one: by evidence in a document, or because they were one before."""
    found = sightings.where(F.size("links") > 0).select(
        F.col("member").alias("a"), F.explode("links").alias("b")
    )
    known = old.where(F.size("members") > 1).select(
        F.col("race").alias("a"), F.explode("members.member").alias("b")
    )
    return found.union(known).where("a != b").distinct()


def _named(new: DataFrame, old: DataFrame, links: DataFrame) -> DataFrame:
    """Joins what is one race, and gives it the id of its oldest member."""
    links = links.localCheckpoint()
    every = old.union(new.select(old.columns))
    if not links.isEmpty():
        known = labels(links).withColumnRenamed("id", "race")
        every = every.join(known, "race", "left")
        every = every.withColumn("label", F.coalesce("label", "race"))
    else:
        every = every.withColumn("label", F.col("race"))
    return _lasting(_merged(every), _members(every))


def _merged(every: DataFrame) -> DataFrame:
    return every.groupBy("label").agg(
        F.sum("sightings").alias("sightings"),
        F.min("first_seen").alias("first_seen"),
        F.max("last_seen").alias("last_seen"),
        F.min(F.struct(*_BEST)).alias("best"),
        *(
            F.array_sort(F.array_distinct(F.flatten(F.collect_list(many)))).alias(many)
            for many in (*_SETS, "keys")
        ),
    )


def _members(every: DataFrame) -> DataFrame:
    """The members of each race, the oldest first; of equally old ones the smallest."""
    each = every.select("label", F.explode("members").alias("one")).select("label", "one.*")
    oldest = each.groupBy("label", "member").agg(F.min("first_seen").alias("first_seen"))
    return oldest.groupBy("label").agg(
        F.array_sort(F.collect_list(F.struct("first_seen", "member"))).alias("members")
    )


def _lasting(merged: DataFrame, members: DataFrame) -> DataFrame:
    ids = F.col("members.member")
    return (
        merged.join(members, "label")
        .withColumn("race", F.element_at(ids, 1))
        .withColumn("aliases", F.array_sort(F.array_remove(ids, F.col("race"))))
        .select("*", "best.*")
        .drop("best", "label")
    )


def _history(days: pa.Array, newest: pa.Array) -> pa.Array:
    told = [
        [{"day": day, "status": status} for day, status in history(seen, last)]
        for seen, last in zip(days.to_pylist(), newest.to_pylist(), strict=True)
    ]
    return pa.array(told, RACES.field("history").type)


def finished(races: DataFrame, families: DataFrame) -> DataFrame:
    """The table of races: with the family of each, and what has become of it by now."""
    newest = races.agg(F.max(F.element_at("days", -1)).alias("newest"))
    told = arrow_udf(_history, typed(RACES)["history"].dataType)  # type: ignore[call-overload]
    related = families.select("family", F.explode("races").alias("race"))
    return (
        races.join(related, "race", "left")
        .crossJoin(F.broadcast(newest))
        .withColumn("history", told("days", "newest"))
        .withColumn("status", F.element_at(F.col("history.status"), -1))
        .select(*(F.col(f.name).cast(f.dataType) for f in typed(RACES)))
    )
