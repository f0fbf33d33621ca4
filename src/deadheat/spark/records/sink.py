"""Writes the reports of a streaming query into a lake, each batch once."""

from __future__ import annotations

import uuid
from functools import cache, partial
from typing import TYPE_CHECKING

from deadheat.errors import DeadheatError
from deadheat.lake.tables import Lake
from deadheat.model import CiRun
from deadheat.spark import ingest
from deadheat.spark.dataframes import spark_schema
from deadheat.spark.ingest import IngestOptions
from deadheat.spark.input_files import IngestPlan
from deadheat.spark.records.facts import RecordChanges, is_committed
from deadheat.spark.records.ingest import commit_records
from deadheat.spark.records.reports import RECORD_REPORTS
from deadheat.spark.records.tasks import write_reports
from deadheat.spark.task_output import RESULT_SCHEMA, TaskOutput

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import DataFrame

# Spark sets it in the thread of a query
_QUERY_PROPERTY = "sql.streaming.queryId"


def lake_sink(lake: str, repo: str | None = None) -> Callable[[DataFrame, int], None]:
    """A function for `foreachBatch` that writes the rows of `deadheat.spark.reports` into a lake.

    The lake records the last batch of each query, in the same commit as its reports. A batch that Spark runs again
    changes nothing. `repo` is the repository that the programs are built from.
    """
    opened = Lake(lake)
    run = CiRun(repo=repo)

    def write_batch(reports: DataFrame, number: int) -> None:
        spark = reports.sparkSession
        query = spark.sparkContext.getLocalProperty(_QUERY_PROPERTY)
        if query is None:
            raise DeadheatError("is not in a streaming query", opened.uri, "use lake_sink with foreachBatch")
        ingest.prepare_lake(opened)
        opened.refresh()
        if is_committed(opened, query, number):
            return
        batch = f"query-{number}-{uuid.uuid4().hex[:12]}"
        output = TaskOutput(opened, batch)
        ordered = reports.select(RECORD_REPORTS.names).repartition("stream")
        ordered = ordered.sortWithinPartitions("stream", "first_event_time", "offset")
        output.add_results(ordered.mapInArrow(partial(write_reports, lake, batch, run), spark_schema(RESULT_SCHEMA)))
        if not output.contents and not output.faults:
            return
        session = cache(lambda: spark)
        changes = RecordChanges(session, opened, IngestPlan(), output, batch, query=(query, number))
        commit_records(session, opened, batch, output, changes, IngestOptions())

    return write_batch
