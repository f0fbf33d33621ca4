"""A report's fingerprint: from that report alone, deterministic, versioned, and explained."""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING, Final

from deadheat import registry

if TYPE_CHECKING:
    from collections.abc import Iterable

    from deadheat.dialects import Symbols
    from deadheat.model import Access, Report

FINGERPRINT_VERSION: Final = 2
# whose dump names the side that complained; the other one is guessed, if it is there at all
ONE_SIDED: Final = ("concurrent-map", "waitgroup-misuse")
# Go's detector hides the function that calls an atomic operation
HIDES_CALLER: Final = "sync/atomic"
ATOMIC: Final = "atomic operation"
UNKNOWN: Final = "?"


def fingerprint(report: Report) -> str:
    """The unordered pair of sites, each normalised.

    No line, address, goroutine number, closure numbering, stale frame or path is in it; nor the
    operation, because `n++` is reported as a read or as a write, whichever was caught.
    """
    kind, *sides = parts(report)
    return fingerprint_of(kind, sides)


def fingerprint_of(kind: str, sides: Iterable[str]) -> str:
    """The same, of a kind and the names of its sides in their order."""
    return digest("\n".join([f"v{FINGERPRINT_VERSION}", kind, *sides]))


def digest(text: str) -> str:
    return hashed(text).hex()


def hashed(text: str) -> bytes:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()


def parts(report: Report) -> list[str]:
    """What goes into a report's fingerprint, in words: its kind, then one line per side."""
    symbols = registry.dialect(report.detector).symbols
    return [report.kind, *sorted(side(access, symbols) for access in accesses(report))]


def accesses(report: Report) -> tuple[Access, ...]:
    """The accesses that identify a report."""
    return report.accesses[:1] if report.kind in ONE_SIDED else report.accesses


def side(access: Access, symbols: Symbols) -> str:
    """What identifies one side: `github.com/pingcap/tidb/executor (*Compiler).Compile`."""
    stack, site = access[2], access[6]  # by their places, as this is asked of every report
    if stack and stack[0][1] == HIDES_CALLER:
        return ATOMIC
    return symbols.key(site) if site is not None else UNKNOWN
