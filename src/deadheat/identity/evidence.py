"""What shows that two reports of one document are about one object; knows no other document.

Within one process an address is a variable. The same address with a site in common is the same
variable; neighbouring addresses that one call writes are one object, of which it writes more than one
word; and one line that is reached by the same calls accesses the same thing every time.
"""

from __future__ import annotations

from collections.abc import Hashable
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

from deadheat import registry
from deadheat.identity import names
from deadheat.identity.fingerprint import ATOMIC, HIDES_CALLER, accesses, fingerprint, side
from deadheat.identity.names import number, paired, summed
from deadheat.identity.stacks import TOP, Chain, callers, chain, own
from deadheat.model import Op, Origin

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from deadheat.dialects import Symbols
    from deadheat.model import Access, Report


Key = tuple[Hashable, Hashable]
# how far apart, in bytes, two words of one object may be: 1 << 6
_NEAR = 6
# how long a node's id is without the number of its twin
_ID = 16
_WRITES = (Op.WRITE, Op.ATOMIC_WRITE, Op.FREE)


class Side(NamedTuple):
    """What one access of a report gives to compare, apart from its address."""

    name: str
    chain: Chain
    writes: bool
    callers: tuple[str, ...]  # the nearest first
    function: str  # as printed
    opaque: bool  # the access is inside something of the standard library
    hidden: bool  # the function that accesses is left out


class Mark(NamedTuple):
    """What identity needs to know of a report, apart from its address; made once for its echoes."""

    fingerprint: str
    sides: tuple[Side, ...]  # in the order of their names
    chains: tuple[Chain, ...]  # how the sides were reached
    ways: tuple[Key, ...]  # for each side, the pair of functions and how this side was reached
    writers: tuple[Chain, ...]  # how each side that writes was reached
    opaque: tuple[Chain, ...]  # how each side inside something of the standard library was
    is_part: bool  # one of its functions is left out
    same: str  # a name that other reports of the same code share, whatever its package is called
    asks: tuple[str, ...]  # names of what it may be a part of
    answers: tuple[str, ...]  # names of what may be a part of it

    @property
    def called(self) -> str:
        """Both sides' nearest callers, as one name."""
        return paired([(s.name, s.callers[0]) for s in self.sides])

    @property
    def aliases(self) -> frozenset[str]:
        """What `called` would be if some of the callers were mere wrappers."""
        if all(len(s.callers) == 1 for s in self.sides):
            return frozenset()
        ways = [[number(s.name, caller) for caller in s.callers] for s in self.sides]
        return frozenset([summed(pair) for pair in product(*ways)]) - {self.called}


def mark(report: Report, known: str | None = None) -> Mark:
    """The report's mark; `known` is its fingerprint, if somebody has made it."""
    symbols = registry.dialect(report.detector).symbols
    sides = tuple(sorted([_side(access, symbols) for access in accesses(report)]))
    both = tuple([s.name for s in sides])
    return Mark(
        known or fingerprint(report),
        sides,
        tuple([s.chain for s in sides]),
        tuple([(both, s.chain) for s in sides if s.chain]),
        tuple([s.chain for s in sides if s.chain and s.writes]),
        tuple([s.chain for s in sides if s.opaque]),
        any(s.hidden for s in sides),
        names.same(report, symbols),
        *names.claims(report, symbols),
    )


def _side(access: Access, symbols: Symbols) -> Side:
    calls = [(frame, symbols.key(frame)) for frame in own(access)]
    name = side(access, symbols, calls[0][1] if calls and calls[0][0] is access.site else None)
    # an atomic operation accesses one word, and nobody knows on which line
    lines = () if name == ATOMIC else chain(calls)
    function = access.site.function if access.site else ""
    writes, hidden = access.op in _WRITES, names.is_hidden(access)
    called = tuple(callers(calls, name))
    return Side(name, lines, writes, called, function, _is_opaque(access), hidden)


def _is_opaque(access: Access) -> bool:
    """Is what is accessed a part of, say, a `bytes.Buffer`?"""
    for frame in access.stack[:TOP]:
        if frame.origin is Origin.USER or frame.package == HIDES_CALLER:
            return False
        if frame.origin is Origin.STDLIB:
            return True
    return False


def address(report: Report) -> int:
    """The address that the two sides race for; 0 where the detector did not say."""
    return next((int(a.address, 16) for a in report.accesses if a.address), 0)


def actors(report: Report) -> frozenset[str]:
    """Who raced."""
    return numbers(access.actor for access in report.accesses)


def numbers(names: Iterable[str]) -> frozenset[str]:
    """What tells actors apart: `7` for `goroutine 7`, `T1` for `thread T1`."""
    return frozenset(name.rpartition(" ")[2] for name in names if name)


Place = tuple[str, Mark, Hashable, int]  # a node's id, its mark, its lane, and the address


class Links:
    """Finds the reports of one document that are about one object.

    Most of them are alone at their address, and no other one writes by the same calls: to find out
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
        for name, m, lane, address in self._places:
            nodes.setdefault((name, lane, id(m)), m)
            if address and alone.setdefault((lane, address), m) is not m:
                shared.add((lane, address))
        yield from self._by_ways(nodes)
        writers = _common(nodes)
        for name, m, lane, address in self._places if shared or writers else ():
            if (lane, address) in shared:
                for s in m.sides:
                    if s.chain or s.name == ATOMIC:
                        yield from self._joined(name, (lane, address, s.name))
            # of two near addresses, one's own bucket is the other's own or next one
            bucket = address >> _NEAR
            for calls in m.writers if address else ():
                if (lane, calls) in writers:
                    yield from self._joined(name, (lane, bucket, calls))
                    yield from self._joined(name, (lane, bucket + 1, calls))

    def _by_ways(
        self, nodes: Mapping[tuple[str, Hashable, int], Mark]
    ) -> Iterator[tuple[str, str]]:
        for (name, lane, _), m in nodes.items():
            if len(m.sides) > 1:
                # an id ends in its twin, if it has one
                for way in m.ways:
                    yield from self._joined(name, (lane, way, name[_ID:]))

    def _joined(self, name: str, key: Hashable) -> Iterator[tuple[str, str]]:
        first = self._first.setdefault(key, name)
        if first != name:
            yield min(name, first), max(name, first)


def _common(nodes: Mapping[tuple[str, Hashable, int], Mark]) -> set[tuple[Hashable, Chain]]:
    """The calls by which more than one node writes."""
    first: dict[tuple[Hashable, Chain], str] = {}
    return {
        (lane, calls)
        for (name, lane, _), m in nodes.items()
        for calls in m.writers
        if first.setdefault((lane, calls), name) != name
    }
