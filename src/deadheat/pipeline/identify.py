"""Assigns variants to sightings of documents that no single task read completely."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING

import pyarrow as pa
from pyspark.sql import Window
from pyspark.sql import functions as F  # noqa: N812, its name everywhere

from deadheat.lake import masks, rows
from deadheat.lake.schema import REPORTS, SIGHTINGS
from deadheat.pipeline.frames import typed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import DataFrame

_ORDER = ("offset", "length", "lane")


_MARKS = pa.schema(
    [
        ("report", pa.string()),
        ("mark", pa.binary()),
        ("address", pa.string()),
        ("actors", pa.list_(pa.string())),
    ]
)


def identified(sightings: DataFrame, reports: DataFrame) -> DataFrame:
    """The sightings with the variants that their complete documents give them."""
    wanted = sightings.select(F.col("report").alias("digest")).distinct()
    marks = reports.join(wanted, "digest", "left_semi").mapInArrow(_marked, typed(_MARKS))
    place = Window.partitionBy("uri").orderBy(*_ORDER)
    batch = F.floor((F.row_number().over(place) - 1) / rows.BATCH)
    return (
        sightings.withColumn("batch", batch)
        .join(marks, "report")
        .groupBy("uri", "batch")
        .applyInArrow(_identified, typed(SIGHTINGS))
    )


def _marked(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """What grouping needs of each report."""
    for batch in batches:
        told = [
            {
                "report": report["digest"],
                "mark": pickle.dumps(rows.mark_of(report)),
                "address": rows.address_of(report),
                "actors": rows.actors_of(report),
            }
            for report in batch.to_pylist()
        ]
        yield pa.RecordBatch.from_pylist(told, _MARKS)


def _identified(table: pa.Table) -> pa.Table:
    content = table.sort_by([(name, "ascending") for name in _ORDER]).to_pylist()
    # pickled by `_report_keys` on another of our workers
    marks = {data: pickle.loads(data) for data in {row["mark"] for row in content}}  # noqa: S301
    reports = [
        (
            marks[r["mark"]],
            str(r["lane"]),
            r["address"] and masks.name_of(r["address"], r["names"]),
            [masks.name_of(actor, r["names"]) for actor in r["actors"]],
            r["names"],
        )
        for r in content
    ]
    for row, kin in zip(content, rows.kin_of(reports), strict=True):
        row.update(kin)
    return pa.Table.from_pylist(content, SIGHTINGS)


def reports_of(seen: DataFrame) -> DataFrame:
    """The distinct reports in rows that were read."""
    told = seen.where("told is not null").select("told.*")
    return told.dropDuplicates(["digest"]).select(REPORTS.names)
