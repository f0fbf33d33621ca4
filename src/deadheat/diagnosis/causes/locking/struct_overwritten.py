"""A whole struct is overwritten while its fields are in use.

## What it sees
One side is atomic, or holds the lock that is in the struct, and the other stores the whole struct at once (`*x =
T{}`, `memset`), which the code of its line or a frame that copies memory shows. From a report alone: an access that
is atomic on one side only; a writer that renews something, by its name, makes it more likely.

## Why it races
The assignment writes every field, also those that others use atomically or under a lock of the struct. It
overwrites the lock too.

## Example
    sc := &vars.cached[i]
    *sc = StatementContext{}    // while a worker still adds to sc.MemTracker

## Remedy
Do not reuse the object: make a new one and publish its pointer. Or wait for all users of the old one, then reset
it.

## When it is wrong
- The struct may be new, so that nobody else has its address yet.
- From a report alone only the one field may be set: [mixed-atomic](mixed-atomic.md).
"""

from __future__ import annotations

from deadheat.diagnosis.cause import CauseDefinition, RemedyOption

CAUSE = CauseDefinition(
    name="struct-overwritten",
    title="A whole struct is overwritten while its fields are in use",
    family="atomics",
    needs=(
        (
            "one side is atomic | a whole struct is stored | one side stores the whole struct | lock is overwritten "
            "| access of a lock | writer copies memory | one side is missing"
        ),
    ),
    contradicted_by="kind: error-stack | channel is closed | WaitGroup waits | map function",
    evidence="the side that is not atomic writes | writer renews something | a locked method works on a copy",
    sentence="{writer} overwrites the whole object that contains {variable}, which {other} is still using",
    remedies=(
        RemedyOption(
            "Make a new object in {writer} instead of overwriting the old one, and publish its pointer with {atomic}.",
            "{atomic}",
            "One allocation for each reset.",
            "writer",
            unless="lock is overwritten",
        ),
        RemedyOption(
            (
                "Reset the fields one by one in {writer}, each with the lock or the atomic operation that {other} "
                "uses for it."
            ),
            "the order that the fields already have",
            "A reader may see some fields new and some old.",
            "writer",
        ),
    ),
    general_causes=("mixed-atomic",),
)
