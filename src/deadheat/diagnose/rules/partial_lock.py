"""A lock on one side only.

## What it sees

One side holds a lock, the other holds none: by the detector's word, or by the code around the racing
lines and their callers (those further out only where all of the way are methods of one type); what a
worker's starter holds is not the worker's, and a lock for reading that a server holds while a library
calls its handlers is not theirs; one that lies beside a set in an object is the set's. With source
also: a map or a slice that was given back under the lock and is used after it; who only reads an object
does so without the object's own lock, under a lock of another type; no lock is in sight, but the
comment on one side's function says that its caller holds it; where a Go report has lost the stack of
one side, the other touches a field without the lock under which most other methods of its type do. In
Go: one side takes a lock, while a library prints, compares or encodes the object that the lock is a
part of. From a Go report alone: one side is in a function whose name says that its caller holds the
lock (`flushLocked`), the other in none. That what others call writes so deep in its own code that a
lock and its deferred release fit in front, while the other side reads where none fits, is told as well,
but not first.

## Why it races

A lock orders only those who take it. The side without it runs into the middle of the other's
critical section.

## Example

    func (m *Manager) Open(id string)   { m.mu.Lock(); defer m.mu.Unlock(); m.sessions[id] = … }
    func (m *Manager) Lookup(id string) { return m.sessions[id] }    // no lock

## Remedy

Take the same lock on the other side, for reading if it is an `RWMutex`.

## When it is wrong

The lock that is held may guard something else, with this access inside it by accident. A lock that
is taken in a function that the detector left out of the stack is not seen. A lock of another type that
a caller holds guards that one's own things more often than not, and is told, but not first; one that
the detector tells of, and that no code on the way takes, is worth less. No lock helps against a
destructor or what takes a lock apart: that is a teardown. Where one
side is atomic, the other lacks an atomic and no lock; no lock orders a `close` of a channel, or `Add`
and `Wait` of a group; and what a function's closure captures is not guarded by the lock of an object
that the function happens to hold. Nor is a field that the product only reads, and that a test sets in
what it has just had made; nor one that set-up stores once, without it, below the call that has led to
the reader's start.
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


# "map[string]int64", "[]*Row", "*Table": what is given back is the thing itself, and no copy
_WHOLE = re.compile(r"\(?(?:map\[|\[\]|\*)")
_MAPS = re.compile(r"^(?:runtime|reflect)\.map[a-z]")
# "&raft{group: g}", "*server.Account", "Table"
_KIND = re.compile(r"[&*]?(?:\w{1,80}\.)?(\w{1,80})(?:\{|$)")
_MOST = 4  # calls of a line that are followed
_CALLERS = 0.8  # what a lock is worth that no function on the way takes
# "sync.(*Mutex).Lock", "sync.(*Cond).Wait", "atomic.LoadInt32"
_TAKES = re.compile(r"^sync\.\(\*(?:Mutex|RWMutex|Cond)\)\.")
_SYNC = re.compile(r"^(?:sync|atomic)\.")
# does a function's comment say so, or only its name?
_NAMED = {
    True: "has a comment by which its caller holds the lock",
    False: "is called like one whose caller holds the lock",
}
_RANGES = ("runtime.racereadrange", "runtime.racewriterange")


def _find(scene: Scene) -> Hit | None:
    if signals.is_one(scene):
        return None  # no lock guards a group or a channel: who adds comes before who waits
    held = locking.locks(scene)
    if held is None:
        return _looked_into(scene) or _named(scene) or _by_depth(scene) or _elsewhere(scene)
    if held[0] and held[1]:
        return _of_another(scene)
    if not held[0] and not held[1]:
        return _looked_into(scene) or _named(scene) if locking.from_source(scene) else None
    if _is_counted(scene):
        return None  # who goes without the lock has an atomic instead, or the other one should
    with_, without = scene.sides if held[0] else scene.sides[::-1]
    locks = held[0] or held[1]
    if not without.access.stack:
        return None  # the detector has forgotten what that side did, locks included
    if ends_it(without):
        return None  # to take it there would not do: who comes later finds nothing there
    if without.writes and locking.is_overwritten(without, with_):
        return None  # to take it there would not do: the lock itself is made anew
    if _is_its_own(scene, with_, without):
        return None  # a variable of the function's own, which holds the lock for something else
    if all(lock.shared for lock in locks) and with_.writes:
        return None  # that lock would not do on both sides
    if replaced_by_test(scene) or begun_above(scene):
        return None  # nobody ever stores to it under the lock: it is held for something else
    if copied_by_call(scene):
        return None  # the line that goes without it is a call of a method that takes it, of a copy
    if scene.sourced and _is_lost(without) and not _names_it(scene, without):
        return None  # the detector lost the function that holds the lock, or should
    taken = locking.names(locks)
    evidence = (
        with_.told(f"{with_.does} under {taken}"),
        without.told(f"{without.does} without {'them' if ' and ' in taken else 'it'}"),
    )
    change = f"Take {taken} around this access, too."
    sure = _confidence(scene, with_, locks)
    return Hit(sure, evidence, change, (without.point,), from_source=locking.from_source(scene))


def _confidence(scene: Scene, with_: Side, locks: list[locking.Lock]) -> float:
    """The surer, the nearer the lock is to what is raced for."""
    by_code = locking.from_source(scene)
    own = [lock.name for lock in locks] if by_code else [h.name for h in with_.held]
    if any(beside(name, scene) for name in own) or _of_the_object(scene, with_):
        return SURE
    if not by_code and _of_it(scene, with_):
        return STRONG
    if by_code and scene.shared and scene.shared.owner and not is_made_here(scene, with_):
        # the lock of another type: it may guard that one's own, surely if a caller holds it
        near = with_.here is not None and with_.here.held
        return LIKELY if near or any(kept(with_)) else EVEN
    if scene.sides[0].point == scene.sides[1].point:
        return WEAK  # the same line: its caller's lock guards something else
    if not scene.sourced:
        return LIKELY if scene.report.detector == "tsan" else FAIR
    # none of the functions that led there takes it: who called them may guard something else
    return STRONG if by_code or with_.held else _CALLERS


def _is_counted(scene: Scene) -> bool:
    """Is one side atomic and the other one not? A lock on one of them is about something else."""
    name = scene.shared.name if scene.shared else ""
    a, b = scene.sides
    both = is_atomic(a, name), is_atomic(b, name)
    return both[0] != both[1] and not of_lock(a if both[0] else b)


def _is_its_own(scene: Scene, with_: Side, without: Side) -> bool:
    """Does a closure race for a local of the function around it, whose lock is no local of it?"""
    found = captured(scene)
    if found is None or found.inner is not without or found.declared is None:
        return False
    here = with_.here
    return here is not None and not any(
        held.name.partition(".")[0] in here.names for held in with_.held
    )


def _of_another(scene: Scene) -> Hit | None:
    """Both hold locks, but one only what guards something else: a session's, not the cursor's."""
    found = locking.guardian(scene)
    if found is None:
        return None
    with_, without, lock = found
    others = ", ".join(f"`{h.name}`" for h in without.held)
    evidence = (
        with_.told(f"{with_.does} under `{lock}`"),
        without.told(f"{without.does} under {others} only, of another type"),
    )
    change = f"Take `{lock}` around this access, too."
    return Hit(STRONG, evidence, change, (without.point,), from_source=True)


def _looked_into(scene: Scene) -> Hit | None:
    """A library prints, compares or encodes an object and the lock in it, which another takes."""
    for taker, looker in scene.both if scene.go else ():
        if looker.writes or not looker.by_library or looker.above(_SYNC):
            continue
        if not (taker.above(_TAKES) or of_lock(taker)):
            continue
        evidence = (
            taker.told(f"{taker.who} takes a lock or lets it go"),
            looker.told(f"{looker.who} has all of the object read, its lock included, without it"),
        )
        change = (
            "Take the lock around this, or let only what does not change be read there: a method"
            " `String` of its own, a copy."
        )
        return Hit(FAIR + 0.05, evidence, change, (looker.point,))
    return None


def _named(scene: Scene) -> Hit | None:
    """Where no lock is in sight: by its name `flushLocked` is called with it held, the other is not.

    Or by its comment; and the other one may say so as well, where its caller does not keep to it.
    """
    for with_, without in scene.both:
        frame = with_.locked
        if frame is None or without.site is None or without.inner or with_.breaks_its_word:
            continue
        if without.locked and not without.breaks_its_word:
            continue
        told = "its caller has none" if without.locked else "nothing says so there"
        seen = scene.around(frame)
        commented = seen is not None and seen.wants_lock
        evidence = (
            with_.told(f"`{short(frame.function)}` {_NAMED[commented]}"),
            without.told(f"{without.does}, and {told}"),
        )
        change = "Take that lock around this access, too."
        sure = LIKELY if commented else FAIR + 0.05
        return Hit(sure, evidence, change, (without.point,), from_source=commented)
    return None


def _by_depth(scene: Scene) -> Hit | None:
    """From a Go report alone: a type's own method writes so deep in it that a lock fits in front.

    What others call writes at once where there is no lock at all; what only it calls may do other
    things first.
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
            continue  # a slice that grows takes as much code as a lock
        if _is_called_by_others(reader.site) and _may_take_one(reader):
            continue  # both may take one, and not the same
        evidence = (
            writer.told(f"{writer.does}, and a lock with its release fits in front of that"),
            reader.told(f"{reader.does} it elsewhere"),
        )
        change = (
            "If a lock is held there, take it around this access, too; if not, add one for both."
        )
        return Hit(EVEN, evidence, change, (reader.point,))
    return None


