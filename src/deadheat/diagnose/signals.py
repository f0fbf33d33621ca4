"""Races on a wait group or channel itself, which no lock orders."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from deadheat.diagnose.scene import Scene
    from deadheat.diagnose.side import Side
    from deadheat.diagnose.source import Call

# "runtime.racewrite", "race.Write", "sync.(*WaitGroup).Wait": how the race detector models them
_WAIT = re.compile(r"^runtime\.racewrite$|^race\.Write$|^sync\.\(\*WaitGroup\)\.Wait$")
_ADD = re.compile(r"^runtime\.raceread$|^race\.Read$|^sync\.\(\*WaitGroup\)\.(?:Add|Done|Go)$")
_GROUP = re.compile(
    r"^runtime\.race(?:read|write)$|^race\.(?:Read|Write)$|^sync\.\(\*WaitGroup\)\."
)
# "runtime.recvDirect": on some systems the name of code inlined into closechan
_CLOSES = ("runtime.closechan", "runtime.recvDirect")
# "close(q.out)": a line with nothing else writes only the channel
_ONLY_CLOSES = re.compile(r"(?:defer )?close\([\w.]{1,200}\)\s{0,9}(?://.*)?$")
# "runtime.chansend1", "runtime.selectnbsend"
_SEND = re.compile(r"^runtime\.(?:chansend|selectnbsend|selectgo|racereadpc|raceReadObjectPC)")
# "out <- x", "case q.out <- x:"
_SENDS = re.compile(r"[\w\])]\s*<-\s*\S")


def is_one(scene: Scene) -> bool:
    """Is the raced object a wait group or channel, not something stored in or near it?"""
    if not _may_tell(scene):
        return False
    if any(side.above(_GROUP) or closes(side) for side in scene.sides):
        return True
    return group(scene) is not None


def _may_tell(scene: Scene) -> bool:
    """Is there a frame above a site, or the code of its line?"""
    return scene.go and (scene.source is not None or any(side.inner for side in scene.sides))


def adds(side: Side) -> bool:
    """Does the report show that it adds to a wait group?"""
    return side.above(_ADD) is not None


def group(scene: Scene) -> tuple[Side, Side] | None:
    """The side that adds to a wait group and the side that waits, by frames or by both lines."""
    for adder, waiter in scene.both if _may_tell(scene) else ():
        if adds(adder) and waiter.above(_WAIT) and not adder.above(_WAIT):
            return adder, waiter
        if not adder.writes and waiter.writes and _meet(scene, adder, waiter):
            return adder, waiter
    return None


def _meet(scene: Scene, adder: Side, waiter: Side) -> bool:
    """`p.wg.Add(1)` reads and `p.wg.Wait()` writes: only the group itself is accessed like that."""
    added, waited = _called(adder, ("Add", "Go")), _called(waiter, ("Wait",))
    if added is None or waited is None:
        return False
    name = added.on.rpartition(".")[2]
    if name != waited.on.rpartition(".")[2]:
        return False
    shared = scene.shared
    told = shared.type if shared and shared.name == name else ""
    return not told or "WaitGroup" in told


def _called(side: Side, names: tuple[str, ...]) -> Call | None:
    """The call on a side's line with one of these names, if no frame is above the line."""
    here = side.here if not side.inner else None
    calls = here.calls if here else ()
    return next((c for c in calls if here and c.line == here.line and c.name in names), None)


def closes(side: Side) -> bool:
    """Does it close a channel: by a frame, or because its line does nothing else?"""
    if side.shows(*_CLOSES):
        return True
    here = side.here if side.writes and not side.inner else None
    return here is not None and _ONLY_CLOSES.match(here.text) is not None


def sends(side: Side) -> bool:
    """Does it send on a channel: by a frame, by its line, or in the select that its line begins?"""
    here = side.here
    if side.above(_SEND):
        return True
    if here is None:
        return False
    selects = here.text.startswith("select") and any(line > here.line for line in here.sends)
    return selects or _SENDS.search(here.text) is not None
