"""A loop variable is captured by a thread that the loop starts.

## What it sees
With code: a closure that the loop starts uses a name that the loop declares, and the iterations share that
variable. From a report alone: the function that started one side writes above the start, which only the next
iteration can do.

## Why it races
One variable serves all iterations. The thread reads it while the loop writes the next value into it. Several
threads may see the same value. Go has one variable for each iteration since version 1.22 of the `go` line in
`go.mod`.

## Example
    for _, id := range ids {
        go func() { warm(id) }()    // every goroutine reads the same id
    }

## Remedy
Give each iteration its own variable: pass it as an argument, or copy it in the loop.

## When it is wrong
- The function may write another variable in that loop, such as an error that the closure also uses.
- With Go 1.22 or newer only a variable that is declared before the loop can race.
"""

from __future__ import annotations

from deadheat.diagnosis.cause import CauseDefinition, RemedyOption

CAUSE = CauseDefinition(
    name="loop-variable-captured",
    title="A loop variable is captured by a thread that the loop starts",
    family="captured variable",
    needs=(
        (
            "captured loop | iterations share the loop variable | writer started the other and is above the start | "
            "the access is in the next round of a loop that starts | writer iterates"
        ),
    ),
    contradicted_by="global variable | channel is closed",
    evidence="reader is a closure | a closure and its function",
    sentence=(
        "the loop in {writer} sets {variable} for its next iteration while {other}, which it started, still reads it"
    ),
    remedies=(
        RemedyOption(
            (
                "Copy {variable} in the loop body (`x := x`) or pass it to the closure as an argument; from version "
                "1.22 in the `go` line of `go.mod` each iteration has its own."
            ),
            "a variable for each iteration",
            "None.",
            "start",
            languages=("go",),
        ),
        RemedyOption(
            "Pass the value of {variable} to {worker}, or the address of an element of its own.",
            "a copy for each {thread}",
            "One copy for each iteration.",
            "start",
        ),
    ),
    general_causes=("local-captured",),
)
