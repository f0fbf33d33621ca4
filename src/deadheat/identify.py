"""Gives sightings their races: within a batch of one run, and lastingly once all batches are in."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from deadheat.echo import Echo, Unread
from deadheat.identity import races
from deadheat.identity.evidence import Mark, actors, address, mark
from deadheat.model import Report, Sighting, Verdict

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from deadheat.model import Told

# beyond this many nodes, callers are no longer looked through; beyond the second, nodes stay as they are
_MOST_ALIASED = 20_000
_MOST = 200_000


def named(sightings: Sequence[Sighting]) -> tuple[list[Sighting], races.Found]:
    """The sightings with the ids of their nodes as races, and what there is to tell of those.

    All sightings of one document should come in one batch: what shows that two are about one object
    is only seen within it.
    """
    document = races.Document()
    for sighting in sightings:
        known, at = _clues(sighting.told, sighting.verdict.fingerprint)
        lane = sighting.uri, sighting.span.lane
        document.add(known, lane, at, partial(_actors, sighting.told))
    nodes, found = document.found()
    return [in_race(*pair) for pair in zip(sightings, nodes, strict=True)], found


def resolved(sightings: Sequence[Sighting]) -> list[Sighting]:
    """The sightings with the races that they have if these are all there are."""
    if not sightings:
        return []
    nodes, found = named(sightings)
    ids = races.ids(found)
    return [in_race(sighting, ids[sighting.verdict.race]) for sighting in nodes]


def _clues(told: Report | Told, fingerprint: str) -> tuple[Mark, int]:
    if isinstance(told, Report):
        return mark(told, fingerprint), address(told)
    assert isinstance(told, Unread | Echo)
    notes = told.notes
    known = notes.get("mark")
    sketch = told.first.sketch if isinstance(told, Echo) else told.sketch
    if known is None:
        notes["mark"] = known = mark(sketch, fingerprint)
    if isinstance(told, Echo) and sketch.accesses[0].address is not None:
        return known, int(told.names[0], 16)
    return known, address(sketch)


def _actors(told: Report | Told) -> frozenset[str]:
    if isinstance(told, Report):
        return actors(told)
    assert isinstance(told, Unread | Echo)
    if isinstance(told, Unread):
        return actors(told.sketch)
    # an address begins with zeroes, the number of a goroutine does not; main has none
    numbers = (name.decode() for name in told.names if name[:1] != b"0")
    nameless = (name for name in actors(told.first.sketch) if not name.isdigit())
    return frozenset([*numbers, *nameless])


def in_race(sighting: Sighting, race: str) -> Sighting:
    """The sighting, said to be of that race."""
    verdict = sighting.verdict
    if verdict.race == race:
        return sighting
    told = sighting.told
    if not isinstance(told, Echo):
        changed = Verdict(verdict.title, verdict.fingerprint, race)
    else:  # the same verdict for all echoes
        known: dict[str, Verdict] = told.notes.setdefault("verdicts", {})
        if race not in known:
            known[race] = Verdict(verdict.title, verdict.fingerprint, race)
        changed = known[race]
    return Sighting(told, changed, sighting.uri, sighting.span, sighting.document)


class Identity:
    """What all documents of a run tell together."""

    def __init__(self) -> None:
        self.found = races.nothing()

    def add(self, found: races.Found) -> None:
        if len(self.found.nodes) > _MOST:
            return
        self.found.add(found)
        if len(self.found.nodes) > _MOST_ALIASED:
            self.found.aliases.clear()
            self.found.sides.clear()

    def ids(self) -> Mapping[str, str]:
        """The race of each node."""
        return races.ids(self.found)
