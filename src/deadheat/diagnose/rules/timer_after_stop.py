"""A timer's function runs against the code that owns the timer.

## What it sees

A goroutine that the time package started (`time.goFunc` in its stack or as its creator): the
function of `time.AfterFunc`, against code that writes where it writes, or that is named like a
stop.

With source: `Stop` or `Reset` of a timer on the other side, in a caller or in an earlier callee,
also if a goroutine has received from the timer's channel. In C, C++ and the kernel, with source:
one side runs in code named like a timer (`timer_main`, `PeriodicTask`, `call_timer_fn`), the other
comes after a call that stops it without a join.

From a report alone: a thread named like a timer, against a function named like a stop or reset.

## Why it races

`Stop` does not wait: it returns false if the function has already started. Code that assumes after
`Stop` that the function cannot run any more races with it.

## Example

    l.timer = time.AfterFunc(d, func() { l.expired = true })
    l.timer.Stop()
    l.expired = false               // the function may be running

## Remedy

Guard what the function accesses with a mutex, and check under it whether the timer is still wanted
(a generation number). Or use a channel timer in the owner's own loop.

## When it is wrong

The timer is never stopped: then a lock is missing, and the timer is only one of the two sides.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from deadheat.diagnose.finding import Evidence
from deadheat.diagnose.lifetime import by_timer, is_timed
from deadheat.diagnose.naming import is_test_file, last, short, words
from deadheat.diagnose.naming import owner as owner_of
from deadheat.diagnose.ordering import JOINS, LIMITED, SLEEPS, calls_to, runs_on
from deadheat.diagnose.rule import FAIR, LIKELY, STRONG, WEAK, Hit, Rule
from deadheat.diagnose.side import point
from deadheat.diagnose.traits import SOURCE, TIMER
from deadheat.diagnose.vocabulary import ENDING, RENEWING, STOPPING, TIMING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deadheat.diagnose.finding import Point
    from deadheat.diagnose.scene import Scene
    from deadheat.diagnose.side import Side
    from deadheat.diagnose.source import Around, Call
    from deadheat.model import Frame

_ANEW = ENDING | RENEWING | {"refresh", "extend", "rearm", "touch", "feed", "kick"}
_TIMER = re.compile(
    r"timer|tick(?!et)|deadline|expir[ey]|alarm|timeout|watchdog|debounce|schedul|periodic|heartbeat",
    re.IGNORECASE,
)
# "<-s.idle.C", "<-timer.C", "for range s.tick.C {"
_FIRES = re.compile(r"(?:<-|\brange\b)\s{0,9}(?:\w{1,80}\.){0,5}?(\w{1,80})\.C\b")
_STOPS = frozenset(("Stop", "Reset"))
# max. receives above a line, frames and loops that are searched
_NEAR = 4
_CHANGE = (
    "Guard {what} with a mutex and let the timer's function check under it whether it is still wanted:"
    " Stop does not wait for a function that has started."
)


def _find(scene: Scene) -> Hit | None:
    if not scene.go:
        return _native(scene) or _thread(scene)
    if waited := _by_channel(scene):
        return waited
    for timer, owner in scene.both:
        if timer is not by_timer(scene):
            continue
        stopped = _stops(owner) or _has_stopped(scene, owner)
        stopped = stopped or any(_stops_in(scene, f) for f in timer.actor.created_at[:2])
        evidence = [
            timer.told(f"{timer.does} in the function of a timer (time.AfterFunc)"),
            owner.told(
                f"{owner.does} it too{'; it stops or resets the timer' if stopped else ''}"
            ),
        ]
        change = _CHANGE.format(what=scene.what)
        # a function that resets the timer at each call, or writes what its function writes; otherwise
        # only a lock may be missing
        both = timer.writes and owner.writes
        peers = any(f.function == "time.goFunc" for f in owner.actor.created_at[:2])
        own = (timer.closure or peers) and owner.name == timer.name
        again = owner.here is None and (own or both)
        confidence = STRONG if stopped else FAIR + 0.05 if again else WEAK
        sourced = owner.here is not None
        return Hit(confidence, tuple(evidence), change, scene.points, from_source=sourced)
    return None


def _thread(scene: Scene) -> Hit | None:
    """From a report alone: a thread named like a timer, against a function that stops or resets it."""
    for timer, owner in scene.both if not scene.sourced else ():
        named = next((f for f in timer.frames if is_timed(timer.written(f))), None)
        told = set(words(owner.name))
        if named is None or not timer.is_worker or TIMING.intersection(told):
            continue
        if owner.is_worker or not told & _ANEW:
            continue
        evidence = (
            timer.told(f"{timer.does} in the thread of a timer: `{named.function[:60]}`"),
            owner.told(f"{owner.does}; by its name it stops or resets the timer"),
        )
        change = (
            f"Guard {scene.what} with a mutex and let the timer check under it whether it is still"
            " wanted: a stop does not wait for a function that has started."
        )
        return Hit(LIKELY, evidence, change, scene.points)
    return None


def _by_channel(scene: Scene) -> Hit | None:
    """Match a goroutine woken by a timer's channel, against code that stopped that timer."""
    for timer, owner in scene.both if scene.sourced else ():
        for told, at in _fired(scene, timer) if timer.is_worker else ():
            stop = _stop_of(scene, owner, told[1])
            if stop is None:
                continue
            evidence = (
                timer.told(f"{timer.does} after `{told[0]}` in line {at.line} has fired"),
                owner.told(f"{owner.does} after `{stop.on}.{stop.name}` in line {stop.line}"),
            )
            change = _CHANGE.format(what=scene.what)
            return Hit(STRONG, evidence, change, scene.points, from_source=True)
    return None


