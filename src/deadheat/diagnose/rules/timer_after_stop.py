"""A timer's function runs against the code that owns the timer.

## What it sees

A goroutine that the time package started (`time.goFunc` in its stack or as its creator): the
function of `time.AfterFunc`, against somebody who writes where it writes, or is called like one who
stops it. With source: `Stop` or `Reset` of a timer in the function on the other side. In C and C++:
a thread that is called a timer's against who stops or renews by its name.

## Why it races

`Stop` does not wait: it returns false if the function has been started already. Whoever goes on
after `Stop` as if the function could not run any more, races with it.

## Example

    l.timer = time.AfterFunc(d, func() { l.expired = true })
    l.timer.Stop()
    l.expired = false               // the function may be running

## Remedy

Guard what the function touches with a mutex and check under it whether the timer is still wanted (a
generation number); or use a channel timer in the owner's own loop.

## When it is wrong

A function of a timer that is never stopped: then a lock is missing, with the timer only as one of
the two sides.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from deadheat.diagnose.lifetime import by_timer
from deadheat.diagnose.rule import FAIR, LIKELY, STRONG, WEAK, Hit, Rule
from deadheat.diagnose.scene import words
from deadheat.diagnose.traits import TIMER
from deadheat.diagnose.vocabulary import ENDING, RENEWING, TIMING

if TYPE_CHECKING:
    from deadheat.diagnose.scene import Scene, Side
    from deadheat.model import Frame

_ANEW = ENDING | RENEWING | {"refresh", "extend", "rearm", "touch", "feed", "kick"}
_TIMER = re.compile(r"timer|ticker|deadline|expire|alarm", re.IGNORECASE)


def _find(scene: Scene) -> Hit | None:
    if not scene.go:
        return _thread(scene)
    for timer, owner in scene.both:
        if timer is not by_timer(scene):
            continue
        stopped = _stops(owner) or any(_stops_in(scene, f) for f in timer.actor.created_at[:2])
        evidence = [
            timer.told(f"{timer.does} in the function of a timer (time.AfterFunc)"),
            owner.told(
                f"{owner.does} beside it{'; it stops or resets the timer' if stopped else ''}"
            ),
        ]
        change = (
            f"Guard {scene.what} with a mutex and let the timer's function check under it whether it is"
            " still wanted: Stop does not wait for a function that has begun."
        )
        # a function that sets a timer anew at each call, or changes what its function changes; else a
        # lock may be all that is missing
        both = timer.writes and owner.writes
        again = owner.here is None and (owner.name == timer.name or both)
        confidence = STRONG if stopped else FAIR + 0.05 if again else WEAK
        sourced = owner.here is not None
        return Hit(confidence, tuple(evidence), change, scene.points, from_source=sourced)
    return None


def _thread(scene: Scene) -> Hit | None:
    """A thread that sleeps until its time, by its name, against who stops it or sets it anew."""
    for timer, owner in scene.both:
        named = next((f for f in timer.frames if TIMING.intersection(words(f.function))), None)
        told = set(words(owner.name))
        if named is None or not timer.is_worker or TIMING.intersection(told):
            continue
        if owner.is_worker or not told & _ANEW:
            continue
        evidence = (
            timer.told(f"{timer.does} in the thread of a timer: `{named.function[:60]}`"),
            owner.told(f"{owner.does}, and by its name stops the timer or sets it anew"),
        )
        change = (
            f"Guard {scene.what} with a mutex and let the timer check under it whether it is still"
            " wanted: one that has begun is not stopped."
        )
        return Hit(LIKELY, evidence, change, scene.points)
    return None


def _stops_in(scene: Scene, frame: Frame) -> bool:
    seen = scene.around(frame)
    calls = seen.calls if seen else ()
    return any(c.name in ("Stop", "Reset") and _TIMER.search(c.on) for c in calls)


def _stops(owner: Side) -> bool:
    calls = owner.here.calls if owner.here else ()
    if any(c.name in ("Stop", "Reset") and c.on for c in calls):
        return True  # whatever it is called: the other side is a timer's
    told = words(owner.name)
    return bool(told) and told[0] in _ANEW


RULE = Rule(
    "timer-after-stop",
    "lifetime",
    _find,
    "sync.Mutex and a generation number",
    "A lock per tick.",
    when=TIMER,
)
