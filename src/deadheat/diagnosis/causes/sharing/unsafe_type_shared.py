"""An object of a type that is not safe for concurrent use is shared.

## What it sees
Frames of such a type above the user's line (`bytes.Buffer`, `math/rand.Rand`, `std::string`, `std::shared_ptr`
itself), both accesses inside of one library type, or, with code, a variable of such a type or one that a line of
the race passes to a library.

## Why it races
The documentation of such a type allows one thread at a time. Every call changes internal state, even if it looks
like a read.

## Example
    var rng = rand.New(rand.NewSource(1))    // shared by all handlers: rng.Intn races

## Remedy
Use one object for each thread, or a lock around every call.

## When it is wrong
The object is handed from one thread to the next: then the order is missing, not a lock.
"""

from __future__ import annotations

from deadheat.diagnosis.cause import CauseDefinition, RemedyOption

CAUSE = CauseDefinition(
    name="unsafe-type-shared",
    title="An object of a type that is not safe for concurrent use is shared",
    family="contract",
    needs=(
        (
            "unsafe type in a frame | variable has an unsafe type | both inside one library type | map function | "
            "writer passes it to a library | reader passes it to a library | writer in the testing package"
        ),
    ),
    contradicted_by="channel is closed | WaitGroup waits | access of a lock",
    sentence="{writer} and {other} share {variable}, a {type}, which only one thread may use at a time",
    remedies=(
        RemedyOption(
            "Before {variable} is used again, wait for {worker} with {join}.",
            "{join}",
            "The caller waits.",
            "start",
            needs="starter waits only after | a sleep stands for a wait | the wait has a timeout",
            unless="starter waited before | stop and wait before the access",
        ),
        RemedyOption(
            "Give each {thread} a {type} of its own instead of {variable}.",
            "one object for each {thread}",
            "Memory for each object.",
            needs="both are started workers | both started by one line",
        ),
        RemedyOption(
            "Guard every call on {variable} with {mutex}, in {writer} and in {other}.",
            "{mutex}",
            "One lock and unlock for each call.",
        ),
    ),
    general_causes=("missing-lock",),
)
