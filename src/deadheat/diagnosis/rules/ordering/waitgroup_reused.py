"""A WaitGroup is used for the next round before the last `Wait` has returned.

## What it sees
- The panic `WaitGroup is reused before previous Wait has returned`, raised in `Wait`.
- `Add` by the starter of the waiting goroutine, or further down in a waiting function that two goroutines run.
- With source: `Add` and `Wait` on the same group in a loop, by different goroutines.

`Wait` also panics if goroutines call `Add` themselves; without source the answer is `unknown`.

## Why it races
`Wait` wakes up when the counter is zero, but has not returned yet. An `Add` at that moment belongs to the next round,
and the group cannot tell the rounds apart.

## Example
    for range rounds { go worker(&wg); wg.Wait() }    // a worker of the next round adds already

## Remedy
Use a new group for every round, declared inside of the loop. Or let one goroutine make all calls of `Add`, after `Wait`
has returned.

## When it is wrong
The report does not show which `Add` came too early.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from deadheat.diagnosis.facts import synchronization
from deadheat.diagnosis.facts.synchronization import adds_for_next_round, is_added_elsewhere, waits_before_adding
from deadheat.diagnosis.rule import FAIR, STRONG, SURE, WEAK, Feature, Rule, RuleMatch

if TYPE_CHECKING:
    from deadheat.diagnosis.context import RaceContext


_CHANGE = "Declare a new WaitGroup for every round, inside the loop."


def _find_reused_waitgroup(context: RaceContext) -> RuleMatch | None:
    if not context.is_go or not context.race_sides:
        return None
    if context.report.kind != "waitgroup-misuse":
        return _match_next_round(context)
    side = context.race_sides[0]
    is_reuse_panic = any("reused" in value for _, value in context.report.facts)
    is_in_wait = side.frame_ending_with("sync.(*WaitGroup).Wait") is not None
    if (not is_reuse_panic and not is_in_wait) or is_added_elsewhere(side):
        return None
    evidence = (side.evidence_at_site("the runtime panicked in Wait: the group is already reused"),)
    where = (side.point,) if side.site else ()
    # Wait panics in the same way if the goroutine calls Add itself: only the code tells them apart
    certainty = FAIR if side.site_facts else WEAK + 0.05
    return RuleMatch(SURE if is_reuse_panic else certainty, evidence, _CHANGE, where)


def _match_next_round(context: RaceContext) -> RuleMatch | None:
    add_and_wait = synchronization.waitgroup_sides(context)
    if add_and_wait is None or not adds_for_next_round(*add_and_wait):
        return None
    adder, waiter = add_and_wait
    evidence = (
        waiter.evidence_at_site(f"Wait runs in {waiter.actor.id}"),
        adder.evidence_at_site("its starter calls Add for the next round before Wait has returned"),
    )
    if waits_before_adding(adder, waiter):
        evidence = (
            waiter.evidence_at_site(f"{waiter.actor.id} waits for the previous round"),
            adder.evidence_at_site("another actor has passed the wait and calls Add for the next round"),
        )
    return RuleMatch(STRONG, evidence, _CHANGE, context.change_points)


RULE = Rule(
    "waitgroup-reused",
    "group synchronisation",
    _find_reused_waitgroup,
    "a sync.WaitGroup per round",
    "None.",
    features=Feature.HAS_LIBRARY_FRAMES | Feature.OTHER_KIND | Feature.HAS_CODE,
)
