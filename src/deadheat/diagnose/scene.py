"""A report as rules see it: its sides, their actors, and the code around them where it is at hand."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from deadheat import registry
from deadheat.diagnose.beginning import begun
from deadheat.diagnose.finding import Evidence, Point
from deadheat.diagnose.lazily import lazy
from deadheat.diagnose.lending import lent
from deadheat.diagnose.source import Shared
from deadheat.model import Actor, Op, Origin, State

if TYPE_CHECKING:
    from collections.abc import Callable

    from deadheat.diagnose.source import Around, Held, Source
    from deadheat.model import Access, Frame, Report

WRITES = (Op.WRITE, Op.ATOMIC_WRITE, Op.FREE)
ATOMIC = (Op.ATOMIC_READ, Op.ATOMIC_WRITE)
# callers further out than this say nothing about a site
NEAR = 6
NAMED = 3
# "F.func1", "F.func1.2", "F.1", "F-range1": a closure; "{lambda}", "$_0", "operator()": one of C++
_CLOSURE = re.compile(
    r"(?:\.func\d+|\.\d+|-range\d+|·\d+)$|\{lambda|\$_\d|lambda\(|\{\{closure\}\}"
)
# "exec.(*Query).Reset", "Reset", "news::Feed::publish", "buffer_free"
_LAST = re.compile(r"[~\w]+$")
# "ResetContextOfStmt" as "Reset", "Context", …; "buffer_free" as "buffer", "free"
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
# what detectors call a race; whatever else they report names its own defect
RACES = frozenset(
    (
        "data-race",
        "data-race-on-vptr",
        "data-race-on-swift-object",
        "race-on-external-object",
        "use-after-free",
        "use-after-free-on-vptr",
        "assert-race",
        "mixed-size-race",
        "concurrent-map",
        "waitgroup-misuse",
        "error-stack",
    )
)
_VERBS = {
    Op.READ: "reads",
    Op.WRITE: "writes",
    Op.ATOMIC_READ: "reads atomically",
    Op.ATOMIC_WRITE: "writes atomically",
    Op.FREE: "frees",
    Op.UNKNOWN: "accesses",
}
# "v2": the last element of an import path may have a dot, as in "yaml.v3.Unmarshal"
_VERSION = re.compile(r"v\d+")
# places and functions that are looked up for one report; no report of a program needs as many
_PLACES, _CALLED = 96, 64
_LONG = 200  # no name that a person gave is longer
_ENTRIES = ("mythread_wrapper", "start_thread", "clone", "thread_start", "_pthread_start")
GO = ("go", "go-fatal", "go-error")
_KERNEL = ("kcsan",)


class Side:
    """One access: what it did, where, in whose hands, and what the code around it shows."""

    def __init__(self, scene: Scene, access: Access) -> None:
        self._scene, self.access = scene, access
        self.site = access.site
        self.writes = access.op in WRITES
        self.atomic = access.op in ATOMIC
        for actor in scene.report.actors:
            if actor.id == access.actor:
                self.actor = actor
                break
        else:
            self.actor = Actor(access.actor)
        # the function that a programmer wrote: `courier.(*Courier).Stop`
        self.name = scene.parent(self.site.function) if self.site else ""
        # all frames that are no leftovers
        self.true = tuple([f for f in access.stack if not f.stale])
        self._at = self.true.index(self.site) if self.site in self.true else 0

    @lazy
    def frames(self) -> tuple[Frame, ...]:
        """The user's true frames from the site outwards."""
        return tuple([f for f in self.true[self._at :] if f.origin is Origin.USER][:NEAR])

    @lazy
    def inner(self) -> tuple[Frame, ...]:
        """The frames above the user's own: what the language or a library does for them.

        A detector that lost the caller leaves only these, and the site is one of them.
        """
        for at, frame in enumerate(self.true):
            if frame.origin is Origin.USER:
                return self.true[:at]
        return self.true

    def shows(self, *names: str) -> Frame | None:
        """The first frame whose function ends in one of these names."""
        for frame in self.true:
            if frame.function.endswith(names):
                return frame
        return None

    def above(self, pattern: re.Pattern[str]) -> Frame | None:
        """The first frame above the site whose function a pattern finds."""
        for frame in self.inner:
            if pattern.search(frame.function):
                return frame
        return None

    def below(self, pattern: re.Pattern[str]) -> Frame | None:
        """The frame of a library that called the site, if a pattern finds it."""
        if self.site is None or self.site.stale:
            return None
        for frame in self.true[self._at + 1 :]:
            if frame.function != self.site.function and frame.origin is not Origin.GENERATED:
                return frame if pattern.search(frame.function) else None
        return None

    @lazy
    def point(self) -> Point:
        return point(self.site) if self.site else Point("?")

    def written(self, frame: Frame) -> str:
        """The function that a frame's code was written in."""
        return self._scene.parent(frame.function)

    @lazy
    def named(self) -> list[tuple[Frame, str, tuple[str, ...]]]:
        """The frames nearest to the site, with the bare name of each function and its words.

        A name further out is about something else; a test's name tells what it tests.
        """
        found = []
        for frame in self.frames[:NAMED]:
            name = last(self._scene.parent(frame.function))
            told = _words(name)
            if told and not frame.function.rpartition(".")[2].startswith("Test"):
                found.append((frame, name, told))
        return found

    @lazy
    def locked(self) -> Frame | None:
        """The frame near its site that is called as if the lock were held: `flushLocked`."""
        for frame in self.frames[:NAMED]:
            if frame.function.endswith("Locked") and not frame.function.endswith(".Locked"):
                return frame
        return None

    @lazy
    def owner(self) -> str:
        """The type (or, for a function, the package) that the site belongs to."""
        return owner(self.name)

    @lazy
    def closure(self) -> bool:
        return bool(self.site and is_closure(self.site.function))

    @lazy
    def creator(self) -> Frame | None:
        """Where in the user's code its goroutine or thread was started."""
        for frame in self.created:
            if frame.origin is Origin.USER and not frame.stale:
                return frame
        return None

    @lazy
    def created(self) -> tuple[Frame, ...]:
        """The stack that started it, as told; if not told, as far as the code itself says."""
        told = self.actor.created_at
        if self._scene.source is None or any(f.origin is Origin.USER for f in told):
            return told
        return (
            begun(self._scene, self) or told
        )  # a stack that is cut off has the library's frames only

    @lazy
    def is_worker(self) -> bool:
        """Did the user's own code start its goroutine? (A test's is started by the testing package.)"""
        if not self._scene.go:
            # a stack that is cut off does not show where its thread began
            known = bool(self.actor.created_at) or self._scene.source is not None
            return not self.is_main and (known or self._is_thread)
        for frame in self.actor.created_at:
            if frame.origin is not Origin.RUNTIME:
                return frame.origin is Origin.USER and not self.is_main
        return False

    @property
    def _is_thread(self) -> bool:
        """Does its stack begin where a thread does? Helgrind tells once only who started one."""
        return any(f.function in _ENTRIES for f in self.true[-3:])

    @property
    def is_main(self) -> bool:
        return self.actor.state is State.MAIN

    @lazy
    def is_test(self) -> bool:
        """Does a test run in it, and not in what it started?"""
        return any("testing.(*T).Run" in f.function for f in self.actor.created_at[:2])

    @property
    def in_test(self) -> bool:
        """Does its site lie in a test's file?"""
        return self.site is not None and is_test_file(self.site.file)

    @lazy
    def here(self) -> Around | None:
        """The code around its site."""
        return self._scene.around(self.site) if self.site else None

    @lazy
    def way(self) -> tuple[tuple[Frame, Around], ...]:
        """The code on the way to its access, from the site outwards, as far as it is at hand."""
        seen = [(frame, self._scene.around(frame)) for frame in self.frames]
        return tuple([(frame, code) for frame, code in seen if code is not None])

    @lazy
    def held(self) -> tuple[Held, ...]:
        """The locks that the code shows to be held, by the site's function or by callers of its package.

        What callers further away hold is about something else.
        """
        found: list[Held] = []
        for frame, seen in self.way:
            if self.site is not None and frame.package == self.site.package:
                found += seen.held
                found += lent(self._scene, frame, seen) if not seen.held else ()
        return tuple(found)

    def told(self, text: str) -> Evidence:
        return Evidence(text, self.point)

    @lazy
    def does(self) -> str:
        """`(*Courier).Stop writes`."""
        who = f"`{short(self.name)}`" if self.name else "this side"
        return f"{who} {_VERBS[self.access.op]}"


