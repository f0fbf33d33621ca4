"""Atomic on one side, plain on the other.

## What it sees

An atomic access on one side only: frames of `sync/atomic` above the user's line, ThreadSanitizer's
`atomic write`, Miri's `atomic store`, KCSAN's `(marked)` against a plain access. With source:
`atomic.AddInt64(&x, 1)`, `__atomic_fetch_add(&x, …)`, `x.load(std::memory_order_acquire)` or
`READ_ONCE(x)` on one line, `x` as it is on the other. What Go's locks do inside is not meant, also
where the compiler has left no frame of them.

## Why it races

An atomic access orders only other atomic accesses. The plain one may be torn, cached in a register
or moved by the compiler.

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

from deadheat.diagnose.atomics import is_atomic, of_lock, told
from deadheat.diagnose.rule import STRONG, SURE, Hit, Rule
from deadheat.diagnose.traits import ABOVE, ATOMIC, SOURCE

if TYPE_CHECKING:
    from deadheat.diagnose.scene import Scene


def _find(scene: Scene) -> Hit | None:
    name = scene.shared.name if scene.shared else ""
    for atomic, plain in scene.both:
        if not is_atomic(atomic, name) or is_atomic(plain, name) or not plain.true:
            continue
        if of_lock(atomic):
            continue  # a lock that is copied or made anew, not a counter that is read
        evidence = (
            atomic.told(f"{atomic.does.removesuffix(' atomically')} atomically"),
            plain.told(f"{plain.does} plainly"),
        )
        change = f"Make this access to {scene.what} atomic like the other."
        confidence = SURE if scene.sourced else STRONG
        where = (plain.point,)
        return Hit(confidence, evidence, change, where, from_source=not told(atomic))
    return None


RULE = Rule(
    "mixed-atomic",
    "atomics",
    _find,
    "sync/atomic types; std::atomic; READ_ONCE and WRITE_ONCE",
    "A few nanoseconds per access.",
    when=SOURCE | ATOMIC | ABOVE,
)
