"""The map tasks: units in, rows of sightings and faults out. Also the data source `deadheat`.

`spark.read.format("deadheat").load(path)` reads the reports below a path."""

from __future__ import annotations

import io
import json
import os
import pickle
from itertools import islice
from typing import IO, TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa
from pyspark.sql.datasource import DataSource, DataSourceReader, DataSourceStreamReader, InputPartition

from deadheat._version import PARSER_VERSION
from deadheat.api import read_opened_documents
from deadheat.errors import DeadheatError, UnreadableError, unexpected_fault
from deadheat.grouping.fingerprint import FINGERPRINT_VERSION
from deadheat.lake import documents, kept_text, report_row, sighting_rows
from deadheat.lake.documents import FileContent
from deadheat.lake.schema import REPORT_FIELDS, REPORTS, SIGHTINGS, TEXT, TEXTS
from deadheat.model import Sighting
from deadheat.parsing.report_reader import RANGE_OVERLAP
from deadheat.sources import file_listing, files
from deadheat.spark.dataframes import spark_schema
from deadheat.spark.input_files import list_work, pack_units
from deadheat.text import decoding
from deadheat.text.window import DocumentRange, OpenedDocument

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from pyspark.sql import SparkSession
    from pyspark.sql.streaming.datasource import ReadLimit
    from pyspark.sql.types import StructType

    from deadheat.api import DocumentItem
    from deadheat.lake.documents import KnownDocument
    from deadheat.lake.sighting_rows import SightingRow
    from deadheat.sources.file_listing import ListedFile
    from deadheat.spark.input_files import WorkUnit

    JsonDict = dict[str, Any]


# the reader splits lines that are longer; they are reported as a fault
MAX_LINE_BYTES = 1 << 24
_EDGE_BYTES = 1 << 12
LONG_LINE_FAULT = f"has a line of more than {MAX_LINE_BYTES >> 20} MiB, read in pieces; a report in it may be missing"


