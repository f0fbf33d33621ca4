"""The output of map tasks: small results are returned to the driver, large ones are files."""

from __future__ import annotations

import gc
import uuid
from functools import cached_property, partial
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from deadheat.grouping.races import first_variant_aliases
from deadheat.lake import report_row, sighting_rows, transactions
from deadheat.lake.schema import REPORTS, SIGHTINGS
from deadheat.lake.storage import LakeStorage
from deadheat.lake.transactions import STAGING_FOLDER
from deadheat.spark import dataframes, input_files
from deadheat.spark.tasks import STAGED_SCHEMA, read_units, record_batch

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pyspark.sql import DataFrame, SparkSession

    from deadheat.grouping.keys import GroupingKey
    from deadheat.grouping.races import VariantAliases
    from deadheat.lake.report_row import ReportDetails
    from deadheat.lake.sighting_rows import SightingRow
    from deadheat.lake.tables import Lake
    from deadheat.spark.input_files import FileWork, WorkUnit

    JsonDict = dict[str, Any]


_ROWS_PER_WRITE = 4096
# new objects between two runs of the garbage collector
_GC_THRESHOLD = 1_000_000


class TaskRows(NamedTuple):
    """The rows of a task: in a file, or in memory."""

    row_count: int
    file: str | None = None
    size: int = 0
    stats: str = ""
    content: bytes | None = None


class ReportFacts(NamedTuple):
    digest: str
    details: ReportDetails
    key: GroupingKey
    aliases: VariantAliases  # the derived aliases of its variant, which are the most expensive part


class ReadFault(NamedTuple):
    """A file that could not be read, why, and whether it could not be opened at all."""

    uri: str
    what: str
    unopened: bool


class TaskResult(NamedTuple):
    sightings: TaskRows
    reports: TaskRows
    report_facts: list[ReportFacts] | None  # of each report, unless there are too many
    faults: list[ReadFault]


def write_task_output(
    lake: str, folder: str, batch: str, max_rows: int, min_file_rows: int, portions: Iterable[Iterable[WorkUnit]]
) -> Iterator[TaskResult]:
    """Read units and write their sightings from the Python worker.

    This is faster than passing rows to the JVM. Up to `max_rows` sightings are returned as one
    binary value that the JVM does not decode, and so are reports if there are fewer than
    `min_file_rows`. The name of a file is returned only when the file is complete, so files of
    failed or repeated tasks are ignored.
    """
    _freeze_garbage_collector()
    storage = LakeStorage(lake)
    sightings = _RowWriter(storage, folder, "sightings", STAGED_SCHEMA, max_rows)
    reports = _RowWriter(storage, folder, "reports", REPORTS, min(max_rows, min_file_rows - 1))
    report_facts: list[ReportFacts] = []
    faults: list[ReadFault] = []
    rows_found = read_units(chain.from_iterable(portions), batch)
    for rows, first_reports in _row_portions(rows_found, faults):
        sightings.write([record_batch(rows, STAGED_SCHEMA)])
        reports.write(report_row.reports_table([sighting.report.row for sighting in first_reports]).to_batches())
        if reports.count <= max_rows:
            report_facts += map(_report_facts, first_reports)
    if sightings.count or faults:
        has_few_reports = reports.count <= max_rows
        yield TaskResult(sightings.close(), reports.close(), report_facts if has_few_reports else None, faults)


def _report_facts(sighting: SightingRow) -> ReportFacts:
    # as in the row of the report
    key = report_row.replace_surrogates(sighting.key) if sighting.report.has_surrogates else sighting.key
    return ReportFacts(sighting.report.digest, sighting.report.details, key, first_variant_aliases(key))


def _row_portions(
    rows_found: Iterator[JsonDict], faults: list[ReadFault]
) -> Iterator[tuple[list[JsonDict], list[SightingRow]]]:
    """Yield portions of rows with the first rows of each report. Faults are collected."""
    rows: list[JsonDict] = []
    first_reports: list[SightingRow] = []
    for row in rows_found:
        if "fault" in row:
            faults.append(report_row.replace_surrogates(ReadFault(row["uri"], row["fault"], row["unopened"])))
            continue
        if sighting := row.pop("told", None):
            first_reports.append(sighting)
        rows.append(row)
        if len(rows) == _ROWS_PER_WRITE:
            yield rows, first_reports
            rows, first_reports = [], []
    if rows:
        yield rows, first_reports


def _freeze_garbage_collector() -> None:
    """Exclude our modules and cached reports from the collection that PySpark runs after each task."""
    gc.freeze()
    gc.set_threshold(_GC_THRESHOLD)


class _RowWriter:
    """The rows of a task; written to a file if there are more than `max_rows`."""

    def __init__(self, storage: LakeStorage, folder: str, table: str, schema: pa.Schema, max_rows: int) -> None:
        self._storage, self._folder, self._table = storage, folder, table
        self._schema, self._max_rows = schema, max_rows
        self._pending: list[pa.RecordBatch] = []
        self._writer: pq.ParquetWriter | None = None
        self._name: str | None = None
        self.count = 0

    def write(self, batches: list[pa.RecordBatch]) -> None:
        self._pending += batches
        self.count += sum(batch.num_rows for batch in batches)
        if self.count <= self._max_rows:
            return
        if self._writer is None:
            self._name = f"{self._folder}/{uuid.uuid4().hex}.parquet"
            self._writer = pq.ParquetWriter(
                self._storage.path_of(self._name),
                self._schema,
                filesystem=self._storage.arrow_filesystem,
                **transactions.parquet_options(self._table, self.count),
            )
        for batch in self._pending:
            self._writer.write_batch(batch)
        self._pending = []

    def close(self) -> TaskRows:
        """Finish the file and return its metadata, or the rows."""
        if self._writer is None:
            return TaskRows(self.count, content=to_ipc(self._pending))
        self._writer.close()
        name = self._storage.path_of(str(self._name))
        with self._storage.arrow_filesystem.open_input_file(name) as file:
            size = file.size()
            stats = transactions.file_stats(pq.read_metadata(file), self._table)
        return TaskRows(self.count, self._name, size, stats)


