"""Both sides hold a lock, but not the same one.

## What it sees
Each side holds at least one lock and they have none in common: as the detector lists them, or as the code of the
racing lines and their callers shows. The locks may have one name and belong to two objects. From a Go report alone,
which lists no locks, it is only possible, not likely.

## Why it races
Two locks order nothing between their holders.

## Example
    pthread_mutex_lock(&t->rows_lock);  t->rows++;     /* one thread */
    pthread_mutex_lock(&t->stats_lock); n = t->rows;   /* the other  */

## Remedy
Decide which lock guards the variable, say so in a comment at its declaration, and take that lock on both sides.

## When it is wrong
- A caller that is not in the stack may take a lock for both sides.
- If only one of the two locks belongs to the object, the object's lock is missing on the other side:
  [partial-lock](partial-lock.md).
"""

from __future__ import annotations

from deadheat.diagnosis.cause import CauseDefinition, RemedyOption

CAUSE = CauseDefinition(
    name="different-locks",
    title="Both sides hold a lock, but not the same one",
    family="locking",
    needs=(
        (
            "both hold different locks | both hold different locks (about something else) | both hold different "
            "locks (not known) | both hold one lock | the different locks have one name | only the writer holds a "
            "read lock (not known) | only the other side holds a read lock (not known) | one side is missing | locks "
            "(not known)"
        ),
    ),
    contradicted_by="WaitGroup.Wait | variable is of package sync | kind: error-stack | no side holds a lock",
    evidence="most other accesses hold a lock",
    sentence="{writer} and {other} each hold a lock for {variable}, but not the same one",
    remedies=(
        RemedyOption(
            "Guard {variable} with {lock} only, and take it in {lacking} too.",
            "the lock that most accesses hold",
            "One more holder of a lock that exists.",
            "lacking",
            needs="most other accesses hold a lock | some other accesses hold a lock",
        ),
        RemedyOption(
            "Use one lock for all objects that share {variable}, instead of one in each object.",
            "one lock for the shared data",
            "The objects wait for each other.",
            needs="the different locks have one name | both hold one lock",
        ),
        RemedyOption(
            (
                "Choose the one lock that guards {variable}, say so at its declaration, and take it in {writer} and "
                "{other}."
            ),
            "one of the two locks",
            "If both locks are needed, they must always be taken in the same order.",
        ),
    ),
    general_causes=("missing-lock",),
)
