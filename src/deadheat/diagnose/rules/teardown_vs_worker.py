"""A teardown does not wait for the worker.

## What it sees

One side writes in a teardown function (`Close`, `Stop`, `Shutdown`, `~Class`), the other is a
goroutine or thread that still uses the object. Confidence is higher if the same type or package
started it. Or the teardown destroys a lock or condition that is still in use
(`pthread_cond_destroy`). Not if one element is removed (`drop`, `unsubscribe`) and the other side
is a method of the same type.

With source also:

- The teardown only reads what the worker writes, and has not joined it yet.
- A function of any name takes something away and joins the worker afterwards, closes a channel that
  the worker waits on, or stores `nil` where no other code stores anything.
- In C and C++ not if it sets the flag that the worker polls and then joins it: that flag needs an
  atomic.

A worker that the teardown started itself is part of the teardown. With any names: a file or
connection that the library closes on one side (`exec.(*Cmd).Wait` closes its pipes) and uses on the
other.

## Why it races

The teardown takes away what the worker still uses: a field is set to nil, a flag is set, a
connection is closed. A stop signal does not wait for the stop.

## Example

    func (c *Courier) Stop() { c.conn = nil }    // run() still uses c.conn

## Remedy

Signal the worker to stop (close a channel, cancel a context), wait for it (`wg.Wait`, `<-done`),
and only then release its resources.

## When it is wrong

A method called `Close` that is no teardown, such as one that closes accounts. A flag that only
signals "stop" needs an atomic, not a wait.
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
_NEAR = 3  # frames from the site outwards that may be the teardown


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
        f"{called(owner, name)} is a teardown"
        if by_name
        else f"; `{name}` does not wait for the worker first"
    )
    evidence = [
        owner.told(f"{owner.does}{ends}"),
        worker.told(f"{worker.does} in a worker ({worker.actor.id}) that still uses it"),
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
        f"Let `{name}` signal the worker to stop and wait for it ({how}) before it accesses"
        f" {scene.what}."
    )
    confidence = STRONG if kin(scene, found) else FAIR + 0.05
    if scene.source is None and scene.go and owner.writes and gone_on(scene):
        confidence = (
            FAIR - 0.1
        )  # the starter writes and may have stopped waiting for the worker
    if not by_name:
        confidence = LIKELY + 0.05  # by its code, not by its name
    if scene.source and not scene.go and owner.is_worker and not kin(scene, found):
        confidence = WEAK  # two unrelated workers: the name may mean another object
    if scene.source and _siblings(found):
        confidence = WEAK  # one function started both: neither owns the other
    if scene.source and tells(scene, found) and _joined(scene, found):
        confidence = WEAK  # only the stop flag is unsafe: nothing ends too early
    return Hit(confidence, tuple(evidence), change, tuple(where))


def _removes(scene: Scene, found: Ending) -> bool:
    """Return whether one element is removed: `(*bus).unsubscribe` against `(*bus).publish`."""
    name, here = scene.parent(found.frame.function), found.owner.here
    kind = owner_of(name)
    if "(" not in kind or kind != found.worker.owner or not REMOVING.intersection(words(name)[:1]):
        return False
    many = scene.shared is not None and scene.shared.type.startswith(("[", "map["))
    return here is None or many or any(use.element for use in here.uses)


def _starts_it(scene: Scene, found: Ending) -> bool:
    """Return whether the teardown started the worker itself."""
    name = scene.parent(found.frame.function)
    return any(scene.parent(f.function) == name for f in found.worker.actor.created_at)


def _siblings(found: Ending) -> bool:
    """Return whether one call of one function started both sides."""
    a, b = found.owner.creator, found.worker.creator
    if a is None or b is None or not found.owner.is_worker:
        return False
    return (a.function, a.file) == (b.function, b.file)


def _of_its_own(scene: Scene, found: Ending) -> bool:
    """Return whether a class frees, in its destructor or teardown method, what its worker uses."""
    if "~" in found.owner.name:
        return kin(scene, found) is not None
    kind = owner_of(scene.parent(found.frame.function))
    return any(owner_of(scene.parent(f.function)) == kind != "" for f in found.worker.frames)


def _joins(scene: Scene) -> Ending | None:
    """Match a function of any name that takes something away before it joins the worker.

    Not the starter of the worker, and not a store to a stop flag.
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
    """Return whether it stores null where only the worker's starter ever stores anything else."""
    here, site, shared = ender.here, ender.site, scene.shared
    if here is None or site is None or scene.source is None or shared is None:
        return False
    set_ = _CLEARS.search(here.text)
    if set_ is None or set_[1] != shared.name or not shared.owner:
        return False
    maker = scene.around(worker.creator) if worker.creator else None
    return scene.source.only_cleared(shared.name, site, maker)


