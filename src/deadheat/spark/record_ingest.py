"""Ingests files of log records, as log stores export them, into a lake.

The lake knows a file of records by its address with the prefix `records:`. If one of the files is new, all are read,
because the lines of a report may be spread over them. A report that the lake has is not added again."""

from __future__ import annotations

import os
import time
import uuid
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cache, partial
from itertools import groupby
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from deadheat.errors import DeadheatError, UnreadableError
from deadheat.lake import documents, maintenance, transactions
from deadheat.records import LogRecord, read_stream
from deadheat.sources import file_listing, files
from deadheat.sources.record_files import read_records
from deadheat.spark import ingest, input_files, stored_documents
from deadheat.spark.dataframes import spark_schema
from deadheat.spark.ingest import IngestOptions, IngestSummary
from deadheat.spark.input_files import FileWork, IngestPlan
from deadheat.spark.record_facts import RecordChanges, write_streams
from deadheat.spark.record_reports import URI_SCHEME
from deadheat.spark.session import task_slots
from deadheat.spark.task_output import RESULT_SCHEMA, TaskOutput
from deadheat.spark.tasks import fault_text, record_batches, unpack_units
from deadheat.text.window import OpenedDocument

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from pyspark.sql import DataFrame, SparkSession

    from deadheat.lake.tables import Lake
    from deadheat.model import CiRun
    from deadheat.sources.file_listing import ListedFile
    from deadheat.sources.record_files import RecordOptions
    from deadheat.spark.input_files import WorkUnit

    JsonDict = dict[str, Any]

# a record, or a fault of a file; a file is split into streams, but not into ranges
_RECORD_SCHEMA = pa.schema(
    [
        *(("stream", pa.string()), ("key", pa.list_(pa.string())), ("file", pa.string()), ("position", pa.int64())),
        *(("text", pa.string()), ("time", pa.int64()), ("has_unique_key", pa.bool_()), ("is_partial", pa.bool_())),
        *(("fault", pa.string()), ("unopened", pa.bool_())),
    ]
)
NO_RECORDS_FAULT = "has no log records that are known; name their fields with --record-text, --record-time, …"


@dataclass(slots=True)
class _RecordPlan:
    """The files to read: all, or none if the lake knows all."""

    plan: IngestPlan = field(default_factory=IngestPlan)
    new_rows: list[JsonDict] = field(default_factory=list)  # rows of the table `files`


def ingest_records(
    start: ingest.StartSession,
    lake: Lake,
    paths: Sequence[str],
    fields: RecordOptions,
    options: IngestOptions | None = None,
) -> IngestSummary:
    """Ingest the records in all files below the paths. `start` starts a session on demand."""
    began, options = time.monotonic(), options or IngestOptions()
    batch = f"{datetime.now(UTC):%Y%m%dT%H%M%S}-{uuid.uuid4().hex[:12]}"
    ingest.prepare_lake(lake)
    run = options.run_of(URI_SCHEME)
    planned = _plan_files(lake, paths, fields, run, batch)
    plan = planned.plan
    options.on_plan(plan)
    session = cache(lambda: start(ingest.is_small(lake, plan)))
    output = TaskOutput(lake, batch)
    if plan.work_list:
        with ingest.report_progress(session(), plan.size, options.on_bytes_read):
            output.add_results(_read_files(session(), lake, batch, plan, fields, run))
    unread = {fault.uri for fault in output.faults if fault.unopened}
    new_rows = [row for row in planned.new_rows if row["uri"].removeprefix(URI_SCHEME) not in unread]
    changes = RecordChanges(session, lake, plan, output, batch, new_rows)
    summary = commit_records(session, lake, batch, output, changes, options)
    return replace(summary, known_files=plan.known_count, bytes=plan.size, seconds=time.monotonic() - began)


