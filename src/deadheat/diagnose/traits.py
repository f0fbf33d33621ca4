"""What a report has at a glance, so that a rule which cannot find anything in it is not asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deadheat.model import Op

if TYPE_CHECKING:
    from deadheat.diagnose.scene import Scene

ALWAYS = 1  # every report has it
SOURCE = 2  # the code is at hand
ABOVE = 4  # a side has frames above the program's own
ONE_FUNCTION = 8  # both sites were written in one function
LOCKS = 16  # the detector tells of a lock that is held
ATOMIC = 32  # a side is atomic, by the detector's word
FREES = 64  # a side gives the memory back
CREATOR = 128  # a function that started one side is on the stack of the other
KIND = 256  # the detector calls it something else than a data race
PLACE = 512  # the detector tells where the memory lies
TEST = 1024  # a test is named
CLOSES, PANICS, DEFERS, TIMER = 2048, 4096, 8192, 16384

_SHOWN = {
    "runtime.closechan": CLOSES,
    "runtime.gopanic": PANICS,
    "runtime.deferreturn": DEFERS,
    "time.goFunc": TIMER,
}
_OPS = {Op.ATOMIC_READ: ATOMIC, Op.ATOMIC_WRITE: ATOMIC, Op.FREE: FREES}


def traits(scene: Scene) -> int:
    """The traits of a scene, added up."""
    report = scene.report
    found = ALWAYS
    if scene.source is not None:
        found |= SOURCE
    if report.kind != "data-race":
        found |= KIND
    if report.location is not None:
        found |= PLACE
    if report.test:
        found |= TEST
    shown: set[str] = set()
    stacks, origins = [], []
    for side in scene.sides:
        stack = {frame.function for frame in side.access.stack}
        origin = {frame.function for frame in side.actor.created_at}
        stacks.append(stack)
        origins.append(origin)
        shown |= stack
        shown |= origin
        if side.inner:
            found |= ABOVE
        if side.access.locks:
            found |= LOCKS
        found |= _OPS.get(side.access.op, 0)
    for name, trait in _SHOWN.items():
        if name in shown:
            found |= trait
    if len(scene.sides) > 1:
        if not stacks[0].isdisjoint(origins[1]) or not stacks[1].isdisjoint(origins[0]):
            found |= CREATOR
        if scene.sides[0].name == scene.sides[1].name:
            found |= ONE_FUNCTION
    return found
