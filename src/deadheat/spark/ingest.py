"""Ingests documents into a lake, once or periodically.

A batch is one atomic commit; a killed ingest loses nothing. `watch_paths` runs batches as a
Structured Streaming query whose source is a clock. Each batch compares the files with those in the
lake, because the file source of Spark does not notice growing files and forgets old ones."""

from __future__ import annotations

import gc
import threading
import time
import uuid
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache, cached_property
from typing import TYPE_CHECKING, Protocol

import pyarrow as pa

from deadheat.errors import DeadheatError
from deadheat.lake import transactions
from deadheat.lake.schema import FILES, REJECTS
from deadheat.lake.storage import write_lock
from deadheat.lake.transactions import Intent, TableChange
from deadheat.sources.ci_metadata import CiRun
from deadheat.spark import input_files
from deadheat.spark.dataframes import MAX_LOCAL_ROWS, is_in
from deadheat.spark.reduce_local import LocalReducer
from deadheat.spark.reduce_spark import SparkReducer
from deadheat.spark.task_output import TaskOutput
from deadheat.spark.tasks import fault_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

    from deadheat.lake.tables import Lake
    from deadheat.spark.input_files import IngestPlan

    StartSession = Callable[[bool], SparkSession]


_POLL_SECONDS = 0.5


@contextmanager
def report_progress(spark: SparkSession | None, size: int, tick: Callable[[int], None]) -> Iterator[None]:
    """Call `tick` with the number of further bytes read, and with the remaining ones at the end."""
    if spark is None:
        yield
        return
    finished, tracker, reported = threading.Event(), spark.sparkContext.statusTracker(), 0

    def report_up_to(count: int) -> None:
        nonlocal reported
        if count > reported:
            tick(count - reported)
            reported = count

    def poll_stages() -> None:
        while not finished.wait(_POLL_SECONDS):
            # units are spread evenly, so the share of tasks is the share of bytes
            stages = [tracker.getStageInfo(stage) for stage in tracker.getActiveStageIds()]
            done = [stage.numCompletedTasks / max(1, stage.numTasks) for stage in stages if stage is not None]
            report_up_to(int(size * max(done, default=0.0)))

    thread = threading.Thread(target=poll_stages, daemon=True)
    thread.start()
    try:
        yield
    finally:
        finished.set()
        thread.join()
    report_up_to(size)


class Reducer(Protocol):
    """Computes the table changes of one batch. All reducers give the same result."""

    changes: dict[str, TableChange]

    def add_sightings(self, plan: IngestPlan, task_output: TaskOutput) -> None:
        """Add what the tasks read, and update the derived tables."""

    def rebuild_derived(self) -> None:
        """Rebuild all derived tables."""

    def new_races(self) -> list[tuple[str, str]]:
        """Id and title of the races that have no variant known before."""


