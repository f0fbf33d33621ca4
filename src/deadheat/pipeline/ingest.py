"""Ingests documents into a lake. A batch is one atomic commit; a killed ingest loses nothing."""

from __future__ import annotations

import gc
import time
import uuid
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from typing import TYPE_CHECKING

from deadheat.feeds.runs import Run
from deadheat.lake import commits
from deadheat.lake.lock import writing
from deadheat.pipeline import progress, receipts
from deadheat.pipeline.batch import FEW, Batch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from pyspark.sql import SparkSession

    from deadheat.lake.tables import Lake
    from deadheat.pipeline.receipts import Plan

    Start = Callable[[bool], SparkSession]

# a batch below the first limit is small if the lake is below the second
_SMALL_BYTES, _SMALL_ROWS = 1 << 32, 1_000_000
# new objects between two runs of the garbage collector
_GARBAGE = 1_000_000


@dataclass(frozen=True, slots=True)
class Options:
    """Options of an ingest. The callbacks report progress."""

    run_of: Callable[[str], Run] = lambda _: Run()
    unit: int | None = None  # bytes per range of a large file; computed by default
    few: int = FEW  # up to this many rows are reduced on the driver
    patience: float = 10.0  # seconds to wait for another writer
    planned: Callable[[Plan], None] = lambda _: None
    tick: Callable[[int], None] = lambda _: None  # number of further bytes read
    passed: Callable[[str], None] = lambda _: None  # name of the finished stage


@dataclass(frozen=True, slots=True)
class Summary:
    """The result of an ingest."""

    files: int = 0
    known: int = 0  # files that were ingested before
    bytes: int = 0
    sightings: int = 0
    reports: int = 0
    races: int = 0
    new_races: tuple[tuple[str, str], ...] = ()  # id and title
    rejects: tuple[tuple[str, str], ...] = ()  # URI and message
    seconds: float = 0.0


def ingest(
    start: Start, lake: Lake, paths: Sequence[str], options: Options | None = None
) -> Summary:
    """Ingest all files below the paths that are new or changed.

    `start` starts a session on demand; its argument is whether the batch is small. If nothing is
    new, no JVM is started.
    """
    with _collected_later():
        return _ingested(start, lake, paths, options or Options())


@contextmanager
def _collected_later() -> Iterator[None]:
    """Run the garbage collector less often while rows accumulate."""
    often, *others = gc.get_threshold()
    gc.set_threshold(often and max(often, _GARBAGE), *others)
    try:
        yield
    finally:
        gc.set_threshold(often, *others)


def _ingested(start: Start, lake: Lake, paths: Sequence[str], options: Options) -> Summary:
    began = time.monotonic()
    with writing(lake.place, options.patience):
        if lake.is_there:
            commits.recover(lake)
        plan = receipts.plan(lake, paths, options.run_of)
        options.planned(plan)
        if not plan.works and not plan.faults:
            _prepare(lake)
            spent = time.monotonic() - began
            return Summary(known=plan.known, races=lake.count("races"), seconds=spent)
        small = _is_small(lake, plan)
        session = cache(lambda: start(small))
        name = f"{datetime.now(UTC):%Y%m%dT%H%M%S}-{uuid.uuid4().hex[:8]}"
        batch = Batch(session, lake, plan, name, options.unit, options.few)
        # the tables are prepared while the tasks read
        with (
            ThreadPoolExecutor(1) as meanwhile,
            progress.told(session() if plan.works else None, plan.size, options.tick),
        ):
            ready = meanwhile.submit(_prepare, lake)
            batch.read()
        ready.result()
        options.passed("read")
        batch.take_in()
        options.passed("consolidated")
        if not batch.is_empty:
            outdated = batch.is_derived and lake.outdated
            commits.commit(lake, batch.intent(), options.passed)
            if outdated:
                lake.renew(outdated)
        lake.place.remove(f"{commits.STAGING}/{name}")
        return Summary(
            files=batch.files,
            known=plan.known,
            bytes=plan.size,
            sightings=batch.sightings,
            reports=batch.added("reports"),
            races=batch.added("races") or lake.count("races"),
            new_races=tuple(batch.new_races),
            rejects=tuple(batch.faults),
            seconds=time.monotonic() - began,
        )


def _prepare(lake: Lake) -> None:
    lake.make()
    commits.sweep(lake)


def _is_small(lake: Lake, plan: Plan) -> bool:
    if plan.size >= _SMALL_BYTES:
        return False
    return not lake.is_there or lake.count("sightings") < _SMALL_ROWS


def consolidate(start: Start, lake: Lake, patience: float = 10.0, few: int = FEW) -> int:
    """Rebuild races and families from the facts. Returns the number of races."""
    lake.expect()
    with writing(lake.place, patience):
        commits.recover(lake)
        _prepare(lake)
        session = cache(lambda: start(lake.count("sightings") < _SMALL_ROWS))
        name = f"rebuilt-{uuid.uuid4().hex[:12]}"
        batch = Batch(session, lake, receipts.Plan(), name, few=few)
        batch.rebuild()
        outdated = lake.outdated
        commits.commit(lake, batch.intent())
        lake.renew(outdated)
        return lake.count("races")
