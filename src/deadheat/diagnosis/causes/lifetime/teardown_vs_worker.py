"""A teardown does not wait for the worker.

## What it sees
A side ends something, by its name or by that of its caller, or is a destructor, frees memory or runs in a deferred
call, while another thread still uses the object. With code it also sees whether the stop signal is followed by a
wait.

## Why it races
The teardown takes away what the worker still uses: a field is set to nil, a flag is set, a connection is closed. A
stop signal does not wait for the stop.

## Example
    func (c *Courier) Stop() { c.conn = nil }    // run() still uses c.conn

## Remedy
Signal the worker to stop, wait for it, and only then release its resources.

## When it is wrong
- A method called `Close` that is no teardown, such as one that closes accounts.
- A flag that only signals the stop needs an atomic, not a wait.
"""

from __future__ import annotations

from deadheat.diagnosis.cause import CauseDefinition, RemedyOption

CAUSE = CauseDefinition(
    name="teardown-vs-worker",
    title="A teardown does not wait for the worker",
    family="lifetime",
    needs=(
        (
            "writer ends something | writer's caller ends something | other side ends something | writer is a "
            "destructor | memory is freed | file is closed | kind: data-race-on-vptr | nil is stored | access of a "
            "lock | the object is destroyed | writer in a deferred call | reader in a deferred call | one side is "
            "missing"
        ),
    ),
    contradicted_by=(
        "writer renews something | same line | same function | both are goroutines of tests | WaitGroup waits | one "
        "side is atomic"
    ),
    evidence="stop without a wait | a stop signal before the access",
    sentence="{writer} takes {variable} away while {other} still uses it",
    remedies=(
        RemedyOption(
            "Read and write {variable} with {atomic}, because it is a flag that only tells the {thread} to stop.",
            "{atomic}",
            "None.",
            needs="a flag is stored",
            unless="nil is stored",
        ),
        RemedyOption(
            "Move the write of {variable} in {writer} below the wait that {writer} already makes.",
            "the order of two statements",
            "None.",
            "writer",
            needs="writer waits after the access",
        ),
        RemedyOption(
            "Before {writer} changes {variable}, tell {other} to stop with {stop}; then wait for it with {join}.",
            "{stop}, and {join}",
            "The teardown waits for the current step.",
            "writer",
            unless="stop and wait before the access | writer waits after the access",
        ),
        RemedyOption(
            (
                "Release {variable} in {writer} only after the wait for {other}; where nothing can wait, guard it "
                "with {mutex} and a flag that says that it is released."
            ),
            "the order of two statements, or {mutex}",
            "The teardown waits for the current step, or each use tests the flag.",
        ),
    ),
)
