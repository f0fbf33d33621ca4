"""Assigns races to sightings, first within a batch, then across all batches of a run."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple

from deadheat.echo import Echo, Unread
from deadheat.identity import races
from deadheat.identity.document import Document
from deadheat.identity.evidence import actors, address, instructions, mark
from deadheat.identity.gist import gist
from deadheat.identity.links import Links
from deadheat.model import Report, Sighting, Verdict

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Sequence

    from deadheat.identity.evidence import Place
    from deadheat.identity.gist import Seen
    from deadheat.model import Told

# creates a named tuple three times as fast as its class, without defaults
_new: Final = tuple.__new__
# limits on the number of variants: up to the first, aliases are kept; above the second, variants
# are packed into integers, a quarter of the size; above the third, no more are grouped
_MOST_ALIASED: Final = 20_000
_MOST_TUPLES: Final = 1 << 16
_MOST: Final = 150_000
# length of a fingerprint and of a caller digest, in hex digits
_DIGEST: Final = 16
# maximum number of observations compared across the parts of a document
MOST_PLACES: Final = 2_000


class Named(NamedTuple):
    """Sightings whose race is their variant id, and the facts to group these variants."""

    sightings: list[Sighting]
    found: races.Found
    places: list[Place]  # for a part of a document: compared with the other parts


def named(sightings: Sequence[Sighting], part: bool = False) -> Named:
    """Group the sightings of one batch.

    Pass all sightings of a document in one batch, because evidence for the same object is found
    only within a batch. If `is_part`, the observations are returned for comparison with the other
    parts.
    """
    seen = [_clues(sighting) for sighting in sightings]
    tellers = gist(seen)
    document = Document()
    for index, first in enumerate(tellers):
        if first == index:
            by = sightings[index].told
            document.add(*seen[index], partial(_actors, by), partial(_instructions, by))
    nodes, found = document.found()
    place = {index: at for at, index in enumerate(dict.fromkeys(tellers))}
    names = [nodes[place[first]] for first in tellers]
    told = [in_race(sighting, name) for sighting, name in zip(sightings, names, strict=True)]
    others = document.places(nodes, MOST_PLACES) if part else []
    return Named(told, found, _places(others, told, seen, tellers) if part else [])


def _places(
    places: list[Place], sightings: list[Sighting], seen: list[Seen], tellers: list[int]
) -> list[Place]:
    """Add observations of duplicates up to `MAX_OBSERVATIONS`."""
    known: set[tuple[int, int]] = set()
    for index, first in enumerate(tellers):
        if len(places) >= MOST_PLACES:
            break
        mark, lane, at = seen[index]
        if first != index and (first, at) not in known:
            known.add((first, at))
            by = partial(tuple, _instructions(sightings[index].told))
            places.append((sightings[index].verdict.race, mark, lane, at, by))
    return places


def resolved(sightings: Sequence[Sighting]) -> list[Sighting]:
    """Return the sightings with their races, assuming that there are no others."""
    if not sightings:
        return []
    nodes, found, _ = named(sightings)
    ids = races.ids(found)
    return [in_race(sighting, ids[sighting.verdict.race]) for sighting in nodes]


def _clues(sighting: Sighting) -> Seen:
    told = sighting.told
    lane = sighting.uri, sighting.span.lane
    if isinstance(told, Report):
        return mark(told, sighting.verdict.fingerprint), lane, address(told)
    notes = told.notes
    if isinstance(told, Echo):
        known, sketch = notes.get("mark"), told.first.sketch
        at = int(told.names[0], 16) if sketch.accesses[0].address is not None else address(sketch)
    else:
        assert isinstance(told, Unread)
        known, sketch = notes.get("mark"), told.sketch
        at = address(sketch)
    if known is None:
        notes["mark"] = known = mark(sketch, sighting.verdict.fingerprint)
    return known, lane, at


def _actors(told: Report | Told) -> frozenset[str]:
    if isinstance(told, Report):
        return actors(told)
    assert isinstance(told, Unread | Echo)
    if isinstance(told, Unread):
        return actors(told.sketch)
    # addresses start with zeros, goroutine numbers do not; the main goroutine has no number
    numbers = (name.decode() for name in told.names if name[:1] != b"0")
    nameless = (name for name in actors(told.first.sketch) if not name.isdigit())
    return frozenset([*numbers, *nameless])


def _instructions(told: Report | Told) -> tuple[str, ...]:
    if isinstance(told, Report):
        return instructions(told)
    assert isinstance(told, Unread | Echo)
    # duplicates have the same instructions
    known: tuple[str, ...] | None = told.notes.get("instructions")
    if known is None:
        sketch = told.first.sketch if isinstance(told, Echo) else told.sketch
        told.notes["instructions"] = known = instructions(sketch)
    return known


def in_race(sighting: Sighting, race: str) -> Sighting:
    """Return the sighting with this race."""
    verdict = sighting.verdict
    if verdict.race == race:
        return sighting
    told = sighting.told
    if not isinstance(told, Echo):
        changed: Verdict = _new(Verdict, (verdict[0], verdict[1], race))
    else:  # duplicates share one verdict
        known: dict[str, Verdict] | None = told.notes.get("verdicts")
        if known is None:
            told.notes["verdicts"] = known = {}
        found = known.get(race)
        if found is None:
            known[race] = found = Verdict(verdict.title, verdict.fingerprint, race)
        changed = found
    return _new(Sighting, (told, changed, *sighting[2:]))


class Identity:
    """Collects the grouping facts of all documents of a run."""

    def __init__(self) -> None:
        self._found = races.nothing()
        self._packed: set[int] = set()
        self._places: list[Place] = []  # of the parts of one document
        self._of: Hashable = None

    def add(self, found: races.Found, places: Sequence[Place] = ()) -> None:
        """Add the facts of a batch. The parts of a document must be added consecutively."""
        if len(self._found.nodes) + len(self._packed) > _MOST:
            return
        self._found.add(found)
        many = len(self._found.nodes) + len(self._packed)
        if many > _MOST_ALIASED:
            self._found.aliases.clear()
            self._found.sides.clear()
        if many > _MOST_TUPLES:
            self._pack([*(found if self._packed else self._found).nodes])
        for place in places:
            if (document := _document(place)) != self._of:
                self._join()
                self._of = document
            if len(self._places) < MOST_PLACES:
                self._places.append(place)

    def _join(self) -> None:
        """Link variants of the current document that concern the same object."""
        self._found.links.update(Links(self._places).pairs())
        self._places = []

    def close(self) -> None:
        """Finish after the last batch."""
        self._join()

    def _pack(self, names: list[str]) -> None:
        nodes = self._found.nodes
        for name in names:
            node = nodes[name]
            if not node.twin and not node.unsure:
                self._packed.add(int(f"{node.fingerprint}{node.called}", 16))
                del nodes[name]

    def _unpack(self) -> None:
        for number in self._packed:
            digits = f"{number:032x}"
            node = races.Node(digits[:_DIGEST], digits[_DIGEST:])
            self._found.nodes[node.id] = node
        self._packed.clear()

    @property
    def found(self) -> races.Found:
        """All facts so far."""
        self._unpack()
        return self._found

    def ids(self) -> Mapping[str, str]:
        """The race of each variant."""
        return races.ids(self.found)


def _document(place: Place) -> Hashable:
    lane = place[2]
    return lane[0] if isinstance(lane, tuple) else lane
