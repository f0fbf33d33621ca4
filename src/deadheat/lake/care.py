"""Maintains a lake: checks its consistency and compacts small files."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow.compute as pc

from deadheat.errors import DeadheatError
from deadheat.lake import commits
from deadheat.lake.lock import writing

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deadheat.lake.tables import Lake

_PLACE = ["uri", "offset", "length", "lane", "report"]


def faults(lake: Lake) -> Iterator[str]:
    """Yield a line for every inconsistency."""
    lake.expect()
    for name in lake.place.names(commits.INTENTS):
        yield f"{name} was committed but not applied; the next ingest applies it"
    whole = True
    for table in lake.names:
        for fault in _file_faults(lake, table):
            whole = False
            yield fault
    if whole:
        yield from _content_faults(lake)


def _file_faults(lake: Lake, table: str) -> Iterator[str]:
    try:
        paths = lake.paths(table)
    except DeadheatError as error:
        yield str(error)
        return
    sizes = {name: told["size"] for name, told in lake.place.below(table)}
    expected = dict(zip(paths, lake.sizes(table), strict=True))
    for path, size in expected.items():
        if path not in sizes:
            yield f"{table}/{path} is missing"
        elif sizes[path] != size:
            yield f"{table}/{path} has {sizes[path]} bytes, expected {size}"


def _content_faults(lake: Lake) -> Iterator[str]:
    """Check the tables against each other. Keeps a few columns of the largest tables in memory."""
    sightings = lake.rows("sightings", [*_PLACE, "node", "file"])
    places = sightings.group_by(["uri", "offset", "length", "lane"]).aggregate([])
    if twice := sightings.num_rows - places.num_rows:
        yield f"{twice} duplicate sightings"
    digests = lake.rows("reports", ["digest"])["digest"]
    if twice := len(digests) - len(pc.unique(digests)):
        yield f"{twice} duplicate reports"
    if missing := _missing(sightings["report"], digests):
        yield f"{missing} reports of sightings are missing"
    files = lake.rows("files", ["uri"])["uri"]
    if twice := len(files) - len(pc.unique(files)):
        yield f"{twice} duplicate files"
    if missing := _missing(sightings["file"], files):
        yield f"{missing} files of sightings are missing"
    races = lake.rows("races", ["sightings", "nodes"])
    counted = pc.sum(races["sightings"]).as_py() or 0
    if counted != sightings.num_rows:
        do = "`deadheat consolidate` rebuilds them"
        yield f"races have {counted} sightings, expected {sightings.num_rows}; {do}"
    if missing := _missing(sightings["node"], pc.list_flatten(races["nodes"])):
        yield f"{missing} variants have no race; `deadheat consolidate` rebuilds the races"


def _missing(wanted: object, there: object) -> int:
    known = pc.is_in(pc.unique(wanted), value_set=pc.unique(there))
    return int(pc.sum(pc.invert(known)).as_py() or 0)


def compact(lake: Lake, keep_hours: int, patience: float = 10.0) -> dict[str, tuple[int, int]]:
    """Compact small files and remove unused ones. Returns the file counts before and after."""
    lake.expect()
    counts = {}
    with writing(lake.place, patience):
        commits.recover(lake)
        for name in lake.names:
            table = lake.table(name)
            before = len(lake.paths(name))
            table.optimize.compact()
            table.vacuum(keep_hours, dry_run=False, enforce_retention_duration=False, full=True)
            lake.refresh()
            counts[name] = before, len(lake.paths(name))
        commits.sweep(lake, older_than=keep_hours * 3600)
    return counts
