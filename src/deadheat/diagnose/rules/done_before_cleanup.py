"""`Done` is called before the goroutine has finished its work.

## What it sees

With source:

- The goroutine calls `wg.Done()` (or closes, or sends on, the channel that signals its end) before
  the racing line, or defers it after the function that races, so that it runs first. The other side
  comes after `Wait` and then needs no lock.
- In C and C++: it posts a semaphore, sets a promise, counts a latch down or notifies before the
  racing line, and the other side has waited for that signal.

From a report alone:

- A deferred function of a goroutine writes what a function reads that is named like one that comes
  after it (`Close`, `Finish`, `Wait`), or that the goroutine's starter calls further down.
- A function named `Wait` reads what a worker of its package wrote that has ended since.

## Why it races

Deferred calls run in reverse order. A call that is deferred before `defer wg.Done()` runs after it,
when nobody waits any more.

## Example

    go func() {
        defer flush(&stats)    // runs last
        defer wg.Done()        // runs first
        work()
    }()
    wg.Wait()
    print(stats)

## Remedy

Make `defer wg.Done()` the first statement of the goroutine, so that it runs last.

## When it is wrong

The group may be about other memory. A goroutine that the worker itself starts does not wait for it.
A line does not come after a call in another case of its `select`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from deadheat.diagnose.early import waits as waits_of
from deadheat.diagnose.lifetime import gone_on, in_deferred, own_worker
from deadheat.diagnose.naming import short, words
from deadheat.diagnose.ordering import PAIRS, calls_to
from deadheat.diagnose.rule import EVEN, FAIR, LIKELY, STRONG, WEAK, Hit, Rule
from deadheat.diagnose.side import point
from deadheat.diagnose.traits import DEFERS, SOURCE, WAITS
from deadheat.diagnose.vocabulary import ENDING, RESULTS, WAITING
from deadheat.model import Origin, State

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deadheat.diagnose.finding import Evidence
    from deadheat.diagnose.scene import Scene
    from deadheat.diagnose.side import Side
    from deadheat.diagnose.source import Around, Call
    from deadheat.model import Frame

# "wg.Done()", "close(done)", "close(s.finished)"
_SIGNAL = re.compile(r"done|finish|quit|ready|stopp|exit|complete|closed", re.IGNORECASE)
# "<-c.home"
_RECEIVED = re.compile(r"<-\s{0,9}([\w.]{1,80})")
# "sem_post(&ready)", "started.set_value()": signals of a begin, not of an end
_BEGINS = re.compile(r"ready|start|begin|begun|opened|item|slot|avail|empty|full", re.IGNORECASE)
# frames from the site outwards in which a signal or a wait counts
_NEAR = 3


def _find(scene: Scene) -> Hit | None:
    if not scene.go:
        return _told_too_early(scene) if scene.sourced else None
    for worker, other in scene.both:
        if not worker.is_worker:
            continue
        heard = _heard(scene, other) if worker.writes and not other.writes else frozenset()
        own = _goroutine(scene, worker)
        early = next((e for frame, seen in own if (e := _early(scene, frame, seen, heard))), None)
        if early and worker.here and other.here and not _started_by(worker, other):
            evidence = (
                worker.told(f"{worker.does} after the call of `{early.name}` in line {early.line}"),
                other.told(f"{other.does} after it was signalled that the work is done"),
            )
            change = f"Defer `{early.name}` first in the goroutine, so that it runs last."
            waits = any(
                line < seen.line
                for frame, seen in other.way
                for line in waits_of(scene, frame, seen)
            )
            # without a wait there is no signal, unless the order of deferred calls is proof enough
            told = early.deferred or heard or _awaited(scene, worker, early)
            confidence = STRONG if waits else LIKELY if told else EVEN
            return Hit(confidence, evidence, change, (worker.point,), from_source=True)
        if scene.sourced and (sent := _sent(scene, worker, other)):
            return sent
        if not scene.sourced and (late := _deferred(scene, worker, other)):
            return late
    return _ended_since(scene) if scene.source is None else None


def _awaited(scene: Scene, worker: Side, early: Call) -> bool:
    """Return whether the worker's starter waits for this signal: `<-done`, `wg.Wait()`."""
    seen = scene.around(worker.creator) if worker.creator else None
    told = (early.on if early.name == "Done" else early.arguments).strip().rpartition(".")[2]
    if seen is None or not told:
        return False
    waits = {c.on.rpartition(".")[2] for c in seen.calls if c.name == "Wait"}
    return told in seen.awaits | waits


