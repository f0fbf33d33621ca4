"""Which files are new or changed since the last ingest, and how they are split into tasks.

The driver only lists files. Whether a file has grown or can be split is decided by the task that reads it."""

from __future__ import annotations

import heapq
import os
import pickle
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

from deadheat.errors import UnreadableError
from deadheat.lake.documents import document_id
from deadheat.model import CiRun
from deadheat.parsing.report_reader import RANGE_OVERLAP
from deadheat.sources import file_listing
from deadheat.sources.archive_limits import DEFAULT_LIMITS, ArchiveLimits
from deadheat.sources.file_listing import ListedFile
from deadheat.spark.stored_documents import (
    is_unmodified,
    names_before_rotation,
    read_limited_archives,
    read_stored_documents,
    unpacked_name,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from deadheat.lake.documents import KnownDocument
    from deadheat.lake.tables import Lake


# minimum size of a range of a large file
MIN_UNIT_BYTES = 1 << 25
_MAX_TASK_BYTES, _MAX_TASK_FILES = 1 << 29, 2048
# tasks per slot if some take longer than others, so that no slot waits long
_TASKS_PER_SLOT = 2
# cost of opening a file
_FILE_OVERHEAD_BYTES = 1 << 16
# starting a task takes longer than reading less, with the cost of its files
_MIN_TASK_BYTES = 1 << 20


class FileWork(NamedTuple):
    """A file to read. If `known`, it may have grown since; it may also be one of `renamed` under another name."""

    file: ListedFile
    run: CiRun
    known: KnownDocument | None = None
    renamed: tuple[KnownDocument, ...] = ()
    state: int = 0  # in which state of the lake its row was written, if it has one

    @property
    def documents(self) -> tuple[KnownDocument, ...]:
        """The documents that the file may continue."""
        own = [self.known] if self.known else []
        return tuple(dict.fromkeys([*own, *self.renamed]))

    @property
    def start(self) -> int:
        return max(0, self.known.length - RANGE_OVERLAP) if self.known and not self.renamed else 0

    @property
    def size(self) -> int:
        return max(0, self.file.size - self.start)

    def range_starts(self, unit_bytes: int) -> list[int]:
        """The start offsets of its ranges of about `unit_bytes` bytes."""
        if self.size < 2 * min(unit_bytes, MIN_UNIT_BYTES):
            return [self.start]
        step = -(-self.size // -(-self.size // unit_bytes))
        return list(range(self.start, self.file.size, step))


class WorkUnit(NamedTuple):
    """A file, or a range of it, for a task."""

    path: bytes
    uri: str
    size: int
    start: int
    end: int | None
    is_range: bool  # there are other ranges of this file
    first_start: int  # where the first of them begins
    named: bool
    limits: ArchiveLimits
    document: str
    known: tuple[KnownDocument, ...]  # documents that the file may continue
    observed_at: datetime
    repo: str | None
    commit: str | None
    branch: str | None
    job: str | None
    run: str | None


def list_work(paths: Sequence[str]) -> Iterator[FileWork]:
    """Yield every file below the paths. Files that cannot be listed are skipped."""
    for file in file_listing.list_files(paths):
        if isinstance(file, ListedFile):
            yield FileWork(file, CiRun())


def split_work(
    work: FileWork, unit_bytes: int = MIN_UNIT_BYTES, limits: ArchiveLimits = DEFAULT_LIMITS
) -> list[tuple[int, WorkUnit]]:
    """The units of a file with their sizes."""
    starts = work.range_starts(unit_bytes)
    ends = [*starts[1:], None]
    file, run = work.file, work.run
    path, when = os.fsencode(file.path), run.time or datetime.fromtimestamp(file.modified, UTC)
    name = document_id(file.uri, run, file.size, file.modified, file.etag)
    return [
        (
            (file.size if end is None else end) - start,
            WorkUnit(
                path, file.uri, file.size, start, end, len(starts) > 1, starts[0], file.is_explicit, limits, name,
                work.documents, when, *run[:-1],
            ),
        )
        for start, end in zip(starts, ends, strict=True)
    ]  # fmt: skip


def pack_units(
    work_list: Iterable[FileWork], slots: int, unit_bytes: int | None = None, limits: ArchiveLimits = DEFAULT_LIMITS
) -> list[bytes]:
    """All units in pickled portions of about equal size, one per task. `slots` is how many tasks can run at once.

    Large files are split into ranges of `unit_bytes` bytes, or of the size of a portion. Larger ranges mean
    less overlap.
    """
    pending = list(work_list)
    total = sum(work.size for work in pending)
    task_count = _task_count(total, len(pending), slots)
    portion_bytes = max(MIN_UNIT_BYTES, min(_MAX_TASK_BYTES, -(-total // task_count)))
    sized_units = [pair for work in pending for pair in split_work(work, unit_bytes or portion_bytes, limits)]
    sized_units.sort(key=lambda pair: (-pair[0], pair[1].uri, pair[1].start))
    count = max(1, min(len(sized_units), task_count))
    portions: list[list[WorkUnit]] = [[] for _ in range(count)]
    heap = [(0, index) for index in range(count)]
    for size, unit in sized_units:
        load, index = heap[0]
        portions[index].append(unit)
        heapq.heapreplace(heap, (load + size + _FILE_OVERHEAD_BYTES, index))
    del sized_units
    packed = []
    portions.reverse()
    while portions:  # the memory of each is used for the next
        packed.append(pickle.dumps(portions.pop(), pickle.HIGHEST_PROTOCOL))
    return packed


def _task_count(total: int, files: int, slots: int) -> int:
    """By files and bytes: neither many small tasks on many cores, nor large ones on a few."""
    rounds = max(1, -(-total // (_MAX_TASK_BYTES * slots)), -(-files // (_MAX_TASK_FILES * slots)))
    if total >= MIN_UNIT_BYTES and files > slots:
        rounds = max(_TASKS_PER_SLOT, rounds)
    return min(rounds * slots, -(-(total + files * _FILE_OVERHEAD_BYTES) // _MIN_TASK_BYTES) or 1)


@dataclass(slots=True)
class IngestPlan:
    """The files that a batch reads."""

    work_list: list[FileWork] = field(default_factory=list)
    faults: list[UnreadableError] = field(default_factory=list)
    # compressed files whose originals are still there: their compression may not be complete
    compressing: set[str] = field(default_factory=set)
    known_count: int = 0
    size: int = 0


def plan_ingest(
    lake: Lake, paths: Sequence[str], run_of: Callable[[str], CiRun], limits: ArchiveLimits = DEFAULT_LIMITS
) -> IngestPlan:
    """List all files below the paths, and leave out those that the lake knows as they are.

    With limits other than the default, archives that exceeded a limit when they were read last are read again.
    """
    plan = IngestPlan()
    listed: list[tuple[ListedFile, CiRun]] = []
    wanted: set[str] = set()
    for file in file_listing.list_files(paths):
        if isinstance(file, UnreadableError):
            plan.faults.append(file)
        else:
            listed.append((file, run_of(file.uri)))
            wanted.update((file.uri, *names_before_rotation(file.uri)))
    stored = read_stored_documents(lake, wanted)
    limited = read_limited_archives(lake) if limits != DEFAULT_LIMITS else frozenset()
    listed_uris = {file.uri for file, _ in listed}
    for file, run in listed:
        row = stored.newest_row(file.uri, run)
        if row is not None and is_unmodified(file, row) and (file.uri, row["ingest"]) not in limited:
            plan.known_count += 1
            continue
        known, renamed = stored.known_at(file.uri, run), stored.known_before_rotation(file.uri, run)
        plan.work_list.append(FileWork(file, run, known, renamed, row["state"] if row else 0))
        if (original := unpacked_name(file.uri)) != file.uri and original in listed_uris:
            plan.compressing.add(file.uri)
    plan.size = sum(work.size for work in plan.work_list)
    return plan
