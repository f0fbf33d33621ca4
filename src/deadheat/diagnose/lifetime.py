"""Whether one side ends or reuses an object that a worker still uses."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from deadheat.diagnose import address
from deadheat.diagnose.naming import is_test_file, last, owner, short, words
from deadheat.diagnose.side import Side  # noqa: TC001 - compiled, a named tuple needs it at run time
from deadheat.diagnose.vocabulary import DOING, EITHER, ENDING, RESULTS, STARTING, TIMING, WAITING
from deadheat.model import Frame, Op, Origin, State

if TYPE_CHECKING:
    from deadheat.diagnose.scene import Scene

# "running_ = false;", "p->quit = 1;", "s.stopped = true"
_SET = re.compile(r"\b(\w{1,80})\s{0,9}=\s{0,9}(?:true|false|TRUE|FALSE|0|1);?(?:$|\s)")
# "while (running_) {", "if s.stopped {", "for !w.quit {", "return !m->quit;", "while (n && !quit)"; not
# a value in an expression, as in "return m->tone * 2;"
_ASKS = (
    r"(?:^\}?\s{0,9}(?:while|for|if|return)\b|&&|\|\|)\s{0,9}\(?\s{0,9}!?\s{0,9}"
    r"(?:[\w.(]|->){0,80}\b%s\b(?:\(\))?\s{0,9}(?:[){;]|&&|\|\||$|[!=]=)"
)


# functions with these words come after the work, or should
_AFTER: frozenset[str] = ENDING | RESULTS | WAITING
_GIVES_UP = ("give", "up")


class Ending(NamedTuple):
    """The side that ends or renews an object, the frame whose name says so, and the worker's side."""

    owner: Side
    frame: Frame
    worker: Side


def ending(scene: Scene, vocabulary: frozenset[str]) -> Ending | None:
    """A write by a function with such a verb against an access of another goroutine."""
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
        frame = named(ender, vocabulary) if ender.name != worker.name else None
        if frame is None or _alike(ender, frame, worker):
            continue
        if is_background(worker) and ender.actor.id != worker.actor.id:
            return Ending(ender, frame, worker)
    return None


def _alike(ender: Side, frame: Frame, worker: Side) -> bool:
    """Does the caller of the teardown run on both sides? Then the two sides are peers."""
    at = ender.true.index(frame) + 1
    caller = ender.true[at] if at < len(ender.true) else None
    if caller is None or caller.origin is not Origin.USER or is_test_file(caller.file):
        return False
    return any(f.function == caller.function and f.line for f in worker.true)


def in_place(found: Ending, again: Frame | None = None) -> bool:
    """Are both sides methods of one type that are run concurrently?

    By a test or by `main`, or by the function that started the worker and continued to the renewal.
    """
    began = found.worker.creator
    driven = began is None or began.package == "main" or is_test_file(began.file)
    if again is not None:
        now = [f for f in found.owner.true if f.function == again.function]
        driven = any((f.line or 0) > (again.line or 0) > 0 for f in now)
    same = found.frame == found.owner.site and found.owner.owner == found.worker.owner
    return driven and same and "(" in found.owner.owner


def own_worker(scene: Scene) -> tuple[Side, Side, Frame] | None:
    """A worker that code of the same package started, the side that meets it, and its start.

    The starter is not on the other stack: whether the two are meant to run concurrently (a lock is
    missing) or in order (a wait is missing) is not visible.
    """
    if "own" not in scene.memo:
        scene.memo["own"] = _own_worker(scene)
    found: tuple[Side, Side, Frame] | None = scene.memo["own"]
    return found


def _own_worker(scene: Scene) -> tuple[Side, Side, Frame] | None:
    for worker, other in scene.both:
        if not worker.is_worker or other.is_worker or other.site is None:
            continue
        started = worker.creator
        if started is None or started.package != other.site.package or is_test_file(started.file):
            continue  # tests run things concurrently on purpose
        name = scene.parent(started.function)
        if not any(scene.parent(f.function) == name for f in other.true if f.origin is Origin.USER):
            return worker, other, started
    return None


