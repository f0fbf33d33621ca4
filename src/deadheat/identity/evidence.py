"""What shows that two reports of one document are about one object; knows no other document.

Within one process an address is a variable. The same address with a site in common is the same
variable; neighbouring addresses that one call writes are one object, of which it writes more than one
word; and one line that is reached by the same calls accesses the same thing every time.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

from deadheat import registry
from deadheat.identity import names
from deadheat.identity.fingerprint import ATOMIC, HIDES_CALLER, accesses, fingerprint, side
from deadheat.identity.names import paired
from deadheat.identity.stacks import TOP, Chain, callers, chain, own
from deadheat.model import Op, Origin

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator

    from deadheat.dialects import Symbols
    from deadheat.model import Access, Report

    Key = tuple[Hashable, Hashable]

# how far apart, in bytes, two words of one object may be: 1 << 6
_NEAR = 6
# a log of any length is read in bounded memory; what is further back is another process
_MOST = 1 << 17
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


@dataclass(frozen=True)
class Mark:
    """What identity needs to know of a report, apart from its address; made once for its echoes."""

    fingerprint: str
    sides: tuple[Side, ...]  # in the order of their names
    same: str = (
        ""  # a name that other reports of the same code share, whatever its package is called
    )
    asks: tuple[str, ...] = ()  # names of what it may be a part of
    answers: tuple[str, ...] = ()  # names of what may be a part of it

    @cached_property
    def chains(self) -> tuple[Chain, ...]:
        """How both sides were reached."""
        return tuple(s.chain for s in self.sides)

    @cached_property
    def called(self) -> str:
        """Both sides' nearest callers, as one name."""
        return paired((s.name, s.callers[0]) for s in self.sides)

    @cached_property
    def aliases(self) -> frozenset[str]:
        """What `called` would be if some of the callers were mere wrappers."""
        ways = [[(s.name, caller) for caller in s.callers] for s in self.sides]
        return frozenset(paired(pair) for pair in product(*ways)) - {self.called}

    @cached_property
    def ways(self) -> tuple[Key, ...]:
        """For each side, the pair of functions and how this side was reached."""
        both = tuple(s.name for s in self.sides)
        return tuple((both, s.chain) for s in self.sides if s.chain)

    @cached_property
    def is_part(self) -> bool:
        """Is one of its functions left out?"""
        return any(s.hidden for s in self.sides)

    @cached_property
    def opaque(self) -> tuple[Chain, ...]:
        """How each side that is inside something of the standard library was reached."""
        return tuple(s.chain for s in self.sides if s.opaque)

    @cached_property
    def writers(self) -> tuple[Chain, ...]:
        """How each side that writes was reached."""
        return tuple(s.chain for s in self.sides if s.chain and s.writes)


def mark(report: Report) -> Mark:
    symbols = registry.dialect(report.detector).symbols
    sides = [_side(access, symbols) for access in accesses(report)]
    asks, answers = names.claims(report, symbols)
    same = names.same(report, symbols)
    return Mark(fingerprint(report), tuple(sorted(sides)), same, asks, answers)


def _side(access: Access, symbols: Symbols) -> Side:
    name = side(access, symbols)
    frames = list(own(access))
    # an atomic operation accesses one word, and nobody knows on which line
    lines = () if name == ATOMIC else chain(frames, symbols)
    called = tuple(callers(frames, name, symbols))
    function = access.site.function if access.site else ""
    writes, hidden = access.op in _WRITES, names.is_hidden(access)
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


def keys(mark: Mark, address: int, twin: int) -> Iterator[Key]:
    """The keys that reports about one object share, if they stand in one document and lane."""
    if len(mark.sides) > 1:
        for way in mark.ways:
            yield way, twin
    if not address:
        return
    for s in mark.sides:
        if s.chain or s.name == ATOMIC:
            yield address, s.name
    # of two near addresses, one's own bucket is the other's own or next one
    bucket = address >> _NEAR
    for calls in mark.writers:
        yield bucket, calls
        yield bucket + 1, calls


class Links:
    """Finds, as the reports of one document come by, those that are about one object."""

    def __init__(self) -> None:
        self._first: dict[tuple[str | None, Key], str] = {}

    def add(self, race: str, lane: str | None, keys: Iterator[Key]) -> set[str]:
        """The races that this one is joined with."""
        if len(self._first) > _MOST:
            self._first.clear()
        firsts = {self._first.setdefault((lane, key), race) for key in keys}
        return firsts - {race}
