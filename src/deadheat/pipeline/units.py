"""Splits files into units of work and spreads them evenly. Runs on the driver."""

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

# minimum size of a range of a large file
UNIT = 1 << 25
_TASK = 1 << 29
# tasks per core if some take longer than others, so that no core waits long
_TURNS = 2
# cost of opening a file
_FILE = 1 << 16

UNITS = pa.schema(
    [
        ("path", pa.binary()),  # a path may contain bytes that are not UTF-8
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
    """A file to read from `start` on, in ranges if it can be cut."""

    file: Listed
    run: Run
    start: int = 0
    can_be_cut: bool = False

    @property
    def size(self) -> int:
        """The number of bytes to read."""
        return self.file.size - self.start

    def cuts(self, unit: int) -> list[int]:
        """The start offsets of its ranges of about `unit_bytes` bytes."""
        if not (self.can_be_cut and self.size >= 2 * min(unit, UNIT)):
            return [self.start]
        step = -(-self.size // -(-self.size // unit))
        return list(range(self.start, self.file.size, step))


class Unit(NamedTuple):
    """One row of `UNIT_SCHEMA`."""

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
    """Yield every file below the paths. Files that cannot be listed are skipped."""
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
    # no single task reads the whole document
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
    """All units as a DataFrame with partitions of about equal size."""
    return frame(spark, bins(works, spark.sparkContext.defaultParallelism, unit))


def frame(spark: SparkSession, portions: Sequence[Sequence[Unit]]) -> DataFrame:
    """Units as a DataFrame, one partition per portion."""
    # each batch becomes a partition; `prepare_session` disables local relations
    batches = [
        pa.RecordBatch.from_pylist([one._asdict() for one in portion], UNITS)
        for portion in portions
    ]
    return spark.createDataFrame(pa.Table.from_batches(batches, UNITS), typed(UNITS))


def bins(works: Iterable[Work], cores: int, unit: int | None = None) -> list[list[Unit]]:
    """All units in portions of about equal size, some per core.

    Large files are split into ranges of `unit_bytes` bytes, or of the size of a portion. Larger
    ranges mean less overlap.
    """
    todo = list(works)
    total = sum(work.size for work in todo)
    turns = max(1, -(-total // (_TASK * cores)))
    # plain text is read at a constant rate, and starting a task takes longer than reading a little
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
