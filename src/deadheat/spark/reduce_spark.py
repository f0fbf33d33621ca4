"""Derives variants, races and families of any number of sightings, as DataFrames.

The functions of `lake.race_rows` do the work, on the rows of one variant or of connected variants at a time."""

from __future__ import annotations

import pickle
from functools import partial
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark.sql import Window
from pyspark.sql import functions as F  # noqa: N812, its name everywhere
from pyspark.sql.pandas.functions import arrow_udf
from pyspark.sql.types import StringType

from deadheat.grouping.races import MAX_RACES_PER_KEY, family_reason, status_history
from deadheat.lake import race_rows, sighting_rows
from deadheat.lake.data_files import TableChange
from deadheat.lake.report_row import DETAIL_COLUMNS, details_of_row
from deadheat.lake.schema import CAUSE, FAMILIES, NODES, RACES, REPORTS, SIGHTINGS, TEXT
from deadheat.spark import dataframes
from deadheat.spark.dataframes import component_labels, spark_schema

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pyspark.sql import DataFrame, SparkSession

    from deadheat.lake.tables import Lake

    JsonDict = dict[str, Any]


_DOCUMENT_ORDER = ("uri", "offset", "length", "lane")
_KEY_SCHEMA = pa.schema(
    [("report", pa.string()), ("mark", pa.binary()), ("address", pa.string()), ("actors", pa.list_(pa.string()))]
)
# a sum of sightings: the row of a variant without its race
_SUM_SCHEMA = pa.schema([field for field in NODES if field.name not in ("race", "relations")])
_DETAIL_TYPES = {
    "causes": pa.list_(CAUSE),
    **{name: _SUM_SCHEMA.field(name).type for name in DETAIL_COLUMNS if name != "causes"},
}
_DETAIL_FIELDS = [(f"report_{name}", _DETAIL_TYPES[name]) for name in DETAIL_COLUMNS]
_LABELLED_SCHEMA = pa.schema([*NODES, ("label", TEXT)])
# partial sums that a task keeps before it passes them on
_MAX_SUMS = 1 << 14