def to_ipc(batches: list[pa.RecordBatch]) -> bytes | None:
    """Batches as one binary value in Arrow IPC format."""
    if not batches:
        return None
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, batches[0].schema) as writer:
        for batch in batches:
            writer.write_batch(batch)
    return bytes(sink.getvalue())


def from_ipc(data: bytes) -> pa.Table:
    return pa.ipc.open_stream(data).read_all()


# smaller files of reports are not kept
MIN_FILE_REPORTS = 128


class TaskOutput:
    """Sightings, reports and faults, as DataFrames and as Arrow tables."""

    def __init__(self, lake: Lake, batch: str) -> None:
        self._lake, self._batch = lake, batch
        self._folder = f"{STAGING_FOLDER}/{batch}"
        self._sighting_parts: list[TaskRows] = []
        self.report_results: list[TaskResult] = []  # tasks with reports; several may have the same one
        self.faults: list[ReadFault] = []

    def run_tasks(
        self, spark: SparkSession, work_list: Sequence[FileWork], unit_bytes: int | None = None, max_rows: int = 0
    ) -> None:
        """Read all files. Up to about `max_rows` sightings are kept in memory."""
        self._lake.storage.make_folder(self._folder)
        portions = input_files.pack_units(work_list, spark.sparkContext.defaultParallelism, unit_bytes)
        rows_per_task = max_rows // len(portions)
        # a module function, so that it is pickled by name
        task = partial(write_task_output, self._lake.uri, self._folder, self._batch, rows_per_task, MIN_FILE_REPORTS)
        # an RDD, because the JVM does not decode the results
        distributed = spark.sparkContext.parallelize(portions, len(portions))
        results: list[TaskResult] = distributed.mapPartitions(task).collect()
        self._sighting_parts = [result.sightings for result in results if result.sightings.row_count]
        self.report_results = [result for result in results if result.reports.row_count]
        self.faults = sorted({fault for result in results for fault in result.faults})

    @cached_property
    def unread_files(self) -> list[str]:
        """Files that could not be opened completely; all their rows are ignored."""
        return sorted({uri for uri, _, unopened in self.faults if unopened})

    @cached_property
    def sighting_count(self) -> int:
        if self.unread_files:
            return int(self.sightings_table(["file"]).num_rows)
        return sum(part.row_count for part in self._sighting_parts)

    def sightings_table(self, columns: Sequence[str] = STAGED_SCHEMA.names) -> pa.Table:
        sightings = [self._read_part(part, columns) for part in self._sighting_parts]
        wanted = pa.schema([STAGED_SCHEMA.field(name) for name in columns])
        table = pa.concat_tables([wanted.empty_table(), *sightings])
        if not self.unread_files:
            return table
        return table.filter(~dataframes.is_in("file", self.unread_files))

    def report_facts(self, result: TaskResult) -> list[ReportFacts]:
        if result.report_facts is not None:
            return result.report_facts
        keyed_rows = [(row, sighting_rows.key_of_row(row)) for row in self.reports_table(result).to_pylist()]
        return [
            ReportFacts(row["digest"], report_row.details_of_row(row), key, first_variant_aliases(key))
            for row, key in keyed_rows
        ]

    def reports_table(self, result: TaskResult) -> pa.Table:
        return self._read_part(result.reports, REPORTS.names)

    def _read_part(self, part: TaskRows, columns: Sequence[str]) -> pa.Table:
        if part.content is not None:
            return from_ipc(part.content).select(columns)
        storage = self._lake.storage
        with storage.arrow_filesystem.open_input_file(storage.path_of(str(part.file))) as file:
            return pq.ParquetFile(file).read(list(columns)).select(columns)

    def sightings_frame(self, spark: SparkSession) -> DataFrame:
        paths = self._file_paths("sightings", self._sighting_parts)
        sightings = dataframes.read_data_files(spark, paths, STAGED_SCHEMA)
        if self.unread_files:
            sightings = sightings.where(~sightings.file.isin(self.unread_files))
        return sightings.select(SIGHTINGS.names)

    def reports_frame(self, spark: SparkSession) -> DataFrame:
        paths = self._file_paths("reports", [result.reports for result in self.report_results])
        return dataframes.read_data_files(spark, paths, REPORTS).dropDuplicates(["digest"])

    def _file_paths(self, name: str, parts: Sequence[TaskRows]) -> list[str]:
        """The rows as files for Spark. Rows in memory are written to a file first."""
        storage = self._lake.storage
        paths = [storage.uri_of(part.file) for part in parts if part.file]
        in_memory = [from_ipc(part.content) for part in parts if part.content is not None]
        if in_memory:
            file_name = f"{self._folder}/{name}-at-hand.parquet"
            pq.write_table(pa.concat_tables(in_memory), storage.path_of(file_name), filesystem=storage.arrow_filesystem)
            paths.append(storage.uri_of(file_name))
        return paths
