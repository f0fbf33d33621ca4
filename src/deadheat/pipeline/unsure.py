"""Resolves ambiguous variants in DataFrame operations. `grouping.ambiguity` defines the semantics."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as F  # noqa: N812, its name everywhere

from deadheat.identity.evidence import ID, UNSURE
from deadheat.identity.names import BESIDE, BORROWED, MAYBE, NAMED
from deadheat.identity.placing import PRINT

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame


def is_unsure() -> Column:
    return F.col("node").contains(UNSURE)


def is_lent() -> Column:
    """Is the ordinal of a variant known from another variant at the same address?"""
    return is_unsure() & F.exists("aliases", lambda key: key.startswith(BORROWED))


def lent(nodes: DataFrame, known: DataFrame) -> DataFrame:
    """The variants whose ordinal is known from others and not contradicted.

    `labels` has the components (`id`, `label`) of all certain edges.
    """
    mine = nodes.where(is_lent()).select("node", "base")
    labelled = nodes.withColumn("is_lent", is_lent()).join(
        known.withColumnRenamed("id", "node"), "node", "left"
    )
    labelled = labelled.withColumn("label", F.coalesce("label", "node"))
    held = labelled.join(mine.select("base").distinct(), "base").select("base", "label").distinct()
    number = F.substring_index(F.expr(f"substring(node, {ID + 1})"), UNSURE, 1)
    print_ = F.substring("node", 1, PRINT).alias("of")
    twins = (
        labelled.where("not is_lent")
        .groupBy("label", print_)
        .agg(F.array_sort(F.collect_set(number)).alias("twins"))
    )
    several = (
        held.join(twins, "label").groupBy("base", "of").agg(F.countDistinct("twins").alias("n"))
    )
    bad = several.where("n > 1").select("base").distinct()
    plain = F.substring_index("node", UNSURE, 1).alias("plain")
    return mine.join(bad, "base", "left_anti").select(
        "node", "base", plain, F.lit(False).alias("moved")
    )


def placed(nodes: DataFrame, known: DataFrame) -> DataFrame:
    """Each ambiguous variant with its base, and with the id that it has if it is not ambiguous.

    `labels` has the components (`id`, `label`) of all certain edges.
    """
    called = nodes.select("node", F.explode("aliases").alias("key"))
    begins = F.substring("key", 1, 1)
    others = called.where(begins == BESIDE).select("node", F.expr("substring(key, 2)").alias("id"))
    maybe = called.where(begins == MAYBE).select(
        "node",
        F.conv(F.substring("key", 2, 1), 16, 10).cast("int").alias("twin"),
        F.expr("substring(key, 3)").alias("base"),
    )
    mine = nodes.where(is_unsure() & ~is_lent()).select("node", F.col("base").alias("was"))
    own = _labelled(mine.select("node", F.col("node").alias("id")), known)
    beside = _labelled(others, known).join(own.withColumnRenamed("label", "own"), "node")
    beside = beside.where("label != own").select("node", "label").distinct()
    holders = nodes.where(~is_unsure()).select(F.col("node").alias("id"), "base")
    holders = _labelled(holders, known, "base").distinct()
    taken = maybe.join(holders, "base").join(beside, ["node", "label"]).select("node", "twin")
    left = maybe.join(taken.distinct(), ["node", "twin"], "left_anti")
    left = left.groupBy("node").agg(
        F.array_sort(F.collect_list(F.struct("twin", "base"))).alias("left")
    )
    number = (
        maybe.join(mine, "node").where("base = was").select("node", F.col("twin").alias("number"))
    )
    chosen = F.try_element_at("left", F.col("number") + 1)
    told = mine.join(number, "node", "left").join(left, "node", "left")
    told = told.select(
        "node",
        F.coalesce(chosen["base"], F.col("was")).alias("base"),
        F.coalesce(chosen["twin"], F.col("number")).alias("twin"),
        "was",
    )
    is_moved = F.col("base") != F.col("was")
    twin = F.when(F.col("twin") == 0, F.lit("")).otherwise(F.lower(F.hex(F.col("twin"))))
    plain = F.when(is_moved, F.concat(F.substring("node", 1, ID), twin))
    plain = plain.otherwise(F.substring_index("node", UNSURE, 1))
    return told.select("node", "base", plain.alias("plain"), is_moved.alias("moved"))


def edges(placed: DataFrame, nodes: DataFrame, groups: DataFrame) -> DataFrame:
    """The edges of resolved variants: to their base, or if callers matter to the variant with their id.

    `groups` has one certain variant of each base, and whether callers matter.
    """
    first = placed.groupBy("base").agg(F.min("node").alias("least"))
    held = placed.join(groups, "base", "left").join(first, "base")
    apart = F.coalesce("apart", F.lit(False))
    together = held.where(~apart).select("node", F.coalesce("a", "least").alias("b"))
    there = nodes.select(F.col("node").alias("plain"), F.lit(True).alias("there"))
    like = F.when(F.col("there"), F.col("plain")).otherwise(F.concat(F.lit(NAMED), "plain"))
    alone = held.where(apart).join(there, "plain", "left").select("node", like.alias("b"))
    return together.union(alone).select(F.col("node").alias("a"), "b")


def _labelled(rows: DataFrame, known: DataFrame, name: str = "node") -> DataFrame:
    """Replace the id in each row by its component."""
    found = rows.join(known, "id", "left")
    return found.select(name, F.coalesce("label", "id").alias("label"))
