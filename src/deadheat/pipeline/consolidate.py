"""Derives variants and races in DataFrame operations. `lake.race_rows` defines the semantics."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
from pyspark.sql import functions as F  # noqa: N812, its name everywhere
from pyspark.sql.pandas.functions import arrow_udf

from deadheat.diagnose import of_race
from deadheat.identity.history import history
from deadheat.identity.names import ANSWERS, ASKS
from deadheat.identity.races import ROUNDS
from deadheat.lake import races as deriving
from deadheat.lake.schema import NODES, RACES
from deadheat.pipeline import unsure
from deadheat.pipeline.components import labels
from deadheat.pipeline.frames import rows, typed

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

# set columns of a variant, and their source columns
_SETS = {"repos": "repo", "runs": "run", "tests": "test", "days": "day"}
# up to this many variants are named on the driver, in a second instead of two dozen Spark jobs
FEW = 100_000
_ASKED = ("node", "base", "links", "aliases", "split", "first_seen")
_NAMES = pa.schema([("node", pa.string()), ("race", pa.string())])
# the best report, and the columns that a race takes from it; compared from left to right
_BEST = ("report", "title", "detector", "kind", "sites")


# -- variants --------------------------------------------------------------------------------------


def nodes(sightings: DataFrame, reports: DataFrame, before: DataFrame | None = None) -> DataFrame:
    """The rows of the variants of these sightings, merged with the rows in `before`.

    `reports` needs to contain the reports of these sightings only. Checkpoint the result, because
    it is used several times.
    """
    new = _counted(sightings, reports)
    return new if before is None else _merged(before.union(new), "node").select(_columns())


def _columns() -> list[Column]:
    return [F.col(f.name).cast(f.dataType) for f in typed(NODES)]


def _counted(sightings: DataFrame, reports: DataFrame) -> DataFrame:
    one = sightings.withColumn("sightings", F.lit(1).cast("long")).withColumns(
        {"first_seen": F.col("observed_at"), "last_seen": F.col("observed_at")}
    )
    # sets are aggregated before the shuffle
    counted = (
        one.withColumn("day", F.to_date("observed_at"))
        .groupBy("node")
        .agg(
            *_sums(),
            *(F.array_sort(F.collect_set(each)).alias(many) for many, each in _SETS.items()),
            *(_union(F.when(F.size(name) > 0, F.col(name)), name) for name in ("links", "aliases")),
        )
    )
    return counted.join(_best(sightings, reports), "node").select(_columns())


def _sums() -> list[Column]:
    return [
        F.sum("sightings").alias("sightings"),
        F.min("first_seen").alias("first_seen"),
        F.max("last_seen").alias("last_seen"),
        F.min("base").alias("base"),
        F.max("split").alias("split"),
    ]


def _best(sightings: DataFrame, reports: DataFrame) -> DataFrame:
    """The columns that each variant takes from its reports."""
    about = reports.select(
        F.col("digest").alias("report"), "title", "detector", "kind", "sites", "keys",
        F.try_element_at("causes", F.lit(1)).alias("first"),
    )  # fmt: skip
    texts = sightings.groupBy("node", "report").agg(
        F.min("damage").alias("damage"), F.count("*").alias("seen")
    )
    found = (
        texts.join(about, "report")
        .groupBy("node")
        .agg(
            _best_of(),
            _union(F.col("keys"), "keys"),
            F.collect_list(F.when(F.col("first").isNotNull(), _said())).alias("causes"),
        )
    )
    return found.select("node", "best.*", "keys", _added("causes"))


def _best_of() -> Column:
    """The least damaged report, two-sided ones first, as in `lake.race_rows`."""
    one_sided = (F.size("sites") < 2).alias("one_sided")
    return F.min(F.struct("damage", one_sided, *_BEST)).dropFields("one_sided").alias("best")


def _said() -> Column:
    """The vote of a report for its first cause, as in `ranking.votes_of_report`."""
    sure = F.round(F.col("first.confidence") * 100).cast("long")
    return F.struct(
        F.col("first.cause").alias("cause"),
        F.col("seen").alias("sightings"),
        (sure * F.col("seen")).alias("weight"),
    )


def _added(name: str) -> Column:
    """The sum of votes, as in `ranking.add_votes`."""
    every = F.col(name)
    causes = F.array_sort(F.array_distinct(F.transform(every, lambda one: one["cause"])))

    def total(cause: Column, what: str) -> Column:
        mine = F.filter(every, lambda one: one["cause"] == cause)
        return F.aggregate(mine, F.lit(0).cast("long"), lambda sum, one: sum + one[what])

    def one(cause: Column) -> Column:
        sums = (total(cause, what).alias(what) for what in ("sightings", "weight"))
        return F.struct(cause.alias("cause"), *sums)

    # most variants have one report
    return F.when(F.size(every) < 2, every).otherwise(F.transform(causes, one)).alias(name)


def _union(lists: Column, name: str) -> Column:
    return F.array_sort(F.array_distinct(F.flatten(F.collect_set(lists)))).alias(name)


def _merged(several: DataFrame, by: str) -> DataFrame:
    """Add up the rows with the same key."""
    unions = (*_SETS, "keys", "links", "aliases")
    merged = several.groupBy(by).agg(
        *_sums(),
        _best_of(),
        *(_union(F.col(name), name) for name in unions),
        F.flatten(F.collect_list("causes")).alias("causes"),
    )
    return merged.select("*", "best.*").drop("best").withColumn("causes", _added("causes"))


# -- races -----------------------------------------------------------------------------------------


def races(nodes: DataFrame) -> DataFrame:
    """The races of these variants, named after their oldest variant.

    Families and status are added by `finish_races`.
    """
    named = _named(nodes).localCheckpoint()
    whose = named.groupBy("race").agg(
        F.array_sort(F.collect_set("node")).alias("nodes"),
        F.collect_set("base").alias("bases"),
    )
    taken = named.select(F.col("race").alias("name")).distinct()
    others = (
        whose.select("race", F.explode(F.array_union("nodes", "bases")).alias("name"))
        .join(taken, "name", "left_anti")
        .groupBy("race")
        .agg(F.array_sort(F.collect_set("name")).alias("others"))
    )
    merged = _merged(named, "race").drop("links", "aliases", "base", "split")
    aliases = F.coalesce("others", F.array().cast("array<string>")).alias("aliases")
    return (
        merged.join(whose, "race")
        .join(others, "race", "left")
        .select(merged["*"], "nodes", aliases)
    )


def _named(nodes: DataFrame, few: int = FEW) -> DataFrame:
    """Every variant with its race, as in `grouping.races.race_ids`."""
    if few:
        some = nodes.select(*_ASKED).limit(few).toArrow()
        if some.num_rows < few:
            found = [{"node": n, "race": r} for n, r in deriving.named(some.to_pylist()).items()]
            return nodes.join(rows(nodes.sparkSession, found, _NAMES), "node")
    known = _labelled(nodes).withColumnRenamed("id", "node")
    labelled = nodes.join(known, "node", "left")
    labelled = labelled.withColumn("label", F.coalesce("label", "node"))
    age = F.struct("first_seen", "node", "base")
    eldest = labelled.groupBy("label").agg(F.min(age).alias("eldest"))
    claims = nodes.groupBy("base").agg(F.min(age).alias("claim"))
    is_first = F.col("claim.node") == F.col("node")
    names = (
        eldest.select("label", "eldest.node", "eldest.base")
        .join(claims, "base")
        .select("label", F.when(is_first, F.col("base")).otherwise(F.col("node")).alias("race"))
    )
    return labelled.join(names, "label").drop("label")


def _labelled(nodes: DataFrame) -> DataFrame:
    """Which variants are one race: by links, by aliases, or because callers do not matter."""
    called = nodes.select(F.col("node").alias("a"), F.explode("aliases").alias("b"))
    there = nodes.select(F.col("node").alias("b"))
    groups = _groups(nodes)
    edges = _certain(nodes, groups)
    alike = called.join(there, "b").select("a", "b")
    heard = _heard(called)
    if not nodes.where(unsure.is_unsure()).isEmpty():
        edges = edges.union(_answered(heard, labels(edges))).localCheckpoint()
        lent = unsure.lent(nodes, labels(edges)).localCheckpoint()
        known = labels(edges.union(unsure.edges(lent, nodes, groups)))
        placed = unsure.placed(nodes, known).localCheckpoint()
        moved = placed.where("moved").select(F.col("node").alias("a"))
        edges = edges.union(unsure.edges(lent.union(placed), nodes, groups))
        alike = alike.join(moved, "a", "left_anti")
    edges = edges.union(alike).where("a != b")
    if heard.isEmpty():
        return labels(edges)
    heard = heard.localCheckpoint()
    for _ in range(ROUNDS):
        edges = edges.union(_answered(heard, labels(edges))).where("a != b").localCheckpoint()
    return labels(edges)


def _groups(nodes: DataFrame) -> DataFrame:
    """The bases, each with one certain variant, and whether callers matter."""
    certain = F.when(~unsure.is_unsure(), F.col("node"))
    return nodes.groupBy("base").agg(F.min(certain).alias("a"), F.max("split").alias("apart"))


def _certain(nodes: DataFrame, groups: DataFrame) -> DataFrame:
    linked = nodes.select(F.col("node").alias("a"), F.explode("links").alias("b"))
    certain = nodes.where(~unsure.is_unsure()).select("base", F.col("node").alias("b"))
    together = groups.where("not apart").join(certain, "base").where("a != b")
    return linked.union(together.select("a", "b"))


def _heard(called: DataFrame) -> DataFrame:
    """Pairs of a variant that requires a key (`a`) and one that provides it (`id`)."""
    key = F.substring("b", 2, 1 << 10).alias("key")
    asks = called.where(F.col("b").startswith(ASKS)).select("a", key)
    answers = called.where(F.col("b").startswith(ANSWERS)).select(F.col("a").alias("id"), key)
    return asks.join(answers, "key").select("a", "id").distinct()


def _answered(heard: DataFrame, known: DataFrame) -> DataFrame:
    """Pairs of a requiring variant and one variant of the only race that provides the key."""
    race = F.coalesce("label", "id")
    told = (
        heard.join(known, "id", "left")
        .groupBy("a")
        .agg(F.countDistinct(race).alias("races"), F.min("id").alias("b"))
    )
    return told.where("races = 1").select("a", "b")


def _history(days: pa.Array, newest: pa.Array) -> pa.Array:
    told = [
        [{"day": day, "status": status} for day, status in history(seen, last)]
        for seen, last in zip(days.to_pylist(), newest.to_pylist(), strict=True)
    ]
    return pa.array(told, RACES.field("history").type)


def _chosen(causes: pa.Array) -> pa.Array:
    return pa.array([of_race.chosen(said) for said in causes.to_pylist()], pa.string())


def finished(races: DataFrame, families: DataFrame) -> DataFrame:
    """The table of races, with family, status and cause."""
    newest = races.agg(F.max(F.element_at("days", -1)).alias("newest"))
    told = arrow_udf(_history, typed(RACES)["history"].dataType)  # type: ignore[call-overload]
    chosen = arrow_udf(_chosen, typed(RACES)["cause"].dataType)  # type: ignore[call-overload]
    related = families.select("family", F.explode("races").alias("race"))
    return (
        races.join(related, "race", "left")
        .crossJoin(F.broadcast(newest))
        .withColumns({"history": told("days", "newest"), "cause": chosen("causes")})
        .withColumn("status", F.element_at(F.col("history.status"), -1))
        .select(*(F.col(f.name).cast(f.dataType) for f in typed(RACES)))
    )
