"""From the reports of one document to races, and from many documents' links to lasting ids."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deadheat.identity import twins
from deadheat.identity.components import Components
from deadheat.identity.evidence import Links, Mark, keys, mark
from deadheat.identity.fingerprint import digest

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from deadheat.identity.stacks import Chain

__all__ = ["Document", "Mark", "ids", "mark", "twin"]


class Document:
    """The reports of one document, as far as identity goes; a batch of a long one will do."""

    def __init__(self) -> None:
        self._seen: list[tuple[Mark, str | None, tuple[int, ...]]] = []

    def add(self, mark: Mark, lane: str | None, addresses: Sequence[str | None]) -> None:
        """Takes a report; an address for each access, None where the detector gave none."""
        self._seen.append((mark, lane, tuple(int(a, 16) if a else 0 for a in addresses)))

    def races(self) -> list[str]:
        """The race of each report, in the order in which they were added.

        It is the fingerprint, but for twins: the second is named after the first.
        """
        ranks = self._ranks()
        if not ranks:
            return [m.fingerprint for m, _, _ in self._seen]
        return [
            twin(m.fingerprint, ranks.get((m.fingerprint, lane, m.chains()), 0))
            for m, lane, _ in self._seen
        ]

    def _ranks(self) -> dict[tuple[str, str | None, tuple[Chain, ...]], int]:
        places: dict[tuple[str, str | None], dict[tuple[Mark, int], None]] = {}
        for m, lane, addresses in self._seen:
            if len(m.sides) == 2 and addresses[0]:
                places.setdefault((m.fingerprint, lane), {})[m, addresses[0]] = None
        return {
            (name, lane, lines): rank
            for (name, lane), seen in places.items()
            if len(seen) > 1
            for lines, rank in twins.ranks((m.chains(), at) for m, at in seen).items()
            if rank
        }

    def links(self, races: Sequence[str]) -> set[tuple[str, str]]:
        """Which of these races are one, going by addresses and calls."""
        found: set[tuple[str, str]] = set()
        links = Links()
        for race, (m, lane, addresses) in zip(races, self._seen, strict=True):
            others = links.add(race, lane, keys(m, addresses))
            found.update((min(race, other), max(race, other)) for other in others)
        return found


def twin(fingerprint: str, rank: int) -> str:
    """The id of the race with this fingerprint, or of one that only its lines tell from it."""
    return digest(f"{fingerprint} {rank}") if rank else fingerprint


def ids(
    races: Iterable[str],
    links: Iterable[tuple[str, str]],
    oldest: Mapping[str, object] | None = None,
) -> dict[str, str]:
    """Every race with the id it goes by: that of the oldest one that it is linked to.

    `oldest` gives something to compare by, smaller for older; where nothing is known of age, the
    smallest id is taken, so that neither order nor batches change anything.
    """
    components = Components()
    for race in races:
        components.add(race)
    for a, b in links:
        components.join(a, b)
    roots = components.roots()
    if not oldest:
        return roots
    eldest: dict[str, str] = {}
    for race in sorted(roots):
        best = eldest.get(root := roots[race])
        if best is None or _age(race, oldest) < _age(best, oldest):
            eldest[root] = race
    return {race: eldest[root] for race, root in roots.items()}


def _age(race: str, oldest: Mapping[str, object]) -> tuple[bool, object]:
    return race not in oldest, oldest.get(race, "")
