"""Maintains a lake: checks its consistency and compacts small files."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow.compute as pc

from deadheat.errors import DeadheatError
from deadheat.lake import transactions
from deadheat.lake.storage import write_lock

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deadheat.lake.tables import Lake

_SIGHTING_COLUMNS = ["uri", "offset", "length", "lane", "report"]


def find_faults(lake: Lake) -> Iterator[str]:
    """Yield a line for every inconsistency."""
    lake.require()
    for name in lake.storage.entry_names(transactions.INTENT_FOLDER):
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
        paths = lake.data_files(table)
    except DeadheatError as error:
        yield str(error)
        return
    sizes = {name: info["size"] for name, info in lake.storage.files_below(table)}
    expected = dict(zip(paths, lake.data_file_sizes(table), strict=True))
    for path, size in expected.items():
        if path not in sizes:
            yield f"{table}/{path} is missing"
        elif sizes[path] != size:
            yield f"{table}/{path} has {sizes[path]} bytes, expected {size}"


def _content_faults(lake: Lake) -> Iterator[str]:
    """Check the tables against each other. Keeps a few columns of the largest tables in memory."""
    sightings = lake.read_rows("sightings", [*_SIGHTING_COLUMNS, "node", "file"])
    locations = sightings.group_by(["uri", "offset", "length", "lane"]).aggregate([])
    if duplicates := sightings.num_rows - locations.num_rows:
        yield f"{duplicates} duplicate sightings"
    for table, key, reference in (("reports", "digest", "report"), ("files", "uri", "file")):
        keys = lake.read_rows(table, [key])[key]
        if duplicates := len(keys) - len(pc.unique(keys)):
            yield f"{duplicates} duplicate {table}"
        if missing := _count_missing(sightings[reference], keys):
            yield f"{missing} {table} of sightings are missing"
    races = lake.read_rows("races", ["sightings", "nodes"])
    counted = pc.sum(races["sightings"]).as_py() or 0
    if counted != sightings.num_rows:
        remedy = "`deadheat consolidate` rebuilds them"
        yield f"races have {counted} sightings, expected {sightings.num_rows}; {remedy}"
    if missing := _count_missing(sightings["node"], pc.list_flatten(races["nodes"])):
        yield f"{missing} variants have no race; `deadheat consolidate` rebuilds the races"


def _count_missing(wanted: object, present: object) -> int:
    known = pc.is_in(pc.unique(wanted), value_set=pc.unique(present))
    return int(pc.sum(pc.invert(known)).as_py() or 0)


def compact_tables(lake: Lake, keep_hours: int, timeout: float = 10.0) -> dict[str, tuple[int, int]]:
    """Compact small files and remove unused ones. Returns the file counts before and after."""
    lake.require()
    counts = {}
    with write_lock(lake.storage, timeout):
        transactions.finish_interrupted(lake)
        for name in lake.table_names:
            table = lake.delta_table(name)
            before = len(lake.data_files(name))
            table.optimize.compact()
            table.vacuum(keep_hours, dry_run=False, enforce_retention_duration=False, full=True)
            lake.refresh()
            counts[name] = before, len(lake.data_files(name))
        transactions.remove_abandoned_files(lake, older_than=keep_hours * 3600)
    return counts
