"""Both sides hold a lock, but not the same one.

## What it sees
Each side holds at least one lock and they have none in common: as listed by the detector (`mutexes: write M1` against
`write M2`), or by the code around the racing lines. With source also: a lock of the same name in two different objects.
If one lock belongs to the object, and the other to the code that found, made or prints it, the object's lock is
missing: [partial-lock](partial-lock.md).

## Why it races
Two locks order nothing between their holders.

## Example
    pthread_mutex_lock(&t->rows_lock);  t->rows++;     /* one thread */
    pthread_mutex_lock(&t->stats_lock); n = t->rows;   /* the other  */

## Remedy
Decide which lock guards the variable, document that at its declaration, and take that lock on both sides.

## When it is wrong
A caller that is not in the stack may take a lock for both sides.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from deadheat.diagnosis.facts import locks, synchronization
from deadheat.diagnosis.rule import FAIR, STRONG, SURE, Feature, Rule, RuleMatch

if TYPE_CHECKING:
    from deadheat.diagnosis.context import RaceContext


def _find_different_locks(context: RaceContext) -> RuleMatch | None:
    locks_held = locks.locks_of_both_sides(context)
    if locks_held is None or not (locks_held[0] and locks_held[1]) or locks.find_object_lock(context):
        return None
    if synchronization.is_waitgroup_or_channel(context):
        return None  # a WaitGroup or channel is not guarded by a lock
    by_code = locks.needs_code_for_locks(context)
    common_locks = locks.common_lock_names(*locks_held)
    common_exclusive = locks.common_lock_names(
        *([lock for lock in side_locks if not lock.is_read_lock] for side_locks in locks_held)
    )
    sides_with_locks = list(zip(context.race_sides, locks_held, strict=True))
    if not common_exclusive and any(
        side.writes and any(lock.is_read_lock for lock in side_locks) for side, side_locks in sides_with_locks
    ):
        return None  # write-under-rlock
    evidence = tuple(
        side.evidence_at_site(f"{side.action} under {locks.format_lock_names(side_locks)}")
        for side, side_locks in sides_with_locks
    )
    change = f"Choose the one lock that guards {context.variable_label} and take it on both sides."
    confidence = SURE
    if common_locks:
        if not by_code:
            return None
        sentence = f"`{(common_exclusive or common_locks)[0]}` must be two locks, else this would not race"
        evidence += (context.race_sides[0].evidence_at_site(sentence),)
        confidence = FAIR
    elif by_code:
        confidence = FAIR if locks.may_be_same_lock(*context.race_sides) else STRONG
    return RuleMatch(confidence, evidence, change, context.change_points, from_source=by_code)


RULE = Rule(
    "different-locks",
    "locking",
    _find_different_locks,
    "one of the two locks",
    "More contention on one lock; keep the lock order if both are ever held.",
    general_causes=("missing-lock",),
    features=Feature.HAS_CODE | Feature.REPORTS_LOCKS,
)
