"""A channel is closed while a goroutine sends on it.

## What it sees
One side closes the channel, by the frames of the runtime or by the call on its line. The other side usually sends
on it. With code also: the writer ends something, by its name, and a side sends on a channel further down.

## Why it races
Close and send are not ordered. If the close comes first, the send panics.

## Example
    func (q *Queue) Close()     { close(q.ch) }
    func (q *Queue) Put(x Item) { q.ch <- x }    // by another goroutine

## Remedy
Only the sender closes. With several senders nobody closes the data channel: close a second channel that the senders
select on, or wait for all senders first.

## When it is wrong
Hardly ever: the frames are exact.
"""

from __future__ import annotations

from deadheat.diagnosis.cause import CauseDefinition, RemedyOption

CAUSE = CauseDefinition(
    name="close-vs-send",
    title="A channel is closed while a goroutine sends on it",
    family="channels",
    needs=(
        "channel is closed | channel is sent on | variable's type: channel | writer ends something",
        (
            "channel is closed | channel is sent on | variable's type: channel | a send after the access | reader "
            "runs in a select branch"
        ),
    ),
    contradicted_by="nil is stored | map function | WaitGroup waits",
    sentence="{writer} closes {variable}, a channel on which {other} may still send",
    remedies=(
        RemedyOption(
            "Before {writer} closes {variable}, wait there for {other} with {join}.",
            "{join}",
            "The one that closes waits for all senders.",
            "writer",
            needs="starter does not wait | stop without a wait | starter waits only after",
            unless="starter waited before | stop and wait before the access",
        ),
        RemedyOption(
            (
                "Never close {variable}; close a second channel in {writer}, and let {other} select between the send "
                "and that channel."
            ),
            "a second channel that says stop",
            "One more case in each select.",
        ),
    ),
)