class IngestBatch:
    """Computes an intent from a plan. `session` starts Spark on demand."""

    def __init__(
        self,
        session: Callable[[], SparkSession],
        lake: Lake,
        plan: IngestPlan,
        name: str,
        unit_bytes: int | None = None,
        max_local_rows: int = MAX_LOCAL_ROWS,
    ) -> None:
        self._session, self._lake, self._plan = session, lake, plan
        self._name, self._unit_bytes, self._max_local_rows = name, unit_bytes, max_local_rows
        self._base = lake.state_number if lake.is_there else 0
        self._changes: dict[str, TableChange] = {}
        self._task_output = TaskOutput(lake, name)
        self.new_races: list[tuple[str, str]] = []

    def to_intent(self) -> Intent:
        return Intent(self._name, self._base, self._changes)

    @property
    def is_empty(self) -> bool:
        return not any(change.add or change.remove for change in self._changes.values())

    @property
    def updates_derived_tables(self) -> bool:
        return "nodes" in self._changes

    def added_rows(self, table: str) -> int:
        change = self._changes.get(table)
        return sum(added.row_count for added in change.add) if change else 0

    def read_documents(self) -> None:
        if self._plan.work_list:
            self._task_output.run_tasks(self._session(), self._plan.work_list, self._unit_bytes, self._max_local_rows)
        self._plan.skip_files(self._task_output.unread_files)

    def make_changes(self) -> None:
        self._changes["files"] = self._file_changes()
        self._changes["rejects"] = self._reject_changes()
        if self.sighting_count or self._plan.replaced_files:
            rebuilds_all = self._plan.replaced_files or self._lake.is_older
            stored_sightings = self._lake.row_count("sightings") if rebuilds_all else 0
            reducer = self._make_reducer(self.sighting_count + self._lake.row_count("nodes") + stored_sightings)
            reducer.add_sightings(self._plan, self._task_output)
            self._changes |= reducer.changes
            self.new_races = reducer.new_races()

    def rebuild_derived(self) -> None:
        reducer = self._make_reducer(self._lake.row_count("sightings"))
        reducer.rebuild_derived()
        self._changes = {"files": TableChange(), **reducer.changes}

    def _make_reducer(self, rows: int) -> Reducer:
        if rows <= self._max_local_rows:
            return LocalReducer(self._lake, self._name)
        return SparkReducer(self._session(), self._lake, self._name)

    @property
    def sighting_count(self) -> int:
        return self._task_output.sighting_count

    @property
    def file_count(self) -> int:
        return len(self._plan.file_rows)

    @cached_property
    def faults(self) -> list[tuple[str, str]]:
        """Pairs of URI and message."""
        listing_faults = {(fault.where, fault_text(fault)) for fault in self._plan.faults}
        return sorted({*listing_faults, *((uri, what) for uri, what, _ in self._task_output.faults)})

    def _file_changes(self) -> TableChange:
        rows = [{**row, "ingest": self._name} for row in self._plan.file_rows.values()]
        new = pa.Table.from_pylist(rows, FILES)
        is_replaced = is_in("uri", self._plan.replaced_files)
        removed_files = []
        for path, fragment in self._lake.files_with_rows("files", is_replaced) if self._plan.replaced_files else ():
            removed_files.append(path)
            new = pa.concat_tables([new, fragment.to_table(FILES, filter=~is_replaced)])
        added_files = transactions.write_rows(self._lake.storage, "files", self._name, new.sort_by("uri"))
        return TableChange(added_files, removed_files)

    def _reject_changes(self) -> TableChange:
        """Each fault is recorded once, however often the file is read."""
        known_faults = {
            (row["uri"], row["what"])
            for batch in (self._lake.read_batches("rejects", ("uri", "what")) if self.faults else ())
            for row in batch.to_pylist()
        }
        now = datetime.now(UTC)
        rows = [
            {"uri": uri, "what": what, "observed_at": now, "ingest": self._name}
            for uri, what in self.faults
            if (uri, what) not in known_faults
        ]
        table = pa.Table.from_pylist(rows, REJECTS)
        return TableChange(transactions.write_rows(self._lake.storage, "rejects", self._name, table))


# a batch below the first limit is small if the lake is below the second
_SMALL_BYTES, _SMALL_ROWS = 1 << 32, 1_000_000
# new objects between two runs of the garbage collector
_GC_THRESHOLD = 1_000_000


@dataclass(frozen=True, slots=True)
class IngestOptions:
    """Options of an ingest. The callbacks report progress."""

    run_of: Callable[[str], CiRun] = lambda _: CiRun()
    unit_bytes: int | None = None  # bytes per range of a large file; computed by default
    max_local_rows: int = MAX_LOCAL_ROWS  # up to this many rows are reduced on the driver
    timeout: float = 10.0  # seconds to wait for another writer
    on_plan: Callable[[IngestPlan], None] = lambda _: None
    on_bytes_read: Callable[[int], None] = lambda _: None  # number of further bytes read
    on_stage: Callable[[str], None] = lambda _: None  # name of the finished stage


@dataclass(frozen=True, slots=True)
class IngestSummary:
    files: int = 0
    known_files: int = 0  # files that were ingested before
    bytes: int = 0
    sightings: int = 0
    reports: int = 0
    races: int = 0
    new_races: tuple[tuple[str, str], ...] = ()  # id and title
    rejects: tuple[tuple[str, str], ...] = ()  # URI and message
    seconds: float = 0.0


def ingest_files(
    start: StartSession, lake: Lake, paths: Sequence[str], options: IngestOptions | None = None
) -> IngestSummary:
    """Ingest all files below the paths that are new or changed.

    `start` starts a session on demand; its argument is whether the batch is small. If nothing is
    new, no JVM is started.
    """
    with _delayed_garbage_collection():
        return _run_ingest(start, lake, paths, options or IngestOptions())


@contextmanager
def _delayed_garbage_collection() -> Iterator[None]:
    """Run the garbage collector less often while rows accumulate."""
    threshold, *others = gc.get_threshold()
    gc.set_threshold(threshold and max(threshold, _GC_THRESHOLD), *others)
    try:
        yield
    finally:
        gc.set_threshold(threshold, *others)


