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
from deadheat.identity.fingerprint import accesses, digest, fingerprint, side
from deadheat.identity.stacks import Chain, callers, chain
from deadheat.model import Op

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from deadheat.dialects import Symbols
    from deadheat.model import Access, Report

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


@dataclass(frozen=True)
class Mark:
    """What identity needs to know of a report, apart from its address; made once for its echoes."""

    fingerprint: str
    sides: tuple[Side, ...]  # in the order of their names

    @cached_property
    def chains(self) -> tuple[Chain, ...]:
        """How both sides were reached."""
        return tuple(s.chain for s in self.sides)

    @cached_property
    def called(self) -> str:
        """Both sides' nearest callers, as one name."""
        return _paired([(s.name, s.callers[0]) for s in self.sides])

    @cached_property
    def aliases(self) -> frozenset[str]:
        """What `called` would be if some of the callers were mere wrappers."""
        ways = [[(s.name, caller) for caller in s.callers] for s in self.sides]
        return frozenset(_paired(pair) for pair in product(*ways)) - {self.called}

    @cached_property
    def ways(self) -> tuple[str, ...]:
        """For each side, the pair of functions and how this side was reached."""
        names = "|".join(s.name for s in self.sides)
        return tuple(digest(f"{names} {s.chain}") for s in self.sides if s.chain)

    @cached_property
    def writers(self) -> tuple[str, ...]:
        """How each side that writes was reached."""
        return tuple(digest(str(s.chain)) for s in self.sides if s.chain and s.writes)


def _paired(sides: Iterable[tuple[str, str]]) -> str:
    return digest("\n".join(f"{name} < {caller}" for name, caller in sorted(sides)))


def mark(report: Report) -> Mark:
    symbols = registry.dialect(report.detector).symbols
    sides = [_side(access, symbols) for access in accesses(report)]
    return Mark(fingerprint(report), tuple(sorted(sides)))


def _side(access: Access, symbols: Symbols) -> Side:
    name = side(access, symbols)
    writes = access.op in _WRITES
    return Side(name, chain(access, symbols), writes, tuple(callers(access, name, symbols)))


def address(report: Report) -> int:
    """The address that the two sides race for; 0 where the detector did not say."""
    return next((int(a.address, 16) for a in report.accesses if a.address), 0)


def keys(mark: Mark, address: int) -> Iterator[str]:
    """The keys that reports about one object share, if they stand in one document and lane."""
    if len(mark.sides) > 1:
        yield from mark.ways
    if not address:
        return
    for s in mark.sides:
        if s.chain:
            yield f"{address:x} {s.name}"
    # of two near addresses, one's own bucket is the other's own or next one
    bucket = address >> _NEAR
    for calls in mark.writers:
        yield f"{bucket:x}~{calls}"
        yield f"{bucket + 1:x}~{calls}"


class Links:
    """Finds, as the reports of one document come by, those that are about one object."""

    def __init__(self) -> None:
        self._first: dict[tuple[str | None, str], str] = {}

    def add(self, race: str, lane: str | None, keys: Iterator[str]) -> set[str]:
        """The races that this one is joined with."""
        if len(self._first) > _MOST:
            self._first.clear()
        firsts = {self._first.setdefault((lane, key), race) for key in keys}
        return firsts - {race}
