"""A lock that was copied with the value that it guards.

## What it sees

With source, one of:

- Both sides hold a lock of the same name, at least one of them in a method with a value receiver,
  or on a parameter or variable that is a copy of the struct.
- A loop variable is a copy of each element, including the lock that the loop takes.
- A line calls a method with a value receiver, which locks the copy that the call made.
- The type that contains the lock is passed, returned, iterated over or stored by value somewhere in
  the package.
- In C and C++: the detector lists two locks for which the code has one name, and an object that
  contains the lock is copied.

From a report alone, one of:

- One side is inside of `Lock` or `Unlock`, the other reads the lock itself. Of an inlined lock only
  the atomic step is visible.
- Both sides are in one value-receiver method that writes shared data so deep in its code that a
  lock fits before it: each call has its own copy.

## Why it races

A copy of a mutex is another mutex. Each caller of a value-receiver method locks its own copy, while
maps, slices and pointers in the struct are still shared.

## Example

    func (c Counter) Inc(k string) { c.mu.Lock(); defer c.mu.Unlock(); c.m[k]++ }    // c is a copy

## Remedy

Use a pointer receiver and pass the struct by pointer. `go vet -copylocks` finds every other copy.

## When it is wrong

A struct that holds its mutex by pointer may be copied: the lock stays the same. From a report
alone: the value may contain no lock at all.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from deadheat.diagnose import depth, locking
from deadheat.diagnose.atomics import of_lock
from deadheat.diagnose.finding import Evidence, Point
from deadheat.diagnose.lifetime import gone_on
from deadheat.diagnose.naming import of_value, short, words
from deadheat.diagnose.rule import FAIR, LIKELY, STRONG, SURE, Hit, Rule
from deadheat.diagnose.traits import ABOVE, SOURCE, VALUE
from deadheat.diagnose.valued import copied_by_call
from deadheat.diagnose.vocabulary import GROWING, KEYED

if TYPE_CHECKING:
    from deadheat.diagnose.scene import Scene
    from deadheat.diagnose.side import Side
    from deadheat.diagnose.source import Held

_LOCKS = ("sync.(*Mutex).", "sync.(*RWMutex).")
_CONTAINS = GROWING | KEYED | {"set", "get", "swap", "delete", "less", "len", "remove"}
_CHANGE = (
    "Make the receiver, the parameter or the loop variable a pointer, so that all actors take the"
    " same lock."
)
# "&client{srv: s}", "Account{}": the value a local is initialised with
_MADE = re.compile(r"&?(?:\w{1,80}\.)?(\w{1,80})\{")


def _find(scene: Scene) -> Hit | None:
    if copied := _lock_itself(scene) or _in_loop(scene) or _of_value(scene) or _by_call(scene):
        return copied
    held = locking.locks(scene) if scene.sourced else None
    if held is None or not (held[0] and held[1]):
        return None
    if not scene.go:
        return _native(scene, *held)
    copies = tuple(one for side in scene.sides if (one := _copy(scene, side)))
    common = [name for name in locking.common(*held) if "(" not in name]
    if not common:
        return _of_element(scene)
    if not copies:
        return _elsewhere(scene, common[0])
    where = tuple(one.at for one in copies if one.at)
    confidence = SURE if len(copies) > 1 else STRONG
    return Hit(confidence, copies, _CHANGE, where, from_source=True)


def _native(scene: Scene, mine: list[locking.Lock], other: list[locking.Lock]) -> Hit | None:
    """Match C and C++: the detector lists two locks for which the code has one name."""
    if locking.common(mine, other) and not locking.from_source(scene):
        return None
    names = [{h.name: _owner(side, h) for h in side.held} for side in scene.sides]
    for lock in sorted(names[0].keys() & names[1].keys()):
        if names[0][lock] and (found := _elsewhere(scene, lock, names[0][lock])):
            return found
    return None


def _owner(side: Side, held: Held) -> str:
    """Return the type that contains a lock, by the lock's name or the method that takes it."""
    kind, dot, _ = held.name.partition(".")
    if dot:
        return kind
    return next((seen.receiver for _, seen in side.way if held in seen.held), "")


def _elsewhere(scene: Scene, lock: str, kind: str = "") -> Hit | None:
    """Match a type that is copied somewhere, if both sides hold a lock of it by the same name."""
    kind, site = kind or lock.partition(".")[0], scene.sides[0].site
    found = scene.source.copied(kind, site) if scene.source and site else None
    if found is None:
        return None
    path, line = found
    evidence = (
        *(side.told(f"{side.does} under `{lock}`") for side in scene.sides),
        Evidence(f"a value of `{kind}` is copied here, including its lock", Point(path, line)),
    )
    return Hit(LIKELY + 0.05, evidence, _CHANGE, (Point(path, line),), from_source=True)


