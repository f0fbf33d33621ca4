"""`WaitGroup.Add` is not ordered before `Wait`.

## What it sees
`Add` against `Wait` of one group: in the frames, in the race detector's model of them (`Wait` writes, `Add` reads),
or on the racing lines. Also the panic `WaitGroup misuse`.

## Why it races
`Add` in the goroutine itself may run after `Wait` has seen zero. `Wait` then returns before the work is done.

## Example
    go func() { wg.Add(1); defer wg.Done(); work() }()
    wg.Wait()                       // may see zero

## Remedy
Call `Add` before the `go` statement, in the goroutine that calls `Wait` or before it starts. `wg.Go(f)` of Go 1.25
does both.

## When it is wrong
A group that is reused for a next round ([waitgroup-reused](waitgroup-reused.md)) shows the same two functions.
"""

from __future__ import annotations

from deadheat.diagnosis.cause import CauseDefinition, RemedyOption

CAUSE = CauseDefinition(
    name="waitgroup-add-in-goroutine",
    title="`WaitGroup.Add` is not ordered before `Wait`",
    family="group synchronisation",
    needs=(
        (
            "WaitGroup waits | WaitGroup.Add | WaitGroup.Wait | Add is called in a started goroutine | variable is "
            "of package sync | kind: waitgroup-misuse"
        ),
    ),
    contradicted_by="map function | channel is closed | nil is stored | one side is atomic",
    sentence="{other} calls `Add` on {variable} while {writer} may already wait, so that the wait can miss it",
    remedies=(
        RemedyOption(
            "Move `Add` from {other} above the `go` statement that starts it, or use `wg.Go`.",
            "the order of two statements",
            "None.",
            "start",
            needs="Add is called in a started goroutine",
            languages=("go",),
        ),
        RemedyOption(
            (
                "Guard both calls with {mutex} and a flag that {writer} sets before it waits and {other} tests "
                "before it adds."
            ),
            "{mutex}",
            "One lock and unlock for each new piece of work; late work is refused.",
        ),
    ),
)
