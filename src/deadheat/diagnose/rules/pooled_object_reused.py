"""An object was returned to its pool while it is still in use.

## What it sees

One side has frames of `sync.(*Pool)`, or of a type or package named like a pool in a function that
takes or returns objects; the other side is no method of that type.

With source, one of:

- A call of `Put`, `Release` or the like on a pool in the functions around one side, while the other
  side uses the object in its own goroutine.
- A function gets an object, starts a goroutine or thread with it and returns it to the pool, also
  under names such as `arena_take` and `arena_give`, unless the return frees the memory (`push_back`
  returns only to a vector with such a name: `free_`, `idle`).
- An object is received from a channel and sent back on it (`c := <-r.free`, `r.free <- c`).
- In C and C++: a line uses an object after its return, or fills one that is passed on and then
  returned.

From a report alone: above the line that starts a worker, its starter calls code that fills what the
worker reads, so it runs again; the code is not named like a reset. In C and C++ also: the detector
names the memory like a pool (`arena`, `slab`, `free_list`).

## Why it races

A pool hands the object to the next caller. Code that kept a reference now shares it.

## Example

    buf := pool.Get().(*bytes.Buffer)
    go audit(buf)
    pool.Put(buf)                   // audit still has it

## Remedy

Return the object only after its last user is done (join first, or count references), or pass a copy
to the other goroutine.

## When it is wrong

The pool's own bookkeeping may race: then a lock is missing in the pool. A package variable, which a
Go report shows by its address, comes from no pool.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from deadheat.diagnose.address import is_packages
from deadheat.diagnose.finding import Evidence
from deadheat.diagnose.lifetime import is_lent, named
from deadheat.diagnose.naming import is_test_file, last, short, words
from deadheat.diagnose.naming import owner as owner_of
from deadheat.diagnose.pools import by_channel, given, gives, puts, takes, used_after
from deadheat.diagnose.rule import FAIR, LIKELY, STRONG, Hit, Rule
from deadheat.diagnose.side import point
from deadheat.diagnose.vocabulary import POOLING, RENEWING

if TYPE_CHECKING:
    from deadheat.diagnose.finding import Point
    from deadheat.diagnose.scene import Scene
    from deadheat.diagnose.side import Side
    from deadheat.diagnose.source import Call, Start
    from deadheat.model import Frame

# "pool.(*Pool[...]).Return", "sync.(*Pool).Put", "web.(*bufferPool).put", "pool_release"; no "Spool"
_POOL = re.compile(
    r"\(\*?\w{0,80}(?<![Ss])[Pp]ool(?:\[.{0,300}\])?\)\.\w|(?:^|\.)pool\.|\bpool_|[Ff]ree[Ll]ist"
)
# "arena", "conn_pool", "free_list", "slabs"
_PLACE = re.compile(r"(?<!s)pool|arena|slab|free_?list", re.IGNORECASE)
_AGAIN = POOLING | RENEWING | {"open", "new", "create", "make"}

# "conn", "first": arguments of a call or a start
_WORD = re.compile(r"[A-Za-z_]\w{0,80}")


def _find(scene: Scene) -> Hit | None:
    if is_packages(scene):
        return None  # a package variable comes from no pool
    if lent := _lent(scene) or _in_pool(scene) or _filled_again(scene):
        return lent
    for side, other in scene.both:
        frame = _pool(side)
        if frame is not None and _pool(other) is None and not _is_its_own(other, side, frame):
            evidence = (
                side.told(
                    f"`{frame.function[:80]}` takes the object back or hands it out"
                )._replace(at=point(frame)),
                other.told(f"{other.does} the object at the same time"),
            )
            confidence = STRONG if other.is_worker or side.is_worker else LIKELY
            return _hit(confidence, evidence, (point(frame), other.point))
        call = (
            (puts(scene, side) or by_channel(scene, side) or used_after(scene, side))
            if scene.source
            else ""
        )
        if call and other.actor.id != side.actor.id:
            evidence = (
                side.told(f"`{short(side.name)}` uses an object of a pool: `{call}`"),
                other.told(f"{other.does} the object at the same time"),
            )
            return _hit(STRONG + 0.03, evidence, (side.point, other.point), from_source=True)
    return None


def _is_its_own(other: Side, side: Side, frame: Frame) -> bool:
    """Return whether the other side is a method of the pool too: then its bookkeeping races."""
    kind = owner_of(side.written(frame))
    return "(" in kind and kind == other.owner


def _in_pool(scene: Scene) -> Hit | None:
    """Match memory that the detector names like a pool, where one side prepares it for reuse."""
    place = scene.report.location
    if scene.sourced or place is None or not place.name or not _PLACE.search(place.name):
        return None
    for again, other in scene.both:
        if not again.writes or other.writes or not _AGAIN.intersection(words(again.name)):
            continue
        evidence = (
            Evidence(f"it is in `{place.name}`, which by its name is a pool"),
            again.told(f"{again.does}; by its name it hands the object out"),
            other.told(f"{other.does} it in {other.actor.id}"),
        )
        return _hit(FAIR + 0.05, evidence, (again.point, other.point))
    return None


def _filled_again(scene: Scene) -> Hit | None:
    """From a report alone: a function fills an object above the line that passes it to a worker.

    So it was called again and got the object that the previous worker still reads. Functions named
    like a reset (`Reset`) renew their own object and do not count.
    """
    for owner, worker in scene.both if scene.source is None else ():
        started = worker.creator if worker.is_worker and not worker.closure else None
        if started is None or not owner.writes or worker.writes or is_test_file(started.file):
            continue
        # a function without receiver has no object of its own to fill
        frames = owner.frames if _is_nobodys(scene, owner, worker) else owner.frames[1:]
        now = next((f for f in frames if f.function == started.function), None)
        if now is None or now.file != started.file or named(owner, RENEWING) is not None:
            continue
        if not 0 < (now.line or 0) < (started.line or 0):
            continue
        if owner_of(owner.written(now)) == owner.owner == worker.owner and "(" in owner.owner:
            continue  # all are methods of one object and most likely work on it
        name = f"`{short(owner.written(now))}`"
        evidence = (
            worker.told(f"{worker.does} in {worker.actor.id}"),
            Evidence(f"{name} passed the object to it", point(started)),
            owner.told(f"{owner.does} for {name}, above that line: it got the object again"),
        )
        return _hit(LIKELY + 0.05, evidence, (point(started), point(now)))
    return None


def _is_nobodys(scene: Scene, owner: Side, worker: Side) -> bool:
    """Return whether it is a Go function that may run again: no method, no `go item.run()`."""
    plain = "(" not in owner.name and last(owner.name) != "main"
    return scene.go and plain and not is_lent(owner, worker)


def _lent(scene: Scene) -> Hit | None:
    """Match a function that gets an object, starts a goroutine with it and puts it back."""
    kind = "goroutine" if scene.go else "thread"
    for worker, other in scene.both if scene.source else ():
        started = worker.creator
        seen = scene.around(started) if started and worker.is_worker else None
        if seen is None or started is None:
            continue
        got = {c.result.partition(",")[0].strip() for c in seen.calls if takes(c)} - {""}
        handed = {word for c in seen.calls if c.line == seen.line for word in _words_of(c)}
        handed |= {word for one in seen.starts if one.line == seen.line for word in _spelt(one)}
        for back in seen.calls:
            name = next((n for n in given(back) if n in got), "")
            after = back.deferred or back.line > seen.line
            if not name or not after or not gives(scene, back, started):
                continue
            if not scene.go and name not in handed and not worker.closure:
                continue
            evidence = (
                worker.told(f"{worker.does} in a {kind} that got `{name}`")._replace(
                    at=point(started)
                ),
                other.told(f"{other.does} its content"),
                worker.told(f"`{back.name}` returns `{name}` to the pool without a wait")._replace(
                    at=point(started)._replace(line=back.line)
                ),
            )
            where = (point(started)._replace(line=back.line), other.point)
            return _hit(STRONG, evidence, where, from_source=True)
    return None


def _words_of(call: Call) -> list[str]:
    return _WORD.findall(f"{call.on} {call.arguments}")


def _spelt(start: Start) -> list[str]:
    return _WORD.findall(start.text)


def _hit(
    confidence: float,
    evidence: tuple[Evidence, ...],
    where: tuple[Point, ...],
    from_source: bool = False,
) -> Hit:
    change = (
        "Return the object to the pool after its last user is done, or let the other side use a copy."
    )
    return Hit(confidence, evidence, change, where, from_source=from_source)


def _pool(side: Side) -> Frame | None:
    for frame in (*side.inner, *side.frames[:3]) if side.inner else side.frames[:3]:
        name = frame.function
        # a substring test is cheaper than the pattern
        if "ool" not in name and "ist" not in name:
            continue
        if POOLING.intersection(words(side.written(frame))) and _POOL.search(name):
            return frame
    return None


RULE = Rule(
    "pooled-object-reused",
    "lifetime",
    _find,
    "a join before the object is returned; or a copy",
    "The object stays in use longer; or one copy.",
    general=("worker-outlives-owner",),
)
