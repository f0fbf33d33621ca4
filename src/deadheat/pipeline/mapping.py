"""The map tasks: units in, rows of sightings and faults out. Runs on executors."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from deadheat.errors import DeadheatError, UnreadableError
from deadheat.feeds import files, places, walk
from deadheat.lake import columns, rows, told
from deadheat.lake.schema import REPORTS, SIGHTINGS, TEXT, TEXTS
from deadheat.model import Sighting
from deadheat.pipeline import lines
from deadheat.pipeline.frames import typed
from deadheat.pipeline.lines import Lined
from deadheat.text import encoding

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pyspark.sql import DataFrame

    from deadheat.lake.rows import Seen
    from deadheat.pipeline.units import Unit

    Plain = dict[str, Any]

# a sighting or a fault; a report is included in the first of its sightings in a task
SEEN = pa.schema(
    [
        *SIGHTINGS,
        pa.field("told", pa.struct(list(REPORTS))),
        pa.field("fault", TEXT),
        pa.field("unopened", pa.bool_()),
    ]
)
# a sighting in the output of a task; the last two columns are needed if it has no variant yet
PUT_ASIDE = pa.schema([*SIGHTINGS, ("address", TEXT), ("actors", TEXTS)])
_ROWS = 1024
# sightings converted to rows at a time
_BURST = 64
_WISH = files.Wish(full=True)
_MOST_TOLD = 1 << 18
_SHARED = ("observed_at", "repo", "commit", "branch", "job", "run")


def mapped(units: DataFrame) -> DataFrame:
    """The sightings and faults in units, each sighting with its report."""
    return units.mapInArrow(_mapper, typed(SEEN))


def _mapper(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    return batched(_Mapping(tell_all=True).rows(_units(batches)))


def reading(units: Iterable[Unit], ingest: str) -> Iterator[Plain]:
    """Yield the sightings and faults in units. A report is included in its first sighting only."""
    return _Mapping(ingest).rows(unit._asdict() for unit in units)


def _units(batches: Iterator[pa.RecordBatch]) -> Iterator[Plain]:
    return (unit for batch in batches for unit in batch.to_pylist())


def batched(found: Iterator[Plain], schema: pa.Schema = SEEN) -> Iterator[pa.RecordBatch]:
    pending: list[Plain] = []
    for row in found:
        pending.append(row)
        if len(pending) == _ROWS:
            yield batch_of(pending, schema)
            pending = []
    if pending:
        yield batch_of(pending, schema)


def batch_of(content: list[Plain], schema: pa.Schema) -> pa.RecordBatch:
    """Rows as a record batch. A report, if included, is a struct column."""
    flat = pa.schema([field for field in schema if field.name != "told"])
    try:
        batch = pa.RecordBatch.from_pylist(content, flat)
    except UnicodeEncodeError:
        batch = pa.RecordBatch.from_pylist([told.writable(row) for row in content], flat)
    if "told" not in schema.names:
        return batch
    return batch.add_column(schema.names.index("told"), schema.field("told"), _told(content))


def _told(content: list[Plain]) -> pa.Array:
    """The reports of the rows, null for rows without one."""
    found = [row["told"].told.row for row in content if "told" in row]
    if not found:
        return pa.nulls(len(content), SEEN.field("told").type)
    reports = columns.table(found)
    place = {digest: at for at, digest in enumerate(reports["digest"].to_pylist())}
    wanted = [place[row["report"]] if "told" in row else None for row in content]
    return pa.concat_arrays(reports.to_struct_array().chunks).take(pa.array(wanted, pa.int64()))


def sighted(units: Iterator[Plain]) -> Iterator[Plain]:
    """Yield the sightings in units with report and race, without faults.

    The ranges of a document are grouped separately.
    """
    for row in _Mapping(tell_all=True, wait=False).rows(units):
        if "fault" not in row:
            yield row


class _Mapping:
    """The state of one task."""

    def __init__(self, ingest: str = "", tell_all: bool = False, wait: bool = True) -> None:
        self._ingest, self._tell_all, self._wait = ingest, tell_all, wait
        self._told: set[str] = set()

    def rows(self, units: Iterator[Plain]) -> Iterator[Plain]:
        for unit in units:
            shared = {key: unit[key] for key in _SHARED}
            shared |= {"file": unit["uri"], "ingest": self._ingest}
            for row in self._rows(unit):
                yield {**row, **shared}

    def _rows(self, unit: Plain) -> Iterator[Plain]:
        try:
            raw = places.opened(os.fsdecode(unit["path"]))
        except OSError as error:
            fault = walk.unreadable(unit["uri"], error)
            yield {"uri": unit["uri"], "fault": fault.what, "unopened": True}
            return
        except DeadheatError as error:
            yield {"uri": unit["uri"], "fault": str(error), "unopened": True}
            return
        with raw:
            lined = Lined(raw)
            yield from self._found(lined, unit)
            if lined.has_long_line:
                yield {"uri": unit["uri"], "fault": lines.FAULT, "unopened": False}

    def _found(self, raw: Any, unit: Plain) -> Iterator[Plain]:
        uri, ranged = unit["uri"], unit["ranged"]
        try:
            if ranged or files.is_log(_head(raw), uri, unit["named"]):
                found = files.part(raw, uri, unit["start"], unit["end"], _WISH)
            else:
                found = files.whole(raw, uri, not unit["named"], wish=_WISH)
            yield from self._read(found, ranged)
        except Exception as error:  # noqa: BLE001, a fault in one file is recorded in its row
            yield {"uri": uri, "fault": f"reading failed ({error!r})"[:1000], "unopened": False}

    def _read(self, found: files.Seen, ranged: bool) -> Iterator[Plain]:
        faults: list[UnreadableError] = []
        seen = _in_bursts(_sightings(found, faults))
        # a document that is read in ranges is grouped later
        waits = ranged and self._wait
        for one in seen if waits else rows.identified(seen):
            yield self._row(one, waits)
        for fault in faults:
            yield {"uri": fault.where, "fault": said(fault), "unopened": False}

    def _row(self, one: Seen, waits: bool) -> Plain:
        row, digest = one.row, one.told.digest
        if waits:
            row |= {"address": one.address, "actors": one.actors}
        if digest in self._told and not self._tell_all:
            return row
        if len(self._told) > _MOST_TOLD:
            self._told.clear()
        self._told.add(digest)
        return {**row, "told": one}


def _head(raw: files.Opened) -> bytes:
    head = raw.read(encoding.HEAD)
    raw.seek(0)
    return head


def _sightings(found: files.Seen, faults: list[UnreadableError]) -> Iterator[Sighting]:
    """Yield the sightings. Faults are collected, bug reports without a report are skipped."""
    for one in found:
        if isinstance(one, UnreadableError):
            faults.append(one)
        elif isinstance(one, Sighting):
            yield one


def _in_bursts(found: Iterator[Sighting]) -> Iterator[Seen]:
    """Convert sightings to rows in bursts, for CPU cache locality.

    Many bytes are scanned between two sightings, which evicts the conversion code and data from the
    caches.
    """
    some: list[Sighting] = []
    try:
        for one in found:
            some.append(one)
            if len(some) == _BURST:
                yield from map(rows.seen, some)
                some = []
    except Exception:  # keep the rows before the fault
        yield from map(rows.seen, some)
        raise
    yield from map(rows.seen, some)


def said(fault: UnreadableError) -> str:
    """The message of a fault without its URI, which has its own column."""
    return f"{fault.what}; {fault.do}" if fault.do else fault.what
