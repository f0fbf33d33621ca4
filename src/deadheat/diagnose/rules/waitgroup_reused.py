"""A WaitGroup is used for the next round before the last `Wait` has returned.

## What it sees

- The panic `WaitGroup is reused before previous Wait has returned`, raised in `Wait`.
- `Add` by the starter of the waiting goroutine, or further down in a waiting function that two
  goroutines run.
- With source: `Add` and `Wait` on the same group in a loop, by different goroutines.

`Wait` also panics if goroutines call `Add` themselves; without source the answer is `unknown`.

## Why it races

`Wait` wakes up when the counter is zero, but has not returned yet. An `Add` at that moment belongs
to the next round, and the group cannot tell the rounds apart.

## Example

    for range rounds { go worker(&wg); wg.Wait() }    // a worker of the next round adds already

## Remedy

Use a new group for every round, declared inside of the loop. Or let one goroutine make all calls of
`Add`, after `Wait` has returned.

## When it is wrong

The report does not show which `Add` came too early.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from deadheat.diagnose import signals
from deadheat.diagnose.groups import added_elsewhere, is_next_round, waits_first
from deadheat.diagnose.rule import FAIR, STRONG, SURE, WEAK, Hit, Rule
from deadheat.diagnose.traits import ABOVE, KIND, SOURCE

if TYPE_CHECKING:
    from deadheat.diagnose.scene import Scene


def _find(scene: Scene) -> Hit | None:
    if not scene.go or not scene.sides:
        return None
    change = "Declare a new WaitGroup for every round, inside the loop."
    if scene.report.kind != "waitgroup-misuse":
        return _round(scene, change)
    side = scene.sides[0]
    told = any("reused" in value for _, value in scene.report.facts)
    waits = side.shows("sync.(*WaitGroup).Wait") is not None
    if (not told and not waits) or added_elsewhere(side):
        return None
    evidence = (side.told("the runtime panicked in Wait: the group is already reused"),)
    where = (side.point,) if side.site else ()
    # Wait panics in the same way if the goroutine calls Add itself: only the code tells them apart
    seen = FAIR if side.here else WEAK + 0.05
    return Hit(SURE if told else seen, evidence, change, where)


def _round(scene: Scene, change: str) -> Hit | None:
    """Match a goroutine that waits while its starter adds for the next round."""
    met = signals.group(scene)
    if met is None or not is_next_round(*met):
        return None
    adds, waits = met
    evidence = (
        waits.told(f"Wait runs in {waits.actor.id}"),
        adds.told("its starter calls Add for the next round before Wait has returned"),
    )
    if waits_first(adds, waits):
        evidence = (
            waits.told(f"{waits.actor.id} waits for the previous round"),
            adds.told("another actor has passed the wait and calls Add for the next round"),
        )
    return Hit(STRONG, evidence, change, scene.points)


RULE = Rule(
    "waitgroup-reused",
    "group synchronisation",
    _find,
    "a sync.WaitGroup per round",
    "None.",
    when=ABOVE | KIND | SOURCE,
)
