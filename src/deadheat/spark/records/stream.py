"""Reads reports from streaming DataFrames of log records, with `transformWithState`.

The state of a stream is its recent records. When the watermark has passed a report, it is read and its records are
dropped. A timer does that for a stream that has become quiet."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark.sql import Row
from pyspark.sql import functions as F  # noqa: N812, its name everywhere
from pyspark.sql.streaming.stateful_processor import StatefulProcessor
from pyspark.sql.types import DateType, IntegralType, LongType, NumericType, StringType, TimestampNTZType, TimestampType

from deadheat.arriving_records import SettledReports, settle_within
from deadheat.errors import DeadheatError
from deadheat.records import MAX_PAUSE, LogRecord
from deadheat.spark.dataframes import spark_schema
from deadheat.spark.records.reports import RECORD_REPORTS, URI_SCHEME, ReportRows
from deadheat.spark.session import ROCKSDB, STATE_STORE_SETTING
from deadheat.spark.task_output import from_ipc, to_ipc
from deadheat.spark.tasks import record_batches

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pyspark.sql import Column, DataFrame
    from pyspark.sql.streaming.stateful_processor import ExpiredTimerInfo, StatefulProcessorHandle, TimerValues

# the records, and the time until which a report may be mixed with one that is gone
_STREAM_STATE = "records binary, suspect_until long"
_RECORD_SCHEMA = pa.schema([("key", pa.list_(pa.string())), ("text", pa.string()), ("time", pa.int64())])
_MICROSECONDS_PER_MILLISECOND = 1000


def stream_reports(
    df: DataFrame, key_names: Sequence[str], has_unique_keys: bool, watermark: str, max_state_bytes: int
) -> DataFrame:
    """The reports of a streaming DataFrame with the columns `stream`, `text`, `time` and those of the key."""
    _check_session(df)
    key = F.array(*(_sortable(df, name) for name in key_names))
    rows = df.withWatermark("time", watermark).select(
        "stream", "text", "time", F.unix_micros("time").alias("micros"), key.alias("key")
    )
    processor = _RecordProcessor(has_unique_keys, max_state_bytes, _interval_micros(df, watermark))
    batches = rows.groupBy("stream").transformWithState(processor, "reports binary", "Append", "EventTime")
    return batches.mapInArrow(_unpack_reports, spark_schema(RECORD_REPORTS))


def _check_session(df: DataFrame) -> None:
    if not (find_spec("google") and find_spec("google.protobuf")):  # of `transformWithState`
        raise DeadheatError("protobuf is not installed", do="pip install 'deadheat[spark]'")
    if df.sparkSession.conf.get(STATE_STORE_SETTING, "") != ROCKSDB:
        raise DeadheatError(
            "the state store is not RocksDB", do=f'spark.conf.set("{STATE_STORE_SETTING}", "{ROCKSDB}")'
        )


def _interval_micros(df: DataFrame, interval: str) -> int:
    day = "timestamp'2000-01-01 00:00:00'"
    length = F.expr(f"unix_micros({day} + interval {interval}) - unix_micros({day})")
    return int(df.sparkSession.range(1).select(length).collect()[0][0])


def _sortable(df: DataFrame, name: str) -> Column:
    """A column of the key as a string that sorts as its values do."""
    kind, column = df.schema[name].dataType, F.col(name)
    if isinstance(kind, (TimestampType, TimestampNTZType)):
        column, kind = F.unix_micros(column.cast("timestamp")), LongType()
    if isinstance(kind, NumericType):
        if not isinstance(kind, IntegralType):
            column = column.cast("decimal(29,9)") * 1_000_000_000
        # a sign, and digits of equal number; those of negative numbers sort in reverse
        digits = F.lpad(F.abs(column.cast("decimal(38,0)")).cast("string"), 38, "0")
        negative = F.translate(digits, "0123456789", "9876543210")
        return F.when(column < 0, F.concat(F.lit("-"), negative)).otherwise(digits)
    if isinstance(kind, (StringType, DateType)):
        return column.cast("string")
    raise DeadheatError(f"is {kind.simpleString()}, which has no order", name, "use a number, a string or a time")


def _unpack_reports(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        for content in batch.column(0).to_pylist():
            yield from from_ipc(content).to_batches()


class _RecordProcessor(StatefulProcessor):
    """Keeps the records of a stream until their reports are complete."""

    def __init__(self, has_unique_keys: bool, max_state_bytes: int, delay: int) -> None:
        self._has_unique_keys, self._max_state_bytes, self._delay = has_unique_keys, max_state_bytes, delay

    def init(self, handle: StatefulProcessorHandle) -> None:
        self._handle = handle
        self._stream = handle.getValueState("stream", _STREAM_STATE)
        self._rows = ReportRows()

    def handleInputRows(  # noqa: N802, as the next one: its name in Spark
        self,
        key: Any,
        rows: Iterator[Row],
        timerValues: TimerValues,  # noqa: N803
    ) -> Iterator[Row]:
        # Spark drops late records one batch later
        watermark = _watermark(timerValues)
        arrived = [
            LogRecord(tuple(row["key"]), row["text"], row["micros"], self._has_unique_keys)
            for row in rows
            if row["micros"] is not None and row["micros"] >= watermark
        ]
        yield from self._read(key[0], arrived, timerValues)

    def handleExpiredTimer(  # noqa: N802
        self,
        key: Any,
        timerValues: TimerValues,  # noqa: N803
        expiredTimerInfo: ExpiredTimerInfo,  # noqa: N803
    ) -> Iterator[Row]:
        yield from self._read(key[0], [], timerValues)

    def close(self) -> None:
        pass

    def _read(self, stream: str, arrived: list[LogRecord], timer_values: TimerValues) -> Iterator[Row]:
        """Read what is complete, and keep the rest."""
        watermark = _watermark(timer_values)
        stored, suspect_until = (self._stream.get() if self._stream.exists() else None) or (None, None)
        settled = settle_within(
            [*self._unpack_records(stored), *arrived], f"{URI_SCHEME}{stream}", watermark, self._delay, suspect_until,
            self._max_state_bytes,
        )  # fmt: skip
        self._keep(settled)
        found = [self._rows.row_of(stream, report) for report in settled.reports]
        if found:
            yield Row(reports=to_ipc([*record_batches(iter(found), RECORD_REPORTS)]))

    def _keep(self, settled: SettledReports) -> None:
        for timer in [*self._handle.listTimers()]:
            self._handle.deleteTimer(timer)
        if not settled.kept and settled.suspect_until is None:
            self._stream.clear()
            return
        self._stream.update((_pack_records(settled.kept), settled.suspect_until))
        # the last report of the stream is settled then, whether or not there are more records
        last = max((record.time or 0 for record in settled.kept), default=settled.suspect_until or 0)
        self._handle.registerTimer((last + 3 * MAX_PAUSE) // _MICROSECONDS_PER_MILLISECOND + 1)

    def _unpack_records(self, data: bytes | None) -> Iterator[LogRecord]:
        for row in from_ipc(bytes(data)).to_pylist() if data else ():
            yield LogRecord(tuple(row["key"]), row["text"], row["time"], self._has_unique_keys)


def _watermark(timer_values: TimerValues) -> int:
    return timer_values.getCurrentWatermarkInMs() * _MICROSECONDS_PER_MILLISECOND


def _pack_records(content: list[LogRecord]) -> bytes | None:
    columns = [[*record.key] for record in content], [r.text for r in content], [r.time for r in content]
    arrays = [pa.array(column, field.type) for column, field in zip(columns, _RECORD_SCHEMA, strict=True)]
    return to_ipc([pa.RecordBatch.from_arrays(arrays, schema=_RECORD_SCHEMA)])
