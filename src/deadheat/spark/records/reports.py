"""Reads reports from DataFrames of log records: one row is a line, or a few lines, that one writer has written."""

from __future__ import annotations

import operator
from functools import partial, reduce
from itertools import groupby
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark.sql import functions as F  # noqa: N812, its name everywhere
from pyspark.sql.types import ArrayType, MapType, StructType, TimestampNTZType, TimestampType

from deadheat import plugins, records
from deadheat.errors import DeadheatError
from deadheat.lake import report_row, sighting_rows
from deadheat.lake.schema import NUMBER, REPORT_FIELDS, TEXT, TIME
from deadheat.records import LogRecord
from deadheat.spark.dataframes import spark_schema
from deadheat.spark.tasks import NewReport, record_batches

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pyspark.sql import Column, DataFrame

    from deadheat.model import Sighting
    from deadheat.records import StreamReport

    JsonDict = dict[str, Any]

# one row per report; the fields of a report are null if its lines cannot be put in order or told apart
RECORD_REPORTS = pa.schema(
    [
        *(("stream", TEXT), ("first_event_time", TIME), ("last_event_time", TIME), ("records", NUMBER)),
        *(("text", TEXT), ("offset", NUMBER), ("lane", TEXT)),
        *REPORT_FIELDS,
    ]
)
URI_SCHEME = "records:"
# bytes of records that are kept per stream until their reports are complete
MAX_STATE_BYTES = 1 << 23
_MAX_CACHED_REPORTS = 1024


def reports(
    df: DataFrame,
    text: str = "text",
    stream: Sequence[str] = (),
    order: Sequence[str] = (),
    event_time: str | None = None,
    *,
    watermark: str = "1 minute",
    max_state_bytes: int = MAX_STATE_BYTES,
) -> DataFrame:
    """The reports in log records, one row each, wherever their lines are in the DataFrame.

    `text` is the column with a line, or a few lines, of output. The columns `stream` name the writer. The columns
    `order` put its records in order, and records with equal ones are duplicates; without them, `event_time` does.
    Dotted names are fields of structs. A report whose lines cannot be put in order, or are mixed with those of
    another, has the damage `unordered` or `mixed` and no fingerprint.

    A batch is read twice: first to find the streams that may have reports. A streaming DataFrame needs `event_time`,
    the RocksDB state store and output mode `append`. Records that are later than the `watermark` are dropped. A stream
    keeps records of at most `max_state_bytes`.
    """
    keys = [F.col(name) for name in order] or ([F.col(event_time)] if event_time else [])
    key_names = [f"key{number}" for number in range(len(keys))]
    time = _time_column(df, event_time)
    columns = [
        _stream_column(df, stream).alias("stream"),
        F.coalesce(F.col(text).cast("string"), F.lit("")).alias("text"),
        *(key.alias(name) for key, name in zip(keys, key_names, strict=True)),
    ]
    if df.isStreaming:
        from deadheat.spark.records import stream as record_stream  # needs protobuf

        if event_time is None:
            raise DeadheatError("a stream of records has no event_time", do="name the column with the time of an event")
        return record_stream.stream_reports(
            df.select(*columns, time.alias("time")), key_names, bool(order), watermark, max_state_bytes
        )
    rows = df.select(*columns, F.unix_micros(time).alias("time"))
    # most streams have no report: they are neither sorted nor sent to Python
    streams = rows.where(_may_have_report(F.col("text"))).select("stream").distinct()
    rows = rows.join(streams, "stream", "left_semi")
    ordered = rows.repartition("stream").sortWithinPartitions("stream", *key_names)
    task = partial(_read_sorted_records, len(keys), bool(order))
    return ordered.mapInArrow(task, spark_schema(RECORD_REPORTS))


def _may_have_report(text: Column) -> Column:
    """Whether a literal is in the text without which no detector finds a report."""
    literals = {literal.decode() for detector in plugins.default_detectors() for literal in detector.anchors}
    shortest = [one for one in literals if not any(other in one for other in literals - {one})]
    return reduce(operator.or_, (F.contains(text, F.lit(literal)) for literal in sorted(shortest)))


def _stream_column(df: DataFrame, names: Sequence[str]) -> Column:
    """The name of the stream: `namespace=shop,kubernetes.pod=cart-1`."""
    parts = []
    for name in names:
        is_nested = isinstance(df.select(F.col(name)).schema[0].dataType, (StructType, MapType, ArrayType))
        value = F.to_json(F.col(name)) if is_nested else F.col(name).cast("string")
        escaped = F.regexp_replace(F.coalesce(value, F.lit("")), r"[\\,]", r"\\$0")
        parts.append(F.concat(F.lit(f"{name}="), escaped))
    return F.concat_ws(",", *parts) if parts else F.lit("")


def _time_column(df: DataFrame, event_time: str | None) -> Column:
    if event_time is None:
        return F.lit(None).cast("timestamp")
    kind = df.select(F.col(event_time)).schema[0].dataType
    if not isinstance(kind, (TimestampType, TimestampNTZType)):
        raise DeadheatError(f"is {kind.simpleString()}, not a timestamp", event_time, "convert it with to_timestamp")
    return F.col(event_time).cast("timestamp")


def _read_sorted_records(
    key_count: int, has_unique_keys: bool, batches: Iterable[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    """A task of `mapInArrow`: the reports of streams whose records are together and in order."""
    writer = ReportRows()
    rows = (row for batch in batches for row in zip(*(column.to_pylist() for column in batch.columns), strict=True))

    def found() -> Iterator[JsonDict]:
        for stream, content in groupby(rows, lambda row: row[0]):
            log_records = (
                LogRecord(row[2 : 2 + key_count], row[1], row[2 + key_count], has_unique_keys) for row in content
            )
            for report in records.read_stream(log_records, f"{URI_SCHEME}{stream}"):
                yield writer.row_of(stream, report)

    yield from record_batches(found(), RECORD_REPORTS)


class ReportRows:
    """Makes the rows of reports; equal reports are converted once."""

    def __init__(self) -> None:
        self._known: dict[str, JsonDict] = {}

    def row_of(self, stream: str, report: StreamReport) -> JsonDict:
        fields: JsonDict = {"detector": report.detector, "damage": [*report.damage]}
        if report.sighting is not None:
            fields = self._report_fields(report.sighting)
        return {
            **fields,
            "stream": stream,
            "first_event_time": report.first_time,
            "last_event_time": report.last_time,
            "records": report.record_count,
            "text": report.text.decode("utf-8", "replace"),
            "offset": report.span.offset,
            "lane": report.sighting.span.stream if report.sighting else None,
        }

    def _report_fields(self, sighting: Sighting) -> JsonDict:
        row = sighting_rows.sighting_row(sighting)
        report = self._known.get(row.report.digest)
        if report is None:
            if len(self._known) == _MAX_CACHED_REPORTS:
                self._known.clear()
            (report,) = report_row.reports_table([NewReport(row, None).values]).to_pylist()
            self._known[row.report.digest] = report
        return report_row.restore_names(report, row.row["names"])
