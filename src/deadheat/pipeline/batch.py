"""One batch on its way into the lake: what was seen, what that changes, and nothing committed yet."""

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

# so many sightings and nodes are put together on the driver, which takes a second or two
FEW = 100_000


class Batch:
    """Makes an intent out of a plan. `session` gives one when it is needed."""

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
        """Does it bring the derived tables up to date?"""
        return "nodes" in self._changes

    def added(self, table: str) -> int:
        """How many rows this batch adds to a table."""
        change = self._changes.get(table)
        return sum(added.rows for added in change.add) if change else 0

    def read(self) -> None:
        """Reads everything that the plan says."""
        if self._plan.works:
            self._staged.write(self._session(), self._plan.works, self._unit, self._few)
        self._plan.forget(self._staged.unread)

    def take_in(self) -> None:
        """Makes changes of what was read."""
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
        """Derives everything anew from the facts."""
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
        """How many files were read."""
        return len(self._plan.receipts)

    @cached_property
    def faults(self) -> list[tuple[str, str]]:
        """Where and what."""
        told = {(fault.where, said(fault)) for fault in self._plan.faults}
        return sorted({*told, *((uri, what) for uri, what, _ in self._staged.faults)})

    # -- small tables, written from here -----------------------------------------------------------

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
        """What is broken is told once, however often it is tried again."""
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