@lru_cache(maxsize=64)
def _parent(detector: str) -> Callable[[str], str]:
    try:
        return registry.dialect(detector).symbols.parent
    except StopIteration:  # a report from elsewhere, of a detector that nobody here knows
        return str


class Scene:
    """One report with its two sides."""

    def __init__(self, report: Report, source: Source | None = None) -> None:
        self.report, self.source = report, source
        self.go = report.detector in GO
        self.kernel = report.detector in _KERNEL
        # the function that a programmer wrote, of a frame's
        self.parent = _parent(report.detector)
        self.sides = tuple([Side(self, access) for access in report.accesses[:2]])
        self._around: dict[tuple[str, int | None, str], Around | None] = {}
        self._defined: dict[tuple[str, str, str], Around | None] = {}
        self.memo: dict[object, Any] = {}  # what more than one rule asks, answered once

    @lazy
    def both(self) -> tuple[tuple[Side, Side], ...]:
        """The two sides either way round; none where one is missing."""
        if len(self.sides) < 2:
            return ()
        a, b = self.sides
        return (a, b), (b, a)

    def around(self, frame: Frame) -> Around | None:
        if self.source is None:
            return None
        key = (frame.file, frame.line, frame.function)
        if key not in self._around:
            if len(self._around) >= _PLACES:
                return None
            self._around[key] = self.source.around(frame)
        return self._around[key]

    def defined(self, name: str, beside: Frame, owner: str = "") -> Around | None:
        """The function of that bare name that is called near a frame, if there is one to be sure of."""
        if self.source is None:
            return None
        key = (name, beside.file, owner)
        if key not in self._defined:
            if len(self._defined) >= _CALLED:
                return None
            self._defined[key] = self.source.defined(name, beside, owner)
        return self._defined[key]

    @lazy
    def shared(self) -> Shared | None:
        """The variable that is raced for, as far as the code names it."""
        return (self.source.shared() or self._member) if self.source else None

    @property
    def _member(self) -> Shared | None:
        """The member of their class that both lines of C++ name without an object."""
        if self.go or not self.sourced or len(self.sides) < 2:
            return None
        a, b = [_members(side.here) for side in self.sides]
        names = sorted(set(a) & set(b))
        return Shared(names[0], "field", a[names[0]], sure=False) if len(names) == 1 else None

    @lazy
    def sourced(self) -> bool:
        """Is the code of both racing lines at hand?"""
        return bool(self.sides) and all(side.here for side in self.sides)

    @lazy
    def what(self) -> str:
        """The variable as the remedy calls it."""
        if self.shared:
            return f"`{self.shared}`"
        name = self.report.location.name if self.report.location else None
        return f"`{name}`" if name else "the variable"

    @lazy
    def points(self) -> tuple[Point, ...]:
        return tuple([side.point for side in self.sides if side.site])

    @lazy
    def same_function(self) -> bool:
        return len(self.sides) > 1 and is_same(self.sides[0].name, self.sides[1].name)


