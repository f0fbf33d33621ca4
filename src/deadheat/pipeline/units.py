"""Cuts listed files into units of work and spreads them evenly; runs on the driver."""

from __future__ import annotations

import heapq
import os
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

import pyarrow as pa

from deadheat.feeds import files, places
from deadheat.feeds.places import Listed
from deadheat.feeds.runs import Run
from deadheat.lake.schema import RUN, TEXT, TIME
from deadheat.pipeline.frames import typed
from deadheat.text.encoding import HEAD

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pyspark.sql import DataFrame, SparkSession

# the least range of a large file
UNIT = 1 << 25
# so many bytes are worth a task of their own
_TASK = 1 << 29
# tasks for each core where some take longer than others, so that none has to wait long for the last one
_TURNS = 2
# a file costs something even if it is empty
_FILE = 1 << 16

UNITS = pa.schema(
    [
        ("path", pa.binary()),  # a path may have bytes that are no text
        ("uri", TEXT),
        ("start", pa.int64()),
        ("end", pa.int64()),
        ("ranged", pa.bool_()),
        ("named", pa.bool_()),
        ("observed_at", TIME),
        *RUN,
    ]
)


class Work(NamedTuple):
    """A file to be read from `start` on, in ranges if it may be cut."""

    file: Listed
    run: Run
    start: int = 0
    can_be_cut: bool = False

    @property
    def size(self) -> int:
        """How much of it there is to read."""
        return self.file.size - self.start

    def cuts(self, unit: int) -> list[int]:
        """Where its ranges of about `unit` bytes begin."""
        if not (self.can_be_cut and self.size >= 2 * min(unit, UNIT)):
            return [self.start]
        step = -(-self.size // -(-self.size // unit))
        return list(range(self.start, self.file.size, step))


class Unit(NamedTuple):
    """One row of `UNITS`."""

    path: bytes
    uri: str
    start: int
    end: int | None
    ranged: bool
    named: bool
    observed_at: datetime
    repo: str | None
    commit: str | None
    branch: str | None
    job: str | None
    run: str | None


def works(paths: Sequence[str]) -> Iterator[Work]:
    """Every file below the paths, to be read as it is; what cannot be listed is left out."""
    for found in places.listed(paths):
        if isinstance(found, Listed):
            yield Work(found, Run(), can_be_cut=_can_be_cut(found))


def _can_be_cut(file: Listed) -> bool:
    try:
        with places.opened(file.path) as raw:
            return files.can_be_cut(raw.read(HEAD), file.uri)
    except OSError:
        return False


def units(work: Work, unit: int = UNIT) -> list[tuple[int, Unit]]:
    """The units of a file, each with its size."""
    starts = work.cuts(unit)
    ends = [*starts[1:], None]
    # no single task is going to see the whole document
    ranged = work.start > 0 or len(starts) > 1
    return [
        ((work.file.size if end is None else end) - start, _unit(work, start, end, ranged))
        for start, end in zip(starts, ends, strict=True)
    ]


def _unit(work: Work, start: int, end: int | None, ranged: bool) -> Unit:
    file, run = work.file, work.run
    when = run.time or datetime.fromtimestamp(file.modified, UTC)
    return Unit(os.fsencode(file.path), file.uri, start, end, ranged, file.named, when, *run[:-1])


def spread(spark: SparkSession, works: Iterable[Work], unit: int | None = None) -> DataFrame:
    """All units as a DataFrame whose partitions are about equally large."""
    return frame(spark, bins(works, spark.sparkContext.defaultParallelism, unit))


def frame(spark: SparkSession, portions: Sequence[Sequence[Unit]]) -> DataFrame:
    """Units as a DataFrame, each portion a partition."""
    # Spark makes a partition of each batch, where `prepare` has told it not to keep few rows together
    batches = [
        pa.RecordBatch.from_pylist([one._asdict() for one in portion], UNITS)
        for portion in portions
    ]
    return spark.createDataFrame(pa.Table.from_batches(batches, UNITS), typed(UNITS))


def bins(works: Iterable[Work], cores: int, unit: int | None = None) -> list[list[Unit]]:
    """All units, in about equally large portions of which there are some for each core.

    Large files are cut into ranges of `unit` bytes, or of as many as are one portion: the larger a
    range, the less is read twice.
    """
    todo = list(works)
    total = sum(work.size for work in todo)
    turns = max(1, -(-total // (_TASK * cores)))
    # a byte of plain text takes as long as any other; and starting a task, longer than reading a little
    if total >= UNIT and not all(work.can_be_cut for work in todo):
        turns = max(_TURNS, turns)
    portion = max(UNIT, min(_TASK, -(-total // (turns * cores))))
    sized = [one for work in todo for one in units(work, unit or portion)]
    sized.sort(key=lambda one: (-one[0], one[1].uri, one[1].start))
    count = max(1, min(len(sized), turns * cores))
    filled: list[list[Unit]] = [[] for _ in range(count)]
    heap = [(0, index) for index in range(count)]
    for size, one in sized:
        load, index = heap[0]
        filled[index].append(one)
        heapq.heapreplace(heap, (load + size + _FILE, index))
    return filled