def _lock_itself(scene: Scene) -> Hit | None:
    """Match one side that locks or unlocks, against one that reads the lock as part of a struct."""
    for taker, reader in scene.both:
        lock = next((f for f in taker.inner if f.function.startswith(_LOCKS)), None)
        if (
            lock is None
            or reader.writes
            or not reader.access.stack  # unknown access: it may have printed the whole object
            or reader.by_library  # `fmt.Sprintf("%v", s)` reads the lock without a copy
            or any(f.function.startswith("sync.") for f in reader.inner)
        ):
            continue
        evidence = (
            taker.told(f"`{short(taker.name)}` calls `{lock.function}`, which changes the lock"),
            reader.told(f"{reader.does} the lock itself: it copies the object that contains the lock"),
        )
        return Hit(STRONG + 0.04, evidence, _CHANGE, (reader.point,))
    for taker, reader in scene.both if scene.go and scene.source is None else ():
        if of_lock(taker) and not reader.writes and not reader.inner and reader.site:
            evidence = (
                taker.told(f"{taker.does}, as Lock and Unlock do"),
                reader.told(f"{reader.does} it, not atomically: it may copy the object with the lock"),
            )
            return Hit(FAIR, evidence, _CHANGE, (reader.point,))
    return None


def _by_call(scene: Scene) -> Hit | None:
    """Match `shop.Name()`, which copies the shop and then locks the copy."""
    found = copied_by_call(scene)
    if found is None:
        return None
    method = found.method
    at = Point(method.path, method.first)
    evidence = (
        found.reader.told(f"{found.reader.does}: the call copies a `{method.receiver}`, not locked"),
        Evidence(f"`{method.function}` takes `{method.held[0].name}` of that copy only", at),
        found.other.told(found.other.does),
    )
    return Hit(STRONG + 0.04, evidence, _CHANGE, (at,), from_source=True)


def _of_value(scene: Scene) -> Hit | None:
    """From a report alone: a value-receiver method writes shared data, with a lock of its own copy.

    Methods named like container operations are excluded: a map or slice type may have them.
    """
    if not scene.go or scene.source is not None or gone_on(scene) is not None:
        return None  # the function that started the worker should wait for it
    for writer, other in scene.both:
        told = words(writer.name)[:1]
        if not writer.writes or writer.inner or writer.closure or not of_value(writer.name):
            continue
        if _CONTAINS.intersection(told) or other.site is None:
            continue
        if not depth.may_be_locked(writer):
            continue  # it takes no lock at all
        if other.name != writer.name:
            continue  # in another method the other side has no copy
        evidence = (
            writer.told(f"{writer.does} in a method with a value receiver: its lock is a copy"),
            other.told(f"{other.does} there too, with another copy"),
        )
        return Hit(LIKELY, evidence, _CHANGE, (writer.point,))
    return None


def _in_loop(scene: Scene) -> Hit | None:
    """Match `for _, a := range accounts { a.mu.Lock() … }`, which locks the loop's copy."""
    for side, other in scene.both if scene.go and scene.sourced else ():
        here = side.here
        if here is None or not here.text.startswith("for "):
            continue
        if not other.held and not of_lock(other):
            continue
        for call in here.calls:
            base = call.on.partition(".")[0]
            told = here.names.get(base)
            if call.name not in ("Lock", "RLock") or told is None or told.how != "loop":
                continue
            if told.line == here.line:
                evidence = (
                    side.told(f"`{here.text[:60]}` copies each element, its lock included"),
                    other.told(f"{other.does} under the lock of the element itself"),
                )
                return Hit(STRONG + 0.04, evidence, _CHANGE, (side.point,), from_source=True)
    return None


def _of_element(scene: Scene) -> Hit | None:
    """Match a loop's `a.mu` against `Account.mu`: `for _, a := range all { a.mu.Lock(); … }`."""
    for side, other in scene.both:
        for held in side.held:
            base, _, field = held.name.partition(".")
            known = [seen.names[base] for _, seen in side.way if base in seen.names]
            if not field or not {"loop", "local"}.intersection(told.how for told in known):
                continue
            made = {told[1] for one in known if (told := _MADE.match(one.type.strip()))}
            for theirs in other.held:
                kind, _, same = theirs.name.partition(".")
                if same != field or kind == base or (made and kind not in made):
                    continue  # a lock of the same name in an unrelated type
                if found := _elsewhere(scene, held.name, kind):
                    return found
    return None


def _copy(scene: Scene, side: Side) -> Evidence | None:
    """Return the frame of a side that locks a copy of the struct."""
    for frame in side.frames:
        seen = scene.around(frame)
        if seen is None or not seen.held:
            continue
        copied = seen.by_value and _takes(seen.held, seen.receiver)
        for name, told in seen.names.items():
            kind = told.type.rpartition(".")[2]
            if told.how == "parameter" and "*" not in told.type and kind != "Locker":
                copied = copied or _takes(seen.held, kind)
            elif told.how == "local" and told.type.startswith("*"):
                copied = copied or _takes(seen.held, name)
        if copied:
            at = Point(seen.path, seen.first, frame.function)
            text = (
                f"`{seen.function}` takes {', '.join(f'`{h.name}`' for h in seen.held)} of a copy"
            )
            return side.told(text)._replace(at=at)
    return None


def _takes(held: tuple[Held, ...], owner: str) -> bool:
    """Return whether one of these locks is the owner or a field of it."""
    own = [h.name for h in held if "(" not in h.name]
    return bool(owner) and any(name == owner or name.startswith(f"{owner}.") for name in own)


RULE = Rule(
    "copied-lock",
    "locking",
    _find,
    "a pointer receiver",
    "None; callers pass a pointer.",
    general=("different-locks",),
    when=ABOVE | SOURCE | VALUE,
)
