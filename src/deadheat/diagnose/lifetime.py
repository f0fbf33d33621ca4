"""Does one side end or reuse what a worker still works on? For the rules about lifetimes."""

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
# "while (running_) {", "if s.stopped {", "for !w.quit {", "return !m->quit;", "while (n && !quit)"; a
# value that is worked with, as in "return m->tone * 2;", is asked for no word
_ASKS = (
    r"(?:^\}?\s{0,9}(?:while|for|if|return)\b|&&|\|\|)\s{0,9}\(?\s{0,9}!?\s{0,9}"
    r"(?:[\w.(]|->){0,80}\b%s\b(?:\(\))?\s{0,9}(?:[){;]|&&|\|\||$|[!=]=)"
)


# who is called so comes after the work, or should
_AFTER: frozenset[str] = ENDING | RESULTS | WAITING
_GIVES_UP = ("give", "up")


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
        frame = named(ender, vocabulary) if ender.name != worker.name else None
        if frame is None or _alike(ender, frame, worker):
            continue
        if is_background(worker) and ender.actor.id != worker.actor.id:
            return Ending(ender, frame, worker)
    return None


def _alike(ender: Side, frame: Frame, worker: Side) -> bool:
    """Does who calls it run on both sides? Then the two are peers, and neither ends the other."""
    at = ender.true.index(frame) + 1
    caller = ender.true[at] if at < len(ender.true) else None
    if caller is None or caller.origin is not Origin.USER or is_test_file(caller.file):
        return False
    return any(f.function == caller.function and f.line for f in worker.true)


def in_place(found: Ending, again: Frame | None = None) -> bool:
    """Are both methods of one type, and are they run beside each other?

    By a test or by `main`; or by who has had the worker started, and has gone on to the renewal further
    down.
    """
    began = found.worker.creator
    driven = began is None or began.package == "main" or is_test_file(began.file)
    if again is not None:
        now = [f for f in found.owner.true if f.function == again.function]
        driven = any((f.line or 0) > (again.line or 0) > 0 for f in now)
    same = found.frame == found.owner.site and found.owner.owner == found.worker.owner
    return driven and same and "(" in found.owner.owner


def own_worker(scene: Scene) -> tuple[Side, Side, Frame] | None:
    """A worker that code of the same package started and left running, who meets it, where it began.

    The function that started it is not on the other's stack: whether the two are meant to run beside
    each other (a lock is missing) or one after the other (a wait is missing) does not show.
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
            continue  # tests run things beside each other on purpose
        name = scene.parent(started.function)
        if not any(scene.parent(f.function) == name for f in other.true if f.origin is Origin.USER):
            return worker, other, started
    return None


class GoneOn(NamedTuple):
    """A worker that writes, who meets it, where it was started, and where its starter is now."""

    worker: Side
    other: Side
    started: Frame
    now: Frame


def gone_on(scene: Scene) -> GoneOn | None:
    """A worker and the function that started it, which has gone on and uses what it writes.

    Such a function means to wait, or it would not have its own worker's work. Tests and `main` are
    not asked: they run things beside each other on purpose. Nor is who shares a variable of the whole
    program with the worker: that is nobody's work.
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
            continue  # a captured variable, or two that do the same
        for now in other.frames:
            if now.file == started.file and now.function == started.function:
                later = (now.line or 0) > (started.line or 0) > 0
                return GoneOn(worker, other, started, now) if later else None
    return None


def _drives(worker: Side, started: Frame) -> bool:
    """Is it `main`, or a function that `main` calls and that is nobody's method, as `run` often is?"""
    name = worker.written(started)
    if last(name) == "main":
        return True
    created = worker.actor.created_at
    above = created[created.index(started) + 1 :] if started in created else ()
    called = bool(above) and last(worker.written(above[0])) == "main"
    return started.package == "main" and called and "(" not in name


def has_ended(worker: Side) -> bool:
    """Has a worker ended, or is it about to? Then it may have told too early that it was done."""
    return worker.actor.state is State.FINISHED or in_deferred(worker)


