"""A check without the lock, then again with it.

## What it sees

Two actors in one function: one reads without a lock, the other writes a little further down with
one. With source: a check outside the lock, the lock, and the same check again inside it.

## Why it races

The first check reads without any order. It may see the pointer before it sees what the pointer
points to.

## Example

    if s.inst == nil {              // no lock
        s.mu.Lock()
        if s.inst == nil { s.inst = build() }
        s.mu.Unlock()
    }

## Remedy

`sync.Once`; or make the first read an atomic load of an `atomic.Pointer`, and the write an atomic
store.

## When it is wrong

Another reader without the lock, in another function, is `partial-lock`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from deadheat.diagnose import locking
from deadheat.diagnose.rule import LIKELY, SURE, Hit, Rule
from deadheat.diagnose.traits import LOCKS, SOURCE

if TYPE_CHECKING:
    from deadheat.diagnose.finding import Evidence
    from deadheat.diagnose.scene import Scene


def _find(scene: Scene) -> Hit | None:
    held = locking.locks(scene)
    if held is None or bool(held[0]) == bool(held[1]):
        return None
    locked, bare = scene.sides if held[0] else scene.sides[::-1]
    if all(lock.shared for lock in held[0] or held[1]):
        return None
    above = (bare.point.line or 0) <= (locked.point.line or 0) and scene.same_function
    if not locked.writes or bare.writes or (locked.here is None and not above):
        return None
    evidence: tuple[Evidence, ...] = (
        bare.told(f"{bare.does} without the lock"),
        locked.told(f"{locked.does} under {locking.names(held[0] or held[1])}"),
    )
    change = (
        f"Make {scene.what} with sync.Once, or read it with an atomic load and store it atomically."
    )
    if locked.here is None:
        return Hit(LIKELY, evidence, change, (bare.point,))
    names = {u.name for u in locked.here.uses if u.writes}
    checks = [c for c in locked.here.conditions if any(n in c.text for n in names)]
    if len(checks) < 2:
        return None
    evidence += (
        locked.told(
            f"`{checks[-1].text[:60]}` is checked on lines {checks[0].line} and {checks[-1].line}"
        ),
    )
    return Hit(SURE, evidence, change, (bare.point,), from_source=True)


RULE = Rule(
    "double-checked-locking",
    "publication",
    _find,
    "sync.Once, or atomic.Pointer",
    "One atomic load per use.",
    general=("partial-lock", "lazy-initialisation"),
    when=SOURCE | LOCKS,
)
