"""Atomic changes of several tables, by writing an intent first.

The data files of a batch are in the table folders, but not in the tables' logs. The intent lists
all of them. It is written atomically, and with it the batch is committed. Then each table is
changed by its own Delta transaction, numbered by the new state of the lake, so that a change is not
applied twice. A process that finds an intent finishes it first.
"""

from __future__ import annotations

import json
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from functools import partial
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
from deltalake.exceptions import CommitFailedError
from deltalake.transaction import AddAction, CommitProperties, RemoveAction, Transaction

from deadheat.errors import DeadheatError
from deadheat.lake.schema import TABLES, sorted_by
from deadheat.lake.tables import APPLICATION, Lake

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from deadheat.lake.place import Place

INTENTS, STAGING = "_intents", "_staging"
# its transactions identify the batch that made the state
BATCH = f"{APPLICATION}-batch"
# other machines may write for long without a visible lock
_ABANDONED = 86_400.0
# number of tables changed concurrently
_WRITERS = 4
# data files with fewer rows have no dictionaries
_FEW = 4096


@dataclass(frozen=True, slots=True)
class Added:
    """A data file that a batch adds to a table."""

    path: str
    size: int
    stats: str

    @property
    def rows(self) -> int:
        return int(json.loads(self.stats)["numRecords"])


