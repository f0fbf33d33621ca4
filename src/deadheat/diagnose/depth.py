"""How far into its function an access of Go lies, and what fits in front of it; knows no rule.

The detector prints it behind the line: `cache.go:39 +0x15a`. Measured with Go 1.19 to 1.27: what comes
first in a function lies at 0x28 to 0x4c, what stands behind `Lock` and a deferred `Unlock` at 0x97 or
more. A function that the compiler has put into its caller counts from the caller's beginning.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from deadheat.diagnose.side import Side

# a lock and its deferred release fit in front of what lies as deep
LOCKED = 0x95
# so near to the beginning nothing has been waited for
FIRST = 0x70
# a lock, its deferred release and a second look fit between two accesses that are as far apart
AGAIN = 0xC8


def of(side: Side) -> int | None:
    """How many bytes of its function lie in front of the access; None if that is not told."""
    told = side.access.instruction
    try:
        return int(told, 16) if told else None
    except ValueError:
        return None


def may_be_locked(side: Side) -> bool:
    """Does it lie so deep that its function may have taken a lock, and mean to let go of it?"""
    at = of(side)
    return at is not None and at >= LOCKED
