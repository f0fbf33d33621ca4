"""A lock that was copied with the value that it guards.

## What it sees
With source:

- Both sides hold a lock of the same name, one of them in a method with a value receiver, or of a copy of the struct.
- A loop variable is a copy of each element, including the lock that the loop takes.
- A line calls a method with a value receiver, which locks the copy that the call made.
- The type that contains the lock is passed, returned, iterated over or stored by value somewhere in the package.
- In C and C++: the detector lists two locks for which the code has one name, and an object with the lock is copied.

From a report alone:

- One side is inside of `Lock` or `Unlock`, the other reads the lock itself.
- Both sides are in one value-receiver method that writes shared data so deep in its code that a lock fits before it.

## Why it races
A copy of a mutex is another mutex. Each caller of a value-receiver method locks its own copy, while maps, slices and
pointers in the struct are still shared.

## Example
    func (c Counter) Inc(k string) { c.mu.Lock(); defer c.mu.Unlock(); c.m[k]++ }    // c is a copy

## Remedy
Use a pointer receiver and pass the struct by pointer. `go vet -copylocks` finds every other copy.

## When it is wrong
A struct that holds its mutex by pointer may be copied: the lock stays the same. From a report alone: the value may
contain no lock at all.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from deadheat.diagnosis import rule
from deadheat.diagnosis.facts import addresses, locks
from deadheat.diagnosis.facts.function_names import (
    GROWING_VERBS,
    KEYED_STORE_VERBS,
    is_value_method,
    name_words,
    without_package,
)
from deadheat.diagnosis.facts.lifetime import find_continuing_starter
from deadheat.diagnosis.facts.object_origin import find_copy_by_call
from deadheat.diagnosis.facts.synchronization import belongs_to_lock
from deadheat.diagnosis.finding import CodePoint, Evidence
from deadheat.diagnosis.rule import FAIR, LIKELY, STRONG, SURE, Rule, RuleMatch

if TYPE_CHECKING:
    from deadheat.diagnosis.context import RaceContext
    from deadheat.diagnosis.facts.code_facts import HeldLock
    from deadheat.diagnosis.race_side import RaceSide

_LOCK_METHODS = ("sync.(*Mutex).", "sync.(*RWMutex).")
_CONTAINER_VERBS = GROWING_VERBS | KEYED_STORE_VERBS | {"set", "get", "swap", "delete", "less", "len", "remove"}
_CHANGE = "Make the receiver, the parameter or the loop variable a pointer, so that all actors take the same lock."
# "&client{srv: s}", "Account{}": the value a local is initialised with
_INITIAL_VALUE = re.compile(r"&?(?:\w{1,80}\.)?(\w{1,80})\{")


def _find_copied_lock(context: RaceContext) -> RuleMatch | None:
    for matcher in (_match_read_of_lock, _match_copy_in_loop, _match_value_receiver, _match_copy_by_call):
        if hit := matcher(context):
            return hit
    locks_held = locks.locks_of_both_sides(context) if context.has_code else None
    if locks_held is None or not (locks_held[0] and locks_held[1]):
        return None
    if not context.is_go:
        return _match_in_native_code(context, *locks_held)
    copies = tuple(item for side in context.race_sides if (item := _copy_evidence(context, side)))
    common = [name for name in locks.common_lock_names(*locks_held) if "(" not in name]
    if not common:
        return _match_copied_element(context)
    if not copies:
        return _match_copied_type(context, common[0], common[0].partition(".")[0])
    where = tuple(item.point for item in copies if item.point)
    return RuleMatch(SURE if len(copies) > 1 else STRONG, copies, _CHANGE, where, from_source=True)


def _match_in_native_code(
    context: RaceContext, first_locks: list[locks.SideLock], second_locks: list[locks.SideLock]
) -> RuleMatch | None:
    """Match C and C++: the detector lists two locks for which the code has one name."""
    if locks.common_lock_names(first_locks, second_locks) and not locks.needs_code_for_locks(context):
        return None
    first_side, second_side = context.race_sides
    owner_by_lock = {h.name: _lock_owner(first_side, h) for h in first_side.locks_held}
    for lock_name in sorted(owner_by_lock.keys() & {h.name for h in second_side.locks_held}):
        owner = owner_by_lock[lock_name]
        if owner and (found := _match_copied_type(context, lock_name, owner)):
            return found
    return None


def _lock_owner(side: RaceSide, lock: HeldLock) -> str:
    """Return the type that contains a lock, by the lock's name or the method that takes it."""
    kind, dot, _ = lock.name.partition(".")
    if dot:
        return kind
    return next((facts.receiver for _, facts in side.call_chain if lock in facts.locks_held), "")