def _stops(seen: Around, worker: Side) -> bool:
    """Return whether it signals a stop: `s.cancel()`, `close(s.quit)`, `t_.request_stop()`.

    A channel of any name that the worker waits on counts too.
    """
    heard = {name for _, way in worker.way for name in way.awaits}
    return any(
        c.name in _CANCELS
        or (c.name == "close" and (_QUIT.search(c.arguments) or _last(c.arguments) in heard))
        for c in seen.calls
        if not c.deferred and c.depth == len(seen.closures)
    )


def _last(name: str) -> str:
    """Return `quit` for `s.quit`."""
    return name.rpartition(".")[2]


def _began(scene: Scene, worker: Side, seen: Around) -> bool:
    """Return whether this function started the worker, directly or in a callee."""
    began = [scene.around(f) for f in worker.created if f.origin is Origin.USER][:_NEAR]
    return any(one and (one.path, one.first) == (seen.path, seen.first) for one in began)


def _reads(scene: Scene) -> Ending | None:
    """Match a teardown that reads what its own worker still writes, and has not joined it."""
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
    """Return whether a method of the same type on the call chain has received something before."""
    kind = ender.here.receiver if ender.here else ""
    ways = [seen for _, seen in ender.way[1:_NEAR] if seen.receiver == kind != ""]
    return any(seen.branch or any(n <= seen.line for n in seen.receives) for seen in ways)


def _own(scene: Scene, found: Ending) -> bool:
    """Return whether the worker belongs to the type that is torn down."""
    if not scene.go:
        return kin(scene, found) is not None
    kind = owner_of(scene.parent(found.frame.function))
    ways = (*found.worker.frames, found.worker.creator)
    return "(" in kind and any(f and owner_of(scene.parent(f.function)) == kind for f in ways)


def _joined(scene: Scene, found: Ending) -> bool:
    """Return whether the worker is joined afterwards: there, in a caller or in the destructor."""
    for frame in (found.frame, *found.owner.frames):
        seen = scene.around(frame)
        if seen and any(c.line >= seen.line for c in calls_to(scene, seen, frame, JOINS)):
            return True
    *_, kind, _ = ["", "", *scene.parent(found.frame.function).split("::")]
    last = scene.defined(f"~{kind}", found.frame, kind) if kind else None
    return last is not None and any(c.name in JOINS for c in last.calls)


def _descriptor(scene: Scene) -> Hit | None:
    """Match a file descriptor, as named by the detector, that is closed while a thread uses it."""
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
            "Close the descriptor only after its last use: join first, or use one lock for both."
        )
        return Hit(STRONG, evidence, change, (closes.point, other.point))
    return None


def _taken_apart(scene: Scene) -> Hit | None:
    """Match a lock or condition that is destroyed while another thread uses it."""
    for ends, other in scene.both:
        frame = destroys(ends)
        if frame is None or destroys(other):
            continue
        evidence = (
            ends.told(f"`{short(ends.name)}` destroys it: `{frame.function}`"),
            other.told(f"`{short(other.name)}` still uses it in {other.actor.id}"),
        )
        change = (
            "Join the thread, or wait for its end signal, before you destroy what it locks, waits on"
            " or signals."
        )
        return Hit(STRONG, evidence, change, (ends.point, other.point))
    return None


def _closed_inside(scene: Scene) -> Hit | None:
    """Match library frames that close a file in use: `cmd.Wait()` closes the pipe that is read."""
    for closes, other in scene.both if scene.go else ():
        ends, uses = closes.above(_CLOSE), other.above(_FILE)
        if ends is None or uses is None or other.above(_CLOSE):
            continue
        evidence = (
            closes.told(f"`{short(closes.name)}` closes it: `{ends.function}` is above it"),
            other.told(f"`{short(other.name)}` uses it at the same time: `{uses.function}`"),
        )
        change = "Wait for the user of the file before the call that closes it."
        return Hit(LIKELY + 0.05, evidence, change, (closes.point, other.point))
    return None


def _destructor(scene: Scene) -> Hit | None:
    """Match a virtual call during destruction: the detector saw the vptr change."""
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
    "The teardown waits for the current step of the worker.",
    when=ENDS | KIND | PLACE | SOURCE | ABOVE,
)