def _fired(scene: Scene, timer: Side) -> Iterator[tuple[re.Match[str], Around]]:
    """Yield the receives from a timer's channel that led to an access, outside of any select."""
    for frame, here in timer.way[:_NEAR]:
        woken = [line for line in here.receives if line < here.line][-_NEAR:]
        for line in (*woken, *(first for first, _ in here.loops[-_NEAR:])):
            seen = scene.around(frame._replace(line=line))
            told = _FIRES.search(seen.text) if seen and not seen.branch else None
            if told and seen:
                yield told, seen


def _stop_of(scene: Scene, owner: Side, timer: str) -> Call | None:
    """Return the call before an access that stops the named timer, directly or in a callee."""
    for frame, seen in owner.way:
        for call in calls_to(scene, seen, frame, _STOPS):
            inner = None if call.name in _STOPS else scene.defined(call.name, frame)
            made = inner.calls if inner else (call,)
            if call.line <= seen.line and any(_stops_it(c, timer) for c in made):
                return call
    return None


def _stops_it(call: Call, timer: str) -> bool:
    return call.name in _STOPS and call.on.rpartition(".")[2] == timer


def _native(scene: Scene) -> Hit | None:
    """Match a C or C++ timer, by the name of a thread or callback, and a stop that does not wait."""
    for timer, owner in scene.both if scene.source else ():
        if not timer.is_worker and not scene.kernel:
            continue
        tick = next((f for f in _ways(timer) if _is_timer(scene, f)), None)
        stop = _stopped(scene, owner) if tick else None
        if stop is None and (calls_back := _calls_back(scene, timer)):
            tick, kind = calls_back
            stop = _stopped(scene, owner, kind)
        if tick is None or stop is None:
            continue
        at, call = stop
        evidence = (
            timer.told(f"{timer.does} in code that a timer runs"),
            Evidence(f"`{short(scene.parent(tick.function))}` is the timer", point(tick)),
            Evidence(f"`{call.name}` does not wait for a function that has started", at),
            owner.told(f"{owner.does} after it"),
        )
        return Hit(
            STRONG + 0.04, evidence, _CHANGE.format(what=scene.what), (at,), from_source=True
        )
    return None


def _ways(timer: Side) -> tuple[Frame, ...]:
    """Return the frames of a side and of its creation."""
    return (*timer.true, *timer.created)


def _is_timer(scene: Scene, frame: Frame) -> bool:
    name = scene.parent(frame.function)
    return bool(_TIMER.search(last(name)) or _TIMER.search(last(owner_of(name))))


def _calls_back(scene: Scene, timer: Side) -> tuple[Frame, str] | None:
    """Return a frame of a class that sleeps and then calls a callback, and the class."""
    for inner, frame in zip(timer.frames, timer.frames[1:], strict=False):
        seen = scene.around(frame)
        if seen is None or not seen.receiver:
            continue
        here = {c.name for c in seen.calls if c.line == seen.line}
        slept = any(c.name in SLEEPS | LIMITED and c.line < seen.line for c in seen.calls)
        if slept and last(scene.parent(inner.function)) not in here and not runs_on(scene, frame):
            return frame, seen.receiver
    return None


def _stopped(scene: Scene, owner: Side, kind: str = "") -> tuple[Point, Call] | None:
    """Return the call before the owner's access that stops a timer without a join."""
    for frame in owner.frames:
        seen = scene.around(frame)
        for call in seen.calls if seen else ():
            ends = STOPPING.intersection(words(call.name))
            if not ends or call.line > (frame.line or 0) or "sync" in call.name:
                continue
            inner = scene.defined(call.name, frame)
            about = f"{call.on} {call.name} {call.arguments} {inner.receiver if inner else ''}"
            if not _TIMER.search(about) and not (kind and inner and inner.receiver == kind):
                continue
            if inner is None or not any(c.name in JOINS for c in inner.calls):
                return point(frame)._replace(line=call.line), call
    return None


def _stops_in(scene: Scene, frame: Frame) -> bool:
    seen = scene.around(frame)
    calls = seen.calls if seen else ()
    return any(c.name in _STOPS and _TIMER.search(c.on) for c in calls)


def _has_stopped(scene: Scene, owner: Side) -> bool:
    """Return whether a function on the call chain has stopped a timer, directly or in a callee."""
    for frame, seen in owner.way:
        for call in calls_to(scene, seen, frame, _STOPS):
            # outside of tests a stop is of the timer that the other side belongs to
            told = call.name not in _STOPS or (call.on and not is_test_file(frame.file))
            if call.line < seen.line and (told or _TIMER.search(call.on)):
                return True
    return False


def _stops(owner: Side) -> bool:
    calls = owner.here.calls if owner.here else ()
    if any(c.name in _STOPS and c.on for c in calls):
        return True  # of any name: the other side is a timer
    told = words(owner.name)
    return bool(told) and told[0] in _ANEW


RULE = Rule(
    "timer-after-stop",
    "lifetime",
    _find,
    "sync.Mutex and a generation number",
    "A lock per tick.",
    when=TIMER | SOURCE,
)
