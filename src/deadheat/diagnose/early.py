"""Whether the starter of a worker leaves before the line on which it waits for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deadheat.diagnose.finding import Evidence
from deadheat.diagnose.leaving import Left, later
from deadheat.diagnose.lifetime import is_background
from deadheat.diagnose.naming import words
from deadheat.diagnose.ordering import JOINS, LIMITED, PAIRS, calls_to
from deadheat.diagnose.side import point
from deadheat.diagnose.vocabulary import ENDING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deadheat.diagnose.scene import Scene
    from deadheat.diagnose.side import Side
    from deadheat.diagnose.source import Around
    from deadheat.model import Frame

_NEAR = 2  # frames from the site outwards in which a wait concerns the worker


def waits(scene: Scene, frame: Frame, seen: Around) -> list[int]:
    """The lines of a function, outside of what it starts and defers, on which it waits."""
    own = len(seen.closures)
    called = [c.line for c in calls_to(scene, seen, frame, JOINS) if c.depth == own]
    deferred = {c.line for c in seen.calls if c.deferred}
    return sorted(line for line in (*called, *seen.receives) if line not in deferred)


def gave_up(side: Side) -> Evidence | None:
    """The wait with a timeout above its access in the same function."""
    for frame, seen in side.way[:_NEAR]:
        for call in seen.calls:
            over = call.name in LIMITED and call.line <= seen.line
            if over and call.depth == len(seen.closures):
                told = f"`{call.name}` stops waiting after a timeout"
                return Evidence(told, point(frame)._replace(line=call.line))
    return None


def left_early(scene: Scene) -> Left | None:
    """The worker, the side that uses its work and returns, its start, and the skipped wait."""
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
                    "the wait for the worker comes further down: the function returns here without it"
                )
                why = Evidence(told, point(frame)._replace(line=after[0]))
                return Left(worker, other, started, why)
    return None


def only_told(scene: Scene) -> Left | None:
    """A worker that its starter signalled to stop without waiting, and whose work is read."""
    for other, worker in scene.both if scene.source else ():
        started = worker.creator
        began = scene.around(started) if started and is_background(worker) else None
        if began is None or started is None or other.held or other.writes or not worker.writes:
            continue
        times = later(worker, other)
        line = _tells(began, worker)
        if times is None or not line or any(n > line for n in waits(scene, started, began)):
            continue
        if times[1] != started or (times[0].line or 0) > line:
            told = "signals the worker to stop and does not wait until it has finished"
            return Left(worker, other, started, Evidence(told, point(started)._replace(line=line)))
    return None


def _tells(began: Around, worker: Side) -> int:
    """The line below its start that signals the worker to stop: `close(m.over)`, `cancel()`."""
    heard = {name for _, way in worker.way for name in way.awaits}
    for call in began.calls:
        word = call.arguments.rpartition(".")[2] if call.name == "close" else ""
        told = word in heard or (call.name == "cancel" and "Done" in heard)
        if told and call.line > began.line and call.depth == len(began.closures):
            return call.line
    return 0


def given_away(scene: Scene) -> Left | None:
    """A worker that still uses what its function, after a wait, has returned."""
    for worker, other in scene.both if scene.sourced else ():
        started, here = worker.creator, worker.here
        began = scene.around(started) if started and worker.is_worker else None
        if began is None or started is None or here is None or other.held:
            continue
        if not here.closures or (here.path, here.first) != (began.path, began.first):
            continue
        if _has_told(here):
            continue  # then the signal itself comes too early
        if any((seen.path, seen.first) == (began.path, began.first) for _, seen in other.way):
            continue
        lent = {u.path[0] for u in here.uses if _is_outer(here, u.path[0])}
        found = [
            n for n in waits(scene, started, began) if n > began.line and not _inside(began, n)
        ]
        name = next(iter(sorted(lent & began.returned)), "")
        if found and name:
            told = f"waits here and then returns `{name}` while the worker keeps running"
            return Left(
                worker, other, started, Evidence(told, point(started)._replace(line=found[0]))
            )
    return None


def _has_told(here: Around) -> bool:
    """Has the closure signalled completion, or sent its result, above the line?"""
    inside = here.closures[-1]
    told = [c.line for c in here.calls if c.name in ("Done", "close", *PAIRS)]
    return any(inside.first <= line < here.line for line in (*told, *here.sends))


def _is_outer(here: Around, name: str) -> bool:
    """Is it a variable of the function, not of its closure?"""
    told = here.names.get(name)
    return told is not None and told.depth < len(here.closures)


def _inside(began: Around, line: int) -> bool:
    """Is a line in code that is started as a goroutine?"""
    return any(s.line <= line <= s.last for s in began.starts)


def waits_after(scene: Scene, side: Side) -> int | None:
    """The line on the call chain, after the access, on which it waits for others, if any."""
    for frame, seen in side.way:
        if not seen.leaves:
            for line in (*waits(scene, frame, seen), *_asked_to_wait(scene, frame, seen)):
                if line > seen.line:
                    return line
    return None


def _asked_to_wait(scene: Scene, frame: Frame, seen: Around) -> Iterator[int]:
    """The lines that call a teardown which waits for a worker: `s.done()`, `s.close()`."""
    for call in seen.calls:
        ends = ENDING.intersection(words(call.name)[:1]) and call.on and not call.deferred
        inner = scene.defined(call.name, frame) if ends else None
        if inner and inner.receives:
            yield call.line