def _may_take_one(side: Side) -> bool:
    """Does a lock fit in front of it in its own function, too?"""
    return depth.may_be_locked(side) and depth.whose(side) == side.site


def _is_called_by_others(frame: Frame | None) -> bool:
    """Is it a method of a pointer that other packages may call? `session.(*Table).Login`."""
    _, method, bare = frame.function.rpartition(").") if frame else ("", "", "")
    return bool(method) and bare.isalnum() and bare[0].isupper()


def _elsewhere(scene: Scene) -> Hit | None:
    """One side is lost; the other goes without the lock that most methods of the type hold there."""
    found = guarded_elsewhere(scene)
    if found is None:
        return None
    side, lock, held, all_ = found
    evidence = (
        side.told(f"{side.does} without `{lock}`"),
        side.told(f"{held} of {all_} other methods that touch {scene.what} hold `{lock}`"),
        side.told("the stack of the other side is lost"),
    )
    change = f"Take `{lock}` around this access, too."
    return Hit(FAIR + 0.05, evidence, change, (side.point,), from_source=True)


def _is_lost(side: Side) -> bool:
    """May a function be missing above its line? An encoder's frames are all there.

    What lies inside of a library's type is another matter: that type is not made to be shared.
    """
    if all(f.function.startswith(_RANGES) for f in side.inner):
        return False  # a struct that is copied
    encodes = bool(side.inner) and side.inner[-1].origin is Origin.STDLIB
    kept = any(named(f.function) and not given(side, f) for f in side.inner)
    return bool(side.inner) and (not encodes or kept)


def _names_it(scene: Scene, side: Side) -> bool:
    """Does its line itself touch the variable, or what a call on it gives back of it?"""
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
    """Is what a call gives back the thing itself? So is `Set[string]`, where that is a map."""
    if _WHOLE.match(results):
        return True
    a_map = any(side.above(_MAPS) for side in scene.sides)
    return a_map and scene.shared is not None and results == scene.shared.type


def _of_it(scene: Scene, side: Side) -> bool:
    """Is the lock a member of just the type whose member the line works on?"""
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
    """`n := &raft{…}; n.Lock()`: is it the lock of a local that is of the variable's own type?"""
    shared = scene.shared
    if shared is None or not shared.owner or not locking.from_source(scene):
        return False
    bases = [
        (seen.names, held.name.partition(".")[0]) for _, seen in side.way for held in seen.held
    ]
    kinds = [_KIND.match(names[base].type.strip()) for names, base in bases if base in names]
    return any(kind is not None and kind[1] == shared.owner for kind in kinds)


def beside(lock: str, scene: Scene) -> bool:
    """Does the lock live in the same object as the variable?"""
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
