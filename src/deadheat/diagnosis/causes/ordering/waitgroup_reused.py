"""A WaitGroup is used for the next round before the last `Wait` has returned.

## What it sees
`Wait` on one side and `Add` of the same group on the other: in the frames, in the race detector's model of them, or
on the racing lines. Also the panic `WaitGroup is reused before previous Wait has returned`. It is more likely if
the start is in a loop.

## Why it races
`Wait` wakes up when the counter is zero, but has not returned yet. An `Add` at that moment belongs to the next
round, and the group cannot tell the rounds apart.

## Example
    for range rounds { go worker(&wg); wg.Wait() }    // a worker of the next round adds already

## Remedy
Use a new group for every round, declared inside of the loop. Or let one goroutine make all calls of `Add`, after
`Wait` has returned.

## When it is wrong
The report does not show which `Add` came too early.
"""

from __future__ import annotations

from deadheat.diagnosis.cause import CauseDefinition, RemedyOption

CAUSE = CauseDefinition(
    name="waitgroup-reused",
    title="A WaitGroup is used for the next round before the last `Wait` has returned",
    family="group synchronisation",
    needs=("WaitGroup waits | WaitGroup.Wait | variable is of package sync | kind: waitgroup-misuse",),
    contradicted_by="map function | channel is closed | nil is stored | one side is atomic",
    evidence=(
        "the access is in the next round of a loop that starts | other side started the other and is above the start "
        "| WaitGroup.Add"
    ),
    sentence="{other} adds to {variable} for the next round before the wait of {writer} has returned",
    remedies=(
        RemedyOption(
            "Declare a new WaitGroup for every round, inside of the loop, instead of {variable}.",
            "a WaitGroup for each round",
            "One small allocation for each round.",
            needs=(
                "the access is in the next round of a loop that starts | other side started the other and is above "
                "the start"
            ),
            languages=("go",),
        ),
        RemedyOption(
            "Let one {thread} add to {variable} for all others, after the wait of the last round has returned.",
            "one owner of the counter",
            "Rounds do not overlap.",
        ),
    ),
)
