"""Repairs what can be derived from the facts of a lake. Damaged files are moved aside, never deleted."""

from __future__ import annotations

import time
import uuid
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from deadheat.errors import DeadheatError
from deadheat.lake import derivation, transactions
from deadheat.lake.integrity.check import DAMAGED_FOLDER, Fault, LakeCheck
from deadheat.lake.integrity.checksums import (
    CHECKSUM_FOLDER,
    LAST_CHECKPOINT,
    commit_version,
    digests_of,
    drop_from_records,
    log_file,
    record_logs,
    record_name,
    write_record,
)
from deadheat.lake.schema import DERIVED_TABLES, FACT_TABLES, TABLES
from deadheat.lake.storage import LOG_FOLDER
from deadheat.lake.tables import APPLICATION

if TYPE_CHECKING:
    from collections.abc import Iterable

    from deadheat.lake.tables import Lake


# optional tables, and the command that makes each anew
_COMMANDS = {"fixes": "mine", "dossiers": "place"}
# tables whose rows nothing else has
_UNDERIVABLE = (*FACT_TABLES, "verifications")


class RepairResult(NamedTuple):
    done: list[str]  # what was repaired
    check: LakeCheck  # what is left


def repair_lake(lake: Lake) -> RepairResult:
    """Repair what can be repaired. Check the lake again afterwards."""
    with suppress(DeadheatError), lake.storage.disk_errors():
        transactions.complete_lake(lake)
    check = LakeCheck(lake).run()
    if not check.faults and not check.files_without_checksum:
        return RepairResult([], check)
    repair = _Repair(lake, check)
    with lake.storage.disk_errors():
        repair.run()
    lake.reopen()
    return RepairResult(repair.done, LakeCheck(lake).run())


