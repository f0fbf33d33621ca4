"""Atomic changes over several tables by several writers, without a lock.

Facts and derived tables each have a sequence of states. A change is computed on one state and makes the next
one. Its first table decides: of two writers that commit the same state there, one fails, and computes its
change again. The other tables follow. What they need is written before, as an intent, so that any writer can
complete the change of a killed one, and does so before its own."""

from __future__ import annotations

import json
import random
import time
import zlib
from base64 import b64decode, b64encode
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from deadheat.errors import DeadheatError
from deadheat.lake.data_files import MAX_FILE_ROWS, AddedFile, TableChange, write_rows
from deadheat.lake.integrity.checksums import commit_info, commits_backwards, record_logs, record_name
from deadheat.lake.schema import DERIVED_TABLES, FACT_TABLES, LAKE_VERSION, OPTIONAL_TABLES, TABLES
from deadheat.lake.storage import parse_json
from deadheat.lake.tables import APPLICATION, Lake

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    OnStage = Callable[[str], None]

INTENT_FOLDER, STAGING_FOLDER = "_intents", "_staging"
# its transactions identify the change that made the state
BATCH_APPLICATION = f"{APPLICATION}-batch"
# on `nodes`: the state of the facts that the derived tables were computed from
COVERED_APPLICATION = f"{APPLICATION}-covered"
# tables changed concurrently
_MAX_WRITERS = 4
_MAX_ATTEMPTS = 100
_MAX_PAUSE = 1.0


@dataclass(frozen=True, slots=True)
class Intent:
    """The changes that make a state. The first table decides."""

    batch: str
    state: int
    changes: dict[str, TableChange]
    covered: int = 0  # derived tables: the state of the facts
    replaces: bool = False  # the tables are created anew, with other columns
    query: tuple[str, int] | None = None  # a streaming query, and the number of its batches so far

    @property
    def decider(self) -> str:
        return next(iter(self.changes))

    @property
    def file_name(self) -> str:
        return f"{INTENT_FOLDER}/{self.decider}-{self.state:012}-{self.batch}.json"

    @property
    def number(self) -> int:
        """The batch as a number, because transactions have no names."""
        return int.from_bytes(blake2b(self.batch.encode(), digest_size=7).digest())

    def to_json(self) -> dict[str, Any]:
        changes = {
            name: {"add": change.add, "remove": change.remove, "data_change": change.data_change}
            for name, change in self.changes.items()
        }
        return {
            "batch": self.batch, "state": self.state, "changes": changes, "covered": self.covered,
            "replaces": self.replaces, "query": self.query,
        }  # fmt: skip

    def to_text(self) -> str:
        """The intent as compressed text, for the log of its first table."""
        return b64encode(zlib.compress(json.dumps(self.to_json()).encode())).decode()

    @classmethod
    def from_text(cls, text: str) -> Intent:
        return cls.from_json(parse_json(zlib.decompress(b64decode(text))))

    @classmethod
    def from_json(cls, content: dict[str, Any]) -> Intent:
        changes = {
            name: TableChange([AddedFile(*added) for added in change["add"]], change["remove"], change["data_change"])
            for name, change in content["changes"].items()
        }
        query = content.get("query")
        return cls(**{**content, "changes": changes, "query": (query[0], query[1]) if query else None})


def commit(
    lake: Lake, build: Callable[[int], Intent | None], on_stage: OnStage = lambda _: None, decider: str = "ingests"
) -> Intent | None:
    """Make the next state. `build` computes the change for it, on the tables as they are now.

    It is called again if another writer was first, and returns None if there is nothing to change.
    """
    for attempt in range(_MAX_ATTEMPTS):
        with lake.storage.disk_errors():
            refresh_lake(lake)
            intent = build(lake.table_state(decider) + 1)
            if intent is None:
                return None
            lake.storage.write_json(intent.file_name, intent.to_json())
            on_stage("decided")
            if _decide(lake, intent):
                on_stage(intent.decider)
                _follow(lake, intent, on_stage)
                lake.storage.remove(intent.file_name)
                on_stage("done")
                return intent
            lake.storage.remove(intent.file_name)
        _pause(attempt)
    raise DeadheatError("other processes keep writing to this lake", lake.uri, "try again later")


def refresh_lake(lake: Lake) -> None:
    """Read the tables anew, all facts of one state and all derived tables of one state.

    Tables are read one after the other, so another writer's change may be in some of them only.
    """
    for attempt in range(_MAX_ATTEMPTS):
        if complete_lake(lake):
            return
        _pause(attempt)
    states = ", ".join(f"{name} {lake.table_state(name)}" for name in (*FACT_TABLES, *DERIVED_TABLES))
    what = f"other processes keep writing to this lake, or commits are missing (states: {states})"
    raise DeadheatError(what, lake.uri, "try again later, or `deadheat lake check`")


