"""A named result is captured by a goroutine.

## What it sees
With code: a closure that runs in a goroutine uses a named result of the enclosing function. From a report alone:
one side is a closure, and the other is its function or another closure of it, or both sides are in one function.

## Why it races
A return statement in a function with named results is an assignment to them. A goroutine that still uses the result
races with that assignment, and what it writes after the return is lost.

## Example
    func Resolve() (addr string) {
        go func() { addr = ask(b) }()
        return ask(a)               // writes addr
    }

## Remedy
Let the goroutine write to a variable of its own, pass that through a channel, and return only after receiving it.

## When it is wrong
- The result is only used before the goroutine starts, and the race is on another variable of the same line.
- From a report alone: a local variable that the function sets itself.
"""

from __future__ import annotations

from deadheat.diagnosis.cause import CauseDefinition, RemedyOption

CAUSE = CauseDefinition(
    name="named-result-captured",
    title="A named result is captured by a goroutine",
    family="captured variable",
    needs=("captured result | a closure and its function | same line | same function", "language: go"),
    contradicted_by="channel is closed | global variable | captured loop | captured parameter",
    evidence="starter waited before | the wait has a timeout",
    sentence="{variable} is a named result, which a return writes, while {worker} still uses it in a {thread}",
    remedies=(
        RemedyOption(
            "Let the closure write to a variable of its own, and assign it to {variable} after the wait for {worker}.",
            "a variable of the closure",
            "One more variable.",
            "start",
            needs="starter waited before | the wait has a timeout",
        ),
        RemedyOption(
            "Before the function returns, wait for {worker} with {join}.",
            "{join}",
            "The function waits for what it started.",
            "start",
            unless="starter waited before | stop and wait before the access",
        ),
        RemedyOption(
            (
                "Let the closure send its result on a buffered channel, and assign it to {variable} only where it is "
                "received."
            ),
            "a channel",
            "One channel.",
        ),
    ),
    general_causes=("local-captured",),
)
