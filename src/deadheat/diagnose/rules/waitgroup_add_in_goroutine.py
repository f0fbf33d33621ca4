"""`WaitGroup.Add` is not ordered before `Wait`.

## What it sees

- The race detector's model of a group: `Wait` writes (`runtime.racewrite`, `internal/race.Write`),
  `Add` reads (`runtime.raceread`).
- `sync.(*WaitGroup).Add` against `Wait` in the stacks.
- The panic `WaitGroup misuse: Add called concurrently with Wait`.
- With source: `wg.Add` inside of the function that the `go` statement runs, or the two calls on the
  racing lines, if a report lost the runtime frames.

## Why it races

`Add` in the goroutine itself may run after `Wait` has seen zero. `Wait` then returns before the
work is done.

## Example

    go func() { wg.Add(1); defer wg.Done(); work() }()
    wg.Wait()                       // may see zero

## Remedy

Call `Add` before the `go` statement, in the goroutine that calls `Wait` or before it starts.
`wg.Go(f)` of Go 1.25 does both.

## When it is wrong

A group that is reused for a next round (`waitgroup-reused`) shows the same two functions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from deadheat.diagnose import signals
from deadheat.diagnose.groups import added_elsewhere, is_next_round
from deadheat.diagnose.naming import short
from deadheat.diagnose.rule import LIKELY, STRONG, SURE, Hit, Rule
from deadheat.diagnose.side import point
from deadheat.diagnose.traits import ABOVE, KIND, SOURCE

if TYPE_CHECKING:
    from deadheat.diagnose.scene import Scene
    from deadheat.diagnose.side import Side


def _find(scene: Scene) -> Hit | None:
    if not scene.go:
        return None
    if scene.report.kind == "waitgroup-misuse":
        return _misuse(scene)
    met = signals.group(scene)
    return _hit(*met) if met and not is_next_round(*met) else None


def _hit(adds: Side, waits: Side) -> Hit:
    inside = _inside(adds)
    evidence = [
        adds.told(f"`{short(adds.name) or '?'}` calls Add, which the detector models as a read"),
        waits.told(f"`{short(waits.name) or '?'}` calls Wait, modelled as a write"),
    ]
    if inside:
        evidence.append(adds.told("Add is called by the goroutine that Wait waits for"))
    change = "Move Add before the go statement that starts the work, so that it runs before Wait."
    started = point(adds.creator) if inside and adds.creator else waits.point
    where = tuple(p for p in (adds.point, started) if p.file != "?")
    confidence = SURE if inside else STRONG
    return Hit(confidence, tuple(evidence), change, where, from_source=adds.here is not None)


def _inside(adds: Side) -> bool:
    """Return whether Add is called in the started goroutine."""
    return adds.is_worker


def _misuse(scene: Scene) -> Hit | None:
    """Match the panic of the runtime; the panic for a reused group has another text."""
    text = " ".join(value for _, value in scene.report.facts)
    side = scene.sides[0] if scene.sides else None
    change = "Move Add before the go statement that starts the work, so that it runs before Wait."
    if side is not None and added_elsewhere(side):
        evidence = (
            side.told("the runtime panicked in Wait, and the waiting function does not call Add"),
        )
        return Hit(LIKELY, evidence, change, (side.point,), from_source=True)
    if "reused" in text or "negative" in text:
        return None
    if side is None or not (signals.adds(side) or "Add called concurrently" in text):
        return None
    evidence = (side.told("the runtime panicked: Add was called concurrently with Wait"),)
    confidence = STRONG if "Add called" in text or side.is_worker else LIKELY
    return Hit(confidence, evidence, change, (side.point,) if side.site else ())


RULE = Rule(
    "waitgroup-add-in-goroutine",
    "group synchronisation",
    _find,
    "sync.WaitGroup",
    "None.",
    when=ABOVE | KIND | SOURCE,
)
