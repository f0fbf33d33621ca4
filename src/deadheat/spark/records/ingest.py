"""Ingests files of log records, as log stores export them, into a lake.

The lake knows a file of records by its address with the prefix `records:`. If one of the files is new, all are read,
because the lines of a report may be spread over them. A report that the lake has is not added again."""

from __future__ import annotations

import time
import uuid
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cache, partial
from typing import TYPE_CHECKING, Any

from deadheat.errors import UnreadableError
from deadheat.lake import documents, maintenance, transactions
from deadheat.sources import file_listing
from deadheat.spark import ingest, input_files, stored_documents
from deadheat.spark.dataframes import spark_schema
from deadheat.spark.ingest import IngestOptions, IngestSummary
from deadheat.spark.input_files import FileWork, IngestPlan
from deadheat.spark.records.facts import RecordChanges
from deadheat.spark.records.reports import URI_SCHEME
from deadheat.spark.records.tasks import RECORD_SCHEMA, map_files, read_streams
from deadheat.spark.session import task_slots
from deadheat.spark.task_output import RESULT_SCHEMA, TaskOutput

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pyspark.sql import DataFrame, SparkSession

    from deadheat.lake.tables import Lake
    from deadheat.model import CiRun
    from deadheat.sources.archive_limits import ArchiveLimits
    from deadheat.sources.file_listing import ListedFile
    from deadheat.sources.record_files import RecordOptions

    JsonDict = dict[str, Any]


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
            output.add_results(_read_files(session(), lake, batch, plan, fields, run, options.archive_limits))
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
    spark: SparkSession,
    lake: Lake,
    batch: str,
    plan: IngestPlan,
    fields: RecordOptions,
    run: CiRun,
    limits: ArchiveLimits,
) -> DataFrame:
    """The results of tasks that read files, and of tasks that each read some streams of all files."""
    slots = task_slots(spark)
    portions = input_files.pack_units(plan.work_list, slots, max(1, plan.size), limits)
    numbers = spark.range(0, len(portions), 1, len(portions))
    read = numbers.mapInArrow(partial(map_files, portions, fields), spark_schema(RECORD_SCHEMA))
    by_stream = read.repartition("stream").sortWithinPartitions("stream", "key", "file", "position")
    return by_stream.mapInArrow(partial(read_streams, lake.uri, batch, run), spark_schema(RESULT_SCHEMA))
