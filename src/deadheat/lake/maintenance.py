"""Maintains a lake: merges small data files, removes unused ones, finds faults."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING

import pyarrow as pa

from deadheat.lake import transactions
from deadheat.lake.data_files import TableChange, max_file_rows, write_rows
from deadheat.lake.integrity.check import LakeCheck
from deadheat.lake.integrity.checksums import CHECKSUM_FOLDER, drop_from_records, record_logs
from deadheat.lake.schema import DERIVED_TABLES, FACT_TABLES, OPTIONAL_TABLES
from deadheat.lake.storage import PART_SUFFIX
from deadheat.lake.tables import RETENTION_HOURS
from deadheat.lake.transactions import INTENT_FOLDER, STAGING_FOLDER, Intent

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deadheat.lake.tables import DataFile, Lake

# data files of about the same size that are merged; so a row is written again a logarithmic number of times
_FILES_PER_TIER = 10
_TIER_RATIO = 8
_SMALLEST_TIER = 1 << 14
# changes between two removals of unused files
_VACUUM_INTERVAL = 100
# files that no table has are kept for this long, because an ingest that is running may commit them
_MIN_UNTRACKED_HOURS = 24


def maintain(lake: Lake) -> None:
    """What every writer does after its change, as far as it is due."""
    for tables in (FACT_TABLES, DERIVED_TABLES):
        merge_small_files(lake, tables)
    if lake.state_number % _VACUUM_INTERVAL == 0:
        with lake.storage.disk_errors():
            remove_unused_files(lake)


def merge_small_files(lake: Lake, tables: tuple[str, ...]) -> None:
    """Merge small data files of tables that change together, if there are many."""
    if any(_merge_groups(lake, name) for name in tables):
        _compact(lake, tables, everything=False)


def compact_lake(lake: Lake, keep_hours: int = RETENTION_HOURS) -> dict[str, tuple[int, int]]:
    """Merge all small files and remove unused ones. Returns the file counts before and after."""
    lake.require()
    lake.refresh()
    before = {name: len(lake.data_files(name)) for name in lake.table_names}
    for tables in (FACT_TABLES, DERIVED_TABLES, *((name,) for name in OPTIONAL_TABLES if lake.has_table(name))):
        _compact(lake, tables, everything=True)
    with lake.storage.disk_errors():
        remove_unused_files(lake, keep_hours)
    lake.refresh()
    return {name: (count, len(lake.data_files(name))) for name, count in before.items()}


def _compact(lake: Lake, tables: tuple[str, ...], everything: bool) -> None:
    batch = f"compact-{uuid.uuid4().hex[:12]}"

    def build(state: int) -> Intent | None:
        changes = {name: _merge_files(lake, name, f"{batch}-{state}", everything) for name in tables}
        if not any(change.remove for change in changes.values()):
            return None
        covered = lake.transaction_number("nodes", transactions.COVERED_APPLICATION) if "nodes" in tables else 0
        return Intent(f"{batch}-{state}", state, changes, covered)

    transactions.commit(lake, build, decider=tables[0])


def _merge_files(lake: Lake, table: str, name: str, everything: bool) -> TableChange:
    change = TableChange(data_change=False)
    for number, group in enumerate(_merge_groups(lake, table, everything)):
        content = lake.read_rows(table, files=group)
        if table == "files":
            newest = _newest_rows(content)
            change.data_change |= newest.num_rows < content.num_rows
            content = newest
        change.add += write_rows(lake.storage, table, f"{name}-{number}", content)
        change.remove += [file.path for file in group]
    return change


def _newest_rows(files: pa.Table) -> pa.Table:
    """The newest row of each document at each address. A log that grows gets a row whenever it is read."""
    addresses = zip(files["uri"].to_pylist(), files["document"].to_pylist(), strict=True)
    newest: dict[tuple[str, str], tuple[int, int]] = {}
    for index, (address, state) in enumerate(zip(addresses, files["state"].to_pylist(), strict=True)):
        newest[address] = max(newest.get(address, (-1, -1)), (state, index))
    return files.take(pa.array(sorted(index for _, index in newest.values()), pa.int64()))


def _merge_groups(lake: Lake, table: str, everything: bool = False) -> list[list[DataFile]]:
    """Small data files of one day and of about the same size, in groups that fit into one file."""
    limit = max_file_rows(table)
    groups: dict[tuple[str, int], list[DataFile]] = {}
    for file in lake.data_files(table):
        if file.row_count <= limit // 2:
            groups.setdefault((file.day, 0 if everything else _tier(file.size)), []).append(file)
    least = 2 if everything else _FILES_PER_TIER
    found = []
    for group in groups.values():
        for part in _split_by_rows(group, limit):
            if len(part) >= least:
                found.append(part)
    return found


def _split_by_rows(files: list[DataFile], limit: int) -> Iterator[list[DataFile]]:
    part: list[DataFile] = []
    rows = 0
    for file in files:
        if part and rows + file.row_count > limit:
            yield part
            part, rows = [], 0
        part.append(file)
        rows += file.row_count
    yield part


def _tier(size: int) -> int:
    tier, bound = 0, _SMALLEST_TIER
    while size > bound:
        tier, bound = tier + 1, bound * _TIER_RATIO
    return tier


def remove_unused_files(lake: Lake, keep_hours: int = RETENTION_HOURS) -> int:
    """Remove data files that no table has used for some hours. Returns their number.

    A file that a change has removed counts from that change on, so that readers of earlier states and time travel
    find their files. A file that was never part of a table counts from when it was written: it was left by a killed
    process, or another process writes it now and commits it later.
    """
    removed = 0
    for name in lake.table_names:
        table = lake.delta_table(name)
        for hours, is_full in ((keep_hours, False), (max(keep_hours, _MIN_UNTRACKED_HOURS), True)):
            removed += len(table.vacuum(hours, dry_run=False, enforce_retention_duration=False, full=is_full))
        table.create_checkpoint()
        table.cleanup_metadata()
        lake.refresh_table(name)
        record_logs(lake, f"{CHECKSUM_FOLDER}/{name}-log-{table.version():012}.json", [name])
    present = {f"{table}/{name}" for table in lake.table_names for name, _ in lake.storage.files_below(table)}
    drop_from_records(lake.storage, lambda name: name not in present)
    for folder in (STAGING_FOLDER, INTENT_FOLDER, CHECKSUM_FOLDER):
        for name in (f"{folder}/{name}" for name in lake.storage.entry_names(folder)):
            if folder != STAGING_FOLDER and not name.endswith(PART_SUFFIX):
                continue
            if lake.storage.age_seconds(name) > max(keep_hours, _MIN_UNTRACKED_HOURS) * 3600:
                lake.storage.remove(name)
                removed += 1
    lake.refresh()
    return removed


def find_faults(lake: Lake) -> Iterator[str]:
    """Yield a line for every fault."""
    yield from map(str, LakeCheck(lake).run().faults)
