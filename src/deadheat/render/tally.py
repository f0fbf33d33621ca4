"""Counts sightings per race in bounded memory and keeps one rendered example of each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from deadheat.model import Report
from deadheat.render.ledger import PLACES, Entry, Ledger, joined
from deadheat.render.shelf import Shelf

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from deadheat.model import Document, Sighting

# beyond this a worker may send an example again, and counts are written to a file
_MOST: Final = 1 << 16
# three times faster than calling the NamedTuple class
_new: Final = tuple.__new__
# between the title and the body of an example
_BODY: Final = b"\n"

# count of a race in one process since the last batch: sightings, locations, damage of the example, and
# the example, or None if a good one was sent before; a tuple, because it is made for every sighting
Count = tuple[int, list[str], int, bytes | None]


def example(title: str, body: bytes) -> bytes:
    """Encodes the title and the body of an example."""
    return title.replace("\n", " ").encode("utf-8", "replace") + _BODY + body


class Tallied(NamedTuple):
    """A race with its number of sightings and their first locations."""

    title: str
    body: bytes
    seen: int
    places: list[str]
    race: str


class TallyGatherer:
    """Counts sightings in a worker. `render` is called once per race, not once per sighting.

    The example does not contain the race id, which is known only at the end.
    """

    def __init__(self, render: Callable[[Sighting], bytes]) -> None:
        self._render = render
        self._counts: dict[str, Count] = {}
        self._sent: dict[str, int] = {}

    def add(self, sighting: Sighting) -> None:
        race = sighting.verdict.race
        seen, places, least, example = self._counts.get(race) or self._first(race)
        if len(places) < PLACES:
            # a file name may contain a newline
            uri = sighting.uri.replace("\n", "?")
            places.append(f"{uri} at byte {sighting.span.offset}")
        # the least damaged report becomes the example
        if least and (damage := _flaws(sighting)) < least:
            least, example = damage, self._render(sighting)
        self._counts[race] = seen + 1, places, least, example

    def tell(self, document: Document) -> None:
        """Does nothing: the examples contain the claims."""

    def _first(self, race: str) -> Count:
        return 0, [], self._sent.get(race, 1 << 30), None

    def pack(self) -> dict[str, Count]:
        packed, self._counts = self._counts, {}
        if len(self._sent) > _MOST:
            self._sent.clear()
        self._sent.update((race, count[2]) for race, count in packed.items())
        return packed


def _flaws(sighting: Sighting) -> int:
    """How unsuitable a report is as an example: damage first, then a missing access."""
    # a report that is parsed lazily is undamaged
    if not isinstance(sighting.told, Report):
        return 0
    return 2 * len(sighting.told.damage) + (len(sighting.told.accesses) < 2)


class Tally:
    """Merges the counts of all workers, for any number of races."""

    def __init__(self, most: int = _MOST) -> None:
        self._most = most
        self._examples = Shelf()
        self._known: dict[str, Entry] = {}  # by variant; by race after `assign_races`
        self._ledger: Ledger | None = None
        self._order = 0

    def merge(self, counts: dict[str, Count]) -> None:
        for node, (seen, places, damage, example) in counts.items():
            self._order += 1
            at = size = 0
            if example is not None:
                at, size = self._examples.put(example), len(example)
            entry = Entry(node, self._order, seen, damage, "\n".join(places), at, size)
            known = self._known.get(node)
            if known is None:
                self._known[node] = entry
            else:
                known.add(entry)
        if len(self._known) > self._most:
            self._post()

    def _post(self) -> Ledger:
        self._ledger = self._ledger or Ledger()
        self._ledger.post(self._known.values())
        self._known = {}
        return self._ledger

    def name(self, ids: Mapping[str, str]) -> None:
        """Joins the variants of each race."""
        if self._ledger is not None:
            self._post().name(ids)
        else:
            self._known = joined(ids, self._known)

    def totals(self) -> tuple[int, int]:
        """The number of races and of sightings."""
        if self._ledger is not None:
            return self._ledger.totals()
        return len(self._known), sum(known.seen for known in self._known.values())

    def races(self) -> Iterator[Tallied]:
        """Yields every race with its least damaged example, most sightings first."""
        for race, known in self._ledger.races() if self._ledger is not None else self._ranked():
            example = self._examples.get(known.at, known.size)
            title, _, body = example.partition(_BODY)
            places = known.places.split("\n")[:PLACES]
            yield _new(Tallied, (title.decode(), body, known.seen, places, race))
        self._examples.close()
        if self._ledger is not None:
            self._ledger.close()

    def _ranked(self) -> list[tuple[str, Entry]]:
        return sorted(self._known.items(), key=lambda known: known[1].rank)
