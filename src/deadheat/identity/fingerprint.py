"""The fingerprint of a report. It depends on that report only, and is deterministic and versioned."""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING, Final

from deadheat import registry

if TYPE_CHECKING:
    from collections.abc import Iterable

    from deadheat.dialects import Symbols
    from deadheat.model import Access, Report

FINGERPRINT_VERSION: Final = 2
# kinds whose dump names only the failing side; the other side is a guess
ONE_SIDED: Final = ("concurrent-map", "waitgroup-misuse")
# the Go detector omits the function that calls an atomic operation
HIDES_CALLER: Final = "sync/atomic"
ATOMIC: Final = "atomic operation"
UNKNOWN: Final = "?"


def fingerprint(report: Report) -> str:
    """The digest of the unordered pair of normalised sites.

    It does not contain lines, addresses, goroutine numbers, closure numbers, stale frames or paths.
    It does not contain the operation, because `n++` is reported as a read or as a write.
    """
    kind, *sides = parts(report)
    return fingerprint_of(kind, sides)


def fingerprint_of(kind: str, sides: Iterable[str]) -> str:
    """The fingerprint for a kind and the sorted names of the sides."""
    return digest("\n".join([f"v{FINGERPRINT_VERSION}", kind, *sides]))


def digest(text: str) -> str:
    return hashed(text).hex()


def hashed(text: str) -> bytes:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()


def parts(report: Report) -> list[str]:
    """The text that the fingerprint is computed from: the kind, then one line per side."""
    symbols = registry.dialect(report.detector).symbols
    return [report.kind, *sorted(side(access, symbols) for access in accesses(report))]


def accesses(report: Report) -> tuple[Access, ...]:
    """The accesses that identify a report."""
    return report.accesses[:1] if report.kind in ONE_SIDED else report.accesses


def side(access: Access, symbols: Symbols) -> str:
    """The name of one side: `github.com/pingcap/tidb/executor (*Compiler).Compile`."""
    stack, site = access[2], access[6]  # by index, because this runs for every report
    if stack and stack[0][1] == HIDES_CALLER:
        return ATOMIC
    return symbols.key(site) if site is not None else UNKNOWN
