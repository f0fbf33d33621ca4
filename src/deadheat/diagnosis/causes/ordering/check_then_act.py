"""A check and the action that depends on it are not one step.

## What it sees
With code: the write depends on a condition on the same variable, in its function or in a caller, the test and the
write are in one function, or the writer is still creating the object. From a report alone: both sides are in one
function, or were started by one line.

## Why it races
Another thread can act between the check and the action. Even if each step is atomic, the two together are not.

## Example
    if v > g.max { g.max = v }      // a larger value may be overwritten by a smaller one

## Remedy
Hold one lock from the check to the action. Or use compare-and-swap in a loop.

## When it is wrong
- An object that is created at first use is [lazy-initialisation](lazy-initialisation.md).
- If only one side needs the lock because the other already holds it, it is [partial-lock](partial-lock.md).
"""

from __future__ import annotations

from deadheat.diagnosis.cause import CauseDefinition, RemedyOption

CAUSE = CauseDefinition(
    name="check-then-act",
    title="A check and the action that depends on it are not one step",
    family="publication",
    needs=(
        (
            "write under a check of the variable | the test and the write are in one function | writer creates the "
            "object | locks (not known) | language: native | language: kernel | one side is missing"
        ),
        (
            "write under a check of the variable | the test and the write are in one function | writer creates the "
            "object | same line | same function | both started by one line | one side is missing"
        ),
    ),
    contradicted_by="writer appends | captured error | channel is closed | WaitGroup waits | panic on the stack",
    evidence="other side tests the variable | both are started workers",
    sentence="{writer} changes {variable} after a check of it, and {other} can change or check it in between",
    remedies=(
        RemedyOption(
            "Replace the check and the write of {variable} by one atomic compare-and-swap, in a loop if it may fail.",
            "an atomic compare-and-swap",
            "The loop repeats when threads collide.",
            needs="variable's type: number | variable's type: boolean",
        ),
        RemedyOption(
            "Hold one lock from the check of {variable} to its write in {writer}, and the same lock in {other}.",
            "{mutex}",
            "The lock is held longer.",
        ),
    ),
    general_causes=("missing-lock",),
)
