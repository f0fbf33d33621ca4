"""Whether a function runs again while the worker of its last run is still active."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from deadheat.diagnose.lifetime import is_background, is_lent, on_stack
from deadheat.diagnose.naming import is_test_file, last
from deadheat.diagnose.side import Side, in_closure
from deadheat.model import Frame, Origin

if TYPE_CHECKING:
    from deadheat.diagnose.scene import Scene


class Round(NamedTuple):
    """The side of the next run, the worker of the last run, its start, and the starter's frame now."""

    owner: Side
    worker: Side
    started: Frame
    now: Frame


def next_round(scene: Scene) -> Round | None:
    """A function that is above the line on which it started the worker."""
    if Round not in scene.memo:
        scene.memo[Round] = _next_round(scene)
    found: Round | None = scene.memo[Round]
    return found


def _next_round(scene: Scene) -> Round | None:
    for owner, worker in scene.both:
        within = worker.closure and (not scene.sourced or _is_within(scene, worker, owner))
        if within or owner.name == worker.name or not is_background(worker):
            continue
        for started in worker.created:
            now = next((f for f in owner.frames if f.function == started.function), None)
            if now is None or started.stale or is_test_file(started.file):
                continue
            if now.file != started.file or (now.line or 0) >= (started.line or 0):
                break
            if _is_its_loop(scene, owner, worker, started, now):
                break
            # the loop may only iterate what the workers remove themselves from
            walks = scene.source is None and not owner.writes and now == owner.site
            return None if scene.go and walks else Round(owner, worker, started, now)
    return None


def in_turn(scene: Scene, owner: Side, worker: Side) -> Frame | None:
    """The line that calls a method of several objects in turn, one of which started the worker.

    `for _, h := range all { h.Init() }`: the worker belongs to another object of the loop.
    """
    started = worker.created
    for at, frame in enumerate(started[1:], 1):
        now = next((n for n, f in enumerate(owner.frames) if f[:4] == frame[:4]), 0)
        if now and frame.origin is Origin.USER:
            then, next_ = (
                scene.parent(started[at - 1].function),
                owner.written(owner.frames[now - 1]),
            )
            return frame if then != next_ and last(then) == last(next_) else None
    return None


def _is_its_loop(scene: Scene, owner: Side, worker: Side, started: Frame, now: Frame) -> bool:
    """Is it a variable of the loop that starts the workers, not a second call?"""
    if in_closure(worker, started) and not (owner.here and not _loops(owner)):
        return True
    mine = is_lent(owner, worker) or last(owner.name) == "main" or on_stack(scene)
    if scene.source is None and now == owner.site and mine:
        return True
    return _same_turn(owner, started)


def _is_within(scene: Scene, worker: Side, owner: Side) -> bool:
    """Is the worker's closure one of a function on the owner's stack?"""
    return worker.name in [
        scene.parent(f.function) for f in owner.frames if not is_test_file(f.file)
    ]


def _same_turn(owner: Side, started: Frame) -> bool:
    """Does a loop set a local variable and start a worker with it further down?"""
    here = owner.here
    if here is None or not any(a <= (started.line or 0) <= b for a, b in here.loops):
        return False
    for use in [u for u in here.uses if u.writes]:
        told = here.names.get(use.path[0])
        # an object created above the loop is refilled in each iteration
        again = len(use.path) > 1 and told is not None and told.type.startswith(("&", "new("))
        if told is not None and told.how in ("local", "loop") and not again:
            return True
    return False


def _loops(side: Side) -> bool:
    return bool(side.here and side.here.text.startswith("for "))
