"""Maintains a lake: merges small data files, removes unused ones, forgets sightings, finds faults."""

from __future__ import annotations

import uuid
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from deadheat.errors import DeadheatError
from deadheat.lake import transactions
from deadheat.lake.data_files import TableChange, is_in, max_file_rows, write_rows
from deadheat.lake.schema import DERIVED_TABLES, FACT_TABLES, INGESTS, OPTIONAL_TABLES
from deadheat.lake.tables import RETENTION_HOURS
from deadheat.lake.transactions import STAGING_FOLDER, Intent

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deadheat.lake.tables import DataFile, Lake

# data files of about the same size that are merged; so a row is written again a logarithmic number of times
_FILES_PER_TIER = 10
_TIER_RATIO = 8
_SMALLEST_TIER = 1 << 14
# changes between two removals of unused files
_VACUUM_INTERVAL = 100


def maintain(lake: Lake) -> None:
    """What every writer does after its change, as far as it is due."""
    for tables in (FACT_TABLES, DERIVED_TABLES):
        if any(_merge_groups(lake, name) for name in tables):
            _compact(lake, tables, everything=False)
    if lake.state_number % _VACUUM_INTERVAL == 0:
        remove_unused_files(lake)


def compact_lake(lake: Lake, keep_hours: int = RETENTION_HOURS) -> dict[str, tuple[int, int]]:
    """Merge all small files and remove unused ones. Returns the file counts before and after."""
    lake.require()
    lake.refresh()
    before = {name: len(lake.data_files(name)) for name in lake.table_names}
    for tables in (FACT_TABLES, DERIVED_TABLES, *((name,) for name in OPTIONAL_TABLES if lake.has_table(name))):
        _compact(lake, tables, everything=True)
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
        change.add += write_rows(lake.storage, table, f"{name}-{number}", content)
        change.remove += [file.path for file in group]
    return change


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
    find their files. A file that was never part of a table, left by a killed process, counts from when it was written.
    """
    removed = 0
    for name in lake.table_names:
        table = lake.delta_table(name)
        removed += len(table.vacuum(keep_hours, dry_run=False, enforce_retention_duration=False, full=True))
        table.create_checkpoint()
        table.cleanup_metadata()
    for name in lake.storage.entry_names(STAGING_FOLDER):
        if lake.storage.age_seconds(f"{STAGING_FOLDER}/{name}") > max(keep_hours, 1) * 3600:
            lake.storage.remove(f"{STAGING_FOLDER}/{name}")
            removed += 1
    lake.refresh()
    return removed


class ForgetFilter(NamedTuple):
    """Which sightings to forget. All conditions that are given must hold."""

    before: datetime | None = None
    repo: str | None = None
    file: str | None = None

    @property
    def expression(self) -> pc.Expression:
        conditions = []
        if self.before is not None:
            conditions.append(pc.field("observed_at") < pa.scalar(self.before, pa.timestamp("us", "UTC")))
        if self.repo is not None:
            conditions.append(pc.field("repo") == self.repo)
        if self.file is not None:
            conditions.append((pc.field("file") == self.file) | (pc.field("uri") == self.file))
        whole = conditions[0]
        for condition in conditions[1:]:
            whole = whole & condition
        # a comparison with null is null, and must not remove or keep anything by accident
        return pc.coalesce(whole, pa.scalar(False))

    def may_match(self, file: DataFile) -> bool:
        if self.before is not None and not file.may_contain(
            "observed_at", datetime.min.replace(tzinfo=UTC), self.before
        ):
            return False
        return self.file is None or file.may_contain("uri", self.file, f"{self.file}\U0010ffff")


class ForgetCounts(NamedTuple):
    sightings: int = 0
    reports: int = 0
    files: int = 0


def forget_sightings(lake: Lake, which: ForgetFilter) -> ForgetCounts:
    """Remove sightings, and the reports that nothing else refers to.

    The next derivation removes their races. Files stay known if only their old sightings are forgotten; otherwise
    they are forgotten as well, so that they can be ingested again.
    """
    counts = ForgetCounts()
    batch = f"forget-{uuid.uuid4().hex[:12]}"

    def build(state: int) -> Intent | None:
        nonlocal counts
        name, where = f"{batch}-{state}", which.expression
        among = [file for file in lake.data_files("sightings") if which.may_match(file)]
        gone = lake.read_rows("sightings", ("node", "report", "document"), where, among)
        documents = _forgotten_documents(lake, which)
        if not gone.num_rows and not documents:
            return None
        changes = {"sightings": transactions.rewrite_files(lake, "sightings", name, where, among=among)}
        candidates = {*gone["report"].to_pylist()}
        unused = candidates - _used_reports(lake, candidates, ~where)
        for table, column, values in (("reports", "digest", unused), ("files", "document", documents)):
            if values:
                changes[table] = transactions.rewrite_files(lake, table, name, is_in(column, values))
        counts = ForgetCounts(gone.num_rows, len(unused), len(documents))
        row = {
            "state": state, "ingest": name, "what": "forget", "committed_at": datetime.now(UTC),
            "files": len(documents), "sightings": 0, "reports": 0, "recount": sorted({*gone["node"].to_pylist()}),
        }  # fmt: skip
        added = write_rows(lake.storage, "ingests", name, pa.Table.from_pylist([row], INGESTS))
        return transactions.facts_intent(name, state, {**changes, "ingests": TableChange(added)})

    transactions.commit(lake, build)
    return counts


def _forgotten_documents(lake: Lake, which: ForgetFilter) -> set[str]:
    if which.before is not None:
        return set()
    where = pc.field("repo") == which.repo if which.repo is not None else pc.field("uri") == which.file
    if which.repo is not None and which.file is not None:
        where = where & (pc.field("uri") == which.file)
    return {*lake.read_rows("files", ("document",), where)["document"].to_pylist()}


def _used_reports(lake: Lake, digests: set[str], where: pc.Expression) -> set[str]:
    """Those of these reports that the sightings for which `where` is true refer to."""
    used: set[str] = set()
    for file in lake.data_files("sightings"):
        rows = lake.read_rows("sightings", ("report",), is_in("report", digests - used) & where, [file])
        used.update(rows["report"].to_pylist())
    return used


_LOCATION_COLUMNS = ["document", "uri", "offset", "length", "lane"]


def find_faults(lake: Lake) -> Iterator[str]:
    """Yield a line for every inconsistency."""
    lake.require()
    for name in transactions.pending_intents(lake):
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
        files = lake.data_files(table)
    except DeadheatError as error:
        yield str(error)
        return
    sizes = {name: info["size"] for name, info in lake.storage.files_below(table)}
    for file in files:
        if file.path not in sizes:
            yield f"{table}/{file.path} is missing"
        elif sizes[file.path] != file.size:
            yield f"{table}/{file.path} has {sizes[file.path]} bytes, expected {file.size}"


def _content_faults(lake: Lake) -> Iterator[str]:
    """Check the tables against each other. Keeps a few columns of the largest tables in memory."""
    sightings = lake.read_rows("sightings", [*_LOCATION_COLUMNS, "report", "node"])
    locations = sightings.group_by(_LOCATION_COLUMNS).aggregate([])
    if duplicates := sightings.num_rows - locations.num_rows:
        yield f"{duplicates} duplicate sightings"
    digests = lake.read_rows("reports", ["digest"])["digest"]
    if duplicates := len(digests) - len(pc.unique(digests)):
        yield f"{duplicates} duplicate reports"
    for table, present, reference in (
        ("reports", digests, "report"),
        ("files", lake.read_rows("files", ["document"])["document"], "document"),
    ):
        if missing := _count_missing(sightings[reference], present):
            yield f"{missing} {table} of sightings are missing"
    if lake.transaction_number("nodes", transactions.COVERED_APPLICATION) < _last_change(lake):
        yield "races are not derived from the latest sightings; the next ingest or `deadheat consolidate` does it"
        return
    races = lake.read_rows("races", ["sightings", "nodes"])
    counted = pc.sum(races["sightings"]).as_py() or 0
    if counted != sightings.num_rows:
        remedy = "`deadheat consolidate` rebuilds them"
        yield f"races have {counted} sightings, expected {sightings.num_rows}; {remedy}"
    if missing := _count_missing(sightings["node"], pc.list_flatten(races["nodes"])):
        yield f"{missing} variants have no race; `deadheat consolidate` rebuilds the races"


def _last_change(lake: Lake) -> int:
    """The last state in which sightings were added or removed."""
    rows = lake.read_rows("ingests", ["state", "sightings", "recount"]).to_pylist()
    return max((row["state"] for row in rows if row["sightings"] or row["recount"]), default=0)


def _count_missing(wanted: object, present: object) -> int:
    known = pc.is_in(pc.unique(wanted), value_set=pc.unique(present))
    return int(pc.sum(pc.invert(known)).as_py() or 0)