def _is_consistent(lake: Lake, tables: Sequence[str]) -> bool:
    """Have these tables the same state? Before its migration, a lake has other states."""
    is_older = any(lake.schema_version(name) < LAKE_VERSION for name in tables)
    return is_older or len({lake.table_state(name) for name in tables}) == 1


def _pause(attempt: int) -> None:
    time.sleep(random.uniform(0, min(_MAX_PAUSE, 0.02 * 2**attempt)))


def complete_changes(lake: Lake) -> list[str]:
    """Complete the changes of killed processes, on tables that are current. Returns their batches."""
    completed = []
    for name in _intent_names(lake):
        intent = _read_intent(lake, name)
        if intent is None or intent.state > lake.table_state(intent.decider):
            continue
        # whoever decided on a later state has completed this one
        if lake.table_state(intent.decider) == intent.state and _is_decided(lake, intent):
            _follow(lake, intent, lambda _: None)
            completed.append(intent.batch)
        lake.storage.remove(f"{INTENT_FOLDER}/{name}")
    return completed


def complete_lake(lake: Lake) -> bool:
    """Read the tables anew and complete decided changes. Whether all are complete."""
    lake.refresh()
    complete_changes(lake)
    is_complete = [_complete_latest(lake, tables) for tables in (FACT_TABLES, DERIVED_TABLES)]
    if all(is_complete):
        _remove_unreadable_intents(lake)
    return all(is_complete)


def _complete_latest(lake: Lake, tables: Sequence[str]) -> bool:
    """Whether the latest change of these tables is complete. If its intent is damaged, it is completed from the log."""
    is_consistent = _is_consistent(lake, tables)
    state = lake.table_state(tables[0])
    if is_consistent and (state == 0 or lake.storage.exists(record_name(tables[0], state))):
        return True
    first = min(state, *(lake.table_state(name) + 1 for name in tables))
    for intent in logged_changes(lake, tables[0], first):
        _follow(lake, intent, lambda _: None)
        what = "was not complete, and had no readable intent; completed from the log"
        lake.on_note(f"change {intent.state} of {intent.decider} {what}")
    return is_consistent


def logged_changes(lake: Lake, decider: str, first: int) -> list[Intent]:
    """The changes from a state on, as the log of the first table has them. Earlier versions did not write them."""
    intents: list[Intent] = []
    for _, data in commits_backwards(lake, decider):
        info = commit_info(data)
        if "change" in info:
            intents.append(Intent.from_text(info["change"]))
        if "batch" in info and ("change" not in info or intents[-1].state <= first):
            break
    return [intent for intent in reversed(intents) if first <= intent.state <= lake.table_state(decider)]


def _read_intent(lake: Lake, name: str) -> Intent | None:
    """An intent, or None if it was removed, because its change is done, or is unreadable."""
    try:
        return Intent.from_json(lake.storage.read_json(f"{INTENT_FOLDER}/{name}"))
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return None


def _intent_names(lake: Lake) -> list[str]:
    """The files of intents. Others are written at this moment, or left by a process killed while it wrote them."""
    return [name for name in lake.storage.entry_names(INTENT_FOLDER) if name.endswith(".json")]


def _remove_unreadable_intents(lake: Lake) -> None:
    """Remove damaged intents. All tables have the same state, so their changes are complete or undecided."""
    for name in _intent_names(lake):
        path = f"{INTENT_FOLDER}/{name}"
        if _read_intent(lake, name) is None and lake.storage.exists(path):
            lake.storage.remove(path)
            lake.on_note(f"{path} cannot be read; removed, because no change needs it")


def intent_faults(lake: Lake) -> Iterator[str]:
    """Yield a line for each intent that is decided and not complete, or unreadable."""
    for name in _intent_names(lake):
        intent = _read_intent(lake, name)
        if intent is None:
            if lake.storage.exists(f"{INTENT_FOLDER}/{name}"):
                yield f"{INTENT_FOLDER}/{name} cannot be read; the next ingest removes it"
        elif lake.table_state(intent.decider) == intent.state and _is_decided(lake, intent):
            yield f"{name} was committed but not applied; the next ingest applies it"


def _decide(lake: Lake, intent: Intent) -> bool:
    _replace_columns(lake, intent, intent.decider)
    return _change_table(lake, intent, intent.decider)


def _replace_columns(lake: Lake, intent: Intent, name: str) -> None:
    if intent.replaces and lake.schema_version(name) < LAKE_VERSION:
        lake.create_table(name, "overwrite")


def _is_decided(lake: Lake, intent: Intent) -> bool:
    return lake.transaction_number(intent.decider, BATCH_APPLICATION) == intent.number


def _follow(lake: Lake, intent: Intent, on_stage: OnStage) -> None:
    """Change the other tables, as far as that is not done, and record the checksums of all.

    The tables are independent and wait for storage.
    """
    others = [name for name in intent.changes if name != intent.decider]
    with ThreadPoolExecutor(_MAX_WRITERS) as writers:
        for name, _ in zip(others, writers.map(partial(complete_table, lake, intent), others), strict=True):
            on_stage(name)
    record_logs(lake, record_name(intent.decider, intent.state), intent.changes, intent.batch)
    on_stage("recorded")


