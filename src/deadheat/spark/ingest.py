"""Ingests documents into a lake, once or periodically.

A batch reads documents on executors, then commits the facts, then derives races from them. Several processes may
do that at the same time. A killed ingest loses nothing, and the next one continues."""

from __future__ import annotations

import gc
import threading
import time
import uuid
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache
from typing import TYPE_CHECKING, Any

from deadheat.errors import DeadheatError
from deadheat.lake import derivation, maintenance, transactions
from deadheat.lake.rewrites import migration
from deadheat.model import CiRun
from deadheat.sources.archive_limits import DEFAULT_LIMITS, ArchiveLimits
from deadheat.spark import input_files, reduce_spark
from deadheat.spark.dataframes import MAX_LOCAL_ROWS
from deadheat.spark.fact_changes import FactChanges
from deadheat.spark.shipping import classic_context
from deadheat.spark.task_output import TaskOutput

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from pyspark.sql import SparkSession

    from deadheat.lake.tables import Lake
    from deadheat.lake.transactions import Intent
    from deadheat.spark.input_files import IngestPlan

    StartSession = Callable[[bool], SparkSession]
    JsonDict = dict[str, Any]


_POLL_SECONDS = 0.5
# a batch below the first limit is small if the lake is below the second
_SMALL_BYTES, _SMALL_ROWS = 1 << 32, 1_000_000
# new objects between two runs of the garbage collector
_GC_THRESHOLD = 1_000_000
# times that files are planned again because another process has changed their documents
_MAX_ROUNDS = 10
# new variants that the driver derives races from; more are derived on Spark, with all others
MAX_LOCAL_VARIANTS = 200_000


@contextmanager
def report_progress(
    spark: SparkSession | None, size: int, tick: Callable[[int], None], on_poll: Callable[[], None] = lambda: None
) -> Iterator[None]:
    """Call `tick` with the number of further bytes read, and with the remaining ones at the end.

    With Spark Connect, which does not tell what is finished, it is called only at the end.
    """
    context = classic_context(spark) if spark is not None else None
    if context is None:
        yield
        tick(size)
        return
    finished, tracker, reported = threading.Event(), context.statusTracker(), 0

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
            on_poll()
            report_up_to(int(size * max(done, default=0.0)))

    thread = threading.Thread(target=poll_stages, daemon=True)
    thread.start()
    try:
        yield
    finally:
        finished.set()
        thread.join()
    on_poll()
    report_up_to(size)


@dataclass(frozen=True, slots=True)
class IngestOptions:
    """Options of an ingest. The callbacks report progress."""

    run_of: Callable[[str], CiRun] = lambda _: CiRun()
    unit_bytes: int | None = None  # bytes per range of a large file; computed by default
    archive_limits: ArchiveLimits = DEFAULT_LIMITS
    max_local_rows: int = MAX_LOCAL_ROWS  # up to this many rows are processed on the driver
    on_plan: Callable[[IngestPlan], None] = lambda _: None
    on_bytes_read: Callable[[int], None] = lambda _: None  # number of further bytes read
    on_sightings_found: Callable[[int], None] = lambda _: None  # number of sightings so far
    on_stage: Callable[[str], None] = lambda _: None  # name of the finished stage


@dataclass(frozen=True, slots=True)
class IngestSummary:
    files: int = 0
    known_files: int = 0  # files that were ingested before
    bytes: int = 0
    sightings: int = 0
    replaced_sightings: int = 0  # earlier sightings of files that were overwritten within their run
    reports: int = 0
    races: int = 0
    new_races: tuple[tuple[str, str], ...] = ()  # id and title
    duplicates: tuple[str, ...] = ()  # files with the content of another file of their run
    rejects: tuple[tuple[str, str], ...] = ()  # URI and message
    tasks: int = 0  # that have read documents
    seconds: float = 0.0

    def added_to(self, other: IngestSummary) -> IngestSummary:
        """The summary of two rounds of one ingest."""
        return replace(
            self,
            files=self.files + other.files,
            bytes=self.bytes + other.bytes,
            sightings=self.sightings + other.sightings,
            replaced_sightings=self.replaced_sightings + other.replaced_sightings,
            reports=self.reports + other.reports,
            new_races=(*other.new_races, *self.new_races),
            duplicates=(*other.duplicates, *self.duplicates),
            rejects=tuple(sorted({*other.rejects, *self.rejects})),
            tasks=self.tasks + other.tasks,
        )


