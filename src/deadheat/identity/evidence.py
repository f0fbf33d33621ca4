"""What shows that two reports of one document are about one object; knows no other document.

Within one process an address is a variable. The same address with a site in common is the same
variable; neighbouring addresses that one call writes are one object, of which it writes more than one
word; and one line that is reached by the same calls accesses the same thing every time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from deadheat import registry
from deadheat.identity.fingerprint import digest, fingerprint, side
from deadheat.identity.stacks import Chain, chain
from deadheat.model import Op

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deadheat.model import Report

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


class Mark(NamedTuple):
    """What identity needs to know of a report, apart from its addresses."""

    fingerprint: str
    sides: tuple[Side, ...]  # in the order of the accesses

    def chains(self) -> tuple[Chain, ...]:
        """The sides' calls, whichever side was printed first."""
        return tuple(s.chain for s in sorted(self.sides))


def mark(report: Report) -> Mark:
    symbols = registry.dialect(report.detector).symbols
    return Mark(
        fingerprint(report),
        tuple(
            Side(side(access, symbols), chain(access, symbols), access.op in _WRITES)
            for access in report.accesses
        ),
    )


def keys(mark: Mark, addresses: tuple[int, ...]) -> Iterator[str]:
    """The keys that reports about one object share, if they stand in one document and lane."""
    names = "|".join(sorted(s.name for s in mark.sides))
    for address, s in zip(addresses, mark.sides, strict=False):
        if not s.chain:
            continue
        if len(mark.sides) > 1:
            yield digest(f"{names} {s.chain}")
        if address:
            yield f"{address:x} {s.name}"
        if address and s.writes:
            # of two near addresses, one's own bucket is the other's own or next one
            calls = digest(str(s.chain))
            yield f"{address >> _NEAR:x}~{calls}"
            yield f"{(address >> _NEAR) + 1:x}~{calls}"


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
