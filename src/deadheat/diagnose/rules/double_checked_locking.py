"""A check without the lock, then again with it.

## What it sees

Two actors in one function: one reads without a lock, the other writes a little further down with
one, or in a function that it called. With source: a check outside the lock, the lock, and the same
check again inside it, be it of the variable or of a flag beside it, in one function or in one that
it calls.

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

import re
from typing import TYPE_CHECKING

from deadheat.diagnose import locking
from deadheat.diagnose.rule import LIKELY, SURE, Hit, Rule
from deadheat.diagnose.traits import LOCKS, SOURCE

if TYPE_CHECKING:
    from deadheat.diagnose.finding import Evidence
    from deadheat.diagnose.scene import Scene, Side
    from deadheat.diagnose.source import Condition

# "if k := i.current; k != nil {", "if (Lexicon* known = shared_) {", "return s.ready && …"
_CHECK = re.compile(r"\b(?:el)?if\b|[!=]=\s*(?:nil|NULL|nullptr)\b")
_CALLERS = 3


def _find(scene: Scene) -> Hit | None:
    held = locking.locks(scene)
    if held is None or bool(held[0]) == bool(held[1]):
        return None
    locked, bare = scene.sides if held[0] else scene.sides[::-1]
    if all(lock.shared for lock in held[0] or held[1]):
        return None
    if not locked.writes or bare.writes or (locked.here is None and not _above(bare, locked)):
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
    checks = _checks(scene, locked) or _flag(locked)
    first = _first_check(scene, bare, locked)
    if not checks or (len(checks) < 2 and first is None):
        return None
    again, line = checks[-1], checks[0].line if first is None else first
    evidence += (locked.told(f"`{again.text[:60]}` is checked on lines {line} and {again.line}"),)
    return Hit(SURE, evidence, change, (bare.point,), from_source=True)


def _above(bare: Side, locked: Side) -> bool:
    """Is the read in a function that goes on to the write, and above the line that does?

    Where another function writes, the read may as well be the last line of the one that had it made.
    """
    for frame in locked.frames:
        if locked.written(frame) == bare.name != "":
            return frame != locked.site or (bare.point.line or 0) <= (frame.line or 0)
    return False


def _checks(scene: Scene, locked: Side) -> list[Condition]:
    """The conditions about the variable on the way to the write, the function's callers included."""
    names = {u.name for u in locked.here.uses if u.writes} if locked.here else set()
    found = []
    for frame in locked.frames[:_CALLERS]:
        seen = scene.around(frame)
        near = (*seen.guards, *seen.conditions) if seen else ()
        found += [c for c in near if any(n in c.text for n in names)]
    return sorted(set(found), key=lambda c: c.line)


def _flag(locked: Side) -> list[Condition]:
    """The checks of a flag beside the variable, one before the lock is taken and one after it."""
    here = locked.here
    if here is None or not here.held:
        return []
    near = sorted((*here.guards, *here.conditions), key=lambda c: c.line)
    taken = min(h.line for h in here.held)
    for name in {u.name for u in here.stores}:
        word = re.compile(rf"\b{re.escape(name)}\b")
        told = [c for c in near if word.search(c.text)]
        if told and told[0].line < taken <= told[-1].line:
            return told
    return []


def _first_check(scene: Scene, bare: Side, locked: Side) -> int | None:
    """The line of the bare read, if it is a check and its function leads to the write."""
    here = bare.here
    if here is None or not _CHECK.search(here.text):
        return None
    called = {c.name for c in here.calls}
    leads = any(locked.written(f) == bare.name for f in locked.frames[:_CALLERS])
    return here.line if leads or (locked.here and locked.here.function in called) else None


RULE = Rule(
    "double-checked-locking",
    "publication",
    _find,
    "sync.Once, or atomic.Pointer",
    "One atomic load per use.",
    general=("partial-lock", "lazy-initialisation"),
    when=SOURCE | LOCKS,
)
