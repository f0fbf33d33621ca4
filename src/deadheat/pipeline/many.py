"""Reduces a batch of any size in DataFrame operations."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
from pyspark.sql import functions as F  # noqa: N812, its name everywhere

from deadheat.lake import commits
from deadheat.lake.commits import Change
from deadheat.lake.schema import REPORTS, SIGHTINGS, TABLES, sorted_by
from deadheat.pipeline import consolidate, frames
from deadheat.pipeline.families import families
from deadheat.pipeline.identify import identified

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import DataFrame, SparkSession

    from deadheat.lake.tables import Lake
    from deadheat.pipeline.receipts import Plan
    from deadheat.pipeline.staged import Staged

_ROWS = 1_000_000
# maximum number of new races in a summary
_NAMED = 1000


class Many:
    """Computes the table changes of one batch."""

    def __init__(self, spark: SparkSession, lake: Lake, batch: str) -> None:
        self._spark, self._lake, self._batch = spark, lake, batch
        self.changes: dict[str, Change] = {}

    def take_in(self, plan: Plan, staged: Staged) -> None:
        known = frames.table(self._spark, self._lake, "reports")
        told = staged.told_frame(self._spark)
        new = told.join(known.select("digest"), "digest", "left_anti").select(REPORTS.names)
        self._write("reports", new)
        reports = known.union(self._written("reports"))
        stale, kept, carried = self._replaced(plan)
        found = staged.frame(self._spark)
        parts = found.where("node is null").union(kept)
        content = found.where("node is not null").union(identified(parts, reports))
        self._write("sightings", content.union(carried), stale)
        fresh = self._written("sightings")
        if plan.replaced or self._lake.is_older:
            everything = frames.table(self._spark, self._lake, "sightings", stale).union(fresh)
            self._derive(consolidate.nodes(everything, reports))
        else:
            before = frames.table(self._spark, self._lake, "nodes")
            self._derive(consolidate.nodes(fresh, told, before))

    def rebuild(self) -> None:
        """Rebuild all derived tables."""
        facts = (frames.table(self._spark, self._lake, n) for n in ("sightings", "reports"))
        self._derive(consolidate.nodes(*facts))

    def new_races(self) -> list[tuple[str, str]]:
        """Id and title of the races that have no variant known before."""
        known = frames.table(self._spark, self._lake, "nodes").select("node")
        mine = self._written("races").select("race", "title", F.explode("nodes").alias("node"))
        met = mine.join(known, "node").select("race")
        fresh = mine.join(met, "race", "left_anti").select("race", "title").distinct()
        return [(row.race, row.title) for row in fresh.orderBy("race").limit(_NAMED).collect()]

    def _replaced(self, plan: Plan) -> tuple[list[str], DataFrame, DataFrame]:
        """For files read again: data files to remove, sightings to keep, rows of other files."""
        none = frames.empty(self._spark, SIGHTINGS)
        if not plan.replaced:
            return [], none, none
        limits = pa.schema([("file", pa.string()), ("before", pa.int64())])
        rows = [{"file": file, "before": plan.kept.get(file, 0)} for file in plan.replaced]
        limit = F.broadcast(frames.rows(self._spark, rows, limits))
        held = frames.table(self._spark, self._lake, "sightings").join(limit, "file", "left_semi")
        stale = self._names(held)
        place = self._lake.place
        old = frames.files(self._spark, [place.at(f"sightings/{n}") for n in stale], SIGHTINGS)
        kept = old.join(limit, "file").where("offset < before").select(SIGHTINGS.names)
        carried = old.join(limit, "file", "left_anti").select(SIGHTINGS.names)
        return stale, kept, carried

    def _names(self, held: DataFrame) -> list[str]:
        """The data files that contain these sightings, named as in the table."""
        rows = held.select(F.input_file_name().alias("path")).distinct().collect()
        return sorted(row.path.rpartition("/sightings/")[2] for row in rows)

    def _derive(self, nodes: DataFrame) -> None:
        self._replace("nodes", nodes)
        races = consolidate.races(self._written("nodes")).localCheckpoint()
        self._replace("families", families(races))
        self._replace("races", consolidate.finished(races, self._written("families")))

    def _replace(self, name: str, content: DataFrame) -> None:
        """Replace a derived table."""
        self._write(name, content, self._lake.paths(name))

    def _write(self, name: str, content: DataFrame, remove: Sequence[str] = ()) -> None:
        folder = self._lake.place.at(f"{name}/{self._batch}")
        few = content.coalesce(max(1, self._spark.sparkContext.defaultParallelism))
        # sorted, so that a query for one race reads a part of each file
        few = few.sortWithinPartitions(*sorted_by(name))
        few.write.option("maxRecordsPerFile", _ROWS).mode("overwrite").parquet(folder)
        added = commits.written(self._lake.place, name, self._batch)
        self.changes[name] = Change(added, list(remove))

    def _written(self, name: str) -> DataFrame:
        place = self._lake.place
        paths = [place.at(f"{name}/{added.path}") for added in self.changes[name].add]
        return frames.files(self._spark, paths, TABLES[name])
