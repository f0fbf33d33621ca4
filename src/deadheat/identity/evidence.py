"""What shows that two reports of one document are about one object; knows no other document.

Within one process an address is a variable. The same address with a site in common is the same
variable; neighbouring addresses that one call writes are one object, of which it writes more than one
word; and one line that is reached by the same calls accesses the same thing every time.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

from deadheat import registry
from deadheat.identity import names
from deadheat.identity.fingerprint import (
    ATOMIC,
    HIDES_CALLER,
    ONE_SIDED,
    UNKNOWN,
    accesses,
    fingerprint_of,
    side,
)
from deadheat.identity.names import half, number, summed
from deadheat.identity.published import made
from deadheat.identity.stacks import TOP, Chain, reached
from deadheat.model import Op, Origin

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from deadheat.dialects import Symbols
    from deadheat.identity.callers import Call
    from deadheat.model import Access, Report


Key = tuple[Hashable, Hashable]
# how far apart, in bytes, two words of one object may be: 1 << 6
_NEAR = 6
# how long a node's id is without the number of its twin, and what stands behind that if it is doubtful
ID, UNSURE = 16, "~"
_WRITES = (Op.WRITE, Op.ATOMIC_WRITE, Op.FREE)
_USER = Origin.USER
# "runtime.mapassign_faststr", "runtime.mapIterStart"
_MAPS = "runtime.map"
# who does not say who else was there because it may have been anybody, a device included
_OWN_ORIGIN = ("kcsan",)
# "byAge.Swap", of sort.Interface: one line that writes two elements
_EXCHANGES = (".Swap", ".swap")
# what stands between sides, and between a side and its callers
_SIDE, _CALL = "\n", "\t"


class Side(NamedTuple):
    """What one access of a report gives to compare, apart from its address."""

    name: str
    chain: Chain
    writes: bool
    callers: tuple[str, ...]  # the nearest first
    function: str  # as printed
    opaque: bool  # the access is inside something of the standard library
    hidden: bool  # the function that accesses is left out
    keyed: bool  # what is accessed is a map, by way of the runtime

    @property
    def call(self) -> Call:
        """Who called, and on which line the nearest did; 0 where that is too far out."""
        nearest = self.callers[0]
        for line, name in self.chain:
            if name == nearest:
                return self.callers, line
        return self.callers, 0


class Mark(NamedTuple):
    """What identity needs to know of a report, apart from its address; made once for its echoes."""

    fingerprint: str
    sides: tuple[Side, ...]  # in the order of their names
    kind: str
    half: bool  # it shows one of two sides only
    same: str  # a name that other reports of the same code share, whatever its package is called
    asks: tuple[str, ...]  # names of what it may be a part of
    answers: tuple[str, ...]  # names of what may be a part of it

    @property
    def chains(self) -> tuple[Chain, ...]:
        """How the sides were reached."""
        return tuple([s.chain for s in self.sides])

    @property
    def ways(self) -> tuple[Key, ...]:
        """For each side, the pair of functions and how this side was reached."""
        both = tuple([s.name for s in self.sides])
        return tuple([(both, s.chain) for s in self.sides if s.chain])

    @property
    def writers(self) -> tuple[Chain, ...]:
        """How each side that writes was reached."""
        return tuple([s.chain for s in self.sides if s.chain and s.writes])

    def wrote(self, instructions: tuple[str, ...]) -> list[tuple[Chain, str]]:
        """How each side that writes was reached, and which instruction did it.

        "" where nobody knows that, or where it tells nothing: what is exchanged is of one kind.
        """
        if len(instructions) != len(self.sides):
            return [(chain, "") for chain in self.writers]
        return [
            (s.chain, "" if s.function.endswith(_EXCHANGES) else at)
            for s, at in zip(self.sides, instructions, strict=True)
            if s.chain and s.writes
        ]

    @property
    def is_part(self) -> bool:
        """Is one of its functions left out?"""
        return any(s.hidden for s in self.sides)

    @property
    def calls(self) -> tuple[Call, ...]:
        """Who called the sides."""
        return tuple([s.call for s in self.sides])

    @property
    def called(self) -> str:
        """Both sides' nearest callers, as one name."""
        return summed([number(s.name, s.callers[0]) for s in self.sides])

    @property
    def told(self) -> str:
        """Its kind, then each side with those that called it.

        One text, as every report has one and hardly anybody looks into it.
        """
        return _SIDE.join([self.kind, *[_CALL.join((s.name, *s.callers)) for s in self.sides]])


