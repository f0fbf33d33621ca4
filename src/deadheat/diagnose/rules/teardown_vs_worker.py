"""A teardown does not wait for the worker.

## What it sees

One side writes in a function that ends something (`Close`, `Stop`, `Shutdown`, `~Class`), the other
is a goroutine or thread that still works on it, the surer if the same type or package started it.

## Why it races

The teardown takes away what the worker still uses: a field is set to nil, a flag is set, a
connection is closed. A signal to stop is not a wait until it has stopped.

## Example

    func (c *Courier) Stop() { c.conn = nil }    // run() still uses c.conn

## Remedy

Tell the worker to stop (close a channel, cancel a context), wait for it (`wg.Wait`, `<-done`), and
only then take its things away.

## When it is wrong

A method that is called `Close` but ends nothing, such as one that closes accounts. A flag that only
says "stop" needs an atomic, not a wait.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from deadheat.diagnose.lifetime import called, ending, kin
from deadheat.diagnose.rule import FAIR, STRONG, Hit, Rule
from deadheat.diagnose.scene import point, short
from deadheat.diagnose.traits import ENDS, KIND, PLACE
from deadheat.diagnose.vocabulary import ENDING
from deadheat.model import Op

if TYPE_CHECKING:
    from deadheat.diagnose.scene import Scene


def _find(scene: Scene) -> Hit | None:
    if scene.report.kind == "data-race-on-vptr":
        return _destructor(scene)
    if closed := _descriptor(scene):
        return closed
    found = ending(scene, ENDING)
    if found is None or found.owner.access.op is Op.FREE:
        return None
    worker, owner = found.worker, found.owner
    named = short(scene.parent(found.frame.function))
    evidence = [
        owner.told(f"{owner.does}{called(owner, named)} ends it"),
        worker.told(f"{worker.does} in a worker ({worker.actor.id}) that still runs on it"),
    ]
    where = [owner.point]
    if worker.creator:
        where.append(point(worker.creator))
        told = worker.told(f"the worker was started in `{worker.creator.function}`")
        evidence.append(told._replace(at=where[-1]))
    if worker.shows("runtime.gopanic"):
        evidence.append(worker.told("the worker is on the recovery path of a panic"))
    change = (
        f"Let `{named}` tell the worker to stop and wait for it (WaitGroup, or a channel that it closes)"
        f" before it touches {scene.what}."
    )
    confidence = STRONG if kin(scene, found) else FAIR + 0.05
    return Hit(confidence, tuple(evidence), change, tuple(where))


def _descriptor(scene: Scene) -> Hit | None:
    """A file descriptor that is closed while another thread uses it: the detector says what it is."""
    place = scene.report.location
    if place is None or place.kind != "descriptor":
        return None
    for closes, other in scene.both:
        if closes.shows("close", "fclose", "shutdown") is None:
            continue
        evidence = (
            closes.told(f"`{short(closes.name)}` closes a descriptor"),
            other.told(f"`{short(other.name)}` uses it at the same time"),
        )
        change = (
            "Close the descriptor when nobody uses it any more: join first, or one lock for both."
        )
        return Hit(STRONG, evidence, change, (closes.point, other.point))
    return None


def _destructor(scene: Scene) -> Hit | None:
    """A virtual call while the object is destroyed: the detector saw its vptr change."""
    ends = next((s for s in scene.sides if s.writes and "~" in s.name), None)
    if ends is None:
        return None
    evidence = (ends.told(f"{ends.does} the object's vptr: it is being destroyed"),)
    change = "Join the thread before the destructor of the most derived class ends."
    return Hit(STRONG, evidence, change, (ends.point,))


RULE = Rule(
    "teardown-vs-worker",
    "lifetime",
    _find,
    "a stop signal and a join (context, sync.WaitGroup)",
    "The teardown takes as long as the worker's current step.",
    when=ENDS | KIND | PLACE,
)
