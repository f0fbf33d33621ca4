"""A write under a lock that is held for reading only.

## What it sees

A side that writes while every lock it holds is held for reading: `RLock` in Go, `rdlock` or
`shared_lock` in C and C++, `read M1` in ThreadSanitizer's list of mutexes.

## Why it races

Readers hold a read lock together. A write among them is a write without a lock.

## Example

    func (s *Stats) Get(k string) int { s.mu.RLock(); defer s.mu.RUnlock(); s.hits++; return s.m[k] }

## Remedy

Take the lock for writing there, or make the thing that is counted atomic so that readers may go on
together.

## When it is wrong

Helgrind does not list locks that are held for reading; then the code decides.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from deadheat.diagnose import locking
from deadheat.diagnose.rule import SURE, Hit, Rule
from deadheat.diagnose.traits import LOCKS, SOURCE

if TYPE_CHECKING:
    from deadheat.diagnose.scene import Scene


def _find(scene: Scene) -> Hit | None:
    for side in scene.sides:
        if not side.writes:
            continue
        for source in (locking.told(scene, side), locking.read(side)):
            readers = [lock for lock in source or () if lock.shared]
            others = [lock for lock in source or () if not lock.shared]
            shared = _held_by_other(scene, side, readers)
            if readers and (not others or shared):
                named = locking.names(readers)
                evidence = (side.told(f"{side.does} while {named} is held for reading only"),)
                change = f"Take {named} for writing around this write, or make {scene.what} atomic."
                return Hit(SURE, evidence, change, (side.point,), from_source=side.here is not None)
    return None


def _held_by_other(scene: Scene, side: object, readers: list[locking.Lock]) -> bool:
    """Does the other side hold the same lock, so that it is the one that should have done?"""
    other = next((s for s in scene.sides if s is not side), None)
    held = (locking.told(scene, other) or locking.read(other) or []) if other else []
    return bool(locking.common(readers, held))


RULE = Rule(
    "write-under-rlock",
    "locking",
    _find,
    "the same lock, for writing; or sync/atomic",
    "Readers wait for this one; an atomic counter lets them go on.",
    general=("missing-lock",),
    when=SOURCE | LOCKS,
)
