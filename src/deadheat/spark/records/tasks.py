"""The tasks that read files of log records, and that read reports for a lake. They need no Delta library."""

from __future__ import annotations

import io
import os
from itertools import groupby
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from deadheat import api
from deadheat.errors import DeadheatError, UnreadableError, unexpected_fault
from deadheat.lake import sighting_rows
from deadheat.lake.schema import REPORT_FIELDS
from deadheat.model import Sighting, Span
from deadheat.records import LogRecord, StreamReport, read_stream
from deadheat.sources import file_listing, files
from deadheat.sources.record_files import read_records
from deadheat.spark.records.reports import URI_SCHEME
from deadheat.spark.records.rows import write_streams
from deadheat.spark.stored_documents import names_before_rotation
from deadheat.spark.tasks import fault_text, record_batches, unpack_units
from deadheat.text.window import DocumentRange, OpenedDocument, StreamSource

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from deadheat.model import CiRun
    from deadheat.sources.record_files import RecordOptions
    from deadheat.spark.input_files import WorkUnit

    JsonDict = dict[str, Any]

# a record, or a fault of a file; a file is split into streams, but not into ranges
RECORD_SCHEMA = pa.schema(
    [
        *(("stream", pa.string()), ("key", pa.list_(pa.string())), ("file", pa.string()), ("position", pa.int64())),
        *(("text", pa.string()), ("time", pa.int64()), ("has_unique_key", pa.bool_()), ("is_partial", pa.bool_())),
        *(("fault", pa.string()), ("unopened", pa.bool_())),
    ]
)
NO_RECORDS_FAULT = "has no log records that are known; name their fields with --record-text, --record-time, …"
_FIELD_NAMES = [name for name, _ in REPORT_FIELDS]


def map_files(
    portions: Sequence[bytes], fields: RecordOptions, batches: Iterable[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    """A task of `mapInArrow`: the records in portions of files."""
    numbers = (number for batch in batches for number in batch.column(0).to_pylist())
    units = (unit for number in numbers for unit in unpack_units(portions[number]))
    yield from record_batches((row for unit in units for row in _read_unit(unit, fields)), RECORD_SCHEMA)


def _read_unit(unit: WorkUnit, fields: RecordOptions) -> Iterator[JsonDict]:
    name = min((unit.uri, *names_before_rotation(unit.uri)), key=len)
    count = 0
    fault, unopened = "", False
    try:
        with file_listing.open_file(os.fsdecode(unit.path), unit.size) as raw:
            for document in files.documents_in_file(raw, unit.uri, False, unit.limits):
                if isinstance(document, UnreadableError):
                    fault = fault_text(document)
                elif isinstance(document, OpenedDocument):
                    for stream, record in read_records(document, name, fields):
                        yield {"stream": stream, **record._asdict()}
                        count += 1
    except UnreadableError as error:
        fault = fault_text(error)
    except OSError as error:
        fault, unopened = file_listing.unreadable_error(unit.uri, error).what, True
    except DeadheatError as error:
        fault, unopened = str(error), True
    except Exception as error:  # noqa: BLE001, a fault in one file is recorded in its row
        fault = fault_text(unexpected_fault(error, unit.uri))
    if not count and not fault and unit.size:
        fault = NO_RECORDS_FAULT
    if fault:
        yield {"stream": "", "file": unit.uri, "fault": fault, "unopened": unopened}


def read_streams(lake: str, batch: str, run: CiRun, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """A task of `mapInArrow`: the reports in streams whose records are together and in order."""
    faults: list[JsonDict] = []

    def rows() -> Iterator[JsonDict]:
        for record_batch in batches:
            for row in record_batch.to_pylist():
                if row["fault"] is None:
                    yield row
                else:
                    faults.append({"uri": row["file"], "fault": row["fault"], "unopened": row["unopened"]})

    streams = (
        (stream, read_stream(map(_to_record, content), f"{URI_SCHEME}{stream}"))
        for stream, content in groupby(rows(), lambda row: row["stream"])
    )
    yield write_streams(lake, batch, run, streams, faults)


def _to_record(row: JsonDict) -> LogRecord:
    return LogRecord(
        tuple(row["key"]), row["text"], row["time"], row["has_unique_key"], row["is_partial"], row["file"],
        row["position"],
    )  # fmt: skip


def write_reports(lake: str, batch: str, run: CiRun, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
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
