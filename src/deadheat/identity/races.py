"""From the reports of one document to races, and from many documents' links to lasting ids."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from deadheat import registry
from deadheat.identity import twins
from deadheat.identity.components import Components
from deadheat.identity.evidence import Links, Trait, traits
from deadheat.identity.fingerprint import digest, fingerprint, side

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from deadheat.model import Report


class Mark(NamedTuple):
    """What identity needs to know of a report, apart from its addresses."""

    fingerprint: str
    traits: tuple[Trait | None, ...]
    lines: tuple[int, ...]  # of the sites, the sides in the order of their names


def mark(report: Report) -> Mark:
    symbols = registry.dialect(report.detector).symbols
    sites = sorted((side(a, symbols), a.site.line or 0 if a.site else 0) for a in report.accesses)
    return Mark(fingerprint(report), traits(report), tuple(line for _, line in sites))


class Document:
    """The reports of one document, as far as identity goes; a batch of a long one will do."""

    def __init__(self) -> None:
        self._seen: list[tuple[Mark, str | None, Sequence[str | None]]] = []

    def add(self, mark: Mark, lane: str | None, addresses: Sequence[str | None]) -> None:
        self._seen.append((mark, lane, addresses))

    def races(self) -> list[str]:
        """The race of each report, in the order in which they were added.

        It is the fingerprint, but for twins: the second is named after the first.
        """
        ranks = self._ranks()
        out = []
        for mark, lane, _ in self._seen:
            rank = ranks.get((mark.fingerprint, lane, mark.lines), 0)
            out.append(twin(mark.fingerprint, rank))
        return out

    def _ranks(self) -> dict[tuple[str, str | None, tuple[int, ...]], int]:
        places: dict[tuple[str, str | None], list[tuple[tuple[int, ...], int]]] = {}
        for mark, lane, addresses in self._seen:
            if len(mark.lines) == 2 and (address := next(filter(None, addresses), None)):
                at = (mark.lines, int(address, 16))
                places.setdefault((mark.fingerprint, lane), []).append(at)
        return {
            (name, lane, lines): rank
            for (name, lane), seen in places.items()
            if len({lines for lines, _ in seen}) > 1
            for lines, rank in twins.ranks(seen).items()
        }

    def links(self, races: Sequence[str]) -> set[tuple[str, str]]:
        """Which of these races are one, going by their addresses."""
        found: set[tuple[str, str]] = set()
        links = Links()
        for race, (mark, lane, addresses) in zip(races, self._seen, strict=True):
            told = [(a, t) for a, t in zip(addresses, mark.traits, strict=False) if a and t]
            found.update((min(race, o), max(race, o)) for o in links.add(race, lane, told))
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
