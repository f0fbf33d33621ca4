"""A recovery path accesses what others still use.

## What it sees
The access of one side runs while a panic unwinds: the valid part of its stack contains `runtime.gopanic`.

## Why it races
A panic skips the normal order of steps. The deferred function cleans up or reports while goroutines still run for
which the function would have waited.

## Example
    defer func() {
        if r := recover(); r != nil { e.finish() }    // workers have not been joined
    }()

## Remedy
In the deferred function first stop and join the workers, as the normal path does. Then access shared data.

## When it is wrong
Stale frames that a recovered panic left on the detector's stack also show `gopanic`; they do not count.
"""

from __future__ import annotations

from deadheat.diagnosis.cause import CauseDefinition, RemedyOption

CAUSE = CauseDefinition(
    name="recovery-path",
    title="A recovery path accesses what others still use",
    family="lifetime",
    needs=("panic on the stack",),
    contradicted_by="channel is closed | WaitGroup waits",
    evidence="writer in a deferred call | starter does not wait",
    sentence="{writer} accesses {variable} while a panic unwinds, before {other} has ended",
    remedies=(
        RemedyOption(
            (
                "In the deferred function, before it accesses {variable}, stop {other} with {stop}; then wait for it "
                "with {join}."
            ),
            "{stop}, and {join}",
            "Recovery waits for the current step.",
            unless="stop and wait before the access | starter waited before",
        ),
        RemedyOption(
            "Guard {variable} with {mutex} in the deferred function and in {other}.",
            "{mutex}",
            "One lock and unlock for each access; the recovery must not run under that lock.",
        ),
    ),
)
