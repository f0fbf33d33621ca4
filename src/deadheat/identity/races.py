"""From many documents to lasting ids: which of their nodes are one race, and what it is called.

A *node* is the finest name that a report has: fingerprint, callers, and which twin it is. `document`
names the reports of one document; here nobody sees a report.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from deadheat.identity.components import Components
from deadheat.identity.evidence import UNSURE, halves, looked_through
from deadheat.identity.fingerprint import digest
from deadheat.identity.names import ANSWERS, ASKS, HALF
from deadheat.identity.placing import place, unsure

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from deadheat.identity.evidence import Mark

# who answers may have asked, too: what it was told may make it one with the others who answer
ROUNDS: Final = 2


class Node(NamedTuple):
    """The finest name that a report has; several may be one race."""

    fingerprint: str
    called: str  # by whom, on both sides
    twin: int = 0
    unsure: str = ""  # what makes its number doubtful, as one name

    @property
    def id(self) -> str:
        return id_of(*self)

    @property
    def base(self) -> str:
        """The race's id where nothing shows that callers matter."""
        return base_of(self.fingerprint, self.twin)


def id_of(fingerprint: str, called: str, twin: int, unsure: str = "") -> str:
    # both are digests already
    name = f"{fingerprint[:8]}{called[:8]}{twin:x}" if twin else f"{fingerprint[:8]}{called[:8]}"
    return f"{name}{UNSURE}{unsure}" if unsure else name


def base_of(fingerprint: str, twin: int) -> str:
    return digest(f"{fingerprint} {twin}") if twin else fingerprint


@dataclass(frozen=True, slots=True)
class Found:
    """What one document tells the reduce side, and what several tell together."""

    nodes: dict[str, Node]  # by their ids
    links: set[tuple[str, str]]  # ids of nodes that are one race, or of one and a name that it has
    # id of a node, and of one that it is, if that one exists; or what it asks for and answers to
    aliases: set[tuple[str, str]]
    split: set[str]  # fingerprints whose callers race for different things
    # id of a node, and its sides with those that called them, from which more aliases follow
    sides: set[tuple[str, str]] = field(default_factory=set)

    def add(self, other: Found) -> None:
        self.nodes.update(other.nodes)
        self.links.update(other.links)
        self.aliases.update(other.aliases)
        self.split.update(other.split)
        self.sides.update(other.sides)

    def forget(self, names: set[str]) -> None:
        """Takes back what was told of these nodes."""
        for name in names:
            del self.nodes[name]
        for pairs in (self.links, self.aliases, self.sides):
            pairs.difference_update([pair for pair in pairs if pair[0] in names])

    def rename(self, known: Mapping[str, str], ids: list[str]) -> list[str]:
        """Tells the same of nodes that are doubtful by now, and gives their names in place of `ids`."""
        for name, doubtful in known.items():
            self.nodes[doubtful] = self.nodes.pop(name)._replace(
                unsure=doubtful.partition(UNSURE)[2]
            )
        for pairs in (self.links, self.aliases, self.sides):
            told = [pair for pair in pairs if pair[0] in known or pair[1] in known]
            pairs.difference_update(told)
            pairs.update([(known.get(a, a), known.get(b, b)) for a, b in told])
        return [known.get(name, name) for name in ids]

    def __reduce__(self) -> tuple[Any, ...]:
        # from worker to worker: a node's id follows from the node, and a tuple is soon packed
        nodes = [(*node,) for node in self.nodes.values()]
        return _unpacked, (nodes, self.links, self.aliases, self.split, self.sides)

    def every_alias(self) -> set[tuple[str, str]]:
        """The aliases, together with those that follow from the sides of nodes.

        These are many and mostly of no use, so they are not made before somebody asks.
        """
        told = self.aliases_by_node()
        return {(name, other) for name, others in told.items() for other in others}

    def aliases_by_node(self, known: Mapping[str, Alias] | None = None) -> dict[str, list[str]]:
        """The same by node, in their order; some may be `known`, by the sides that they follow from."""
        told = by_first(self.aliases)
        for name, sides in self.sides:
            node, others = (known.get(sides) if known else None) or ("", [])
            if node != name:
                others = aliases_of(self.nodes[name], sides)
            told[name] = sorted({*told[name], *others}) if name in told else others
        return told


# a node's id, and what it may be called besides
Alias = tuple[str, list[str]]


def alias(mark: Mark) -> Alias:
    """What follows from the sides of a report that is the first of its twins."""
    node = Node(mark.fingerprint, mark.called)
    return node.id, aliases_of(node, mark.told)


