"""A lock that was copied with the value that it guards.

## What it sees
With code: a method with a value receiver locks its own copy, a call copies the value that contains the lock, or the
type that contains the lock is copied somewhere in the package; or both sides hold a lock of one name, or two locks.
Also: one side is inside of the lock itself. From a report alone: both sides run functions of one file or methods of
one type; a value receiver makes it more likely.

## Why it races
A copy of a lock is another lock. Each holder of a copy locks its own one, while maps, slices and pointers in the
copied value are still shared.

## Example
    func (c Counter) Inc(k string) { c.mu.Lock(); defer c.mu.Unlock(); c.m[k]++ }    // c is a copy

## Remedy
Pass the value by pointer or by reference, also as the receiver of a method and as a loop variable.

## When it is wrong
- A value that holds its lock by pointer may be copied: the lock stays the same.
- From a report alone the value may contain no lock at all.
"""

from __future__ import annotations

from deadheat.diagnosis.cause import CauseDefinition, RemedyOption

CAUSE = CauseDefinition(
    name="copied-lock",
    title="A lock that was copied with the value that it guards",
    family="locking",
    needs=(
        (
            "a locked method works on a copy | the type of the lock is copied | both hold different locks | both "
            "hold different locks (about something else) | both hold different locks (not known) | both hold one "
            "lock | access of a lock | locks (not known)"
        ),
        (
            "a locked method works on a copy | the type of the lock is copied | both hold different locks | both "
            "hold different locks (about something else) | both hold different locks (not known) | both hold one "
            "lock | access of a lock | same line | same function | methods of one type | same file | one side is "
            "missing"
        ),
    ),
    contradicted_by="kind: error-stack | no side holds a lock",
    evidence="writer has a value receiver | writer's method works on a copy | reader's method works on a copy",
    sentence="{writer} and {other} each take a copy of {lock}, which orders nothing between their uses of {variable}",
    remedies=(
        RemedyOption(
            (
                "Give the methods that take {lock} a pointer receiver, and pass and store their value by pointer; "
                "`go vet -copylocks` lists the copies."
            ),
            "a pointer instead of a copy",
            "The value may move to the heap.",
            languages=("go",),
        ),
        RemedyOption(
            "Pass the object that contains {lock} by reference, and forbid its copy.",
            "a reference instead of a copy",
            "None at run time; its owner must outlive its users.",
        ),
    ),
    general_causes=("different-locks",),
)
