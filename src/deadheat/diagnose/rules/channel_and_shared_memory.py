"""Memory beside a channel that does not order it.

## What it sees

With source: one side accesses a field in a branch of a `select`, itself or by what it calls there, or
in a loop that receives from a channel; the other accesses it without receiving anything that the first
one sends afterwards; or who waits for a worker gives up (`<-ctx.Done()`, `<-time.After(d)`) and then,
in that branch or behind the `select`, touches what the worker still writes; or an object is sent on a
channel, in a `select` or not, and then written again. A ticker's channel is none that tells anybody of
anything; a loop that takes what comes, and that nobody has ended yet, has plain state, and so have two
workers that both do so. Who reads on after it has given up a worker of its own, which goes on step by
step, is met by one that outlives it. From a report alone: a package's own worker writes, and who meets
it while it works is called like one that waits for it (`Wait`, `await`, `Err`); or the function that
started the worker has gone on and writes what the worker writes.

## Why it races

A channel orders a send with its receive. A goroutine that writes a field after it received
something (or when its context ends) tells nobody: whoever reads the field has received nothing from
it.

## Example

    case <-ctx.Done():
        s.err = ctx.Err()           // Err() reads it without waiting
        return

## Remedy

Send the value itself over a channel, or close a `done` channel after the write and receive from it
before the read; or a mutex.

## When it is wrong

A field that is plainly shared state, with the channel only as the trigger: then a lock is what is
missing. From a report alone: an `Err` that is meant to be asked at any time.
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
_NEAR = 3  # frames in which a send or a receive is about this access
# "<-ctx.Done()", "v := <-s.in", "s.out <- v"
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
            other.told(f"{other.does} without having received anything that comes after that"),
        )
        change = (
            f"Send the value over a channel, or close a channel after {scene.what} is written and"
            " receive from it before it is read."
        )
        confidence = STRONG if _DONE.search(branch) else STRONG - 0.05
        return Hit(confidence, evidence, change, scene.points, from_source=True)
    return None


def _given_up(scene: Scene) -> Hit | None:
    """From a report alone: who started a worker goes on and writes what is the worker's to write."""
    met = gone_on(scene)
    if met is None or not met.other.writes or met.other.inner or in_deferred(met.worker):
        return None
    name = f"`{short(scene.parent(met.started.function))}`"
    evidence = (
        met.worker.told(f"{met.worker.does} in {met.worker.actor.id}"),
        met.other.told(f"{name} started it")._replace(at=point(met.started)),
        met.other.told(f"{met.other.does} it as well, further down: as if {name} had given it up"),
    )
    change = (
        "Send the value over the channel that is waited for, or do not touch it where the wait was"
        " given up."
    )
    return Hit(FAIR, evidence, change, scene.points)


def _chosen(scene: Scene, side: Side, other: Side) -> tuple[str, str] | None:
    """The branch of a select that led a side to its access, and how."""
    own = side.here.receiver if side.here else ""
    for frame, seen in side.way:
        branch = seen.branch or _left_by(seen, side, other)
        at_site = frame == side.site
        if not branch or (seen.loops and _is_plain(scene, branch, other)):
            continue
        if not seen.branch and not side.writes and _goes_on(other) and _began(scene, seen, other):
            continue  # it has given its own worker up, which goes on step by step and outlives it
        works = side.writes and side.is_worker and (at_site or seen.receiver == own != "")
        works = works and not _is_driven(other)
        waited = at_site or _began(scene, seen, other)
        if works or (waited and _gives_up(seen, branch, side, other)):
            how = "in the branch" if seen.branch else "even after the branch"
            return branch, how
    return None


def _is_plain(scene: Scene, branch: str, other: Side) -> bool:
    """Does a loop take what comes, time after time, so that its state is plainly shared?

    Time itself tells nobody of anything; and where nobody has ended the loop, or has just sent what it
    takes (`s.ask <- q; return s.answer`), nobody waits for its word.
    """
    if _TICKS.search(branch):
        return True
    if _DONE.search(branch) or (other.here and any(n < other.here.line for n in other.here.sends)):
        return False
    return ended_between(scene) is None


def _goes_on(worker: Side) -> bool:
    """Does a worker write time after time, and not once what it was asked for?"""
    return worker.here is not None and bool(worker.here.loops)


def _is_driven(side: Side) -> bool:
    """Is it a worker, too, that goes round and takes what comes? Then neither waits for the other."""
    return side.is_worker and any(seen.loops and seen.branch for _, seen in side.way)


def _began(scene: Scene, seen: Around, other: Side) -> bool:
    """Did this very function start the other side?"""
    there = scene.around(other.creator) if other.creator else None
    return there is not None and (there.path, there.first) == (seen.path, seen.first)


def _waiting(scene: Scene) -> Hit | None:
    """From a report alone: who waits for a worker, by its name, meets it all the same."""
    met = own_worker(scene)
    if met is None or not met[0].writes or met[1].inner or in_deferred(met[0]):
        return None
    worker, other, _ = met
    told = words(other.name)
    if not told or told[0] not in WAITING or (told[0] == "err" and told != ("err",)):
        return None
    if told[0] != "err" and not other.writes and has_ended(worker):
        return None  # nobody has given it up: it has told too early that it was done
    evidence = (
        worker.told(f"{worker.does} in {worker.actor.id}"),
        other.told(f"{other.does}, and by its name comes after it: it has not waited, or given up"),
    )
    change = (
        "Send the value over the channel that is waited for, or do not touch it where the wait was"
        " given up."
    )
    return Hit(FAIR + 0.05 if told[0] != "err" else FAIR - 0.05, evidence, change, scene.points)


def _gives_up(here: Around, branch: str, side: Side, other: Side) -> bool:
    """Does who no longer waits go on beside the worker that it waited for?"""
    if not other.is_worker or side.is_worker:
        return False
    return bool(_DONE.search(branch) or (_LIMIT.search(branch) and not here.loops))


def _left_by(here: Around, side: Side, other: Side) -> str:
    """The branch of a select above by which it goes on without the worker."""
    if not other.is_worker or side.is_worker or len(here.after) < 2:
        return ""
    over = [b for b in here.after if _LIMIT.search(b) or _CONTEXT.search(b)]
    return over[0] if over and not here.loops else ""


def _late(side: Side, other: Side) -> Hit | None:
    """A write after the send that should have told of it, against a read after the receive."""
    sent = next((line for _, seen in side.way[:_NEAR] if (line := _sent(seen))), 0)
    received = [n for _, seen in other.way[:_NEAR] for n in seen.receives if n <= seen.line]
    if not sent or not received:
        return None
    evidence = (
        side.told(f"{side.does} after it has sent on a channel, line {sent}"),
        other.told(f"{other.does} after it has received, line {received[-1]}"),
    )
    change = "Write before the send: what comes after it is not ordered before the receive."
    return Hit(LIKELY + 0.05, evidence, change, (side.point,), from_source=True)


def _handed_over(scene: Scene, side: Side, other: Side) -> Hit | None:
    """`out <- f` in a loop that goes on to write `f.seq`: what was sent belongs to who received it."""
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
                side.told(f"{side.does} `{told[1]}`, which it sends on a channel, line {line}"),
                other.told(f"{other.does} what it has received"),
            )
            change = f"Send a new object each time, or do not touch `{told[1]}` once it is sent."
            return Hit(LIKELY + 0.05, evidence, change, (side.point,), from_source=True)
    return None


def _sent(here: Around) -> int:
    """The last line above, in the same function or closure, that sends; not in a branch of a select."""
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