def aliases_of(node: Node, told: str) -> list[str]:
    """What a node with these sides is if callers are mere wrappers, and what it answers, in order."""
    fingerprint, called, twin, _ = node
    through = {id_of(fingerprint, o, twin) for o in looked_through(told) if o != called}
    return sorted([*through, *[f"{ANSWERS}{side}" for side in halves(told)]])


def by_first(pairs: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    """What stands with each name, in its order."""
    told: dict[str, list[str]] = {}
    for a, b in pairs:
        told.setdefault(a, []).append(b)
    for others in told.values():
        others.sort()
    return told


def _unpacked(nodes: list[tuple[str, str, int, str]], *others: set[Any]) -> Found:
    return Found({id_of(*node): Node(*node) for node in nodes}, *others)


def nothing() -> Found:
    return Found({}, set(), set(), set())


def _looked_through(
    nodes: Mapping[str, Node], sides: Iterable[tuple[str, str]]
) -> Iterator[tuple[str, str]]:
    """What nodes are called if some of their callers are mere wrappers."""
    for name, told in sides:
        fingerprint, called, twin, _ = nodes[name]
        for other in looked_through(told) - {called}:
            yield name, id_of(fingerprint, other, twin)


def _halves(sides: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """What nodes with two sides answer to those that show one."""
    for name, told in sides:
        for side in halves(told):
            yield name, f"{ANSWERS}{side}"


def ids(found: Found, oldest: Mapping[str, object] | None = None) -> dict[str, str]:
    """The race of every node, by the node's id.

    A race goes by the name of its oldest fingerprint. `oldest` gives, by node, something to compare,
    smaller for older; where nothing is known of age the smallest name is taken, so that neither
    order nor batches change anything.
    """
    components = Components()
    first: dict[str, str] = {}
    doubted, lent = unsure(found)
    for name, node in found.nodes.items():
        base = node.base
        if base not in found.split and name not in doubted and name not in lent:
            other = first.setdefault(base, name)
            if other is not name:
                components.join(other, name)
    for a, b in found.links:
        components.join(a, b)
    heard = _heard(found)
    # what is left out must be known, as far as it can be, before others are counted
    for a, b in _answered(heard, components) if doubted or lent else ():
        components.join(a, b)
    moved = place(found, doubted, lent, first, components)
    # where callers do not matter, nodes with other callers are one race already
    apart = [(name, told) for name, told in found.sides if found.nodes[name].base in found.split]
    for a, b in (*found.aliases, *_looked_through(found.nodes, apart)):
        if b in found.nodes and a not in moved:
            components.join(a, b)
    for _ in range(ROUNDS if heard else 0):
        for a, b in _answered(heard, components):
            components.join(a, b)
    return _named(found.nodes, components, oldest or {})


def _heard(found: Found) -> dict[str, list[str]]:
    """Who asks, and everybody who answers."""
    asks = [(name, key[1:]) for name, key in found.aliases if key[0] == ASKS]
    if not asks:
        return {}
    answers: dict[str, list[str]] = {key: [] for _, key in asks}
    is_half = any(key.startswith(HALF) for key in answers)
    for name, key in (*found.aliases, *(_halves(found.sides) if is_half else ())):
        if key[0] == ANSWERS and key[1:] in answers:
            answers[key[1:]].append(name)
    heard: dict[str, list[str]] = {}
    for name, key in asks:
        if answers[key]:
            heard.setdefault(name, []).extend(answers[key])
    return heard


def _answered(heard: Mapping[str, list[str]], components: Components) -> list[tuple[str, str]]:
    """Who asks, and one node of the only race that answers, as far as is known by now."""
    return [
        (name, others[0])
        for name, others in heard.items()
        if len({components.root(other) for other in others}) == 1
    ]


def _named(
    known: Mapping[str, Node], components: Components, oldest: Mapping[str, object]
) -> dict[str, str]:
    """Every component goes by its oldest node: by that one's base, if no older node has the same."""
    age = {name: (name not in oldest, oldest.get(name, ""), name) for name in known if oldest}
    claimed: dict[str, str] = {}
    names: dict[str, str] = {}
    for name in sorted(known, key=age.__getitem__ if oldest else None):
        base = known[name].base
        first = claimed.setdefault(base, name) == name
        names.setdefault(components.root(name), base if first else name)
    return {name: names[components.root(name)] for name in known}
