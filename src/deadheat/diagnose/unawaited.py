"""From a report alone: a worker that nobody waited for, though its work is used; for one rule."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deadheat.diagnose.finding import Evidence
from deadheat.diagnose.lifetime import gone_on, own_worker, runs_beside, still_works
from deadheat.diagnose.naming import short
from deadheat.diagnose.rule import FAIR, Hit
from deadheat.diagnose.side import in_closure, point

if TYPE_CHECKING:
    from deadheat.diagnose.scene import Scene


def returned(scene: Scene) -> Hit | None:
    """A function looks as if it did its work itself, and left a worker behind.

    Its own closure is the worker: an object with a method that runs may be meant to be waited for.
    """
    met = own_worker(scene) if not scene.source and runs_beside(scene) is False else None
    if met is None or not in_closure(met[0], met[2]):
        return None
    worker, other, started = met
    named = short(scene.parent(started.function))
    evidence = (
        worker.told(f"{worker.does} in a worker ({worker.actor.id})"),
        Evidence(f"`{named}` started it and has returned", point(started)),
        other.told(f"{other.does} what it left, while the worker goes on"),
    )
    change = f"Let `{named}` wait for its worker before it returns."
    return Hit(FAIR, evidence, change, (point(started), other.point))


def not_awaited(scene: Scene) -> Hit | None:
    """Who started the worker goes on to read its work while it still works."""
    met = gone_on(scene) if scene.source is None else None
    if met is None or met.other.writes or not still_works(scene, met):
        return None
    named = short(scene.parent(met.started.function))
    evidence = (
        met.worker.told(f"{met.worker.does} in a worker ({met.worker.actor.id})"),
        Evidence(f"`{named}` started it", point(met.started)),
        Evidence("and has gone on to use its work", point(met.now)),
        met.other.told(met.other.does),
    )
    change = f"Let `{named}` wait until the worker has ended, also where it gives up or fails."
    return Hit(FAIR + 0.05, evidence, change, (point(met.started), point(met.now)))
