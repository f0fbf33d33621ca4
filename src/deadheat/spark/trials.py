"""Runs the trials of `reproduce`, `verify` and `bisect` on a cluster.

Each Spark job is one task: the trials that run at the same time on one core, mostly one. So each result arrives when
its trials have ended, and a task that Spark repeats, because its executor was lost, is still one result. Each version
is sent once to every executor, as a file.
"""

from __future__ import annotations

import os
import re
import secrets
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import suppress
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any, NamedTuple

from py4j.protocol import Py4JError  # type: ignore[import-untyped]
from pyspark import SparkFiles
from pyspark.errors import PySparkException

from deadheat.errors import DeadheatError
from deadheat.printable import shorten, visible_text
from deadheat.spark import failures
from deadheat.spark.session import task_slots
from deadheat.spark.shipping import classic_context
from deadheat.verification.code_packages import pack_code
from deadheat.verification.processes import NOT_ISOLATED
from deadheat.verification.remote_trials import (
    BatchResult,
    PackedTrial,
    TrialBatch,
    lost_observation,
    run_batch,
    unpack_observations,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pyspark import SparkContext
    from pyspark.sql import SparkSession

    from deadheat.verification.code_packages import CodePackage
    from deadheat.verification.trials import Configuration, TrialCode, TrialLimits, TrialObservation, TrialRequest

# settings of the session: what is cancelled ends at once, and frees its core
SETTINGS = {"spark.python.task.killTimeout": "100ms"}
# what Spark says if the executor, its computer or its Python process was lost, after it has repeated the task
_LOST = re.compile(
    r"ExecutorLostFailure|Lost executor|Executor heartbeat timed out|[Ww]orker lost|Container .{0,80}exited"
    r"|Python worker exited unexpectedly|Connection (?:reset|refused)"
)
_MAX_LOST_IN_SEQUENCE = 3
_MAX_THREADS = 256  # one for each task that runs
_MAX_REASON = 200
_SECONDS_BETWEEN_CANCELS = 0.2


class TrialCluster:
    """A Spark session that runs trials, and what is known about its executors."""

    def __init__(self, spark: SparkSession, folder: Path, jobs: int | None = None) -> None:
        context = classic_context(spark)
        if context is None:
            raise DeadheatError("trials need a SparkContext, which Spark Connect does not have", do="give a --master")
        self.context: SparkContext = context
        self.jobs = min(jobs or task_slots(spark), _MAX_THREADS)
        self.notes: list[str] = []
        self._spark, self._folder = spark, folder
        self._packages: list[tuple[TrialCode, CodePackage]] = []
        self._isolations: dict[tuple[str, str], str] = {}  # by host and executor

    @property
    def master(self) -> str:
        return str(self.context.master)

    @property
    def executors(self) -> int:
        """The number of executors that have run trials."""
        return len(self._isolations)

    @property
    def isolation(self) -> str:
        """How trials were isolated; where they were not, on how many executors."""
        kinds = [*self._isolations.values()]
        if len({*kinds}) > 1 and (count := kinds.count(NOT_ISOLATED)):
            return f"network was not taken away on {count} of {len(kinds)} executors: the system does not allow it"
        return ", or ".join(dict.fromkeys(kinds))

    def package(self, code: TrialCode) -> CodePackage:
        """The packed version, which executors have as a file."""
        for known, package in self._packages:
            if known is code:
                return package
        package = pack_code(code, self._folder)
        self.context.addFile(str(package.archive))
        self._packages.append((code, package))
        if package.note and package.note not in self.notes:
            self.notes.append(package.note)
        return package

    def record_place(self, result: BatchResult) -> None:
        self._isolations[result.host, result.executor] = result.isolation

    def run(self, batch: TrialBatch) -> BatchResult:
        """Run a batch on an executor, and wait for it."""

        # pickled as a whole: an executor imports the runner only, and no library of the lake
        def run_here(rows: Iterable[int]) -> Iterator[tuple[Any, ...]]:
            _ = [*rows]  # else Spark does not use this Python process again
            folders = os.environ["SPARK_LOCAL_DIRS"]  # of the executor, removed with it
            unpack_folder = Path(folders.split(",")[0])
            yield tuple(run_batch(batch, folders, unpack_folder, SparkFiles.get))

        (result,) = self.context.parallelize([0], 1).mapPartitions(run_here).collect()
        return BatchResult(*result)

    def close(self) -> None:
        self._spark.stop()


class _EndedBatch(NamedTuple):
    """Requests that ran in one task, with its result or the error of Spark."""

    requests: list[TrialRequest]
    result: BatchResult | Exception


class SparkExecutor:
    """Runs trials as tasks of Spark, at most one per core at once."""

    is_shared = True

    def __init__(self, cluster: TrialCluster, limits: TrialLimits) -> None:
        self.jobs, self.limits = cluster.jobs, limits
        self._cluster = cluster
        self._group = f"deadheat-trials-{secrets.token_hex(8)}"
        self._threads = ThreadPoolExecutor(self.jobs, initializer=self._join_group)
        self._waiting: list[TrialRequest] = []  # of a task that is not full
        self._ended: SimpleQueue[_EndedBatch] = SimpleQueue()
        self._futures: list[Future[None]] = []
        self._running = 0
        self._density = 1  # trials per core of what runs
        self._lost_in_sequence = 0

    def _join_group(self) -> None:
        self._cluster.context.setJobGroup(self._group, "trials", interruptOnCancel=True)

    def __len__(self) -> int:
        return self._running + len(self._waiting)

    def has_room(self, configuration: Configuration) -> bool:
        # trials with different densities would disturb each other
        if len(self) and configuration.processes_per_core != self._density:
            return False
        return len(self) < self.jobs * configuration.processes_per_core

    def start(self, request: TrialRequest) -> None:
        self._density = request.configuration.processes_per_core
        self._waiting.append(request)
        if len(self._waiting) == self._density:
            self._submit()

    def _submit(self) -> None:
        requests, self._waiting = self._waiting, []
        trials = []
        for request in requests:
            package = self._cluster.package(request.code)
            trials.append(PackedTrial(package.archive.name, package.code, request.configuration))
        self._running += len(requests)
        self._futures = [future for future in self._futures if not future.done()]
        self._futures.append(self._threads.submit(self._run, requests, TrialBatch(tuple(trials), self.limits)))

    def _run(self, requests: list[TrialRequest], batch: TrialBatch) -> None:
        try:
            result: BatchResult | Exception = self._cluster.run(batch)
        except Exception as error:  # noqa: BLE001, judged by `wait`
            result = error
        self._ended.put(_EndedBatch(requests, result))

    def wait(self, seconds: float) -> Iterator[tuple[TrialRequest, TrialObservation]]:
        if self._waiting:
            self._submit()
        if not self._running:
            return
        try:
            ended = self._ended.get(timeout=seconds)
        except Empty:
            return
        yield from self._observations(ended)
        while not self._ended.empty():
            yield from self._observations(self._ended.get())

    def _observations(self, ended: _EndedBatch) -> Iterator[tuple[TrialRequest, TrialObservation]]:
        self._running -= len(ended.requests)
        if isinstance(ended.result, Exception):
            lost = lost_observation(self._reason_of_loss(ended.result))
            yield from ((request, lost) for request in ended.requests)
            return
        self._lost_in_sequence = 0
        self._cluster.record_place(ended.result)
        yield from zip(ended.requests, unpack_observations(ended.result), strict=True)

    def _reason_of_loss(self, error: Exception) -> str:
        """Why trials were lost with their executor; any other error is raised."""
        if not isinstance(error, PySparkException | Py4JError):
            raise error
        self._lost_in_sequence += 1
        reason = failures.failure_reason(error)
        if not _LOST.search(f"{reason} {error}") or self._lost_in_sequence > _MAX_LOST_IN_SEQUENCE:
            raise failures.describe_failure(error) from error
        return f"lost with its executor: {shorten(visible_text(reason), _MAX_REASON)}"

    def close(self) -> None:
        """Cancel what still runs."""
        self._waiting.clear()
        self._threads.shutdown(wait=False, cancel_futures=True)
        with suppress(Py4JError):  # the session may have ended
            while self._futures:
                # again, because a thread may not have submitted its job yet
                self._cluster.context.cancelJobGroup(self._group)
                self._futures = [*wait(self._futures, _SECONDS_BETWEEN_CANCELS).not_done]

    def __enter__(self) -> SparkExecutor:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
