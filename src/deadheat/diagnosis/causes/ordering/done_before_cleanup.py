"""A worker signals its end before it has finished its work.

## What it sees
With code: a worker calls `Done`, closes or sends on a channel, or posts another signal before the racing line, or
defers that signal so that it runs before the access; or the other side comes after a wait. From a report alone: a
worker writes in a deferred call, a side waits or returns a result, by its name, or the other side started the
worker and is further down.

## Why it races
Whoever waits for the signal continues while the worker still writes. In Go deferred calls run in reverse order: a
call that is deferred before `defer wg.Done()` runs after it.

## Example
    go func() {
        defer flush(&stats)    // runs last
        defer wg.Done()        // runs first
        work()
    }()
    wg.Wait()
    print(stats)

## Remedy
Signal last. In Go make `defer wg.Done()` the first statement of the goroutine, so that it runs last.

## When it is wrong
- The signal may be about other memory.
- A goroutine that the worker itself starts is not waited for either.
"""

from __future__ import annotations

from deadheat.diagnosis.cause import CauseDefinition, RemedyOption

CAUSE = CauseDefinition(
    name="done-before-cleanup",
    title="A worker signals its end before it has finished its work",
    family="group synchronisation",
    needs=(
        (
            "worker signals before the access | writer in a deferred call | writer waits | other side waits | writer "
            "returns a result | other side returns a result | starter waited before | writer waits before the access "
            "| reader waits before the access | locks (not known) | the wait has a timeout"
        ),
        (
            "worker signals before the access | writer in a deferred call | writer waits | other side waits | writer "
            "returns a result | other side returns a result | starter waited before | writer waits before the access "
            "| reader waits before the access | other side ends something | other side started the other and is "
            "below the start | one side is missing"
        ),
    ),
    contradicted_by="map function | channel is closed | WaitGroup waits | one side is atomic",
    sentence=(
        "{worker} signals its end with {call} before the last access to {variable}, so that the wait returns too early"
    ),
    remedies=(
        RemedyOption(
            (
                "Make the deferred call that signals the end the first statement of the goroutine that runs "
                "{worker}, so that it runs last."
            ),
            "the order of deferred calls",
            "None.",
            needs="writer in a deferred call | reader in a deferred call",
            languages=("go",),
        ),
        RemedyOption(
            "Move {call} in {worker} below the last access to {variable}.", "the order of two statements", "None."
        ),
    ),
)
