"""The output of map tasks: small results are returned to the driver, large ones are data files of the lake."""

from __future__ import annotations

import gc
import pickle
import uuid
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from deadheat.grouping.races import first_variant_aliases
from deadheat.lake import data_files, report_row
from deadheat.lake.data_files import is_in
from deadheat.lake.documents import FileContent
from deadheat.lake.schema import REPORTS, SIGHTINGS
from deadheat.lake.storage import LakeStorage
from deadheat.sources.archive_limits import DEFAULT_LIMITS, ArchiveLimits
from deadheat.spark import dataframes, input_files
from deadheat.spark.session import task_slots
from deadheat.spark.shipping import classic_context
from deadheat.spark.tasks import DEFERRED_SCHEMA, NewReport, UnitReader, record_batch, unpack_units

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence, Set

    from pyspark import Accumulator
    from pyspark.sql import DataFrame, SparkSession

    from deadheat.grouping.keys import GroupingKey
    from deadheat.grouping.races import VariantAliases
    from deadheat.lake.data_files import AddedFile
    from deadheat.lake.report_row import ReportDetails
    from deadheat.lake.tables import Lake
    from deadheat.spark.input_files import FileWork

    JsonDict = dict[str, Any]


STAGING_FOLDER = "_staging"
RESULT_SCHEMA = pa.schema([("result", pa.binary())])
_ROWS_PER_WRITE = 4096
# rows of a task that are returned to the driver; more are written
MAX_RETURNED_ROWS = 1 << 14
# rows of a data file that a task writes
_ROWS_PER_FILE = 1 << 16
# new objects between two runs of the garbage collector
_GC_THRESHOLD = 1_000_000
# files of one Spark job; the description of a job is sent to every executor
_MAX_JOB_FILES = 200_000


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
    """What a task has read. Rows are here, or in files if there are many."""

    contents: list[FileContent]
    faults: list[ReadFault]
    sightings: bytes | None = None
    sighting_files: tuple[AddedFile, ...] = ()  # data files of the table
    deferred: bytes | None = None
    deferred_files: tuple[str, ...] = ()  # in the staging folder
    reports: bytes | None = None
    report_files: tuple[str, ...] = ()  # in the staging folder
    report_facts: tuple[ReportFacts, ...] | None = None  # of each report, unless there are many
    deferred_count: int = 0


