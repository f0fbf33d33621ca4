"""A lock on one side only.

## What it sees
One side holds a lock and the other holds none: as the detector lists them, or as the code of the racing lines and of
their callers shows. A lock counts as the variable's own if the type that contains the variable contains it too. Also:
most other functions that use the field hold a lock, and one side does not.

## Why it races
A lock orders only threads that take it. The side without it runs in the middle of the other's critical section.

## Example
    func (m *Manager) Open(id string)   { m.mu.Lock(); defer m.mu.Unlock(); m.sessions[id] = … }
    func (m *Manager) Lookup(id string) { return m.sessions[id] }    // no lock

## Remedy
Take the same lock on the other side, for reading if it is a read-write lock.

## When it is wrong
- The lock may guard something else: a caller's lock of another type is weaker evidence.
- A lock taken in a function that the detector left out of the stack is not seen.
"""

from __future__ import annotations

from deadheat.diagnosis.cause import CauseDefinition, RemedyOption

CAUSE = CauseDefinition(
    name="partial-lock",
    title="A lock on one side only",
    family="locking",
    needs=(
        (
            "only one side holds a lock | only one side holds a lock (not known) | only one side holds a lock (about "
            "something else) | one side lacks the usual lock | both sides lack the usual lock | some other accesses "
            "hold a lock | writer's caller should hold a lock | reader's caller should hold a lock | both hold "
            "different locks (about something else) | both hold different locks (not known) | the type has a lock | "
            "a lock fits before the write | locks (not known)"
        ),
    ),
    contradicted_by=(
        "WaitGroup.Wait | variable is of package sync | kind: error-stack | channel is closed | WaitGroup waits | "
        "the object is destroyed"
    ),
    evidence="the lock is taken by a caller | most other accesses hold a lock",
    sentence="{holder} takes {lock} for {variable}, and {lacking} does not",
    remedies=(
        RemedyOption(
            "Read and write {variable} with {atomic}, if no other field depends on it.",
            "{atomic}",
            "No lock; but nothing else is ordered by it.",
            needs="one side is atomic",
        ),
        RemedyOption(
            "Take {lock} in {lacking} too.",
            "the lock that is there",
            "One more holder of a lock that exists.",
            "lacking",
        ),
    ),
    general_causes=("missing-lock",),
)
