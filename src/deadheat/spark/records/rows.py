"""The rows of the sightings in streams of records. Executors use it, so it needs no Delta library.

A stream of records is a document with the address `records:STREAM`. A sighting in it is located by its event time, so
that a report that is exported, or delivered, more than once counts once."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from deadheat._version import PARSER_VERSION
from deadheat.grouping.fingerprint import FINGERPRINT_VERSION
from deadheat.lake import documents, sighting_rows
from deadheat.lake.documents import FileContent
from deadheat.lake.kept_text import is_sufficient
from deadheat.model import Span
from deadheat.spark.records.reports import URI_SCHEME
from deadheat.spark.task_output import result_batch, write_task_output
from deadheat.spark.tasks import NewReport

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import pyarrow as pa

    from deadheat.model import CiRun, Sighting
    from deadheat.records import StreamReport

    JsonDict = dict[str, Any]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_VERSIONS = {"parser_version": PARSER_VERSION, "fingerprint_version": FINGERPRINT_VERSION}


class StreamRows:
    """Makes the rows of the sightings in streams of records. The state of one task."""

    def __init__(self, batch: str, run: CiRun) -> None:
        self._columns = {**run._asdict(), "ingest": batch, **_VERSIONS}
        self._columns.pop("time")
        self._default_time = run.time or datetime.now(UTC)
        self._known_digests: set[str] = set()

    def rows_of(self, stream: str, found: Iterable[StreamReport]) -> Iterator[JsonDict | FileContent]:
        """The rows of one stream: sightings with their variants, then faults."""
        uri = f"{URI_SCHEME}{stream}"
        reports: list[StreamReport] = []
        faults: list[StreamReport] = []
        for report in found:
            (faults if report.sighting is None else reports).append(report)
        document = documents.stream_id(uri)
        located = (sighting_rows.sighting_row(_located(report, uri)) for report in reports)
        count = checksum = 0
        for report, made in zip(reports, sighting_rows.add_variants(located), strict=True):
            row = {
                **made.row, **self._columns, "file": uri, "document": document,
                "observed_at": self._default_time if report.first_time is None else _to_time(report.first_time),
            }  # fmt: skip
            count, checksum = count + 1, documents.add_checksums(checksum, documents.sighting_checksum(uri, row))
            if made.report.digest not in self._known_digests:
                self._known_digests.add(made.report.digest)
                row["told"] = NewReport(made, report.text if is_sufficient(report.text, made.source) else None)
            yield row
        for report in faults:
            yield {"uri": uri, "fault": _fault_of(report), "unopened": False}
        yield FileContent(document, uri, sightings=count, checksum=checksum)


def _to_time(micros: int) -> datetime:
    return _EPOCH + timedelta(microseconds=micros)


def _located(report: StreamReport, uri: str) -> Sighting:
    """The sighting at its event time; without one, at its offset in the records that were read."""
    assert report.sighting is not None
    offset = report.span.offset if report.first_time is None else report.first_time
    return report.sighting._replace(uri=uri, span=Span(offset, len(report.text), report.sighting.span.stream))


def _fault_of(report: StreamReport) -> str:
    when = "" if report.first_time is None else f" of {_to_time(report.first_time).isoformat()}"
    why = "is mixed with another" if "mixed" in report.damage else "has lines whose order is not known"
    return f"a report ({report.detector}){when} {why}"


def write_streams(
    lake: str,
    batch: str,
    run: CiRun,
    streams: Iterable[tuple[str, Iterable[StreamReport]]],
    faults: Iterable[JsonDict] = (),
) -> pa.RecordBatch:
    """Write the sightings in some streams as the output of a task. `faults` are read after them."""
    writer = StreamRows(batch, run)

    def rows() -> Iterator[JsonDict | FileContent]:
        for stream, found in streams:
            yield from writer.rows_of(stream, found)
        yield from faults

    return result_batch(write_task_output(lake, batch, rows()))
