"""Resolves ambiguous variants in DataFrame operations. `grouping.ambiguity` defines the semantics."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as F  # noqa: N812, its name everywhere

from deadheat.grouping.ambiguity import FINGERPRINT_PREFIX_LENGTH
from deadheat.grouping.keys import AMBIGUITY_SEPARATOR, VARIANT_ID_LENGTH
from deadheat.grouping.links import LinkKind
from deadheat.spark.dataframes import aliases_of_kind, decode_link, encode_link

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame


def is_ambiguous() -> Column:
    return F.col("node").contains(AMBIGUITY_SEPARATOR)


def has_known_ordinal() -> Column:
    """Is the ordinal of a variant known from another variant at the same address?"""
    known_ordinal = LinkKind.KNOWN_ORDINAL.value
    return is_ambiguous() & F.exists("aliases", lambda text: decode_link(text)["kind"] == known_ordinal)


def variants_with_known_ordinal(variants: DataFrame, labels: DataFrame) -> DataFrame:
    """The variants whose ordinal is known from others and not contradicted.

    `labels` has the components (`id`, `label`) of all certain edges.
    """
    ambiguous = variants.where(has_known_ordinal()).select("node", "base")
    labelled = variants.withColumn("has_known_ordinal", has_known_ordinal()).join(
        labels.withColumnRenamed("id", "node"), "node", "left"
    )
    labelled = labelled.withColumn("label", F.coalesce("label", "node"))
    base_labels = labelled.join(ambiguous.select("base").distinct(), "base").select("base", "label").distinct()
    number = F.substring_index(F.expr(f"substring(node, {VARIANT_ID_LENGTH + 1})"), AMBIGUITY_SEPARATOR, 1)
    fingerprint_prefix = F.substring("node", 1, FINGERPRINT_PREFIX_LENGTH).alias("of")
    ordinals = (
        labelled.where("not has_known_ordinal")
        .groupBy("label", fingerprint_prefix)
        .agg(F.array_sort(F.collect_set(number)).alias("ordinals"))
    )
    conflicts = base_labels.join(ordinals, "label").groupBy("base", "of").agg(F.countDistinct("ordinals").alias("n"))
    contradicted = conflicts.where("n > 1").select("base").distinct()
    certain_id = F.substring_index("node", AMBIGUITY_SEPARATOR, 1).alias("certain_id")
    return ambiguous.join(contradicted, "base", "left_anti").select(
        "node", "base", certain_id, F.lit(False).alias("is_renumbered")
    )


def resolve_variants(variants: DataFrame, labels: DataFrame) -> DataFrame:
    """Each ambiguous variant with its base, and with the id that it has if it is not ambiguous.

    `labels` has the components (`id`, `label`) of all certain edges.
    """
    others = aliases_of_kind(variants, LinkKind.OTHER_VARIABLE).select("node", F.col("key").alias("id"))
    possible = aliases_of_kind(variants, LinkKind.POSSIBLE_BASE).withColumnRenamed("key", "base")
    ambiguous = variants.where(is_ambiguous() & ~has_known_ordinal()).select("node", F.col("base").alias("was"))
    own_labels = _label_rows(ambiguous.select("node", F.col("node").alias("id")), labels)
    other_labels = _label_rows(others, labels).join(own_labels.withColumnRenamed("label", "own"), "node")
    other_labels = other_labels.where("label != own").select("node", "label").distinct()
    holders = variants.where(~is_ambiguous()).select(F.col("node").alias("id"), "base")
    holders = _label_rows(holders, labels, "base").distinct()
    taken = possible.join(holders, "base").join(other_labels, ["node", "label"]).select("node", "ordinal")
    remaining = possible.join(taken.distinct(), ["node", "ordinal"], "left_anti")
    remaining = remaining.groupBy("node").agg(F.array_sort(F.collect_list(F.struct("ordinal", "base"))).alias("left"))
    number = possible.join(ambiguous, "node").where("base = was").select("node", F.col("ordinal").alias("number"))
    chosen = F.try_element_at("left", F.col("number") + 1)
    resolved = ambiguous.join(number, "node", "left").join(remaining, "node", "left")
    resolved = resolved.select(
        "node",
        F.coalesce(chosen["base"], F.col("was")).alias("base"),
        F.coalesce(chosen["ordinal"], F.col("number")).alias("ordinal"),
        "was",
    )
    is_renumbered = F.col("base") != F.col("was")
    ordinal = F.when(F.col("ordinal") == 0, F.lit("")).otherwise(F.lower(F.hex(F.col("ordinal"))))
    certain_id = F.when(is_renumbered, F.concat(F.substring("node", 1, VARIANT_ID_LENGTH), ordinal))
    certain_id = certain_id.otherwise(F.substring_index("node", AMBIGUITY_SEPARATOR, 1))
    return resolved.select("node", "base", certain_id.alias("certain_id"), is_renumbered.alias("is_renumbered"))


def resolved_edges(resolved: DataFrame, variants: DataFrame, groups: DataFrame) -> DataFrame:
    """The edges of resolved variants: to their base, or if callers matter to the variant with their id.

    `groups` has one certain variant of each base, and whether callers matter.
    """
    first = resolved.groupBy("base").agg(F.min("node").alias("least"))
    with_groups = resolved.join(groups, "base", "left").join(first, "base")
    is_split = F.coalesce("apart", F.lit(False))
    together = with_groups.where(~is_split).select("node", F.coalesce("a", "least").alias("b"))
    existing = variants.select(F.col("node").alias("certain_id"), F.lit(True).alias("exists"))
    target = F.when(F.col("exists"), F.col("certain_id")).otherwise(encode_link(LinkKind.SHARED_NAME, "certain_id"))
    alone = with_groups.where(is_split).join(existing, "certain_id", "left").select("node", target.alias("b"))
    return together.union(alone).select(F.col("node").alias("a"), "b")


def _label_rows(rows: DataFrame, labels: DataFrame, name: str = "node") -> DataFrame:
    found = rows.join(labels, "id", "left")
    return found.select(name, F.coalesce("label", "id").alias("label"))
