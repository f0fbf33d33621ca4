"""Atomic changes over several tables, recovery after a crash, and maintenance of a lake."""

from __future__ import annotations

import json
import time
import uuid
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from functools import partial
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from deltalake.exceptions import CommitFailedError
from deltalake.transaction import AddAction, CommitProperties, RemoveAction, Transaction

from deadheat.errors import DeadheatError
from deadheat.lake.schema import TABLES, sort_columns
from deadheat.lake.storage import write_lock
from deadheat.lake.tables import APPLICATION, Lake

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from deadheat.lake.storage import LakeStorage


INTENT_FOLDER, STAGING_FOLDER = "_intents", "_staging"
# its transactions identify the batch that made the state
BATCH_APPLICATION = f"{APPLICATION}-batch"
# other machines may write for long without a visible lock
_ABANDONED_SECONDS = 86_400.0
# number of tables changed concurrently
_MAX_WRITERS = 4
# data files with fewer rows have no dictionaries
_MIN_DICTIONARY_ROWS = 4096


@dataclass(frozen=True, slots=True)
class AddedFile:
    path: str
    size: int
    stats: str

    @property
    def row_count(self) -> int:
        return int(json.loads(self.stats)["numRecords"])


@dataclass(slots=True)
class TableChange:
    add: list[AddedFile] = field(default_factory=list)
    remove: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Intent:
    """The changes of a batch to a lake in state `base`."""

    ingest: str
    base: int
    changes: dict[str, TableChange]

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, content: dict[str, Any]) -> Intent:
        changes = {
            name: TableChange([AddedFile(**added) for added in change["add"]], change["remove"])
            for name, change in content["changes"].items()
        }
        return cls(content["ingest"], content["base"], changes)


def written_files(storage: LakeStorage, table: str, ingest: str) -> list[AddedFile]:
    """The data files of a batch that executors wrote, with the statistics for file skipping."""
    added_files = []
    for name, info in storage.files_below(f"{table}/{ingest}"):
        if name.endswith(".parquet"):
            path = f"{ingest}/{name}"
            with storage.filesystem.open(storage.path_of(f"{table}/{path}"), "rb") as file:
                added_files += _added_files(path, info["size"], pq.read_metadata(file), table)
    return added_files


def write_rows(storage: LakeStorage, table: str, ingest: str, content: pa.Table) -> list[AddedFile]:
    if not content.num_rows:
        return []
    storage.make_folder(f"{table}/{ingest}")
    path, name = f"{ingest}/rows.parquet", storage.path_of(f"{table}/{ingest}/rows.parquet")
    collected: list[pq.FileMetaData] = []
    options = parquet_options(table, content.num_rows)
    pq.write_table(content, name, filesystem=storage.arrow_filesystem, metadata_collector=collected, **options)
    return _added_files(path, storage.filesystem.size(name), collected[0], table)


def parquet_options(table: str, rows: int) -> dict[str, Any]:
    columns = TABLES[table]
    return {
        "compression": "zstd",
        # few rows are smaller and faster to write without
        "use_dictionary": rows >= _MIN_DICTIONARY_ROWS,
        # nested columns are not used to skip files
        "write_statistics": [c.name for c in columns if not pa.types.is_nested(c.type)],
    }


def _added_files(path: str, size: int, metadata: pq.FileMetaData, table: str) -> list[AddedFile]:
    return [AddedFile(path, size, file_stats(metadata, table))] if metadata.num_rows else []


def file_stats(metadata: pq.FileMetaData, table: str) -> str:
    """Row count, and minimum and maximum of the sort columns, as JSON."""
    min_values: dict[str, str] = {}
    max_values: dict[str, str] = {}
    for index, column in enumerate(sort_columns(table)):
        groups = [metadata.row_group(g).column(index).statistics for g in range(metadata.num_row_groups)]
        # long text is truncated in the statistics of a file and cannot be used
        texts = [s for s in groups if s and s.has_min_max and s.physical_type == "BYTE_ARRAY"]
        if groups and len(texts) == len(groups) and all(isinstance(s.max, str) for s in texts):
            min_values[column] = min(s.min for s in texts)
            max_values[column] = max(s.max for s in texts)
    statistics = {"numRecords": metadata.num_rows, "minValues": min_values, "maxValues": max_values}
    return json.dumps(statistics)


