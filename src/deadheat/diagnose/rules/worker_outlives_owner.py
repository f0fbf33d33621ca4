"""A worker outlives what it works for.

## What it sees

One side makes an object ready for its next use (`Reset…`, `Init…`, `Clear…`: the next statement,
request or round), the other is a worker of the last one, in a goroutine of its own that may have
finished since; or memory was freed while a thread still used it (one that has just given up its hold
atomically lacks an order: `mixed-atomic`); or, from a report alone, a function that is not called like
one that starts something (`Compact`, not `Start`; `Run` if the goroutine is all that it does) has left
a goroutine of its own behind, which writes what is read after it, there or by who called it; or the
function that started the worker has gone on to what reads its work. With source also: a function had
the worker started, called `Close`, `Stop` or `cancel` on its owner, and went on without a wait, or to
start the next one on the same thing; or who started it stopped waiting when the time was over
(`<-time.After`, `wait_for`, `sem_timedwait`), or detached it and only slept, there or in what it calls
to wait, or before it returned, and then its work is used; or it returns, say with an error, above the
line that waits; or it is above the line of the start again, in its next round (from a report alone
that is as well a pool's object or an array: `unknown`).

## Why it races

Nothing waited for the worker before its object was used again. It reads and writes what already
belongs to somebody else.

## Example

    func (s *Session) Execute(q string) {
        s.stmt.Reset(q)             // the worker of the last statement still has &s.stmt
        go worker.Evaluate(&s.stmt)
    }

## Remedy

Wait for the worker (`WaitGroup`, or a `Close` that joins) before the object is reset; or give every
statement an object of its own.

## When it is wrong

An object that is reset on purpose while it is in use, such as a counter: then a lock is missing. So it
is where one type's methods meet, and who had the worker started is further down in the same call. A call
like an end that is about something else (`store.DeletePrefix(ctx, …)`) ends no worker: it must be about
a variable that the call which had it started is about, too. The `init` of a package makes nothing ready,
and what the main goroutine makes (`NewStation`, `initGauge`) is no next use. `Init` may as well be the
first use: unless it is who started the worker that comes to it, it is told, but not first.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from deadheat.diagnose.atomics import hands_over
from deadheat.diagnose.early import given_away, left_early, only_told
from deadheat.diagnose.ended import ended_between, is_gone, replaced
from deadheat.diagnose.finding import Evidence
from deadheat.diagnose.indirect import made_by_main
from deadheat.diagnose.leaving import left_behind, used_again
from deadheat.diagnose.lifetime import called, common, ending, in_place
from deadheat.diagnose.lifetime import named as is_called
from deadheat.diagnose.naming import owner as owner_of
from deadheat.diagnose.naming import short, words
from deadheat.diagnose.rounds import in_turn, next_round
from deadheat.diagnose.rule import EVEN, FAIR, LIKELY, STRONG, WEAK, Hit, Rule
from deadheat.diagnose.side import point
from deadheat.diagnose.traits import ENDS, FREES, SOURCE, STARTER, WORKER
from deadheat.diagnose.unawaited import not_awaited, returned
from deadheat.diagnose.vocabulary import ENDING, RENEWING
from deadheat.model import Op, State

if TYPE_CHECKING:
    from deadheat.diagnose.leaving import Left
    from deadheat.diagnose.lifetime import Ending
    from deadheat.diagnose.scene import Scene
    from deadheat.diagnose.side import Side
    from deadheat.model import Frame

# "std::vector<int>::_M_realloc_insert", "std::__cxx11::basic_string<char>::_M_mutate"; no destructor
_LIBRARY = re.compile(r"^(?:void )?std::(?!.{0,300}~).{0,300}::_M_|^std::_Hashtable")

# what a thing is called to be made ready by, for the first time or again
_ANY_USE = frozenset(("init", "initialize"))


def _find(scene: Scene) -> Hit | None:
    if freed := _freed(scene):
        return freed
    ended = ended_between(scene) or replaced(scene)
    ended = ended or _left_behind(scene) or _used_again(scene)
    if ended := ended or _given_away(scene):
        return ended
    found = ending(scene, RENEWING)
    if found is None:
        return _next_round(scene) or returned(scene) or not_awaited(scene)
    if scene.source and _same_call(found):
        return None
    if _of_one_start(found) or in_turn(scene, found.owner, found.worker) or made_by_main(scene):
        return None  # one object after another is made ready, or all of them, for the first time
    worker, owner = found.worker, found.owner
    named = short(scene.parent(found.frame.function))
    evidence = [
        owner.told(f"{owner.does}{called(owner, named)} makes the object ready for its next use"),
        worker.told(f"{worker.does} in a worker ({worker.actor.id}) of the last use"),
    ]
    if worker.creator:
        started = point(worker.creator)
        told = f"the worker was started in `{worker.creator.function}`"
        evidence.append(Evidence(told, started))
    if worker.actor.state is State.FINISHED:
        evidence.append(
            worker.told(f"{worker.actor.id} has finished since, but nothing waited for it")
        )
    change = (
        f"Wait for the worker before `{named}` reuses its object, or give every use an object of its"
        " own instead of resetting the old one."
    )
    where = tuple(p for p in (worker.creator and point(worker.creator), owner.point) if p)
    again = common(scene, found)
    beside = in_place(found, again)
    if again and not beside:
        told = f"`{again.function}` started the worker and now leads to `{named}`: the next round"
        evidence.append(Evidence(told, point(again)))
    # C and C++ reset counters under load; a Go method of that name is called between two uses
    confidence = STRONG if again else FAIR + 0.05 if scene.go else FAIR - 0.1
    if beside and (again or scene.source is None):
        confidence = WEAK  # a count that is set to zero: a lock may be all that is missing
    if not again and _ANY_USE.intersection(words(named)[:1]):
        confidence = WEAK  # it may well be the first use, that somebody did not wait for
    return Hit(confidence, tuple(evidence), change, where)


def _of_one_start(found: Ending) -> bool:
    """Did one call of a function start both, and first who makes it ready? Then it is the first use."""
    if not found.owner.is_worker:
        return False
    began = {(f.function, f.file): f.line or 0 for f in found.owner.created}
    return any(
        began.get((f.function, f.file), f.line or 0) < (f.line or 0) for f in found.worker.created
    )


def _same_call(found: Ending) -> bool:
    """Is who makes the object ready the very function that started the worker, further down?"""
    frame = found.frame
    return any(
        (f.function, f.file) == (frame.function, frame.file) and (f.line or 0) < (frame.line or 0)
        for f in found.worker.created
    )


def _next_round(scene: Scene) -> Hit | None:
    """A function is above the line on which it started the worker: it has been called again."""
    found = next_round(scene)
    if found is None:
        return None
    owner, worker, started, now = found
    named = short(scene.parent(now.function))
    evidence = (
        worker.told(f"{worker.does} in a worker ({worker.actor.id})"),
        Evidence(f"`{named}` started it", point(started)),
        Evidence(f"and is above that line: {_how(owner, started)}", point(now)),
    )
    change = f"Wait for the last worker before `{named}` goes on, or give each its own object."
    # without source it is as well an object of a pool, or an array that is filled anew
    sure = LIKELY if scene.source else EVEN
    where = (point(started), point(now))
    return Hit(sure, evidence, change, where, from_source=scene.source is not None)


def _how(owner: Side, started: Frame) -> str:
    """How a function gets back above the line on which it started something."""
    loops = owner.here.loops if owner.here else ()
    again = any(first <= (started.line or 0) <= last for first, last in loops)
    return "its loop has gone on" if again else "it has been called again"


def _left_behind(scene: Scene) -> Hit | None:
    """Who started the worker gave up waiting for it, only slept or only told it to end."""
    found = left_behind(scene)
    if found is None or _is_its_own(scene, found.started, found.why):
        found = left_early(scene) or only_told(scene)
    if found is None or _comes_before(scene, found):
        return None
    other = found.other
    named = short(scene.parent(found.started.function))
    used = Evidence(f"{other.does}: nothing has waited for the worker to end", other.point)
    change = (
        f"Wait for the worker before what it works on is used after `{named}`, or let it write to"
        " an object of its own that is handed over when it is done."
    )
    return _used(found, named, used, change)


def _comes_before(scene: Scene, found: Left) -> bool:
    """Does it look on while it still waits? Who gave up had left for good."""
    began, line = found.started, (found.why.at.line if found.why.at else None) or 0
    now = next((f for f in found.other.frames if f[:3] == began[:3]), None)
    seen = scene.around(now) if now else None
    if now is None or seen is None or line <= (began.line or 0):
        return False
    return line < (now.line or 0) and is_gone(scene, now, seen, line)


def _given_away(scene: Scene) -> Hit | None:
    """A function waits, and gives back what a worker of it still works on: not for all, or too short."""
    found = given_away(scene)
    if found is None:
        return None
    other = found.other
    named = short(scene.parent(found.started.function))
    used = other.told(f"{other.does} what `{named}` has given back")
    change = f"Let `{named}` wait for every worker that it has started, or give back a copy."
    return _used(found, named, used, change)


def _used(found: Left, named: str, used: Evidence, change: str) -> Hit:
    """A worker that `named` started still works on what somebody uses."""
    worker, other, started, why = found
    evidence = (
        worker.told(f"{worker.does} in a worker ({worker.actor.id})"),
        Evidence(f"`{named}` started it", point(started)),
        why,
        used,
    )
    return Hit(LIKELY + 0.05, evidence, change, (point(started), other.point), from_source=True)


def _is_its_own(scene: Scene, started: Frame, why: Evidence) -> bool:
    """Does the wait lie in the worker itself? `go func() { … case <-tick.C: … }()` gives nothing up."""
    seen, line = scene.around(started), (why.at.line if why.at else None) or 0
    starts = seen.starts if seen else ()
    return any(s.line == started.line and s.line < line <= s.last for s in starts)


def _used_again(scene: Scene) -> Hit | None:
    """An object is filled, lent to a worker, and filled again without a wait for the worker."""
    found = used_again(scene)
    if found is None:
        return None
    worker, now, began = found
    evidence = (
        worker.told(f"{worker.does} in a worker ({worker.actor.id})"),
        Evidence(
            f"`{short(scene.parent(began.function))}` had filled it, and started it", point(began)
        ),
        Evidence("and fills it again, for its next use, without a wait", point(now)),
    )
    change = (
        "Join the worker before its object is used again, or give each worker an object of its own."
    )
    return Hit(LIKELY + 0.05, evidence, change, (point(began), point(now)), from_source=True)


def _freed(scene: Scene) -> Hit | None:
    """The detector says that one side gave the memory back."""
    for owner, worker in scene.both:
        if owner.access.op is not Op.FREE or any(_LIBRARY.search(f.function) for f in owner.inner):
            continue  # a container of the library moves its elements: nothing has ended
        ends = "~" in owner.name or (scene.source and is_called(owner, ENDING))
        if scene.source and ends and _runs(scene, worker, owner.owner):
            continue  # the destructor, or the end, of the very class that the worker runs in
        evidence = (
            owner.told(f"{owner.does} the memory"),
            worker.told(f"{_does_it(worker)} in {worker.actor.id}"),
        )
        change = (
            "Join the thread before its memory is freed, or share ownership by counting references."
        )
        # who gives up its hold atomically works on it no more: that it is not ordered says another rule
        sure = EVEN if hands_over(worker) else STRONG
        return Hit(sure, evidence, change, (owner.point, worker.point))
    return None


def _does_it(side: Side) -> str:
    """`spin` writes it atomically."""
    plain = side.does.removesuffix(" atomically")
    return f"{plain} it{side.does[len(plain) :]}"


def _runs(scene: Scene, worker: Side, kind: str) -> bool:
    """Is a method of that class on the worker's stack?"""
    return bool(kind) and any(owner_of(scene.parent(f.function)) == kind for f in worker.frames)


RULE = Rule(
    "worker-outlives-owner",
    "lifetime",
    _find,
    "a join before reuse (sync.WaitGroup), or an object per use",
    "The next use waits for the last worker; or an allocation per use.",
    when=STARTER | ENDS | FREES | WORKER | SOURCE,
)