def commit_records(
    session: Callable[[], SparkSession],
    lake: Lake,
    batch: str,
    output: TaskOutput,
    changes: RecordChanges,
    options: IngestOptions,
) -> IngestSummary:
    """Commit what was read, and derive races."""
    transactions.commit(lake, changes.build, options.on_stage)
    lake.storage.remove(f"{transactions.STAGING_FOLDER}/{batch}")
    details = {digest: facts.details for digest, facts in output.report_facts.items()}
    new_races = ingest.derive_races(session, lake, batch, details, options.max_local_rows, options.on_stage)
    maintenance.maintain(lake)
    return IngestSummary(
        files=changes.counts.files,
        sightings=changes.counts.sightings,
        reports=changes.counts.reports,
        races=lake.row_count("races"),
        new_races=tuple(new_races),
        rejects=tuple(changes.faults),
    )


def _plan_files(lake: Lake, paths: Sequence[str], fields: RecordOptions, run: CiRun, batch: str) -> _RecordPlan:
    planned = _RecordPlan()
    listed: list[ListedFile] = []
    for file in file_listing.list_files(paths):
        if isinstance(file, UnreadableError):
            planned.plan.faults.append(file)
        else:
            listed.append(file)
    # with other fields the same file has other records
    settings = documents.bytes_digest(repr(fields).encode("utf-8", "surrogatepass"))
    names = {f"{URI_SCHEME}{file.uri}" for file in listed}
    stored = stored_documents.read_stored_documents(lake, names)
    for file in listed:
        row = stored.newest_row(f"{URI_SCHEME}{file.uri}", run)
        if row is not None and row["head"] == settings and stored_documents.is_unmodified(file, row):
            planned.plan.known_count += 1
        else:
            planned.new_rows.append(_file_row(file, settings, run, batch))
    if planned.new_rows:
        planned.plan.work_list = [FileWork(file, run) for file in listed]
        planned.plan.size = sum(file.size for file in listed)
    return planned


def _file_row(file: ListedFile, settings: str, run: CiRun, batch: str) -> JsonDict:
    """The row of a file in the table `files`. Its sightings belong to streams."""
    uri = f"{URI_SCHEME}{file.uri}"
    return {
        "uri": uri, "document": documents.document_id(uri, run, file.size, file.modified, file.etag),
        "repo": run.repo, "run": run.run, "job": run.job, "length": file.size,
        "modified_at": stored_documents.modified_time(file), "etag": file.etag or None, "head": settings, "tail": "",
        "sightings": 0, "checksum": 0, "ingest": batch,
    }  # fmt: skip


def _read_files(
    spark: SparkSession, lake: Lake, batch: str, plan: IngestPlan, fields: RecordOptions, run: CiRun
) -> DataFrame:
    """The results of tasks that read files, and of tasks that each read some streams of all files."""
    slots = task_slots(spark)
    portions = input_files.pack_units(plan.work_list, slots, unit_bytes=max(1, plan.size))
    numbers = spark.range(0, len(portions), 1, len(portions))
    read = numbers.mapInArrow(partial(_map_files, portions, fields), spark_schema(_RECORD_SCHEMA))
    by_stream = read.repartition("stream").sortWithinPartitions("stream", "key", "file", "position")
    return by_stream.mapInArrow(partial(_read_streams, lake.uri, batch, run), spark_schema(RESULT_SCHEMA))


def _map_files(
    portions: Sequence[bytes], fields: RecordOptions, batches: Iterable[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    """A task of `mapInArrow`: the records in portions of files."""
    numbers = (number for batch in batches for number in batch.column(0).to_pylist())
    units = (unit for number in numbers for unit in unpack_units(portions[number]))
    yield from record_batches((row for unit in units for row in _read_unit(unit, fields)), _RECORD_SCHEMA)


def _read_unit(unit: WorkUnit, fields: RecordOptions) -> Iterator[JsonDict]:
    name = min((unit.uri, *stored_documents.names_before_rotation(unit.uri)), key=len)
    count = 0
    fault, unopened = "", False
    try:
        with file_listing.open_file(os.fsdecode(unit.path), unit.size) as raw:
            for document in files.documents_in_file(raw, unit.uri, skip_binary=False):
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
    if not count and not fault and unit.size:
        fault = NO_RECORDS_FAULT
    if fault:
        yield {"stream": "", "file": unit.uri, "fault": fault, "unopened": unopened}


def _read_streams(lake: str, batch: str, run: CiRun, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
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
