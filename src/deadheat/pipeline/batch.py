"""One batch on its way into the lake: what was seen, what that changes, and nothing committed yet."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute
from pyspark.sql import functions as F  # noqa: N812, its name everywhere

from deadheat.lake import commits
from deadheat.lake.commits import STAGING, Change, Intent
from deadheat.lake.schema import FILES, REPORTS, SIGHTINGS, TABLES
from deadheat.pipeline import consolidate, frames, receipts
from deadheat.pipeline.families import families
from deadheat.pipeline.identify import identified, reports_of
from deadheat.pipeline.mapping import SEEN, mapped
from deadheat.pipeline.session import tune
from deadheat.pipeline.units import UNIT, spread

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import DataFrame, SparkSession

    from deadheat.errors import UnreadableError
    from deadheat.lake.tables import Lake
    from deadheat.pipeline.receipts import Plan

    Fault = tuple[str, str, bool]

# rows in one data file
_ROWS = 1_000_000
# fewer are put together in a moment
_FEW = 200_000
# of the new races, not more are named than a person reads
_NAMED = 1000


class Batch:
    """Makes an intent out of a plan."""

    def __init__(
        self, spark: SparkSession, lake: Lake, plan: Plan, name: str, unit: int = UNIT
    ) -> None:
        self._spark, self._lake, self._plan = spark, lake, plan
        self._name, self._unit = name, unit
        self._base = lake.state
        self._changes: dict[str, Change] = {}

    def intent(self) -> Intent:
        return Intent(self._name, self._base, self._changes)

    @property
    def is_empty(self) -> bool:
        return not any(change.add or change.remove for change in self._changes.values())

    def added(self, table: str) -> int:
        """How many rows this batch adds to a table."""
        change = self._changes.get(table)
        return sum(added.rows for added in change.add) if change else 0

    def take_in(self) -> None:
        self._changes["files"] = self._receipts(self._unread)
        self._changes["rejects"] = self._rejects(self.faults)
        if self.sightings or self._plan.replaced:
            tune(self._spark, self.sightings + self._lake.count("nodes") < _FEW)
            self._take_in_facts()

    def rebuild(self) -> None:
        """Derives everything anew from the facts."""
        self._changes["files"] = Change()
        tune(self._spark, self._lake.count("sightings") < _FEW)
        facts = (frames.table(self._spark, self._lake, n) for n in ("sightings", "reports"))
        self._derive(consolidate.nodes(*facts))

    # -- what was seen -----------------------------------------------------------------------------

    @cached_property
    def _seen(self) -> DataFrame:
        """Everything that was seen, put aside in files that no table knows."""
        if not self._plan.works:
            return frames.empty(self._spark, SEEN)
        staging = self._lake.place.at(f"{STAGING}/{self._name}")
        units = spread(self._spark, self._plan.works, self._unit)
        mapped(units, self._name).write.mode("overwrite").parquet(staging)
        return frames.files(self._spark, [staging], SEEN)

    @cached_property
    def sightings(self) -> int:
        return self._seen.where("fault is null").count()

    @cached_property
    def faults(self) -> list[Fault]:
        """Where, what, and whether nothing of it could be read at all."""
        found = self._seen.where("fault is not null").select("uri", "fault", "unopened").distinct()
        told = {(f.where, _said(f), True) for f in self._plan.faults}
        return sorted({*told, *((r.uri, r.fault, r.unopened) for r in found.collect())})

    @property
    def _unread(self) -> set[str]:
        return {uri for uri, _, unopened in self.faults if unopened}

    @property
    def files(self) -> int:
        """How many files were read."""
        return len(self._plan.receipts.keys() - self._unread)

    # -- small tables, written from here -----------------------------------------------------------

    def _receipts(self, unread: set[str]) -> Change:
        new = pa.Table.from_pylist(receipts.taken(self._plan, self._name, unread), FILES)
        gone = {*self._plan.replaced} - unread
        stale = self._holding(gone) if gone else []
        for fragment in stale:
            old = fragment.to_table(schema=FILES)
            others = pa.compute.is_in(old["uri"], pa.array(sorted(gone), pa.string()))
            new = pa.concat_tables([new, old.filter(pa.compute.invert(others))])
        add = commits.write(self._lake.place, "files", self._name, new.sort_by("uri"))
        return Change(add, self._names("files", [fragment.path for fragment in stale]))

    def _holding(self, uris: set[str]) -> list[Any]:
        """The data files in which any of these receipts stand."""
        wanted = pa.compute.field("uri").isin(pa.array(sorted(uris), pa.string()))
        fragments = self._lake.dataset("files").get_fragments()
        return [fragment for fragment in fragments if fragment.count_rows(filter=wanted)]

    def _rejects(self, faults: list[Fault]) -> Change:
        """What is broken is told once, however often it is tried again."""
        known = {
            (row["uri"], row["what"])
            for batch in (self._lake.batches("rejects", ("uri", "what")) if faults else ())
            for row in batch.to_pylist()
        }
        now = datetime.now(UTC)
        rows = [
            {"uri": uri, "what": what, "observed_at": now, "ingest": self._name}
            for uri, what, _ in faults
            if (uri, what) not in known
        ]
        table = pa.Table.from_pylist(rows, TABLES["rejects"])
        return Change(commits.write(self._lake.place, "rejects", self._name, table))

    # -- facts, and what is derived from them ------------------------------------------------------

    def _take_in_facts(self) -> None:
        known = frames.table(self._spark, self._lake, "reports")
        told = reports_of(self._seen)
        new = told.join(known.select("digest"), "digest", "left_anti").select(REPORTS.names)
        self._write("reports", new)
        reports = known.union(self._written("reports"))
        stale = self._write_sightings(reports)
        fresh = self._written("sightings")
        if self._plan.replaced:
            everything = frames.table(self._spark, self._lake, "sightings", stale).union(fresh)
            self._derive(consolidate.nodes(everything, reports))
        else:
            before = frames.table(self._spark, self._lake, "nodes")
            self._derive(consolidate.nodes(fresh, told, before))

    def _write_sightings(self, reports: DataFrame) -> list[str]:
        """Writes the new sightings, and anew those that share a data file with others to go."""
        found = self._seen.where("fault is null")
        content = found.where("node is not null").select(SIGHTINGS.names)
        stale, kept, carried = self._replaced()
        if self._plan.kept or any(work.is_ranged(self._unit) for work in self._plan.works):
            parts = found.where("node is null").select(SIGHTINGS.names).union(kept)
            content = content.union(identified(parts, reports))
        self._write("sightings", content.union(carried), stale)
        return stale

    def _replaced(self) -> tuple[list[str], DataFrame, DataFrame]:
        """Of files that are read anew: data files to go, sightings to keep, and those of others."""
        none = frames.empty(self._spark, SIGHTINGS)
        if not self._plan.replaced:
            return [], none, none
        limits = pa.schema([("file", pa.string()), ("before", pa.int64())])
        rows = [{"file": f, "before": self._plan.kept.get(f, 0)} for f in self._plan.replaced]
        limit = F.broadcast(frames.rows(self._spark, rows, limits))
        held = frames.table(self._spark, self._lake, "sightings").join(limit, "file", "left_semi")
        stale = self._names("sightings", _paths(held))
        place = self._lake.place
        old = frames.files(self._spark, [place.at(f"sightings/{n}") for n in stale], SIGHTINGS)
        kept = old.join(limit, "file").where("offset < before").select(SIGHTINGS.names)
        carried = old.join(limit, "file", "left_anti").select(SIGHTINGS.names)
        return stale, kept, carried

    def _derive(self, nodes: DataFrame) -> None:
        self._replace("nodes", nodes)
        races = consolidate.races(self._written("nodes")).localCheckpoint()
        self._replace("families", families(races))
        self._replace("races", consolidate.finished(races, self._written("families")))

    def _replace(self, name: str, content: DataFrame) -> None:
        """A derived table is written as a whole."""
        self._write(name, content, self._lake.paths(name))

    def new_races(self) -> list[tuple[str, str]]:
        """Id and title of the races of which no node was known before."""
        if not self.added("races"):
            return []
        known = frames.table(self._spark, self._lake, "nodes").select("node")
        mine = self._written("races").select("race", "title", F.explode("nodes").alias("node"))
        met = mine.join(known, "node").select("race")
        fresh = mine.join(met, "race", "left_anti").select("race", "title").distinct()
        return [(row.race, row.title) for row in fresh.orderBy("race").limit(_NAMED).collect()]

    # -- data files --------------------------------------------------------------------------------

    def _write(self, name: str, content: DataFrame, remove: Sequence[str] = ()) -> None:
        folder = self._lake.place.at(f"{name}/{self._name}")
        few = content.coalesce(max(1, self._spark.sparkContext.defaultParallelism))
        # in order, so that whoever looks for one race reads only a part of each file
        few = few.sortWithinPartitions(*TABLES[name].names[:2])
        few.write.option("maxRecordsPerFile", _ROWS).mode("overwrite").parquet(folder)
        self._changes[name] = Change(
            commits.written(self._lake.place, name, self._name), list(remove)
        )

    def _written(self, name: str) -> DataFrame:
        place = self._lake.place
        paths = [place.at(f"{name}/{added.path}") for added in self._changes[name].add]
        return frames.files(self._spark, paths, TABLES[name])

    def _names(self, table: str, paths: Sequence[str]) -> list[str]:
        """Data files as the table calls them, given their whole paths."""
        return [n for n in self._lake.paths(table) if any(p.endswith(f"/{n}") for p in paths)]


def _paths(frame: DataFrame) -> list[str]:
    rows = frame.select(F.input_file_name().alias("path")).distinct().collect()
    return [row.path for row in rows]


def _said(fault: UnreadableError) -> str:
    return f"{fault.what}; {fault.do}" if fault.do else fault.what