def _match_copied_type(context: RaceContext, lock_name: str, kind: str) -> RuleMatch | None:
    """Match a type that is copied somewhere, if both sides hold a lock of it by the same name."""
    site = context.race_sides[0].site
    copy_site = context.source.find_copy(kind, site) if context.source and site else None
    if copy_site is None:
        return None
    copy_point = CodePoint(*copy_site)
    evidence = (
        *(side.evidence_at_site(f"{side.action} under `{lock_name}`") for side in context.race_sides),
        Evidence(f"a value of `{kind}` is copied here, including its lock", copy_point),
    )
    return RuleMatch(LIKELY + 0.05, evidence, _CHANGE, (copy_point,), from_source=True)


def _match_read_of_lock(context: RaceContext) -> RuleMatch | None:
    """Match one side that locks or unlocks, against one that reads the lock as part of a struct."""
    for taker, reader in context.side_pairs:
        lock = next((f for f in taker.library_frames if f.function.startswith(_LOCK_METHODS)), None)
        if (
            lock is None
            or reader.writes
            or not reader.access.stack  # unknown access: it may have printed the whole object
            or reader.is_library_access  # `fmt.Sprintf("%v", s)` reads the lock without a copy
            or any(f.function.startswith("sync.") for f in reader.library_frames)
        ):
            continue
        taking = without_package(taker.function)
        evidence = (
            taker.evidence_at_site(f"`{taking}` calls `{lock.function}`, which changes the lock"),
            reader.evidence_at_site(f"{reader.action} the lock itself: it copies the object that contains the lock"),
        )
        return RuleMatch(STRONG + 0.04, evidence, _CHANGE, (reader.point,))
    for taker, reader in context.side_pairs if context.is_go and context.source is None else ():
        if belongs_to_lock(taker) and not reader.writes and not reader.library_frames and reader.site:
            evidence = (
                taker.evidence_at_site(f"{taker.action}, as Lock and Unlock do"),
                reader.evidence_at_site(f"{reader.action} it, not atomically: it may copy the object with the lock"),
            )
            return RuleMatch(FAIR, evidence, _CHANGE, (reader.point,))
    return None


def _match_copy_by_call(context: RaceContext) -> RuleMatch | None:
    """Match `shop.Name()`, which copies the shop and then locks the copy."""
    copying_call = find_copy_by_call(context)
    if copying_call is None:
        return None
    reader, other, method = copying_call.reader, copying_call.other, copying_call.method
    at = CodePoint(method.path, method.first_line)
    evidence = (
        reader.evidence_at_site(f"{reader.action}: the call copies a `{method.receiver}`, not locked"),
        Evidence(f"`{method.function}` takes `{method.locks_held[0].name}` of that copy only", at),
        other.evidence_at_site(other.action),
    )
    return RuleMatch(STRONG + 0.04, evidence, _CHANGE, (at,), from_source=True)


