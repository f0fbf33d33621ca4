"""A thread starts before the data that it uses is set up.

## What it sees
The function that started the other side, or one of its callers, writes below the start; or the writer creates or
starts something, by its name or by its code, or runs in the main thread or in a test. The other side is not what
started the writer, and the two are not in one function.

## Why it races
The start of a thread orders only what comes before it. A write after the start may be seen by the thread or not.

## Example
    s := &Server{}
    go s.loop()
    s.handler = h                   // loop may already read it

## Remedy
Move the write above the start, or pass the value to the thread through a channel or queue.

## When it is wrong
- A write that changes a running object (a setting, a stop flag) needs a lock or an atomic.
- A test that changes the object lacks a lock or a wait, the product does not.
"""

from __future__ import annotations

from deadheat.diagnosis.cause import CauseDefinition, RemedyOption

CAUSE = CauseDefinition(
    name="started-before-initialised",
    title="A thread starts before the data that it uses is set up",
    family="publication",
    needs=(
        (
            "writer started the other and is below the start | writer started the other and is at the start | writer "
            "is the main thread | writer in a test file | writer creates the object | writer creates something | "
            "writer's caller creates something | writer starts something | kind: data-race-on-vptr | one side is "
            "missing"
        ),
    ),
    contradicted_by=(
        "same line | same function | both started by one function | other side started the other and is below the "
        "start | reader is the main thread | writer ends something | channel is closed | WaitGroup waits | one side "
        "is atomic"
    ),
    evidence="starter does not wait",
    sentence="{writer} sets {variable} after it started {worker}, which may already use it",
    remedies=(
        RemedyOption(
            "Move the write of {variable} in {writer} above the start of {worker}.",
            "the order of two statements",
            "None.",
            "writer",
            needs="writer started the other and is below the start | writer started the other and is at the start",
            unless="the variable was also set before the start | writer runs in a loop",
        ),
        RemedyOption(
            "Guard {variable} with {mutex}, because it is set again after the start.",
            "{mutex}",
            "One lock and unlock for each access.",
            needs="the variable was also set before the start | writer runs in a loop",
        ),
        RemedyOption(
            (
                "Start {worker} only after {writer} has set {variable}: in a second step, such as a start function, "
                "or by a message that carries the value."
            ),
            "the order of two steps",
            "The caller must take the second step.",
            "start",
        ),
    ),
)
