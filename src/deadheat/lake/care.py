"""Looks after a lake: finds what is wrong with it, and makes many small files into few large ones."""

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
    """Everything that is not as it should be, a line each."""
    lake.expect()
    for name in lake.place.names(commits.INTENTS):
        yield f"{name} was decided on and not finished; the next ingest does it"
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
            yield f"{table}/{path} has {sizes[path]} bytes and not {size}"


def _content_faults(lake: Lake) -> Iterator[str]:
    """What the tables say about one another; in memory it is a few columns of the largest."""
    sightings = lake.rows("sightings", [*_PLACE, "node", "file"])
    places = sightings.group_by(["uri", "offset", "length", "lane"]).aggregate([])
    if twice := sightings.num_rows - places.num_rows:
        yield f"{twice} sightings are there twice"
    digests = lake.rows("reports", ["digest"])["digest"]
    if twice := len(digests) - len(pc.unique(digests)):
        yield f"{twice} reports are there twice"
    if missing := _missing(sightings["report"], digests):
        yield f"{missing} reports that were sighted are not there"
    files = lake.rows("files", ["uri"])["uri"]
    if twice := len(files) - len(pc.unique(files)):
        yield f"{twice} files are there twice"
    if missing := _missing(sightings["file"], files):
        yield f"{missing} files that were read are not there"
    races = lake.rows("races", ["sightings", "nodes"])
    counted = pc.sum(races["sightings"]).as_py() or 0
    if counted != sightings.num_rows:
        do = "`deadheat consolidate` counts anew"
        yield f"races have {counted} sightings, of {sightings.num_rows}; {do}"
    if missing := _missing(sightings["node"], pc.list_flatten(races["nodes"])):
        yield f"{missing} sighted races are not there; `deadheat consolidate` makes them"


def _missing(wanted: object, there: object) -> int:
    known = pc.is_in(pc.unique(wanted), value_set=pc.unique(there))
    return int(pc.sum(pc.invert(known)).as_py() or 0)


def compact(lake: Lake, keep_hours: int, patience: float = 10.0) -> dict[str, tuple[int, int]]:
    """Rewrites small files, removes what nobody has needed for a while; files before and after."""
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
