"""The scan itself, for all commands that do one: units, workers, progress and faults."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from deadheat import cli, identify
from deadheat.cli import workers
from deadheat.cli.progress import Progress
from deadheat.echo import Echo
from deadheat.errors import UnreadableError
from deadheat.feeds import files, walk
from deadheat.identity import races
from deadheat.model import Document, Sighting

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from deadheat.render import Gatherer, Output

# below this, forking costs more than it saves
_WORTH_FORKING = 1 << 24
# sightings per batch, and how many of them may be other than duplicates
_BATCH, _HEAVY = 4096, 128


@dataclass(frozen=True, slots=True)
class Ways:
    """Options of a scan."""

    wish: files.Wish
    jobs: int | None = None  # one per core
    quiet: bool = False


class _Batch:
    """Sightings and documents that are collected together, with a bound on memory."""

    def __init__(self) -> None:
        self.held: list[Sighting | Document] = []
        self._heavy = 0

    def add(self, seen: Sighting | Document) -> bool:
        """Adds an item; returns whether the batch is full."""
        self.held.append(seen)
        if type(seen) is not Sighting or type(seen.told) is not Echo:
            self._heavy += isinstance(seen, Sighting)
        return self.is_full

    @property
    def is_full(self) -> bool:
        return len(self.held) >= _BATCH or self._heavy >= _HEAVY

    @property
    def is_written(self) -> bool:
        """Whether the first item is a bug report."""
        return isinstance(self.held[0], Document)

    def taken(self) -> list[Sighting | Document]:
        held, self.held, self._heavy = self.held, [], 0
        return held


class Scan:
    """One scan of some entries; unreadable ones are reported first."""

    def __init__(
        self,
        entries: Iterable[walk.Entry | UnreadableError],
        gatherer: Gatherer,
        output: Output,
        ways: Ways,
    ) -> None:
        self._gatherer, self._output, self._ways = gatherer, output, ways
        self.identity = identify.Identity()
        self._faults = self.sightings = self._read = 0
        self._placed = "", 0  # document, and how many of its locations were sent
        found = list(entries)
        self._first_faults = [f for f in found if isinstance(f, UnreadableError)]
        readable = [e for e in found if isinstance(e, walk.Entry)]
        total = sum(e.size or 0 for e in readable)
        self._jobs = (ways.jobs or _cores()) if total > _WORTH_FORKING else 1
        # units do not depend on the number of workers, and so neither does the result
        self._units = [unit for entry in readable for unit in files.units(entry)]
        sizes = [e.size for e in readable]
        whole = None if None in sizes else total
        self._progress = Progress(whole, wanted=False if ways.quiet else None)

    def run(self) -> None:
        for fault in self._first_faults:
            self._fault(fault)
        for kind, value in workers.run(len(self._units), self._jobs, self._work):
            if kind == "fault":
                self._fault(value)
            elif kind == "tick":
                self._progress.tick(value)
            elif kind == "read":
                self._read += 1
            else:
                count, packed, found, places = value
                self.sightings += count
                self._progress.found = self.sightings
                self.identity.add(found, places)
                (self._output.live if kind == "live" else self._output.merge)(packed)
        self.identity.close()

    def _work(self, index: int, forked: bool) -> Iterator[tuple[str, Any]]:
        """Yields the results of one unit in batches; runs in a worker or in this process."""
        unit = self._units[index]
        live = self._ways.wish.live and unit.entry.size is None
        wish = self._ways.wish._replace(live=live)
        tick = None if forked else self._progress.tick
        part = unit.start > 0 or unit.end is not None
        faults, batch = 0, _Batch()
        try:
            for seen in files.sightings(unit, forked, tick, wish):
                if isinstance(seen, UnreadableError):
                    faults += 1
                    yield "fault", seen
                    continue
                # a bug report is not split over two batches
                if isinstance(seen, Document) and batch.is_full:
                    yield self._gathered(batch.taken(), live, part)
                if (batch.add(seen) or live) and not batch.is_written:
                    part = part or not live
                    yield self._gathered(batch.taken(), live, part)
        except KeyboardInterrupt:
            if batch.held:  # keep what was found so far
                yield self._gathered(batch.taken(), live, part)
            raise
        if batch.held:
            yield self._gathered(batch.taken(), live, part)
        if not faults:
            yield "read", None
        if forked:
            yield "tick", unit.size

    def _gathered(
        self, batch: list[Sighting | Document], live: bool, part: bool
    ) -> tuple[str, Any]:
        """Collects a batch and computes the grouping evidence of its sightings."""
        seen = [s for s in batch if isinstance(s, Sighting)]
        uri = seen[0].uri if seen else ""
        # each worker gets the parts of a document in order
        sent = self._placed[1] if self._placed[0] == uri else 0
        sightings, found, places = identify.named(seen, part and sent < identify.MOST_PLACES)
        self._placed = uri, sent + len(places)
        if live:  # printed at once, before final ids are known
            sightings = [identify.in_race(s, found.nodes[s.verdict.race].base) for s in sightings]
            found = races.nothing()
        named = iter(sightings)
        for one in batch:
            if isinstance(one, Document):
                self._gatherer.tell(one)
            else:
                self._gatherer.add(next(named))
        return "live" if live else "found", (len(sightings), self._gatherer.pack(), found, places)

    def _fault(self, fault: UnreadableError) -> None:
        self._faults += 1
        if not self._ways.quiet:
            self._progress.clear()
            cli.complain(str(fault))

    def clear(self) -> None:
        """Erases the progress line."""
        self._progress.clear()

    @property
    def failed(self) -> bool:
        """Whether no document could be read."""
        return bool(self._faults) and not self._read


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
