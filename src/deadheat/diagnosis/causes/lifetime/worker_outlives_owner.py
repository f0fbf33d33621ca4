"""A worker outlives its owner.

## What it sees
A function that started a worker, or one of its callers, accesses below the start what the worker writes, or is
above the start again in its next round; or memory is freed that a thread still uses; or a side renews something, by
its name. Also: the reader returns a result, by its name, is the main thread, belongs to a test, or has ended since.
With code also: a stop without a wait, or a wait that may end early.

## Why it races
Nothing waited for the worker before its object was used again. It reads and writes data of the next user.

## Example
    func (s *Session) Execute(q string) {
        s.stmt.Reset(q)             // the worker of the last statement still has &s.stmt
        go worker.Evaluate(&s.stmt)
    }

## Remedy
Wait for the worker before its object is used again. Or give every use its own object.

## When it is wrong
- A counter that is reset while in use, or methods of one type whose call also started the worker: a lock is
  missing.
- A call that ends something may end another object than the worker's.
"""

from __future__ import annotations

from deadheat.diagnosis.cause import CauseDefinition, RemedyOption

CAUSE = CauseDefinition(
    name="worker-outlives-owner",
    title="A worker outlives its owner",
    family="lifetime",
    needs=(
        (
            "other side started the other and is below the start | writer started the other and is below the start | "
            "writer started the other and is above the start | the access is in the next round of a loop that starts "
            "| reader is the main thread | memory is freed | writer renews something | writer's caller renews "
            "something | other side renews something | other side returns a result | the wait has a timeout | stop "
            "without a wait | sides belong to different tests | reader in a test file | reader has finished | one "
            "side is missing"
        ),
    ),
    contradicted_by="both are goroutines of tests | both hold one lock for reading",
    evidence="the starter renews what its worker may use | starter does not wait | starter waits only after",
    sentence="{worker}, which {starter} left running, still uses {variable} when its owner uses it again",
    remedies=(
        RemedyOption(
            (
                "Before {variable} is used again, let {starter} wait for {worker} on every path, also after an error "
                "or a timeout, with {join}."
            ),
            "{join}",
            "The next use waits for the end of the last.",
            "start",
            unless="starter waited before | stop and wait before the access",
        ),
        RemedyOption(
            "Move the access to {variable} behind the wait for {worker}.",
            "the order of two statements",
            "None.",
            "start",
            needs="starter waits only after | writer waits after the access",
        ),
        RemedyOption(
            "Give each {thread} an object of its own instead of {variable}.",
            "one object for each use",
            "One allocation for each use.",
            "start",
        ),
    ),
)