def add_variants(sightings: DataFrame, reports: DataFrame) -> DataFrame:
    """The sightings with the variants that their complete documents give them."""
    wanted = sightings.select(F.col("report").alias("digest")).distinct()
    keys = reports.join(wanted, "digest", "left_semi").mapInArrow(_report_keys, spark_schema(_KEY_SCHEMA))
    document_window = Window.partitionBy("document").orderBy(*_DOCUMENT_ORDER)
    batch = F.floor((F.row_number().over(document_window) - 1) / sighting_rows.BATCH_SIZE)
    return (
        sightings.withColumn("batch", batch)
        .join(keys, "report")
        .groupBy("document", "batch")
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


def distinct_reports(read_rows: DataFrame) -> DataFrame:
    """The distinct reports in the rows that were read."""
    found = read_rows.where("told is not null").select("told.*")
    return found.dropDuplicates(["digest"]).select(REPORTS.names)


def variants_frame(sightings: DataFrame, reports: DataFrame) -> DataFrame:
    """The rows of the variants of these sightings, without their races.

    Sightings are summed up where they are read, so that only one row per variant, report and task is shuffled.
    """
    columns = [name for name in SIGHTINGS.names if name in race_rows.SIGHTING_COLUMNS]
    sums = sightings.select(columns).mapInArrow(_sum_by_report, spark_schema(_SUM_SCHEMA))
    details = reports.select(F.col("digest").alias("report"), *(F.col(n).alias(f"report_{n}") for n in DETAIL_COLUMNS))
    return sums.join(details, "report").groupBy("node").applyInArrow(_sum_by_variant, spark_schema(_SUM_SCHEMA))


def _sum_by_report(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    sums: list[JsonDict] = []
    for batch in batches:
        sums = race_rows.sums_by_report(pa.Table.from_batches([batch]), sums)
        if len(sums) > _MAX_SUMS:
            yield pa.RecordBatch.from_pylist(sums, _SUM_SCHEMA)
            sums = []
    yield pa.RecordBatch.from_pylist(sums, _SUM_SCHEMA)


def _sum_by_variant(table: pa.Table) -> pa.Table:
    rows = []
    for row in table.to_pylist():
        details = details_of_row({name: row[f"report_{name}"] for name in DETAIL_COLUMNS})
        rows.append(race_rows.with_details(row, details))
    return pa.Table.from_pylist(race_rows.variant_rows(rows), _SUM_SCHEMA)


def name_variants(variants: DataFrame) -> DataFrame:
    """The variants with their races, and with a label of all variants that anything connects them with."""
    related = variants.mapInArrow(_add_relations, spark_schema(_LABELLED_SCHEMA))
    labels = component_labels(_shared_relations(related)).withColumnRenamed("id", "node")
    labelled = related.drop("label").join(labels, "node", "left")
    label = F.coalesce("label", "node")
    labelled = labelled.withColumn("label", label).select(_LABELLED_SCHEMA.names)
    return labelled.groupBy("label").applyInArrow(_name_connected, spark_schema(_LABELLED_SCHEMA))


def _add_relations(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        rows = [row | {"relations": race_rows.relations_of(row)} for row in batch.to_pylist()]
        yield pa.RecordBatch.from_pylist(rows, _LABELLED_SCHEMA)


def _shared_relations(related: DataFrame) -> DataFrame:
    """Pairs of variants with something in common, as in `race_rows.matching_relations`."""
    prefix, key = F.substring("relation", 1, 2), F.expr("substring(relation, 3)")
    relations = related.select("node", F.explode("relations").alias("relation")).select(
        "node",
        # an alias counts if its variant exists, and a key that is provided if another variant requires it
        F.when(prefix == "a:", "n:").when(prefix == "p:", "r:").otherwise(prefix).alias("kind"),
        prefix.isin("a:", "p:").alias("is_conditional"),
        key.alias("key"),
    )
    groups = relations.groupBy("kind", "key").agg(
        F.collect_set("node").alias("nodes"), F.min("is_conditional").alias("is_conditional")
    )
    shared = groups.where("size(nodes) > 1 and not is_conditional")
    return shared.select(F.array_min("nodes").alias("a"), F.explode("nodes").alias("b"))


def _name_connected(table: pa.Table) -> pa.Table:
    rows = table.to_pylist()
    names = race_rows.race_by_variant(rows)
    return pa.Table.from_pylist([row | {"race": names[row["node"]]} for row in rows], _LABELLED_SCHEMA)


def races_frame(named_variants: DataFrame) -> DataFrame:
    """The races of variants from `name_variants`. Families and status are added by `finish_races`."""
    return named_variants.groupBy("label").applyInArrow(_sum_by_race, spark_schema(RACES))


def _sum_by_race(table: pa.Table) -> pa.Table:
    return pa.Table.from_pylist([*race_rows.race_rows(table.to_pylist()).values()], RACES)


def _status_histories(days: pa.Array, newest: pa.Array) -> pa.Array:
    results = [
        [{"day": day, "status": status} for day, status in status_history(observed_days, last)]
        for observed_days, last in zip(days.to_pylist(), newest.to_pylist(), strict=True)
    ]
    return pa.array(results, RACES.field("history").type)


def finish_races(races: DataFrame, families: DataFrame) -> DataFrame:
    newest = races.agg(F.max(F.element_at("days", -1)).alias("newest"))
    status_history = arrow_udf(_status_histories, spark_schema(RACES)["history"].dataType)  # type: ignore[call-overload]
    related = families.select("family", F.explode("races").alias("race"))
    return (
        races.drop("family", "history", "status")
        .join(related, "race", "left")
        .crossJoin(F.broadcast(newest))
        .withColumn("history", status_history("days", "newest"))
        .withColumn("status", F.element_at(F.col("history.status"), -1))
        .select(*(F.col(f.name).cast(f.dataType) for f in spark_schema(RACES)))
    )


def _family_reasons(keys: pa.Array) -> pa.Array:
    return pa.array([family_reason(key) for key in keys.to_pylist()], pa.string())


def families(races: DataFrame) -> DataFrame:
    keys_of_races = races.select("race", F.explode("keys").alias("key")).distinct()
    count = keys_of_races.groupBy("key").agg(F.count("*").alias("n"), F.min("race").alias("first"))
    shared = count.where(F.col("n").between(2, MAX_RACES_PER_KEY))
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


def sum_ingests(spark: SparkSession, lake: Lake, ingests: Sequence[str]) -> DataFrame:
    """The rows of the variants of the sightings of some ingests."""
    columns = (*race_rows.SIGHTING_COLUMNS,)
    sightings = dataframes.lake_table(spark, lake, "sightings", columns, ("ingest", ingests))
    return variants_frame(sightings, _details_table(spark, lake))


def _details_table(spark: SparkSession, lake: Lake) -> DataFrame:
    return dataframes.lake_table(spark, lake, "reports", ("digest", *DETAIL_COLUMNS))


def rebuild_tables(spark: SparkSession, lake: Lake, batch: str) -> dict[str, TableChange]:
    """Compute all derived tables anew. Returns the changes, which remove the present rows."""
    sightings = dataframes.lake_table(spark, lake, "sightings", race_rows.SIGHTING_COLUMNS)
    variants = variants_frame(sightings, _details_table(spark, lake)).persist()
    named = name_variants(variants).persist()
    races = races_frame(named).persist()
    related = families(races).persist()
    write = partial(dataframes.write_frame, lake=lake.uri, name=batch)
    changes = {
        table: TableChange(write(frame, table=table), [file.path for file in lake.data_files(table)])
        for table, frame in (("nodes", named), ("races", finish_races(races, related)), ("families", related))
    }
    for frame in (variants, named, races, related):
        frame.unpersist()
    return changes
