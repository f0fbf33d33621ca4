"""Workers whose starter stopped waiting for them, or only slept."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from deadheat.diagnose.finding import Evidence
from deadheat.diagnose.lifetime import is_background
from deadheat.diagnose.ordering import DETACHES, LIMITED, SLEEPS, runs_on
from deadheat.diagnose.side import point

if TYPE_CHECKING:
    from deadheat.diagnose.scene import Scene
    from deadheat.diagnose.side import Side
    from deadheat.diagnose.source import Around
    from deadheat.model import Frame

# "<-timeout", "<-p.timer.C", "<-deadline"
_LIMIT = re.compile(r"<-\s{0,9}[\w.]{0,80}(?:[tT]ime(?:r|out)|[dD]eadline)")
# "<-after.C"; in a loop it is a ticker, not a timeout
_ELAPSED = re.compile(r"<-\s{0,9}[\w.]{1,80}\.C\b")
# receives below the start that are examined
_MOST = 8
_NEAR = 2  # frames from the site outwards in which a sleep replaces a wait


class Left(NamedTuple):
    """The worker, the side that uses its work too early, its start, and the reason."""

    worker: Side
    other: Side
    started: Frame
    why: Evidence


def left_behind(scene: Scene) -> Left | None:
    """A worker whose starter continued, and an access further down by the starter."""
    for other, worker in scene.both if scene.source else ():
        started = worker.creator
        seen = scene.around(started) if started else None
        if seen is None or started is None or not is_background(worker) or other.held:
            continue
        if (times := later(worker, other)) is None:
            continue
        why = _gives_up(scene, seen, started) or _sleeps(scene, worker, other, seen, *times)
        if why is not None:
            return Left(worker, other, started, why)
    return None


def set_before(scene: Scene, setter: Side, now: Frame, started: Frame) -> bool:
    """Did the function that sets something do the same above the line that started the worker?"""
    seen = scene.around(now) if setter.site == now else None
    if seen is None:
        return False
    first = started.line or 0
    paths = {u.path for u in seen.stores if u.line == seen.line and len(u.path) > 1}
    if any(u.path in paths and u.line < first for u in seen.stores):
        return True
    # "strcpy(job->title, …)": by the first argument of a call
    given = {(c.name, c.arguments.partition(",")[0]) for c in seen.calls if c.line == seen.line}
    # "pace.Reset()": by a library method of the same object
    asked = {(c.name, c.on) for c in seen.calls if c.line == seen.line and c.on and setter.inner}
    if any((c.name, c.on) in asked and c.line < first for c in seen.calls):
        return True
    return any(
        (c.name, c.arguments.partition(",")[0]) in given and "," in c.arguments
        for c in seen.calls
        if c.line < first
    )


def used_again(scene: Scene) -> tuple[Side, Frame, Frame] | None:
    """A worker that ends by itself, where its object is reused before that, and its start."""
    for owner, worker in scene.both if scene.sourced and not scene.go else ():
        times = later(worker, owner) if owner.writes and is_background(worker) else None
        if times is None or owner.held or worker.writes:
            continue
        now, began = times
        if not set_before(scene, owner, now, began):
            continue
        if not any(runs_on(scene, frame) for frame in worker.frames):
            return worker, now, began
    return None


def later(worker: Side, other: Side) -> tuple[Frame, Frame] | None:
    """Where the function that started the worker is now, and where it was at the start."""
    for began in worker.created:
        now = next((f for f in other.true if f.function == began.function), None)
        if now is not None and not began.stale and now.file == began.file:
            return (now, began) if (now.line or 0) > (began.line or 0) > 0 else None
    return None


def _gives_up(scene: Scene, seen: Around, started: Frame) -> Evidence | None:
    """Did the function that started it wait with a timeout?"""
    outer = sum(c.first < seen.line for c in seen.closures)
    for call in seen.calls:
        over = call.name in LIMITED or (call.on, call.name) == ("time", "After")
        over = over or (scene.go and call.name == "Done" and call.on.lower().endswith("ctx"))
        if over and call.line > seen.line and call.depth <= outer:
            return _over(call.name, started, call.line)
    for line in [line for line in seen.receives if line > seen.line][:_MOST]:
        branch = scene.around(started._replace(line=line))
        if branch and _is_over(branch):
            return _over(branch.branch, started, line)
    return None


def _is_over(branch: Around) -> bool:
    """Is it the timeout branch of a select? A ticker's branch is in a loop."""
    timed = _LIMIT.search(branch.branch)
    return bool(timed or (not branch.loops and _ELAPSED.search(branch.branch)))


def _over(what: str, started: Frame, line: int) -> Evidence:
    told = f"`{what[:60]}` stops the wait after a timeout while the worker keeps running"
    return Evidence(told, point(started)._replace(line=line))


def _sleeps(
    scene: Scene, worker: Side, other: Side, seen: Around, now: Frame, whence: Frame
) -> Evidence | None:
    """Was the thread detached, so that nobody can wait for it, and its result read after a sleep?"""
    if not any(c.name in DETACHES for c in seen.calls):
        return None
    if any(runs_on(scene, frame) for frame in worker.frames):
        return None  # it never ends by itself: reading its data meanwhile needs a lock
    ways = [(now, whence.line or 0)] if not other.writes else []
    # "lookup_wait(l, ms)" sleeps itself
    ways += [(frame, 0) for frame, _ in other.way[:_NEAR] if frame.function != now.function]
    # so may the starter, before it returns
    began = worker.creator
    if began is not None and began.function != now.function and not other.writes:
        ways.append((began._replace(line=seen.last), seen.line))
    for frame, first in ways:
        around = scene.around(frame)
        for call in around.calls if around else ():
            if call.name in SLEEPS and first < call.line < (frame.line or 0):
                told = f"the thread is detached, and only `{call.name}` waits for it"
                return Evidence(told, point(frame)._replace(line=call.line))
    return None
