"""Decides over all documents which variants are one race, and assigns its lasting id.

A *variant* is the finest group of reports: fingerprint, callers and ordinal. `document` assigns the
variants; this module does not read reports.
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

# a provider may itself require a key; a second round joins it first
ROUNDS: Final = 2


class Node(NamedTuple):
    """The finest group of reports. Several variants may be one race."""

    fingerprint: str
    called: str  # digest of the callers of both sides
    twin: int = 0
    unsure: str = ""  # digest of what makes the ordinal ambiguous

    @property
    def id(self) -> str:
        return id_of(*self)

    @property
    def base(self) -> str:
        """The id of the race if callers do not distinguish variants."""
        return base_of(self.fingerprint, self.twin)


def id_of(fingerprint: str, called: str, twin: int, unsure: str = "") -> str:
    # both are digests already
    name = f"{fingerprint[:8]}{called[:8]}{twin:x}" if twin else f"{fingerprint[:8]}{called[:8]}"
    return f"{name}{UNSURE}{unsure}" if unsure else name


def base_of(fingerprint: str, twin: int) -> str:
    return digest(f"{fingerprint} {twin}") if twin else fingerprint


@dataclass(frozen=True, slots=True)
class Found:
    """The facts of one or more documents that decide which variants are one race."""

    nodes: dict[str, Node]  # by id
    links: set[tuple[str, str]]  # pairs of variant ids, or of a variant id and a shared name
    # variant id, and the id that it has if that variant exists, or a required or provided key
    aliases: set[tuple[str, str]]
    split: set[str]  # bases whose callers race for different objects
    # variant id and description of its sides; further aliases are derived from it
    sides: set[tuple[str, str]] = field(default_factory=set)

    def add(self, other: Found) -> None:
        self.nodes.update(other.nodes)
        self.links.update(other.links)
        self.aliases.update(other.aliases)
        self.split.update(other.split)
        self.sides.update(other.sides)

    def forget(self, names: set[str]) -> None:
        """Remove all facts about these variants."""
        for name in names:
            del self.nodes[name]
        for pairs in (self.links, self.aliases, self.sides):
            pairs.difference_update([pair for pair in pairs if pair[0] in names])

    def rename(self, known: Mapping[str, str], ids: list[str]) -> list[str]:
        """Rename variants to their ambiguous ids, and return the new ids of the reports."""
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
        # variant ids can be computed, and plain tuples are pickled faster
        nodes = [(*node,) for node in self.nodes.values()]
        return _unpacked, (nodes, self.links, self.aliases, self.split, self.sides)

    def every_alias(self) -> set[tuple[str, str]]:
        """All aliases, including those derived from the descriptions.

        They are many and rarely needed, so they are computed on demand.
        """
        told = self.aliases_by_node()
        return {(name, other) for name, others in told.items() for other in others}

    def aliases_by_node(self, known: Mapping[str, Alias] | None = None) -> dict[str, list[str]]:
        """The sorted aliases by variant. `known` caches derived aliases by description."""
        told = by_first(self.aliases)
        for name, sides in self.sides:
            node, others = (known.get(sides) if known else None) or ("", [])
            if node != name:
                others = aliases_of(self.nodes[name], sides)
            told[name] = sorted({*told[name], *others}) if name in told else others
        return told


# a variant id, and its derived aliases
Alias = tuple[str, list[str]]


def alias(mark: Mark) -> Alias:
    """The derived aliases of the variant with ordinal 0."""
    node = Node(mark.fingerprint, mark.called)
    return node.id, aliases_of(node, mark.told)


def aliases_of(node: Node, told: str) -> list[str]:
    """The ids of a variant if callers are wrappers, and the keys that it provides, sorted."""
    fingerprint, called, twin, _ = node
    through = {id_of(fingerprint, o, twin) for o in looked_through(told) if o != called}
    return sorted([*through, *[f"{ANSWERS}{side}" for side in halves(told)]])


def by_first(pairs: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    """The sorted second elements by first element."""
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
    """The ids of variants if some of their callers are wrappers."""
    for name, told in sides:
        fingerprint, called, twin, _ = nodes[name]
        for other in looked_through(told) - {called}:
            yield name, id_of(fingerprint, other, twin)


def _halves(sides: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """The keys that two-sided variants provide for one-sided ones."""
    for name, told in sides:
        for side in halves(told):
            yield name, f"{ANSWERS}{side}"


def ids(found: Found, oldest: Mapping[str, object] | None = None) -> dict[str, str]:
    """Return the race of every variant by variant id.

    A race is named after its oldest fingerprint. `oldest` gives an age by variant id, smaller is
    older. Without an age the smallest name is taken, so the result does not depend on order or
    batches.
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
    # omitted functions must be resolved before ordinals are compared
    for a, b in _answered(heard, components) if doubted or lent else ():
        components.join(a, b)
    moved = place(found, doubted, lent, first, components)
    # otherwise variants with other callers are one race already
    apart = [(name, told) for name, told in found.sides if found.nodes[name].base in found.split]
    for a, b in (*found.aliases, *_looked_through(found.nodes, apart)):
        if b in found.nodes and a not in moved:
            components.join(a, b)
    for _ in range(ROUNDS if heard else 0):
        for a, b in _answered(heard, components):
            components.join(a, b)
    return _named(found.nodes, components, oldest or {})


def _heard(found: Found) -> dict[str, list[str]]:
    """The variants that require a key, with all variants that provide it."""
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
    """Pairs of a requiring variant and one variant of the only race that provides the key."""
    return [
        (name, others[0])
        for name, others in heard.items()
        if len({components.root(other) for other in others}) == 1
    ]


def _named(
    known: Mapping[str, Node], components: Components, oldest: Mapping[str, object]
) -> dict[str, str]:
    """Name each component after its oldest variant: by its base, if no older variant has that base."""
    age = {name: (name not in oldest, oldest.get(name, ""), name) for name in known if oldest}
    claimed: dict[str, str] = {}
    names: dict[str, str] = {}
    for name in sorted(known, key=age.__getitem__ if oldest else None):
        base = known[name].base
        first = claimed.setdefault(base, name) == name
        names.setdefault(components.root(name), base if first else name)
    return {name: names[components.root(name)] for name in known}