def ingest_files(
    start: StartSession, lake: Lake, paths: Sequence[str], options: IngestOptions | None = None
) -> IngestSummary:
    """Ingest all files below the paths that are new or changed.

    `start` starts a session on demand; its argument is whether the batch is small. If nothing is
    new, no JVM is started.
    """
    start_time = time.monotonic()
    summary = IngestSummary()
    with _delayed_garbage_collection():
        for _ in range(_MAX_ROUNDS):
            ingest = _Ingest(start, lake, options or IngestOptions())
            summary = ingest.run(paths).added_to(summary)
            if not ingest.has_conflicts:
                return replace(summary, seconds=time.monotonic() - start_time)
    raise DeadheatError("other processes keep changing the same documents", lake.uri, "try again later")


@contextmanager
def _delayed_garbage_collection() -> Iterator[None]:
    """Run the garbage collector less often while rows accumulate."""
    threshold, *others = gc.get_threshold()
    gc.set_threshold(threshold and max(threshold, _GC_THRESHOLD), *others)
    try:
        yield
    finally:
        gc.set_threshold(threshold, *others)


class _Ingest:
    """One round of an ingest: plan, read, commit, derive."""

    def __init__(self, start: StartSession, lake: Lake, options: IngestOptions) -> None:
        self._start, self._lake, self._options = start, lake, options
        self._name = f"{datetime.now(UTC):%Y%m%dT%H%M%S}-{uuid.uuid4().hex[:12]}"
        self.has_conflicts = False

    def run(self, paths: Sequence[str]) -> IngestSummary:
        lake, options = self._lake, self._options
        if lake.is_there:
            prepare_lake(lake)
        plan = input_files.plan_ingest(lake, paths, options.run_of, options.archive_limits)
        options.on_plan(plan)
        session = cache(lambda: self._start(is_small(lake, plan)))
        if not plan.work_list and not plan.faults:
            prepare_lake(lake)
            new_races = self._derive(session, {})
            return IngestSummary(
                known_files=plan.known_count, races=lake.row_count("races"), new_races=tuple(new_races)
            )
        output = TaskOutput(lake, self._name)
        # the tables are prepared while the tasks read
        with (
            ThreadPoolExecutor(1) as executor,
            report_progress(
                session() if plan.work_list else None,
                plan.size,
                options.on_bytes_read,
                lambda: options.on_sightings_found(output.found_count),
            ),
        ):
            prepared = executor.submit(prepare_lake, lake)
            if plan.work_list:
                output.run_tasks(session(), plan.work_list, options.unit_bytes, options.archive_limits)
        prepared.result()
        options.on_stage("read")
        return self._commit(session, plan, output)

    def _commit(self, session: Callable[[], SparkSession], plan: IngestPlan, output: TaskOutput) -> IngestSummary:
        lake = self._lake
        changes = FactChanges(session, lake, plan, output, self._name, self._options.max_local_rows)
        transactions.commit(lake, changes.build, self._options.on_stage)
        self.has_conflicts = changes.has_conflicts
        lake.storage.remove(f"{transactions.STAGING_FOLDER}/{self._name}")
        self._options.on_stage("facts")
        details = {digest: facts.details for digest, facts in output.report_facts.items()}
        new_races = self._derive(session, details)
        maintenance.maintain(lake)
        return IngestSummary(
            files=changes.counts.files,
            known_files=plan.known_count,
            bytes=plan.size,
            sightings=changes.counts.sightings,
            replaced_sightings=changes.counts.replaced,
            reports=changes.counts.reports,
            races=lake.row_count("races"),
            new_races=tuple(new_races),
            duplicates=tuple(uri for uri, _ in changes.counts.duplicates),
            rejects=tuple(changes.faults),
            tasks=len(output.results),
        )

    def _derive(self, session: Callable[[], SparkSession], details: dict[str, Any]) -> list[tuple[str, str]]:
        limit = self._options.max_local_rows
        return derive_races(session, self._lake, self._name, details, limit, self._options.on_stage)