def _match_value_receiver(context: RaceContext) -> RuleMatch | None:
    """From a report alone: a value-receiver method writes shared data, with a lock of its own copy."""
    if not context.is_go or context.source is not None or find_continuing_starter(context) is not None:
        return None  # the function that started the worker should wait for it
    for writer, other in context.side_pairs:
        if not writer.writes or writer.library_frames or writer.is_closure or not is_value_method(writer.function):
            continue
        if other.site is None or _CONTAINER_VERBS.intersection(name_words(writer.function)[:1]):
            continue  # a map or slice type may have such methods
        if not addresses.may_follow_lock(writer) or other.function != writer.function:
            continue  # it takes no lock at all; in another method the other side has no copy
        evidence = (
            writer.evidence_at_site(f"{writer.action} in a method with a value receiver: its lock is a copy"),
            other.evidence_at_site(f"{other.action} there too, with another copy"),
        )
        return RuleMatch(LIKELY, evidence, _CHANGE, (writer.point,))
    return None


def _match_copy_in_loop(context: RaceContext) -> RuleMatch | None:
    """Match `for _, a := range accounts { a.mu.Lock() … }`, which locks the loop's copy."""
    for side, other in context.side_pairs if context.is_go and context.has_code else ():
        here = side.site_facts
        if here is None or not here.text.startswith("for ") or not (other.locks_held or belongs_to_lock(other)):
            continue
        for call in [c for c in here.calls if c.name in ("Lock", "RLock")]:
            declaration = here.declarations.get(call.target.partition(".")[0])
            if declaration and declaration.kind == "loop" and declaration.line == here.line:
                evidence = (
                    side.evidence_at_site(f"`{here.text[:60]}` copies each element, its lock included"),
                    other.evidence_at_site(f"{other.action} under the lock of the element itself"),
                )
                return RuleMatch(STRONG + 0.04, evidence, _CHANGE, (side.point,), from_source=True)
    return None


def _match_copied_element(context: RaceContext) -> RuleMatch | None:
    """Match a loop's `a.mu` against `Account.mu`: `for _, a := range all { a.mu.Lock(); … }`."""
    for side, other in context.side_pairs:
        for lock in side.locks_held:
            base, _, field = lock.name.partition(".")
            declarations = [facts.declarations[base] for _, facts in side.call_chain if base in facts.declarations]
            if not field or not {"loop", "local"}.intersection(match.kind for match in declarations):
                continue
            initial_types = {
                match[1] for declaration in declarations if (match := _INITIAL_VALUE.match(declaration.type.strip()))
            }
            for other_lock in other.locks_held:
                kind, _, other_field = other_lock.name.partition(".")
                if other_field != field or kind == base or (initial_types and kind not in initial_types):
                    continue  # a lock of the same name in an unrelated type
                if found := _match_copied_type(context, lock.name, kind):
                    return found
    return None


def _copy_evidence(context: RaceContext, side: RaceSide) -> Evidence | None:
    for frame in side.user_frames:
        facts = context.function_at(frame)
        if facts is None or not facts.locks_held:
            continue
        is_copy = facts.has_value_receiver and _has_lock_of(facts.locks_held, facts.receiver)
        for name, declaration in facts.declarations.items():
            kind = declaration.type.rpartition(".")[2]
            if declaration.kind == "parameter" and "*" not in declaration.type and kind != "Locker":
                is_copy = is_copy or _has_lock_of(facts.locks_held, kind)
            elif declaration.kind == "local" and declaration.type.startswith("*"):
                is_copy = is_copy or _has_lock_of(facts.locks_held, name)
        if is_copy:
            at = CodePoint(facts.path, facts.first_line, frame.function)
            text = f"`{facts.function}` takes {', '.join(f'`{h.name}`' for h in facts.locks_held)} of a copy"
            return Evidence(text, at)
    return None


def _has_lock_of(locks_held: tuple[HeldLock, ...], owner: str) -> bool:
    lock_names = [h.name for h in locks_held if "(" not in h.name]
    return bool(owner) and any(name == owner or name.startswith(f"{owner}.") for name in lock_names)


RULE = Rule(
    "copied-lock",
    "locking",
    _find_copied_lock,
    "a pointer receiver",
    "None; callers pass a pointer.",
    general_causes=("different-locks",),
    features=rule.Feature.HAS_LIBRARY_FRAMES | rule.Feature.HAS_CODE | rule.Feature.VALUE_METHOD,
)
