"""Whether the two sides are meant to run concurrently or in order, from a report alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deadheat.diagnose import address
from deadheat.diagnose.guessing import verb
from deadheat.diagnose.lifetime import (
    by_timer,
    comes_after,
    gone_on,
    has_ended,
    own_worker,
    runs_beside,
)
from deadheat.diagnose.naming import is_test_file, last, owner
from deadheat.diagnose.rounds import next_round
from deadheat.diagnose.vocabulary import READING
from deadheat.model import Origin

if TYPE_CHECKING:
    from deadheat.diagnose.scene import Scene
    from deadheat.diagnose.side import Side

_OUT = 4  # callers further out start other things


def may_be_ordered(scene: Scene) -> bool:
    """May the two sides be meant to run in order?"""
    if "ordered" not in scene.memo:
        scene.memo["ordered"] = _ordered(scene)
    found: bool = scene.memo["ordered"]
    return found


def _ordered(scene: Scene) -> bool:
    if timed := by_timer(scene):
        return any(side.writes for side in scene.sides if side is not timed)
    if gone_on(scene) or _of_a_call(scene) or _is_below_start(scene) or _has_left(scene):
        return True
    if next_round(scene):
        return True
    if own_worker(scene):
        return not runs_beside(scene)
    return not scene.go and any(_by_main(a, b) for a, b in scene.both)


def _is_below_start(scene: Scene) -> bool:
    """Has a function started a worker through a call, and continued to meet it further down?

    Such a function may intend to wait for it. Tests and `main` run things concurrently on purpose; a
    global variable is not a worker's result.
    """
    for worker, other in scene.both if scene.go and not address.is_packages(scene) else ():
        if not worker.writes or not worker.is_worker or other.is_worker:
            continue
        began = [f for f in worker.actor.created_at if f.origin is Origin.USER and not f.stale]
        for then in began[:_OUT]:
            if is_test_file(then.file) or last(scene.parent(then.function)) == "main":
                continue
            now = next((f for f in other.frames if f.function == then.function), None)
            if now is not None and now.file == then.file:
                return (now.line or 0) > (then.line or 0) > 0
    return False


def _has_left(scene: Scene) -> bool:
    """Has a worker that `main` started finished, and does a method of the same type read its result?

    A method that is not a mere getter may have been signalled that the work is done.
    """
    for worker, other in scene.both if scene.go else ():
        began = worker.creator if worker.writes and worker.is_worker and not other.writes else None
        if began is None or other.is_worker or last(scene.parent(began.function)) != "main":
            continue
        entry = next((f for f in reversed(worker.frames) if f.line != began.line), None)
        own = entry is not None and owner(scene.parent(entry.function)) == other.owner
        if own and "(" in other.owner and has_ended(worker) and verb(other.name) not in READING:
            return True
    return False


def _by_main(worker: Side, main: Side) -> bool:
    """Does the main thread of a C program meet a worker before its start or after its end?

    Helgrind does not repeat who started a thread: a write by `main` that the worker only reads may
    be set-up or teardown.
    """
    if not worker.is_worker or not main.is_main:
        return False
    if worker.writes:
        return comes_after(main)
    return main.writes and worker.creator is None


def _of_a_call(scene: Scene) -> bool:
    """In C and C++: was the memory allocated by a call that is still active?

    Memory that lives no longer than a call is not shared permanently: the caller intends to wait.
    """
    place = scene.report.location
    if scene.go or place is None or place.kind != "heap":
        return False
    makers = {f.function for f in place.stack if f.origin is Origin.USER and f.function != "main"}
    for side, other in scene.both:
        calls = [f.function for f in side.frames[1:] if f.function in makers]
        if calls and not any(f.function in calls for f in other.true):
            return True
    return False