def complete_table(lake: Lake, intent: Intent, name: str) -> None:
    """Apply the change of a table, unless it is applied."""
    _replace_columns(lake, intent, name)
    while lake.table_state(name) < intent.state and not _change_table(lake, intent, name):
        pass


def _change_table(lake: Lake, intent: Intent, name: str) -> bool:
    # executors import this module, and need no Delta library
    from deltalake.exceptions import CommitFailedError
    from deltalake.transaction import AddAction, CommitProperties, PostCommitHookProperties, RemoveAction, Transaction

    change = intent.changes[name]
    now = int(time.time() * 1000)
    actions: list[AddAction | RemoveAction] = [
        AddAction(added.path, added.size, added.partition_values, now, change.data_change, added.stats)
        for added in change.add
    ]
    actions += [RemoveAction(path, change.data_change, now) for path in change.remove]
    transactions = [Transaction(APPLICATION, intent.state), Transaction(BATCH_APPLICATION, intent.number)]
    if intent.covered:
        transactions.append(Transaction(COVERED_APPLICATION, intent.covered))
    if intent.query:
        transactions.append(Transaction(query_application(intent.query[0]), intent.query[1]))
    # removing old logs lists all of them, so `maintenance` does it now and then
    after_commit = PostCommitHookProperties(create_checkpoint=True, cleanup_expired_logs=False)
    metadata = {"batch": intent.batch} | ({"change": intent.to_text()} if name == intent.decider else {})
    properties = CommitProperties(metadata, max_commit_retries=0, app_transactions=transactions)
    try:
        lake.delta_table(name).create_write_transaction(
            actions, "append", lake.delta_table(name).schema(), lake.delta_table(name).metadata().partition_columns,
            commit_properties=properties, post_commithook_properties=after_commit,
        )  # fmt: skip
    except CommitFailedError:
        lake.refresh_table(name)
        # a commit may arrive although its answer is lost
        return lake.transaction_number(name, BATCH_APPLICATION) == intent.number
    lake.refresh_table(name)
    return True


def query_application(query: str) -> str:
    """The application whose transactions count the batches of a streaming query."""
    return f"{APPLICATION}-query-{query}"


def facts_intent(batch: str, state: int, changes: dict[str, TableChange]) -> Intent:
    return Intent(batch, state, {name: changes.get(name, TableChange()) for name in FACT_TABLES})


def derived_intent(batch: str, state: int, changes: dict[str, TableChange], covered: int) -> Intent:
    return Intent(batch, state, {name: changes.get(name, TableChange()) for name in DERIVED_TABLES}, covered)


def rewrite_files(
    lake: Lake, table: str, name: str, where: Any, extra: pa.Table | None = None, among: Sequence[Any] | None = None
) -> TableChange:
    """The change that removes the rows for which `where` is true, and adds others.

    Only data files with such rows are written anew, a part at a time. `among` are the data files that may have them.
    """
    import pyarrow.compute as pc  # takes 0.1 s to import

    change = TableChange()
    pending = [] if extra is None else [extra]
    # a comparison with null is null, and such a row stays
    gone = pc.coalesce(where, pa.scalar(False))

    def write_pending() -> None:
        rows = pa.concat_tables([TABLES[table].empty_table(), *pending])
        part = f"{name}-{len(change.add)}" if change.add else name
        change.add += write_rows(lake.storage, table, part, rows)
        pending.clear()

    for file in lake.data_files(table) if among is None else among:
        # first only the columns of the condition
        count = lake.count_rows(table, gone, file)
        if count:
            change.remove.append(file.path)
        if 0 < count < file.row_count:
            pending.append(lake.read_rows(table, None, ~gone, [file]))
        if sum(rows.num_rows for rows in pending) >= MAX_FILE_ROWS:
            write_pending()
    write_pending()
    return change


def replace_table(lake: Lake, name: str, rows: pa.Table, keep: Any = None) -> None:
    """Replace all rows of an optional table, or those that `keep` is not true for. Creates the lake if needed."""
    if name not in OPTIONAL_TABLES:
        raise ValueError(name)
    lake.create_tables(name)
    content = rows.select(TABLES[name].names).cast(TABLES[name])

    def build(state: int) -> Intent:
        kept = [lake.read_rows(name, where=keep)] if keep is not None else []
        batch = f"{name}-{time.time_ns():x}-{random.getrandbits(32):08x}"
        added = write_rows(lake.storage, name, batch, pa.concat_tables([*kept, content]))
        return Intent(batch, state, {name: TableChange(added, [file.path for file in lake.data_files(name)])})

    commit(lake, build, decider=name)
