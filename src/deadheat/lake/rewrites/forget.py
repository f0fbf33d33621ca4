"""Forgets sightings by age, repository or file, with everything that only they refer to."""

from __future__ import annotations

import uuid
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from deadheat.lake import transactions
from deadheat.lake.data_files import TableChange, is_in, write_rows
from deadheat.lake.schema import INGESTS

if TYPE_CHECKING:
    from collections.abc import Callable

    from deadheat.lake.tables import DataFile, Lake
    from deadheat.lake.transactions import Intent


class ForgetFilter(NamedTuple):
    """Which sightings to forget. All conditions that are given must hold."""

    before: datetime | None = None
    repo: str | None = None
    file: str | None = None


class ForgetCounts(NamedTuple):
    """What was forgotten, or would be. Duplicates are files whose content was counted with a forgotten file."""

    sightings: int = 0
    reports: int = 0
    files: int = 0
    duplicates: int = 0
    rejects: int = 0


class _Selection:
    """The rows that a filter selects, on the tables as they are now."""

    def __init__(self, lake: Lake, which: ForgetFilter) -> None:
        self._lake, self._which = lake, which
        self.documents, self._uris = self._matching_documents()
        self.files = [file for file in lake.data_files("sightings") if self._may_match(file)]
        self.nodes: set[str] = set()
        self.sightings = 0
        reports = self._read_sightings()
        self.reports = reports - self._reports_of_others(reports)
        # without its document, a duplicate of it can be read again and then counts
        self.duplicates = self._find_duplicates() if which.before is None else set()
        self.rejects = lake.read_rows("rejects", ("uri",), self.reject_condition).num_rows

    @property
    def counts(self) -> ForgetCounts:
        documents = len(self.documents) if self._which.before is None else 0
        return ForgetCounts(self.sightings, len(self.reports), documents, len(self.duplicates), self.rejects)

    @property
    def forgotten_documents(self) -> set[str]:
        """Documents that become unknown. Those of which only old sightings are forgotten stay known."""
        return self.documents | self.duplicates if self._which.before is None else set()

    def _matching_documents(self) -> tuple[set[str], set[str]]:
        """The documents of the repository or file, by the latest row of each, and their addresses."""
        which = self._which
        if which.repo is None and which.file is None:
            return set(), set()
        rows = self._lake.read_rows("files", ("uri", "document", "repo", "state")).to_pylist()
        latest = {row["document"]: row for row in sorted(rows, key=lambda row: row["state"])}
        found = [
            row for row in latest.values() if which.repo in (None, row["repo"]) and which.file in (None, row["uri"])
        ]
        return {row["document"] for row in found}, {row["uri"] for row in found}

    @property
    def condition(self) -> pc.Expression:
        """Which rows of `sightings` go."""
        which = self._which
        whole = pc.scalar(True)
        if which.repo is not None or which.file is not None:
            whole = is_in("document", self.documents)
        if which.repo is not None and which.file is None:
            # a document that was read without a run may have been of another repository before
            whole = whole | (pc.field("repo") == which.repo)
        if which.before is not None:
            whole = whole & (pc.field("observed_at") < _time_scalar(which.before))
        return _true_only(whole)

    @property
    def reject_condition(self) -> pc.Expression:
        which = self._which
        whole = pc.scalar(True)
        if which.file is not None:
            is_member = pc.starts_with(pc.field("uri"), f"{which.file}!")
            whole = whole & ((pc.field("uri") == which.file) | is_member)
        if which.repo is not None:
            whole = whole & is_in("uri", self._uris)
        if which.before is not None:
            whole = whole & (pc.field("observed_at") < _time_scalar(which.before))
        return _true_only(whole)

    def _may_match(self, file: DataFile) -> bool:
        before = self._which.before
        return before is None or file.may_contain("observed_at", datetime.min.replace(tzinfo=UTC), before)

    def _read_sightings(self) -> set[str]:
        """Count the sightings to forget, and return their reports."""
        reports: set[str] = set()
        for file in self.files:
            rows = self._lake.read_rows("sightings", ("node", "report"), self.condition, [file])
            self.sightings += rows.num_rows
            self.nodes.update(pc.unique(rows["node"]).to_pylist())
            reports.update(pc.unique(rows["report"]).to_pylist())
        return reports

    def _reports_of_others(self, digests: set[str]) -> set[str]:
        """Those of these reports that the remaining sightings refer to."""
        used: set[str] = set()
        for file in self._lake.data_files("sightings") if digests else ():
            rows = self._lake.read_rows(
                "sightings", ("report",), is_in("report", digests - used) & ~self.condition, [file]
            )
            used.update(pc.unique(rows["report"]).to_pylist())
        return used

    def _find_duplicates(self) -> set[str]:
        rows = self._lake.read_rows("files", ("document",), is_in("duplicate_of", self.documents))
        return {*rows["document"].to_pylist()} - self.documents


def _time_scalar(time: datetime) -> pa.Scalar:
    return pa.scalar(time, pa.timestamp("us", "UTC"))


def _true_only(condition: pc.Expression) -> pc.Expression:
    """A comparison with null is null, and must neither remove nor keep rows by accident."""
    return pc.coalesce(condition, pa.scalar(False))


def count_matches(lake: Lake, which: ForgetFilter) -> ForgetCounts:
    """What would be forgotten."""
    lake.refresh()
    return _Selection(lake, which).counts


def forget_sightings(lake: Lake, which: ForgetFilter, on_stage: Callable[[str], None] = lambda _: None) -> ForgetCounts:
    """Remove sightings, and the reports, files and rejects that belong to no others.

    The next derivation removes their races. A file stays known if only its old sightings are forgotten; otherwise it
    can be ingested again.
    """
    counts = ForgetCounts()
    batch = f"forget-{uuid.uuid4().hex[:12]}"

    def build(state: int) -> Intent | None:
        nonlocal counts
        selection, name = _Selection(lake, which), f"{batch}-{state}"
        counts = selection.counts
        if not any(counts):
            return None
        changes = _changes_of(lake, selection, name)
        row = {
            "state": state, "ingest": name, "what": "forget", "committed_at": datetime.now(UTC), "files": counts.files,
            "sightings": 0, "reports": 0, "recount": sorted(selection.nodes),
        }  # fmt: skip
        content = pa.Table.from_pylist([row], INGESTS)
        changes["ingests"] = TableChange(write_rows(lake.storage, "ingests", name, content))
        return transactions.facts_intent(name, state, changes)

    transactions.commit(lake, build, on_stage)
    return counts


def _changes_of(lake: Lake, selection: _Selection, name: str) -> dict[str, TableChange]:
    changes = {}
    if selection.sightings:
        condition = selection.condition
        changes["sightings"] = transactions.rewrite_files(lake, "sightings", name, condition, among=selection.files)
    if selection.reports:
        changes["reports"] = transactions.rewrite_files(lake, "reports", name, is_in("digest", selection.reports))
    if documents := selection.forgotten_documents:
        changes["files"] = transactions.rewrite_files(lake, "files", name, is_in("document", documents))
    if selection.rejects:
        changes["rejects"] = transactions.rewrite_files(lake, "rejects", name, selection.reject_condition)
    return changes