def looked_through(told: str) -> frozenset[str]:
    """What `called` would be if some of the callers were mere wrappers."""
    sides = [side.split(_CALL) for side in told.split(_SIDE)[1:]]
    ways = [[number(name, caller) for caller in callers] for name, *callers in sides]
    return frozenset([summed(pair) for pair in product(*ways)])


def halves(told: str) -> frozenset[str]:
    """What a report is asked for that shows one of these sides only; nothing if it is such a one."""
    kind, *sides = [side.partition(_CALL)[0] for side in told.split(_SIDE)]
    if len(sides) != 2 or UNKNOWN in sides or ATOMIC in sides:
        return frozenset()
    return frozenset([half(kind, side) for side in sides])


def mark(report: Report, known: str | None = None) -> Mark:
    """The report's mark; `known` is its fingerprint, if somebody has made it."""
    symbols = registry.dialect(report.detector).symbols
    sides = tuple(sorted([_side(access, symbols) for access in accesses(report)]))
    name = known or fingerprint_of(report.kind, [s.name for s in sides])
    same = names.same(report, symbols)
    if shown := _half(report.kind, sides):
        asks = () if report.detector in _OWN_ORIGIN else (half(report.kind, shown),)
        return Mark(name, sides, report.kind, True, same, asks, ())
    return Mark(name, sides, report.kind, False, same, *names.claims(report, symbols))


def _half(kind: str, sides: tuple[Side, ...]) -> str:
    """The only side that is known of two; "" if it is not so."""
    if kind in ONE_SIDED or not 0 < len(sides) < 3:
        return ""
    known = [s.name for s in sides if s.name != UNKNOWN]
    return known[0] if len(known) == 1 and known[0] != ATOMIC else ""


def _side(access: Access, symbols: Symbols) -> Side:
    name = side(access, symbols)
    chain, callers = reached(access, name, symbols.key)
    function = access.site.function if access.site else ""
    writes = access.op in _WRITES
    stack = access.stack
    if not stack or stack[0].origin is _USER:
        return Side(name, chain, writes, callers, function, False, False, False)
    keyed = stack[0].function.startswith(_MAPS)
    hidden = keyed and names.is_hidden(access)
    return Side(name, chain, writes, callers, function, _is_opaque(access), hidden, keyed)


def _is_opaque(access: Access) -> bool:
    """Is what is accessed a part of, say, a `bytes.Buffer`?"""
    for frame in access.stack[:TOP]:
        if frame.origin is _USER or frame.package == HIDES_CALLER:
            return False
        if frame.origin is Origin.STDLIB:
            return True
    return False


def address(report: Report) -> int:
    """The address that the two sides race for; 0 where the detector did not say."""
    for access in report.accesses:
        if access.address:
            return int(access.address, 16)
    return 0


def actors(report: Report) -> frozenset[str]:
    """Who raced."""
    return numbers(access.actor for access in report.accesses)


def instructions(report: Report) -> tuple[str, ...]:
    """Which instruction each side of a report's mark is, "" for one that is not known."""
    raced = accesses(report)
    found = [access.instruction or "" for access in raced]
    if len({*found}) < 2:
        return tuple(found) if any(found) else ()
    symbols = registry.dialect(report.detector).symbols
    names: list[object] = [side(access, symbols) for access in raced]
    if len({*names}) < len(names):
        names = [_side(access, symbols) for access in raced]
    order = sorted(range(len(raced)), key=names.__getitem__)  # type: ignore[arg-type]
    return tuple([found[at] for at in order])


def numbers(names: Iterable[str]) -> frozenset[str]:
    """What tells actors apart: `7` for `goroutine 7`, `T1` for `thread T1`."""
    return frozenset(name.rpartition(" ")[2] for name in names if name)