def commit_intent(lake: Lake, intent: Intent, on_stage: Callable[[str], None] = lambda _: None) -> None:
    """Commit a batch and apply it. `on_stage` is called with the name of each finished stage."""
    name = f"{INTENT_FOLDER}/{intent.ingest}.json"
    lake.storage.write_json(name, intent.to_json())
    on_stage("decided")
    # with the lock held, the open tables are current; a change of an outdated table fails
    if not lake.storage.is_local:
        lake.refresh()
    if not _apply_intent(lake, intent, on_stage):
        lake.storage.remove(name)
        raise DeadheatError("another process wrote to this lake", lake.uri, "try again")
    on_stage("carried out")
    lake.storage.remove(name)
    on_stage("done")


def finish_interrupted(lake: Lake) -> list[str]:
    """Finish the intents of killed processes. Returns their batches."""
    finished = []
    for name in lake.storage.entry_names(INTENT_FOLDER):
        if name.endswith(".json"):
            intent = Intent.from_json(lake.storage.read_json(f"{INTENT_FOLDER}/{name}"))
            lake.refresh()
            if _apply_intent(lake, intent, lambda _: None):
                finished.append(intent.ingest)
        lake.storage.remove(f"{INTENT_FOLDER}/{name}")
    lake.refresh()
    return finished


def _apply_intent(lake: Lake, intent: Intent, on_stage: Callable[[str], None]) -> bool:
    """Apply all changes that are not applied yet. False if another batch was first."""
    state = intent.base + 1
    # every batch changes `files` first; its transaction decides which batch gets the state
    if lake.state_number == intent.base:
        if not _change_table(lake, intent, "files"):
            return False
    elif lake.state_number != state or lake.delta_table("files").transaction_version(
        BATCH_APPLICATION
    ) != _batch_number(intent):
        return False
    on_stage("files")
    others = [name for name, c in intent.changes.items() if name != "files" and (c.add or c.remove)]
    # the changes are independent and wait for storage
    with ThreadPoolExecutor(_MAX_WRITERS) as writers:
        results = writers.map(partial(_update_table, lake, intent), others)
        for name, done in zip(others, results, strict=True):
            if not done:
                return False
            on_stage(name)
    lake.refresh()
    return True


def _update_table(lake: Lake, intent: Intent, name: str) -> bool:
    """Apply the change of a table, unless it is applied."""
    return lake.table_state(name) > intent.base or _change_table(lake, intent, name)


def _change_table(lake: Lake, intent: Intent, name: str) -> bool:
    change = intent.changes[name]
    now = int(time.time() * 1000)
    actions: list[AddAction | RemoveAction] = [
        AddAction(added.path, added.size, {}, now, True, added.stats) for added in change.add
    ]
    actions += [RemoveAction(path, True, now) for path in change.remove]
    properties = CommitProperties(
        custom_metadata={"ingest": intent.ingest},
        app_transactions=[
            Transaction(APPLICATION, intent.base + 1),
            Transaction(BATCH_APPLICATION, _batch_number(intent)),
        ],
        max_commit_retries=0,
    )
    try:
        lake.delta_table(name).create_write_transaction(actions, "append", TABLES[name], commit_properties=properties)
    except CommitFailedError:
        # another process may have finished our intent
        lake.refresh()
        return lake.delta_table(name).transaction_version(BATCH_APPLICATION) == _batch_number(intent)
    return True


def _batch_number(intent: Intent) -> int:
    """The batch as a number, because transactions have no names."""
    return int.from_bytes(blake2b(intent.ingest.encode(), digest_size=7).digest())


def remove_abandoned_files(lake: Lake, keep: Iterable[str] = (), older_than: float = _ABANDONED_SECONDS) -> int:
    """Remove folders of data files that no table references. Returns their number."""
    removed = _remove_old_folders(lake.storage, STAGING_FOLDER, {*keep}, older_than)
    for name in lake.table_names:
        referenced = {path.partition("/")[0] for path in lake.data_files(name)}
        removed += _remove_old_folders(lake.storage, name, {*keep, *referenced, "_delta_log"}, older_than)
    return removed


def _remove_old_folders(storage: LakeStorage, folder: str, keep: set[str], older_than: float) -> int:
    removed = 0
    for name in storage.entry_names(folder):
        if name in keep or name.endswith(".parquet"):
            continue
        if storage.age_seconds(f"{folder}/{name}") > older_than:
            storage.remove(f"{folder}/{name}")
            removed += 1
    return removed


