"""A channel is closed while a goroutine sends on it.

## What it sees

`runtime.closechan` on one side, `runtime.chansend` (`selectgo`, `selectnbsend`) on the other. With
source: `close(ch)` and `ch <-`; a line with only a close is no other write.

## Why it races

Close and send are not ordered. If the close comes first, the send panics.

## Example

    func (q *Queue) Close()     { close(q.ch) }
    func (q *Queue) Put(x Item) { q.ch <- x }    // by another goroutine

## Remedy

Only the sender closes. With several senders nobody closes the data channel: close a second channel,
`done`, that the senders select on, or first wait for all senders.

## When it is wrong

Hardly ever: the frames are exact.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from deadheat.diagnose import signals
from deadheat.diagnose.rule import LIKELY, SURE, Hit, Rule
from deadheat.diagnose.traits import CLOSES, SOURCE

if TYPE_CHECKING:
    from deadheat.diagnose.scene import Scene


def _find(scene: Scene) -> Hit | None:
    for closes, sends in scene.both if scene.go else ():
        closed = signals.closes(closes)
        line = closes.here.text if closes.here else ""
        if not closed and not re.search(r"\bclose\(", line):
            continue
        sent = signals.sends(sends)
        if not sent and not closed:
            continue
        evidence = (
            closes.told(f"{closes.does.rpartition(' ')[0]} closes a channel"),
            sends.told(f"{sends.does.rpartition(' ')[0]} sends on it or reads its length"),
        )
        change = (
            "Let only the sender close the channel, after its last send; with several senders close a"
            " second channel on which they select."
        )
        confidence = SURE if sent and closed else LIKELY
        return Hit(confidence, evidence, change, (closes.point,))
    return None


RULE = Rule(
    "close-vs-send",
    "channels",
    _find,
    "a done channel, or a sync.WaitGroup of senders",
    "One more case in each select.",
    when=SOURCE | CLOSES,
)
