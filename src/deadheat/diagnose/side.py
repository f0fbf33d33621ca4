"""One side of a race: the access, its stack, the locks it holds and the code around it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from deadheat.diagnose.beginning import begun
from deadheat.diagnose.finding import Evidence, Point
from deadheat.diagnose.lending import kept, lent
from deadheat.diagnose.naming import (
    is_closure,
    is_function,
    is_test_file,
    last,
    owner,
    short,
    words,
)
from deadheat.model import Actor, Op, Origin, State

if TYPE_CHECKING:
    import re

    from deadheat.diagnose.scene import Scene
    from deadheat.diagnose.source import Around, Held
    from deadheat.model import Access, Frame

# three times as fast as calling the named tuple's class
_new: Final = tuple.__new__
WRITES = (Op.WRITE, Op.ATOMIC_WRITE, Op.FREE)
ATOMIC = (Op.ATOMIC_READ, Op.ATOMIC_WRITE)
# callers further out are not related to the site
NEAR = 6
FAR = 12  # but one of these may hold a lock of its package
NAMED = 3
_CALLED = 4  # calls on a line that are followed
# "flushLocked", "addLOCKED" name a caller's lock; "door.Locked" is a state
_LOCKED, _STATES = ("Locked", "LOCKED"), (".Locked", ".LOCKED", "IsLocked", "isLocked")
_VERBS = {
    Op.READ: "reads",
    Op.WRITE: "writes",
    Op.ATOMIC_READ: "reads atomically",
    Op.ATOMIC_WRITE: "writes atomically",
    Op.FREE: "frees",
    Op.UNKNOWN: "accesses",
}
_CALLING = (Origin.USER, Origin.STDLIB)
_ENTRIES = ("mythread_wrapper", "start_thread", "clone", "thread_start", "_pthread_start")


class Side:
    """One access with its actor, its stack and the code around its site."""

    def __init__(self, scene: Scene, access: Access) -> None:
        self.scene, self.access = scene, access
        self.site = access.site
        self.writes = access.op in WRITES
        self.atomic = access.op in ATOMIC
        for actor in scene.report.actors:
            if actor.id == access.actor:
                self.actor = actor
                break
        else:
            self.actor = Actor(access.actor)
        # the function in the source: `courier.(*Courier).Stop`
        self.name = scene.parent(self.site.function) if self.site else ""
        # all frames that are not stale
        self.true = tuple([f for f in access.stack if not f.stale])
        self._at = self.true.index(self.site) if self.site in self.true else 0
        # the user frames among them, from the site outwards
        own = [f for f in self.true[self._at :] if f.origin is Origin.USER]
        self.frames = tuple(own[:NEAR])
        self._further = tuple(own[NEAR:FAR])
        # the frames above user code: the runtime and libraries; if the detector lost the caller,
        # only these exist and the site is one of them
        self.inner = _above_own(self.true)
        self.is_main = self.actor.state is State.MAIN
        self.is_worker = self._was_started()
        self.closure = self.site is not None and is_closure(self.site.function)
        self.point = point(self.site) if self.site else Point("?")
        # computed on first use
        self._named: list[tuple[Frame, str, tuple[str, ...]]] | None = None
        self._created: tuple[Frame, ...] | None = None
        self._here: Around | None = None
        self._looked = scene.source is None
        self._way: tuple[tuple[Frame, Around], ...] | None = None
        self._held: tuple[Held, ...] | None = None

    def shows(self, *names: str) -> Frame | None:
        """The first frame whose function ends with one of these names."""
        for frame in self.true:
            if frame.function.endswith(names):
                return frame
        return None

    def above(self, pattern: re.Pattern[str]) -> Frame | None:
        """The first frame above the site whose function matches a pattern."""
        for frame in self.inner:
            if pattern.search(frame.function):
                return frame
        return None

    def below(self, pattern: re.Pattern[str]) -> Frame | None:
        """The library frame that called the site, if it matches a pattern."""
        if self.site is None or self.site.stale:
            return None
        for frame in self.true[self._at + 1 :]:
            if frame.function != self.site.function and frame.origin is not Origin.GENERATED:
                return frame if pattern.search(frame.function) else None
        return None

    def written(self, frame: Frame) -> str:
        """The function that contains a frame's code in the source."""
        return self.scene.parent(frame.function)

    @property
    def named(self) -> list[tuple[Frame, str, tuple[str, ...]]]:
        """The frames nearest to the site, with each function's bare name and the words in it.

        Names further out concern something else; the name of a test says what it tests.
        """
        if self._named is None:
            self._named = []
            for frame in self.frames[:NAMED]:
                whole = self.scene.parent(frame.function)
                name = last(whole)
                told = words(name)
                if name == "init" and self.scene.go and is_function(whole):
                    continue  # the package's init, or a closure in a package variable
                if told and not frame.function.rpartition(".")[2].startswith("Test"):
                    self._named.append((frame, name, told))
        return self._named

    @property
    def locked(self) -> Frame | None:
        """The frame near the site whose name says that the caller holds the lock: `flushLocked`.

        With source, also a function whose comment says so.
        """
        for frame in self.frames[:NAMED]:
            if frame.function.endswith(_LOCKED) and not frame.function.endswith(_STATES):
                return frame
            if (seen := self.scene.around(frame)) is not None and seen.wants_lock:
                return frame
        return None

    @property
    def breaks_its_word(self) -> bool:
        """Does the code show a caller of a function that requires a lock, and that no lock is held?"""
        way = [frame for frame, _ in self.way]
        frame = self.locked
        return frame in way[:-1] and not self.held

    @property
    def owner(self) -> str:
        """The type (for a function: the package) that the site belongs to."""
        return owner(self.name)

    @property
    def creator(self) -> Frame | None:
        """Where the user's code started the goroutine or thread."""
        for frame in self.created:
            if frame.origin is Origin.USER and not frame.stale:
                return frame
        return None

    @property
    def created(self) -> tuple[Frame, ...]:
        """The stack that started it, as reported; otherwise as far as the code shows it."""
        if self._created is None:
            self._created = self.actor.created_at
            # a truncated stack has only library frames
            if self.scene.source and all(f.origin is not Origin.USER for f in self._created):
                self._created = begun(self.scene, self) or self._created
        return self._created

    def _was_started(self) -> bool:
        """Did the user's own code start its goroutine? (The testing package starts those of tests.)"""
        if not self.scene.go:
            # a truncated stack does not show where its thread began
            known = bool(self.actor.created_at) or self.scene.source is not None
            return not self.is_main and (known or self._is_thread())
        for frame in self.actor.created_at:
            if frame.origin is not Origin.RUNTIME:
                return frame.origin is Origin.USER and not self.is_main
        return False

    def _is_thread(self) -> bool:
        """Does its stack begin at a thread entry? Helgrind reports only once who started a thread.

        A truncated stack shows what libstdc++ calls at a thread entry and nowhere else.
        """
        if any(f.function in _ENTRIES for f in self.true[-3:]):
            return True
        return any("std::thread::_" in f.function for f in self.true)

    @property
    def is_test(self) -> bool:
        """Is its goroutine that of a test, and not one that a test started?"""
        return any("testing.(*T).Run" in f.function for f in self.actor.created_at[:2])

    @property
    def in_test(self) -> bool:
        """Is its site in a test file?"""
        return self.site is not None and is_test_file(self.site.file)

    @property
    def here(self) -> Around | None:
        """The facts about the code around its site."""
        if not self._looked and self.site is not None:
            self._here = self.scene.around(self.site)
            self._looked = True
        return self._here

    @property
    def way(self) -> tuple[tuple[Frame, Around], ...]:
        """The facts about the code on its call chain, from the site outwards, as far as available."""
        if self._way is None:
            # the compiler's wrapper of a go statement is in the starter's code
            own = [f for f in self.frames if not (self.is_worker and self._is_start(f))]
            seen = [(frame, self.scene.around(frame)) for frame in own]
            self._way = tuple([(frame, code) for frame, code in seen if code is not None])
        return self._way

    @property
    def held(self) -> tuple[Held, ...]:
        """The locks that the site's function, or a caller in its package, holds in the code.

        Locks of callers in other packages protect something else.
        """
        if self._held is None:
            found: list[Held] = []
            gone: set[str] = set()  # released further in, so callers no longer hold it
            for frame, seen in self.way:
                gone.update(seen.gone)
                if self.site is not None and frame.package == self.site.package:
                    own = [h for h in seen.held if not (h.shared and self._is_handed(frame))]
                    own += lent(self.scene, frame, seen) if not seen.held else ()
                    found += [h for h in own if h.name not in gone]
            found += [h for h in kept(self) if h.name not in gone]
            found += [held for seen in self.lost for held in seen.held]
            if not found:
                found += [h for h in self._held_further() if h.name not in gone]
            self._held = tuple(found)
        return self._held

    @property
    def by_library(self) -> bool:
        """Did a library that the line calls do the access: `fmt.Sprintf("%v", r)`?"""
        return bool(self.inner) and self.inner[-1].origin in (Origin.STDLIB, Origin.TEST)

    def is_called_back(self, caller: Frame) -> bool:
        """Is a library frame between a caller and the site? Then the object may be any."""
        between = self.true[self._at : self.true.index(caller)] if caller in self.true else ()
        return any(f.origin is Origin.STDLIB for f in between)

    def _is_handed(self, caller: Frame) -> bool:
        """Did a library call the site's code as a callback that a caller registered earlier?

        A server holds a read lock on its handler table while it calls a handler.
        """
        between = self.true[self._at : self.true.index(caller)]
        if any(self.written(f) == self.written(caller) for f in between):
            return False  # a closure of the caller itself: `sort.Slice(all, func…)`
        return any(f.package != caller.package for f in between if f.origin in _CALLING)

    def _held_further(self) -> list[Held]:
        """The locks of outer frames that are methods of the same type as the site."""
        here = self.here
        found: list[Held] = []
        for frame in self._further if here is not None and here.receiver else ():
            seen = self.scene.around(frame)
            if seen is not None and here is not None and seen.receiver == here.receiver:
                found += seen.held
        return found

    @property
    def lost(self) -> tuple[Around, ...]:
        """The callees of the line, one of which is missing between the site and the runtime frames.

        Go's detector loses the caller of `mapaccess1`; the remaining line calls a function and
        uses no map.
        """
        here, site = self.here, self.site
        told = any(f.function.startswith("runtime.mapaccess1") for f in self.inner)
        if here is None or site is None or not told or "[" in here.text:
            return ()
        called = [c.name for c in here.calls if c.line == here.line][:_CALLED]
        return tuple([one for name in called if (one := self.scene.defined(name, site))])

    def _is_start(self, frame: Frame) -> bool:
        """Is it the compiler's wrapper of a go statement: `Open.gowrap1`, formerly `Open.func1`?"""
        began = self.creator
        if began is None or frame == self.site or frame.function == began.function:
            return False
        same = (frame.file, frame.line) == (began.file, began.line)
        return same and self.written(frame) == self.written(began)

    def told(self, text: str) -> Evidence:
        told: Evidence = _new(Evidence, (text, self.point))
        return told

    @property
    def does(self) -> str:
        """The function and its operation: `(*Courier).Stop writes`."""
        return f"{self.who} {_VERBS[self.access.op]}"

    @property
    def who(self) -> str:
        """The function that does the access; without user code in the stack, the actor."""
        if self.is_foreign and self.actor.id:
            began = self.creator
            return (
                f"{self.actor.id}, which `{short(began.function)}` started,"
                if began
                else self.actor.id
            )
        return f"`{short(self.name)}`" if self.name else "this side"

    @property
    def is_foreign(self) -> bool:
        """Does its stack contain no user code?"""
        return bool(self.true) and not any(f.origin is Origin.USER for f in self.true)


def _above_own(true: tuple[Frame, ...]) -> tuple[Frame, ...]:
    for at, frame in enumerate(true):
        if frame.origin is Origin.USER:
            return true[:at]
    return true


def in_closure(side: Side, started: Frame) -> bool:
    """Does it run in a closure of the function that started it? A mere wrapper has the start's line."""
    name = side.written(started)
    return any(
        side.written(f) == name != f.function
        and f.line != started.line
        and "wrap" not in f.function
        for f in side.frames
    )


def point(frame: Frame) -> Point:
    at: Point = _new(Point, (frame.file, frame.line, frame.function))
    return at