def _sent(scene: Scene, worker: Side, other: Side) -> Hit | None:
    """Match a closure that sends its result to its starter, and defers the access that races."""
    for _, seen in _goroutine(scene, worker) if worker.writes and not other.is_worker else ():
        deferred, own = _deferred_at(seen), next((c for c in seen.closures if c.use == "go"), None)
        if deferred is None or own is None or not own.first <= deferred <= own.last:
            continue
        sends = [line for line in seen.sends if deferred < line <= own.last]
        if not sends or all(own.first <= line <= own.last for line in seen.receives):
            continue
        evidence = (
            worker.told(f"{worker.does} in a deferred call, after the send in line {sends[-1]}"),
            other.told(f"{other.does}; `{short(seen.function)}` waits for that send only"),
        )
        change = "Send the result last: in a deferred call that is registered before all others."
        return Hit(LIKELY + 0.05, evidence, change, (worker.point,), from_source=True)
    return None


def _ended_since(scene: Scene) -> Hit | None:
    """From a report alone: a waiting function has continued, and the worker ended right after.

    An abandoned worker would mostly still run.
    """
    met = own_worker(scene)
    if met is None or not met[0].writes or met[1].writes or met[1].inner:
        return None
    worker, other, _ = met
    told = words(other.name)
    if worker.actor.state is not State.FINISHED or not told or told[0] not in WAITING - {"err"}:
        return None
    evidence = (
        worker.told(f"{worker.does} in {worker.actor.id}, which has ended since"),
        other.told(f"{other.does}; by its name it comes after the worker, which signalled too early"),
    )
    change = (
        "Signal the end (Done, close) only after all the work that is waited for."
    )
    return Hit(FAIR + 0.05, evidence, change, (worker.point,))


def _deferred(scene: Scene, worker: Side, other: Side) -> Hit | None:
    """From a report alone: a deferred call of the goroutine writes what a later function reads."""
    if not worker.frames or not worker.writes or other.is_worker or not in_deferred(worker):
        return None
    told = words(other.name)
    waits = bool(told) and told[0] in ENDING | WAITING | RESULTS
    starter = gone_on(scene)
    evidence: tuple[Evidence, ...] = (
        worker.told(f"{worker.does} in a deferred call, at the end of {worker.actor.id}"),
        other.told(f"{other.does}{'; by its name it comes after the worker' if waits else ''}"),
    )
    if starter is not None:
        waits = True
        told_by = f"`{short(starter.started.function)}` started it and has continued since"
        evidence += (other.told(told_by)._replace(at=point(starter.now)),)
    change = "Make Done the last of the deferred calls to run."
    # a concurrent reader may be intended: then a lock is missing
    return Hit(LIKELY if waits else WEAK, evidence, change, (worker.point,))


def _told_too_early(scene: Scene) -> Hit | None:
    """Match C and C++: a worker signals, then continues with data that others waited for."""
    for worker, other in scene.both:
        if not worker.is_worker or not worker.writes or other.writes or worker.held:
            continue
        for frame in worker.frames[:_NEAR]:
            seen = scene.around(frame)
            for told in calls_to(scene, seen, frame, tuple(PAIRS)) if seen else ():
                if _BEGINS.search(f"{told.on} {told.name} {told.arguments}"):
                    continue
                early = told.line < (frame.line or 0) and told.depth == len(
                    seen.closures if seen else ()
                )
                waited = _waited(scene, other, told, frame) if early else None
                if not waited:
                    continue
                evidence = (
                    worker.told(f"{worker.does} after the call of `{told.name}` in line {told.line}"),
                    other.told(
                        f"{other.does} after `{waited.name}` in line {waited.line} has returned"
                    ),
                )
                change = f"Call `{told.name}` last, after all writes that are waited for."
                return Hit(STRONG + 0.04, evidence, change, (worker.point,), from_source=True)
    return None


