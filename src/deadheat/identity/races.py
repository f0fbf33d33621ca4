"""From the reports of one document to races, and from many documents to lasting ids.

The map side sees one document and names each of its reports by a *node*: fingerprint, callers, and
which twin it is. The reduce side sees nodes and says which of them are one race.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from itertools import combinations, islice
from typing import TYPE_CHECKING, Any, NamedTuple

from deadheat.identity import twins
from deadheat.identity.borrowed import borrowed
from deadheat.identity.callers import Called, differ
from deadheat.identity.components import Components
from deadheat.identity.earlier import earlier
from deadheat.identity.evidence import UNSURE, Links, Mark, halves, looked_through
from deadheat.identity.fingerprint import digest
from deadheat.identity.halves import completed
from deadheat.identity.hidden import numbered
from deadheat.identity.names import (
    ANSWERS,
    ASKS,
    BESIDE,
    BORROWED,
    HALF,
    MAYBE,
    NAMED,
    WRITTEN,
)
from deadheat.identity.placing import lent, place, unsure

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping

    from deadheat.identity.evidence import Instructions, Place
    from deadheat.identity.hidden import Told as MapTold
    from deadheat.identity.stacks import Chain

    Actors = Callable[[], frozenset[str]]
    Shown = dict[str, list[int]]

_ASKS_HALF = f"{ASKS}{HALF}"
# who answers may have asked, too: what it was told may make it one with the others who answer
ROUNDS = 2
# more twins than this are not told apart by what comes earlier
_MOST_TWINS = 8
# more calls of one pair of functions than this are not compared with one another
_MOST = 64


class Node(NamedTuple):
    """The finest name that a report has; several may be one race."""

    fingerprint: str
    called: str  # by whom, on both sides
    twin: int = 0
    unsure: str = ""  # what makes its number doubtful, as one name

    @property
    def id(self) -> str:
        return _id(*self)

    @property
    def base(self) -> str:
        """The race's id where nothing shows that callers matter."""
        return _base(self.fingerprint, self.twin)


def _id(fingerprint: str, called: str, twin: int, unsure: str = "") -> str:
    # both are digests already
    name = f"{fingerprint[:8]}{called[:8]}{twin:x}" if twin else f"{fingerprint[:8]}{called[:8]}"
    return f"{name}{UNSURE}{unsure}" if unsure else name


def _base(fingerprint: str, twin: int) -> str:
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
        """Tells the same of nodes that have other names by now, and gives these in place of `ids`."""
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
        return self.aliases.union(_looked_through(self.nodes, self.sides), _halves(self.sides))


def _unpacked(nodes: list[tuple[str, str, int, str]], *others: set[Any]) -> Found:
    return Found({_id(*node): Node(*node) for node in nodes}, *others)


def nothing() -> Found:
    return Found({}, set(), set(), set())