def _members(here: Around | None) -> dict[str, str]:
    """What a line of a method touches that its function does not declare, with the class."""
    if here is None or not here.receiver:
        return {}
    called = {c.name for c in here.calls}
    used = [u.name for u in here.uses if len(u.path) == 1 and u.name not in here.names]
    return {name: here.receiver for name in used if name not in called}


def in_closure(side: Side, started: Frame) -> bool:
    """Does it run in a closure of the function that started it? A mere wrapper has the start's line."""
    name = side.written(started)
    return any(
        side.written(f) == name != f.function
        and f.line != started.line
        and "wrap" not in f.function
        for f in side.frames
    )


def is_same(a: str, b: str) -> bool:
    """Were two pieces of code written in one function?

    A closure in `scale.Policy.Decide`, a method of a value, is known to be in `scale.Decide` only.
    """
    if a == b:
        return a != ""
    if "(" in a or "(" in b or a.count(".") == b.count("."):
        return False
    return a.partition(".")[0] == b.partition(".")[0] and last(a) == last(b)


def is_closure(function: str) -> bool:
    return bool(_CLOSURE.search(function))


def point(frame: Frame) -> Point:
    return Point(frame.file, frame.line, frame.function)


def is_test_file(file: str) -> bool:
    return file.endswith("_test.go") or "/tests/" in f"/{file}"


def owner(name: str) -> str:
    """`courier.(*Courier)` of a method, the package or namespace of a function."""
    if "::" in name:
        return name.rpartition("::")[0]
    return name.rpartition(".")[0]


def calls_between(report: Report) -> bool:
    """Is something called between the read and the write of one line, by their offsets?"""
    return any(name == "one line" for name, _ in report.facts)


def of_value(name: str) -> bool:
    """Is it a method of a value (`usage.Meter.Add`), which works on a copy?"""
    package, _, rest = name.partition(".")
    kind, _, method = rest.partition(".")
    if not method.isidentifier() or not kind.isidentifier() or "/" in package:
        return False
    return _VERSION.fullmatch(kind) is None


def short(name: str) -> str:
    """A function without its package: `(*Courier).Stop`."""
    return name.partition(".")[2] or name


def last(name: str) -> str:
    """The bare name of a function: `Stop`."""
    end = name[-_LONG:].rpartition(".")[2]
    if end.isalnum():
        return end
    found = _LAST.search(name[-_LONG:])
    return found[0] if found else ""


def words(name: str) -> tuple[str, ...]:
    """The words of a bare name, in lower case: `("reset", "context", "of", "stmt")`."""
    return _words(last(name))


@lru_cache(maxsize=1 << 12)
def _words(bare: str) -> tuple[str, ...]:
    return tuple([word.lower() for word in _WORD.findall(bare)])
