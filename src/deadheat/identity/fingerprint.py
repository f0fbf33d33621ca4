"""A report's fingerprint: from that report alone, deterministic and versioned."""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING

from deadheat.symbols import go

if TYPE_CHECKING:
    from deadheat.model import Access, Report

FINGERPRINT_VERSION = 1


def fingerprint(report: Report) -> str:
    """The unordered pair of accesses, each as operation and normalised site.

    No line, address, goroutine number, closure numbering or stale frame is in it.
    """
    sides = sorted(map(side, report.accesses))
    text = "\n".join([f"v{FINGERPRINT_VERSION}", report.detector, report.kind, *sides])
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def side(access: Access) -> str:
    """What identifies one side: `write github.com/pingcap/tidb/executor (*Compiler).Compile`."""
    site = access.site
    if site is None:
        return f"{access.op} ?"
    # a vendored copy is the same code
    package = site.package.rpartition("/vendor/")[2].removesuffix("_test")
    return f"{access.op} {package} {go.parent(site.function).partition('.')[2]}"
