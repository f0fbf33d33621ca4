"""The reduce side of a small batch, on the driver: Spark would take longer to plan it than this takes.

Writes what `many` would write; a test holds the two to that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from deadheat.lake import commits, masks, rows
from deadheat.lake import races as deriving
from deadheat.lake.commits import Change
from deadheat.lake.schema import SIGHTINGS, TABLES, sorted_by

if TYPE_CHECKING:
    from deadheat.lake.tables import Lake
    from deadheat.pipeline.receipts import Plan
    from deadheat.pipeline.staged import Staged

    Plain = dict[str, Any]

_ORDER = [("offset", "ascending"), ("length", "ascending"), ("lane", "ascending")]


class Few:
    """Makes the changes of one batch from what was seen."""

    def __init__(self, lake: Lake, batch: str) -> None:
        self._lake, self._batch = lake, batch
        self.changes: dict[str, Change] = {}
        self._known: set[str] = set()
        self._races: list[Plain] = []

    def take_in(self, plan: Plan, staged: Staged) -> None:
        told = staged.reports()
        digests = self._lake.rows("reports", ["digest"])["digest"]
        new = told.filter(pc.invert(pc.is_in(told["digest"], value_set=pc.unique(digests))))
        self._write("reports", new)
        stale, kept, carried = self._replaced(plan)
        found = staged.sightings()
        parts = pa.concat_tables([found.filter(pc.is_null(found["node"])), kept])
        fresh = pa.concat_tables(
            [found.filter(pc.is_valid(found["node"])), self._named(parts, told)]
        )
        self._write("sightings", pa.concat_tables([fresh, carried]), stale)
        if plan.replaced:
            others = self._lake.rows("sightings", where=_is_in("file", plan.replaced, negated=True))
            self._derive([*_plain(others), *_plain(fresh)], self._about(new), [])
        else:
            before = self._lake.rows("nodes").to_pylist()
            self._derive(_plain(fresh), _by_digest(told), before)

    def rebuild(self) -> None:
        """Derives everything anew from the facts."""
        self._derive(_plain(self._lake.rows("sightings")), self._about(None), [])

    def new_races(self) -> list[tuple[str, str]]:
        """Id and title of the races of which no node was known before."""
        fresh = (row for row in self._races if self._known.isdisjoint(row["nodes"]))
        return sorted((row["race"], row["title"]) for row in fresh)

    def _replaced(self, plan: Plan) -> tuple[list[str], pa.Table, pa.Table]:
        """Of files that are read anew: data files to go, sightings to keep, and those of others."""
        stale, kept, carried = [], SIGHTINGS.empty_table(), SIGHTINGS.empty_table()
        gone = _is_in("file", plan.replaced)
        for path, fragment in self._lake.holding("sightings", gone) if plan.replaced else ():
            old = fragment.to_table(SIGHTINGS)
            stale.append(path)
            carried = pa.concat_tables([carried, old.filter(~gone)])
            for file, end in plan.kept.items():
                before = (pc.field("file") == file) & (pc.field("offset") < end)
                kept = pa.concat_tables([kept, old.filter(before)])
        return stale, kept, carried

    def _named(self, parts: pa.Table, told: pa.Table) -> pa.Table:
        """Sightings with the nodes that their whole documents give them."""
        if not parts.num_rows:
            return parts
        wanted = pc.unique(parts["report"])
        everything = pa.concat_tables(
            [told, self._lake.rows("reports", where=pc.field("digest").isin(wanted))]
        )
        reports = {row["digest"]: row for row in everything.to_pylist()}
        marks = {d.as_py(): rows.mark_of(reports[d.as_py()]) for d in wanted}
        content: list[Plain] = []
        for uri in pc.unique(parts["uri"]):
            document = parts.filter(pc.equal(parts["uri"], uri)).sort_by(_ORDER).to_pylist()
            for start in range(0, len(document), rows.BATCH):
                some = document[start : start + rows.BATCH]
                known = [
                    (
                        marks[r["report"]],
                        str(r["lane"]),
                        _address(r, reports[r["report"]]),
                        [
                            masks.name_of(a, r["names"])
                            for a in rows.actors_of(reports[r["report"]])
                        ],
                    )
                    for r in some
                ]
                content += ({**r, **kin} for r, kin in zip(some, rows.kin_of(known), strict=True))
        return pa.Table.from_pylist(content, SIGHTINGS)

    def _about(self, new: pa.Table | None) -> dict[str, Plain]:
        """What is asked of each report that the lake has, and of new ones."""
        known = _by_digest(self._lake.rows("reports", deriving.REPORT))
        return known if new is None else known | _by_digest(new)

    def _derive(self, seen: list[Plain], reports: dict[str, Plain], before: list[Plain]) -> None:
        self._known = set(self._lake.rows("nodes", ["node"])["node"].to_pylist())
        nodes = deriving.nodes(seen, reports, before)
        self._races, families = deriving.races(nodes)
        for name, content in (("nodes", nodes), ("families", families), ("races", self._races)):
            table = pa.Table.from_pylist(content, TABLES[name])
            self._write(name, table, self._lake.paths(name))

    def _write(self, name: str, content: pa.Table, remove: list[str] | None = None) -> None:
        order = [(column, "ascending") for column in sorted_by(name)]
        content = content.select(TABLES[name].names)
        ordered = content.take(pc.sort_indices(content.select([c for c, _ in order]), order))
        added = commits.write(self._lake.place, name, self._batch, ordered)
        self.changes[name] = Change(added, remove or [])


def _is_in(column: str, values: list[str], negated: bool = False) -> pc.Expression:
    found = pc.field(column).isin(pa.array(values, pa.string()))
    return ~found if negated else found


def _plain(sightings: pa.Table) -> list[Plain]:
    found: list[Plain] = sightings.select(deriving.SIGHTING).to_pylist()
    return found


def _by_digest(reports: pa.Table) -> dict[str, Plain]:
    return {row["digest"]: row for row in reports.select(deriving.REPORT).to_pylist()}


def _address(row: Plain, report: Plain) -> str | None:
    mark = rows.address_of(report)
    return mark and masks.name_of(mark, row["names"])