class GoneOn(NamedTuple):
    """A worker that writes, the side that meets it, its start, and where its starter is now."""

    worker: Side
    other: Side
    started: Frame
    now: Frame


def gone_on(scene: Scene) -> GoneOn | None:
    """A worker and its starter, which continued and uses what the worker writes.

    Such a function intends to wait for the worker. Tests and `main` are excluded because they run things
    concurrently on purpose, and so are global variables, which are not a worker's result.
    """
    if GoneOn not in scene.memo:
        scene.memo[GoneOn] = _gone_on(scene)
    found: GoneOn | None = scene.memo[GoneOn]
    return found


def _gone_on(scene: Scene) -> GoneOn | None:
    place = scene.report.location
    if (place is not None and place.kind == "global") or address.is_packages(scene):
        return None
    for worker, other in scene.both:
        started = worker.creator if worker.writes and worker.is_worker else None
        if started is None or is_test_file(started.file):
            continue
        if _drives(worker, started) or worker.name == other.name:
            continue  # a captured variable, or two equal workers
        for now in other.frames:
            if now.file == started.file and now.function == started.function:
                later = (now.line or 0) > (started.line or 0) > 0
                return GoneOn(worker, other, started, now) if later else None
    return None


def _drives(worker: Side, started: Frame) -> bool:
    """Is it `main`, or a plain function that `main` calls, as `run` often is?"""
    name = worker.written(started)
    if last(name) == "main":
        return True
    created = worker.actor.created_at
    above = created[created.index(started) + 1 :] if started in created else ()
    called = bool(above) and last(worker.written(above[0])) == "main"
    return started.package == "main" and called and "(" not in name


def has_ended(worker: Side) -> bool:
    """Has the worker finished, or is it about to? Then it may have signalled too early."""
    return worker.actor.state is State.FINISHED or in_deferred(worker)


def runs_beside(scene: Scene) -> bool | None:
    """Is a package's worker meant to run concurrently with the reader of what it writes?

    The starter's name decides: `Start`, `Open`, `NewPoller` begin something that continues. `Compact`
    looks finished when it returns (False), as does `Run` if the goroutine is its own closure. None if
    neither is visible, or there is no such worker.
    """
    met = own_worker(scene)
    if met is None:
        return None
    worker, other, started = met
    if not worker.writes or other.writes or not is_named(other) or comes_after(other):
        return None
    begun = _verbs(scene.parent(started.function))
    if (EITHER | DOING) & begun:
        return None
    if not scene.go:
        return True
    if has_ended(worker):
        return None  # its work was bounded: a later reader may have to wait for it
    return bool(STARTING & begun) and not is_own_work(worker, started)


def begins(name: str) -> bool:
    """Is a function named like one that starts something that continues, or may do so?"""
    return bool((STARTING | EITHER) & _verbs(name))


def is_own_work(worker: Side, started: Frame) -> bool:
    """Is a goroutine the whole body of a function that runs something: `func Run() { go func() …`?"""
    name = worker.written(started)
    if not DOING.intersection(words(name)[:1]) or not worker.true:
        return False
    began = worker.true[-1]
    return worker.written(began) == name and began.line != started.line


def _verbs(name: str) -> set[str]:
    """The verbs in a function's name: its first word, in C also its last (`poller_start`)."""
    told = words(name)
    return {*told[:1], *(told[-1:] if "_" in last(name) else ())}


def is_named(side: Side) -> bool:
    """Does a function name describe it? Test code reads what it created."""
    return bool(side.named) or side.in_test


def comes_after(side: Side) -> bool:
    """Is it, or a caller near it, named like something that follows or gives up the work?"""
    return any(
        told[0] in _AFTER or told[-1] in _AFTER or _GIVES_UP in (told[:2], told[-2:])
        for _, _, told in side.named
    )