class Document:
    """The reports of one document, as far as identity goes; a batch of a long one will do."""

    def __init__(self) -> None:
        self._seen: list[tuple[Mark, Hashable, int, Actors]] = []
        self._instructions: list[Instructions] = []

    def __len__(self) -> int:
        return len(self._seen)

    def add(
        self,
        mark: Mark,
        lane: Hashable,
        address: int,
        actors: Actors = frozenset,
        instructions: Instructions = tuple,
    ) -> None:
        """Takes a report; the address is 0 where the detector gave none.

        Few are asked who raced, and by which instructions.
        """
        self._seen.append((mark, lane, address, actors))
        self._instructions.append(instructions)

    def found(self) -> tuple[list[str], Found]:
        """The id of each report's node, in their order, and what else there is to tell."""
        self._complete()
        told = nothing()
        ids = []
        several = self._several()
        ranks = self._ranks(several) if several else {}
        shown = _numbers(ranks) if ranks else {}
        later = numbered(self._seen, ranks, shown) if shown else {}
        known: dict[tuple[int, int], str] = {}
        for m, lane, _, _ in self._seen:
            rank = ranks.get((m.fingerprint, lane, m.chains), 0) if ranks else 0
            if later and (id(m), lane) in later:
                ids.append(_tell_later(told, m, later[id(m), lane]))
                continue
            name = known.get((id(m), rank))
            if name is None:
                node = Node(m.fingerprint, m.called, rank)
                known[id(m), rank] = name = _id(*node)
                _tell(told, m, node, name, shown)
            ids.append(name)
        if len(told.nodes) > 1:
            if len({node.fingerprint for node in told.nodes.values()}) > 1:
                ids = self._doubted(ids, told, shown)
            told.links.update(self._links(ids))
            if shown:
                ids = _borrowed(told, ids, shown)
        if several:
            told.split.update(self._split(ids, told))
        return ids, told

    def _complete(self) -> None:
        """Completes reports that show one side only; which instruction the other is, nobody knows."""
        whole = completed(self._seen)
        if whole is not self._seen:
            pairs = zip(self._seen, whole, self._instructions, strict=True)
            self._instructions = [i if was[0] is now[0] else tuple for was, now, i in pairs]
            self._seen = whole

    def _doubted(self, ids: list[str], told: Found, shown: Shown) -> list[str]:
        """The ids, with a doubt about those of which the document shows something that comes earlier."""
        before = earlier(ids, self._seen)
        if not before:
            return ids
        sure: set[str] = set()
        final: list[str] = []
        for name, (m, lane, *_) in zip(ids, self._seen, strict=True):
            others = before.get((name, lane))
            node = told.nodes[name]
            if others and node.twin < _MOST_TWINS:
                final.append(_doubt(told, m, node, sorted(others), shown))
            else:
                sure.add(name)
                final.append(name)
        told.forget({*ids} - sure)
        return final

    def places(self, ids: list[str], most: int) -> list[Place]:
        """Where each node was, each place once: for who knows only a part of a document."""
        known = {
            (name, id(m), at): (name, m, lane, at, i) for name, m, lane, at, i in self._at(ids)
        }
        # they may go to another process, and what gives the instructions cannot
        return [
            (name, m, lane, at, partial(tuple, i()))
            for name, m, lane, at, i in islice(known.values(), most)
        ]

    def _at(self, ids: list[str]) -> list[Place]:
        seen = zip(ids, self._seen, self._instructions, strict=True)
        return [(name, m, lane, at, i) for name, (m, lane, at, _), i in seen]

    def _several(self) -> set[tuple[str, Hashable]]:
        """The fingerprints of which a lane has more than one report, echoes not counted."""
        first: dict[tuple[str, Hashable], Mark] = {}
        return {
            (m.fingerprint, lane)
            for m, lane, _, _ in self._seen
            if first.setdefault((m.fingerprint, lane), m) is not m
        }

    def _ranks(
        self, several: set[tuple[str, Hashable]]
    ) -> dict[tuple[str, Hashable, tuple[Chain, ...]], int]:
        """The twins among the reports of these fingerprints, those that are not the first."""
        marks = {(id(m), lane): m for m, lane, _, _ in self._seen}
        ways: dict[tuple[str, Hashable], set[tuple[Chain, ...]]] = {}
        for (_, lane), m in marks.items():
            if (m.fingerprint, lane) in several:
                ways.setdefault((m.fingerprint, lane), set()).add(m.chains)
        # where all go the same way there are none
        apart = {name for name, known in ways.items() if len(known) > 1}
        seen: dict[tuple[str, Hashable], list[twins.Seen]] = {}
        every = zip(self._seen, self._instructions, strict=True)
        for (m, lane, address, actors), instructions in every if apart else ():
            if 0 < len(m.sides) < 3 and address and (m.fingerprint, lane) in apart:
                one = (m, address, actors(), instructions)
                seen.setdefault((m.fingerprint, lane), []).append(one)
        return {
            (name, lane, lines): rank
            for (name, lane), places in seen.items()
            for lines, rank in twins.ranks(places).items()
            if rank
        }

    def _links(self, ids: list[str]) -> Iterator[tuple[str, str]]:
        yield from Links(self._at(ids)).pairs()
        yield from self._parts(ids)

    def _parts(self, ids: list[str]) -> Iterator[tuple[str, str]]:
        """Reports with a function left out, and the only race that the other one's line has."""
        if not any(s.hidden for m, *_ in self._seen for s in m.sides):
            return
        named = [(name, m, lane) for name, (m, lane, *_) in zip(ids, self._seen, strict=True)]
        whole: dict[tuple[Hashable, Chain], set[str]] = {}
        for name, m, lane in named:
            for written in () if m.is_part else m.writers:
                whole.setdefault((lane, written), set()).add(name)
        for name, m, lane in named:
            for written in m.writers if m.is_part else ():
                if len(others := whole.get((lane, written), set())) == 1:
                    yield name, min(others)

    def _split(self, ids: list[str], told: Found) -> set[str]:
        """Fingerprints with two objects in one process, reached by different callers on both sides."""
        joined = Components()
        for a, b in told.links:
            joined.join(a, b)
        ways: dict[tuple[str, Hashable], dict[str, tuple[Mark, int, Actors]]] = {}
        for name, (m, lane, address, actors) in zip(ids, self._seen, strict=True):
            known = ways.setdefault((told.nodes[name].base, lane), {})
            if address and 0 < len(m.sides) < 3 and len(known) < _MOST:
                known.setdefault(joined.root(name), (m, address, actors))
        split = {
            name
            for (name, _), known in ways.items()
            if len(known) > 1 and _any_differ(known.values())
        }
        return split | self._split_parts(ids, told, split, joined)

    def _split_parts(
        self, ids: list[str], told: Found, split: set[str], joined: Components
    ) -> set[str]:
        """Fingerprints with a function left out that are parts of different races."""
        names = zip(ids, (m.is_part for m, *_ in self._seen), strict=True)
        parts = {name for name, is_part in names if is_part}
        wholes: dict[str, set[str]] = {}  # by what they are joined with
        for name in set(ids) - parts if parts else ():
            base = told.nodes[name].base
            wholes.setdefault(joined.root(name), set()).add(name if base in split else base)
        seen: dict[str, list[set[str]]] = {}
        for name in sorted(parts):
            whole = wholes.get(joined.root(name))
            known = seen.setdefault(told.nodes[name].base, [])
            if whole and len(known) < _MOST:
                known.append(whole)
        return {
            base
            for base, known in seen.items()
            if any(a.isdisjoint(b) for a, b in combinations(known, 2))
        }


