"""No lock on either side.

## What it sees

Two accesses to the same memory, at least one of them a write, and no lock on either side: as listed
by the detector (ThreadSanitizer, Helgrind) or by the code. From a Go report alone it is the usual
cause of two non-atomic accesses that show no other mechanism: no container, no captured variable,
no teardown.

With source, if one side is a worker of the package, the other side must wait for it only
afterwards, or the worker must run forever. Otherwise a wait may be missing instead of a lock.

## Why it races

Nothing orders the two accesses. The reader may see an old value, part of a new one, or one that was
never written.

## Example

    func (c *Config) SetLevel(l int) { c.level = l }
    func (c *Config) Level() int     { return c.level }

## Remedy

One mutex next to the data that every access takes. For a single word use an atomic. For settings
that are replaced as a whole use an `atomic.Pointer` to an immutable value.

## When it is wrong

From a report alone, one side may hold a lock (`partial-lock`), or the two sides should run one
after the other, so that an order is missing. The answer is `unknown` if that is as likely:

- A worker that the package started and left running races with a later call of the package.
  Exception: the worker still runs and its starter is named so (`Start`, `Open`; not `Run`, which
  may have abandoned it).
- A function races with the worker that it started before.
- A worker that `main` started has ended, and a method of the same type, not named like a lookup,
  reads what it wrote.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from deadheat.diagnose import locking
from deadheat.diagnose.early import waits_after
from deadheat.diagnose.lifetime import own_worker
from deadheat.diagnose.meeting import may_be_ordered
from deadheat.diagnose.naming import is_closure, is_test_file
from deadheat.diagnose.ordering import runs_on
from deadheat.diagnose.rule import FAIR, LIKELY, WEAK, Hit, Rule

if TYPE_CHECKING:
    from deadheat.diagnose.scene import Scene
    from deadheat.diagnose.side import Side

_ORDERS = ("Wait", "Done", "close", "cancel", "Signal", "Broadcast")
_NEAR = 3
# for Go, whose detector lists no locks
_IF_ONE = (
    "If one of the two sides already holds a lock for it, take that lock on the other side too."
)


def _find(scene: Scene) -> Hit | None:
    if scene.report.kind not in ("data-race", "race-on-external-object") or len(scene.sides) < 2:
        return None
    if any(side.site is None for side in scene.sides) or any(s.atomic for s in scene.sides):
        return None
    change = (
        f"Take one mutex around every access to {scene.what}, or make it atomic if it is a single"
        " independent word."
    )
    held = locking.locks(scene)
    if held is None:
        change = f"{_IF_ONE} Else: {change[0].lower()}{change[1:]}" if scene.go else change
        evidence = tuple([side.told(side.does) for side in scene.sides])
        confidence = FAIR if scene.go else WEAK + 0.15
        if may_be_ordered(scene):
            confidence = WEAK + 0.05  # a wait, or the stop of a timer, may be missing instead
        return Hit(confidence, evidence, change, scene.points)
    if any(held):
        return None
    evidence = tuple([side.told(f"{side.does} without a visible lock") for side in scene.sides])
    confidence = LIKELY if scene.sourced else WEAK + 0.05 if may_be_ordered(scene) else FAIR
    if scene.sourced and _may_be_order(scene):
        confidence = WEAK + 0.05  # somebody waits or signals: the order may be wrong
    return Hit(confidence, evidence, change, scene.points, from_source=scene.sourced)


def _may_be_order(scene: Scene) -> bool:
    """Return whether the other side should perhaps have waited for a worker of its package.

    In Go if somebody waits or signals, in C if the worker does not run forever. Not if the other
    side waits for the worker only afterwards: then both should run concurrently.
    """
    met = own_worker(scene)
    if met is None:
        return False
    if scene.go:
        may = any(_waits(scene, side) for side in scene.sides)
    else:
        may = not any(runs_on(scene, frame) for frame in met[0].frames[:_NEAR])
    return may and waits_after(scene, met[1]) is None


def _waits(scene: Scene, side: Side) -> bool:
    """Return whether the code that led to the access waits or signals."""
    if _is_daemon(scene, side):
        return False  # it loops and waits for its own iterations only
    for frame in side.frames[:_NEAR]:
        seen = None if is_test_file(frame.file) else scene.around(frame)
        if seen and (seen.sends or seen.receives or any(c.name in _ORDERS for c in seen.calls)):
            return True
        if is_closure(frame.function):
            break  # the caller of a closure runs it for others
    return False


def _is_daemon(scene: Scene, side: Side) -> bool:
    """Return whether a worker runs as long as its starter, which is the other side."""
    other = next((s for s in scene.sides if s is not side), None)
    # all tests have frames of the testing package in common
    now = {f.function for f in other.true if f.package != "testing"} if other else set()
    lasts = side.is_worker and any(f.function in now for f in side.created)
    return lasts and any(runs_on(scene, frame) for frame in side.frames[:_NEAR])


RULE = Rule(
    "missing-lock",
    "locking",
    _find,
    "sync.Mutex, sync/atomic for a single word",
    "A lock per access, held for a few instructions.",
)
