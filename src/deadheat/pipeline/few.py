"""Reduces a small batch on the driver, which is faster than planning it on Spark.

It writes the same tables as `reduce_spark`; a test compares them.
"""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from itertools import groupby, islice
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from deadheat.lake import commits, masks, rows, told
from deadheat.lake import races as deriving
from deadheat.lake.commits import Added, Change
from deadheat.lake.schema import KIN, NODES, REPORTS, SIGHTINGS, TABLES, sorted_by
from deadheat.pipeline.mapping import PUT_ASIDE

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from deadheat.identity.evidence import Mark
    from deadheat.identity.races import Alias
    from deadheat.lake.races import Sighted
    from deadheat.lake.tables import Lake
    from deadheat.lake.told import About
    from deadheat.pipeline.receipts import Plan
    from deadheat.pipeline.staged import Staged

    Plain = dict[str, Any]

_ORDER = ("uri", "offset", "length", "lane")
_CLUES = ["uri", "lane", "report", "address", "actors", "names"]
_KIN = ["node", *(name for name, _ in KIN)]
_WRITERS = 2
# nested values that repeat this often are converted once
_OFTEN = 4


class Few:
    """Computes the table changes of one batch."""

    def __init__(self, lake: Lake, batch: str) -> None:
        self._lake, self._batch = lake, batch
        self.changes: dict[str, Change] = {}
        # files are written in the background
        self._writers = ThreadPoolExecutor(_WRITERS)
        self._writing: list[Future[None]] = []
        self._known: set[str] = set()
        self._marks: dict[str, Mark] = {}  # by report digest
        self._aliases: dict[str, Alias] = {}  # by description
        self._races: list[Plain] = []

    def take_in(self, plan: Plan, staged: Staged) -> None:
        about = self._taken(staged)
        stale, kept, carried = self._replaced(plan)
        known, waiting = _apart(staged.sightings())
        parts = pa.concat_tables([waiting, self._remembered(kept)])
        fresh = pa.concat_tables([known.select(SIGHTINGS.names), self._named(parts)])
        self._write("sightings", pa.concat_tables([fresh, carried]), stale)
        if plan.replaced or self._lake.is_older:
            others = self._lake.rows("sightings", where=_is_in("file", plan.replaced, negated=True))
            seen = _tuples(pa.concat_tables([others, fresh]), deriving.SIGHTING)
            self._derive(seen, self._about() | about, [])
        else:
            before = _plain(self._lake.rows("nodes"), NODES.names)
            self._derive(_tuples(fresh, deriving.SIGHTING), about, before)
        self._finish()

    def _taken(self, staged: Staged) -> dict[str, About]:
        """Add the new reports, and return the details of all reports by digest."""
        known = set(self._lake.rows("reports", ["digest"])["digest"].to_pylist())
        about: dict[str, About] = {}
        rest = [REPORTS.empty_table()]
        moved: list[Added] = []
        for done in staged.told:
            new = []
            for digest, told_by_it, mark, alias in staged.known(done):
                about[digest], self._marks[digest] = told_by_it, mark
                self._aliases[mark.told] = alias
                if digest not in known:
                    new.append(digest)
            known.update(new)
            put = done.reports
            if put.file and len(new) == put.rows:
                # the file of a task becomes a data file of the table and is not read
                path = f"{self._batch}/{put.file.rpartition('/')[2]}"
                self._lake.place.move(put.file, f"reports/{path}")
                moved.append(Added(path, put.size, put.stats))
            elif new:
                content = staged.reports(done)
                rest.append(content.take(pc.index_in(pa.array(new), content["digest"])))
        self._write("reports", pa.concat_tables(rest), add=moved)
        return about

    def _named(self, parts: pa.Table) -> pa.Table:
        """The sightings with the variants that their complete documents give them."""
        if not parts.num_rows:
            return parts.select(SIGHTINGS.names)
        parts = _ordered(parts, _ORDER)
        sighted = parts.select(SIGHTINGS.names)
        clues = parts.select(_CLUES).to_pydict().values()
        kin: list[Plain] = []
        for _, document in groupby(zip(*clues, strict=True), itemgetter(0)):
            while some := list(islice(document, rows.BATCH)):
                kin += rows.kin_of(
                    [
                        (self._marks[report], str(lane), at, by, names)
                        for _, lane, report, at, by, names in some
                    ],
                    self._aliases,
                )
        for name in _KIN:
            at = SIGHTINGS.get_field_index(name)
            column = pa.array([one[name] for one in kin], SIGHTINGS.field(name).type)
            sighted = sighted.set_column(at, SIGHTINGS.field(name), column)
        return sighted

    def _remembered(self, kept: pa.Table) -> pa.Table:
        """Sightings of the lake with the columns that grouping needs."""
        if not kept.num_rows:
            return PUT_ASIDE.empty_table()
        wanted = pc.field("digest").isin(pc.unique(kept["report"]))
        reports = {r["digest"]: r for r in self._lake.rows("reports", where=wanted).to_pylist()}
        self._marks |= {digest: rows.mark_of(row) for digest, row in reports.items()}
        content = kept.to_pylist()
        for row in content:
            report, names = reports[row["report"]], row["names"]
            address = rows.address_of(report)
            row["address"] = address and masks.name_of(address, names)
            row["actors"] = [masks.name_of(a, names) for a in rows.actors_of(report)]
        return pa.Table.from_pylist(content, PUT_ASIDE)

    def rebuild(self) -> None:
        """Rebuild all derived tables."""
        seen = _tuples(self._lake.rows("sightings", deriving.SIGHTING), deriving.SIGHTING)
        self._derive(seen, self._about(), [])
        self._finish()

    def new_races(self) -> list[tuple[str, str]]:
        """Id and title of the races that have no variant known before."""
        fresh = (row for row in self._races if self._known.isdisjoint(row["nodes"]))
        return sorted((row["race"], row["title"]) for row in fresh)

    def _replaced(self, plan: Plan) -> tuple[list[str], pa.Table, pa.Table]:
        """For files read again: data files to remove, sightings to keep, rows of other files."""
        stale: list[str] = []
        kept, carried = SIGHTINGS.empty_table(), SIGHTINGS.empty_table()
        if not plan.replaced:
            return stale, kept, carried
        gone = _is_in("file", plan.replaced)
        for path, fragment in self._lake.holding("sightings", gone):
            old = fragment.to_table(SIGHTINGS)
            stale.append(path)
            carried = pa.concat_tables([carried, old.filter(~gone)])
            for file, end in plan.kept.items():
                before = (pc.field("file") == file) & (pc.field("offset") < end)
                kept = pa.concat_tables([kept, old.filter(before)])
        return stale, kept, carried

    def _about(self) -> dict[str, About]:
        """The details of every report in the lake."""
        found = self._lake.rows("reports", ["digest", *told.ABOUT]).to_pylist()
        return {row["digest"]: told.about(row) for row in found}

    def _derive(
        self, seen: Iterator[Sighted], reports: dict[str, About], before: list[Plain]
    ) -> None:
        self._known = set(self._lake.rows("nodes", ["node"])["node"].to_pylist())
        nodes = deriving.nodes(seen, reports, before)
        self._write("nodes", _table(nodes, NODES), self._lake.paths("nodes"))
        self._races, families = deriving.races(nodes)
        for name, content in (("races", self._races), ("families", families)):
            self._write(name, _table(content, TABLES[name]), self._lake.paths(name))

    def _write(
        self, name: str, content: pa.Table, remove: Sequence[str] = (), add: Sequence[Added] = ()
    ) -> None:
        self.changes[name] = change = Change([*add], [*remove])
        self._writing.append(self._writers.submit(self._written, name, content, change))

    def _written(self, name: str, content: pa.Table, change: Change) -> None:
        content = _ordered(content.select(TABLES[name].names), sorted_by(name))
        change.add += commits.write(self._lake.place, name, self._batch, content)

    def _finish(self) -> None:
        with self._writers:
            for one in self._writing:
                one.result()