def _any_differ(known: Iterable[tuple[Mark, int, Actors]]) -> bool:
    # of whom nobody knows who called, nothing is told
    told = [one for one in known if all(side.callers[0] for side in one[0].sides)]
    if len(told) < 2:
        return False
    called = [Called(m.calls, {address}, {actors()}) for m, address, actors in told]
    return any(differ(a, b) for a, b in combinations(called, 2))


def _numbers(ranks: dict[tuple[str, Hashable, tuple[Chain, ...]], int]) -> Shown:
    """The twins that a document shows, in their order, of each fingerprint that has some."""
    shown: dict[str, set[int]] = {}
    for (name, _, _), rank in ranks.items():
        shown.setdefault(name, {0}).add(rank)
    return {name: sorted(twins) for name, twins in shown.items()}


def _tell(told: Found, mark: Mark, node: Node, name: str, shown: Shown) -> None:
    """Tells of a report's node."""
    told.nodes[name] = node
    told.sides.add((name, mark.told))
    if mark.same:
        told.links.add((name, f"{NAMED}{mark.same}"))
    if mark.asks or mark.answers:
        twins = shown.get(node.fingerprint)
        number = twins.index(node.twin) if twins else 0
        # where several have a function left out, each asks for the one of its own number
        each = twins is not None and mark.is_part
        asks = [_numbered(key, number) if each else _of(key, node) for key in mark.asks]
        told.aliases.update([(name, f"{ASKS}{key}") for key in asks])
        told.aliases.update([(name, f"{ANSWERS}{_of(key, node)}") for key in mark.answers])
        if any(s.keyed for s in mark.sides):
            numbered = [(name, f"{ANSWERS}{_numbered(key, number)}") for key in mark.answers]
            told.aliases.update(numbered)


