"""A teardown does not wait for the worker.

## What it sees

One side writes in a function that ends something (`Close`, `Stop`, `Shutdown`, `~Class`), the other is
a goroutine or thread that still works on it, the surer if the same type or package started it. Or it
takes a lock or a condition apart that the other still uses (`pthread_cond_destroy`). Not where one of
many is taken out (`drop`, `unsubscribe`) and the other side is a method of the same type. With source
also where the end only reads what the worker writes, and has not joined it yet; where a function of
any name takes something away and joins the worker only then, closes a channel that the worker waits
on, or puts `nil` where nobody else ever puts anything; and in C and C++ not where it sets the flag
that the worker asks, and joins it then: that flag lacks an atomic.

What an end has itself started is a part of the end. Whatever the functions are called: a file or a
connection that the library closes on one side (`exec.(*Cmd).Wait` closes its pipes), and uses on the
other.

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

import re
from typing import TYPE_CHECKING

from deadheat.diagnose.early import gave_up, waits
from deadheat.diagnose.finding import Evidence
from deadheat.diagnose.lifetime import Ending, called, ending, gone_on, kin, named, tells
from deadheat.diagnose.naming import is_test_file, short, words
from deadheat.diagnose.naming import owner as owner_of
from deadheat.diagnose.ordering import JOINS, calls_to
from deadheat.diagnose.rule import FAIR, LIKELY, STRONG, WEAK, Hit, Rule
from deadheat.diagnose.side import point
from deadheat.diagnose.taking_apart import destroys
from deadheat.diagnose.traits import ABOVE, ENDS, KIND, PLACE, SOURCE
from deadheat.diagnose.vocabulary import ENDING, REMOVING
from deadheat.model import Op, Origin

if TYPE_CHECKING:
    from deadheat.diagnose.scene import Scene
    from deadheat.diagnose.side import Side
    from deadheat.diagnose.source import Around

_CANCELS = frozenset(("cancel", "Cancel", "request_stop", "pthread_cancel"))
# "s.quit", "w.stop", "done", "k.closing"
_QUIT = re.compile(r"quit|stop|done|clos|exit|kill|halt|shut|off|end|cancel", re.IGNORECASE)
# "s.conn = nil", "s->conn = NULL;"
_CLEARS = re.compile(r"(?:\.|->)(\w{1,80}) = (?:nil|NULL|nullptr);?(?:$|\s)")
# "os.(*File).Close", "net.(*conn).Close", "os.(*file).close"
_FILES = r"^(?:os|net)\.\(\*(?:[Ff]ile|conn|netFD|(?:TCP|UDP|Unix|IP)\w{1,20})\)\."
_CLOSE = re.compile(rf"{_FILES}[Cc]lose$")
_FILE = re.compile(_FILES)
_NEAR = 3  # frames from the site outwards that may be the end's


def _find(scene: Scene) -> Hit | None:
    if scene.report.kind == "data-race-on-vptr":
        return _destructor(scene)
    if closed := _descriptor(scene) or _taken_apart(scene) or _closed_inside(scene):
        return closed
    found = ending(scene, ENDING)
    if found is None and scene.sourced:
        found = _reads(scene) or _joins(scene)
    if found is None or _removes(scene, found) or _starts_it(scene, found):
        return None
    own = bool(scene.source) and _of_its_own(scene, found)
    if found.owner.access.op is Op.FREE and not own:
        return None
    worker, owner = found.worker, found.owner
    name = short(scene.parent(found.frame.function))
    by_name = not scene.sourced or named(owner, ENDING) is not None
    ends = (
        f"{called(owner, name)} ends it"
        if by_name
        else f"; `{name}` does not wait for the worker first"
    )
    evidence = [
        owner.told(f"{owner.does}{ends}"),
        worker.told(f"{worker.does} in a worker ({worker.actor.id}) that still runs on it"),
    ]
    where = [owner.point]
    if worker.creator:
        where.append(point(worker.creator))
        started = f"the worker was started in `{worker.creator.function}`"
        evidence.append(Evidence(started, where[-1]))
    if worker.shows("runtime.gopanic"):
        evidence.append(worker.told("the worker is on the recovery path of a panic"))
    how = "WaitGroup, or a channel that it closes" if scene.go else "a join"
    change = (
        f"Let `{name}` tell the worker to stop and wait for it ({how}) before it touches"
        f" {scene.what}."
    )
    confidence = STRONG if kin(scene, found) else FAIR + 0.05
    if scene.source is None and scene.go and owner.writes and gone_on(scene):
        confidence = (
            FAIR - 0.1
        )  # who started the worker writes in its place, and may have given it up
    if not by_name:
        confidence = LIKELY + 0.05  # by what it does, and not by what it is called
    if scene.source and not scene.go and owner.is_worker and not kin(scene, found):
        confidence = WEAK  # two workers of somebody else's: by its name it may end anything
    if scene.source and _siblings(found):
        confidence = WEAK  # one function started both: neither is the other's owner
    if scene.source and tells(scene, found) and _joined(scene, found):
        confidence = WEAK  # it is the word to stop that is not safe to read: nothing ends too early
    return Hit(confidence, tuple(evidence), change, tuple(where))


def _removes(scene: Scene, found: Ending) -> bool:
    """`(*bus).unsubscribe` against `(*bus).publish`: is one of many taken out, and the whole kept?"""
    name, here = scene.parent(found.frame.function), found.owner.here
    kind = owner_of(name)
    if "(" not in kind or kind != found.worker.owner or not REMOVING.intersection(words(name)[:1]):
        return False
    many = scene.shared is not None and scene.shared.type.startswith(("[", "map["))
    return here is None or many or any(use.element for use in here.uses)


def _starts_it(scene: Scene, found: Ending) -> bool:
    """Did the end itself start the worker? Then that one is a part of the end, not what is ended."""
    name = scene.parent(found.frame.function)
    return any(scene.parent(f.function) == name for f in found.worker.actor.created_at)


def _siblings(found: Ending) -> bool:
    """Were both started by one call of one function?"""
    a, b = found.owner.creator, found.worker.creator
    if a is None or b is None or not found.owner.is_worker:
        return False
    return (a.function, a.file) == (b.function, b.file)


def _of_its_own(scene: Scene, found: Ending) -> bool:
    """Does a class give back, in its destructor or a method that ends it, what its worker uses?"""
    if "~" in found.owner.name:
        return kin(scene, found) is not None
    kind = owner_of(scene.parent(found.frame.function))
    return any(owner_of(scene.parent(f.function)) == kind != "" for f in found.worker.frames)


def _joins(scene: Scene) -> Ending | None:
    """Whatever it is called: a function takes something away, and joins the worker only then or never.

    Not the one that started it, and not where it is the word to stop that is given.
    """
    for ender, worker in scene.both:
        if not ender.writes or ender.is_worker or not worker.is_worker or ender.name == worker.name:
            continue
        for frame, seen in ender.way[:_NEAR]:
            found = Ending(ender, frame, worker)
            if seen.function == "main" or is_test_file(frame.file) or _began(scene, worker, seen):
                break
            joins = any(line > seen.line for line in waits(scene, frame, seen))
            if joins or _stops(seen, worker) or _takes_away(scene, ender, worker):
                return found if kin(scene, found) and not tells(scene, found) else None
    return None


def _takes_away(scene: Scene, ender: Side, worker: Side) -> bool:
    """Is nothing put there, and nothing else ever, but by who started the worker? It is gone then."""
    here, site, shared = ender.here, ender.site, scene.shared
    if here is None or site is None or scene.source is None or shared is None:
        return False
    set_ = _CLEARS.search(here.text)
    if set_ is None or set_[1] != shared.name or not shared.owner:
        return False
    maker = scene.around(worker.creator) if worker.creator else None
    return scene.source.only_cleared(shared.name, site, maker)


def _stops(seen: Around, worker: Side) -> bool:
    """Does it tell somebody to stop: `s.cancel()`, `close(s.quit)`, `t_.request_stop()`?

    Whatever it is called, a channel that the worker waits on is closed to tell it something.
    """
    heard = {name for _, way in worker.way for name in way.awaits}
    return any(
        c.name in _CANCELS
        or (c.name == "close" and (_QUIT.search(c.arguments) or _last(c.arguments) in heard))
        for c in seen.calls
        if not c.deferred and c.depth == len(seen.closures)
    )


def _last(name: str) -> str:
    """`quit` of `s.quit`."""
    return name.rpartition(".")[2]


def _began(scene: Scene, worker: Side, seen: Around) -> bool:
    """Did this very function start the worker, or have it started?"""
    began = [scene.around(f) for f in worker.created if f.origin is Origin.USER][:_NEAR]
    return any(one and (one.path, one.first) == (seen.path, seen.first) for one in began)


def _reads(scene: Scene) -> Ending | None:
    """An end that only looks: it works on what its own worker still writes, and has not joined it."""
    for ender, worker in scene.both:
        ends = "~" in ender.name or worker.writes
        if ender.writes or not ends or not worker.is_worker or ender.is_worker:
            continue
        frame = named(ender, ENDING) if ender.name != worker.name else None
        seen = scene.around(frame) if frame else None
        if frame is None or seen is None:
            continue
        found = Ending(ender, frame, worker)
        waits = [c.line for c in calls_to(scene, seen, frame, JOINS)]
        joined = any(line <= (frame.line or 0) for line in (*waits, *seen.receives))
        if _own(scene, found) and not joined and not _was_told(ender) and not gave_up(ender):
            return found
    return None


def _was_told(ender: Side) -> bool:
    """Has a method of the same type, on the way, received something before it led there?"""
    kind = ender.here.receiver if ender.here else ""
    ways = [seen for _, seen in ender.way[1:_NEAR] if seen.receiver == kind != ""]
    return any(seen.branch or any(n <= seen.line for n in seen.receives) for seen in ways)


def _own(scene: Scene, found: Ending) -> bool:
    """Is the worker one of the very type that ends?"""
    if not scene.go:
        return kin(scene, found) is not None
    kind = owner_of(scene.parent(found.frame.function))
    ways = (*found.worker.frames, found.worker.creator)
    return "(" in kind and any(f and owner_of(scene.parent(f.function)) == kind for f in ways)


def _joined(scene: Scene, found: Ending) -> bool:
    """Does who tells the worker to stop wait for it then, there, in a caller or in the destructor?"""
    for frame in (found.frame, *found.owner.frames):
        seen = scene.around(frame)
        if seen and any(c.line >= seen.line for c in calls_to(scene, seen, frame, JOINS)):
            return True
    *_, kind, _ = ["", "", *scene.parent(found.frame.function).split("::")]
    last = scene.defined(f"~{kind}", found.frame, kind) if kind else None
    return last is not None and any(c.name in JOINS for c in last.calls)


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


def _taken_apart(scene: Scene) -> Hit | None:
    """A lock or condition that is taken apart while another thread uses it, by the detector's word."""
    for ends, other in scene.both:
        frame = destroys(ends)
        if frame is None or destroys(other):
            continue
        evidence = (
            ends.told(f"`{short(ends.name)}` takes it apart: `{frame.function}`"),
            other.told(f"`{short(other.name)}` still uses it in {other.actor.id}"),
        )
        change = (
            "Join the thread, or wait until it has said that it is done, before what it locks, waits"
            " on or signals is destroyed."
        )
        return Hit(STRONG, evidence, change, (ends.point, other.point))
    return None


def _closed_inside(scene: Scene) -> Hit | None:
    """`cmd.Wait()` closes the pipe, by the library's own frames, from which another one still reads."""
    for closes, other in scene.both if scene.go else ():
        ends, uses = closes.above(_CLOSE), other.above(_FILE)
        if ends is None or uses is None or other.above(_CLOSE):
            continue
        evidence = (
            closes.told(f"`{short(closes.name)}` closes it: `{ends.function}` is above it"),
            other.told(f"`{short(other.name)}` uses it at the same time: `{uses.function}`"),
        )
        change = "Wait for who uses it before you call what closes it."
        return Hit(LIKELY + 0.05, evidence, change, (closes.point, other.point))
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
    when=ENDS | KIND | PLACE | SOURCE | ABOVE,
)
