"""A report's fingerprint: from that report alone, deterministic, versioned, and explained."""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING

from deadheat import registry
from deadheat.identity.stacks import calls

if TYPE_CHECKING:
    from deadheat.dialects import Symbols
    from deadheat.model import Access, Report

FINGERPRINT_VERSION = 2
# whose dump names the side that complained; the other one is guessed, if it is there at all
_ONE_SIDED = ("concurrent-map", "waitgroup-misuse")
# Go's detector hides the function that calls an atomic operation
_HIDES_CALLER = "sync/atomic"
ATOMIC = "atomic operation"


def fingerprint(report: Report) -> str:
    """The unordered pair of sites, each normalised, with their callers where those matter.

    No line, address, goroutine number, closure numbering, stale frame or path is in it; nor the
    operation, because `n++` is reported as a read or as a write, whichever was caught.
    """
    text = "\n".join([f"v{FINGERPRINT_VERSION}", *parts(report)])
    return digest(text)


def digest(text: str) -> str:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def parts(report: Report) -> list[str]:
    """What goes into a report's fingerprint, in words: its kind, then one line per side."""
    symbols = registry.dialect(report.detector).symbols
    accesses = report.accesses[:1] if report.kind in _ONE_SIDED else report.accesses
    sides = [side(access, symbols) for access in accesses]
    if len(sides) == 2 and owner(sides[0]) == owner(sides[1]):
        sides = [with_caller(*both, symbols) for both in zip(sides, accesses, strict=True)]
    return [report.kind, *sorted(sides)]


def side(access: Access, symbols: Symbols) -> str:
    """What identifies one side: `github.com/pingcap/tidb/executor (*Compiler).Compile`."""
    if access.stack and access.stack[0].package == _HIDES_CALLER:
        return ATOMIC
    return symbols.key(access.site) if access.site else "?"


def with_caller(name: str, access: Access, symbols: Symbols) -> str:
    """The side and who called it.

    Where a type races with itself it may be a part of many things: a counter, a cache, a heap. Only
    whoever called it tells which one of them it was.
    """
    caller = next((key for key in calls(access, symbols) if key != name), None)
    return f"{name} < {caller}" if caller else name


def owner(name: str) -> str:
    """The type that a method belongs to, or the function itself."""
    if "::" in name:
        return name.rpartition("::")[0]
    package, _, function = name.rpartition(" ")
    owning, dot, _ = function.rpartition(".")
    return f"{package} {owning.strip('(*)')}" if dot else name
