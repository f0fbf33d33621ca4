"""A lock on one side only.

## What it sees

One side holds a lock, the other holds none: as listed by the detector, or by the code around the
racing lines and their callers (distant callers only if the whole call chain consists of methods of
one type). Not counted: locks that a worker's starter holds, and a read lock that a server holds
while a library calls its handlers. A lock next to a collection in an object guards the collection.

With source also:

- A map or slice is returned under the lock and used after it.
- The reader of an object holds a lock of another type, but not the object's lock.
- No lock is visible, but the comment of one side's function says that its caller holds it.
- A Go report lost one stack, and the other side accesses a field without the lock under which most
  methods of its type do.
- In Go: one side takes a lock while a library prints, compares or encodes the object that contains
  it.

From a Go report alone: one side is in a function named as called with the lock (`flushLocked`), the
other is not. With low rank: an exported method writes so deep in its code that a lock with a
deferred unlock fits before it, while the other side reads where none fits.

## Why it races

A lock orders only actors that take it. The side without it runs in the middle of the other's
critical section.

## Example

    func (m *Manager) Open(id string)   { m.mu.Lock(); defer m.mu.Unlock(); m.sessions[id] = … }
    func (m *Manager) Lookup(id string) { return m.sessions[id] }    // no lock

## Remedy

Take the same lock on the other side, for reading if it is an `RWMutex`.

## When it is wrong

- The lock may guard something else. A caller's lock of another type ranks low; so does one that the
  detector lists and no code on the call chain takes.
- A lock taken in a function that the detector left out of the stack is not seen.
- A lock does not help against a destructor or the destruction of a lock (`teardown-vs-worker`),
  where one side is atomic, or for `close` of a channel and `Add` and `Wait` of a group.
- Not guarded by the lock: a variable captured by a closure, a field that the product only reads and
  a test sets in a new object, and a field that set-up stores once after it started the reader.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from deadheat.diagnose import depth, locking, signals
from deadheat.diagnose.atomics import is_atomic, of_lock
from deadheat.diagnose.capture import captured
from deadheat.diagnose.elsewhere import guarded_elsewhere
from deadheat.diagnose.fresh import is_made_here
from deadheat.diagnose.indirect import begun_above, replaced_by_test
from deadheat.diagnose.lending import kept
from deadheat.diagnose.meeting import may_be_ordered
from deadheat.diagnose.naming import short, words
from deadheat.diagnose.rule import EVEN, FAIR, LIKELY, STRONG, SURE, WEAK, Hit, Rule
from deadheat.diagnose.taking_apart import ends_it
from deadheat.diagnose.traits import ABOVE, DEEP, LOCKED, LOCKS, SOURCE
from deadheat.diagnose.unsafe_types import given, named
from deadheat.diagnose.valued import copied_by_call
from deadheat.diagnose.vocabulary import GROWING, JOINING, KEYED
from deadheat.model import Origin

if TYPE_CHECKING:
    from deadheat.diagnose.scene import Scene
    from deadheat.diagnose.side import Side
    from deadheat.model import Frame

_COLLECTS = GROWING | JOINING | KEYED | {"add", "store", "log", "accept", "pop", "steal"}


# "map[string]int64", "[]*Row", "*Table": result types that share the object instead of a copy
_WHOLE = re.compile(r"\(?(?:map\[|\[\]|\*)")
_MAPS = re.compile(r"^(?:runtime|reflect)\.map[a-z]")
# "&raft{group: g}", "*server.Account", "Table"
_KIND = re.compile(r"[&*]?(?:\w{1,80}\.)?(\w{1,80})(?:\{|$)")
_MOST = 4
_CALLERS = 0.8  # confidence for a lock that no function on the call chain takes
# "sync.(*Mutex).Lock", "sync.(*Cond).Wait", "atomic.LoadInt32"
_TAKES = re.compile(r"^sync\.\(\*(?:Mutex|RWMutex|Cond)\)\.")
_SYNC = re.compile(r"^(?:sync|atomic)\.")
# by comment (True) or by name (False)
_NAMED = {
    True: "has a comment that its caller holds the lock",
    False: "has a name that says that its caller holds the lock",
}
_RANGES = ("runtime.racereadrange", "runtime.racewriterange")


def _find(scene: Scene) -> Hit | None:
    if signals.is_one(scene):
        return None  # a WaitGroup or channel is not guarded by a lock
    held = locking.locks(scene)
    if held is None:
        return _looked_into(scene) or _named(scene) or _by_depth(scene) or _elsewhere(scene)
    if held[0] and held[1]:
        return _of_another(scene)
    if not held[0] and not held[1]:
        return _looked_into(scene) or _named(scene) if locking.from_source(scene) else None
    if _is_counted(scene):
        return None  # one side is atomic: mixed-atomic
    with_, without = scene.sides if held[0] else scene.sides[::-1]
    locks = held[0] or held[1]
    if not without.access.stack:
        return None  # the detector lost that stack, locks included
    if ends_it(without):
        return None  # a lock does not help: the object is destroyed
    if without.writes and locking.is_overwritten(without, with_):
        return None  # a lock does not help: the lock itself is overwritten
    if _is_its_own(scene, with_, without):
        return None  # a captured local: the lock is held for something else
    if all(lock.shared for lock in locks) and with_.writes:
        return None  # a write under a read lock: write-under-rlock
    if replaced_by_test(scene) or begun_above(scene):
        return None  # no store to it is under the lock, which is held for something else
    if copied_by_call(scene):
        return None  # the line calls a method that locks a copy: copied-lock
    if scene.sourced and _is_lost(without) and not _names_it(scene, without):
        return None  # the detector lost the function that should hold the lock
    taken = locking.names(locks)
    evidence = (
        with_.told(f"{with_.does} under {taken}"),
        without.told(f"{without.does} without {'them' if ' and ' in taken else 'it'}"),
    )
    change = f"Take {taken} around this access too."
    sure = _confidence(scene, with_, locks)
    return Hit(sure, evidence, change, (without.point,), from_source=locking.from_source(scene))


def _confidence(scene: Scene, with_: Side, locks: list[locking.Lock]) -> float:
    """Return the confidence: higher if the lock belongs to the object of the variable."""
    by_code = locking.from_source(scene)
    own = [lock.name for lock in locks] if by_code else [h.name for h in with_.held]
    if any(beside(name, scene) for name in own) or _of_the_object(scene, with_):
        return SURE
    if not by_code and _of_it(scene, with_):
        return STRONG
    if by_code and scene.shared and scene.shared.owner and not is_made_here(scene, with_):
        # a lock of another type may guard that type's data, more likely if a caller holds it
        near = with_.here is not None and with_.here.held
        return LIKELY if near or any(kept(with_)) else EVEN
    if scene.sides[0].point == scene.sides[1].point:
        return WEAK  # same line: the caller's lock guards something else
    if not scene.sourced:
        return LIKELY if scene.report.detector == "tsan" else FAIR
    # a lock that no function on the call chain takes may guard something else
    return STRONG if by_code or with_.held else _CALLERS


def _is_counted(scene: Scene) -> bool:
    """Return whether only one side is atomic: then the lock is about something else."""
    name = scene.shared.name if scene.shared else ""
    a, b = scene.sides
    both = is_atomic(a, name), is_atomic(b, name)
    return both[0] != both[1] and not of_lock(a if both[0] else b)


def _is_its_own(scene: Scene, with_: Side, without: Side) -> bool:
    """Return whether a closure races for a captured local, and the lock is no local."""
    found = captured(scene)
    if found is None or found.inner is not without or found.declared is None:
        return False
    here = with_.here
    return here is not None and not any(
        held.name.partition(".")[0] in here.names for held in with_.held
    )


def _of_another(scene: Scene) -> Hit | None:
    """Match two locks, one of which guards another object: the session's, not the cursor's."""
    found = locking.guardian(scene)
    if found is None:
        return None
    with_, without, lock = found
    others = ", ".join(f"`{h.name}`" for h in without.held)
    evidence = (
        with_.told(f"{with_.does} under `{lock}`"),
        without.told(f"{without.does} under {others} only, of another type"),
    )
    change = f"Take `{lock}` around this access too."
    return Hit(STRONG, evidence, change, (without.point,), from_source=True)


def _looked_into(scene: Scene) -> Hit | None:
    """Match a library that prints, compares or encodes an object whose lock the other side takes."""
    for taker, looker in scene.both if scene.go else ():
        if looker.writes or not looker.by_library or looker.above(_SYNC):
            continue
        if not (taker.above(_TAKES) or of_lock(taker)):
            continue
        evidence = (
            taker.told(f"{taker.who} locks or unlocks a lock"),
            looker.told(f"{looker.who} reads the whole object, including its lock, without it"),
        )
        change = (
            "Take the lock around this call, or read only immutable fields there: with a `String`"
            " method, or from a copy."
        )
        return Hit(FAIR + 0.05, evidence, change, (looker.point,))
    return None


def _named(scene: Scene) -> Hit | None:
    """Match a function that by its name (`flushLocked`) or comment is called with the lock held.

    The other side may claim the same, if its caller does not hold the lock.
    """
    for with_, without in scene.both:
        frame = with_.locked
        if frame is None or without.site is None or without.inner or with_.breaks_its_word:
            continue
        if without.locked and not without.breaks_its_word:
            continue
        told = "its caller does not hold it" if without.locked else "its name does not say so"
        seen = scene.around(frame)
        commented = seen is not None and seen.wants_lock
        evidence = (
            with_.told(f"`{short(frame.function)}` {_NAMED[commented]}"),
            without.told(f"{without.does}; {told}"),
        )
        change = "Take that lock around this access too."
        sure = LIKELY if commented else FAIR + 0.05
        return Hit(sure, evidence, change, (without.point,), from_source=commented)
    return None


def _by_depth(scene: Scene) -> Hit | None:
    """From a Go report alone: an exported method writes so deep that a lock fits before it.

    Without a lock such a method usually writes at once; an unexported one may do other work first.
    """
    if scene.source is not None or scene.same_function or may_be_ordered(scene):
        return None
    for writer, reader in scene.both:
        if not writer.writes or reader.writes or writer.inner or reader.inner:
            continue
        own = depth.may_be_locked(writer) and depth.is_own(writer)
        if not own or reader.closure or not _is_called_by_others(writer.site):
            continue
        if _COLLECTS.intersection(words(writer.name)[:1]):
            continue  # append takes as much code as a lock
        if _is_called_by_others(reader.site) and _may_take_one(reader):
            continue  # both may take a lock
        evidence = (
            writer.told(f"{writer.does}; a lock and its release fit before the write"),
            reader.told(f"{reader.does} it elsewhere"),
        )
        change = (
            "If a lock is held there, take it around this access too; if not, add one for both."
        )
        return Hit(EVEN, evidence, change, (reader.point,))
    return None


def _may_take_one(side: Side) -> bool:
    """Return whether a lock fits before the access in its own function."""
    return depth.may_be_locked(side) and depth.whose(side) == side.site


def _is_called_by_others(frame: Frame | None) -> bool:
    """Return whether it is an exported method of a pointer type: `session.(*Table).Login`."""
    _, method, bare = frame.function.rpartition(").") if frame else ("", "", "")
    return bool(method) and bare.isalnum() and bare[0].isupper()


def _elsewhere(scene: Scene) -> Hit | None:
    """Match a lost stack, and a side without the lock that most methods of the type hold."""
    found = guarded_elsewhere(scene)
    if found is None:
        return None
    side, lock, held, all_ = found
    evidence = (
        side.told(f"{side.does} without `{lock}`"),
        side.told(f"{held} of {all_} other methods that touch {scene.what} hold `{lock}`"),
        side.told("the stack of the other side is missing"),
    )
    change = f"Take `{lock}` around this access too."
    return Hit(FAIR + 0.05, evidence, change, (side.point,), from_source=True)


def _is_lost(side: Side) -> bool:
    """Return whether a function may be missing between the site and the frames above it.

    The frames of an encoder are complete. A library type that is not safe to share is another
    cause.
    """
    if all(f.function.startswith(_RANGES) for f in side.inner):
        return False  # a struct that is copied
    encodes = bool(side.inner) and side.inner[-1].origin is Origin.STDLIB
    kept = any(named(f.function) and not given(side, f) for f in side.inner)
    return bool(side.inner) and (not encodes or kept)


def _names_it(scene: Scene, side: Side) -> bool:
    """Return whether its line accesses the variable, directly or through a call that returns it."""
    here, site, shared = side.here, side.site, scene.shared
    if here is None or site is None or shared is None:
        return False
    if any(u.name == shared.name for u in here.uses):
        return True
    asked = [c.name for c in here.calls if c.line == here.line][:_MOST]
    given = [scene.defined(name, site, shared.owner) for name in asked]
    whole = [one for one in given if one and _is_whole(scene, one.results)]
    return any(shared.name in one.returned for one in whole)


def _is_whole(scene: Scene, results: str) -> bool:
    """Return whether a call returns the object itself. `Set[string]` counts if it is a map."""
    if _WHOLE.match(results):
        return True
    a_map = any(side.above(_MAPS) for side in scene.sides)
    return a_map and scene.shared is not None and results == scene.shared.type


def _of_it(scene: Scene, side: Side) -> bool:
    """Return whether the lock is a member of the type whose member the line accesses."""
    here = side.here
    if here is None:
        return False
    told = [here.names[u.path[0]].type for u in here.uses if u.path[0] in here.names]
    kinds = {kind.strip("*& ").rpartition(" ")[2] for kind in told} - {""}
    if any(h.name.partition(".")[0] in kinds for h in side.held if "." in h.name):
        return True
    for seen in filter(None, map(scene.around, side.frames)):
        if here.receiver and seen.receiver == here.receiver and seen.held:
            return True
    return False


def _of_the_object(scene: Scene, side: Side) -> bool:
    """Return whether it is the lock of a local of the variable's type: `n := &raft{…}; n.Lock()`."""
    shared = scene.shared
    if shared is None or not shared.owner or not locking.from_source(scene):
        return False
    bases = [
        (seen.names, held.name.partition(".")[0]) for _, seen in side.way for held in seen.held
    ]
    kinds = [_KIND.match(names[base].type.strip()) for names, base in bases if base in names]
    return any(kind is not None and kind[1] == shared.owner for kind in kinds)


def beside(lock: str, scene: Scene) -> bool:
    """Return whether the lock is in the same object as the variable."""
    shared = scene.shared
    return bool(shared and shared.owner and lock.partition(".")[0] == shared.owner)


RULE = Rule(
    "partial-lock",
    "locking",
    _find,
    "the lock that is there",
    "One more holder of a lock that exists.",
    general=("missing-lock",),
    when=SOURCE | LOCKS | LOCKED | DEEP | ABOVE,
)
