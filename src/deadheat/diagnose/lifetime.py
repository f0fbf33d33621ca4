"""Does one side end or reuse what a worker still works on? For the rules about lifetimes."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from deadheat.diagnose.scene import is_test_file, last, owner, short
from deadheat.model import Op, Origin, State

if TYPE_CHECKING:
    from deadheat.diagnose.scene import Scene, Side
    from deadheat.model import Frame


class Ending(NamedTuple):
    """The side that ends or renews something, the frame that says so, and the worker's side."""

    owner: Side
    frame: Frame
    worker: Side


def ending(scene: Scene, vocabulary: frozenset[str]) -> Ending | None:
    """A write by a function of such a name against an access of somebody else's goroutine."""
    if vocabulary not in scene.memo:
        scene.memo[vocabulary] = _ending(scene, vocabulary)
    found: Ending | None = scene.memo[vocabulary]
    return found


def _ending(scene: Scene, vocabulary: frozenset[str]) -> Ending | None:
    pairs = scene.both
    if pairs and pairs[0][0].is_worker and not pairs[1][0].is_worker:
        pairs = pairs[::-1]
    for ender, worker in pairs:
        if not ender.writes and ender.access.op is not Op.UNKNOWN:
            continue
        frame = _named(ender, vocabulary) if ender.name != worker.name else None
        if frame is None:
            continue
        if is_background(worker) and ender.actor.id != worker.actor.id:
            return Ending(ender, frame, worker)
    return None


def own_worker(scene: Scene) -> tuple[Side, Side, Frame] | None:
    """A worker that code of the same package started and left running, who meets it, where it began.

    The function that started it is not on the other's stack: whether the two are meant to run beside
    each other (a lock is missing) or one after the other (a wait is missing) does not show.
    """
    for worker, other in scene.both if scene.go else ():
        if not worker.is_worker or other.is_worker or other.site is None:
            continue
        started = worker.creator
        if started is None or started.package != other.site.package:
            continue
        name = scene.parent(started.function)
        if name not in [scene.parent(f.function) for f in other.true if f.origin is Origin.USER]:
            return worker, other, started
    return None


def by_timer(scene: Scene) -> Side | None:
    """The side that a timer runs, if the other is none."""
    for side, other in scene.both if scene.go else ():
        # who runs a timer's function stands where its goroutine begins
        ends = [f.function for f in (*side.access.stack[-2:], *side.actor.created_at[:2])]
        if "time.goFunc" in ends and not other.shows("time.goFunc"):
            return side
    return None


def is_background(side: Side) -> bool:
    """Was it started by the program itself, to work beside others?"""
    return side.is_worker or (side.actor.state is State.FINISHED and not side.is_test)


def _named(side: Side, vocabulary: frozenset[str]) -> Frame | None:
    """The frame near the site whose name says that it ends or renews something."""
    for frame, name, told in side.named:
        if told[0] in vocabulary or ("_" in name and told[-1] in vocabulary) or name[:1] == "~":
            return frame
    return None


def called(owner: Side, named: str) -> str:
    """Which name says so: that of the function that writes, or of one that led to it."""
    return ", and by its name" if short(owner.name) == named else f": `{named}`"


def kin(scene: Scene, found: Ending) -> Frame | None:
    """Where the type or package whose thing is ended started the worker, if it did."""
    ender = owner(scene.parent(found.frame.function))
    for frame in found.worker.actor.created_at:
        if frame.origin is not Origin.USER or frame.stale or is_test_file(frame.file):
            continue
        same = frame.package and frame.package == found.frame.package
        if same or (ender and owner(scene.parent(frame.function)) == ender):
            return frame
    return None


def common(scene: Scene, found: Ending) -> Frame | None:
    """The function that started the worker, some time ago, and now leads to the renewal."""
    now = {scene.parent(f.function) for f in found.owner.true if f.origin is Origin.USER}
    for frame in found.worker.actor.created_at:
        if frame.origin is not Origin.USER or frame.stale or is_test_file(frame.file):
            continue
        name = scene.parent(frame.function)
        if name in now and last(name) != "main":
            return frame
    return None