class _Repair:
    def __init__(self, lake: Lake, check: LakeCheck) -> None:
        self._lake, self._storage, self._check = lake, lake.storage, check
        self._folder = f"{DAMAGED_FOLDER}/{time.strftime('%Y%m%dT%H%M%S', time.gmtime())}-{uuid.uuid4().hex[:6]}"
        self._made_anew: set[str] = set()  # tables
        self.done: list[str] = []

    def run(self) -> None:
        for table in TABLES:
            if table not in DERIVED_TABLES:
                self._repair_checkpoints(table)
        self._apply_damaged_commits_again()
        if self.done:
            self._lake.reopen()
            with suppress(DeadheatError):
                transactions.complete_lake(self._lake)
            self._check = LakeCheck(self._lake).run()
        self._move_optional_tables_aside()
        facts_are_complete = not any(self._facts_at_fault())
        if facts_are_complete and any(self._concerns_derived(fault) for fault in self._check.faults):
            self._rebuild_derived()
        for fault in self._check.faults:
            if fault.is_of_earlier_state and not fault.is_unrecorded and fault.table not in self._made_anew:
                self._give_up_earlier_state(fault)
        if facts_are_complete:
            self._record_what_has_no_checksum()

    def _facts_at_fault(self) -> Iterable[Fault]:
        """The faults of facts that a repair cannot mend."""
        for fault in self._check.faults:
            is_derivable = _is_checkpoint(fault.path) and self._has_all_commits(fault.table)
            if fault.table in FACT_TABLES and fault.is_needed and not is_derivable:
                yield fault

    def _give_up_earlier_state(self, fault: Fault) -> None:
        if self._storage.exists(fault.path):
            self._move_aside(fault.path)
        drop_from_records(self._storage, fault.path.__eq__)
        self.done.append(f"{fault.path}: the earlier states that need it are lost, the present one does not")

    def _concerns_derived(self, fault: Fault) -> bool:
        return fault.table in DERIVED_TABLES or (not fault.path and fault.table == "")

    def _move_aside(self, name: str) -> None:
        self._storage.move(name, f"{self._folder}/{name}")
        self.done.append(f"{name} moved to {self._folder}")

    def _move_table_aside(self, table: str) -> None:
        if self._storage.exists(table):
            self._move_aside(table)
        drop_from_records(self._storage, lambda file: file.startswith(f"{table}/"))
        self._made_anew.add(table)

    def _move_optional_tables_aside(self) -> None:
        """Commands that read repositories make these tables; they make them anew if they are missing."""
        for table, command in _COMMANDS.items():
            if any(fault.table == table and fault.is_needed for fault in self._check.faults):
                self._move_table_aside(table)
                self.done.append(f"{table} is not there any more; `deadheat {command}` makes it anew")

    # -- logs of facts

    def _has_all_commits(self, table: str) -> bool:
        """Whether the state of a table can be read without a checkpoint."""
        names = [name for name in self._storage.entry_names(f"{table}/{LOG_FOLDER}") if name.endswith(".json")]
        damaged = {fault.path for fault in self._check.faults if not fault.is_unrecorded}
        expected = [log_file(table, version) for version in range(len(names))]
        present = [f"{table}/{LOG_FOLDER}/{name}" for name in names]
        return bool(names) and present == expected and damaged.isdisjoint(expected)

    def _repair_checkpoints(self, table: str) -> None:
        faults = [fault.path for fault in self._check.faults if fault.table == table and _is_checkpoint(fault.path)]
        if not faults or not self._has_all_commits(table):
            return
        folder = f"{table}/{LOG_FOLDER}"
        for name in self._storage.entry_names(folder):
            path = f"{folder}/{name}"
            if _is_checkpoint(path) and (path in faults or name == LAST_CHECKPOINT):
                self._move_aside(path)
        drop_from_records(self._storage, {*faults, f"{folder}/{LAST_CHECKPOINT}"}.__contains__)
        self._lake.reopen()
        opened = self._lake.delta_table(table)
        opened.create_checkpoint()
        record_logs(self._lake, f"{CHECKSUM_FOLDER}/{table}-log-{opened.version():012}.json", [table])
        self.done.append(f"{table}: checkpoint written anew")

    def _apply_damaged_commits_again(self) -> None:
        """Write damaged commits of facts again: the log of the first table has their changes."""
        decider, *followers = FACT_TABLES
        if any(fault.table == decider and fault.is_needed for fault in self._check.faults):
            return
        self._lake.reopen()
        for table in followers:
            faults = [fault for fault in self._check.faults if fault.table == table and fault.is_needed]
            versions = [version for fault in faults if (version := commit_version(fault.path)) is not None]
            if versions and self._can_apply_again(table, min(versions)):
                self._move_commits_aside(table, min(versions))

    def _can_apply_again(self, table: str, version: int) -> bool:
        """Whether all changes of a table from a version on are in the log of the first table."""
        from deltalake import DeltaTable
        from deltalake.exceptions import DeltaError

        uri, options = self._storage.uri_of(table), self._storage.delta_options or None
        try:
            before = DeltaTable(uri, max(0, version - 1), options).transaction_version(APPLICATION) or 0
        except (DeltaError, OSError):
            return False
        state = self._lake.table_state(FACT_TABLES[0])
        intents = transactions.logged_changes(self._lake, FACT_TABLES[0], before + 1)
        return version > 0 and [intent.state for intent in intents] == [*range(before + 1, state + 1)]

    def _move_commits_aside(self, table: str, version: int) -> None:
        folder = f"{table}/{LOG_FOLDER}"
        first = log_file(table, version)[: -len(".json")]
        moved = [path for name in self._storage.entry_names(folder) if (path := f"{folder}/{name}") >= first]
        for path in moved:
            self._move_aside(path)
        drop_from_records(self._storage, lambda file: file.startswith(folder) and file >= first)
        self.done.append(f"{table}: commits from version {version} on written again")

    # -- derived tables

    def _rebuild_derived(self) -> None:
        lake = self._lake
        with_logs_at_fault = {fault.table for fault in self._check.faults if fault.is_of_log}
        lake.reopen()
        is_unreadable = any(not self._is_readable(name) for name in DERIVED_TABLES)
        if is_unreadable or with_logs_at_fault & {*DERIVED_TABLES}:
            for name in DERIVED_TABLES:
                self._move_table_aside(name)
            lake.reopen()
            for name in DERIVED_TABLES:
                lake.create_table(name)
            record_logs(lake, record_name("nodes", 0), DERIVED_TABLES)
        batch = f"repair-{uuid.uuid4().hex[:12]}"

        def build(state: int) -> transactions.Intent:
            changes = derivation.rebuilt_changes(lake, f"{batch}-{state}")
            return transactions.derived_intent(f"{batch}-{state}", state, changes, lake.state_number)

        transactions.commit(lake, build, decider="nodes")
        damaged = [fault.path for fault in self._check.faults if fault.table in DERIVED_TABLES and not fault.is_of_log]
        for path in damaged:
            if self._storage.exists(path):
                self._move_aside(path)
        self.done.append(f"{', '.join(DERIVED_TABLES)} rebuilt from the facts")

    def _is_readable(self, name: str) -> bool:
        try:
            return self._lake.has_table(name)
        except DeadheatError:
            return False

    # -- checksums

    def _record_what_has_no_checksum(self) -> None:
        records = [fault.path for fault in self._check.faults if fault.path.startswith(f"{CHECKSUM_FOLDER}/")]
        for path in records:
            if self._storage.exists(path):
                self._move_aside(path)
        unrecorded = {fault.path for fault in self._check.faults if fault.is_unrecorded}
        # what a damaged record had is in no other one
        self._lake.reopen()
        after = LakeCheck(self._lake).run()
        unrecorded |= {fault.path for fault in after.faults if fault.is_unrecorded}
        names = sorted({*unrecorded, *after.files_without_checksum})
        digests = digests_of(self._storage, names)
        if digests:
            self.done.append(f"checksums of {len(digests)} file{'s' * (len(digests) != 1)} recorded")
        missing = [fault.path for fault in after.faults if fault.path.startswith(f"{CHECKSUM_FOLDER}/")]
        for path in missing:
            table = path.removeprefix(f"{CHECKSUM_FOLDER}/").partition("-")[0]
            table = table if table in TABLES else "ingests"
            latest = log_file(table, self._lake.delta_table(table).version())
            write_record(self._storage, path, digests_of(self._storage, [latest]))
            self.done.append(f"{path} written anew")
        if digests:
            write_record(self._storage, f"{CHECKSUM_FOLDER}/added-{time.time_ns():x}.json", digests)


def _is_checkpoint(path: str) -> bool:
    return f"/{LOG_FOLDER}/" in path and (path.endswith((".checkpoint.parquet", LAST_CHECKPOINT)))


def describe_loss(lake: Lake, fault: Fault) -> str:
    """What a fault means for the facts, or ""."""
    if fault.table not in _UNDERIVABLE or not fault.is_needed:
        return ""
    if fault.is_of_log:
        return "which rows the table has cannot be told without it; restore it from a backup"
    files = {f"{fault.table}/{file.path}": file for file in lake.data_files(fault.table)}
    if fault.path not in files:
        return ""
    file = files[fault.path]
    ranges = [f"{name} {file.low[name]} to {file.high[name]}" for name in file.low if name in file.high]
    return f"its {file.row_count} rows cannot be derived ({', '.join(ranges)}); restore it from a backup"
