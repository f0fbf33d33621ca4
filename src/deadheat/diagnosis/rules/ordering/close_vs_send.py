"""A channel is closed while a goroutine sends on it.

## What it sees
`runtime.closechan` on one side, `runtime.chansend` (`selectgo`, `selectnbsend`) on the other. With source: `close(ch)`
and `ch <-`; a line with only a close is no other write.

## Why it races
Close and send are not ordered. If the close comes first, the send panics.

## Example
    func (q *Queue) Close()     { close(q.ch) }
    func (q *Queue) Put(x Item) { q.ch <- x }    // by another goroutine

## Remedy
Only the sender closes. With several senders nobody closes the data channel: close a second channel, `done`, that the
senders select on, or first wait for all senders.

## When it is wrong
Hardly ever: the frames are exact.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from deadheat.diagnosis.facts import synchronization
from deadheat.diagnosis.rule import LIKELY, SURE, Feature, Rule, RuleMatch

if TYPE_CHECKING:
    from deadheat.diagnosis.context import RaceContext


def _find_close_vs_send(context: RaceContext) -> RuleMatch | None:
    for closer, sender in context.side_pairs if context.is_go else ():
        has_close_frame = synchronization.closes_channel(closer)
        line = closer.site_facts.text if closer.site_facts else ""
        if not has_close_frame and not re.search(r"\bclose\(", line):
            continue
        has_send_frame = synchronization.sends_on_channel(sender)
        if not has_send_frame and not has_close_frame:
            continue
        evidence = (
            closer.evidence_at_site(f"{closer.action.rpartition(' ')[0]} closes a channel"),
            sender.evidence_at_site(f"{sender.action.rpartition(' ')[0]} sends on it or reads its length"),
        )
        change = (
            "Let only the sender close the channel, after its last send; with several senders close a"
            " second channel on which they select."
        )
        confidence = SURE if has_send_frame and has_close_frame else LIKELY
        return RuleMatch(confidence, evidence, change, (closer.point,))
    return None


RULE = Rule(
    "close-vs-send",
    "channels",
    _find_close_vs_send,
    "a done channel, or a sync.WaitGroup of senders",
    "One more case in each select.",
    features=Feature.HAS_CODE | Feature.CLOSES_CHANNEL,
)
