"""Shared memory that a channel does not order.

## What it sees
With code: a side runs in a branch of a `select`, waits or receives before the access, or writes after it has sent
on a channel. From a report alone: a side waits, by its name, or one that started the other is further down. Only in
Go.

## Why it races
A channel orders a send before its receive. A thread that writes after a receive, or after its own send, notifies
nobody. The reader has received nothing from it.

## Example
    case <-ctx.Done():
        s.err = ctx.Err()           // Err() reads it without waiting
        return

## Remedy
Send the value itself over a channel. Or close a channel after the write and receive from it before the read. Or use
a lock.

## When it is wrong
- The variable is ordinary shared state and the channel only triggers the access: then a lock is missing.
- From a report alone: a function such as `Err` that may be called at any time.
"""

from __future__ import annotations

from deadheat.diagnosis.cause import CauseDefinition, RemedyOption

CAUSE = CauseDefinition(
    name="channel-and-shared-memory",
    title="Shared memory that a channel does not order",
    family="channels",
    needs=(
        (
            "writer runs in a done branch | reader runs in a done branch | writer runs in a select branch | reader "
            "runs in a select branch | the writer sent on a channel before | writer waits before the access | reader "
            "waits before the access | starter waited before | the wait has a timeout | writer waits | other side "
            "waits | locks (not known)"
        ),
        (
            "writer runs in a done branch | reader runs in a done branch | writer runs in a select branch | reader "
            "runs in a select branch | the writer sent on a channel before | writer waits before the access | reader "
            "waits before the access | starter waited before | the wait has a timeout | writer waits | other side "
            "waits | other side started the other and is below the start | other side runs something"
        ),
        "language: go",
    ),
    contradicted_by="channel is closed | WaitGroup waits | both hold one lock | one side is atomic",
    sentence="{writer} writes {variable} without a message that {other} would have to receive before it reads it",
    remedies=(
        RemedyOption(
            "Write {variable} before the send in {writer}, and do not use what was sent after it.",
            "the order of two statements",
            "None.",
            "writer",
            needs="the writer sent on a channel before",
        ),
        RemedyOption(
            (
                "Close a channel in {writer} after the write of {variable}, and receive from it in {other} before "
                "the read."
            ),
            "a channel that is closed after the write",
            "The reader waits.",
            unless="stop and wait before the access",
        ),
        RemedyOption(
            "Guard {variable} with {mutex} in {writer} and in {other}.",
            "{mutex}",
            "One lock and unlock for each access.",
        ),
    ),
)