def _is_in(column: str, values: list[str], negated: bool = False) -> pc.Expression:
    found = pc.field(column).isin(pa.array(values, pa.string()))
    return ~found if negated else found


def _apart(found: pa.Table) -> tuple[pa.Table, pa.Table]:
    """Sightings with and without a variant; often all are of one kind."""
    waiting = found["node"].null_count
    if waiting in (0, found.num_rows):
        none = found.slice(0, 0)
        return (none, found) if waiting else (found, none)
    has_none = pc.is_null(found["node"])
    return found.filter(pc.invert(has_none)), found.filter(has_none)


def _ordered(table: pa.Table, columns: Sequence[str]) -> pa.Table:
    """The rows sorted by these columns. Sorted input is detected, which is faster than copying it."""
    order = pc.sort_indices(table.select(columns), [(name, "ascending") for name in columns])
    if pc.all(pc.equal(order, pa.array(range(len(order)), order.type))).as_py():
        return table
    return table.take(order)


def _plain(table: pa.Table, columns: Sequence[str]) -> list[Plain]:
    """The rows as dicts."""
    return [dict(zip(columns, row, strict=True)) for row in _tuples(table, columns)]


def _tuples(table: pa.Table, columns: Sequence[str]) -> Iterator[Sighted]:
    """The rows as tuples."""
    return zip(*(_values(table[name]) for name in columns), strict=True)


def _table(content: list[Plain], schema: pa.Schema) -> pa.Table:
    """Rows with all columns as a table, faster than `from_pylist`."""
    if not content:
        return schema.empty_table()
    # by row, for memory locality
    columns = zip(*map(itemgetter(*schema.names), content), strict=True)
    arrays = [_column(column, field.type) for field, column in zip(schema, columns, strict=True)]
    return pa.Table.from_arrays(arrays, schema=schema)


def _column(values: Sequence[Any], kind: pa.DataType) -> pa.Array:
    """A column. Identical objects that are expensive to convert are converted once."""
    if not (pa.types.is_nested(kind) or pa.types.is_temporal(kind)):
        return pa.array(values, kind)
    place = {id(value): at for at, value in enumerate(values)}
    if len(place) > len(values) // _OFTEN:
        return pa.array(values, kind)
    distinct = {name: number for number, name in enumerate(place)}
    made = pa.array([values[at] for at in place.values()], kind)
    return made.take(pa.array([distinct[id(value)] for value in values], pa.int32()))


def _values(column: pa.ChunkedArray) -> list[Any]:
    """The values of a column. Timestamps are few and expensive, so each is converted once."""
    if not pa.types.is_timestamp(column.type):
        return list(column.to_pylist())
    coded = column.combine_chunks().dictionary_encode()
    times = coded.dictionary.to_pylist()
    return [None if at is None else times[at] for at in coded.indices.to_pylist()]
