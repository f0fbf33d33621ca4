"""Which files are new or changed since the last ingest, and how they are split into units of work."""

from __future__ import annotations

import heapq
import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa

from deadheat.errors import DeadheatError, UnreadableError
from deadheat.lake.schema import FLAG, NUMBER, RUN_FIELDS, TEXT, TIME
from deadheat.parsing.report_reader import RANGE_OVERLAP
from deadheat.sources import file_listing, files
from deadheat.sources.ci_metadata import CiRun
from deadheat.sources.file_listing import ListedFile
from deadheat.spark.dataframes import spark_schema
from deadheat.text.decoding import HEAD_SIZE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from pyspark.sql import DataFrame, SparkSession

    from deadheat.lake.tables import Lake

    JsonDict = dict[str, Any]


# minimum size of a range of a large file
MIN_UNIT_BYTES = 1 << 25
_MAX_TASK_BYTES = 1 << 29
# tasks per core if some take longer than others, so that no core waits long
_TASKS_PER_CORE = 2
# cost of opening a file
_FILE_OVERHEAD_BYTES = 1 << 16

UNIT_SCHEMA = pa.schema(
    [
        ("path", pa.binary()),  # a path may contain bytes that are not UTF-8
        *(("uri", TEXT), ("start", NUMBER), ("end", NUMBER), ("ranged", FLAG), ("named", FLAG), ("observed_at", TIME)),
        *RUN_FIELDS,
    ]
)


