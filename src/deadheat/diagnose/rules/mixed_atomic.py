"""Atomic on one side, plain on the other.

## What it sees

An atomic access on one side only: frames of `sync/atomic` above the user's line, ThreadSanitizer's
`atomic write`, Miri's `atomic store`, KCSAN's `(marked)` against a plain access. With source:
`atomic.AddInt64(&x, 1)`, `__atomic_fetch_add(&x, …)`, `x.load(std::memory_order_acquire)` or
`READ_ONCE(x)` on one line, `x` as it is on the other. What Go's locks and those of C do inside is
not meant, also where Go's compiler has left no frame of them. Memory that is freed is meant only where
the other side has given up its hold on it (`fetch_sub`, `--`, `exchange`), with source only where that
is `relaxed` or `release`: then it is atomic, but orders nothing before the one who frees.

## Why it races

An atomic access orders only other atomic accesses. The plain one may be torn, cached in a register
or moved by the compiler. A count that is lowered with `memory_order_relaxed` does not order what was
done before it.

## Example

    atomic.AddInt64(&s.n, 1)    // worker
    return s.n                  // reader

## Remedy

Make every access atomic; the types `atomic.Int64`, `atomic.Bool` and `std::atomic` leave no other
way.

## When it is wrong

The plain side may overwrite a whole struct that has atomic fields (`struct-overwritten`). A
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
    "Give the atomic access that decides who is the last an order: memory_order_acq_rel, or release"
    " and an acquire by the one who frees."
)


def _find(scene: Scene) -> Hit | None:
    name = scene.shared.name if scene.shared else ""
    for atomic, plain in scene.both:
        if not is_atomic(atomic, name) or is_atomic(plain, name) or not plain.true:
            continue
        if of_lock(atomic):
            continue  # a lock that is copied or made anew, not a counter that is read
        if plain.access.op is Op.FREE:
            return _unordered(atomic, plain)
        evidence = (
            atomic.told(f"{atomic.does.removesuffix(' atomically')} atomically"),
            plain.told(f"{plain.does} plainly"),
        )
        change = f"Make this access to {scene.what} atomic like the other."
        confidence = SURE if scene.sourced else STRONG
        where = (plain.point,)
        return Hit(confidence, evidence, change, where, from_source=not told(atomic))
    return None


def _unordered(atomic: Side, frees: Side) -> Hit | None:
    """A count or a flag that says who frees: no plain access, but one atomic access without order."""
    if not hands_over(atomic):
        return None  # it is still in use
    evidence = (
        atomic.told(f"{atomic.does}, and so gives up its hold on it"),
        frees.told(f"{frees.does} it, and that atomic access does not order the two"),
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
