"""The map tasks: units in, rows of sightings and faults out. Also the data source `deadheat`.

`spark.read.format("deadheat").load(path)` reads the reports below a path."""

from __future__ import annotations

import io
import os
from itertools import islice
from typing import IO, TYPE_CHECKING, Any

import pyarrow as pa
from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition

from deadheat.api import read_opened_documents
from deadheat.errors import DeadheatError, UnreadableError
from deadheat.lake import report_row, sighting_rows
from deadheat.lake.schema import REPORT_FIELDS, REPORTS, SIGHTINGS, TEXT, TEXTS
from deadheat.model import Sighting
from deadheat.sources import file_listing, files
from deadheat.spark.dataframes import spark_schema
from deadheat.spark.input_files import list_work, pack_units
from deadheat.text import decoding

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import StructType

    from deadheat.api import DocumentItem
    from deadheat.lake.sighting_rows import SightingRow
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
# a sighting in the output of a task; the last two columns are needed if it has no variant yet
STAGED_SCHEMA = pa.schema([*SIGHTINGS, ("address", TEXT), ("actors", TEXTS)])
_BATCH_ROWS = 1024
_MAX_KNOWN_REPORTS = 1 << 18
_RUN_COLUMNS = ("observed_at", "repo", "commit", "branch", "job", "run")


def map_units(units: DataFrame) -> DataFrame:
    """The sightings and faults in units, each sighting with its report."""
    return units.mapInArrow(_map_batches, spark_schema(TASK_ROW_SCHEMA))


def _map_batches(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    units = (unit for batch in batches for unit in batch.to_pylist())
    return record_batches(_UnitReader(repeat_reports=True).read_units(units))


def read_units(units: Iterable[WorkUnit], ingest: str) -> Iterator[JsonDict]:
    """Yield the sightings and faults in units. A report is included in its first sighting only."""
    return _UnitReader(ingest).read_units(unit._asdict() for unit in units)


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
    report_values = [row["told"].report.row for row in content if "told" in row]
    if not report_values:
        return pa.nulls(len(content), TASK_ROW_SCHEMA.field("told").type)
    reports = report_row.reports_table(report_values)
    row_indexes = {digest: index for index, digest in enumerate(reports["digest"].to_pylist())}
    wanted = [row_indexes[row["report"]] if "told" in row else None for row in content]
    return pa.concat_arrays(reports.to_struct_array().chunks).take(pa.array(wanted, pa.int64()))


class _UnitReader:
    """The state of one task."""

    def __init__(self, ingest: str = "", repeat_reports: bool = False, defer_grouping: bool = True) -> None:
        self._ingest, self._repeat_reports, self._defer_grouping = ingest, repeat_reports, defer_grouping
        self._known_digests: set[str] = set()

    def read_units(self, units: Iterator[JsonDict]) -> Iterator[JsonDict]:
        for unit in units:
            run_columns = {key: unit[key] for key in _RUN_COLUMNS}
            run_columns |= {"file": unit["uri"], "ingest": self._ingest}
            for row in self._read_unit(unit):
                yield {**row, **run_columns}

    def _read_unit(self, unit: JsonDict) -> Iterator[JsonDict]:
        try:
            raw = file_listing.open_file(os.fsdecode(unit["path"]))
        except OSError as error:
            fault = file_listing.unreadable_error(unit["uri"], error)
            yield {"uri": unit["uri"], "fault": fault.what, "unopened": True}
            return
        except DeadheatError as error:
            yield {"uri": unit["uri"], "fault": str(error), "unopened": True}
            return
        with raw:
            line_file = LineLengthFile(raw)
            yield from self._read_file(line_file, unit)
            if line_file.has_long_line:
                yield {"uri": unit["uri"], "fault": LONG_LINE_FAULT, "unopened": False}

    def _read_file(self, raw: Any, unit: JsonDict) -> Iterator[JsonDict]:
        uri, ranged = unit["uri"], unit["ranged"]
        try:
            if ranged or files.is_plain_log(_read_head(raw), uri, unit["named"]):
                documents: files.SourceDocuments = iter([files.open_range(raw, uri, unit["start"], unit["end"])])
            else:
                documents = files.documents_in_file(raw, uri, not unit["named"])
            yield from self._rows_of_file(read_opened_documents(documents), ranged)
        except Exception as error:  # noqa: BLE001, a fault in one file is recorded in its row
            yield {"uri": uri, "fault": f"reading failed ({error!r})"[:1000], "unopened": False}

    def _rows_of_file(self, rows_found: Iterator[DocumentItem | UnreadableError], ranged: bool) -> Iterator[JsonDict]:
        faults: list[UnreadableError] = []
        sighting_list = map(sighting_rows.sighting_row, _only_sightings(rows_found, faults))
        # a document that is read in ranges is grouped later
        is_deferred = ranged and self._defer_grouping
        for sighting in sighting_list if is_deferred else sighting_rows.add_variants(sighting_list):
            yield self._row_of_sighting(sighting, is_deferred)
        for fault in faults:
            yield {"uri": fault.where, "fault": fault_text(fault), "unopened": False}

    def _row_of_sighting(self, sighting: SightingRow, is_deferred: bool) -> JsonDict:
        row, digest = sighting.row, sighting.report.digest
        if is_deferred:
            row |= {"address": sighting.address, "actors": sighting.actors}
        if digest in self._known_digests and not self._repeat_reports:
            return row
        if len(self._known_digests) > _MAX_KNOWN_REPORTS:
            self._known_digests.clear()
        self._known_digests.add(digest)
        return {**row, "told": sighting}


def _read_head(raw: files.SeekableFile) -> bytes:
    head = raw.read(decoding.HEAD_SIZE)
    raw.seek(0)
    return head


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
        path = self.options.get("path")
        if not path:
            raise DeadheatError("no path", do='spark.read.format("deadheat").load(path)')
        return _DeadheatSourceReader(path)


class _DeadheatSourceReader(DataSourceReader):
    def __init__(self, path: str) -> None:
        self._path = path

    def partitions(self) -> Sequence[InputPartition]:
        return [InputPartition(portion) for portion in pack_units(list_work([self._path]), _PARTITIONS)]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        units = (unit._asdict() for unit in partition.value)
        rows = _UnitReader(repeat_reports=True, defer_grouping=False).read_units(units)
        return record_batches(_source_rows(row for row in rows if "fault" not in row), SOURCE_SCHEMA)


def _source_rows(rows: Iterator[JsonDict]) -> Iterator[JsonDict]:
    """The rows of this format: each report as printed, and its position."""
    cached: dict[str, JsonDict] = {}
    for row in rows:
        report = row["told"].report
        if (report_dict := cached.get(report.digest)) is None:
            if len(cached) == _MAX_CACHED_REPORTS:
                cached.clear()
            (report_dict,) = report_row.reports_table([report.row]).to_pylist()
            cached[report.digest] = report_dict
        yield {**report_row.restore_names(report_dict, row["names"]), **{key: row[key] for key in _LOCATION_COLUMNS}}