class FileWork(NamedTuple):
    """A file to read from `start` on, in ranges if it can be cut."""

    file: ListedFile
    run: CiRun
    start: int = 0
    can_be_cut: bool = False

    @property
    def size(self) -> int:
        return self.file.size - self.start

    def range_starts(self, unit_bytes: int) -> list[int]:
        """The start offsets of its ranges of about `unit_bytes` bytes."""
        if not (self.can_be_cut and self.size >= 2 * min(unit_bytes, MIN_UNIT_BYTES)):
            return [self.start]
        step = -(-self.size // -(-self.size // unit_bytes))
        return list(range(self.start, self.file.size, step))


class WorkUnit(NamedTuple):
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


def list_work(paths: Sequence[str]) -> Iterator[FileWork]:
    """Yield every file below the paths. Files that cannot be listed are skipped."""
    for file in file_listing.list_files(paths):
        if isinstance(file, ListedFile):
            yield FileWork(file, CiRun(), can_be_cut=_can_be_cut(file))


def _can_be_cut(file: ListedFile) -> bool:
    try:
        with file_listing.open_file(file.path) as raw:
            return files.can_be_split(raw.read(HEAD_SIZE), file.uri)
    except OSError:
        return False


def split_work(work: FileWork, unit_bytes: int = MIN_UNIT_BYTES) -> list[tuple[int, WorkUnit]]:
    starts = work.range_starts(unit_bytes)
    ends = [*starts[1:], None]
    # no single task reads the whole document
    ranged = work.start > 0 or len(starts) > 1
    file, run = work.file, work.run
    path, when = os.fsencode(file.path), run.time or datetime.fromtimestamp(file.modified, UTC)
    return [
        (
            (file.size if end is None else end) - start,
            WorkUnit(path, file.uri, start, end, ranged, file.is_explicit, when, *run[:-1]),
        )
        for start, end in zip(starts, ends, strict=True)
    ]


def spread_units(spark: SparkSession, work_list: Iterable[FileWork], unit_bytes: int | None = None) -> DataFrame:
    """All units as a DataFrame with partitions of about equal size."""
    portions = pack_units(work_list, spark.sparkContext.defaultParallelism, unit_bytes)
    # each batch becomes a partition; `prepare_session` disables local relations
    batches = [pa.RecordBatch.from_pylist([unit._asdict() for unit in units], UNIT_SCHEMA) for units in portions]
    return spark.createDataFrame(pa.Table.from_batches(batches, UNIT_SCHEMA), spark_schema(UNIT_SCHEMA))


def pack_units(work_list: Iterable[FileWork], cores: int, unit_bytes: int | None = None) -> list[list[WorkUnit]]:
    """All units in portions of about equal size, some per core.

    Large files are split into ranges of `unit_bytes` bytes, or of the size of a portion. Larger
    ranges mean less overlap.
    """
    pending = list(work_list)
    total = sum(work.size for work in pending)
    tasks_per_core = max(1, -(-total // (_MAX_TASK_BYTES * cores)))
    # plain text is read at a constant rate, and starting a task takes longer than reading a little
    if total >= MIN_UNIT_BYTES and not all(work.can_be_cut for work in pending):
        tasks_per_core = max(_TASKS_PER_CORE, tasks_per_core)
    portion_bytes = max(MIN_UNIT_BYTES, min(_MAX_TASK_BYTES, -(-total // (tasks_per_core * cores))))
    sized_units = [pair for work in pending for pair in split_work(work, unit_bytes or portion_bytes)]
    sized_units.sort(key=lambda pair: (-pair[0], pair[1].uri, pair[1].start))
    count = max(1, min(len(sized_units), tasks_per_core * cores))
    portions: list[list[WorkUnit]] = [[] for _ in range(count)]
    heap = [(0, index) for index in range(count)]
    for size, unit in sized_units:
        load, index = heap[0]
        portions[index].append(unit)
        heapq.heapreplace(heap, (load + size + _FILE_OVERHEAD_BYTES, index))
    return portions


_END_BYTES = 4096
_MAX_READERS = 16
_FILE_COLUMNS = ("uri", "length", "modified_at", "head", "tail")


@dataclass(slots=True)
class IngestPlan:
    """The files that a batch reads."""

    work_list: list[FileWork] = field(default_factory=list)
    file_rows: dict[str, JsonDict] = field(default_factory=dict)
    keep_before: dict[str, int] = field(default_factory=dict)  # grown files: keep sightings before this offset
    changed_files: set[str] = field(default_factory=set)  # keep none
    faults: list[UnreadableError] = field(default_factory=list)
    known_count: int = 0

    @property
    def replaced_files(self) -> list[str]:
        """Files that were ingested before and are read again."""
        return sorted({*self.keep_before, *self.changed_files})

    def skip_files(self, uris: Iterable[str]) -> None:
        """Leave these files to a later ingest."""
        for uri in uris:
            self.file_rows.pop(uri, None)
            self.keep_before.pop(uri, None)
            self.changed_files.discard(uri)

    @property
    def size(self) -> int:
        return sum(work.size for work in self.work_list)


def plan_ingest(lake: Lake, paths: Sequence[str], run_of: Callable[[str], CiRun]) -> IngestPlan:
    """List all files below the paths, and read the ends of those that are new or changed."""
    plan = IngestPlan()
    files_by_uri: dict[str, ListedFile] = {}
    for file in file_listing.list_files(paths):
        if isinstance(file, UnreadableError):
            plan.faults.append(file)
        else:
            files_by_uri[file.uri] = file
    stored_files = _stored_files(lake, files_by_uri)
    new_files = [file for uri, file in files_by_uri.items() if not _is_unmodified(file, stored_files.get(uri))]
    plan.known_count = len(files_by_uri) - len(new_files)
    with ThreadPoolExecutor(_MAX_READERS) as readers:
        ends_of_files = readers.map(lambda file: _read_ends(file, stored_files.get(file.uri)), new_files)
        for file, ends in zip(new_files, ends_of_files, strict=True):
            if isinstance(ends, UnreadableError):
                plan.faults.append(ends)
            else:
                _plan_file(plan, file, ends, stored_files.get(file.uri), run_of(file.uri))
    return plan


def _stored_files(lake: Lake, wanted: dict[str, ListedFile]) -> dict[str, JsonDict]:
    """The rows of these files in the lake. The table may have millions of other rows."""
    if not lake.is_there:
        return {}
    return {
        row["uri"]: row
        for batch in lake.read_batches("files", _FILE_COLUMNS)
        for row in batch.to_pylist()
        if row["uri"] in wanted
    }


def _modified_time(file: ListedFile) -> datetime:
    return datetime.fromtimestamp(round(file.modified, 6), UTC)


def _is_unmodified(file: ListedFile, stored: JsonDict | None) -> bool:
    if stored is None or stored["length"] != file.size:
        return False
    return bool(stored["modified_at"] == _modified_time(file))


class _FileEnds(NamedTuple):
    """The first and last bytes of a file, and of the part that was ingested."""

    head: bytes
    tail: bytes
    old_head: bytes = b""
    old_tail: bytes = b""


def _read_ends(file: ListedFile, stored: JsonDict | None) -> _FileEnds | UnreadableError:
    try:
        with file_listing.open_file(file.path) as raw:
            head, tail = raw.read(_END_BYTES), _read_before(raw, file.size)
            if stored is None or file.size < stored["length"]:
                return _FileEnds(head, tail)
            length = stored["length"]
            return _FileEnds(head, tail, head[:length], _read_before(raw, length))
    except OSError as error:
        return file_listing.unreadable_error(file.uri, error)
    except DeadheatError as error:
        return UnreadableError(error.what, file.uri, error.do)


def _read_before(raw: Any, end: int) -> bytes:
    raw.seek(max(0, end - _END_BYTES))
    return bytes(raw.read(min(end, _END_BYTES)))


def _plan_file(plan: IngestPlan, file: ListedFile, ends: _FileEnds, stored: JsonDict | None, run: CiRun) -> None:
    plan.file_rows[file.uri] = {
        "uri": file.uri,
        "length": file.size,
        "modified_at": _modified_time(file),
        "head": _bytes_digest(ends.head[: file.size]),
        "tail": _bytes_digest(ends.tail),
    }
    start = 0
    can_be_cut = files.can_be_split(ends.head, file.uri)
    if stored is not None:
        ends_match = (stored["head"], stored["tail"]) == (_bytes_digest(ends.old_head), _bytes_digest(ends.old_tail))
        # a file of the same size is touched, or changed in the middle
        if ends_match and can_be_cut and file.size != stored["length"]:
            plan.keep_before[file.uri] = start = max(0, stored["length"] - RANGE_OVERLAP)
        else:
            plan.changed_files.add(file.uri)
    plan.work_list.append(FileWork(file, run, start, can_be_cut))


def _bytes_digest(data: bytes) -> str:
    return blake2b(data, digest_size=16).hexdigest()
