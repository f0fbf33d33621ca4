"""One batch of an ingest: reads the files of a plan and computes the table changes."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from deadheat.lake import commits
from deadheat.lake.commits import Change, Intent
from deadheat.lake.schema import FILES, REJECTS
from deadheat.pipeline.few import Few
from deadheat.pipeline.many import Many
from deadheat.pipeline.mapping import said
from deadheat.pipeline.staged import Staged

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import SparkSession

    from deadheat.lake.tables import Lake
    from deadheat.pipeline.receipts import Plan

# up to this many sightings and variants are reduced on the driver, which takes a second or two
FEW = 100_000


class Batch:
    """Computes an intent from a plan. `session` starts Spark on demand."""

    def __init__(
        self,
        session: Callable[[], SparkSession],
        lake: Lake,
        plan: Plan,
        name: str,
        unit: int | None = None,
        few: int = FEW,
    ) -> None:
        self._session, self._lake, self._plan = session, lake, plan
        self._name, self._unit, self._few = name, unit, few
        self._base = lake.state if lake.is_there else 0
        self._changes: dict[str, Change] = {}
        self._staged = Staged(lake, name)
        self.new_races: list[tuple[str, str]] = []

    def intent(self) -> Intent:
        return Intent(self._name, self._base, self._changes)

    @property
    def is_empty(self) -> bool:
        return not any(change.add or change.remove for change in self._changes.values())

    @property
    def is_derived(self) -> bool:
        """Does the batch update the derived tables?"""
        return "nodes" in self._changes

    def added(self, table: str) -> int:
        """The number of rows that this batch adds to a table."""
        change = self._changes.get(table)
        return sum(added.rows for added in change.add) if change else 0

    def read(self) -> None:
        """Read all files of the plan."""
        if self._plan.works:
            self._staged.write(self._session(), self._plan.works, self._unit, self._few)
        self._plan.forget(self._staged.unread)

    def take_in(self) -> None:
        """Compute the table changes for what was read."""
        self._changes["files"] = self._receipts()
        self._changes["rejects"] = self._rejects()
        if self.sightings or self._plan.replaced:
            anew = self._plan.replaced or self._lake.is_older
            everything = self._lake.count("sightings") if anew else 0
            reduce = self._reduce(self.sightings + self._lake.count("nodes") + everything)
            reduce.take_in(self._plan, self._staged)
            self._changes |= reduce.changes
            self.new_races = reduce.new_races()

    def rebuild(self) -> None:
        """Rebuild all derived tables."""
        reduce = self._reduce(self._lake.count("sightings"))
        reduce.rebuild()
        self._changes = {"files": Change(), **reduce.changes}

    def _reduce(self, rows: int) -> Few | Many:
        if rows <= self._few:
            return Few(self._lake, self._name)
        return Many(self._session(), self._lake, self._name)

    @property
    def sightings(self) -> int:
        return self._staged.count

    @property
    def files(self) -> int:
        """The number of files read."""
        return len(self._plan.receipts)

    @cached_property
    def faults(self) -> list[tuple[str, str]]:
        """Pairs of URI and message."""
        told = {(fault.where, said(fault)) for fault in self._plan.faults}
        return sorted({*told, *((uri, what) for uri, what, _ in self._staged.faults)})

    # -- small tables, written from the driver -----------------------------------------------------

    def _receipts(self) -> Change:
        rows = [{**row, "ingest": self._name} for row in self._plan.receipts.values()]
        new = pa.Table.from_pylist(rows, FILES)
        gone = pc.field("uri").isin(pa.array(self._plan.replaced, pa.string()))
        stale = []
        for path, fragment in self._lake.holding("files", gone) if self._plan.replaced else ():
            stale.append(path)
            new = pa.concat_tables([new, fragment.to_table(FILES, filter=~gone)])
        add = commits.write(self._lake.place, "files", self._name, new.sort_by("uri"))
        return Change(add, stale)

    def _rejects(self) -> Change:
        """Each fault is recorded once, however often the file is read."""
        known = {
            (row["uri"], row["what"])
            for batch in (self._lake.batches("rejects", ("uri", "what")) if self.faults else ())
            for row in batch.to_pylist()
        }
        now = datetime.now(UTC)
        rows = [
            {"uri": uri, "what": what, "observed_at": now, "ingest": self._name}
            for uri, what in self.faults
            if (uri, what) not in known
        ]
        table = pa.Table.from_pylist(rows, REJECTS)
        return Change(commits.write(self._lake.place, "rejects", self._name, table))
