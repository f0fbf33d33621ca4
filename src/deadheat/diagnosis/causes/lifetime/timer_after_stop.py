"""A timer's function runs against the code that owns the timer.

## What it sees
A side is the function of a timer, by its stack, by its name or by that of its caller. With code it is more likely
if a timer is stopped or reset near one side.

## Why it races
Stopping a timer does not wait for its function if that has already started. Code that assumes after the stop that
the function cannot run any more races with it.

## Example
    l.timer = time.AfterFunc(d, func() { l.expired = true })
    l.timer.Stop()
    l.expired = false               // the function may be running

## Remedy
Guard what the function accesses with a lock, and check under it whether the timer is still wanted.

## When it is wrong
The timer is never stopped: then a lock is missing, and the timer is only one of the two sides.
"""

from __future__ import annotations

from deadheat.diagnosis.cause import CauseDefinition, RemedyOption

CAUSE = CauseDefinition(
    name="timer-after-stop",
    title="A timer's function runs against the code that owns the timer",
    family="lifetime",
    needs=(
        (
            "timer's function | writer belongs to a timer | writer's caller belongs to a timer | other side belongs "
            "to a timer | other side's caller belongs to a timer | one side is missing"
        ),
    ),
    contradicted_by="map function | channel is closed | WaitGroup waits | both are goroutines of tests",
    evidence="a timer is stopped or reset | a stop signal before the access | other side renews something",
    sentence="the function of a timer uses {variable} at the same time as the code that stops or resets the timer",
    remedies=(
        RemedyOption(
            "Cancel the timer with `timer_delete_sync`, which waits for its function, before {variable} is accessed.",
            "a cancel that waits",
            "The owner waits for a running function; not under a lock that the function takes.",
            languages=("kernel",),
        ),
        RemedyOption(
            (
                "Guard {variable} with {mutex}, and test under it in the timer's function whether the timer is still "
                "wanted (a number that each reset increments)."
            ),
            "{mutex}",
            "One lock and unlock for each run of the timer.",
        ),
    ),
)