def _run_ingest(start: StartSession, lake: Lake, paths: Sequence[str], options: IngestOptions) -> IngestSummary:
    start_time = time.monotonic()
    with write_lock(lake.storage, options.timeout):
        if lake.is_there:
            transactions.finish_interrupted(lake)
        plan = input_files.plan_ingest(lake, paths, options.run_of)
        options.on_plan(plan)
        if not plan.work_list and not plan.faults:
            _prepare_lake(lake)
            elapsed = time.monotonic() - start_time
            return IngestSummary(known_files=plan.known_count, races=lake.row_count("races"), seconds=elapsed)
        sighting_count = lake.row_count("sightings") if lake.is_there else 0
        is_small = plan.size < _SMALL_BYTES and sighting_count < _SMALL_ROWS
        session = cache(lambda: start(is_small))
        name = f"{datetime.now(UTC):%Y%m%dT%H%M%S}-{uuid.uuid4().hex[:8]}"
        batch = IngestBatch(session, lake, plan, name, options.unit_bytes, options.max_local_rows)
        # the tables are prepared while the tasks read
        with (
            ThreadPoolExecutor(1) as executor,
            report_progress(session() if plan.work_list else None, plan.size, options.on_bytes_read),
        ):
            prepared = executor.submit(_prepare_lake, lake)
            batch.read_documents()
        prepared.result()
        options.on_stage("read")
        batch.make_changes()
        options.on_stage("consolidated")
        if not batch.is_empty:
            outdated = batch.updates_derived_tables and lake.outdated_tables
            transactions.commit_intent(lake, batch.to_intent(), options.on_stage)
            if outdated:
                lake.mark_current(outdated)
        lake.storage.remove(f"{transactions.STAGING_FOLDER}/{name}")
        return IngestSummary(
            files=batch.file_count,
            known_files=plan.known_count,
            bytes=plan.size,
            sightings=batch.sighting_count,
            reports=batch.added_rows("reports"),
            races=batch.added_rows("races") or lake.row_count("races"),
            new_races=tuple(batch.new_races),
            rejects=tuple(batch.faults),
            seconds=time.monotonic() - start_time,
        )


def _prepare_lake(lake: Lake) -> None:
    lake.create_tables()
    transactions.remove_abandoned_files(lake)


def rebuild_lake(start: StartSession, lake: Lake, timeout: float = 10.0, max_local_rows: int = MAX_LOCAL_ROWS) -> int:
    """Rebuild races and families from the facts. Returns the number of races."""
    lake.require()
    with write_lock(lake.storage, timeout):
        transactions.finish_interrupted(lake)
        _prepare_lake(lake)
        session = cache(lambda: start(lake.row_count("sightings") < _SMALL_ROWS))
        name = f"rebuilt-{uuid.uuid4().hex[:12]}"
        batch = IngestBatch(session, lake, input_files.IngestPlan(), name, max_local_rows=max_local_rows)
        batch.rebuild_derived()
        outdated = lake.outdated_tables
        transactions.commit_intent(lake, batch.to_intent())
        lake.mark_current(outdated)
        return lake.row_count("races")


CHECKPOINT_FOLDER = "_checkpoint"


def start_query(
    start: StartSession,
    lake: Lake,
    paths: Sequence[str],
    options: IngestOptions,
    interval: float,
    on_batch: Callable[[IngestSummary], None] = lambda _: None,
) -> StreamingQuery:
    """Start the query. `on_batch` is called with the summary of each batch."""
    spark = start(False)

    def run_batch(_: DataFrame, number: int) -> None:
        on_batch(ingest_files(lambda small: spark, lake, paths, options))

    clock = spark.readStream.format("rate").option("rowsPerSecond", 1).load()
    return (
        clock.writeStream.foreachBatch(run_batch)
        .queryName("deadheat")
        .option("checkpointLocation", lake.storage.uri_of(CHECKPOINT_FOLDER))
        .trigger(processingTime=f"{interval} seconds")
        .start()
    )


def watch_paths(
    start: StartSession,
    lake: Lake,
    paths: Sequence[str],
    options: IngestOptions,
    interval: float,
    on_batch: Callable[[IngestSummary], None],
) -> None:
    query = start_query(start, lake, paths, options, interval, on_batch)
    try:
        query.awaitTermination()
    except KeyboardInterrupt:
        raise
    except Exception as error:
        message = str(error).strip().partition("\n")[0]
        raise DeadheatError(f"the query failed ({message})", lake.uri) from error
    finally:
        query.stop()