def _tell_later(told: Found, mark: Mark, map_: MapTold) -> str:
    """Tells of a node that is a twin of its fingerprint, and not the first: nobody knows which.

    It asks for what the map asks for.
    """
    node = Node(digest(f"{mark.fingerprint} beside {map_.number}"), mark.called)
    asks = [_numbered(key, map_.number) for key in map_.asks]
    told.nodes[node.id] = node
    told.sides.add((node.id, mark.told))
    told.aliases.update([(node.id, f"{ASKS}{key}") for key in asks])
    return node.id


def _of(key: str, node: Node) -> str:
    return f"{key}.{node.twin}" if node.twin and key[0] == WRITTEN else key


def _numbered(key: str, number: int) -> str:
    return f"{key}#{number}"


def _doubt(told: Found, mark: Mark, node: Node, before: list[str], shown: Shown) -> str:
    """Tells of a node whose number is doubtful, and gives its id."""
    node = node._replace(unsure=digest(" ".join(before))[:6])
    name = node.id
    if name not in told.nodes:
        twins = range(min(node.twin + len(before) + 1, _MOST_TWINS))
        told.aliases.update([(name, f"{BESIDE}{other}") for other in before])
        told.aliases.update([(name, f"{MAYBE}{t:x}{_base(node.fingerprint, t)}") for t in twins])
    _tell(told, mark, node, name, shown)
    return name


def _borrowed(told: Found, ids: list[str], shown: Shown) -> list[str]:
    """The ids, those of nodes whose number is known from others told apart by them."""
    named = {name: node.fingerprint for name, node in told.nodes.items() if not node.unsure}
    links = [pair for pair in told.links if pair[0] in named and pair[1] in named]
    known: dict[str, str] = {}
    for name, others in borrowed(named, links, shown).items():
        node = told.nodes.pop(name)._replace(
            unsure=digest(" ".join([BORROWED, *sorted(others)]))[:6]
        )
        known[name] = node.id
        told.nodes[node.id] = node
        told.aliases.update([(node.id, f"{BORROWED}{other}") for other in others])
    return told.rename(known, ids) if known else ids


def _looked_through(
    nodes: Mapping[str, Node], sides: Iterable[tuple[str, str]]
) -> Iterator[tuple[str, str]]:
    """What nodes are called if some of their callers are mere wrappers."""
    for name, told in sides:
        fingerprint, called, twin, _ = nodes[name]
        for other in looked_through(told) - {called}:
            yield name, _id(fingerprint, other, twin)


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
    doubted, borrowing = unsure(found), lent(found)
    for name, node in found.nodes.items():
        base = node.base
        if base not in found.split and name not in doubted and name not in borrowing:
            components.join(first.setdefault(base, name), name)
    for a, b in found.links:
        components.join(a, b)
    heard = _heard(found)
    # what is left out must be known, as far as it can be, before others are counted
    for a, b in _answered(heard, components) if doubted or borrowing else ():
        components.join(a, b)
    moved = place(found, doubted, borrowing, first, components)
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
    answers: dict[str, list[str]] = {}
    is_half = any(key.startswith(_ASKS_HALF) for _, key in found.aliases)
    for name, key in (*found.aliases, *(_halves(found.sides) if is_half else ())):
        if key[0] == ANSWERS:
            answers.setdefault(key[1:], []).append(name)
    heard: dict[str, list[str]] = {}
    for name, key in found.aliases:
        if key[0] == ASKS and key[1:] in answers:
            heard.setdefault(name, []).extend(answers[key[1:]])
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
