"""Shared memory that a channel does not order.

## What it sees

With source, one of:

- One side accesses a field in a branch of a `select` (itself or in a callee), or in a loop that
  receives from a channel. The other side receives nothing that the first one sends afterwards.
- A function stops waiting for its worker (`<-ctx.Done()`, `<-time.After(d)`) and then, in that
  branch or after the `select`, accesses what the worker still writes.
- An object is sent on a channel and then written again.

Not matched: the channel of a ticker, a loop that receives again and again and that nobody has
stopped, and a worker that continues step by step after its starter has stopped waiting (it outlives
its owner).

From a report alone: a worker of the package writes while a function with a waiting name (`Wait`,
`await`, `Err`) accesses the same memory, or while the function that started the worker writes it
too.

## Why it races

A channel orders a send before its receive. A goroutine that writes a field after a receive (or when
its context ends) notifies nobody. The reader of the field has received nothing from it.

## Example

    case <-ctx.Done():
        s.err = ctx.Err()           // Err() reads it without waiting
        return

## Remedy

Send the value itself over a channel. Or close a `done` channel after the write and receive from it
before the read. Or use a mutex.

## When it is wrong

The field is ordinary shared state and the channel only triggers the access: then a lock is missing.
From a report alone: an `Err` method that may be called at any time.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from deadheat.diagnose import locking
from deadheat.diagnose.ended import ended_between
from deadheat.diagnose.lifetime import gone_on, has_ended, in_deferred, own_worker
from deadheat.diagnose.naming import short, words
from deadheat.diagnose.rule import FAIR, LIKELY, STRONG, Hit, Rule
from deadheat.diagnose.side import point
from deadheat.diagnose.traits import SOURCE, STARTER, WAITS
from deadheat.diagnose.vocabulary import WAITING

if TYPE_CHECKING:
    from deadheat.diagnose.scene import Scene
    from deadheat.diagnose.side import Side
    from deadheat.diagnose.source import Around

# "out <- f", "ch <- &req", "case out <- f:"
_VALUE = re.compile(r"<-\s{0,9}&?(\w{1,80})(?::|$)")
_NEAR = 3  # frames from the site outwards in which a send or a receive counts
# "<-time.After(limit)", "<-p.timeout", "<-timer.C"
_LIMIT = re.compile(r"<-\s{0,9}time\.After\(|<-\s{0,9}[\w.]{0,80}[tT]ime(?:r|out)\w{0,40}(?:\.C)?$")
# "<-ticker.C", "now := <-t.C", "<-time.Tick(d)"
_TICKS = re.compile(r"<-\s{0,9}[\w.]{1,80}\.C$|<-\s{0,9}time\.(?:Tick|After)\(")
# "<-ctx.Done()", "<-r.Context().Done()"
_CONTEXT = re.compile(r"<-\s{0,9}[\w.()]{0,80}\bDone\(\)")
_DONE = re.compile(r"<-\s*[\w.]*(?:[Dd]one|[Ss]top|[Qq]uit|[Cc]los|[Ee]xit|[Ss]top)\w*")


def _find(scene: Scene) -> Hit | None:
    if scene.go and not scene.sourced:
        return _waiting(scene) or _given_up(scene)
    held = locking.locks(scene) if scene.go and scene.sourced else None
    if held is None or any(held):
        return None
    for side, other in scene.both:
        if side.here is None or not (side.writes or other.writes):
            continue
        if side.writes and side.is_worker and (late := _late(side, other)):
            return late
        if side.writes and (handed := _handed_over(scene, side, other)):
            return handed
        chosen = _chosen(scene, side, other)
        if chosen is None:
            continue
        branch, how = chosen
        evidence = (
            side.told(f"{side.does} {how} `{branch[:60]}`"),
            other.told(f"{other.does} without a receive of anything that is sent after that"),
        )
        change = (
            f"Send the value over a channel, or close a channel after {scene.what} is written and"
            " receive from it before it is read."
        )
        confidence = STRONG if _DONE.search(branch) else STRONG - 0.05
        return Hit(confidence, evidence, change, scene.points, from_source=True)
    return None


def _given_up(scene: Scene) -> Hit | None:
    """From a report alone: the function that started a worker continues and writes what it writes."""
    met = gone_on(scene)
    if met is None or not met.other.writes or met.other.inner or in_deferred(met.worker):
        return None
    name = f"`{short(scene.parent(met.started.function))}`"
    evidence = (
        met.worker.told(f"{met.worker.does} in {met.worker.actor.id}"),
        met.other.told(f"{name} started this worker")._replace(at=point(met.started)),
        met.other.told(f"{met.other.does} it too, further down: {name} may have stopped waiting"),
    )
    change = (
        "Send the value over the channel that is waited on, or do not access it after the wait was"
        " abandoned."
    )
    return Hit(FAIR, evidence, change, scene.points)


def _chosen(scene: Scene, side: Side, other: Side) -> tuple[str, str] | None:
    """Return the select branch that led to the access, and where the access is relative to it."""
    own = side.here.receiver if side.here else ""
    for frame, seen in side.way:
        branch = seen.branch or _left_by(seen, side, other)
        at_site = frame == side.site
        if not branch or (seen.loops and _is_plain(scene, branch, other)):
            continue
        if not seen.branch and not side.writes and _goes_on(other) and _began(scene, seen, other):
            continue  # it stopped waiting for a worker that continues: worker-outlives-owner
        works = side.writes and side.is_worker and (at_site or seen.receiver == own != "")
        works = works and not _is_driven(other)
        waited = at_site or _began(scene, seen, other)
        if works or (waited and _gives_up(seen, branch, side, other)):
            how = "in the branch" if seen.branch else "after the branch"
            return branch, how
    return None


def _is_plain(scene: Scene, branch: str, other: Side) -> bool:
    """Return whether the loop handles ordinary shared state, which nobody waits for.

    True for a ticker. False if the loop ends in this branch, or if the other side has just sent to
    it (`s.ask <- q; return s.answer`). Otherwise true unless somebody has ended the loop.
    """
    if _TICKS.search(branch):
        return True
    if _DONE.search(branch) or (other.here and any(n < other.here.line for n in other.here.sends)):
        return False
    return ended_between(scene) is None


def _goes_on(worker: Side) -> bool:
    """Return whether the worker writes in a loop."""
    return worker.here is not None and bool(worker.here.loops)


def _is_driven(side: Side) -> bool:
    """Return whether the side is a worker that loops over a select, and so waits for nobody."""
    return side.is_worker and any(seen.loops and seen.branch for _, seen in side.way)


def _began(scene: Scene, seen: Around, other: Side) -> bool:
    """Return whether this function started the other side."""
    there = scene.around(other.creator) if other.creator else None
    return there is not None and (there.path, there.first) == (seen.path, seen.first)


def _waiting(scene: Scene) -> Hit | None:
    """From a report alone: a function whose name says that it waits for a worker races with it."""
    met = own_worker(scene)
    if met is None or not met[0].writes or met[1].inner or in_deferred(met[0]):
        return None
    worker, other, _ = met
    told = words(other.name)
    if not told or told[0] not in WAITING or (told[0] == "err" and told != ("err",)):
        return None
    if told[0] != "err" and not other.writes and has_ended(worker):
        return None  # the worker signalled its end too early: done-before-cleanup
    evidence = (
        worker.told(f"{worker.does} in {worker.actor.id}"),
        other.told(f"{other.does}; by its name it waits for the worker: it did not, or gave up"),
    )
    change = (
        "Send the value over the channel that is waited on, or do not access it after the wait was"
        " abandoned."
    )
    return Hit(FAIR + 0.05 if told[0] != "err" else FAIR - 0.05, evidence, change, scene.points)


def _gives_up(here: Around, branch: str, side: Side, other: Side) -> bool:
    """Return whether a side that stopped waiting accesses what its worker still uses."""
    if not other.is_worker or side.is_worker:
        return False
    return bool(_DONE.search(branch) or (_LIMIT.search(branch) and not here.loops))


def _left_by(here: Around, side: Side, other: Side) -> str:
    """Return the branch of an earlier select by which the side continued without the worker."""
    if not other.is_worker or side.is_worker or len(here.after) < 2:
        return ""
    over = [b for b in here.after if _LIMIT.search(b) or _CONTEXT.search(b)]
    return over[0] if over and not here.loops else ""


def _late(side: Side, other: Side) -> Hit | None:
    """Match a write after the send that should announce it, against a read after the receive."""
    sent = next((line for _, seen in side.way[:_NEAR] if (line := _sent(seen))), 0)
    received = [n for _, seen in other.way[:_NEAR] for n in seen.receives if n <= seen.line]
    if not sent or not received:
        return None
    evidence = (
        side.told(f"{side.does} after the send on a channel in line {sent}"),
        other.told(f"{other.does} after the receive in line {received[-1]}"),
    )
    change = "Write before the send: a write after it is not ordered before the receive."
    return Hit(LIKELY + 0.05, evidence, change, (side.point,), from_source=True)


def _handed_over(scene: Scene, side: Side, other: Side) -> Hit | None:
    """Match `out <- f` in a loop that then writes `f.seq`: the receiver owns `f` by then."""
    here, site = side.here, side.site
    if (
        here is None
        or site is None
        or not any(seen.receives or seen.loops for _, seen in other.way)
    ):
        return None
    written = {u.path[0] for u in here.uses if u.writes and len(u.path) > 1}
    own = {n for n in written if n in here.names and here.names[n].how in ("local", "parameter")}
    for line in here.sends[:_NEAR] if own else ():
        seen = scene.around(site._replace(line=line))
        told = _VALUE.search(seen.text) if seen else None
        again = line < here.line or any(first <= line <= last for first, last in here.loops)
        if told and told[1] in own and again:
            evidence = (
                side.told(f"{side.does} `{told[1]}`, which it sends on a channel in line {line}"),
                other.told(f"{other.does} what it received"),
            )
            change = f"Send a new object each time, or do not access `{told[1]}` after it is sent."
            return Hit(LIKELY + 0.05, evidence, change, (side.point,), from_source=True)
    return None


def _sent(here: Around) -> int:
    """Return the last line above, in the same function or closure, that sends outside of a select."""
    inside = here.closures[-1].first if here.closures else here.first
    sent = [line for line in here.sends if inside <= line < here.line]
    return sent[-1] if sent and not here.branch else 0


RULE = Rule(
    "channel-and-shared-memory",
    "channels",
    _find,
    "a channel that is closed after the write",
    "The reader waits for the writer.",
    when=SOURCE | WAITS | STARTER,
)
