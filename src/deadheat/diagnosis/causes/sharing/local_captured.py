"""A local variable is shared with a thread that a closure runs.

## What it sees
With code: a closure that runs in a goroutine or thread uses a variable of the enclosing function. From a report
alone: one side is a closure, best if the other is its function or another closure of it; or the memory is on the
stack of a thread.

## Why it races
A closure captures the variable itself, not its value. Once it runs in another thread, each access is shared, though
the code looks as if the variable were local.

## Example
    total := 0
    go func() { total += bonus }()
    total += base                   // two goroutines, one total

## Remedy
Give the closure a variable of its own, wait for it before the result is read, or guard the variable with a lock.

## When it is wrong
From a report alone the closure may access a field of an object that is shared in other ways: then a lock of that
object is missing.
"""

from __future__ import annotations

from deadheat.diagnosis.cause import CauseDefinition, RemedyOption

CAUSE = CauseDefinition(
    name="local-captured",
    title="A local variable is shared with a thread that a closure runs",
    family="captured variable",
    needs=(
        (
            "a closure captures the variable | variable is a captured | memory of a thread's stack | a closure and "
            "its function | two closures of one function | locks (not known) | variable (not known)"
        ),
        (
            "a closure captures the variable | variable is a captured | memory of a thread's stack | a closure and "
            "its function | two closures of one function | writer is a closure | reader is a closure"
        ),
    ),
    contradicted_by="channel is closed | variable is a package",
    evidence="captured local | captured parameter",
    sentence="{variable} is a local variable that {writer} changes while {other} uses it in another thread",
    remedies=(
        RemedyOption(
            "Before {variable} is used again, wait for {worker} with {join}.",
            "{join}",
            "The function waits for what it started.",
            "start",
            needs="starter does not wait | starter waits only after | a sleep stands for a wait",
            unless="starter waited before | stop and wait before the access | both started by one line",
        ),
        RemedyOption(
            (
                "Give each {thread} a variable of its own instead of {variable}, and combine them after the last has "
                "ended."
            ),
            "one variable for each {thread}",
            "The results must be combined.",
            needs="both started by one line | two closures of one function",
        ),
        RemedyOption(
            "Guard {variable} with {mutex} in the closure and outside of it, or use {atomic} for a single word.",
            "{mutex}",
            "One lock and unlock for each access.",
        ),
    ),
)
