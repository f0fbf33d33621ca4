"""A map is used by several threads, one of which changes it.

## What it sees
Frames of the map functions of the runtime or of a library above the user's line (`runtime.mapassign_faststr`,
`std::map`), the runtime's `fatal error: concurrent map writes`, or, with code, a variable that is a map, or a line
that stores or deletes an element or iterates.

## Why it races
A map may move all its entries when it grows. No map of these languages is safe while anybody changes it, unless its
documentation says so.

## Example
    func (t *Totals) Record(sku string, n int64) { t.bySKU[sku] = n }    // called by many goroutines

## Remedy
Guard every access, reads and the length included, with one lock next to the map.

## When it is wrong
- If one side holds a lock, the other side's lock is missing: [partial-lock](partial-lock.md).
- The race may be on the variable that holds the map, which a function fills and then publishes without an order.
"""

from __future__ import annotations

from deadheat.diagnosis.cause import CauseDefinition, RemedyOption

CAUSE = CauseDefinition(
    name="concurrent-map",
    title="A map is used by several threads, one of which changes it",
    family="container",
    needs=(
        (
            "map function | kind: concurrent-map | variable's type: map | an element is stored or deleted | reader "
            "iterates"
        ),
    ),
    contradicted_by="channel is closed | WaitGroup waits | captured error",
    evidence="map is changed",
    sentence="{writer} changes {variable}, a map, while {other} uses it",
    remedies=(
        RemedyOption(
            "Take {lock} in {lacking} too, around every use of {variable}.",
            "the lock that is there",
            "One more holder of a lock that exists.",
            "lacking",
            needs="only one side holds a lock | one side lacks the usual lock",
        ),
        RemedyOption(
            "Guard every access to {variable}, reads and its length included, with {rwmutex}.",
            "{rwmutex}",
            "One lock and unlock for each access; readers do not block each other.",
        ),
    ),
    general_causes=("missing-lock",),
)
