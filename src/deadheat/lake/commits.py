"""One decision over several tables: what a batch changes is written down first, then done.

A batch's data files lie in their tables' folders where no reader looks. The intent names them all; it
appears at once or not at all, and that is the decision. Each table is then changed by a transaction of
its own, numbered by the state that the lake gets, so that a change that is there already is not made
again. Whoever finds an intent finishes it before doing anything else.
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
# the application whose transactions tell whose the state is
BATCH = f"{APPLICATION}-batch"
# another machine may be at work for long, and holds no lock that we could see
_ABANDONED = 86_400.0
# so many tables are changed at a time
_WRITERS = 4
# a data file with fewer rows has no dictionaries
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
    """What a batch does to one table."""

    add: list[Added] = field(default_factory=list)
    remove: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Intent:
    """What a batch does to a lake that is in the state `base`."""

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
    """The data files that others have written for a batch, with what readers skip files by."""
    found = []
    for name, told in place.below(f"{table}/{ingest}"):
        if name.endswith(".parquet"):
            path = f"{ingest}/{name}"
            with place.files.open(place.path(f"{table}/{path}"), "rb") as file:
                found += _added(path, told["size"], pq.read_metadata(file), table)
    return found


def write(place: Place, table: str, ingest: str, content: pa.Table) -> list[Added]:
    """Writes a few rows from right here."""
    if not content.num_rows:
        return []
    place.make(f"{table}/{ingest}")
    path, name = f"{ingest}/rows.parquet", place.path(f"{table}/{ingest}/rows.parquet")
    told: list[pq.FileMetaData] = []
    how = layout(table, content.num_rows)
    pq.write_table(content, name, filesystem=place.arrow, metadata_collector=told, **how)
    return _added(path, place.files.size(name), told[0], table)


def layout(table: str, rows: int) -> dict[str, Any]:
    """How a data file with so many rows is written."""
    columns = TABLES[table]
    return {
        "compression": "zstd",
        # a few rows are smaller and sooner written without
        "use_dictionary": rows >= _FEW,
        # what is nested is nothing to skip files by
        "write_statistics": [c.name for c in columns if not pa.types.is_nested(c.type)],
    }


def _added(path: str, size: int, told: pq.FileMetaData, table: str) -> list[Added]:
    return [Added(path, size, stats(told, table))] if told.num_rows else []


def stats(told: pq.FileMetaData, table: str) -> str:
    """How many rows a file has, and the least and greatest text of the columns that it is sorted by."""
    least: dict[str, str] = {}
    greatest: dict[str, str] = {}
    for index, column in enumerate(sorted_by(table)):
        groups = [told.row_group(g).column(index).statistics for g in range(told.num_row_groups)]
        # long text is cut off in a file's own statistics, and what is cut off says nothing
        texts = [s for s in groups if s and s.has_min_max and s.physical_type == "BYTE_ARRAY"]
        if groups and len(texts) == len(groups) and all(isinstance(s.max, str) for s in texts):
            least[column] = min(s.min for s in texts)
            greatest[column] = max(s.max for s in texts)
    known = {"numRecords": told.num_rows, "minValues": least, "maxValues": greatest}
    return json.dumps(known)


# -- the decision ----------------------------------------------------------------------------------


def commit(lake: Lake, intent: Intent, passed: Callable[[str], None] = lambda _: None) -> None:
    """Decides on a batch and carries it out. `passed` is told each stage as it is reached."""
    name = f"{INTENTS}/{intent.ingest}.json"
    lake.place.write(name, intent.plain())
    passed("decided")
    # who holds the lake has its tables as they are; and on a table that is older, no change is made
    if not lake.place.is_local:
        lake.refresh()
    if not _carried_out(lake, intent, passed):
        lake.place.remove(name)
        raise DeadheatError(
            "another process has written to this lake meanwhile", lake.uri, "try again"
        )
    passed("carried out")
    lake.place.remove(name)
    passed("done")


def recover(lake: Lake) -> list[str]:
    """Finishes what others had decided on when they were killed; the batches that it did so for."""
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
    """Makes every change that is not made yet; False if another batch was there first."""
    state = intent.base + 1
    # `files` is changed by every batch, and first of all: whoever changes it has the state
    if lake.state == intent.base:
        if not _changed(lake, intent, "files"):
            return False
    elif lake.state != state or lake.table("files").transaction_version(BATCH) != _number(intent):
        return False
    passed("files")
    others = [name for name, c in intent.changes.items() if name != "files" and (c.add or c.remove)]
    # none of them waits for another; each waits for its place, and for threads of delta-rs
    with ThreadPoolExecutor(_WRITERS) as writers:
        brought = writers.map(partial(_brought, lake, intent), others)
        for name, done in zip(others, brought, strict=True):
            if not done:
                return False
            passed(name)
    lake.refresh()
    return True


def _brought(lake: Lake, intent: Intent, name: str) -> bool:
    """Brings a table to the state that a batch makes, unless it is there."""
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
        # somebody who has found our intent may have carried it out
        lake.refresh()
        return lake.table(name).transaction_version(BATCH) == _number(intent)
    return True


def _number(intent: Intent) -> int:
    """A batch as a number, because transactions have no names."""
    return int.from_bytes(blake2b(intent.ingest.encode(), digest_size=7).digest())


# -- what killed runs leave behind -----------------------------------------------------------------


def sweep(lake: Lake, keep: Iterable[str] = (), older_than: float = _ABANDONED) -> int:
    """Removes folders of data files that no table knows; returns how many."""
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