def runs_beside(scene: Scene) -> bool | None:
    """Is a package's own worker meant to run beside the one that reads what it writes?

    Who starts it says so: `Start`, `Open`, `NewPoller` begin something that goes on. `Compact` looks as
    if all were done when it returns (False), and so does `Run` where the goroutine is its own closure.
    None where neither shows, or there is no such worker.
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
        return None  # its work was bounded: who comes later may have to wait for it
    return bool(STARTING & begun) and not is_own_work(worker, started)


def begins(name: str) -> bool:
    """Is a function called like one that starts what goes on, or may do so?"""
    return bool((STARTING | EITHER) & _verbs(name))


def is_own_work(worker: Side, started: Frame) -> bool:
    """Is a goroutine all the work of a function that is called to do it: `func Run() { go func() …`?"""
    name = worker.written(started)
    if not DOING.intersection(words(name)[:1]) or not worker.true:
        return False
    began = worker.true[-1]
    return worker.written(began) == name and began.line != started.line


def _verbs(name: str) -> set[str]:
    """What a function is called to do: its first word, in C also its last (`poller_start`)."""
    told = words(name)
    return {*told[:1], *(told[-1:] if "_" in last(name) else ())}


def is_named(side: Side) -> bool:
    """Does a name tell what it is about? A test's own code looks at what it has made."""
    return bool(side.named) or side.in_test


def comes_after(side: Side) -> bool:
    """Is it called, or near it who called it, like one that comes after the work, or gives it up?"""
    return any(
        told[0] in _AFTER or told[-1] in _AFTER or _GIVES_UP in (told[:2], told[-2:])
        for _, _, told in side.named
    )


def is_lent(owner: Side, worker: Side) -> bool:
    """Does the worker run a method of another type than the function that writes the object for it?

    Then it may have got the object itself: `go truck.drive()`.
    """
    return "(" in worker.owner and worker.owner != owner.owner


def on_stack(scene: Scene) -> bool:
    """Does the memory lie on a thread's stack, by the detector's word?"""
    place = scene.report.location
    return place is not None and place.kind == "stack"


def in_deferred(side: Side) -> bool:
    """Does it run as its goroutine's function returns, without a panic?"""
    return side.shows("runtime.deferreturn") is not None and side.shows("runtime.gopanic") is None


@lru_cache(maxsize=1 << 12)
def is_timed(name: str) -> bool:
    """Is a function called like a timer, or a method of a class that is? `Timer::Start`, `on_alarm`."""
    return bool(TIMING.intersection((*words(name), *words(owner(name)))))


def by_timer(scene: Scene) -> Side | None:
    """The side that a timer runs, if the other is none."""
    if scene.memo.get("timer") is False:
        return None  # no frame of the report is a timer's
    for side, other in scene.both if scene.go else ():
        # who runs a timer's function stands where its goroutine begins
        ends = [f.function for f in (*side.access.stack[-2:], *side.actor.created_at[:2])]
        if "time.goFunc" in ends and not other.shows("time.goFunc"):
            return side
    return None


def is_background(side: Side) -> bool:
    """Was it started by the program itself, to work beside others?"""
    return side.is_worker or (side.actor.state is State.FINISHED and not side.is_test)


def named(side: Side, vocabulary: frozenset[str]) -> Frame | None:
    """The frame near the site whose name says that it ends or renews something."""
    for frame, name, told in side.named:
        if told[0] in vocabulary or ("_" in name and told[-1] in vocabulary) or name[:1] == "~":
            return frame
    return None


def tells(scene: Scene, found: Ending) -> bool:
    """Is what is written the word to stop itself: a flag that the worker asks before it goes on?"""
    here, there, shared = found.owner.here, found.worker.here, scene.shared
    if here is None or there is None or found.worker.writes:
        return False
    set_ = _SET.search(here.text)
    if set_ is None or (shared is not None and shared.name != set_[1]):
        return False
    return re.search(_ASKS % re.escape(set_[1]), there.text) is not None


def called(owner: Side, named: str) -> str:
    """Which name says so: that of the function that writes, or of one that led to it."""
    return ", and by its name" if short(owner.name) == named else f": `{named}`"


def kin(scene: Scene, found: Ending) -> Frame | None:
    """Where the type or package whose thing is ended started the worker, if it did."""
    ender = owner(scene.parent(found.frame.function))
    for frame in found.worker.created:
        if frame.origin is not Origin.USER or frame.stale or is_test_file(frame.file):
            continue
        same = bool(frame.package) and frame.package == found.frame.package
        # in C a file is what a package is elsewhere
        in_c = scene.source is not None and found.frame.file.endswith(".c")
        same = same or (in_c and frame.file == found.frame.file)
        if same or (ender and owner(scene.parent(frame.function)) == ender):
            return frame
    if scene.source and not found.worker.actor.created_at and "::" in ender:
        # who started it is not told: a method of the same class runs in it
        runs = [f for f in found.worker.frames if owner(scene.parent(f.function)) == ender]
        return runs[-1] if runs else None
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
