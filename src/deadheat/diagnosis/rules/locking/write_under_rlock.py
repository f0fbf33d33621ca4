"""A write under a lock that is held for reading only.

## What it sees
A side writes while every lock it holds is held for reading: `RLock` in Go, `rdlock` or `shared_lock` in C and C++,
`read M1` in ThreadSanitizer's list of mutexes. From a Go report alone, with low rank: two actors in a method that by
its name only reads (`Get`, `Lookup`) write on one line, so deep in its code that a lock fits before it.

## Why it races
Several readers hold a read lock at once. A write among them is a write without a lock.

## Example
    func (s *Stats) Get(k string) int { s.mu.RLock(); defer s.mu.RUnlock(); s.hits++; return s.m[k] }

## Remedy
Take the lock for writing there, or make the counter atomic so that readers do not block each other. If the other side
holds no lock, it must take it too.

## When it is wrong
Helgrind does not list locks that are held for reading; then the code decides. From a Go report alone: a method that
takes no lock and does other work before it counts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from deadheat.diagnosis.facts import addresses, locks, synchronization
from deadheat.diagnosis.facts.condition_checks import verb_of
from deadheat.diagnosis.facts.function_names import CREATING_VERBS, READING_VERBS, is_test_file, without_package
from deadheat.diagnosis.race_side import MAX_NAMED_FRAMES, RaceSide
from deadheat.diagnosis.rule import EVEN, STRONG, SURE, Feature, Rule, RuleMatch

if TYPE_CHECKING:
    from deadheat.diagnosis.context import RaceContext
    from deadheat.diagnosis.finding import Evidence

_MAX_FRAMES = 2  # frames from the site outwards whose object may be the guarded one


def _find_write_under_rlock(context: RaceContext) -> RuleMatch | None:
    if synchronization.is_waitgroup_or_channel(context):
        return None  # a WaitGroup or channel is not guarded by a lock
    for side in [s for s in context.race_sides if s.writes]:
        for source in (locks.reported_locks(context, side), locks.locks_in_code(side)):
            readers = [lock for lock in source or () if lock.is_read_lock]
            others = [lock for lock in source or () if not lock.is_read_lock]
            shared = _is_held_by_other(context, side, readers)
            if others and _is_held_by_other(context, side, others):
                continue  # both hold it for writing and still race: there are two objects
            if readers and (not others or shared):
                return _hit_for_read_lock(context, side, readers, shared)
    return _match_by_depth(context)


def _hit_for_read_lock(context: RaceContext, side: RaceSide, readers: list[locks.SideLock], shared: bool) -> RuleMatch:
    """Build the hit. If the other side holds no lock, it must take one too."""
    lock_names = locks.format_lock_names(readers)
    other = next((s for s in context.race_sides if s is not side), None)
    evidence: tuple[Evidence, ...] = (
        side.evidence_at_site(f"{side.action} while {lock_names} is held for reading only"),
    )
    has_source = side.site_facts is not None
    locks_held = locks.locks_of_both_sides(context)
    if shared or other is None or locks_held is None or all(locks_held):
        change = f"Take {lock_names} for writing around this write, or make {context.variable_label} atomic."
        certainty = EVEN if _is_lock_of_other_type(context, side, readers) else SURE
        return RuleMatch(certainty, evidence, change, (side.point,), from_source=has_source)
    evidence += (other.evidence_at_site(f"{other.action} without it"),)
    change = (
        f"Take one lock around both accesses, for writing around this write; use {lock_names} if it"
        f" should guard {context.variable_label}."
    )
    return RuleMatch(STRONG, evidence, change, (side.point, other.point), from_source=has_source)


def _is_lock_of_other_type(context: RaceContext, side: RaceSide, readers: list[locks.SideLock]) -> bool:
    """Return whether a distant caller holds the lock of its own table, not of what it finds there."""
    here = side.site_facts
    if here is None or here.locks_held or not locks.needs_code_for_locks(context):
        return False
    nearby_types = {facts.receiver for _, facts in side.call_chain[:_MAX_FRAMES]} - {""}
    nearby_types |= {context.shared_variable.owner} if context.shared_variable else set()
    kinds = locks.lock_owner_types(side)
    lock_owners = {kinds.get(lock.name, "") for lock in readers}
    return bool(nearby_types) and "" not in lock_owners and not nearby_types & lock_owners


def _match_by_depth(context: RaceContext) -> RuleMatch | None:
    """From a Go report alone: two lookups, which lock for reading, write on one line deep in a method."""
    if not context.is_go or context.source is not None or len(context.race_sides) < 2:
        return None
    a, b = context.race_sides
    if a.point != b.point or a.is_closure or a.library_frames or b.library_frames:
        return None
    if not _may_hold_lock(a) or not _may_hold_lock(b) or verb_of(a.function) in CREATING_VERBS:
        return None  # a creating verb: lazy-initialisation
    if a.user_frames[: MAX_NAMED_FRAMES - 1] != b.user_frames[: MAX_NAMED_FRAMES - 1]:
        return None
    lookups = [f for f, _, name_tokens in a.named_frames if name_tokens[0] in READING_VERBS and ")." in f.function]
    if not lookups or lookups[0] not in b.user_frames:
        return None
    lookup = without_package(a.enclosing_function(lookups[0]))
    evidence = (
        a.evidence_at_site(
            f"two actors write on one line of `{without_package(a.function)}`, where a lock fits before"
        ),
        a.evidence_at_site(f"both stacks contain `{lookup}`, which by its name only reads"),
    )
    change = (
        "If the lock is held for reading there, take it for writing around this write, or make"
        f" {context.variable_label} atomic."
    )
    return RuleMatch(EVEN, evidence, change, (a.point,))


def _may_hold_lock(side: RaceSide) -> bool:
    method_frame = addresses.frame_of_offset(side) if addresses.may_follow_lock(side) else None
    return method_frame is not None and ")." in method_frame.function and not is_test_file(method_frame.file)


def _is_held_by_other(context: RaceContext, side: object, readers: list[locks.SideLock]) -> bool:
    other = next((s for s in context.race_sides if s is not side), None)
    locks_held = (locks.reported_locks(context, other) or locks.locks_in_code(other) or []) if other else []
    return bool(locks.common_lock_names(readers, locks_held))


RULE = Rule(
    "write-under-rlock",
    "locking",
    _find_write_under_rlock,
    "the same lock, for writing; or sync/atomic",
    "Readers wait for this write; with an atomic counter they do not.",
    general_causes=("missing-lock",),
    features=Feature.HAS_CODE | Feature.REPORTS_LOCKS | Feature.SAME_FUNCTION,
)
