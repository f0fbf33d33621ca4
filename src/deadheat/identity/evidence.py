"""What shows that two reports of one document are about one object; knows no other document.

Within one process an address is a variable. The same address with a site in common is the same
variable, and neighbouring addresses that one line writes are one object, of which that line writes
more than one word.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from deadheat import registry
from deadheat.model import Op

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from deadheat.model import Access, Frame, Report

    KeyOf = Callable[[Frame], str]

# how far apart, in bytes, two words of one object may be: 1 << 6
_NEAR = 6
# a log of any length is read in bounded memory; what is further back is another process
_MOST = 1 << 17
_WRITES = (Op.WRITE, Op.ATOMIC_WRITE, Op.FREE)


class Trait(NamedTuple):
    """What one access of a report gives to compare, apart from its address."""

    site: str
    writer: str | None  # function and line, where it writes


def traits(report: Report) -> tuple[Trait | None, ...]:
    """One for each access, None where there is nothing to compare."""
    symbols = registry.dialect(report.detector).symbols
    return tuple(_trait(access, symbols.key) for access in report.accesses)


def _trait(access: Access, key: KeyOf) -> Trait | None:
    site = access.site
    if site is None or site.line is None:
        return None
    name = key(site)
    writes = access.op in _WRITES
    return Trait(name, f"{name}:{site.line}" if writes else None)


def keys(address: str, trait: Trait) -> Iterator[str]:
    """The keys that reports about one object share, if they stand in one document and lane."""
    number = int(address, 16)
    if not number:
        return
    yield f"{number:x} {trait.site}"
    if trait.writer is not None:
        # of two near addresses, one's own bucket is the other's own or next one
        bucket = number >> _NEAR
        yield f"{bucket:x}~{trait.writer}"
        yield f"{bucket + 1:x}~{trait.writer}"


class Links:
    """Finds, as the reports of one document come by, those that are about one object."""

    def __init__(self) -> None:
        self._first: dict[tuple[str | None, str], str] = {}

    def add(self, fingerprint: str, lane: str | None, told: list[tuple[str, Trait]]) -> set[str]:
        """The fingerprints that this one is joined with by its addresses."""
        if len(self._first) > _MOST:
            self._first.clear()
        joined = set()
        for address, trait in told:
            for key in keys(address, trait):
                other = self._first.setdefault((lane, key), fingerprint)
                if other != fingerprint:
                    joined.add(other)
        return joined