def _waited(scene: Scene, other: Side, told: Call, near: Frame) -> Call | None:
    """Return the call before the other side's access that waits for this signal."""
    inner = scene.defined(told.name, near) if told.name not in PAIRS else None
    names = {told.name, *(c.name for c in inner.calls)} if inner else {told.name}
    wanted = tuple(wait for name in names for wait in PAIRS.get(name, ()))
    for frame in other.frames[:_NEAR]:
        seen = scene.around(frame)
        for call in calls_to(scene, seen, frame, wanted) if seen else ():
            if call.line < (frame.line or 0) and call.name != told.name:
                return call
    return None


def _started_by(worker: Side, other: Side) -> bool:
    """Return whether the worker started the other side, which then cannot wait for its end."""
    began = [f.function for f in other.created if f.origin is Origin.USER and not f.stale]
    runs = [f.function for f in worker.true if f.origin is Origin.USER]
    return bool(began and runs) and began[-1] == runs[-1]


def _goroutine(scene: Scene, worker: Side) -> Iterator[tuple[Frame, Around]]:
    """Yield the code of the goroutine's own (outermost) function and of closures in it."""
    began = worker.creator.line if worker.creator else None
    # "New.gowrap1", before Go 1.22 "New.func1": a wrapper, on the line of the go statement
    frames = [f for f in reversed(worker.frames) if "gowrap" not in f.function and f.line != began]
    began_in = scene.around(frames[0]) if frames else None
    own = began_in.receiver if began_in else ""
    for frame in frames:
        seen = scene.around(frame)
        if seen is None:
            continue
        if worker.written(frame) == worker.written(frames[0]) or seen.receiver == own != "":
            yield frame, seen


def _heard(scene: Scene, other: Side) -> frozenset[str]:
    """Return the names of the channels that a side has received from before its access: `<-c.home`."""
    lines = [
        scene.around(frame._replace(line=line))
        for frame, seen in other.way[:_NEAR]
        for line in [n for n in seen.receives if n < seen.line][-_NEAR:]
    ]
    told = [_RECEIVED.search(seen.text) for seen in lines if seen and not seen.branch]
    return frozenset(one[1].rpartition(".")[2] for one in told if one)


def _early(scene: Scene, frame: Frame, seen: Around, heard: frozenset[str]) -> Call | None:
    """Return the call that signals "done" although the racing line runs after it."""
    first, last = seen.first, seen.last
    outer = next((c for c in seen.closures if c.use == "go"), None)
    outer = outer or next((c for c in seen.closures if c.use != "defer"), None)
    if outer:
        first, last = outer.first, outer.last
    deferred_at = _deferred_at(seen)
    for call in seen.calls:
        if not first <= call.line <= last or not _signals(call, heard):
            continue
        if call.deferred and deferred_at is not None and deferred_at < call.line:
            return call
        own = call.depth == len(seen.closures)
        if not own or call.deferred or call.line >= seen.line or deferred_at is not None:
            continue
        if not _is_elsewhere(scene.around(frame._replace(line=call.line)), seen):
            return call
    return None


def _is_elsewhere(there: Around | None, seen: Around) -> bool:
    """Return whether a line is in another select case, or in a block that returns."""
    if there is None:
        return False
    leaves = there.leaves and there.conditions != seen.conditions
    return leaves or there.branch not in ("", seen.branch)


def _signals(call: Call, heard: frozenset[str]) -> bool:
    """Return whether a call signals the end of the work: by its name, or because it is waited on."""
    if call.name == "Done":
        return "ctx" not in call.on.lower() and not call.arguments.strip()
    if call.name != "close":
        return False
    channel = call.arguments.strip()
    waited = channel.rpartition(".")[2] in heard and not _BEGINS.search(channel)
    return waited or bool(_SIGNAL.search(channel))


def _deferred_at(seen: Around) -> int | None:
    """Return the line that deferred the code of the racing line."""
    inner = next((c for c in reversed(seen.closures) if c.use == "defer"), None)
    if inner is not None:
        return inner.first
    on_line = next((c for c in seen.calls if c.line == seen.line and c.deferred), None)
    return seen.line if on_line else None


RULE = Rule(
    "done-before-cleanup",
    "group synchronisation",
    _find,
    "the order of deferred calls",
    "None.",
    when=SOURCE | DEFERS | WAITS,
)
