"""Atomic access on one side, non-atomic on the other.

## What it sees
An atomic access on one side only: by the frames (`sync/atomic`), by the detector (`atomic write`, KCSAN's `(marked)`),
or by the code (`atomic.AddInt64(&x, 1)`, `x.load(std::memory_order_acquire)`, `READ_ONCE(x)`).

- Atomics inside of Go or C locks do not count, also where the Go compiler inlined the lock.
- Freed memory counts only if the other side has released its reference (`fetch_sub`, `--`, `exchange`); with source
  only with `relaxed` or `release`, which does not order the access before the free.

## Why it races
An atomic access orders only other atomic accesses. The other one may be torn, cached in a register or moved by the
compiler. A counter decremented with `memory_order_relaxed` does not order earlier accesses.

## Example
    atomic.AddInt64(&s.n, 1)    // worker
    return s.n                  // reader

## Remedy
Make every access atomic. The types `atomic.Int64`, `atomic.Bool` and `std::atomic` enforce that.

## When it is wrong
The non-atomic side may overwrite a whole struct that has atomic fields (`struct-overwritten`). A `sync/atomic` frame
may also belong to a lock or a pool that is built with atomics.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from deadheat.diagnosis.facts.synchronization import (
    belongs_to_lock,
    is_atomic,
    is_reported_atomic,
    releases_without_ordering,
)
from deadheat.diagnosis.rule import LIKELY, STRONG, SURE, Feature, Rule, RuleMatch
from deadheat.model import Op

if TYPE_CHECKING:
    from deadheat.diagnosis.context import RaceContext
    from deadheat.diagnosis.race_side import RaceSide

_ADD_MEMORY_ORDER = (
    "Give the atomic access that finds the last user a memory order: memory_order_acq_rel, or release"
    " with an acquire before the free."
)


def _find_mixed_atomic(context: RaceContext) -> RuleMatch | None:
    name = context.shared_variable.name if context.shared_variable else ""
    for atomic, non_atomic in context.side_pairs:
        if not is_atomic(atomic, name) or is_atomic(non_atomic, name) or not non_atomic.live_frames:
            continue
        if belongs_to_lock(atomic):
            continue  # a lock that is copied or overwritten, not a counter
        if non_atomic.access.op is Op.FREE:
            return _match_unordered_release(atomic, non_atomic)
        evidence = (
            atomic.evidence_at_site(f"{atomic.action.removesuffix(' atomically')} atomically"),
            non_atomic.evidence_at_site(f"{non_atomic.action} without an atomic"),
        )
        change = f"Make this access to {context.variable_label} atomic like the other one."
        confidence = SURE if context.has_code else STRONG
        sourced = not is_reported_atomic(atomic)
        return RuleMatch(confidence, evidence, change, (non_atomic.point,), from_source=sourced)
    return None


def _match_unordered_release(atomic: RaceSide, frees: RaceSide) -> RuleMatch | None:
    """Match an atomic release of a reference that does not order the access before the free."""
    if not releases_without_ordering(atomic):
        return None  # the memory is still in use
    evidence = (
        atomic.evidence_at_site(f"{atomic.action} and so releases its reference"),
        frees.evidence_at_site(f"{frees.action} it; the atomic access does not order the two"),
    )
    sourced = atomic.site_facts is not None
    confidence = SURE if sourced else LIKELY
    return RuleMatch(confidence, evidence, _ADD_MEMORY_ORDER, (atomic.point,), from_source=sourced)


RULE = Rule(
    "mixed-atomic",
    "atomics",
    _find_mixed_atomic,
    "sync/atomic types; std::atomic; READ_ONCE and WRITE_ONCE",
    "A few nanoseconds per access.",
    features=Feature.HAS_CODE | Feature.HAS_ATOMIC | Feature.HAS_LIBRARY_FRAMES,
)