def read_portions(
    lake: str, batch: str, portions: Sequence[bytes], found: Accumulator[int] | None, batches: Iterable[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    """A task of `mapInArrow`: read the portions with the given numbers. `found` counts sightings, for progress."""
    numbers = [number for numbers in batches for number in numbers.column(0).to_pylist()]
    units = (unit for number in numbers for unit in unpack_units(portions[number]))
    result = write_task_output(lake, batch, UnitReader(batch).read_units(units))
    if found is not None:
        found.add(sum(content.sightings for content in result.contents))
    yield result_batch(result)


def result_batch(result: TaskResult) -> pa.RecordBatch:
    """A result as one binary value, which the JVM does not decode."""
    return pa.RecordBatch.from_pylist([{"result": pickle.dumps(result)}], RESULT_SCHEMA)


def write_task_output(lake: str, batch: str, rows: Iterator[JsonDict | FileContent]) -> TaskResult:
    """Write the rows of a task from the Python worker, without the JVM.

    The name of a file is returned only when the file is complete, so files of failed or repeated tasks are
    ignored.
    """
    _freeze_garbage_collector()
    storage = LakeStorage(lake)
    sightings = _TableWriter(storage, batch)
    deferred = _StagingWriter(storage, batch, DEFERRED_SCHEMA)
    reports = _StagingWriter(storage, batch, REPORTS)
    report_facts: list[ReportFacts] = []
    contents: list[FileContent] = []
    faults: list[ReadFault] = []
    for portion, new_reports in _row_portions(rows, contents, faults):
        later = [row for row in portion if "node" not in row]
        sightings.write([record_batch([row for row in portion if "node" in row], SIGHTINGS)])
        deferred.write([record_batch(later, DEFERRED_SCHEMA)] if later else [])
        reports.write(report_row.reports_table([report.values for report in new_reports]).to_batches())
        if reports.count <= MAX_RETURNED_ROWS:
            report_facts += map(_report_facts, new_reports)
    return TaskResult(
        contents, faults, *sightings.close(), *deferred.close(), *reports.close(),
        tuple(report_facts) if reports.count <= MAX_RETURNED_ROWS else None,
        deferred.count,
    )  # fmt: skip


def _report_facts(new: NewReport) -> ReportFacts:
    sighting = new.sighting
    # as in the row of the report
    key = report_row.replace_surrogates(sighting.key) if sighting.report.has_surrogates else sighting.key
    return ReportFacts(sighting.report.digest, sighting.report.details, key, first_variant_aliases(key))


def _row_portions(
    rows: Iterator[JsonDict | FileContent], contents: list[FileContent], faults: list[ReadFault]
) -> Iterator[tuple[list[JsonDict], list[NewReport]]]:
    """Yield portions of sightings with the first ones of each report. The rest is collected."""
    portion: list[JsonDict] = []
    new_reports: list[NewReport] = []
    for row in rows:
        if isinstance(row, FileContent):
            contents.append(row)
            continue
        if "fault" in row:
            faults.append(report_row.replace_surrogates(ReadFault(row["uri"], row["fault"], row["unopened"])))
            continue
        if new := row.pop("told", None):
            new_reports.append(new)
        portion.append(row)
        if len(portion) == _ROWS_PER_WRITE:
            yield portion, new_reports
            portion, new_reports = [], []
    if portion:
        yield portion, new_reports


def _freeze_garbage_collector() -> None:
    """Exclude our modules and cached reports from the collection that PySpark runs after each task."""
    gc.freeze()
    gc.set_threshold(_GC_THRESHOLD)


class _StagingWriter:
    """The rows of a task; files in the staging folder if there are many."""

    def __init__(self, storage: LakeStorage, batch: str, schema: pa.Schema) -> None:
        self._storage, self._batch, self._schema = storage, batch, schema
        self._pending: list[pa.RecordBatch] = []
        self._pending_rows = 0
        self._files: list[Any] = []
        self.count = 0

    def write(self, batches: list[pa.RecordBatch]) -> None:
        self._pending += batches
        added = sum(batch.num_rows for batch in batches)
        self.count += added
        self._pending_rows += added
        if self._pending_rows > _ROWS_PER_FILE:
            self._flush()

    def close(self) -> tuple[bytes | None, tuple[Any, ...]]:
        """The rows, or the files that they were written to."""
        if self._files or self.count > MAX_RETURNED_ROWS:
            self._flush()
        return to_ipc(self._pending), tuple(self._files)

    def _flush(self) -> None:
        if self._pending:
            self._files += self._write_file(pa.Table.from_batches(self._pending, self._schema))
        self._pending, self._pending_rows = [], 0

    def _write_file(self, content: pa.Table) -> list[Any]:
        name = f"{STAGING_FOLDER}/{self._batch}/{uuid.uuid4().hex}.parquet"
        self._storage.make_parent(name)
        filesystem = self._storage.arrow_filesystem
        with self._storage.disk_errors(name):
            pq.write_table(content, self._storage.path_of(name), filesystem=filesystem, compression="zstd")
        return [name]


class _TableWriter(_StagingWriter):
    """The sightings of a task; data files of the table if there are many."""

    def __init__(self, storage: LakeStorage, batch: str) -> None:
        super().__init__(storage, batch, SIGHTINGS)

    def _write_file(self, content: pa.Table) -> list[Any]:
        return [*data_files.write_rows(self._storage, "sightings", f"{self._batch}-{uuid.uuid4().hex}", content)]


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


class TaskOutput:
    """What all tasks of a batch have read."""

    def __init__(self, lake: Lake, batch: str) -> None:
        self._lake, self._batch = lake, batch
        self.results: list[TaskResult] = []
        self._found: Accumulator[int] | None = None

    def run_tasks(
        self,
        spark: SparkSession,
        work_list: Sequence[FileWork],
        unit_bytes: int | None = None,
        limits: ArchiveLimits = DEFAULT_LIMITS,
    ) -> None:
        """Read all files."""
        context = classic_context(spark)
        self._found = context.accumulator(0) if context is not None else None
        for start in range(0, len(work_list), _MAX_JOB_FILES):
            job_files = work_list[start : start + _MAX_JOB_FILES]
            portions = input_files.pack_units(job_files, task_slots(spark), unit_bytes, limits)
            # a module function, so that it is pickled by name
            task = partial(read_portions, self._lake.uri, self._batch, portions, self._found)
            count = len(portions)
            numbers = spark.range(0, count, 1, count)
            self.add_results(numbers.mapInArrow(task, dataframes.spark_schema(RESULT_SCHEMA)))

    @property
    def found_count(self) -> int:
        """The number of sightings in finished tasks; 0 with Spark Connect. Those of repeated tasks count twice."""
        return self._found.value if self._found is not None else 0

    def add_results(self, frame: DataFrame) -> None:
        for value in frame.toArrow()["result"].to_pylist():
            self.results.append(pickle.loads(value))  # noqa: S301, pickled by our tasks

    @cached_property
    def faults(self) -> list[ReadFault]:
        return sorted({fault for result in self.results for fault in result.faults})

    @cached_property
    def contents(self) -> dict[str, FileContent]:
        """What was read of each file that could be opened completely, by address.

        Of several files with the same document, such as a log and the copy that replaces it, the longest counts.
        """
        longest: dict[str, FileContent] = {}
        for content in sorted(self._all_contents.values(), key=lambda content: (content.length, content.uri)):
            longest[content.document] = content
        return {content.uri: content for content in longest.values()}

    @cached_property
    def _all_contents(self) -> dict[str, FileContent]:
        unread = {uri for uri, _, unopened in self.faults if unopened}
        contents: dict[str, FileContent] = {}
        for content in (content for result in self.results for content in result.contents):
            if content.uri not in unread:
                known = contents.get(content.uri)
                contents[content.uri] = content if known is None else known.merged_with(content)
        return contents

    @cached_property
    def other_files(self) -> set[str]:
        """The addresses of the files that do not count."""
        return self._all_contents.keys() - self.contents.keys()

    def _rows_in(self, rows: pa.Table, wanted: Set[str]) -> pa.Table:
        """The sightings of these documents."""
        where = is_in("document", wanted)
        return rows.filter(where & ~is_in("file", self.other_files) if self.other_files else where)

    def sightings(self, wanted: Set[str]) -> tuple[pa.Table, list[AddedFile]]:
        """The sightings with variants of these documents, as rows and as data files."""
        tables = [SIGHTINGS.empty_table()]
        files: list[AddedFile] = []
        for result in self.results:
            if result.sightings is not None:
                tables.append(self._rows_in(from_ipc(result.sightings), wanted))
            uris = {content.uri for content in result.contents}
            if uris.isdisjoint(self.other_files) and all(content.document in wanted for content in result.contents):
                files += result.sighting_files
            else:
                tables += self._rows_in_files(result, wanted)
        return pa.concat_tables(tables), files

    def rows_of(self, wanted: Set[str]) -> pa.Table:
        """The sightings with variants of these documents."""
        tables = [SIGHTINGS.empty_table()]
        for result in self.results:
            if result.sightings is not None:
                tables.append(self._rows_in(from_ipc(result.sightings), wanted))
            tables += self._rows_in_files(result, wanted)
        return pa.concat_tables(tables)

    def _rows_in_files(self, result: TaskResult, wanted: Set[str]) -> Iterator[pa.Table]:
        if result.sighting_files and not wanted.isdisjoint(content.document for content in result.contents):
            for added in result.sighting_files:
                rows = data_files.read_file(self._lake.storage, "sightings", added.path, SIGHTINGS.names)
                yield self._rows_in(rows, wanted)

    def deferred(self, wanted: Set[str]) -> pa.Table:
        """The sightings without variants of these documents."""
        tables = [DEFERRED_SCHEMA.empty_table()]
        for result in self.results:
            if result.deferred is not None:
                tables.append(from_ipc(result.deferred))
            tables += [self._read_file(name).cast(DEFERRED_SCHEMA) for name in result.deferred_files]
        return self._rows_in(pa.concat_tables(tables), wanted)

    def _read_file(self, name: str) -> pa.Table:
        storage = self._lake.storage
        with storage.arrow_filesystem.open_input_file(storage.path_of(name)) as file:
            return pq.ParquetFile(file).read()

    @property
    def deferred_count(self) -> int:
        return sum(result.deferred_count for result in self.results)

    def deferred_frame(self, spark: SparkSession, wanted: Set[str]) -> DataFrame:
        """As `deferred`, for any number of rows."""
        files = [name for result in self.results for name in result.deferred_files]
        returned = [from_ipc(result.deferred) for result in self.results if result.deferred is not None]
        frame = dataframes.read_parquet(spark, self._lake.uri, files, DEFERRED_SCHEMA)
        if returned:
            frame = frame.unionByName(dataframes.frame_of_table(spark, pa.concat_tables(returned), DEFERRED_SCHEMA))
        if self.other_files:
            frame = frame.where(~frame["file"].isin(self.other_files))
        names = pa.table({"document": pa.array(wanted, pa.string())})
        return frame.join(dataframes.frame_of_table(spark, names, names.schema), "document", "left_semi")

    @property
    def report_files(self) -> list[str]:
        return [name for result in self.results for name in result.report_files]

    @property
    def returned_reports(self) -> Iterator[tuple[pa.Table, tuple[ReportFacts, ...]]]:
        for result in self.results:
            if result.reports is not None:
                yield from_ipc(result.reports), result.report_facts or ()

    @cached_property
    def report_facts(self) -> dict[str, ReportFacts]:
        """The facts of the reports that tasks have returned, by digest."""
        return {facts.digest: facts for result in self.results for facts in result.report_facts or ()}

    def written_reports(self) -> Iterator[pa.Table]:
        for name in self.report_files:
            yield self._read_file(name).cast(REPORTS)

    def reports_frame(self, spark: SparkSession) -> DataFrame:
        """The distinct reports of all tasks."""
        frame = dataframes.read_parquet(spark, self._lake.uri, self.report_files, REPORTS)
        returned = [table for table, _ in self.returned_reports]
        if returned:
            frame = frame.unionByName(dataframes.frame_of_table(spark, pa.concat_tables(returned), REPORTS))
        return frame.dropDuplicates(["digest"])
