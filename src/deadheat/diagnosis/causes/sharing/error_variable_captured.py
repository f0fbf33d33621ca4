"""An error variable is captured by a closure that runs in another thread.

## What it sees
With code: a closure that runs in a goroutine or thread uses an error variable of the enclosing function. From a
report alone: one side is a closure, and the other is its function or another closure of it.

## Why it races
The error variable is declared once and reused by all code that follows. A closure that assigns to it, instead of
declaring its own, shares it. An error may be lost or be reported for the wrong call.

## Example
    err := open(a)
    go func() { err = fetch(b) }()
    if err != nil { return err }    // reads while the goroutine writes

## Remedy
Declare the error inside of the closure and pass it on through a channel or as the result of the thread.

## When it is wrong
From a report alone: a string, a slice that two closures append to, or a result that a return statement writes.
"""

from __future__ import annotations

from deadheat.diagnosis.cause import CauseDefinition, RemedyOption

CAUSE = CauseDefinition(
    name="error-variable-captured",
    title="An error variable is captured by a closure that runs in another thread",
    family="captured variable",
    needs=(
        (
            "captured error | variable is named like an error | a closure and its function | two closures of one "
            "function | other side started the other and is below the start"
        ),
    ),
    contradicted_by="channel is closed | global variable | map function",
    evidence="variable's type: error",
    sentence="{writer} assigns to {variable}, an error of the enclosing function, which {other} uses too",
    remedies=(
        RemedyOption(
            "Declare the error inside of the closure (`err :=`), and return it through `errgroup.Group` or a channel.",
            "a variable for each goroutine",
            "One channel or group.",
            languages=("go",),
        ),
        RemedyOption(
            (
                "Declare the error inside of the closure, and read it after the end of {worker}, for which the "
                "function waits with {join}."
            ),
            "a variable for each {thread}",
            "The function waits for what it started.",
        ),
    ),
    general_causes=("local-captured",),
)
