"""`WaitGroup.Add` is not ordered before `Wait`.

## What it sees
- `sync.(*WaitGroup).Add` against `Wait` in the stacks, or the race detector's model of them: `Wait` writes, `Add`
  reads.
- The panic `WaitGroup misuse: Add called concurrently with Wait`.
- With source: `wg.Add` in the function that the `go` statement runs, or the two calls on the racing lines.

## Why it races
`Add` in the goroutine itself may run after `Wait` has seen zero. `Wait` then returns before the work is done.

## Example
    go func() { wg.Add(1); defer wg.Done(); work() }()
    wg.Wait()                       // may see zero

## Remedy
Call `Add` before the `go` statement, in the goroutine that calls `Wait` or before it starts. `wg.Go(f)` of Go 1.25 does
both.

## When it is wrong
A group that is reused for a next round (`waitgroup-reused`) shows the same two functions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from deadheat.diagnosis.facts import synchronization
from deadheat.diagnosis.facts.function_names import without_package
from deadheat.diagnosis.facts.synchronization import adds_for_next_round, is_added_elsewhere
from deadheat.diagnosis.race_side import RaceSide, point_of
from deadheat.diagnosis.rule import LIKELY, STRONG, SURE, Feature, Rule, RuleMatch

if TYPE_CHECKING:
    from deadheat.diagnosis.context import RaceContext


def _find_waitgroup_add_in_goroutine(context: RaceContext) -> RuleMatch | None:
    if not context.is_go:
        return None
    if context.report.kind == "waitgroup-misuse":
        return _match_misuse_panic(context)
    add_and_wait = synchronization.waitgroup_sides(context)
    return _hit_for_add_and_wait(*add_and_wait) if add_and_wait and not adds_for_next_round(*add_and_wait) else None


def _hit_for_add_and_wait(adder: RaceSide, waiter: RaceSide) -> RuleMatch:
    evidence = [
        adder.evidence_at_site(
            f"`{without_package(adder.function) or '?'}` calls Add, which the detector models as a read"
        ),
        waiter.evidence_at_site(f"`{without_package(waiter.function) or '?'}` calls Wait, modelled as a write"),
    ]
    if adder.is_worker:
        evidence.append(adder.evidence_at_site("Add is called by the goroutine that Wait waits for"))
    change = "Move Add before the go statement that starts the work, so that it runs before Wait."
    started = point_of(adder.start_frame) if adder.is_worker and adder.start_frame else waiter.point
    where = tuple(p for p in (adder.point, started) if p.file != "?")
    confidence = SURE if adder.is_worker else STRONG
    return RuleMatch(confidence, tuple(evidence), change, where, from_source=adder.site_facts is not None)


def _match_misuse_panic(context: RaceContext) -> RuleMatch | None:
    """Match the panic of the runtime; the panic for a reused group has another text."""
    text = " ".join(value for _, value in context.report.facts)
    side = context.race_sides[0] if context.race_sides else None
    change = "Move Add before the go statement that starts the work, so that it runs before Wait."
    if side is not None and is_added_elsewhere(side):
        evidence = (side.evidence_at_site("the runtime panicked in Wait, and the waiting function does not call Add"),)
        return RuleMatch(LIKELY, evidence, change, (side.point,), from_source=True)
    if "reused" in text or "negative" in text:
        return None
    if side is None or not (synchronization.adds_to_waitgroup(side) or "Add called concurrently" in text):
        return None
    evidence = (side.evidence_at_site("the runtime panicked: Add was called concurrently with Wait"),)
    confidence = STRONG if "Add called" in text or side.is_worker else LIKELY
    return RuleMatch(confidence, evidence, change, (side.point,) if side.site else ())


RULE = Rule(
    "waitgroup-add-in-goroutine",
    "group synchronisation",
    _find_waitgroup_add_in_goroutine,
    "sync.WaitGroup",
    "None.",
    features=Feature.HAS_LIBRARY_FRAMES | Feature.OTHER_KIND | Feature.HAS_CODE,
)
