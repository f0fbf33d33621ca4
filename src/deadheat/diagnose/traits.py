"""Features of a report that are cheap to compute. A rule that needs a missing one is not run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from deadheat.diagnose import depth
from deadheat.diagnose.fresh import made_below
from deadheat.diagnose.guessing import verb
from deadheat.diagnose.lifetime import GoneOn, is_timed
from deadheat.diagnose.naming import is_same, is_test_file, last, of_value, words
from deadheat.diagnose.rounds import Round
from deadheat.diagnose.scene import calls_between
from deadheat.diagnose.side import NAMED
from deadheat.diagnose.vocabulary import (
    ANNOUNCING,
    DOING,
    EITHER,
    ENDING,
    GROWING,
    KEYED,
    MAKING,
    RENEWING,
    STARTING,
    WAITING,
    WALKING,
)
from deadheat.model import Op, Origin

if TYPE_CHECKING:
    from deadheat.diagnose.scene import Scene
    from deadheat.diagnose.side import Side

ALWAYS = 1  # every report has it
SOURCE = 2  # the code is available
ABOVE = 4  # a side has frames above user code
ONE_FUNCTION = 8  # both sites are in one function of the source
LOCKS = 16  # the detector reports a held lock
ATOMIC = 32  # the detector reports an atomic access
FREES = 64  # a side frees the memory
CREATOR = 128  # a function that started one side is on the stack of the other
ITSELF = 1073741824  # the function of one site started the other side
STARTER = 536870912  # as STARTER_ON_STACK, by user code outside of tests
KIND = 256  # the kind is not `data-race`
PLACE = 512  # the detector reports the memory location
TEST = 1024  # a test is named, and an access names one or the code may show one
TESTS = 2048  # both sides run in goroutines of tests
ENDS = 4096  # a writing function may be named like a teardown or renewal
# by a frame of the runtime or standard library
CLOSES, PANICS, DEFERS, TIMER, SORTS = 8192, 16384, 32768, 65536, 131072
MEMBERS = 262144  # both sites are in C++ classes or namespaces
FILLS = 524288  # a writing function is named like one that fills a container
MAKES = 67108864  # a writing function is named like one that creates an object
LOCKED = 33554432  # a function is named as if its caller held the lock
CALLS = 16777216  # a call lies between the read and the write of one line
CALLER = 8388608  # the reader, or its caller, called the writer, which creates an object
WORKER = 4194304  # the writer's starter seems to be done when it returns
VALUE = 1048576  # a writing function is a method with a value receiver
BELOW = 268435456  # the reading function called the writing function
WALKS = 134217728  # a function is named like one that iterates a container or notifies all in it
DEEP = 2147483648  # the write is deep enough in its function for a lock before it
WAITS = 2097152  # a function is named like one that waits or returns a result

_SHOWN = {
    "runtime.closechan": CLOSES,
    "runtime.recvDirect": CLOSES,  # inlined into it
    "runtime.gopanic": PANICS,
    "runtime.deferreturn": DEFERS,
    "time.goFunc": TIMER,
}
_FILLING: frozenset[str] = GROWING | KEYED
_STARTING: frozenset[str] = (STARTING | EITHER) - DOING
_WALKING: frozenset[str] = WALKING | ANNOUNCING
_ENDING: frozenset[str] = ENDING | RENEWING
# features of recent bare names
_known: Final[dict[str, int]] = {}
_MOST_KNOWN: Final = 1 << 12
_SORTS = ("sort.", "slices.", "heap.")
_RUN = "testing.(*T).Run"
_OPS = {Op.ATOMIC_READ: ATOMIC, Op.ATOMIC_WRITE: ATOMIC, Op.FREE: FREES}


def traits(scene: Scene) -> int:
    """The features of a report, as a bit set."""
    report = scene.report
    found = ALWAYS
    if scene.source is not None:
        found |= SOURCE
    if report.kind != "data-race":
        found |= KIND
    if report.location is not None:
        found |= PLACE
    if report.test and (scene.source is not None or any(a.test for a in report.accesses)):
        found |= TEST
    if report.facts and calls_between(report):
        found |= CALLS
    for side in scene.sides:
        found |= _side(side)
    if len(scene.sides) > 1:
        a, b = scene.sides
        if a.name == b.name or is_same(a.name, b.name):
            found |= ONE_FUNCTION
        if "::" in a.name and "::" in b.name:
            found |= MEMBERS
        if a.writes != b.writes:
            found |= _one_writes(*((a, b) if a.writes else (b, a)))
        found |= _creations(a, b)
    scene.memo["timer"] = bool(found & TIMER)
    if not found & STARTER:
        scene.memo[GoneOn] = None
        if scene.source is None:
            scene.memo[Round] = None
    return found


def _side(side: Side) -> int:
    found = _OPS.get(side.access.op, 0)
    if side.access.locks:
        found |= LOCKS
    called = _called(side.name)
    if side.locked is not None:
        found |= LOCKED
    if side.true and side.true[0].origin is not Origin.USER:
        found |= ABOVE
    for name in [f.function for f in side.true if f.origin is not Origin.USER]:
        found |= SORTS if name.startswith(_SORTS) else _SHOWN.get(name, 0)
    if not side.site or "." not in side.site.function:
        for frame in side.frames:
            found |= TIMER if is_timed(side.written(frame)) else 0
    found |= called & (WAITS | WALKS)
    if side.writes or side.access.op is Op.UNKNOWN:
        found |= called
        for frame in side.frames[:NAMED]:
            bare = frame.function.rpartition(".")[2]
            # a name of letters only is not a closure or wrapper
            if not bare.isalpha() or bare.endswith("fm"):
                bare = last(side.written(frame))
            if _may_end(bare):
                return found | ENDS
    return found


def _one_writes(writer: Side, reader: Side) -> int:
    found = DEEP if depth.may_be_locked(writer) else 0
    if writer.is_worker and not reader.is_worker and (started := writer.creator):
        found |= WORKER if _may_return(writer.written(started)) else 0
    if writer.site == reader.site and depth.calls_between(reader, writer):
        found |= CALLS
    above = writer.frames[1:2]
    if above and reader.site and above[0].function == reader.site.function:
        found |= BELOW
    if writer.scene.go and made_below(writer, reader):
        found |= CALLER
    elif _called(writer.name) & MAKES:
        near = [reader.written(f) for f in reader.frames[:2]]
        if any(writer.written(f) in near for f in writer.frames[1:NAMED]):
            found |= CALLER
    return found


def _may_return(name: str) -> bool:
    """Does its name not say that it starts something that continues after it returns?"""
    told = words(name)
    return not told or told[0] not in _STARTING


def _called(name: str) -> int:
    """The features that follow from the name of the function that contains a site."""
    bare = last(name)
    found = _known.get(bare, -1)
    if found < 0:
        if len(_known) >= _MOST_KNOWN:
            _known.clear()
        _known[bare] = found = _told(bare)
    return found | VALUE if words(bare) and of_value(name) else found


def _told(bare: str) -> int:
    told = words(bare)
    if not told:
        return 0
    found = WAITS if told[0] in WAITING else 0
    found |= FILLS if told[0] in _FILLING else 0
    found |= WALKS if told[0] in _WALKING else 0
    return found | MAKES if verb(bare) in MAKING else found


def _may_end(bare: str) -> bool:
    """Is it named like a teardown or renewal? Names with an underscore or tilde may be."""
    if not bare.isalnum():
        return True
    told = words(bare)
    return bool(told) and told[0] in _ENDING


def _creations(a: Side, b: Side) -> int:
    found, tests = 0, 0
    for side, other in ((a, b), (b, a)):
        stack = {frame.function for frame in other.access.stack}
        created = side.actor.created_at
        for frame in created:
            name = frame.function
            if name in stack:
                found |= CREATOR
                if other.site is not None and name == other.site.function:
                    found |= ITSELF
                if frame.origin is Origin.USER and not is_test_file(frame.file):
                    found |= STARTER
            elif name == "time.goFunc":
                found |= TIMER
        tests += any(_RUN in frame.function for frame in created[:2])
    return found | TESTS if tests > 1 else found
