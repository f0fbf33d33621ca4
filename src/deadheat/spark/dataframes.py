"""Helpers for DataFrames: schemas, links, connected components, and ambiguous variants."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import functions as F  # noqa: N812, its name everywhere
from pyspark.sql.pandas.types import from_arrow_schema

from deadheat.grouping.ambiguity import FINGERPRINT_PREFIX_LENGTH
from deadheat.grouping.keys import AMBIGUITY_SEPARATOR, VARIANT_ID_LENGTH
from deadheat.grouping.links import ConnectedComponents, LinkKind
from deadheat.lake.schema import TABLES

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pyspark.sql import Column, DataFrame, Row, SparkSession
    from pyspark.sql.types import StructType

    from deadheat.lake.tables import Lake


def spark_schema(schema: pa.Schema) -> StructType:
    return from_arrow_schema(schema, prefer_timestamp_ntz=False)


def lake_table(spark: SparkSession, lake: Lake, name: str, without: Iterable[str] = ()) -> DataFrame:
    """A table of the lake, optionally without some of its data files."""
    gone = {*without}
    paths = [path for path in lake.data_files(name) if path not in gone]
    return read_data_files(spark, [lake.storage.uri_of(f"{name}/{path}") for path in paths], TABLES[name])


def read_data_files(spark: SparkSession, paths: Sequence[str], schema: pa.Schema) -> DataFrame:
    """Data files with this schema; there may be none."""
    if not paths:
        return empty_frame(spark, schema)
    return spark.read.schema(spark_schema(schema)).parquet(*paths)


def empty_frame(spark: SparkSession, schema: pa.Schema) -> DataFrame:
    return spark.createDataFrame([], spark_schema(schema))


def frame_of_rows(spark: SparkSession, content: list[dict[str, Any]], schema: pa.Schema) -> DataFrame:
    """A DataFrame of a few rows from the driver."""
    if not content:
        return empty_frame(spark, schema)
    return spark.createDataFrame(pa.Table.from_pylist(content, schema))


def is_in(column: str, values: Sequence[str]) -> pc.Expression:
    return pc.field(column).isin(pa.array(values, pa.string()))


_MAX_LENGTH = 1 << 10


def decode_link(text: Column) -> Column:
    """A stored link as a struct of `kind`, `key` and `ordinal`, as `Link.decode`."""
    prefix = F.substring(text, 1, 1)
    kind = F.when(prefix.isin(*map(str, LinkKind)), prefix).otherwise(LinkKind.VARIANT.value)
    is_base = kind == LinkKind.POSSIBLE_BASE.value
    key = F.when(kind == LinkKind.VARIANT.value, text).otherwise(F.substring(text, 2, _MAX_LENGTH))
    key = F.when(is_base, F.substring(text, 3, _MAX_LENGTH)).otherwise(key)
    ordinal = F.when(is_base, F.conv(F.substring(text, 2, 1), 16, 10).cast("int"))
    return F.struct(kind.alias("kind"), key.alias("key"), ordinal.alias("ordinal"))


def encode_link(kind: LinkKind, key: str) -> Column:
    return F.concat(F.lit(kind.value), key)


def aliases_of_kind(variants: DataFrame, kind: LinkKind) -> DataFrame:
    """The aliases of one kind: `node`, `key` and `ordinal`."""
    aliases = variants.select("node", F.explode("aliases").alias("text"))
    links = aliases.select("node", decode_link(F.col("text")).alias("link")).select("node", "link.*")
    return links.where(F.col("kind") == kind.value).drop("kind")


_LABEL_SCHEMA = pa.schema([("id", pa.string()), ("label", pa.string())])


# up to this many rows are reduced on the driver, in a second or two instead of dozens of Spark jobs
MAX_LOCAL_ROWS = 100_000


def component_labels(edges: DataFrame, max_local_edges: int = MAX_LOCAL_ROWS) -> DataFrame:
    """Return `id` and `label` for the ids in columns `a` and `b`: the smallest id of the component."""
    edges = edges.select("a", "b").distinct()
    if max_local_edges and len(collected := edges.limit(max_local_edges).collect()) < max_local_edges:
        return _label_on_driver(edges.sparkSession, collected)
    return _label_on_cluster(edges.localCheckpoint())


def _label_on_driver(spark: SparkSession, edges: list[Row]) -> DataFrame:
    components = ConnectedComponents()
    for a, b in edges:
        components.join(a, b)
    rows = [{"id": name, "label": root} for name, root in components.roots().items()]
    return frame_of_rows(spark, rows, _LABEL_SCHEMA)


def _label_on_cluster(edges: DataFrame) -> DataFrame:
    """Every id takes the smallest label of its neighbours, then the label of that label.

    A long chain takes a number of rounds logarithmic in its length.
    """
    reversed_edges = edges.select(F.col("b").alias("a"), F.col("a").alias("b"))
    both_directions = edges.union(reversed_edges).distinct().localCheckpoint()
    labels = both_directions.groupBy(F.col("a").alias("id")).agg(F.min("b").alias("least"))
    labels = labels.select("id", F.least("id", "least").alias("label")).localCheckpoint()
    while True:
        next_labels = _jump_labels(_hook_labels(both_directions, labels)).localCheckpoint()
        if _is_unchanged(labels, next_labels):
            return next_labels
        labels = next_labels


def _hook_labels(both_directions: DataFrame, labels: DataFrame) -> DataFrame:
    neighbour_labels = labels.select(F.col("id").alias("b"), F.col("label").alias("theirs"))
    least = (
        both_directions.join(neighbour_labels, "b").groupBy(F.col("a").alias("id")).agg(F.min("theirs").alias("least"))
    )
    return labels.join(least, "id").select("id", F.least("label", "least").alias("label"))


def _jump_labels(labels: DataFrame) -> DataFrame:
    further = labels.select(F.col("id").alias("label"), F.col("label").alias("further"))
    return labels.join(further, "label").select("id", F.least("label", "further").alias("label"))


def _is_unchanged(before: DataFrame, after: DataFrame) -> bool:
    old_labels = before.select("id", F.col("label").alias("was"))
    return after.join(old_labels, "id").where("label != was").isEmpty()


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
