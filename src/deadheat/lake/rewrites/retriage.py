"""Makes the reports of a lake anew with the present parser and fingerprints, without the logs.

Rows of reports are read one group at a time, first to find what changes, then to write it. Sightings take over what
changed in their reports, and their documents are grouped again."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from deadheat.grouping.fingerprint import FINGERPRINT_VERSION
from deadheat.lake import documents, race_rows, report_row, sighting_rows, transactions
from deadheat.lake.data_files import TableChange, is_in, write_rows
from deadheat.lake.rewrites import renewal
from deadheat.lake.rewrites.renewal import Outcome, ReportChange
from deadheat.lake.schema import FILES, INGESTS, REPORTS, SIGHTINGS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from deadheat.grouping.keys import GroupingKey
    from deadheat.lake.data_files import AddedFile
    from deadheat.lake.storage import LakeStorage
    from deadheat.lake.tables import Lake
    from deadheat.lake.transactions import Intent

    JsonDict = dict[str, Any]

_DOCUMENT_ORDER = ("document", "uri", "offset", "length", "lane")
# the columns of a sighting that may change
_OWN_COLUMNS = ("fingerprint", "damage", "report", "names", "node", "base", "split")


class RowGroup(NamedTuple):
    """A part of a data file of `reports`."""

    path: str
    number: int


class GroupResult(NamedTuple):
    """What is to be done with the rows of a group."""

    group: RowGroup
    changes: list[ReportChange]
    outcomes: dict[str, int]
    needs_rewrite: bool


class RetriageCounts(NamedTuple):
    reports: int = 0  # rows of older versions
    changed: int = 0  # reports that are different now
    sightings: int = 0  # sightings with other values now
    no_text: int = 0  # reports without kept text: only their fingerprints are renewed
    unreadable: int = 0  # reports whose text does not give a report any more; they keep their rows
    unnamed: int = 0  # reports with names that their other sightings do not have; they keep their rows


class ReportGrouping(NamedTuple):
    """What the variants of a sighting depend on in its report."""

    key: GroupingKey
    address: str | None
    actors: list[str]


def grouping_of_row(row: JsonDict) -> ReportGrouping:
    address, actors = sighting_rows.address_placeholder(row), sighting_rows.actor_placeholders(row)
    return ReportGrouping(sighting_rows.key_of_row(row), address, actors)


class ChangedDocument(NamedTuple):
    """The sightings of a document after a change."""

    document: str
    rows: list[JsonDict]
    changed_count: int  # sightings with other values
    nodes: set[str]  # variants before and after
    checksum: int

    @property
    def summary(self) -> ChangedDocument:
        return self._replace(rows=[])


@dataclass(slots=True)
class RegroupResult:
    """What is to be done with the sightings of all changed documents."""

    change: TableChange
    nodes: set[str]  # variants to count again
    checksums: dict[str, int]  # of the changed documents
    sightings: int = 0  # sightings with other values

    def add(self, document: ChangedDocument) -> None:
        self.nodes |= document.nodes
        self.checksums[document.document] = document.checksum
        self.sightings += document.changed_count


class LocalWorker:
    """Does the work that grows with the lake in this process. `spark.retriage` has one that uses executors."""

    def __init__(self, lake: Lake, everything: bool) -> None:
        self._lake, self._everything = lake, everything

    def examine(self, groups: Sequence[RowGroup]) -> list[GroupResult]:
        return [examine_group(self._lake.storage, group, self._everything) for group in groups]

    def rewrite(self, groups: Sequence[RowGroup], name: str, skipped: Mapping[str, str]) -> list[AddedFile]:
        return [
            added
            for group in groups
            for added in rewrite_group(self._lake.storage, group, self._everything, name, skipped)
        ]

    def regroup(
        self, affected: set[str], changed: Mapping[str, ReportChange], reports: TableChange, name: str
    ) -> RegroupResult:
        """Apply the changes to the sightings of these documents and group them again."""
        rows = self._lake.read_rows("sightings", None, is_in("document", affected)).to_pylist()
        rows.sort(key=place_of)
        groupings = self._report_groupings(rows, changed, reports)
        documents_changed = [
            document
            for _, group in groupby(rows, itemgetter("document"))
            if (document := regroup_document([*group], changed, groupings)) is not None
        ]
        result = RegroupResult(TableChange(), set(), {})
        for document in documents_changed:
            result.add(document)
        if result.checksums:
            content = pa.Table.from_pylist([row for one in documents_changed for row in one.rows], SIGHTINGS)
            where = is_in("document", result.checksums)
            result.change = transactions.rewrite_files(self._lake, "sightings", name, where, content)
        return result

    def _report_groupings(
        self, rows: Iterable[JsonDict], changed: Mapping[str, ReportChange], reports: TableChange
    ) -> dict[str, ReportGrouping]:
        """What grouping needs of the reports of sightings as they are after the change."""
        digests = {row["report"] for row in rows}
        wanted = is_in("digest", {changed[digest].new if digest in changed else digest for digest in digests})
        files = [file for file in self._lake.data_files("reports") if file.path not in reports.remove]
        tables = [self._lake.read_rows("reports", None, wanted, files)]
        tables += [self._lake.read_added("reports", added.path).filter(wanted) for added in reports.add]
        return {row["digest"]: grouping_of_row(row) for table in tables for row in table.to_pylist()}


def read_group(storage: LakeStorage, group: RowGroup) -> pa.Table:
    with storage.arrow_filesystem.open_input_file(storage.path_of(f"reports/{group.path}")) as file:
        return pq.ParquetFile(file).read_row_group(group.number).select(REPORTS.names).cast(REPORTS)


def examine_group(storage: LakeStorage, group: RowGroup, everything: bool) -> GroupResult:
    changes: list[ReportChange] = []
    outcomes: dict[str, int] = {}
    needs_rewrite = False
    for row in read_group(storage, group).to_pylist():
        if not (everything or renewal.is_older(row)):
            continue
        new = renewal.renew_report(row)
        outcomes[new.outcome] = outcomes.get(new.outcome, 0) + 1
        if new.change is not None:
            changes.append(new.change)
        needs_rewrite |= new.change is not None or new.versions != renewal.versions_of(row)
    return GroupResult(group, changes, outcomes, needs_rewrite)


# what happens to the row of a changed report, other than that it is replaced
KEEP, DROP = "keep", "drop"


def rewrite_group(
    storage: LakeStorage, group: RowGroup, everything: bool, name: str, skipped: Mapping[str, str]
) -> list[AddedFile]:
    """Write the rows of a group anew. `skipped` has the rows that stay, or whose new row is in the lake already."""
    content = read_group(storage, group)
    kept: list[bool] = []
    versions: list[tuple[int, int]] = []
    rows: list[tuple[Any, ...]] = []
    for row in content.to_pylist():
        decision = skipped.get(row["digest"])
        new = renewal.renew_report(row) if not decision and (everything or renewal.is_older(row)) else None
        kept.append(decision != DROP and (new is None or new.change is None))
        versions.append(renewal.versions_of(row) if new is None else new.versions)
        if new is not None and new.change is not None:
            rows.append(new.values)
    for index, name_of_column in enumerate(renewal.VERSION_COLUMNS):
        column = pa.array([version[index] for version in versions], pa.int64())
        content = content.set_column(REPORTS.get_field_index(name_of_column), REPORTS.field(name_of_column), column)
    tables = [content.filter(pa.array(kept, pa.bool_())), report_row.reports_table(rows)]
    return write_rows(storage, "reports", f"{name}-{uuid.uuid4().hex[:12]}", pa.concat_tables(tables))


class Retriage:
    """Computes one change of the facts."""

    def __init__(self, lake: Lake, everything: bool, worker: Callable[[int], LocalWorker]) -> None:
        self._lake, self._everything, self._worker_for = lake, everything, worker
        self._batch = f"retriage-{uuid.uuid4().hex[:12]}"
        self._name = self._batch
        self._changes: dict[str, TableChange] = {}
        self.counts = RetriageCounts()

    def build(self, state: int) -> Intent | None:
        self._name, self._changes, self.counts = f"{self._batch}-{state}", {}, RetriageCounts()
        changed = self._renew_reports()
        recount = self._regroup_sightings(changed)
        if not any(change.add or change.remove for change in self._changes.values()):
            return None
        row = {
            "state": state, "ingest": self._name, "what": "retriage", "committed_at": datetime.now(UTC), "files": 0,
            "sightings": 0, "reports": len(changed), "recount": sorted(recount),
        }  # fmt: skip
        content = pa.Table.from_pylist([row], INGESTS)
        self._changes["ingests"] = TableChange(write_rows(self._lake.storage, "ingests", self._name, content))
        return transactions.facts_intent(self._name, state, self._changes)

    # -- reports

    def _renew_reports(self) -> dict[str, ReportChange]:
        """Write reports anew. Returns what changes in their sightings, by their digest before."""
        groups, count = self._older_groups()
        worker = self._worker_for(count)
        results = worker.examine(groups) if groups else []
        changes = {change.old: change for result in results for change in result.changes}
        unnamed = self._changes_without_names(changes)
        skipped = dict.fromkeys(unnamed, KEEP) | self._rows_to_drop(changes, unnamed)
        changed = {old: change for old, change in changes.items() if old not in unnamed}
        # a data file is replaced as a whole
        rewritten = {result.group.path for result in results if result.needs_rewrite}
        if rewritten:
            parts = [group for path in sorted(rewritten) for group in self._row_groups(path)]
            added = worker.rewrite(parts, self._name, skipped)
            self._changes["reports"] = TableChange(added, sorted(rewritten))
        totals = {outcome: sum(result.outcomes.get(outcome, 0) for result in results) for outcome in Outcome}
        self.counts = RetriageCounts(
            reports=sum(totals.values()),
            changed=len(changed),
            no_text=totals[Outcome.NO_TEXT],
            unreadable=totals[Outcome.UNREADABLE],
            unnamed=len(unnamed),
        )
        return changed

    def _older_groups(self) -> tuple[list[RowGroup], int]:
        """The groups with rows of older versions, and the number of such rows."""
        groups, count = [], 0
        for file in self._lake.data_files("reports"):
            for group in self._row_groups(file.path):
                with self._lake.open_data_file("reports", file.path) as opened:
                    rows = pq.ParquetFile(opened).read_row_group(group.number, [*renewal.VERSION_COLUMNS]).to_pylist()
                older = len(rows) if self._everything else sum(map(renewal.is_older, rows))
                count += older
                groups += [group] if older else []
        return groups, count

    def _row_groups(self, path: str) -> list[RowGroup]:
        with self._lake.open_data_file("reports", path) as opened:
            return [RowGroup(path, number) for number in range(pq.ParquetFile(opened).num_row_groups)]

    def _changes_without_names(self, changes: Mapping[str, ReportChange]) -> set[str]:
        """Reports with new names that some of their sightings do not have."""
        partial = {old for old, change in changes.items() if None in change.name_sources}
        found: set[str] = set()
        for file in self._lake.data_files("sightings") if partial else ():
            rows = self._lake.read_rows("sightings", ("report", "names"), is_in("report", partial - found), [file])
            found.update(
                row["report"] for row in rows.to_pylist() if not changes[row["report"]].has_names(row["names"])
            )
        return found

    def _rows_to_drop(self, changes: Mapping[str, ReportChange], unnamed: set[str]) -> dict[str, str]:
        """Changed reports that become a report which is in the lake, or which another one becomes too."""
        new = {change.new for old, change in changes.items() if old not in unnamed}
        stored = self._lake.read_rows("reports", ("digest",), is_in("digest", new))["digest"].to_pylist() if new else []
        # a row that becomes another one does not stay
        known = {digest for digest in stored if digest not in changes or digest in unnamed}
        dropped = {}
        for old in sorted(changes.keys() - unnamed):
            if changes[old].new in known:
                dropped[old] = DROP
            known.add(changes[old].new)
        return dropped

    # -- sightings

    def _regroup_sightings(self, changed: Mapping[str, ReportChange]) -> set[str]:
        """Write the sightings of changed documents anew. Returns the variants to count again."""
        affected = self._affected_documents(changed)
        if not affected:
            return set()
        worker = self._worker_for(sum(affected.values()))
        reports = self._changes.get("reports", TableChange())
        result = worker.regroup({*affected}, changed, reports, self._name)
        if result.checksums:
            self._changes["sightings"] = result.change
            self.counts = self.counts._replace(sightings=result.sightings)
            self._update_checksums(result.checksums)
        return result.nodes

    def _affected_documents(self, changed: Mapping[str, ReportChange]) -> dict[str, int]:
        """Documents with changed reports, or whose variants are of an earlier version; with the number of those."""
        version = pc.coalesce(pc.field("fingerprint_version"), pa.scalar(0))
        where = is_in("report", changed) | (version < FINGERPRINT_VERSION)
        if self._everything:
            where = pc.scalar(True)
        found: dict[str, int] = {}
        for file in self._lake.data_files("sightings"):
            rows = self._lake.read_rows("sightings", ("document",), where, [file])
            for value in pc.value_counts(rows["document"]).to_pylist():
                found[value["values"]] = found.get(value["values"], 0) + value["counts"]
        return found

    def _update_checksums(self, checksums: Mapping[str, int]) -> None:
        where = is_in("document", checksums)
        rows = self._lake.read_rows("files", None, where).to_pylist()
        content = pa.Table.from_pylist([row | {"checksum": checksums[row["document"]]} for row in rows], FILES)
        self._changes["files"] = transactions.rewrite_files(self._lake, "files", self._name, where, content)


def place_of(row: JsonDict) -> tuple[Any, ...]:
    """Sorts sightings by document and place."""
    return tuple(row[name] or "" if name != "offset" else row[name] for name in _DOCUMENT_ORDER)


def regroup_document(
    rows: list[JsonDict], changed: Mapping[str, ReportChange], groupings: Mapping[str, ReportGrouping]
) -> ChangedDocument | None:
    """The sightings of a document, which are in order, with other reports and variants. None if nothing changes."""
    before = [dict(row) for row in rows]
    for row in rows:
        if change := changed.get(row["report"]):
            change.apply(row)
    for start in range(0, len(rows), sighting_rows.BATCH_SIZE):
        _add_variants(rows[start : start + sighting_rows.BATCH_SIZE], groupings)
    pairs = [*zip(before, rows, strict=True)]
    count = sum(any(old[name] != new[name] for name in _OWN_COLUMNS) for old, new in pairs)
    # which sighting of a variant has its links and aliases does not matter
    is_stale = any(old["fingerprint_version"] != FINGERPRINT_VERSION for old in before)
    if not count and not is_stale and _links_of(before) == _links_of(rows):
        return None
    checksums = [documents.sighting_checksum(row["file"], row) for row in rows]
    nodes = {row["node"] for row in (*before, *rows)}
    return ChangedDocument(rows[0]["document"], rows, count, nodes, documents.add_checksums(*checksums))


def _add_variants(rows: list[JsonDict], groupings: Mapping[str, ReportGrouping]) -> None:
    for row in rows:
        grouping = groupings[row["report"]]
        row |= {"address": grouping.address, "actors": grouping.actors, "fingerprint_version": FINGERPRINT_VERSION}
        race_rows.restore_address_and_actors(row)
    race_rows.add_document_variants(rows, [groupings[row["report"]].key for row in rows])


def _links_of(rows: Iterable[JsonDict]) -> set[tuple[str, str]]:
    return {(row["node"], link) for row in rows for link in (*row["links"], *row["aliases"])}


def retriage_lake(
    lake: Lake,
    everything: bool = False,
    worker: Callable[[int], LocalWorker] | None = None,
    on_stage: Callable[[str], None] = lambda _: None,
) -> RetriageCounts:
    """Make the reports of older versions anew, or all. The next derivation renews the races."""
    retriage = Retriage(lake, everything, worker or (lambda _: LocalWorker(lake, everything)))
    transactions.commit(lake, retriage.build, on_stage)
    return retriage.counts
