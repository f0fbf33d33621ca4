"""A report's fingerprint: from that report alone, deterministic and versioned."""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING

from deadheat import registry

if TYPE_CHECKING:
    from deadheat.dialects import Symbols
    from deadheat.model import Access, Report

FINGERPRINT_VERSION = 1


def fingerprint(report: Report) -> str:
    """The unordered pair of accesses, each as operation and normalised site.

    No line, address, goroutine number, closure numbering or stale frame is in it.
    """
    symbols = registry.dialect(report.detector).symbols
    sides = sorted(side(access, symbols) for access in report.accesses)
    text = "\n".join([f"v{FINGERPRINT_VERSION}", report.detector, report.kind, *sides])
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def side(access: Access, symbols: Symbols) -> str:
    """What identifies one side: `write github.com/pingcap/tidb/executor (*Compiler).Compile`."""
    return f"{access.op} {symbols.key(access.site) if access.site else '?'}"
