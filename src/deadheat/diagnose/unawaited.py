"""From a report alone: a worker that nobody waited for although its result is used."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deadheat.diagnose.finding import Evidence
from deadheat.diagnose.lifetime import (
    begins,
    comes_after,
    gone_on,
    has_ended,
    is_named,
    is_own_work,
    own_worker,
)
from deadheat.diagnose.naming import is_test_file, short
from deadheat.diagnose.rule import FAIR, Hit
from deadheat.diagnose.side import in_closure, point

if TYPE_CHECKING:
    from deadheat.diagnose.scene import Scene
    from deadheat.diagnose.side import Side
    from deadheat.model import Frame


def returned(scene: Scene) -> Hit | None:
    """A function that looks synchronous returned and left a worker running.

    In Go the worker must be its own closure: an object with a running method may have a
    separate wait.
    """
    met = None if scene.source else own_worker(scene) or _went_on(scene)
    if met is None or not _looks_done(scene, *met):
        return None
    worker, other, started = met
    if scene.go and not in_closure(worker, started):
        return None
    named = short(scene.parent(started.function))
    evidence = (
        worker.told(f"{worker.does} in a worker ({worker.actor.id})"),
        Evidence(f"`{named}` started it and has returned", point(started)),
        other.told(f"{other.does} its result while the worker is still running"),
    )
    change = f"Make `{named}` wait for its worker before it returns."
    return Hit(FAIR, evidence, change, (point(started), other.point))


def _went_on(scene: Scene) -> tuple[Side, Side, Frame] | None:
    """A worker whose starter has returned: its caller is further down on the other stack."""
    for worker, other in scene.both:
        started = worker.creator if worker.is_worker and not other.is_worker else None
        if started is None or is_test_file(started.file):
            continue  # tests run things concurrently on purpose
        if any(f.function == started.function for f in other.true):
            continue
        created = worker.actor.created_at
        for called in created[created.index(started) + 1 :]:
            now = next((f for f in other.frames if f.function == called.function), None)
            if now is not None:
                return (worker, other, started) if _is_below(now, called) else None
    return None


def _is_below(now: Frame, then: Frame) -> bool:
    return now.file == then.file and (now.line or 0) > (then.line or 0) > 0


def _looks_done(scene: Scene, worker: Side, other: Side, started: Frame) -> bool:
    """Does the worker write what is read after a function whose name does not start anything?"""
    name = scene.parent(started.function)
    if not worker.writes or other.writes or not is_named(other) or comes_after(other):
        return False
    *_, kind, bare = ["", "", *name.partition("(")[0].split("::")]
    if is_own_work(worker, started):
        return not has_ended(worker)
    return (not kind or kind != bare) and not begins(name)


def not_awaited(scene: Scene) -> Hit | None:
    """The starter continues to read the worker's result while the worker still runs."""
    met = gone_on(scene) if scene.source is None else None
    if met is None or met.other.writes or has_ended(met.worker):
        return None
    named = short(scene.parent(met.started.function))
    evidence = (
        met.worker.told(f"{met.worker.does} in a worker ({met.worker.actor.id})"),
        Evidence(f"`{named}` started it", point(met.started)),
        Evidence("and then uses its result", point(met.now)),
        met.other.told(met.other.does),
    )
    change = f"Make `{named}` wait until the worker has finished, also on timeout and error paths."
    return Hit(FAIR + 0.05, evidence, change, (point(met.started), point(met.now)))
