"""Does who started a worker go away before the line on which it waits for it? For rules on lifetimes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deadheat.diagnose.finding import Evidence
from deadheat.diagnose.leaving import Left
from deadheat.diagnose.lifetime import is_background
from deadheat.diagnose.ordering import JOINS, LIMITED, calls_to
from deadheat.diagnose.side import point

if TYPE_CHECKING:
    from deadheat.diagnose.scene import Scene
    from deadheat.diagnose.side import Side
    from deadheat.diagnose.source import Around
    from deadheat.model import Frame

_NEAR = 2  # frames from the site outwards in which a wait is for the worker


def waits(scene: Scene, frame: Frame, seen: Around) -> list[int]:
    """The lines of a function, outside of what it starts and defers, on which it waits for others."""
    own = len(seen.closures)
    called = [c.line for c in calls_to(scene, seen, frame, JOINS) if c.depth == own]
    deferred = {c.line for c in seen.calls if c.deferred}
    return sorted(line for line in (*called, *seen.receives) if line not in deferred)


def gave_up(side: Side) -> Evidence | None:
    """The wait above its access, in the same function, that ends when its time is over."""
    for frame, seen in side.way[:_NEAR]:
        for call in seen.calls:
            over = call.name in LIMITED and call.line <= seen.line
            if over and call.depth == len(seen.closures):
                told = f"`{call.name}`: it no longer waits when the time is over"
                return Evidence(told, point(frame)._replace(line=call.line))
    return None


def left_early(scene: Scene) -> Left | None:
    """The worker, who uses its work and leaves, where it was started, and the wait that is passed by."""
    for other, worker in scene.both if scene.source else ():
        started = worker.creator
        began = scene.around(started) if started else None
        if began is None or started is None or not is_background(worker) or other.held:
            continue
        if limit := None if scene.go or other.is_worker else gave_up(other):
            return Left(worker, other, started, limit)
        for frame, seen in other.way:
            if (seen.path, seen.first) != (began.path, began.first) or seen.line <= began.line:
                continue
            found = waits(scene, frame, seen)
            after = [line for line in found if line > seen.line]
            if seen.leaves and after and not any(began.line < n <= seen.line for n in found):
                told = (
                    "the wait for it comes only further down: here the function leaves without it"
                )
                why = Evidence(told, point(frame)._replace(line=after[0]))
                return Left(worker, other, started, why)
    return None


def waits_after(scene: Scene, side: Side) -> int | None:
    """The line, on the way to its access, on which it goes on to wait for others, if it does."""
    for frame, seen in side.way:
        if not seen.leaves:
            for line in waits(scene, frame, seen):
                if line > seen.line:
                    return line
    return None
