"""Which side adds to a wait group."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from deadheat.diagnose.side import Side


def added_elsewhere(side: Side) -> bool:
    """Does the waiting function add nothing itself, outside of the goroutines it starts?"""
    here = side.here
    waits = [c for c in here.calls if c.name == "Wait" and c.line == here.line] if here else []
    if here is None or not waits or here.loops or side.is_worker:
        return (
            False  # a wait in a loop or in its own goroutine waits for several rounds
        )
    own = [c for c in here.calls if c.name == "Add" and c.on == waits[0].on]
    return not any(c.depth <= waits[0].depth for c in own)


def is_next_round(adds: Side, waits: Side) -> bool:
    """Does it add for the next round: after an earlier wait, or as the starter of the waiting side?"""
    if waits_first(adds, waits):
        return True
    if not waits.is_worker or not adds.is_worker:
        return waits.is_worker
    by = waits.creator
    return by is not None and any(f[:2] == by[:2] for f in adds.true)


def waits_first(adds: Side, waits: Side) -> bool:
    """Does one function wait for the last round and then add for the next, run twice at once?"""
    a, b = adds.site, waits.site
    if a is None or b is None or a.line is None or b.line is None:
        return False
    return (a.function, a.file) == (b.function, b.file) and b.line < a.line
