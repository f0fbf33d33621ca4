"""An object was returned to its pool while it is still in use.

## What it sees
A function of a pool on a stack, or one named like it; with code, an object that a call takes from a pool or returns.

## Why it races
A pool hands the object to the next caller. Code that kept a reference now shares it.

## Example
    buf := pool.Get().(*bytes.Buffer)
    go audit(buf)
    pool.Put(buf)                   // audit still has it

## Remedy
Return the object only after its last user is done, or pass a copy to the other thread.

## When it is wrong
- The pool's own bookkeeping may race: then a lock is missing in the pool.
- A buffer that is reused without a pool is [worker-outlives-owner](worker-outlives-owner.md).
"""

from __future__ import annotations

from deadheat.diagnosis.cause import CauseDefinition, RemedyOption

CAUSE = CauseDefinition(
    name="pooled-object-reused",
    title="An object was returned to its pool while it is still in use",
    family="lifetime",
    needs=("object comes from a pool | pool function | writer belongs to a pool | other side belongs to a pool",),
    contradicted_by=(
        "channel is closed | WaitGroup waits | one side is atomic | both are goroutines of tests | map function | a "
        "counter is changed"
    ),
    evidence="writer belongs to a pool | the writer sent on a channel before",
    sentence=(
        "{variable} was handed back for reuse while {other} still uses it, and {writer} changes it for the next user"
    ),
    remedies=(
        RemedyOption(
            "Before the object is returned to the pool, wait for {worker} with {join}.",
            "{join}",
            "The object stays in use longer.",
            "start",
            needs="starter does not wait | starter waits only after",
            unless="starter waited before | stop and wait before the access",
        ),
        RemedyOption(
            "Let the last user return the object to the pool, with a count of its users.",
            "an atomic count of users",
            "One atomic operation for each user.",
            needs="object comes from a pool | pool function",
        ),
        RemedyOption(
            "Pass a copy of {variable} to {other}, instead of the object that will be reused.",
            "a copy",
            "One copy for each use.",
        ),
    ),
    general_causes=("worker-outlives-owner",),
)
