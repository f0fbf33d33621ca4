"""A check without the lock, then again with it.

## What it sees

Two actors in one function: one reads without a lock, the other writes a little further down with
one, or in a function that it called. Go reports list no locks: there the distance only shows that a
lock fits in between, and the causes that this one refines (`lazy-initialisation`, a missing lock)
rank first.

With source: a check outside of the lock, the lock, and the same check again inside of it. The check
may be of the variable, of a flag next to it or a function that both call, in one function or in a
callee. The object made under the lock may race too.

## Why it races

The first check reads without order. It may see the pointer before it sees the data that the pointer
points to.

## Example

    if s.inst == nil {              // no lock
        s.mu.Lock()
        if s.inst == nil { s.inst = build() }
        s.mu.Unlock()
    }

## Remedy

Use `sync.Once`. Or make the first read an atomic load of an `atomic.Pointer`, and the write an
atomic store.

## When it is wrong

These are `partial-lock`: another reader without the lock in another function, a check before the
lock that is not repeated under it, and a check of another variable of the same name (`if err !=
nil` before the lock, `if p.err == nil` under it).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from deadheat.diagnose import locking
from deadheat.diagnose.conditions import is_another, is_named
from deadheat.diagnose.finding import Point
from deadheat.diagnose.guessing import SPAN, is_changing, looked_first
from deadheat.diagnose.lone import lone
from deadheat.diagnose.naming import is_test_file, short
from deadheat.diagnose.rule import EVEN, LIKELY, SURE, Hit, Rule
from deadheat.diagnose.side import point
from deadheat.diagnose.traits import BELOW, LOCKS, ONE_FUNCTION, SOURCE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deadheat.diagnose.finding import Evidence
    from deadheat.diagnose.scene import Scene
    from deadheat.diagnose.side import Side
    from deadheat.diagnose.source import Around, Condition
    from deadheat.model import Frame

# "if k := i.current; k != nil {", "if (Lexicon* known = shared_) {", "return s.ready && …"
_CHECK = re.compile(r"\b(?:el)?if\b|[!=]=\s*(?:nil|NULL|nullptr)\b")
_CALLERS, _CALLED = 3, 6
# generic functions: two calls of one need not be about the same value
_MEASURES = ("len", "cap", "min", "max", "new", "make", "sizeof", "strlen")
_CHANGE = "Make {what} with {once}, or read it with an atomic load and store it atomically."
_ONCE = {True: "sync.Once", False: "std::call_once or pthread_once"}


def _find(scene: Scene) -> Hit | None:
    if (one := lone(scene)) and one.again:
        shown = (
            one.side.told(f"{one.side.does} without the lock; {one.told}"),
            one.side.told(f"and again under it, line {one.again.line}; the other side is unknown"),
        )
        change = _CHANGE.format(what=scene.what, once=_ONCE[scene.go])
        return Hit(LIKELY, shown, change, (one.side.point,), from_source=True)
    held = locking.locks(scene)
    if held is None:
        return _made_later(scene) or _looked_twice(scene)
    if bool(held[0]) == bool(held[1]):
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
    change = _CHANGE.format(what=scene.what, once=_ONCE[scene.go])
    if locked.here is None:
        return Hit(LIKELY, evidence, change, (bare.point,))
    before, under = _checks(scene, locked)
    checks = [*before, *under] if under else _flag(locked.here)
    first = _first_check(scene, bare, locked)
    if first is not None and [c.line for c in checks] == [first]:
        return None  # one check, reached by a caller with the lock and one without
    looks = first is not None or _leads(scene, bare, locked)
    if checks and looks and (first is not None or before or not under):
        again, line = checks[-1], checks[0].line if first is None else first
        told = f"`{again.text[:60]}` is checked on lines {line} and {again.line}"
        return Hit(SURE, (*evidence, locked.told(told)), change, (bare.point,), from_source=True)
    if repeated := _again(scene, bare, locked):
        return Hit(SURE, (*evidence, repeated), change, (bare.point,), from_source=True)
    return None


_LOCKED = 3  # min. lines from a check to a write under the lock that follows a second check


def _made_later(scene: Scene) -> Hit | None:
    """From a Go report alone: a function reads, and a few lines below calls what creates the value.

    Lock, unlock and a second check take three lines; a direct creation takes fewer.
    """
    for reader, maker in scene.both if scene.go else ():
        if reader.writes or not maker.writes or reader.closure or maker.inner or reader.inner:
            continue
        caller = maker.frames[1] if len(maker.frames) > 1 else None
        if reader.site is None or caller is None or caller.function != reader.site.function:
            continue
        down = (caller.line or 0) - (reader.site.line or 0)
        if not _LOCKED <= down <= SPAN or is_test_file(caller.file) or is_changing(maker.name):
            continue
        evidence = (
            reader.told(reader.does),
            maker.told(
                f"`{short(reader.name)}` calls it {down} lines below, if the value is missing"
            )._replace(at=point(caller)),
            maker.told(f"{maker.does}: a lock and a second check fit between the two"),
        )
        change = _CHANGE.format(what=scene.what, once=_ONCE[scene.go])
        return Hit(EVEN, evidence, change, (reader.point, point(caller)))
    return None


def _looked_twice(scene: Scene) -> Hit | None:
    """From a Go report alone: a function reads first and writes far below; a lock fits between."""
    found = looked_first(scene)
    if found is None:
        return None
    reader, maker, down = found
    evidence = (
        reader.told(f"{reader.does} it first"),
        maker.told(f"{maker.does} {down} lines below: a lock and a second check fit between"),
    )
    change = _CHANGE.format(what=scene.what, once=_ONCE[scene.go])
    return Hit(EVEN, evidence, change, (reader.point, maker.point))


def _leads(scene: Scene, bare: Side, locked: Side) -> bool:
    """Return whether the reader without the lock continues to the code that checks again."""
    if any(locked.written(f) == bare.name for f in locked.frames):
        return True
    makers = {seen.function for _, seen in locked.way[:_CALLERS]}
    for frame, seen in bare.way[:_CALLERS]:
        called = {c.name for c in seen.calls}
        inner = [one for n in sorted(called)[:_CALLED] if (one := scene.defined(n, frame))]
        if makers & (called | {c.name for one in inner for c in one.calls}):
            return True
    return False


def _again(scene: Scene, bare: Side, locked: Side) -> Evidence | None:
    """Match a function that checks without the lock, itself or in a callee, and again with it."""
    for there in filter(None, map(scene.around, locked.frames[:_CALLERS])):
        for frame, seen in _ways(scene, bare, there.function) if there.held else ():
            leads = [c for c in seen.calls if c.name == there.function]
            itself = (seen.path, seen.first) == (there.path, there.first)
            if not (leads or itself):
                continue
            if twice := _flag(there):
                told = (
                    f"`{there.function}` checks `{twice[0].text[:60]}` without the lock and with it"
                )
                return bare.told(told)._replace(at=Point(there.path, twice[0].line))
            if itself or not leads:
                continue
            # what the function sets, or a check function that both call: `stale()`
            asked = {f"{c.name}(" for c in seen.calls if c.name not in _MEASURES}
            asked |= {u.name for u in there.stores}
            asked -= {f"{there.function}("}
            taken = min(h.line for h in there.held)
            before = scene.around(frame._replace(line=leads[0].line))
            first = next(iter(_asking(before, asked)), None) if before else None
            same = {name for name in asked if first and is_named(name, first.text)}
            again = next((c for c in _asking(there, same) if c.line >= taken), None)
            if again and first:
                told = (
                    f"`{first.text[:60]}` is checked before `{there.function}` is called, and again"
                    f" under its lock: `{again.text[:60]}`, line {again.line}"
                )
                return bare.told(told)._replace(at=Point(seen.path, first.line))
    return None


def _ways(scene: Scene, bare: Side, maker: str) -> Iterator[tuple[Frame, Around]]:
    """Yield the code that led to the unlocked read, and earlier callees of it that call the maker."""
    for frame, seen in bare.way[:_CALLERS]:
        yield frame, seen
        for call in [c for c in seen.calls if c.line <= seen.line][:_CALLED]:
            inner = scene.defined(call.name, frame) if call.name != maker else None
            if inner and any(c.name == maker for c in inner.calls):
                file = frame.file[: frame.file.rfind("/") + 1] + inner.path.rpartition("/")[2]
                yield frame._replace(file=file, path=file, function=call.name), inner


def _asking(seen: Around, names: set[str]) -> list[Condition]:
    """Return the conditions that lead to a line and mention one of these names."""
    near = sorted((*seen.guards, *seen.conditions), key=lambda c: c.line)
    return [c for c in near if any(is_named(n, c.text, n in seen.names) for n in names)]


def _above(bare: Side, locked: Side) -> bool:
    """Return whether the read is in a function that leads to the write, above the line that does so.

    If another function writes, the read may also be the last line of the function that called it.
    """
    for frame in locked.frames:
        if locked.written(frame) == bare.name != "":
            return frame != locked.site or (bare.point.line or 0) < (frame.line or 0)
    return False


def _checks(scene: Scene, locked: Side) -> tuple[list[Condition], list[Condition]]:
    """Return the conditions on the variable that lead to the write: before the lock, and under it.

    A check before the lock that is not repeated is only a fast path.
    """
    written = [u for u in locked.here.uses if u.writes] if locked.here else []
    before: set[Condition] = set()
    under: set[Condition] = set()
    taken = False  # an inner function holds the lock
    for seen in filter(None, map(scene.around, locked.frames[:_CALLERS])):
        near = [
            c
            for c in (*seen.guards, *seen.conditions)
            if any(is_named(u.name, c.text, is_another(u, seen)) for u in written)
        ]
        since = min((h.line for h in seen.held), default=0)
        inside = [] if taken else [c for c in near if c.line >= since]
        under.update(inside)
        before.update(c for c in near if c not in inside)
        taken = taken or bool(seen.held)
    return sorted(before, key=_line), sorted(under, key=_line)


def _line(condition: Condition) -> int:
    return condition.line


def _flag(here: Around) -> list[Condition]:
    """Return the checks of a flag next to the variable, one before the lock is taken and one after."""
    if not here.held:
        return []
    near = sorted((*here.guards, *here.conditions), key=lambda c: c.line)
    taken = min(h.line for h in here.held)
    first = [c for c in near if c.line < taken]
    for check in first:
        if twice := [c for c in near if c.line >= taken and c.text == check.text]:
            return [check, *twice]
    for name, other in {(u.name, is_another(u, here)) for u in here.stores}:
        told = [c for c in near if is_named(name, c.text, other)]
        if told and told[0].line < taken <= told[-1].line:
            return told
    return []


def _first_check(scene: Scene, bare: Side, locked: Side) -> int | None:
    """Return the line of the unlocked read, if it is a check and its function leads to the write."""
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
    when=SOURCE | LOCKS | BELOW | ONE_FUNCTION,
)
