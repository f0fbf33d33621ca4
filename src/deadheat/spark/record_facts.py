"""Adds the reports in log records to a lake.

A stream of records is a document with the address `records:STREAM`. A sighting in it is located by its event time, so
that a report that is exported, or delivered, more than once counts once."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from deadheat._version import PARSER_VERSION
from deadheat.grouping.fingerprint import FINGERPRINT_VERSION
from deadheat.lake import documents, sighting_rows, transactions
from deadheat.lake.data_files import is_in
from deadheat.lake.documents import FileContent
from deadheat.lake.kept_text import is_sufficient
from deadheat.lake.schema import FILES, INGESTS
from deadheat.model import Span
from deadheat.spark.fact_changes import FactChanges, FactCounts
from deadheat.spark.record_reports import URI_SCHEME
from deadheat.spark.task_output import TaskOutput, result_batch, write_task_output
from deadheat.spark.tasks import NewReport

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from pyspark.sql import SparkSession

    from deadheat.lake.tables import Lake
    from deadheat.lake.transactions import Intent
    from deadheat.model import CiRun, Sighting
    from deadheat.records import StreamReport
    from deadheat.spark.input_files import IngestPlan

    JsonDict = dict[str, Any]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_LOCATION_COLUMNS = ("uri", "offset", "length", "lane", "report", "names")
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


class RecordChanges(FactChanges):
    """The change of the facts for reports in log records. Sightings that the lake has are not added again."""

    def __init__(
        self,
        session: Callable[[], SparkSession],
        lake: Lake,
        plan: IngestPlan,
        output: TaskOutput,
        batch: str,
        file_rows: Iterable[JsonDict] = (),
        query: tuple[str, int] | None = None,
    ) -> None:
        super().__init__(session, lake, plan, output, batch)
        self._source_rows, self._query = [*file_rows], query

    def build(self, state: int) -> Intent | None:
        if self._query and is_committed(self._lake, *self._query):
            return None
        self._attempt += 1
        self._name = f"{self._batch}-{self._attempt}" if self._attempt > 1 else self._batch
        self._changes, self.counts = {}, FactCounts(files=len(self._source_rows))
        rows = self._new_sightings()
        self._write("sightings", rows)
        self._add_reports()
        self._add_rejects()
        if not rows.num_rows and not self._source_rows and not self._changes["rejects"].add:
            return None
        file_rows = [*({**row, "state": state} for row in self._source_rows), *self._stream_rows(rows, state)]
        self._write("files", pa.Table.from_pylist(file_rows, FILES))
        self.counts.sightings = rows.num_rows
        row = {
            "state": state, "ingest": self._batch, "what": "ingest", "committed_at": datetime.now(UTC),
            "files": self.counts.files, "sightings": self.counts.sightings, "reports": self.counts.reports,
            "recount": [],
        }  # fmt: skip
        self._write("ingests", pa.Table.from_pylist([row], INGESTS))
        intent = transactions.facts_intent(self._name, state, self._changes)
        query = (self._query[0], self._query[1] + 1) if self._query else None
        return transactions.Intent(intent.batch, state, intent.changes, query=query)

    def _new_sightings(self) -> pa.Table:
        """The sightings that the lake does not have yet."""
        rows = self._output.rows_of({content.document for content in self._output.contents.values()})
        uris = {*rows["uri"].to_pylist()}
        if not uris:
            return rows
        low, high = min(uris), max(uris)
        files = [file for file in self._lake.data_files("sightings") if file.may_contain("uri", low, high)]
        stored = self._lake.read_rows("sightings", _LOCATION_COLUMNS, is_in("uri", uris), files).to_pylist()
        known = {_location(row) for row in stored}
        wanted = []
        for row in rows.select(_LOCATION_COLUMNS).to_pylist():
            wanted.append(_location(row) not in known)
            known.add(_location(row))
        return rows.filter(pa.array(wanted, pa.bool_()))

    def _stream_rows(self, rows: pa.Table, state: int) -> Iterator[JsonDict]:
        """The rows of `files` of the streams with new sightings."""
        names = {*rows["document"].to_pylist()}
        columns = ("document", "state", "sightings", "checksum")
        stored = self._lake.read_rows("files", columns, is_in("document", names)).to_pylist() if names else []
        newest = {row["document"]: row for row in sorted(stored, key=itemgetter("state"))}
        ordered = sorted(rows.to_pylist(), key=itemgetter("uri"))
        for uri, group in groupby(ordered, itemgetter("uri")):
            content = list(group)
            known = newest.get(content[0]["document"], {"sightings": 0, "checksum": 0})
            sums = (documents.sighting_checksum(uri, row) for row in content)
            yield {
                "uri": uri, "document": content[0]["document"],
                **{name: content[0][name] for name in ("repo", "run", "job")},
                "length": 0, "modified_at": max(row["observed_at"] for row in content), "head": "", "tail": "",
                "sightings": known["sightings"] + len(content),
                "checksum": documents.add_checksums(known["checksum"], *sums), "state": state, "ingest": self._batch,
            }  # fmt: skip


def _location(row: JsonDict) -> tuple[Any, ...]:
    return (*(row[name] for name in _LOCATION_COLUMNS[:-1]), *row["names"])


def is_committed(lake: Lake, query: str, batch: int) -> bool:
    """Whether a batch of a streaming query is in the lake."""
    return lake.transaction_number("ingests", transactions.query_application(query)) > batch


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