class LineLengthFile(io.RawIOBase):
    """A file that records whether a long line was read. Closing it does not close the wrapped file."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._length = 0
        self.has_long_line = False

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return self._file.seekable()

    def seek(self, offset: int, whence: int = 0, /) -> int:
        self._length = 0
        return self._file.seek(offset, whence)

    def tell(self) -> int:
        return self._file.tell()

    def fileno(self) -> int:
        return self._file.fileno()

    def read(self, size: int = -1, /) -> bytes:
        data = self._file.read(size)
        self._track_line_length(len(data), data.find(b"\n"), data.rfind(b"\n"))
        return data

    def readinto(self, buffer: Any, /) -> int:
        count = self._file.readinto(buffer) or 0  # type: ignore[attr-defined]
        if not count:
            return 0
        # usually there is a line end near both ends of a block
        ends = bytes(buffer[:_EDGE_BYTES]), bytes(buffer[max(0, count - _EDGE_BYTES) : count])
        first, last = ends[0].find(b"\n", 0, count), ends[1].rfind(b"\n")
        if first < 0 or last < 0:
            data = bytes(buffer[:count])
            first, last = data.find(b"\n"), data.rfind(b"\n")
        else:
            last += max(0, count - _EDGE_BYTES)
        self._track_line_length(count, first, last)
        return count

    def _track_line_length(self, count: int, first: int, last: int) -> None:
        """Update the state for a block of `count` bytes with its first and last line end."""
        line_length = self._length + (count if first < 0 else first)
        self.has_long_line |= line_length > MAX_LINE_BYTES
        self._length = line_length if first < 0 else count - last - 1


# a sighting or a fault; a report is included in the first of its sightings in a task
TASK_ROW_SCHEMA = pa.schema(
    [*SIGHTINGS, pa.field("told", pa.struct(list(REPORTS))), pa.field("fault", TEXT), pa.field("unopened", pa.bool_())]
)
# a sighting whose variant is determined later, with what that needs
DEFERRED_SCHEMA = pa.schema([*SIGHTINGS, ("address", TEXT), ("actors", TEXTS)])
_BATCH_ROWS = 1024
_MAX_KNOWN_REPORTS = 1 << 18
_RUN_COLUMNS = ("observed_at", "repo", "commit", "branch", "job", "run")
_VERSIONS = {"parser_version": PARSER_VERSION, "fingerprint_version": FINGERPRINT_VERSION}
# recent bytes of a stream kept for the text of reports
_RECENT_BYTES = 1 << 22


class NewReport(NamedTuple):
    """The first sighting of a report in a task, and its text."""

    sighting: SightingRow
    text: bytes | None

    @property
    def values(self) -> tuple[Any, ...]:
        """The row of the report, in the order of its columns."""
        return (*self.sighting.report.row, self.text, self.sighting.row["names"], PARSER_VERSION, FINGERPRINT_VERSION)


def map_portions(portions: Sequence[bytes], batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """A task of `mapInArrow`: the sightings and faults in portions of units, each sighting with its report."""
    numbers = (number for batch in batches for number in batch.column(0).to_pylist())
    units = (unit for number in numbers for unit in unpack_units(portions[number]))
    return record_batches(row for row in UnitReader(repeat_reports=True).read_units(units) if isinstance(row, dict))


def unpack_units(portion: bytes) -> list[WorkUnit]:
    """The units of a task. They were pickled by `pack_units` on our driver."""
    units: list[WorkUnit] = pickle.loads(portion)  # noqa: S301
    return units


def record_batches(rows: Iterator[JsonDict], schema: pa.Schema = TASK_ROW_SCHEMA) -> Iterator[pa.RecordBatch]:
    while chunk := list(islice(rows, _BATCH_ROWS)):
        yield record_batch(chunk, schema)


def record_batch(content: list[JsonDict], schema: pa.Schema) -> pa.RecordBatch:
    """Rows as a record batch. A report, if included, is a struct column."""
    flat_schema = pa.schema([field for field in schema if field.name != "told"])
    try:
        batch = pa.RecordBatch.from_pylist(content, flat_schema)
    except UnicodeEncodeError:
        batch = pa.RecordBatch.from_pylist([report_row.replace_surrogates(row) for row in content], flat_schema)
    if "told" not in schema.names:
        return batch
    return batch.add_column(schema.names.index("told"), schema.field("told"), _report_column(content))


def _report_column(content: list[JsonDict]) -> pa.Array:
    report_values = [row["told"].values for row in content if "told" in row]
    if not report_values:
        return pa.nulls(len(content), TASK_ROW_SCHEMA.field("told").type)
    reports = report_row.reports_table(report_values)
    row_indexes = {digest: index for index, digest in enumerate(reports["digest"].to_pylist())}
    wanted = [row_indexes[row["report"]] if "told" in row else None for row in content]
    return pa.concat_arrays(reports.to_struct_array().chunks).take(pa.array(wanted, pa.int64()))


class _UnitContent:
    """A unit that is being read: which part of the file, as which document."""

    def __init__(self, raw: Any, unit: WorkUnit) -> None:
        self._raw, self.unit = raw, unit
        head = raw.read(decoding.HEAD_SIZE)
        self._small = head if len(head) < decoding.HEAD_SIZE else b""
        # the file may have grown, or be another one, since it was listed
        self.size = unit.size if file_listing.is_remote(unit.uri) else self._read_size()
        self._head = documents.bytes_digest(head[: min(documents.END_BYTES, self.size)])
        can_be_split = files.can_be_split(head, unit.uri)
        self._known = next((known for known in unit.known if self._is_continued(head, known)), None)
        # a file that cannot be split is read again as a whole
        self._beginning: KnownDocument | None = None
        if not can_be_split:
            self._beginning, self._known = self._known, None
        first_start = max(0, self._known.length - RANGE_OVERLAP) if self._known else 0
        # ranges that begin where an earlier file ended are of no use if the file does not continue it
        is_part = can_be_split and unit.is_range and (self._known is not None or not unit.first_start)
        self.is_deferred = is_part or self._known is not None
        self.start, self.end = (max(unit.start, first_start), unit.end) if self.is_deferred else (0, None)
        if self._known:
            self._is_first = unit.start <= first_start
            self.is_read = self.end is None or self.end > first_start
        else:
            self._is_first = unit.start == unit.first_start
            self.is_read = is_part or self._is_first
        self.is_plain = self.is_deferred or (can_be_split and files.is_plain_log(head, unit.uri, unit.named))
        raw.seek(0)
        self._is_packed = not can_be_split and file_listing.is_packed_file(head)
        earlier = self._known or self._beginning
        self.document = earlier.document if earlier else unit.document
        self._replaces_from = first_start
        self.sightings = self.checksum = 0
        self.decoded: RecentText | None = None

    def _is_continued(self, head: bytes, known: KnownDocument) -> bool:
        """Does the file begin with all that was read before?"""
        if self.size <= known.length:
            return False
        if documents.bytes_digest(head[: min(documents.END_BYTES, known.length)]) != known.head:
            return False
        return self._tail_at(known.length) == known.tail

    def _read_size(self) -> int:
        return len(self._small) if self._small else int(self._raw.seek(0, io.SEEK_END))

    def _tail_at(self, end: int) -> str:
        start = max(0, end - documents.END_BYTES)
        if end <= len(self._small):
            return documents.bytes_digest(self._small[start:end])
        self._raw.seek(start)
        return documents.bytes_digest(self._raw.read(end - start))

    def add_row(self, row: JsonDict) -> None:
        self.sightings += 1
        self.checksum = documents.add_checksums(self.checksum, documents.sighting_checksum(self.unit.uri, row))

    def to_file_content(self) -> FileContent:
        """What was read. Only the first range of a file describes its ends."""
        counts = self.sightings, self.checksum, self._replaces_from
        if not self._is_first:
            return FileContent(self.document, self.unit.uri, 0, "", "", "", *counts)
        tail = self._tail_at(self.size)
        ends, continues = documents.ends_digest(self.size, self._head, tail), None
        if self.decoded is not None:
            ends = self.decoded.ends_digest()
            continues = next(filter(self.decoded.continues, self.unit.known), None)
        continues = self._beginning or continues
        has_grown = self._known is not None or continues is not None
        content = FileContent(
            self.document, self.unit.uri, self.size, self._head, tail, ends, *counts, continues, has_grown
        )
        # text that is added to a bug report may change what the report says as a whole
        if continues is None or not self._is_packed or self._beginning:
            return content
        return content._replace(replaces_from=max(0, continues.length - RANGE_OVERLAP))


class RecentText:
    """Passes the bytes of a document on, and keeps the recent ones."""

    def __init__(self, document: OpenedDocument, known: tuple[KnownDocument, ...] = ()) -> None:
        self._read, self._head = document.read, document.head
        self._recent, self.length = bytearray(document.head), len(document.head)
        self._tails = dict.fromkeys((one.length for one in known), "")
        self._add_tails(0)

    def read(self, size: int) -> bytes:
        block = self._read(size)
        before, self.length = self.length, self.length + len(block)
        # a decompressor may return the first bytes piece by piece
        self._head += block[: max(0, documents.END_BYTES - len(self._head))]
        self._recent += block
        self._add_tails(before)
        if len(self._recent) > 2 * _RECENT_BYTES:
            del self._recent[:-_RECENT_BYTES]
        return block

    def _add_tails(self, before: int) -> None:
        for end in self._tails:
            if before < end <= self.length:
                self._tails[end] = documents.bytes_digest(self.read_between(max(0, end - documents.END_BYTES), end))

    def read_between(self, low: int, high: int) -> bytes:
        base = self.length - len(self._recent)
        return bytes(self._recent[low - base : high - base]) if low >= base else b""

    def ends_digest(self) -> str:
        size = documents.END_BYTES
        head = documents.bytes_digest(self._head[:size])
        return documents.ends_digest(self.length, head, documents.bytes_digest(bytes(self._recent[-size:])))

    def continues(self, known: KnownDocument) -> bool:
        """Does the document begin with another one that was read before, under its earlier name?"""
        head = documents.bytes_digest(self._head[: min(documents.END_BYTES, known.length)])
        return known.length < self.length and (head, self._tails[known.length]) == (known.head, known.tail)


class UnitReader:
    """The state of one task."""

    def __init__(self, ingest: str = "", repeat_reports: bool = False, defer_grouping: bool = True) -> None:
        self._ingest, self._repeat_reports, self._defer_grouping = ingest, repeat_reports, defer_grouping
        self._known_digests: set[str] = set()
        self._read_between: Callable[[int, int], bytes] = lambda low, high: b""

    def read_units(self, units: Iterable[WorkUnit]) -> Iterator[JsonDict | FileContent]:
        """Yield the rows of sightings and faults, and what was read of each file after them."""
        for unit in units:
            try:
                raw = file_listing.open_file(os.fsdecode(unit.path), unit.size, unit.end)
                with raw:
                    yield from self._read_unit(raw, unit)
            except OSError as error:
                fault = file_listing.unreadable_error(unit.uri, error)
                yield {"uri": unit.uri, "file": unit.uri, "fault": fault.what, "unopened": True}
            except DeadheatError as error:
                yield {"uri": unit.uri, "file": unit.uri, "fault": str(error), "unopened": True}
            except Exception as error:  # noqa: BLE001, other files are read
                text = fault_text(unexpected_fault(error, unit.uri))
                yield {"uri": unit.uri, "file": unit.uri, "fault": text, "unopened": True}

    def _read_unit(self, raw: Any, unit: WorkUnit) -> Iterator[JsonDict | FileContent]:
        content = _UnitContent(raw, unit)
        if not content.is_read:
            return
        columns = {name: getattr(unit, name) for name in _RUN_COLUMNS}
        columns |= {"file": unit.uri, "document": content.document, "ingest": self._ingest, **_VERSIONS}
        line_file = LineLengthFile(raw)
        for row in self._read_file(line_file, content):
            if "fault" not in row:
                content.add_row(row)
            yield {**row, **columns}
        if line_file.has_long_line:
            yield {"uri": unit.uri, "fault": LONG_LINE_FAULT, "unopened": False, **columns}
        yield content.to_file_content()

    def _read_file(self, raw: Any, content: _UnitContent) -> Iterator[JsonDict]:
        uri = content.unit.uri
        try:
            if content.is_plain:
                found: files.SourceDocuments = iter([files.open_range(raw, uri, content.start, content.end)])
            else:
                found = files.documents_in_file(raw, uri, not content.unit.named, content.unit.limits)
            items = read_opened_documents(self._keep_text(found, content))
            yield from self._rows_of_file(items, content.is_deferred and self._defer_grouping)
        except Exception as error:  # noqa: BLE001, a fault in one file is recorded in its row
            yield {"uri": uri, "fault": fault_text(unexpected_fault(error, uri))[:1000], "unopened": False}

    def _keep_text(self, found: files.SourceDocuments, content: _UnitContent) -> files.SourceDocuments:
        """Yield the documents, and make the text of the current one available."""
        for document in found:
            if isinstance(document, DocumentRange):
                self._read_between = document.read_between
            elif isinstance(document, OpenedDocument):
                recent = RecentText(document, content.unit.known if document.uri == content.unit.uri else ())
                self._read_between = recent.read_between
                if document.uri == content.unit.uri:
                    content.decoded = recent
                document = document._replace(read=recent.read)
            yield document

    def _rows_of_file(
        self, rows_found: Iterator[DocumentItem | UnreadableError], is_deferred: bool
    ) -> Iterator[JsonDict]:
        faults: list[UnreadableError] = []
        sighting_list = map(sighting_rows.sighting_row, _only_sightings(rows_found, faults))
        # the variants of a document that is read in ranges are determined later
        for sighting in sighting_list if is_deferred else sighting_rows.add_variants(sighting_list):
            yield self.row_of_sighting(sighting, is_deferred)
        for fault in faults:
            yield {"uri": fault.where, "fault": fault_text(fault), "unopened": False}

    def row_of_sighting(self, sighting: SightingRow, is_deferred: bool = False) -> JsonDict:
        row, digest = sighting.row, sighting.report.digest
        if is_deferred:
            row |= {"address": sighting.address, "actors": sighting.actors}
        if digest in self._known_digests and not self._repeat_reports:
            return row
        if len(self._known_digests) > _MAX_KNOWN_REPORTS:
            self._known_digests.clear()
        self._known_digests.add(digest)
        return {**row, "told": NewReport(sighting, self._text_of(sighting))}

    def _text_of(self, sighting: SightingRow) -> bytes | None:
        row = sighting.row
        try:
            return kept_text.kept_text(self._read_between, row["offset"], row["length"], sighting.source)
        except (OSError, DeadheatError):
            return None


def _only_sightings(
    rows_found: Iterator[DocumentItem | UnreadableError], faults: list[UnreadableError]
) -> Iterator[Sighting]:
    """Yield the sightings. Faults are collected, bug reports without a report are skipped."""
    for sighting in rows_found:
        if isinstance(sighting, UnreadableError):
            faults.append(sighting)
        elif isinstance(sighting, Sighting):
            yield sighting


def fault_text(fault: UnreadableError) -> str:
    """The message of a fault without its URI, which has its own column."""
    return f"{fault.what}; {fault.do}" if fault.do else fault.what


# a data source does not know the number of cores
_PARTITIONS = 8
# cached rows of equal reports
_MAX_CACHED_REPORTS = 1024
_LOCATION_COLUMNS = ("uri", "offset", "length", "lane", "observed_at", "node")
SOURCE_SCHEMA = pa.schema([*(SIGHTINGS.field(name) for name in _LOCATION_COLUMNS), *pa.schema(REPORT_FIELDS)])


def register(spark: SparkSession) -> None:
    spark.dataSource.register(DeadheatSource)


class DeadheatSource(DataSource):
    """The format `deadheat`. Unreadable files are skipped; `ingest` records them."""

    @classmethod
    def name(cls) -> str:
        return "deadheat"

    def schema(self) -> StructType:
        return spark_schema(SOURCE_SCHEMA)

    def reader(self, schema: StructType) -> DataSourceReader:
        return _DeadheatSourceReader(self._path())

    def streamReader(self, schema: StructType) -> DataSourceStreamReader:  # noqa: N802, its name in Spark
        return _DeadheatStreamReader(self._path())

    def _path(self) -> str:
        path = self.options.get("path")
        if not path:
            raise DeadheatError("no path", do='spark.read.format("deadheat").load(path)')
        return path


def _read_portion(portion: bytes) -> Iterator[pa.RecordBatch]:
    rows = UnitReader(repeat_reports=True, defer_grouping=False).read_units(unpack_units(portion))
    sightings = (row for row in rows if isinstance(row, dict) and "fault" not in row)
    return record_batches(_source_rows(sightings), SOURCE_SCHEMA)


class _DeadheatSourceReader(DataSourceReader):
    def __init__(self, path: str) -> None:
        self._path = path

    def partitions(self) -> Sequence[InputPartition]:
        return [InputPartition(portion) for portion in pack_units(list_work([self._path]), _PARTITIONS)]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        return _read_portion(partition.value)


class _DeadheatStreamReader(DataSourceStreamReader):
    """A stream of the reports in files that are new or changed since the last batch.

    The offset is the time of the newest file, and the files of that time. A file that is modified later is read
    again as a whole; use `deadheat ingest --watch` for logs that grow.
    """

    def __init__(self, path: str) -> None:
        self._path = path

    def initialOffset(self) -> dict[str, Any]:  # noqa: N802, as the next one: its name in Spark
        return {"modified": -1, "uris": "[]"}

    def latestOffset(self, start: dict[str, Any], limit: ReadLimit) -> dict[str, Any]:  # noqa: N802
        listed = [work.file for work in list_work([self._path])]
        newest = max(map(_modified_microseconds, listed), default=-1)
        uris = sorted(file.uri for file in listed if _modified_microseconds(file) == newest)
        return {"modified": newest, "uris": json.dumps(uris)}

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> Sequence[InputPartition]:
        wanted = [work for work in list_work([self._path]) if _is_between(work.file, start, end)]
        return [InputPartition(portion) for portion in pack_units(wanted, _PARTITIONS)] if wanted else []

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        return _read_portion(partition.value)


def _modified_microseconds(file: ListedFile) -> int:
    return round(file.modified * 1e6)


def _is_between(file: ListedFile, start: dict[str, Any], end: dict[str, Any]) -> bool:
    """Was a file modified after the first offset and not after the second?"""
    modified, first, last = _modified_microseconds(file), start["modified"], end["modified"]
    is_after = modified > first or (modified == first and file.uri not in json.loads(start["uris"]))
    return is_after and (modified < last or (modified == last and file.uri in json.loads(end["uris"])))


def _source_rows(rows: Iterator[JsonDict]) -> Iterator[JsonDict]:
    """The rows of this format: each report as printed, and its position."""
    cached: dict[str, JsonDict] = {}
    for row in rows:
        new_report = row["told"]
        digest = new_report.sighting.report.digest
        if (report_dict := cached.get(digest)) is None:
            if len(cached) == _MAX_CACHED_REPORTS:
                cached.clear()
            (report_dict,) = report_row.reports_table([new_report.values]).to_pylist()
            cached[digest] = report_dict
        yield {**report_row.restore_names(report_dict, row["names"]), **{key: row[key] for key in _LOCATION_COLUMNS}}
