"""A worker outlives its owner.

## What it sees

One of:

- One side prepares an object for its next use (`Reset…`, `Init…`, `Clear…`: the next statement,
  request or round), the other is a worker of the previous use, which may have finished since.
- Memory is freed while a thread still uses it. A thread that just released its reference atomically
  lacks an order (`mixed-atomic`).
- From a report alone: a function that is not named like a start (`Compact`, not `Start`; `Run` if
  it only runs the goroutine) left a goroutine behind, which writes what that function or its caller
  reads. Or the starter of the worker went on to code that reads its result.

With source also, a function that started the worker:

- calls `Close`, `Stop` or `cancel` on its owner and continues without a wait, or starts the next
  one.
- stops waiting after a timeout (`<-time.After`, `wait_for`, `sem_timedwait`), or detaches it and
  only sleeps, and then its result is used.
- returns, for instance with an error, above the line that waits.
- is above the line of the start again, in its next round (from a report alone that may also be a
  pooled object or an array: `unknown`).

## Why it races

Nothing waited for the worker before its object was used again. It reads and writes data of the next
user.

## Example

    func (s *Session) Execute(q string) {
        s.stmt.Reset(q)             // the worker of the last statement still has &s.stmt
        go worker.Evaluate(&s.stmt)
    }

## Remedy

Wait for the worker (`WaitGroup`, or a `Close` that joins) before the object is reset. Or give every
statement its own object.

## When it is wrong

- An object that is reset on purpose while in use, such as a counter: a lock is missing. The same
  holds for methods of one type, if the worker's starter is further down in the same call.
- A teardown call for another object (`store.DeletePrefix(ctx, …)`) ends no worker: it must share a
  variable with the call that started it.
- The `init` of a package, and what the main goroutine makes (`NewStation`, `initGauge`), is no next
  use.
- `Init` may be the first use: it ranks low unless the worker's starter calls it.
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

# verbs for a first or a repeated use
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
        return None  # the objects are prepared for the first time
    worker, owner = found.worker, found.owner
    named = short(scene.parent(found.frame.function))
    evidence = [
        owner.told(f"{owner.does}{called(owner, named)} prepares the object for its next use"),
        worker.told(f"{worker.does} in a worker ({worker.actor.id}) of the previous use"),
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
        f"Wait for the worker before `{named}` reuses its object, or give every use its own"
        " object instead of resetting the old one."
    )
    where = tuple(p for p in (worker.creator and point(worker.creator), owner.point) if p)
    again = common(scene, found)
    beside = in_place(found, again)
    if again and not beside:
        told = f"`{again.function}` started the worker and now leads to `{named}`: the next round"
        evidence.append(Evidence(told, point(again)))
    # C and C++ code often resets counters in use; Go methods of that name run between two uses
    confidence = STRONG if again else FAIR + 0.05 if scene.go else FAIR - 0.1
    if beside and (again or scene.source is None):
        confidence = WEAK  # a counter is reset: only a lock may be missing
    if not again and _ANY_USE.intersection(words(named)[:1]):
        confidence = WEAK  # it may be the first use
    return Hit(confidence, tuple(evidence), change, where)


def _of_one_start(found: Ending) -> bool:
    """Return whether one call started both, the preparing side first: then it is the first use."""
    if not found.owner.is_worker:
        return False
    began = {(f.function, f.file): f.line or 0 for f in found.owner.created}
    return any(
        began.get((f.function, f.file), f.line or 0) < (f.line or 0) for f in found.worker.created
    )


def _same_call(found: Ending) -> bool:
    """Return whether the function that started the worker prepares the object further down."""
    frame = found.frame
    return any(
        (f.function, f.file) == (frame.function, frame.file) and (f.line or 0) < (frame.line or 0)
        for f in found.worker.created
    )


def _next_round(scene: Scene) -> Hit | None:
    """Match a function that is above the line on which it started the worker: it runs again."""
    found = next_round(scene)
    if found is None:
        return None
    owner, worker, started, now = found
    named = short(scene.parent(now.function))
    evidence = (
        worker.told(f"{worker.does} in a worker ({worker.actor.id})"),
        Evidence(f"`{named}` started the worker", point(started)),
        Evidence(f"it is above that line: {_how(owner, started)}", point(now)),
    )
    change = f"Wait for the last worker before `{named}` continues, or give each its own object."
    # without source it may also be a pooled object, or an array that is refilled
    sure = LIKELY if scene.source else EVEN
    where = (point(started), point(now))
    return Hit(sure, evidence, change, where, from_source=scene.source is not None)


def _how(owner: Side, started: Frame) -> str:
    """Describe how a function got back above the line of a start."""
    loops = owner.here.loops if owner.here else ()
    again = any(first <= (started.line or 0) <= last for first, last in loops)
    return "its loop has continued" if again else "it was called again"


def _left_behind(scene: Scene) -> Hit | None:
    """Match a starter that stopped waiting for the worker, only slept or only signalled a stop."""
    found = left_behind(scene)
    if found is None or _is_its_own(scene, found.started, found.why):
        found = left_early(scene) or only_told(scene)
    if found is None or _comes_before(scene, found):
        return None
    other = found.other
    named = short(scene.parent(found.started.function))
    used = Evidence(f"{other.does}: nothing has waited for the worker to end", other.point)
    change = (
        f"Wait for the worker before its data is used after `{named}`, or let it write to its own"
        " object and pass that on when it is done."
    )
    return _used(found, named, used, change)


def _comes_before(scene: Scene, found: Left) -> bool:
    """Return whether the access precedes the abandoned wait."""
    began, line = found.started, (found.why.at.line if found.why.at else None) or 0
    now = next((f for f in found.other.frames if f[:3] == began[:3]), None)
    seen = scene.around(now) if now else None
    if now is None or seen is None or line <= (began.line or 0):
        return False
    return line < (now.line or 0) and is_gone(scene, now, seen, line)


def _given_away(scene: Scene) -> Hit | None:
    """Match a function that returns what its worker still uses: it waited too short or not for all."""
    found = given_away(scene)
    if found is None:
        return None
    other = found.other
    named = short(scene.parent(found.started.function))
    used = other.told(f"{other.does} what `{named}` returned")
    change = f"Let `{named}` wait for every worker that it started, or return a copy."
    return _used(found, named, used, change)


def _used(found: Left, named: str, used: Evidence, change: str) -> Hit:
    """Build the hit for a worker that `named` started and whose data is used."""
    worker, other, started, why = found
    evidence = (
        worker.told(f"{worker.does} in a worker ({worker.actor.id})"),
        Evidence(f"`{named}` started the worker", point(started)),
        why,
        used,
    )
    return Hit(LIKELY + 0.05, evidence, change, (point(started), other.point), from_source=True)


def _is_its_own(scene: Scene, started: Frame, why: Evidence) -> bool:
    """Return whether the wait is in the worker itself: `go func() { … case <-tick.C: … }()`."""
    seen, line = scene.around(started), (why.at.line if why.at else None) or 0
    starts = seen.starts if seen else ()
    return any(s.line == started.line and s.line < line <= s.last for s in starts)


def _used_again(scene: Scene) -> Hit | None:
    """Match an object that is filled, passed to a worker, and filled again without a wait."""
    found = used_again(scene)
    if found is None:
        return None
    worker, now, began = found
    evidence = (
        worker.told(f"{worker.does} in a worker ({worker.actor.id})"),
        Evidence(
            f"`{short(scene.parent(began.function))}` filled it and started the worker", point(began)
        ),
        Evidence("it fills the object again without a wait", point(now)),
    )
    change = (
        "Join the worker before its object is used again, or give each worker its own object."
    )
    return Hit(LIKELY + 0.05, evidence, change, (point(began), point(now)), from_source=True)


def _freed(scene: Scene) -> Hit | None:
    """Match memory that one side freed, as named by the detector."""
    for owner, worker in scene.both:
        if owner.access.op is not Op.FREE or any(_LIBRARY.search(f.function) for f in owner.inner):
            continue  # a library container moves its elements
        ends = "~" in owner.name or (scene.source and is_called(owner, ENDING))
        if scene.source and ends and _runs(scene, worker, owner.owner):
            continue  # a teardown of the worker's own class: teardown-vs-worker
        evidence = (
            owner.told(f"{owner.does} the memory"),
            worker.told(f"{_does_it(worker)} in {worker.actor.id}"),
        )
        change = (
            "Join the thread before its memory is freed, or share ownership with reference counts."
        )
        # an atomic release of the reference is mixed-atomic
        sure = EVEN if hands_over(worker) else STRONG
        return Hit(sure, evidence, change, (owner.point, worker.point))
    return None


def _does_it(side: Side) -> str:
    """Return a phrase such as: `spin` writes it atomically."""
    plain = side.does.removesuffix(" atomically")
    return f"{plain} it{side.does[len(plain) :]}"


def _runs(scene: Scene, worker: Side, kind: str) -> bool:
    """Return whether a method of that class is on the worker's stack."""
    return bool(kind) and any(owner_of(scene.parent(f.function)) == kind for f in worker.frames)


RULE = Rule(
    "worker-outlives-owner",
    "lifetime",
    _find,
    "a join before reuse (sync.WaitGroup), or an object per use",
    "The next use waits for the last worker; or an allocation per use.",
    when=STARTER | ENDS | FREES | WORKER | SOURCE,
)
