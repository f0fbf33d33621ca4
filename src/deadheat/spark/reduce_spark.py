"""Derives variants, races and families in DataFrame operations.

`lake.race_rows` and `grouping.races` define the semantics."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING

import pyarrow as pa
from pyspark.sql import Window
from pyspark.sql import functions as F  # noqa: N812, its name everywhere
from pyspark.sql.pandas.functions import arrow_udf
from pyspark.sql.types import StringType

from deadheat.diagnosis import ranking
from deadheat.grouping.links import LinkKind
from deadheat.grouping.races import JOIN_ROUNDS, MAX_RACES_PER_KEY, family_reason, status_history
from deadheat.lake import race_rows, sighting_rows, transactions
from deadheat.lake.schema import FAMILIES, NODES, RACES, REPORTS, SIGHTINGS, TABLES, sort_columns
from deadheat.lake.transactions import TableChange
from deadheat.spark import dataframes
from deadheat.spark.dataframes import MAX_LOCAL_ROWS, aliases_of_kind, component_labels, frame_of_rows, spark_schema

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pyspark.sql import Column, DataFrame, SparkSession

    from deadheat.lake.tables import Lake
    from deadheat.spark.input_files import IngestPlan
    from deadheat.spark.task_output import TaskOutput


_DOCUMENT_ORDER = ("offset", "length", "lane")


_KEY_SCHEMA = pa.schema(
    [("report", pa.string()), ("mark", pa.binary()), ("address", pa.string()), ("actors", pa.list_(pa.string()))]
)


def add_variants(sightings: DataFrame, reports: DataFrame) -> DataFrame:
    """The sightings with the variants that their complete documents give them."""
    wanted = sightings.select(F.col("report").alias("digest")).distinct()
    keys = reports.join(wanted, "digest", "left_semi").mapInArrow(_report_keys, spark_schema(_KEY_SCHEMA))
    document_window = Window.partitionBy("uri").orderBy(*_DOCUMENT_ORDER)
    batch = F.floor((F.row_number().over(document_window) - 1) / sighting_rows.BATCH_SIZE)
    return (
        sightings.withColumn("batch", batch)
        .join(keys, "report")
        .groupBy("uri", "batch")
        .applyInArrow(_add_document_variants, spark_schema(SIGHTINGS))
    )


def _report_keys(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """What grouping needs of each report."""
    for batch in batches:
        rows_of_keys = [
            {
                "report": report["digest"],
                "mark": pickle.dumps(sighting_rows.key_of_row(report)),
                "address": sighting_rows.address_placeholder(report),
                "actors": sighting_rows.actor_placeholders(report),
            }
            for report in batch.to_pylist()
        ]
        yield pa.RecordBatch.from_pylist(rows_of_keys, _KEY_SCHEMA)


def _add_document_variants(table: pa.Table) -> pa.Table:
    content = table.sort_by([(name, "ascending") for name in _DOCUMENT_ORDER]).to_pylist()
    # pickled by `_report_keys` on another of our workers
    keys = {data: pickle.loads(data) for data in {row["mark"] for row in content}}  # noqa: S301
    for row in content:
        race_rows.restore_address_and_actors(row)
    race_rows.add_document_variants(content, [keys[row["mark"]] for row in content])
    return pa.Table.from_pylist(content, SIGHTINGS)


def reports(read_rows: DataFrame) -> DataFrame:
    """The distinct reports in the rows that were read."""
    found = read_rows.where("told is not null").select("told.*")
    return found.dropDuplicates(["digest"]).select(REPORTS.names)


# set columns of a variant, and their source columns
_SET_COLUMNS = {"repos": "repo", "runs": "run", "tests": "test", "days": "day"}
_GROUPING_COLUMNS = ("node", "base", "links", "aliases", "split", "first_seen")
_RACE_NAME_SCHEMA = pa.schema([("node", pa.string()), ("race", pa.string())])
# the best report, and the columns that a race takes from it; compared from left to right
_BEST_REPORT_COLUMNS = ("report", "title", "detector", "kind", "sites")


def variants_frame(sightings: DataFrame, reports: DataFrame, before: DataFrame | None = None) -> DataFrame:
    """The rows of the variants of these sightings, merged with the rows in `before`.

    `reports` needs to contain the reports of these sightings only. Checkpoint the result, because
    it is used several times.
    """
    new = _count_sightings(sightings, reports)
    return new if before is None else _merge_rows(before.union(new), "node").select(_variant_columns())


def _variant_columns() -> list[Column]:
    return [F.col(f.name).cast(f.dataType) for f in spark_schema(NODES)]


def _count_sightings(sightings: DataFrame, reports: DataFrame) -> DataFrame:
    single = sightings.withColumn("sightings", F.lit(1).cast("long")).withColumns(
        {"first_seen": F.col("observed_at"), "last_seen": F.col("observed_at")}
    )
    # sets are aggregated before the shuffle
    counted = (
        single.withColumn("day", F.to_date("observed_at"))
        .groupBy("node")
        .agg(
            *_sum_columns(),
            *(F.array_sort(F.collect_set(column)).alias(set_name) for set_name, column in _SET_COLUMNS.items()),
            *(_union_column(F.when(F.size(name) > 0, F.col(name)), name) for name in ("links", "aliases")),
        )
    )
    return counted.join(_best_reports(sightings, reports), "node").select(_variant_columns())


def _sum_columns() -> list[Column]:
    return [
        F.sum("sightings").alias("sightings"),
        F.min("first_seen").alias("first_seen"),
        F.max("last_seen").alias("last_seen"),
        F.min("base").alias("base"),
        F.max("split").alias("split"),
    ]


def _best_reports(sightings: DataFrame, reports: DataFrame) -> DataFrame:
    report_columns = reports.select(
        F.col("digest").alias("report"), "title", "detector", "kind", "sites", "keys",
        F.try_element_at("causes", F.lit(1)).alias("first"),
    )  # fmt: skip
    report_counts = sightings.groupBy("node", "report").agg(F.min("damage").alias("damage"), F.count("*").alias("seen"))
    found = (
        report_counts.join(report_columns, "report")
        .groupBy("node")
        .agg(
            _best_report(),
            _union_column(F.col("keys"), "keys"),
            F.collect_list(F.when(F.col("first").isNotNull(), _cause_vote())).alias("causes"),
        )
    )
    return found.select("node", "best.*", "keys", _sum_votes("causes"))


def _best_report() -> Column:
    """The least damaged report, two-sided ones first, as in `lake.race_rows`."""
    one_sided = (F.size("sites") < 2).alias("one_sided")
    return F.min(F.struct("damage", one_sided, *_BEST_REPORT_COLUMNS)).dropFields("one_sided").alias("best")


def _cause_vote() -> Column:
    confidence = F.round(F.col("first.confidence") * 100).cast("long")
    return F.struct(
        F.col("first.cause").alias("cause"),
        F.col("seen").alias("sightings"),
        (confidence * F.col("seen")).alias("weight"),
    )


def _sum_votes(name: str) -> Column:
    """The sum of votes, as in `ranking.add_votes`."""
    every = F.col(name)
    causes = F.array_sort(F.array_distinct(F.transform(every, lambda vote: vote["cause"])))

    def total(cause: Column, what: str) -> Column:
        cause_votes = F.filter(every, lambda vote: vote["cause"] == cause)
        return F.aggregate(cause_votes, F.lit(0).cast("long"), lambda sum, vote: sum + vote[what])

    def vote(cause: Column) -> Column:
        sums = (total(cause, what).alias(what) for what in ("sightings", "weight"))
        return F.struct(cause.alias("cause"), *sums)

    # most variants have one report
    return F.when(F.size(every) < 2, every).otherwise(F.transform(causes, vote)).alias(name)


def _union_column(lists: Column, name: str) -> Column:
    return F.array_sort(F.array_distinct(F.flatten(F.collect_set(lists)))).alias(name)


def _merge_rows(rows: DataFrame, column: str) -> DataFrame:
    unions = (*_SET_COLUMNS, "keys", "links", "aliases")
    merged = rows.groupBy(column).agg(
        *_sum_columns(),
        _best_report(),
        *(_union_column(F.col(name), name) for name in unions),
        F.flatten(F.collect_list("causes")).alias("causes"),
    )
    return merged.select("*", "best.*").drop("best").withColumn("causes", _sum_votes("causes"))


def races_frame(variants: DataFrame) -> DataFrame:
    """The races of these variants, named after their oldest variant.

    Families and status are added by `finish_races`.
    """
    named_variants = _name_variants(variants).localCheckpoint()
    members = named_variants.groupBy("race").agg(
        F.array_sort(F.collect_set("node")).alias("nodes"), F.collect_set("base").alias("bases")
    )
    used_names = named_variants.select(F.col("race").alias("name")).distinct()
    others = (
        members.select("race", F.explode(F.array_union("nodes", "bases")).alias("name"))
        .join(used_names, "name", "left_anti")
        .groupBy("race")
        .agg(F.array_sort(F.collect_set("name")).alias("others"))
    )
    merged = _merge_rows(named_variants, "race").drop("links", "aliases", "base", "split")
    aliases = F.coalesce("others", F.array().cast("array<string>")).alias("aliases")
    return merged.join(members, "race").join(others, "race", "left").select(merged["*"], "nodes", aliases)


def _name_variants(variants: DataFrame, max_local_variants: int = MAX_LOCAL_ROWS) -> DataFrame:
    """Every variant with its race, as in `grouping.races.race_ids`."""
    if max_local_variants:
        collected = variants.select(*_GROUPING_COLUMNS).limit(max_local_variants).toArrow()
        if collected.num_rows < max_local_variants:
            race_names = race_rows.race_by_variant(collected.to_pylist())
            rows = [{"node": node, "race": race} for node, race in race_names.items()]
            return variants.join(frame_of_rows(variants.sparkSession, rows, _RACE_NAME_SCHEMA), "node")
    labels = _label_variants(variants).withColumnRenamed("id", "node")
    labelled = variants.join(labels, "node", "left")
    labelled = labelled.withColumn("label", F.coalesce("label", "node"))
    age = F.struct("first_seen", "node", "base")
    oldest = labelled.groupBy("label").agg(F.min(age).alias("eldest"))
    oldest_by_base = variants.groupBy("base").agg(F.min(age).alias("claim"))
    is_first = F.col("claim.node") == F.col("node")
    names = (
        oldest.select("label", "eldest.node", "eldest.base")
        .join(oldest_by_base, "base")
        .select("label", F.when(is_first, F.col("base")).otherwise(F.col("node")).alias("race"))
    )
    return labelled.join(names, "label").drop("label")


def _label_variants(variants: DataFrame) -> DataFrame:
    """Which variants are one race: by links, by aliases, or because callers do not matter."""
    existing = variants.select(F.col("node").alias("b"))
    groups = _base_groups(variants)
    edges = _certain_edges(variants, groups)
    aliases = aliases_of_kind(variants, LinkKind.VARIANT).select(F.col("node").alias("a"), F.col("key").alias("b"))
    alias_edges = aliases.join(existing, "b").select("a", "b")
    provider_pairs = _provider_pairs(variants)
    if not variants.where(dataframes.is_ambiguous()).isEmpty():
        edges = edges.union(_unique_provider_edges(provider_pairs, component_labels(edges))).localCheckpoint()
        with_known_ordinal = dataframes.variants_with_known_ordinal(variants, component_labels(edges)).localCheckpoint()
        known_edges = edges.union(dataframes.resolved_edges(with_known_ordinal, variants, groups))
        resolved = dataframes.resolve_variants(variants, component_labels(known_edges)).localCheckpoint()
        renumbered = resolved.where("is_renumbered").select(F.col("node").alias("a"))
        edges = edges.union(dataframes.resolved_edges(with_known_ordinal.union(resolved), variants, groups))
        alias_edges = alias_edges.join(renumbered, "a", "left_anti")
    edges = edges.union(alias_edges).where("a != b")
    if provider_pairs.isEmpty():
        return component_labels(edges)
    provider_pairs = provider_pairs.localCheckpoint()
    for _ in range(JOIN_ROUNDS):
        edges = (
            edges.union(_unique_provider_edges(provider_pairs, component_labels(edges)))
            .where("a != b")
            .localCheckpoint()
        )
    return component_labels(edges)


def _base_groups(variants: DataFrame) -> DataFrame:
    """The bases, each with one certain variant, and whether callers matter."""
    certain = F.when(~dataframes.is_ambiguous(), F.col("node"))
    return variants.groupBy("base").agg(F.min(certain).alias("a"), F.max("split").alias("apart"))


def _certain_edges(variants: DataFrame, groups: DataFrame) -> DataFrame:
    linked = variants.select(F.col("node").alias("a"), F.explode("links").alias("b"))
    certain = variants.where(~dataframes.is_ambiguous()).select("base", F.col("node").alias("b"))
    together = groups.where("not apart").join(certain, "base").where("a != b")
    return linked.union(together.select("a", "b"))


def _provider_pairs(variants: DataFrame) -> DataFrame:
    """Pairs of a variant that requires a key (`a`) and one that provides it (`id`)."""
    required = aliases_of_kind(variants, LinkKind.REQUIRES).select(F.col("node").alias("a"), "key")
    provided = aliases_of_kind(variants, LinkKind.PROVIDES).select(F.col("node").alias("id"), "key")
    return required.join(provided, "key").select("a", "id").distinct()


def _unique_provider_edges(provider_pairs: DataFrame, labels: DataFrame) -> DataFrame:
    """Pairs of a requiring variant and one variant of the only race that provides the key."""
    race = F.coalesce("label", "id")
    providers = (
        provider_pairs.join(labels, "id", "left")
        .groupBy("a")
        .agg(F.countDistinct(race).alias("races"), F.min("id").alias("b"))
    )
    return providers.where("races = 1").select("a", "b")


def _status_histories(days: pa.Array, newest: pa.Array) -> pa.Array:
    results = [
        [{"day": day, "status": status} for day, status in status_history(observed_days, last)]
        for observed_days, last in zip(days.to_pylist(), newest.to_pylist(), strict=True)
    ]
    return pa.array(results, RACES.field("history").type)


def _chosen_causes(causes: pa.Array) -> pa.Array:
    return pa.array([ranking.choose_cause(votes) for votes in causes.to_pylist()], pa.string())


def finish_races(races: DataFrame, families: DataFrame) -> DataFrame:
    newest = races.agg(F.max(F.element_at("days", -1)).alias("newest"))
    status_history = arrow_udf(_status_histories, spark_schema(RACES)["history"].dataType)  # type: ignore[call-overload]
    chosen = arrow_udf(_chosen_causes, spark_schema(RACES)["cause"].dataType)  # type: ignore[call-overload]
    related = families.select("family", F.explode("races").alias("race"))
    return (
        races.join(related, "race", "left")
        .crossJoin(F.broadcast(newest))
        .withColumns({"history": status_history("days", "newest"), "cause": chosen("causes")})
        .withColumn("status", F.element_at(F.col("history.status"), -1))
        .select(*(F.col(f.name).cast(f.dataType) for f in spark_schema(RACES)))
    )


def _family_reasons(keys: pa.Array) -> pa.Array:
    return pa.array([family_reason(key) for key in keys.to_pylist()], pa.string())


def families(races: DataFrame) -> DataFrame:
    keys_of_races = races.select("race", F.explode("keys").alias("key")).distinct()
    count = keys_of_races.groupBy("key").agg(F.count("*").alias("n"), F.min("race").alias("first"))
    shared = count.where(F.col("n").between(2, MAX_RACES_PER_KEY)).localCheckpoint()
    edges = keys_of_races.join(shared, "key").select(F.col("first").alias("a"), F.col("race").alias("b"))
    labels = component_labels(edges)
    members = labels.groupBy(F.col("label").alias("family")).agg(F.array_sort(F.collect_list("id")).alias("races"))
    reason_column = arrow_udf(_family_reasons, StringType())  # type: ignore[call-overload]
    reasons = (
        shared.join(labels, shared["first"] == labels["id"])
        .withColumn("one", F.struct(-F.col("n"), "key", reason_column("key").alias("why")))
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


_ROWS_PER_FILE = 1_000_000
# maximum number of new races in a summary
_MAX_NEW_RACES = 1000


class SparkReducer:
    """A reducer for batches of any size."""

    def __init__(self, spark: SparkSession, lake: Lake, batch: str) -> None:
        self._spark, self._lake, self._batch = spark, lake, batch
        self.changes: dict[str, TableChange] = {}

    def add_sightings(self, plan: IngestPlan, task_output: TaskOutput) -> None:
        known = dataframes.lake_table(self._spark, self._lake, "reports")
        read_reports = task_output.reports_frame(self._spark)
        new = read_reports.join(known.select("digest"), "digest", "left_anti").select(REPORTS.names)
        self._write_table("reports", new)
        reports = known.union(self._written_table("reports"))
        stale, kept_rows, other_rows = self._replaced_sightings(plan)
        found = task_output.sightings_frame(self._spark)
        parts = found.where("node is null").union(kept_rows)
        content = found.where("node is not null").union(add_variants(parts, reports))
        self._write_table("sightings", content.union(other_rows), stale)
        new_sightings = self._written_table("sightings")
        if plan.replaced_files or self._lake.is_older:
            everything = dataframes.lake_table(self._spark, self._lake, "sightings", stale).union(new_sightings)
            self._derive_tables(variants_frame(everything, reports))
        else:
            before = dataframes.lake_table(self._spark, self._lake, "nodes")
            self._derive_tables(variants_frame(new_sightings, read_reports, before))

    def rebuild_derived(self) -> None:
        facts = (dataframes.lake_table(self._spark, self._lake, name) for name in ("sightings", "reports"))
        self._derive_tables(variants_frame(*facts))

    def new_races(self) -> list[tuple[str, str]]:
        known = dataframes.lake_table(self._spark, self._lake, "nodes").select("node")
        race_variants = self._written_table("races").select("race", "title", F.explode("nodes").alias("node"))
        known_races = race_variants.join(known, "node").select("race")
        new_rows = race_variants.join(known_races, "race", "left_anti").select("race", "title").distinct()
        return [(row.race, row.title) for row in new_rows.orderBy("race").limit(_MAX_NEW_RACES).collect()]

    def _replaced_sightings(self, plan: IngestPlan) -> tuple[list[str], DataFrame, DataFrame]:
        """For files read again: data files to remove, sightings to keep, rows of other files."""
        empty = dataframes.empty_frame(self._spark, SIGHTINGS)
        if not plan.replaced_files:
            return [], empty, empty
        limits = pa.schema([("file", pa.string()), ("before", pa.int64())])
        rows = [{"file": file, "before": plan.keep_before.get(file, 0)} for file in plan.replaced_files]
        limit = F.broadcast(dataframes.frame_of_rows(self._spark, rows, limits))
        replaced = dataframes.lake_table(self._spark, self._lake, "sightings").join(limit, "file", "left_semi")
        rows_of_files = replaced.select(F.input_file_name().alias("path")).distinct().collect()
        stale = sorted(row.path.rpartition("/sightings/")[2] for row in rows_of_files)
        paths = [self._lake.storage.uri_of(f"sightings/{name}") for name in stale]
        old = dataframes.read_data_files(self._spark, paths, SIGHTINGS)
        kept_rows = old.join(limit, "file").where("offset < before").select(SIGHTINGS.names)
        other_rows = old.join(limit, "file", "left_anti").select(SIGHTINGS.names)
        return stale, kept_rows, other_rows

    def _derive_tables(self, variants: DataFrame) -> None:
        self._replace_table("nodes", variants)
        races = races_frame(self._written_table("nodes")).localCheckpoint()
        self._replace_table("families", families(races))
        self._replace_table("races", finish_races(races, self._written_table("families")))

    def _replace_table(self, name: str, content: DataFrame) -> None:
        self._write_table(name, content, self._lake.data_files(name))

    def _write_table(self, name: str, content: DataFrame, remove: Sequence[str] = ()) -> None:
        folder = self._lake.storage.uri_of(f"{name}/{self._batch}")
        partitions = content.coalesce(max(1, self._spark.sparkContext.defaultParallelism))
        # sorted, so that a query for one race reads a part of each file
        partitions = partitions.sortWithinPartitions(*sort_columns(name))
        partitions.write.option("maxRecordsPerFile", _ROWS_PER_FILE).mode("overwrite").parquet(folder)
        added = transactions.written_files(self._lake.storage, name, self._batch)
        self.changes[name] = TableChange(added, list(remove))

    def _written_table(self, name: str) -> DataFrame:
        storage = self._lake.storage
        paths = [storage.uri_of(f"{name}/{added.path}") for added in self.changes[name].add]
        return dataframes.read_data_files(self._spark, paths, TABLES[name])