def is_small(lake: Lake, plan: IngestPlan) -> bool:
    return plan.size < _SMALL_BYTES and (not lake.is_there or lake.row_count("sightings") < _SMALL_ROWS)


def prepare_lake(lake: Lake) -> None:
    """Create missing tables, and migrate those of earlier versions."""
    lake.create_tables()
    migration.migrate_lake(lake)


class _ManyVariantsError(Exception):
    """There are too many new variants for the driver."""


def derive_races(
    session: Callable[[], SparkSession],
    lake: Lake,
    batch: str,
    details: dict[str, Any] | None = None,
    max_local_rows: int = MAX_LOCAL_ROWS,
    on_stage: Callable[[str], None] = lambda _: None,
) -> list[tuple[str, str]]:
    """Bring the derived tables up to date. Returns id and title of the new races."""

    def sum_many(ingests: list[str]) -> list[JsonDict]:
        sums = reduce_spark.sum_ingests(session(), lake, ingests).limit(MAX_LOCAL_VARIANTS + 1).toArrow()
        if sums.num_rows > MAX_LOCAL_VARIANTS:
            raise _ManyVariantsError
        return list(sums.to_pylist())

    try:
        return derivation.derive_races(lake, f"{batch}-derived", details, sum_many, max_local_rows, on_stage)
    except _ManyVariantsError:
        known = {*lake.read_rows("nodes", ["node"])["node"].to_pylist()}
        rebuild_tables(session, lake, f"{batch}-rebuilt", 0, on_stage)
        rows = lake.read_rows("races", ["race", "title", "nodes"]).to_pylist()
        return sorted((row["race"], row["title"]) for row in rows if known.isdisjoint(row["nodes"]))


def rebuild_tables(
    session: Callable[[], SparkSession],
    lake: Lake,
    batch: str,
    max_local_rows: int,
    on_stage: Callable[[str], None] = lambda _: None,
) -> None:
    """Compute all derived tables anew."""

    def build(state: int) -> Intent:
        covered, name = lake.state_number, f"{batch}-{state}"
        if lake.row_count("sightings") <= max_local_rows:
            changes = derivation.rebuilt_changes(lake, name)
        else:
            changes = reduce_spark.rebuild_tables(session(), lake, name)
        return transactions.derived_intent(name, state, changes, covered)

    transactions.commit(lake, build, on_stage, decider="nodes")


def rebuild_lake(start: StartSession, lake: Lake, max_local_rows: int = MAX_LOCAL_ROWS) -> int:
    """Rebuild races and families from the facts. Returns the number of races."""
    lake.require()
    prepare_lake(lake)
    session = cache(lambda: start(lake.row_count("sightings") < _SMALL_ROWS))
    rebuild_tables(session, lake, f"rebuilt-{uuid.uuid4().hex[:12]}", max_local_rows)
    return lake.row_count("races")


def watch_paths(
    start: StartSession,
    lake: Lake,
    paths: Sequence[str],
    options: IngestOptions,
    interval: float,
    on_batch: Callable[[IngestSummary], None],
) -> None:
    """Ingest what is new every `interval` seconds, until interrupted. `on_batch` gets the summary of each batch.

    A batch is committed as a whole, together with what it has read of each file. So a process that was killed
    continues where it was when it is started again.
    """
    session = cache(lambda: start(False))
    while True:
        began = time.monotonic()
        lake.refresh()
        on_batch(ingest_files(lambda small: session(), lake, paths, options))
        time.sleep(max(0.0, began + interval - time.monotonic()))
