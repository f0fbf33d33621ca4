"""Writes the reports of a streaming query into a lake, each batch once."""

from __future__ import annotations

import io
import uuid
from functools import cache, partial
from itertools import groupby
from typing import TYPE_CHECKING, Any

from deadheat import api
from deadheat.errors import DeadheatError
from deadheat.lake import sighting_rows
from deadheat.lake.schema import REPORT_FIELDS
from deadheat.lake.tables import Lake
from deadheat.model import CiRun, Sighting, Span
from deadheat.records import StreamReport
from deadheat.spark import ingest
from deadheat.spark.dataframes import spark_schema
from deadheat.spark.ingest import IngestOptions
from deadheat.spark.input_files import IngestPlan
from deadheat.spark.record_facts import RecordChanges, is_committed, write_streams
from deadheat.spark.record_ingest import commit_records
from deadheat.spark.record_reports import RECORD_REPORTS
from deadheat.spark.task_output import RESULT_SCHEMA, TaskOutput
from deadheat.text.window import DocumentRange, StreamSource

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    import pyarrow as pa
    from pyspark.sql import DataFrame

    JsonDict = dict[str, Any]

# Spark sets it in the thread of a query
_QUERY_PROPERTY = "sql.streaming.queryId"
_FIELD_NAMES = [name for name, _ in REPORT_FIELDS]


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
        output.add_results(ordered.mapInArrow(partial(_write_rows, lake, batch, run), spark_schema(RESULT_SCHEMA)))
        if not output.contents and not output.faults:
            return
        session = cache(lambda: spark)
        changes = RecordChanges(session, opened, IngestPlan(), output, batch, query=(query, number))
        commit_records(session, opened, batch, output, changes, IngestOptions())

    return write_batch


def _write_rows(lake: str, batch: str, run: CiRun, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """A task of `mapInArrow`: the sightings of reports, which are sorted by stream."""
    rows = (row for record_batch in batches for row in record_batch.to_pylist())
    streams = (
        (stream, map(_to_stream_report, content)) for stream, content in groupby(rows, lambda row: row["stream"])
    )
    yield write_streams(lake, batch, run, streams)


def _to_stream_report(row: JsonDict) -> StreamReport:
    text = row["text"].encode("utf-8", "surrogatepass")
    times = [None if time is None else round(time.timestamp() * 1_000_000) for time in _times(row)]
    sighting = None if row["fingerprint"] is None else _sighting_of(row, text)
    span = Span(row["offset"], len(text))
    return StreamReport(sighting, tuple(row["damage"] or ()), row["detector"], span, text, row["records"], *times)


def _times(row: JsonDict) -> tuple[Any, Any]:
    return row["first_event_time"], row["last_event_time"]


def _sighting_of(row: JsonDict, text: bytes) -> Sighting:
    """The sighting of a row. The text also has the offsets of instructions, which are not among its columns."""
    location = {"uri": "", "offset": 0, "length": len(text), "lane": row["lane"]}
    written = sighting_rows.sighting_of_report({name: row[name] for name in _FIELD_NAMES}, location)
    document = DocumentRange(
        "",
        0,
        None,
        lambda offset: StreamSource(io.BytesIO(text[offset:]).read, offset),
        lambda low, high: text[low:high],
    )
    found = [item for item in api.read_document(document) if isinstance(item, Sighting)]
    if len(found) == 1 and found[0].report == written.report:
        return found[0]._replace(span=written.span)
    return written
