"""An object went back to its pool while somebody still uses it.

## What it sees

Frames of `sync.(*Pool)` or of a type or package that is called a pool, on one side; with source: a
call of `Put`, `Release` or the like on a pool in the functions around one side, and the other side
uses the object in a goroutine of its own.

## Why it races

A pool hands the object to the next one who asks. Whoever kept a reference now shares it with a
stranger.

## Example

    buf := pool.Get().(*bytes.Buffer)
    go audit(buf)
    pool.Put(buf)                   // audit still has it

## Remedy

Put the object back only after the last user is done (join first, or count references); or give the
other goroutine a copy.

## When it is wrong

The pool's own bookkeeping may race (a pool of the house's own without a lock): then a lock is
missing in the pool.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from deadheat.diagnose.rule import LIKELY, STRONG, Hit, Rule
from deadheat.diagnose.scene import point, short, words

if TYPE_CHECKING:
    from deadheat.diagnose.finding import Evidence, Point
    from deadheat.diagnose.scene import Scene, Side
    from deadheat.model import Frame

# "pool.(*Pool[...]).Return", "sync.(*Pool).Put", "web.(*bufferPool).put", "pool_release"
_POOL = re.compile(
    r"\(\*?\w{0,80}[Pp]ool\w{0,80}(?:\[.{0,300}\])?\)\.\w|(?:^|\.)pool\.|\bpool_|[Ff]ree[Ll]ist"
)
# what a pool does with objects; a pool of workers that runs, counts or stops is another matter
_HANDS = frozenset(
    "put get release acquire return recycle give lend borrow take checkout checkin free alloc"
    " allocate reset clear reuse obtain rent back".split()
)
_BACK = re.compile(
    r"(?:^|[._)])(?:[Pp]ut|[Rr]elease|[Rr]eturn|[Rr]ecycle|[Gg]ive[Bb]ack|[Ff]ree)\w{0,80}$"
)

_GETS = ("Get", "Acquire", "Lend", "Borrow", "Take", "Checkout")


def _find(scene: Scene) -> Hit | None:
    for side, other in scene.both:
        frame = _pool(side)
        if frame is not None and _pool(other) is None:
            evidence = (
                side.told(
                    f"`{frame.function[:80]}` takes the object back or hands it out again"
                )._replace(at=point(frame)),
                other.told(f"{other.does} the object at the same time"),
            )
            confidence = STRONG if other.is_worker or side.is_worker else LIKELY
            return _hit(confidence, evidence, (point(frame), other.point))
        call = _puts(scene, side) if scene.source else ""
        if call and other.actor.id != side.actor.id:
            evidence = (
                side.told(f"`{short(side.name)}` works on an object of a pool: `{call}`"),
                other.told(f"{other.does} the object at the same time"),
            )
            return _hit(STRONG + 0.03, evidence, (side.point, other.point), from_source=True)
    return None


def _hit(
    confidence: float,
    evidence: tuple[Evidence, ...],
    where: tuple[Point, ...],
    from_source: bool = False,
) -> Hit:
    change = (
        "Give the object back only when its last user is done, or let the other goroutine work on a"
        " copy."
    )
    return Hit(confidence, evidence, change, where, from_source=from_source)


def _pool(side: Side) -> Frame | None:
    for frame in (*side.inner, *side.frames[:3]):
        name = frame.function
        # most names say nothing of the kind, and a glance is cheaper than a pattern
        if ("ool" in name or "ist" in name) and _POOL.search(name):
            if _HANDS.intersection(words(side.written(frame))):
                return frame
    return None


def _puts(scene: Scene, side: Side) -> str:
    """The call near the site that gives an object back to where it was got from."""
    for frame in side.frames[:3]:
        seen = scene.around(frame)
        got = {c.on for c in seen.calls if c.name in _GETS and not c.arguments} if seen else set()
        for call in seen.calls if seen else ():
            named = "ool" in call.on or call.on in got
            if _BACK.search(call.name) and named and call.arguments and "," not in call.arguments:
                return f"{call.on}.{call.name}({call.arguments[:40]})"
    return ""


RULE = Rule(
    "pooled-object-reused",
    "lifetime",
    _find,
    "a join before the object goes back; or a copy",
    "The object is kept longer; or one copy.",
    general=("worker-outlives-owner",),
)