Instructions = Callable[[], tuple[str, ...]]
# a node's id, its mark, its lane, the address, and what gives the instructions that raced
Place = tuple[str, Mark, Hashable, int, Instructions]
Nodes = dict[tuple[str, Hashable, int], Mark]  # by id, lane, and which mark it is


class Links:
    """Finds the reports of one document that are about one object.

    Most of them are alone at their address, and no other one comes by the same line: to find out
    takes one look at each. Only of the others is more asked.
    """

    def __init__(self, places: Sequence[Place]) -> None:
        self._places = places
        self._first: dict[Hashable, str] = {}

    def pairs(self) -> Iterator[tuple[str, str]]:
        """Ids of nodes that are joined."""
        alone: dict[tuple[Hashable, int], Mark] = {}
        shared: set[tuple[Hashable, int]] = set()
        nodes: dict[tuple[str, Hashable, int], Mark] = {}
        for name, m, lane, address, _ in self._places:
            nodes[name, lane, id(m)] = m
            if address and alone.setdefault((lane, address), m) is not m:
                shared.add((lane, address))
        nodes = _met(nodes)
        yield from self._by_ways(nodes)
        writers = _common(nodes)
        filled = self._filled(writers) if writers else set()
        for name, m, lane, address, instructions in self._places if shared or writers else ():
            if (lane, address) in shared:
                for s in m.sides:
                    if s.chain or s.name == ATOMIC:
                        yield from self._joined(name, (lane, address, s.name))
            # of two near addresses, one's own bucket is the other's own or next one
            bucket = address >> _NEAR
            if not address or not any((lane, calls) in writers for calls in m.writers):
                continue
            for calls, at in m.wrote(instructions()):
                if (lane, calls) in writers:
                    by = "" if (lane, calls, at) in filled else at
                    yield from self._joined(name, (lane, bucket, calls, by))
                    yield from self._joined(name, (lane, bucket + 1, calls, by))

    def _filled(self, writers: set[tuple[Hashable, Chain]]) -> set[tuple[Hashable, Chain, str]]:
        """The instructions of these writers that fill an object."""
        written: dict[tuple[Hashable, Chain], list[tuple[str, int]]] = {}
        for _, m, lane, address, instructions in self._places:
            if address and any((lane, calls) in writers for calls in m.writers):
                for calls, at in m.wrote(instructions()):
                    written.setdefault((lane, calls), []).append((at, address))
        return {(*key, at) for key, each in written.items() for at in made(each)}

    def _by_ways(self, nodes: Nodes) -> Iterator[tuple[str, str]]:
        for (name, lane, _), m in nodes.items():
            if len(m.sides) > 1:
                # an id ends in its twin, if it has one
                twin = name[ID:].partition(UNSURE)[0]
                for way in m.ways:
                    yield from self._joined(name, (lane, way, twin))

    def _joined(self, name: str, key: Hashable) -> Iterator[tuple[str, str]]:
        first = self._first.setdefault(key, name)
        if first != name:
            yield min(name, first), max(name, first)


def _met(nodes: Nodes) -> Nodes:
    """The nodes that come by a line that another one comes by, too."""
    first: dict[Hashable, str] = {}
    met: set[Hashable] = set()
    for (name, lane, _), m in nodes.items():
        for s in m.sides:
            if s.chain and first.setdefault((lane, s.chain[0]), name) != name:
                met.add((lane, s.chain[0]))
    return {
        node: m
        for node, m in (nodes.items() if met else ())
        if any((node[1], s.chain[0]) in met for s in m.sides if s.chain)
    }


def _common(nodes: Nodes) -> set[tuple[Hashable, Chain]]:
    """The calls by which more than one node writes, but for those that are known to write twins."""
    first: dict[tuple[Hashable, Chain], str] = {}
    common: set[tuple[Hashable, Chain]] = set()
    several: set[tuple[Hashable, Chain]] = set()
    twin: dict[tuple[Hashable, Chain, str], str] = {}
    for (name, lane, _), m in nodes.items():
        for calls in m.writers:
            if first.setdefault((lane, calls), name) != name:
                common.add((lane, calls))
            if twin.setdefault((lane, calls, name[:ID]), name) != name:
                several.add((lane, calls))
    return common - several