@dataclass(slots=True)
class Change:
    """The changes of a batch to one table."""

    add: list[Added] = field(default_factory=list)
    remove: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Intent:
    """The changes of a batch to a lake in state `base`."""

    ingest: str
    base: int
    changes: dict[str, Change]

    def plain(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def of(cls, plain: dict[str, Any]) -> Intent:
        changes = {
            name: Change([Added(**added) for added in change["add"]], change["remove"])
            for name, change in plain["changes"].items()
        }
        return cls(plain["ingest"], plain["base"], changes)


# -- data files ------------------------------------------------------------------------------------


def written(place: Place, table: str, ingest: str) -> list[Added]:
    """The data files of a batch that executors wrote, with the statistics for file skipping."""
    found = []
    for name, told in place.below(f"{table}/{ingest}"):
        if name.endswith(".parquet"):
            path = f"{ingest}/{name}"
            with place.files.open(place.path(f"{table}/{path}"), "rb") as file:
                found += _added(path, told["size"], pq.read_metadata(file), table)
    return found


def write(place: Place, table: str, ingest: str, content: pa.Table) -> list[Added]:
    """Write rows of a batch on the driver."""
    if not content.num_rows:
        return []
    place.make(f"{table}/{ingest}")
    path, name = f"{ingest}/rows.parquet", place.path(f"{table}/{ingest}/rows.parquet")
    told: list[pq.FileMetaData] = []
    how = layout(table, content.num_rows)
    pq.write_table(content, name, filesystem=place.arrow, metadata_collector=told, **how)
    return _added(path, place.files.size(name), told[0], table)


def layout(table: str, rows: int) -> dict[str, Any]:
    """The Parquet options for a data file with this many rows."""
    columns = TABLES[table]
    return {
        "compression": "zstd",
        # few rows are smaller and faster to write without
        "use_dictionary": rows >= _FEW,
        # nested columns are not used to skip files
        "write_statistics": [c.name for c in columns if not pa.types.is_nested(c.type)],
    }


def _added(path: str, size: int, told: pq.FileMetaData, table: str) -> list[Added]:
    return [Added(path, size, stats(told, table))] if told.num_rows else []


def stats(told: pq.FileMetaData, table: str) -> str:
    """Row count, and minimum and maximum of the sort columns, as JSON."""
    least: dict[str, str] = {}
    greatest: dict[str, str] = {}
    for index, column in enumerate(sorted_by(table)):
        groups = [told.row_group(g).column(index).statistics for g in range(told.num_row_groups)]
        # long text is truncated in the statistics of a file and cannot be used
        texts = [s for s in groups if s and s.has_min_max and s.physical_type == "BYTE_ARRAY"]
        if groups and len(texts) == len(groups) and all(isinstance(s.max, str) for s in texts):
            least[column] = min(s.min for s in texts)
            greatest[column] = max(s.max for s in texts)
    known = {"numRecords": told.num_rows, "minValues": least, "maxValues": greatest}
    return json.dumps(known)


# -- commit ----------------------------------------------------------------------------------------


def commit(lake: Lake, intent: Intent, passed: Callable[[str], None] = lambda _: None) -> None:
    """Commit a batch and apply it. `on_stage` is called with the name of each finished stage."""
    name = f"{INTENTS}/{intent.ingest}.json"
    lake.place.write(name, intent.plain())
    passed("decided")
    # with the lock held, the open tables are current; a change of an outdated table fails
    if not lake.place.is_local:
        lake.refresh()
    if not _carried_out(lake, intent, passed):
        lake.place.remove(name)
        raise DeadheatError(
            "another process wrote to this lake", lake.uri, "try again"
        )
    passed("carried out")
    lake.place.remove(name)
    passed("done")


def recover(lake: Lake) -> list[str]:
    """Finish the intents of killed processes. Returns their batches."""
    finished = []
    for name in lake.place.names(INTENTS):
        if name.endswith(".json"):
            intent = Intent.of(lake.place.read(f"{INTENTS}/{name}"))
            lake.refresh()
            if _carried_out(lake, intent, lambda _: None):
                finished.append(intent.ingest)
        lake.place.remove(f"{INTENTS}/{name}")
    lake.refresh()
    return finished


def _carried_out(lake: Lake, intent: Intent, passed: Callable[[str], None]) -> bool:
    """Apply all changes that are not applied yet. False if another batch was first."""
    state = intent.base + 1
    # every batch changes `files` first; its transaction decides which batch gets the state
    if lake.state == intent.base:
        if not _changed(lake, intent, "files"):
            return False
    elif lake.state != state or lake.table("files").transaction_version(BATCH) != _number(intent):
        return False
    passed("files")
    others = [name for name, c in intent.changes.items() if name != "files" and (c.add or c.remove)]
    # the changes are independent and wait for storage
    with ThreadPoolExecutor(_WRITERS) as writers:
        brought = writers.map(partial(_brought, lake, intent), others)
        for name, done in zip(others, brought, strict=True):
            if not done:
                return False
            passed(name)
    lake.refresh()
    return True


def _brought(lake: Lake, intent: Intent, name: str) -> bool:
    """Apply the change of a table, unless it is applied."""
    return lake.reached(name) > intent.base or _changed(lake, intent, name)


def _changed(lake: Lake, intent: Intent, name: str) -> bool:
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
            Transaction(BATCH, _number(intent)),
        ],
        max_commit_retries=0,
    )
    try:
        lake.table(name).create_write_transaction(
            actions, "append", TABLES[name], commit_properties=properties
        )
    except CommitFailedError:
        # another process may have finished our intent
        lake.refresh()
        return lake.table(name).transaction_version(BATCH) == _number(intent)
    return True


def _number(intent: Intent) -> int:
    """The batch as a number, because transactions have no names."""
    return int.from_bytes(blake2b(intent.ingest.encode(), digest_size=7).digest())


# -- abandoned files -------------------------------------------------------------------------------


def sweep(lake: Lake, keep: Iterable[str] = (), older_than: float = _ABANDONED) -> int:
    """Remove folders of data files that no table references. Returns their number."""
    swept = _sweep_folders(lake.place, STAGING, {*keep}, older_than)
    for name in lake.names:
        live = {path.partition("/")[0] for path in lake.paths(name)}
        swept += _sweep_folders(lake.place, name, {*keep, *live, "_delta_log"}, older_than)
    return swept


def _sweep_folders(place: Place, folder: str, keep: set[str], older_than: float) -> int:
    swept = 0
    for name in place.names(folder):
        if name in keep or name.endswith(".parquet"):
            continue
        if place.age(f"{folder}/{name}") > older_than:
            place.remove(f"{folder}/{name}")
            swept += 1
    return swept
