"""No lock on either side.

## What it sees
Two accesses to the same memory, at least one of them a write. It needs no further fact and is the cause that
remains when no other one fits. It is more likely if neither side holds a lock, as the detector lists them or as the
code shows, and if no other function holds one when it uses the field.

## Why it races
Nothing orders the two accesses. The reader may see an old value, part of a new one, or one that was never written.

## Example
    func (c *Config) SetLevel(l int) { c.level = l }
    func (c *Config) Level() int     { return c.level }

## Remedy
One lock next to the data that every access takes. For a single word use an atomic. Settings that are replaced as a
whole can be an immutable object whose pointer is atomic.

## When it is wrong
- From a report alone, one side may hold a lock: [partial-lock](partial-lock.md).
- An order may be missing instead: of a start, a wait or a stop. A lock then only moves the race to another line.
"""

from __future__ import annotations

from deadheat.diagnosis.cause import CauseDefinition, RemedyOption

CAUSE = CauseDefinition(
    name="missing-lock",
    title="No lock on either side",
    family="locking",
    needs=(),
    contradicted_by="kind: error-stack",
    evidence="no side holds a lock | no other access holds a lock | methods of one type | a counter is changed",
    sentence="{writer} and {other} use {variable} at the same time, and no lock is held on both sides",
    remedies=(
        RemedyOption(
            "If no other field depends on {variable}, read and write it with {atomic}.",
            "{atomic}",
            "No lock; but nothing else is ordered by it.",
            needs="variable's type: number | variable's type: boolean",
        ),
        RemedyOption(
            "Put {mutex} next to {variable} and hold it in {writer}, in {other} and in every other access.",
            "{mutex}",
            "One lock and unlock for each access.",
        ),
    ),
)