def is_lent(owner: Side, worker: Side) -> bool:
    """Does the worker run a method of another type than the function that writes its object?

    Then it may have received the object itself: `go truck.drive()`.
    """
    return "(" in worker.owner and worker.owner != owner.owner


def on_stack(scene: Scene) -> bool:
    """Is the memory on a thread's stack, according to the detector?"""
    place = scene.report.location
    return place is not None and place.kind == "stack"


def in_deferred(side: Side) -> bool:
    """Does it run in a deferred call of its goroutine, without a panic?"""
    return side.shows("runtime.deferreturn") is not None and side.shows("runtime.gopanic") is None


@lru_cache(maxsize=1 << 12)
def is_timed(name: str) -> bool:
    """Is a function, or the class of a method, named like a timer? `Timer::Start`, `on_alarm`."""
    return bool(TIMING.intersection((*words(name), *words(owner(name)))))


def by_timer(scene: Scene) -> Side | None:
    """The side that a timer runs, if the other is not."""
    if scene.memo.get("timer") is False:
        return None  # no frame of the report belongs to a timer
    for side, other in scene.both if scene.go else ():
        # the runtime's timer function is where its goroutine begins
        ends = [f.function for f in (*side.access.stack[-2:], *side.actor.created_at[:2])]
        if "time.goFunc" in ends and not other.shows("time.goFunc"):
            return side
    return None


def is_background(side: Side) -> bool:
    """Did the program itself start it to run concurrently?"""
    return side.is_worker or (side.actor.state is State.FINISHED and not side.is_test)


def named(side: Side, vocabulary: frozenset[str]) -> Frame | None:
    """The frame near the site whose name has one of these verbs."""
    for frame, name, told in side.named:
        if told[0] in vocabulary or ("_" in name and told[-1] in vocabulary) or name[:1] == "~":
            return frame
    return None


def tells(scene: Scene, found: Ending) -> bool:
    """Is the written variable a stop flag that the worker tests?"""
    here, there, shared = found.owner.here, found.worker.here, scene.shared
    if here is None or there is None or found.worker.writes:
        return False
    set_ = _SET.search(here.text)
    if set_ is None or (shared is not None and shared.name != set_[1]):
        return False
    return re.search(_ASKS % re.escape(set_[1]), there.text) is not None


def called(owner: Side, named: str) -> str:
    """Which name shows it: that of the writing function, or of one that led to it."""
    return ", and by its name" if short(owner.name) == named else f": `{named}`"


def kin(scene: Scene, found: Ending) -> Frame | None:
    """Where the type or package of the ended object started the worker, if it did."""
    ender = owner(scene.parent(found.frame.function))
    for frame in found.worker.created:
        if frame.origin is not Origin.USER or frame.stale or is_test_file(frame.file):
            continue
        same = bool(frame.package) and frame.package == found.frame.package
        # in C a file takes the role of a package
        in_c = scene.source is not None and found.frame.file.endswith(".c")
        same = same or (in_c and frame.file == found.frame.file)
        if same or (ender and owner(scene.parent(frame.function)) == ender):
            return frame
    if scene.source and not found.worker.actor.created_at and "::" in ender:
        # its start is not reported: a method of the same class runs in it
        runs = [f for f in found.worker.frames if owner(scene.parent(f.function)) == ender]
        return runs[-1] if runs else None
    return None


def common(scene: Scene, found: Ending) -> Frame | None:
    """The function that started the worker earlier and now leads to the renewal."""
    now = {scene.parent(f.function) for f in found.owner.true if f.origin is Origin.USER}
    for frame in found.worker.actor.created_at:
        if frame.origin is not Origin.USER or frame.stale or is_test_file(frame.file):
            continue
        name = scene.parent(frame.function)
        if name in now and last(name) != "main":
            return frame
    return None
