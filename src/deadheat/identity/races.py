"""From the reports of one document to races, and from many documents to lasting ids.

The map side sees one document and names each of its reports by a *node*: fingerprint, callers, and
which twin it is. The reduce side sees nodes and says which of them are one race.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from deadheat.identity import twins
from deadheat.identity.components import Components
from deadheat.identity.evidence import Links, Mark, keys
from deadheat.identity.fingerprint import digest

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from deadheat.identity.stacks import Chain

# more calls of one pair of functions than this are not compared with one another
_MOST = 64


class Node(NamedTuple):
    """The finest name that a report has; several may be one race."""

    fingerprint: str
    called: str  # by whom, on both sides
    twin: int = 0

    @property
    def id(self) -> str:
        return digest(f"{self.fingerprint} {self.called} {self.twin}")

    @property
    def base(self) -> str:
        """The race's id where nothing shows that callers matter."""
        return digest(f"{self.fingerprint} {self.twin}") if self.twin else self.fingerprint


class Found(NamedTuple):
    """What one document tells the reduce side."""

    nodes: tuple[Node, ...]  # one for each report, in their order
    links: frozenset[tuple[str, str]]  # ids of nodes that are one race
    aliases: frozenset[tuple[str, str]]  # id of a node, and one that it is if that one exists
    split: frozenset[str]  # fingerprints whose callers race for different things


class Document:
    """The reports of one document, as far as identity goes; a batch of a long one will do."""

    def __init__(self) -> None:
        self._seen: list[tuple[Mark, str | None, int]] = []

    def add(self, mark: Mark, lane: str | None, address: int) -> None:
        """Takes a report; the address is 0 where the detector gave none."""
        self._seen.append((mark, lane, address))

    def found(self) -> Found:
        ranks = self._ranks()
        nodes = tuple(
            Node(m.fingerprint, m.called(), ranks.get((m.fingerprint, lane, m.chains()), 0))
            for m, lane, _ in self._seen
        )
        links = frozenset(self._links(nodes))
        return Found(nodes, links, frozenset(self._aliases(nodes)), self._split(nodes, links))

    def _ranks(self) -> dict[tuple[str, str | None, tuple[Chain, ...]], int]:
        """The twins among the reports of one fingerprint."""
        places: dict[tuple[str, str | None], dict[tuple[tuple[Chain, ...], int], None]] = {}
        for m, lane, address in self._seen:
            if len(m.sides) == 2 and address:
                places.setdefault((m.fingerprint, lane), {})[m.chains(), address] = None
        return {
            (name, lane, lines): rank
            for (name, lane), seen in places.items()
            if len(seen) > 1
            for lines, rank in twins.ranks(seen).items()
            if rank
        }

    def _links(self, nodes: tuple[Node, ...]) -> Iterator[tuple[str, str]]:
        links = Links()
        for node, (m, lane, address) in zip(nodes, self._seen, strict=True):
            for other in links.add(node.id, lane, keys(m, address)):
                yield min(node.id, other), max(node.id, other)

    def _aliases(self, nodes: tuple[Node, ...]) -> Iterator[tuple[str, str]]:
        for node, (m, _, _) in zip(nodes, self._seen, strict=True):
            for called in m.aliases() - {node.called}:
                yield node.id, node._replace(called=called).id

    def _split(self, nodes: tuple[Node, ...], links: Iterable[tuple[str, str]]) -> frozenset[str]:
        """Fingerprints with two objects in one process, reached by different callers on both sides."""
        joined = Components()
        for a, b in links:
            joined.join(a, b)
        ways: dict[tuple[str, str | None], dict[str, tuple[list[str], int]]] = {}
        for node, (m, lane, address) in zip(nodes, self._seen, strict=True):
            known = ways.setdefault((node.base, lane), {})
            if address and len(m.sides) == 2 and len(known) < _MOST:
                known.setdefault(joined.root(node.id), ([s.callers[0] for s in m.sides], address))
        return frozenset(name for (name, _), known in ways.items() if _differ([*known.values()]))


def _differ(known: list[tuple[list[str], int]]) -> bool:
    """Do two of these have nothing in common: neither a caller nor the address?"""
    return any(
        at != other_at and all(a and b for a, b in zip(called, others, strict=True))
        and not set(called) & set(others)
        for number, (called, at) in enumerate(known)
        for others, other_at in known[:number]
    )  # fmt: skip


def ids(
    nodes: Iterable[Node],
    links: Iterable[tuple[str, str]],
    aliases: Iterable[tuple[str, str]] = (),
    split: frozenset[str] | set[str] = frozenset(),
    oldest: Mapping[str, object] | None = None,
) -> dict[str, str]:
    """The race of every node, by the node's id.

    A race goes by the name of its oldest fingerprint. `oldest` gives, by node, something to compare,
    smaller for older; where nothing is known of age the smallest name is taken, so that neither
    order nor batches change anything.
    """
    known = {node.id: node for node in nodes}
    components = Components()
    for name, node in known.items():
        components.join(name, name if node.base in split else f"{node.base}.")
    for a, b in links:
        components.join(a, b)
    for a, b in aliases:
        if b in known:
            components.join(a, b)
    return _named(known, components, oldest or {})


def _named(
    known: Mapping[str, Node], components: Components, oldest: Mapping[str, object]
) -> dict[str, str]:
    """Every component goes by its oldest node: by that one's base, if no older node has the same."""
    age = {name: (name not in oldest, oldest.get(name, ""), name) for name in known}
    claimed: dict[str, str] = {}
    names: dict[str, str] = {}
    for name in sorted(known, key=age.__getitem__):
        base = known[name].base
        first = claimed.setdefault(base, name) == name
        names.setdefault(components.root(name), base if first else name)
    return {name: names[components.root(name)] for name in known}
