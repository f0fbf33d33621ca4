"""A check without the lock, then again with it.

## What it sees
With code: one side holds a lock, and the write depends on a check of the variable that is made under the lock,
while the other side reads without it. From a report alone: only one side holds a lock, or, where locks are not
listed, both sides are in one function or were started by one line or function, or the writer creates something, by
its name.

## Why it races
The first check reads without an order. It may see the pointer before it sees the data that the pointer points to.

## Example
    if s.inst == nil {              // no lock
        s.mu.Lock()
        if s.inst == nil { s.inst = build() }
        s.mu.Unlock()
    }

## Remedy
Let the means of the language that runs code once do it. Or make the first read an atomic load, and the write an
atomic store.

## When it is wrong
These are [partial-lock](partial-lock.md): a reader without the lock in another function, a check that is not
repeated under the lock, and a check of another variable of the same name.
"""

from __future__ import annotations

from deadheat.diagnosis.cause import CauseDefinition, RemedyOption

CAUSE = CauseDefinition(
    name="double-checked-locking",
    title="A check without the lock, then again with it",
    family="publication",
    needs=(
        (
            "the check is made again under the lock | only one side holds a lock | only one side holds a lock (about "
            "something else) | only one side holds a lock (not known) | locks (not known)"
        ),
        (
            "the check is made again under the lock | write if the variable is not set | write under a check of the "
            "variable | writer creates the object | same line | same function | both started by one line | both "
            "started by one function | writer creates something | writer's caller reads something | one side is "
            "missing"
        ),
    ),
    contradicted_by=(
        "no side holds a lock | both hold one lock | a counter is changed | writer appends | one side is atomic"
    ),
    evidence="write if the variable is not set | the test and the write are in one function",
    sentence="{lacking} tests {variable} before it takes {lock}, while {holder} sets it under the lock",
    remedies=(
        RemedyOption(
            "Remove both checks, and create {variable} with {once}.",
            "{once}",
            "One atomic load for each use.",
            needs="write if the variable is not set | writer creates the object",
        ),
        RemedyOption(
            (
                "Keep the lock, and, with acquire and release order where the language has them, read and store "
                "{variable} with {atomic}."
            ),
            "{atomic}",
            "One atomic load for each use.",
        ),
    ),
    general_causes=("partial-lock", "lazy-initialisation"),
)
