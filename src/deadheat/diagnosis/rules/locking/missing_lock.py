"""No lock on either side.

## What it sees
Two accesses to the same memory, at least one of them a write, and no lock on either side: as listed by the detector
(ThreadSanitizer, Helgrind) or by the code. From a Go report alone it is the usual cause of two non-atomic accesses that
show no other mechanism: no container, no captured variable, no teardown.

With source, if one side is a worker of the package, the other side must wait for it only afterwards, or the worker must
run forever. Otherwise a wait may be missing instead of a lock.

## Why it races
Nothing orders the two accesses. The reader may see an old value, part of a new one, or one that was never written.

## Example
    func (c *Config) SetLevel(l int) { c.level = l }
    func (c *Config) Level() int     { return c.level }

## Remedy
One mutex next to the data that every access takes. For a single word use an atomic. For settings that are replaced as a
whole use an `atomic.Pointer` to an immutable value.

## When it is wrong
From a report alone, one side may hold a lock (`partial-lock`), or an order is missing. The answer is `unknown` if that
is as likely:

- A worker that the package started and left running races with a later call of the package, unless its starter is named
  so (`Start`, `Open`).
- A function races with the worker that it started before.
- A worker that `main` started has ended, and a method of the same type reads what it wrote.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from deadheat.diagnosis.facts import locks
from deadheat.diagnosis.facts.function_names import is_closure, is_in_endless_loop, is_test_file
from deadheat.diagnosis.facts.lifetime import find_package_worker
from deadheat.diagnosis.facts.waits import later_wait_line, may_run_in_order
from deadheat.diagnosis.rule import FAIR, LIKELY, WEAK, Rule, RuleMatch

if TYPE_CHECKING:
    from deadheat.diagnosis.context import RaceContext
    from deadheat.diagnosis.race_side import RaceSide

_ORDERING_CALLS = ("Wait", "Done", "close", "cancel", "Signal", "Broadcast")
_MAX_FRAMES = 3
# for Go, whose detector lists no locks
_IF_ONE_LOCKED = "If one of the two sides already holds a lock for it, take that lock on the other side too."


def _find_missing_lock(context: RaceContext) -> RuleMatch | None:
    if context.report.kind not in ("data-race", "race-on-external-object") or len(context.race_sides) < 2:
        return None
    if any(side.site is None or side.atomic for side in context.race_sides):
        return None
    change = (
        f"Take one mutex around every access to {context.variable_label}, or make it atomic if it is a single"
        " independent word."
    )
    locks_held = locks.locks_of_both_sides(context)
    if locks_held is None:
        change = f"{_IF_ONE_LOCKED} Else: {change[0].lower()}{change[1:]}" if context.is_go else change
        evidence = tuple([side.evidence_at_site(side.action) for side in context.race_sides])
        confidence = FAIR if context.is_go else WEAK + 0.15
        if may_run_in_order(context):
            confidence = WEAK + 0.05  # a wait, or the stop of a timer, may be missing instead
        return RuleMatch(confidence, evidence, change, context.change_points)
    if any(locks_held):
        return None
    evidence = tuple([side.evidence_at_site(f"{side.action} without a visible lock") for side in context.race_sides])
    may_lack_order = _may_lack_order if context.has_code else may_run_in_order
    confidence = LIKELY if context.has_code else FAIR
    if may_lack_order(context):
        confidence = WEAK + 0.05
    return RuleMatch(confidence, evidence, change, context.change_points, from_source=context.has_code)


def _may_lack_order(context: RaceContext) -> bool:
    """Return whether the other side should perhaps have waited for a worker of its package."""
    encounter = find_package_worker(context)
    if encounter is None:
        return False
    if context.is_go:
        may_be_ordered = any(_has_wait_or_signal(context, side) for side in context.race_sides)
    else:
        may_be_ordered = not _runs_forever(context, encounter[0])
    # a side that waits only afterwards should run concurrently
    return may_be_ordered and later_wait_line(context, encounter[1]) is None


def _runs_forever(context: RaceContext, side: RaceSide) -> bool:
    return any(is_in_endless_loop(context, frame) for frame in side.user_frames[:_MAX_FRAMES])


def _has_wait_or_signal(context: RaceContext, side: RaceSide) -> bool:
    if _lives_as_long_as_starter(context, side):
        return False  # it loops and waits for its own iterations only
    for frame in side.user_frames[:_MAX_FRAMES]:
        facts = None if is_test_file(frame.file) else context.function_at(frame)
        if facts and (facts.send_lines or facts.receive_lines or any(c.name in _ORDERING_CALLS for c in facts.calls)):
            return True
        if is_closure(frame.function):
            break  # the caller of a closure runs it for others
    return False


def _lives_as_long_as_starter(context: RaceContext, side: RaceSide) -> bool:
    """Return whether a worker runs as long as its starter, which is the other side."""
    other = next((s for s in context.race_sides if s is not side), None)
    # all tests have frames of the testing package in common
    other_functions = {f.function for f in other.live_frames if f.package != "testing"} if other else set()
    is_started_by_other = side.is_worker and any(f.function in other_functions for f in side.start_stack)
    return is_started_by_other and _runs_forever(context, side)


RULE = Rule(
    "missing-lock",
    "locking",
    _find_missing_lock,
    "sync.Mutex, sync/atomic for a single word",
    "A lock per access, held for a few instructions.",
)