def replace_table(
    lake: Lake, name: str, rows: pa.Table, keep: pc.Expression | None = None, timeout: float = 10.0
) -> None:
    """Replace all rows of a table, or those that `keep` is not true for.

    Creates the lake if needed. The change is atomic and takes the write lock.
    """
    with write_lock(lake.storage, timeout):
        lake.create_tables(name)
        finish_interrupted(lake)
        old = lake.data_files(name)
        if keep is not None:
            rows = pa.concat_tables([lake.read_rows(name, where=keep), rows])
        batch = f"{name}-{uuid.uuid4().hex[:12]}"
        content = rows.select(TABLES[name].names).cast(TABLES[name])
        added = write_rows(lake.storage, name, batch, content)
        # every batch changes `files`, at least its state
        changes = {"files": TableChange(), name: TableChange(added, old)}
        commit_intent(lake, Intent(batch, lake.state_number, changes))


_SIGHTING_COLUMNS = ["uri", "offset", "length", "lane", "report"]


def find_faults(lake: Lake) -> Iterator[str]:
    """Yield a line for every inconsistency."""
    lake.require()
    for name in lake.storage.entry_names(INTENT_FOLDER):
        yield f"{name} was committed but not applied; the next ingest applies it"
    is_complete = True
    for table in lake.table_names:
        for fault in _file_faults(lake, table):
            is_complete = False
            yield fault
    if is_complete:
        yield from _content_faults(lake)


def _file_faults(lake: Lake, table: str) -> Iterator[str]:
    try:
        paths = lake.data_files(table)
    except DeadheatError as error:
        yield str(error)
        return
    sizes = {name: info["size"] for name, info in lake.storage.files_below(table)}
    expected = dict(zip(paths, lake.data_file_sizes(table), strict=True))
    for path, size in expected.items():
        if path not in sizes:
            yield f"{table}/{path} is missing"
        elif sizes[path] != size:
            yield f"{table}/{path} has {sizes[path]} bytes, expected {size}"


def _content_faults(lake: Lake) -> Iterator[str]:
    """Check the tables against each other. Keeps a few columns of the largest tables in memory."""
    sightings = lake.read_rows("sightings", [*_SIGHTING_COLUMNS, "node", "file"])
    locations = sightings.group_by(["uri", "offset", "length", "lane"]).aggregate([])
    if duplicates := sightings.num_rows - locations.num_rows:
        yield f"{duplicates} duplicate sightings"
    for table, key, reference in (("reports", "digest", "report"), ("files", "uri", "file")):
        keys = lake.read_rows(table, [key])[key]
        if duplicates := len(keys) - len(pc.unique(keys)):
            yield f"{duplicates} duplicate {table}"
        if missing := _count_missing(sightings[reference], keys):
            yield f"{missing} {table} of sightings are missing"
    races = lake.read_rows("races", ["sightings", "nodes"])
    counted = pc.sum(races["sightings"]).as_py() or 0
    if counted != sightings.num_rows:
        remedy = "`deadheat consolidate` rebuilds them"
        yield f"races have {counted} sightings, expected {sightings.num_rows}; {remedy}"
    if missing := _count_missing(sightings["node"], pc.list_flatten(races["nodes"])):
        yield f"{missing} variants have no race; `deadheat consolidate` rebuilds the races"


def _count_missing(wanted: object, present: object) -> int:
    known = pc.is_in(pc.unique(wanted), value_set=pc.unique(present))
    return int(pc.sum(pc.invert(known)).as_py() or 0)


def compact_tables(lake: Lake, keep_hours: int, timeout: float = 10.0) -> dict[str, tuple[int, int]]:
    """Compact small files and remove unused ones. Returns the file counts before and after."""
    lake.require()
    counts = {}
    with write_lock(lake.storage, timeout):
        finish_interrupted(lake)
        for name in lake.table_names:
            table = lake.delta_table(name)
            before = len(lake.data_files(name))
            table.optimize.compact()
            table.vacuum(keep_hours, dry_run=False, enforce_retention_duration=False, full=True)
            lake.refresh()
            counts[name] = before, len(lake.data_files(name))
        remove_abandoned_files(lake, older_than=keep_hours * 3600)
    return counts
