"""No lock on either side.

## What it sees

Two accesses to the same memory, at least one of them a write, and no lock on either: by the
detector's word (ThreadSanitizer, Helgrind) or by the code's. From a Go report alone it is the usual
reason for two plain accesses that show no other mechanism: not a container, not a captured
variable, not a teardown. With source, where the package's own worker is met, who meets it must wait for
it only afterwards, or the worker go on for ever: else a wait may be missing as well as a lock.

## Why it races

Nothing orders the two accesses. The reader may see an old value, half of a new one, or one that was
never written.

## Example

    func (c *Config) SetLevel(l int) { c.level = l }
    func (c *Config) Level() int     { return c.level }

## Remedy

One mutex beside the data that every access takes; for a single word an atomic; for settings that
are replaced as a whole an `atomic.Pointer` to a value that is never changed.

## When it is wrong

From a report alone: one side may hold a lock (`partial-lock`), or the two sides may be meant to run
one after the other, so that an order is missing and not a lock. Where a package's own worker, which
it started and left running, meets a later call of the same package, that is as likely, and the
answer is `unknown`, unless the worker still runs and was started by who is called so (`Start`, `Open`;
`Run` may have given it up).
So it is where a function has started the worker, gone on, and meets it; and where a worker that `main`
started has ended, and a method of the same type, which is not called to look only, reads what it wrote.
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
# what Go's detector does not tell
_IF_ONE = (
    "If one of the two sides already holds a lock for it, take that one on the other side, too."
)


def _find(scene: Scene) -> Hit | None:
    if scene.report.kind not in ("data-race", "race-on-external-object") or len(scene.sides) < 2:
        return None
    if any(side.site is None for side in scene.sides) or any(s.atomic for s in scene.sides):
        return None
    change = (
        f"Take one mutex around every access to {scene.what}, or make it atomic if it is a single"
        " word that stands alone."
    )
    held = locking.locks(scene)
    if held is None:
        change = f"{_IF_ONE} Else: {change[0].lower()}{change[1:]}" if scene.go else change
        evidence = tuple([side.told(side.does) for side in scene.sides])
        confidence = FAIR if scene.go else WEAK + 0.15
        if may_be_ordered(scene):
            confidence = WEAK + 0.05  # a wait, or a timer's stop, may be missing as well as a lock
        return Hit(confidence, evidence, change, scene.points)
    if any(held):
        return None
    evidence = tuple([side.told(f"{side.does} without a lock in sight") for side in scene.sides])
    confidence = LIKELY if scene.sourced else WEAK + 0.05 if may_be_ordered(scene) else FAIR
    if scene.sourced and _may_be_order(scene):
        confidence = WEAK + 0.05  # somebody waits or tells: it may be the order that is wrong
    return Hit(confidence, evidence, change, scene.points, from_source=scene.sourced)


def _may_be_order(scene: Scene) -> bool:
    """May it be that who meets a package's own worker should have waited for it?

    In Go, where somebody waits or tells; in C, where the worker does not go on for ever. Not where who
    meets it waits for it only afterwards, and so means to run beside it.
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
    """Does the code on the way to its access tell others of something, or wait for it?"""
    if _is_daemon(scene, side):
        return False  # it goes round and round, and waits for its own turns only
    for frame in side.frames[:_NEAR]:
        seen = None if is_test_file(frame.file) else scene.around(frame)
        if seen and (seen.sends or seen.receives or any(c.name in _ORDERS for c in seen.calls)):
            return True
        if is_closure(frame.function):
            break  # who calls a closure runs it for others
    return False


def _is_daemon(scene: Scene, side: Side) -> bool:
    """Does a worker run for as long as who had it started does, who is the other side?"""
    other = next((s for s in scene.sides if s is not side), None)
    # every test is run by the same few functions
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
