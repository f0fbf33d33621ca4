"""Atomic access on one side, non-atomic on the other.

## What it sees
One side accesses the variable atomically, as the detector marks it (an atomic operation, a frame of `sync/atomic`)
or as the code shows, and the other side does not. Also: memory that is freed after a reference was released with an
atomic operation that does not order earlier accesses. If one side is missing, an atomic access on the side that is
there is enough.

## Why it races
An atomic access orders only other atomic accesses. The other one may be torn, kept in a register or moved by the
compiler.

## Example
    atomic.AddInt64(&s.n, 1)    // worker
    return s.n                  // reader

## Remedy
Make every access atomic. A variable of an atomic type, where the language has one, admits no other access.

## When it is wrong
- The other side may overwrite a whole struct with atomic fields: [struct-overwritten](struct-overwritten.md).
- The atomic operation may belong to a lock or a pool that is built from atomics.
"""

from __future__ import annotations

from deadheat.diagnosis.cause import CauseDefinition, RemedyOption

CAUSE = CauseDefinition(
    name="mixed-atomic",
    title="Atomic access on one side, non-atomic on the other",
    family="atomics",
    needs=(
        (
            "one side is atomic | atomic access | access of a lock | reference released without ordering | variable "
            "has an atomic type | one side is missing"
        ),
    ),
    contradicted_by=(
        "kind: error-stack | a whole struct is stored | one side stores the whole struct | the object is destroyed | "
        "both sides are atomic | channel is closed | WaitGroup waits | panic on the stack"
    ),
    evidence="the side that is not atomic writes | memory is freed",
    sentence="one of {writer} and {other} accesses {variable} atomically, and the other does not",
    remedies=(
        RemedyOption(
            (
                "Release the reference with an atomic operation that acquires and releases, before the last user "
                "frees {variable}."
            ),
            "the memory order of the counter",
            "One barrier for each release.",
            needs="reference released without ordering | memory is freed",
        ),
        RemedyOption(
            "In {writer} and in {other}, access {variable} with {atomic}.",
            "{atomic}",
            "No lock; a read-modify-write must become one atomic operation.",
        ),
    ),
)
