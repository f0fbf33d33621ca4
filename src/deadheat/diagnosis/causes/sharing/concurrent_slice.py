"""A slice, vector or array that grows or changes while others use it.

## What it sees
Frames of the functions that grow, copy or sort a sequence; with code, `append`, a kept part (`q = q[1:]`), a stored
element or an iteration on a line of the race, or a variable that is a slice. From a Go report alone: a call between
the read and the write of one line, names that insert, iterate or add a listener, or a write that has room for a
call before it.

## Why it races
Appending reads and writes the length and may move the elements. Two concurrent appends lose one of them. A reader
may see a length that does not match the elements.

## Example
    go func() { results = append(results, r) }()    // in a loop

## Remedy
Take one lock around every use of the slice. Or make it of the final length and give each thread its own index. Or
send the elements over a channel and append in one thread.

## When it is wrong
- Copies and conversions show the same frames for byte buffers that are shared under a lock that failed for another
  reason.
- A function with a name such as `Push` may change something else.
"""

from __future__ import annotations

from deadheat.diagnosis.cause import CauseDefinition, RemedyOption

CAUSE = CauseDefinition(
    name="concurrent-slice",
    title="A slice, vector or array that grows or changes while others use it",
    family="container",
    needs=(
        (
            "sequence function | slice grows | sort function | variable's type: slice | writer appends | reader "
            "appends | writer reslices | an element is stored or deleted | writer uses an element | reader iterates "
            "| a call between the read and the write | writer fills a container | writer adds a listener | other "
            "side iterates or notifies | other side's caller iterates or notifies | locks (not known) | one side is "
            "missing"
        ),
        (
            "sequence function | slice grows | sort function | variable's type: slice | writer appends | reader "
            "appends | writer reslices | an element is stored or deleted | writer uses an element | reader iterates "
            "| a call between the read and the write | writer fills a container | writer adds a listener | other "
            "side iterates or notifies | other side's caller iterates or notifies | a lock fits before the write | "
            "one side is missing"
        ),
    ),
    contradicted_by="map function | channel is closed | WaitGroup waits",
    sentence="{writer} changes the elements or the length of {variable} while {other} uses it",
    remedies=(
        RemedyOption(
            "Take {lock} in {lacking} too, around every use of {variable}.",
            "the lock that is there",
            "One more holder of a lock that exists.",
            "lacking",
            needs="only one side holds a lock | one side lacks the usual lock",
        ),
        RemedyOption(
            (
                "Give {variable} its final length before the first {thread} starts, and let each {thread} write only "
                "its own index."
            ),
            "one element for each {thread}",
            "The number of results must be known before.",
            needs="both started by one line",
            unless="sort function",
        ),
        RemedyOption(
            "Guard every use of {variable} with {mutex}, and let readers copy it under the lock before they iterate.",
            "{mutex}",
            "One lock for each access and a copy for each iteration.",
        ),
    ),
    general_causes=("missing-lock",),
)
