"""A lock on one side only.

## What it sees
One side holds a lock, the other holds none: as listed by the detector, or by the code around the racing lines and their
callers. Not counted: locks of a worker's starter, and a read lock that a server holds while a library calls its
handlers.

With source also:

- A map or slice is returned under the lock and used after it.
- The reader of an object holds a lock of another type, but not the object's lock.
- The comment of one side's function says that its caller holds the lock.
- One stack is lost, and the other side accesses a field without the lock under which most methods of its type do.
- Go: one side takes a lock while a library prints, compares or encodes the object that contains it.

From a Go report alone: one side is in a function named as called with the lock (`flushLocked`). With low rank: an
exported method writes so deep in its code that a lock fits before it, while the other side reads where none fits.

## Why it races
A lock orders only actors that take it. The side without it runs in the middle of the other's critical section.

## Example
    func (m *Manager) Open(id string)   { m.mu.Lock(); defer m.mu.Unlock(); m.sessions[id] = … }
    func (m *Manager) Lookup(id string) { return m.sessions[id] }    // no lock

## Remedy
Take the same lock on the other side, for reading if it is an `RWMutex`.

## When it is wrong
- The lock may guard something else. A caller's lock of another type ranks low; so does one that no code on the call
  chain takes.
- A lock taken in a function that the detector left out of the stack is not seen.
- A lock does not help against a destructor (`teardown-vs-worker`), an atomic on one side, `close` of a channel, or
  `Add` and `Wait` of a group.
- The lock does not guard a variable captured by a closure, or a field that set-up stores once after it started the
  reader.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from deadheat.diagnosis import rule
from deadheat.diagnosis.facts import addresses, locks, synchronization
from deadheat.diagnosis.facts.captures import find_capture
from deadheat.diagnosis.facts.containers import only_uses_argument, unsafe_type_of
from deadheat.diagnosis.facts.function_names import (
    GROWING_VERBS,
    JOINING_VERBS,
    KEYED_STORE_VERBS,
    name_words,
    without_package,
)
from deadheat.diagnosis.facts.lifetime import destroys_object
from deadheat.diagnosis.facts.object_origin import find_copy_by_call, is_created_here
from deadheat.diagnosis.facts.waits import may_run_in_order
from deadheat.diagnosis.facts.worker_start_stop import find_start_before_write, find_test_replacement
from deadheat.diagnosis.race_side import RaceSide, locks_of_container_owner
from deadheat.diagnosis.rule import EVEN, FAIR, LIKELY, STRONG, SURE, WEAK, Rule, RuleMatch
from deadheat.model import Frame, Origin

if TYPE_CHECKING:
    from deadheat.diagnosis.context import RaceContext

_COLLECTION_VERBS = (
    GROWING_VERBS | JOINING_VERBS | KEYED_STORE_VERBS | {"add", "store", "log", "accept", "pop", "steal"}
)
# "map[string]int64", "[]*Row", "*Table": result types that share the object instead of a copy
_SHARING_RESULT = re.compile(r"\(?(?:map\[|\[\]|\*)")
_MAP_FRAME = re.compile(r"^(?:runtime|reflect)\.map[a-z]")
# "&raft{group: g}", "*server.Account", "Table"
_TYPE_NAME = re.compile(r"[&*]?(?:\w{1,80}\.)?(\w{1,80})(?:\{|$)")
_MAX_CALLS = 4
_UNSEEN_LOCK_CONFIDENCE = 0.8  # confidence for a lock that no function on the call chain takes
# "sync.(*Mutex).Lock", "sync.(*Cond).Wait", "atomic.LoadInt32"
_LOCK_FRAME = re.compile(r"^sync\.\(\*(?:Mutex|RWMutex|Cond)\)\.")
_SYNC_FRAME = re.compile(r"^(?:sync|atomic)\.")
# by comment (True) or by name (False)
_CALLER_HOLDS_LOCK = {
    True: "has a comment that its caller holds the lock",
    False: "has a name that says that its caller holds the lock",
}
_STRUCT_COPY_FRAMES = ("runtime.racereadrange", "runtime.racewriterange")


def _find_partial_lock(context: RaceContext) -> RuleMatch | None:
    if synchronization.is_waitgroup_or_channel(context):
        return None  # a WaitGroup or channel is not guarded by a lock
    locks_held = locks.locks_of_both_sides(context)
    by_code = locks.needs_code_for_locks(context)
    if locks_held is None:
        return (
            _match_library_inspection(context)
            or _match_caller_holds_lock(context)
            or _match_by_depth(context)
            or _match_locked_elsewhere(context)
        )
    if all(locks_held):
        return _match_lock_of_other_object(context)
    if not any(locks_held):
        return _match_library_inspection(context) or _match_caller_holds_lock(context) if by_code else None
    with_lock, without_lock = context.race_sides if locks_held[0] else context.race_sides[::-1]
    side_locks = locks_held[0] or locks_held[1]
    if _is_one_side_atomic(context) or _has_other_remedy(context, with_lock, without_lock):
        return None
    if with_lock.writes and all(lock.is_read_lock for lock in side_locks):
        return None  # write-under-rlock
    lock_names = locks.format_lock_names(side_locks)
    evidence = (
        with_lock.evidence_at_site(f"{with_lock.action} under {lock_names}"),
        without_lock.evidence_at_site(f"{without_lock.action} without {'them' if ' and ' in lock_names else 'it'}"),
    )
    change = f"Take {lock_names} around this access too."
    certainty = _lock_confidence(context, with_lock, side_locks)
    return RuleMatch(certainty, evidence, change, (without_lock.point,), from_source=by_code)


def _has_other_remedy(context: RaceContext, with_lock: RaceSide, without_lock: RaceSide) -> bool:
    """Return whether taking the lock on the other side too does not help, or is not known to."""
    if not without_lock.access.stack:
        return True  # the detector lost that stack, locks included
    if destroys_object(without_lock) or (without_lock.writes and locks.overwrites_lock(without_lock, with_lock)):
        return True  # the object or the lock itself is gone
    if _is_captured_local(context, with_lock, without_lock):
        return True  # the lock is held for something else
    if find_test_replacement(context) or find_start_before_write(context):
        return True  # no store to it is under the lock, which is held for something else
    if find_copy_by_call(context):
        return True  # the line calls a method that locks a copy: copied-lock
    # the detector lost the function that should hold the lock
    return context.has_code and _may_miss_function(without_lock) and not _accesses_variable(context, without_lock)


def _lock_confidence(context: RaceContext, with_lock: RaceSide, side_locks: list[locks.SideLock]) -> float:
    """Return the confidence: higher if the lock belongs to the object of the variable."""
    by_code = locks.needs_code_for_locks(context)
    shared = context.shared_variable
    lock_names = [lock.name for lock in side_locks] if by_code else [h.name for h in with_lock.locks_held]
    is_in_same_object = shared and shared.owner and shared.owner in {name.partition(".")[0] for name in lock_names}
    if is_in_same_object or _is_lock_of_local_object(context, with_lock):
        return SURE
    if not by_code and _is_lock_of_accessed_type(context, with_lock):
        return STRONG
    if by_code and shared and shared.owner and not is_created_here(context, with_lock):
        # a lock of another type may guard that type's data, more likely if a caller holds it
        is_held_at_site = with_lock.site_facts is not None and with_lock.site_facts.locks_held
        return LIKELY if is_held_at_site or any(locks_of_container_owner(with_lock)) else EVEN
    if context.race_sides[0].point == context.race_sides[1].point:
        return WEAK  # same line: the caller's lock guards something else
    if not context.has_code:
        return LIKELY if context.report.detector == "tsan" else FAIR
    # a lock that no function on the call chain takes may guard something else
    return STRONG if by_code or with_lock.locks_held else _UNSEEN_LOCK_CONFIDENCE


def _is_one_side_atomic(context: RaceContext) -> bool:
    """Return whether only one side is atomic: then the lock is about something else."""
    name = context.shared_variable.name if context.shared_variable else ""
    atomic_sides = [side for side in context.race_sides if synchronization.is_atomic(side, name)]
    return len(atomic_sides) == 1 and not synchronization.belongs_to_lock(atomic_sides[0])


def _is_captured_local(context: RaceContext, with_lock: RaceSide, without_lock: RaceSide) -> bool:
    """Return whether a closure races for a captured local, and the lock is no local."""
    capture = find_capture(context)
    if capture is None or capture.closure_side is not without_lock or capture.declaration is None:
        return False
    here = with_lock.site_facts
    return here is not None and not any(
        lock.name.partition(".")[0] in here.declarations for lock in with_lock.locks_held
    )


def _match_lock_of_other_object(context: RaceContext) -> RuleMatch | None:
    """Match two locks, one of which guards another object: the session's, not the cursor's."""
    guard = locks.find_object_lock(context)
    if guard is None:
        return None
    with_lock, without_lock, lock = guard
    others = ", ".join(f"`{h.name}`" for h in without_lock.locks_held)
    evidence = (
        with_lock.evidence_at_site(f"{with_lock.action} under `{lock}`"),
        without_lock.evidence_at_site(f"{without_lock.action} under {others} only, of another type"),
    )
    change = f"Take `{lock}` around this access too."
    return RuleMatch(STRONG, evidence, change, (without_lock.point,), from_source=True)


def _match_library_inspection(context: RaceContext) -> RuleMatch | None:
    """Match a library that prints, compares or encodes an object whose lock the other side takes."""
    for taker, looker in context.side_pairs if context.is_go else ():
        if looker.writes or not looker.is_library_access or looker.library_frame_matching(_SYNC_FRAME):
            continue
        if not (taker.library_frame_matching(_LOCK_FRAME) or synchronization.belongs_to_lock(taker)):
            continue
        evidence = (
            taker.evidence_at_site(f"{taker.subject} locks or unlocks a lock"),
            looker.evidence_at_site(f"{looker.subject} reads the whole object, including its lock, without it"),
        )
        change = (
            "Take the lock around this call, or read only immutable fields there: with a `String`"
            " method, or from a copy."
        )
        return RuleMatch(FAIR + 0.05, evidence, change, (looker.point,))
    return None


def _match_caller_holds_lock(context: RaceContext) -> RuleMatch | None:
    """Match a function that by its name (`flushLocked`) or comment is called with the lock held."""
    for with_lock, without_lock in context.side_pairs:
        frame = with_lock.frame_expecting_lock
        if frame is None or without_lock.site is None or without_lock.library_frames or with_lock.misses_expected_lock:
            continue
        if without_lock.frame_expecting_lock and not without_lock.misses_expected_lock:
            continue
        claim = "its caller does not hold it" if without_lock.frame_expecting_lock else "its name does not say so"
        facts = context.function_at(frame)
        commented = facts is not None and facts.requires_lock
        evidence = (
            with_lock.evidence_at_site(f"`{without_package(frame.function)}` {_CALLER_HOLDS_LOCK[commented]}"),
            without_lock.evidence_at_site(f"{without_lock.action}; {claim}"),
        )
        change = "Take that lock around this access too."
        certainty = LIKELY if commented else FAIR + 0.05
        return RuleMatch(certainty, evidence, change, (without_lock.point,), from_source=commented)
    return None


def _match_by_depth(context: RaceContext) -> RuleMatch | None:
    """From a Go report alone: an exported method writes so deep that a lock fits before it."""
    if context.source is not None or context.in_same_function or may_run_in_order(context):
        return None
    for writer, reader in context.side_pairs:
        if not writer.writes or reader.writes or writer.library_frames or reader.library_frames:
            continue
        may_be_locked = addresses.may_follow_lock(writer) and addresses.is_not_inlined(writer)
        if not may_be_locked or reader.is_closure or not _is_exported_method(writer.site):
            continue  # an unexported method may do other work first
        if _COLLECTION_VERBS.intersection(name_words(writer.function)[:1]):
            continue  # append takes as much code as a lock
        may_reader_lock = addresses.may_follow_lock(reader) and addresses.frame_of_offset(reader) == reader.site
        if may_reader_lock and _is_exported_method(reader.site):
            continue
        evidence = (
            writer.evidence_at_site(f"{writer.action}; a lock and its release fit before the write"),
            reader.evidence_at_site(f"{reader.action} it elsewhere"),
        )
        change = "If a lock is held there, take it around this access too; if not, add one for both."
        return RuleMatch(EVEN, evidence, change, (reader.point,))
    return None


def _is_exported_method(frame: Frame | None) -> bool:
    """Return whether it is an exported method of a pointer type: `session.(*Table).Login`."""
    _, separator, method_name = frame.function.rpartition(").") if frame else ("", "", "")
    return bool(separator) and method_name.isalnum() and method_name[0].isupper()


def _match_locked_elsewhere(context: RaceContext) -> RuleMatch | None:
    """Match a lost stack, and a side without the lock that most methods of the type hold."""
    guard = locks.find_usual_lock(context)
    if guard is None:
        return None
    side, lock, locked_count, total = guard
    evidence = (
        side.evidence_at_site(f"{side.action} without `{lock}`"),
        side.evidence_at_site(
            f"{locked_count} of {total} other methods that touch {context.variable_label} hold `{lock}`"
        ),
        side.evidence_at_site("the stack of the other side is missing"),
    )
    change = f"Take `{lock}` around this access too."
    return RuleMatch(FAIR + 0.05, evidence, change, (side.point,), from_source=True)


def _may_miss_function(side: RaceSide) -> bool:
    """Return whether a function may be missing between the site and the frames above it."""
    frames = side.library_frames
    if all(f.function.startswith(_STRUCT_COPY_FRAMES) for f in frames):
        return False  # no frames, or a struct that is copied
    is_encoder = frames[-1].origin is Origin.STDLIB
    return not is_encoder or any(unsafe_type_of(f.function) and not only_uses_argument(side, f) for f in frames)


def _accesses_variable(context: RaceContext, side: RaceSide) -> bool:
    """Return whether its line accesses the variable, directly or through a call that returns it."""
    here, site, shared = side.site_facts, side.site, context.shared_variable
    if here is None or site is None or shared is None:
        return False
    if any(u.name == shared.name for u in here.uses):
        return True
    called_names = [c.name for c in here.calls if c.line == here.line][:_MAX_CALLS]
    callees = [context.find_function(name, site, shared.owner) for name in called_names]
    sharing = [callee for callee in callees if callee and _returns_shared_object(context, callee.result_types)]
    return any(shared.name in callee.returned_names for callee in sharing)


def _returns_shared_object(context: RaceContext, results: str) -> bool:
    """Return whether a call returns the object itself. `Set[string]` counts if it is a map."""
    if _SHARING_RESULT.match(results):
        return True
    is_map = any(side.library_frame_matching(_MAP_FRAME) for side in context.race_sides)
    return is_map and context.shared_variable is not None and results == context.shared_variable.type


def _is_lock_of_accessed_type(context: RaceContext, side: RaceSide) -> bool:
    """Return whether the lock is a member of the type whose member the line accesses."""
    here = side.site_facts
    if here is None:
        return False
    types = [here.declarations[u.path[0]].type for u in here.uses if u.path[0] in here.declarations]
    kinds = {kind.strip("*& ").rpartition(" ")[2] for kind in types} - {""}
    if any(h.name.partition(".")[0] in kinds for h in side.locks_held if "." in h.name):
        return True
    callers = filter(None, map(context.function_at, side.user_frames))
    return bool(here.receiver) and any(facts.receiver == here.receiver and facts.locks_held for facts in callers)


def _is_lock_of_local_object(context: RaceContext, side: RaceSide) -> bool:
    """Return whether it is the lock of a local of the variable's type: `n := &raft{…}; n.Lock()`."""
    shared = context.shared_variable
    if shared is None or not shared.owner or not locks.needs_code_for_locks(context):
        return False
    bases = [
        (facts.declarations, lock.name.partition(".")[0]) for _, facts in side.call_chain for lock in facts.locks_held
    ]
    kinds = [_TYPE_NAME.match(names[base].type.strip()) for names, base in bases if base in names]
    return any(kind is not None and kind[1] == shared.owner for kind in kinds)


RULE = Rule(
    "partial-lock",
    "locking",
    _find_partial_lock,
    "the lock that is there",
    "One more holder of a lock that exists.",
    general_causes=("missing-lock",),
    features=rule.Feature.HAS_CODE
    | rule.Feature.REPORTS_LOCKS
    | rule.Feature.EXPECTS_LOCK
    | rule.Feature.WRITES_DEEP
    | rule.Feature.HAS_LIBRARY_FRAMES,
)
