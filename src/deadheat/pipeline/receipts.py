"""Plans an ingest: which files are new, grown or changed since they were ingested."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from deadheat.errors import DeadheatError, UnreadableError
from deadheat.feeds import files, places, walk
from deadheat.pipeline.units import Work
from deadheat.reading import REACH

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from deadheat.feeds.places import Listed
    from deadheat.feeds.runs import Run
    from deadheat.lake.tables import Lake

    Plain = dict[str, Any]

_PIECE = 4096
_READERS = 16
_COLUMNS = ("uri", "length", "modified_at", "head", "tail")


@dataclass(slots=True)
class Plan:
    """The files that a batch reads."""

    works: list[Work] = field(default_factory=list)
    receipts: dict[str, Plain] = field(default_factory=dict)
    kept: dict[str, int] = field(default_factory=dict)  # grown files: keep sightings before this offset
    changed: set[str] = field(default_factory=set)  # keep none
    faults: list[UnreadableError] = field(default_factory=list)
    known: int = 0

    @property
    def replaced(self) -> list[str]:
        """Files that were ingested before and are read again."""
        return sorted({*self.kept, *self.changed})

    def forget(self, uris: Iterable[str]) -> None:
        """Leave these files to a later ingest."""
        for uri in uris:
            self.receipts.pop(uri, None)
            self.kept.pop(uri, None)
            self.changed.discard(uri)

    @property
    def size(self) -> int:
        return sum(work.file.size - work.start for work in self.works)


def plan(lake: Lake, paths: Sequence[str], run_of: Callable[[str], Run]) -> Plan:
    """List all files below the paths, and read the ends of those that are new or changed."""
    planned = Plan()
    found: dict[str, Listed] = {}
    for one in places.listed(paths):
        if isinstance(one, UnreadableError):
            planned.faults.append(one)
        else:
            found[one.uri] = one
    before = _receipts(lake, found)
    fresh = [one for uri, one in found.items() if not _is_same(one, before.get(uri))]
    planned.known = len(found) - len(fresh)
    with ThreadPoolExecutor(_READERS) as readers:
        looks = readers.map(lambda one: _look(one, before.get(one.uri)), fresh)
        for one, look in zip(fresh, looks, strict=True):
            if isinstance(look, UnreadableError):
                planned.faults.append(look)
            else:
                _decide(planned, one, look, before.get(one.uri), run_of(one.uri))
    return planned


def _receipts(lake: Lake, wanted: dict[str, Listed]) -> dict[str, Plain]:
    """The rows of these files in the lake. The table may have millions of other rows."""
    if not lake.is_there:
        return {}
    return {
        row["uri"]: row
        for batch in lake.batches("files", _COLUMNS)
        for row in batch.to_pylist()
        if row["uri"] in wanted
    }


def _modified(file: Listed) -> datetime:
    return datetime.fromtimestamp(round(file.modified, 6), UTC)


def _is_same(file: Listed, receipt: Plain | None) -> bool:
    if receipt is None or receipt["length"] != file.size:
        return False
    return bool(receipt["modified_at"] == _modified(file))


@dataclass(frozen=True, slots=True)
class _Look:
    """The first and last bytes of a file, and of the part that was ingested."""

    head: bytes
    tail: bytes
    old_head: bytes = b""
    old_tail: bytes = b""


def _look(file: Listed, receipt: Plain | None) -> _Look | UnreadableError:
    try:
        with places.opened(file.path) as raw:
            head, tail = raw.read(_PIECE), _before(raw, file.size)
            if receipt is None or file.size < receipt["length"]:
                return _Look(head, tail)
            length = receipt["length"]
            return _Look(head, tail, head[:length], _before(raw, length))
    except OSError as error:
        return walk.unreadable(file.uri, error)
    except DeadheatError as error:
        return UnreadableError(error.what, file.uri, error.do)


def _before(raw: Any, end: int) -> bytes:
    raw.seek(max(0, end - _PIECE))
    return bytes(raw.read(min(end, _PIECE)))


def _decide(plan: Plan, file: Listed, look: _Look, receipt: Plain | None, run: Run) -> None:
    plan.receipts[file.uri] = {
        "uri": file.uri,
        "length": file.size,
        "modified_at": _modified(file),
        "head": _digest(look.head[: file.size]),
        "tail": _digest(look.tail),
    }
    start = 0
    can_be_cut = files.can_be_cut(look.head, file.uri)
    if receipt is not None:
        same = (receipt["head"], receipt["tail"]) == (
            _digest(look.old_head),
            _digest(look.old_tail),
        )
        if same and file.size == receipt["length"]:
            plan.changed.add(file.uri)  # touched, or changed in the middle
        elif same and can_be_cut:
            plan.kept[file.uri] = start = max(0, receipt["length"] - REACH)
        else:
            plan.changed.add(file.uri)
    plan.works.append(Work(file, run, start, can_be_cut))


def _digest(data: bytes) -> str:
    return blake2b(data, digest_size=16).hexdigest()
