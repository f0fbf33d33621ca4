"""Atomic access on one side, non-atomic on the other.

## What it sees

An atomic access on one side only: frames of `sync/atomic` above the user's line, ThreadSanitizer's
`atomic write`, Miri's `atomic store`, KCSAN's `(marked)`. With source: `atomic.AddInt64(&x, 1)`,
`__atomic_fetch_add(&x, …)`, `x.load(std::memory_order_acquire)` or `READ_ONCE(x)` on one line, a
plain `x` on the other.

- Atomics inside of Go or C locks do not count, also where the Go compiler inlined the lock.
- Freed memory counts only if the other side has released its reference (`fetch_sub`, `--`,
  `exchange`); with source only with `relaxed` or `release`, which does not order the access before
  the free.

## Why it races

An atomic access orders only other atomic accesses. The other one may be torn, cached in a register
or moved by the compiler. A counter decremented with `memory_order_relaxed` does not order earlier
accesses.

## Example

    atomic.AddInt64(&s.n, 1)    // worker
    return s.n                  // reader

## Remedy

Make every access atomic. The types `atomic.Int64`, `atomic.Bool` and `std::atomic` enforce that.

## When it is wrong

The non-atomic side may overwrite a whole struct that has atomic fields (`struct-overwritten`). A
`sync/atomic` frame may also belong to a lock or a pool that is built with atomics.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from deadheat.diagnose.atomics import hands_over, is_atomic, of_lock, told
from deadheat.diagnose.rule import LIKELY, STRONG, SURE, Hit, Rule
from deadheat.diagnose.traits import ABOVE, ATOMIC, SOURCE
from deadheat.model import Op

if TYPE_CHECKING:
    from deadheat.diagnose.scene import Scene
    from deadheat.diagnose.side import Side

_ORDER = (
    "Give the atomic access that finds the last user a memory order: memory_order_acq_rel, or release"
    " with an acquire before the free."
)


def _find(scene: Scene) -> Hit | None:
    name = scene.shared.name if scene.shared else ""
    for atomic, plain in scene.both:
        if not is_atomic(atomic, name) or is_atomic(plain, name) or not plain.true:
            continue
        if of_lock(atomic):
            continue  # a lock that is copied or overwritten, not a counter
        if plain.access.op is Op.FREE:
            return _unordered(atomic, plain)
        evidence = (
            atomic.told(f"{atomic.does.removesuffix(' atomically')} atomically"),
            plain.told(f"{plain.does} without an atomic"),
        )
        change = f"Make this access to {scene.what} atomic like the other one."
        confidence = SURE if scene.sourced else STRONG
        where = (plain.point,)
        return Hit(confidence, evidence, change, where, from_source=not told(atomic))
    return None


def _unordered(atomic: Side, frees: Side) -> Hit | None:
    """Match an atomic release of a reference that does not order the access before the free."""
    if not hands_over(atomic):
        return None  # the memory is still in use
    evidence = (
        atomic.told(f"{atomic.does} and so releases its reference"),
        frees.told(f"{frees.does} it; the atomic access does not order the two"),
    )
    confidence = SURE if atomic.here else LIKELY
    return Hit(confidence, evidence, _ORDER, (atomic.point,), from_source=atomic.here is not None)


RULE = Rule(
    "mixed-atomic",
    "atomics",
    _find,
    "sync/atomic types; std::atomic; READ_ONCE and WRITE_ONCE",
    "A few nanoseconds per access.",
    when=SOURCE | ATOMIC | ABOVE,
)
