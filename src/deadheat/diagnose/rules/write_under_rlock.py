"""A write under a lock that is held for reading only.

## What it sees

A side writes while every lock it holds is held for reading: `RLock` in Go, `rdlock` or
`shared_lock` in C and C++, `read M1` in ThreadSanitizer's list of mutexes. From a Go report alone,
with low rank: two actors in a method that by its name only reads (`Get`, `Lookup`) write on one
line, so deep in its code that a lock fits before it.

## Why it races

Several readers hold a read lock at once. A write among them is a write without a lock.

## Example

    func (s *Stats) Get(k string) int { s.mu.RLock(); defer s.mu.RUnlock(); s.hits++; return s.m[k] }

## Remedy

Take the lock for writing there, or make the counter atomic so that readers do not block each other.
If the other side holds no lock, it must take it too.

## When it is wrong

Helgrind does not list locks that are held for reading; then the code decides. From a Go report
alone: a method that takes no lock and does other work before it counts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from deadheat.diagnose import depth, locking, signals
from deadheat.diagnose.guessing import verb
from deadheat.diagnose.naming import is_test_file, short
from deadheat.diagnose.rule import EVEN, STRONG, SURE, Hit, Rule
from deadheat.diagnose.side import NAMED
from deadheat.diagnose.traits import LOCKS, ONE_FUNCTION, SOURCE
from deadheat.diagnose.vocabulary import MAKING, READING

if TYPE_CHECKING:
    from deadheat.diagnose.finding import Evidence
    from deadheat.diagnose.scene import Scene
    from deadheat.diagnose.side import Side

_NEAR = 2  # frames from the site outwards whose object may be the guarded one


def _find(scene: Scene) -> Hit | None:
    if signals.is_one(scene):
        return None  # a WaitGroup or channel is not guarded by a lock
    for side in scene.sides:
        if not side.writes:
            continue
        for source in (locking.told(scene, side), locking.read(side)):
            readers = [lock for lock in source or () if lock.shared]
            others = [lock for lock in source or () if not lock.shared]
            shared = _held_by_other(scene, side, readers)
            if others and _held_by_other(scene, side, others):
                continue  # both hold it for writing and still race: there are two objects
            if readers and (not others or shared):
                return _hit(scene, side, readers, shared)
    return _by_depth(scene)


def _hit(scene: Scene, side: Side, readers: list[locking.Lock], shared: bool) -> Hit:
    """Build the hit. If the other side holds no lock, it must take one too."""
    named = locking.names(readers)
    other = next((s for s in scene.sides if s is not side), None)
    evidence: tuple[Evidence, ...] = (
        side.told(f"{side.does} while {named} is held for reading only"),
    )
    sourced = side.here is not None
    held = locking.locks(scene)
    if shared or other is None or held is None or all(held):
        change = f"Take {named} for writing around this write, or make {scene.what} atomic."
        sure = EVEN if _is_anothers(scene, side, readers) else SURE
        return Hit(sure, evidence, change, (side.point,), from_source=sourced)
    evidence += (other.told(f"{other.does} without it"),)
    change = (
        f"Take one lock around both accesses, for writing around this write; use {named} if it"
        f" should guard {scene.what}."
    )
    return Hit(STRONG, evidence, change, (side.point, other.point), from_source=sourced)


def _is_anothers(scene: Scene, side: Side, readers: list[locking.Lock]) -> bool:
    """Return whether a distant caller holds the lock of another type than the written one.

    Such a caller looks something up in its own table and does not guard what it finds.
    """
    here = side.here
    if here is None or here.held or not locking.from_source(scene):
        return False
    near = {seen.receiver for _, seen in side.way[:_NEAR]} - {""}
    near |= {scene.shared.owner} if scene.shared else set()
    kinds = locking.owners(side)
    whose = {kinds.get(lock.name, "") for lock in readers}
    return bool(near) and "" not in whose and not near & whose


def _by_depth(scene: Scene) -> Hit | None:
    """From a Go report alone: two lookups write on one line, deep in a method.

    A lookup takes the lock for reading, and then counts.
    """
    if not scene.go or scene.source is not None or len(scene.sides) < 2:
        return None
    a, b = scene.sides
    if a.point != b.point or a.closure or a.inner or b.inner or not all(map(_may_hold, (a, b))):
        return None
    reads = next((f for f, _, told in a.named if told[0] in READING and ")." in f.function), None)
    if verb(a.name) in MAKING:
        return None  # lazy-initialisation
    if reads is None or a.frames[: NAMED - 1] != b.frames[: NAMED - 1] or reads not in b.frames:
        return None
    evidence = (
        a.told(f"two actors write on one line of `{short(a.name)}`, where a lock fits before"),
        a.told(f"both stacks contain `{short(a.written(reads))}`, which by its name only reads"),
    )
    change = (
        "If the lock is held for reading there, take it for writing around this write, or make"
        f" {scene.what} atomic."
    )
    return Hit(EVEN, evidence, change, (a.point,))


def _may_hold(side: Side) -> bool:
    """Return whether the method of the access may have taken a lock."""
    own = depth.whose(side) if depth.may_be_locked(side) else None
    return own is not None and ")." in own.function and not is_test_file(own.file)


def _held_by_other(scene: Scene, side: object, readers: list[locking.Lock]) -> bool:
    """Return whether the other side holds the same lock."""
    other = next((s for s in scene.sides if s is not side), None)
    held = (locking.told(scene, other) or locking.read(other) or []) if other else []
    return bool(locking.common(readers, held))


RULE = Rule(
    "write-under-rlock",
    "locking",
    _find,
    "the same lock, for writing; or sync/atomic",
    "Readers wait for this write; with an atomic counter they do not.",
    general=("missing-lock",),
    when=SOURCE | LOCKS | ONE_FUNCTION,
)
