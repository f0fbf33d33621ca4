"""One side of a race: the access, its stack, the locks it holds and the code around it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from deadheat.diagnosis.facts import function_names as naming
from deadheat.diagnosis.finding import CodePoint, Evidence
from deadheat.model import Actor, ActorState, Op, Origin

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deadheat.diagnosis.context import RaceContext
    from deadheat.diagnosis.facts.code_facts import CallSite, FunctionFacts, HeldLock
    from deadheat.model import Access, Frame

# "call std::thread", "call std::async", "call threads_.emplace_back": calls that take a lambda as thread
_THREAD_CALL = re.compile(r"\bj?thread$|\basync$|\bemplace_back$")
# "go hub.serve(ctx)"
_GO_STATEMENT = re.compile(r"go (?:[\w.]{1,120}\.)?(\w{1,80})\(")


def find_start_frames(context: RaceContext, side: RaceSide) -> tuple[Frame, ...]:
    """The line that starts a thread in a function of this side, and the frames that lead to it."""
    if context.is_kernel or context.source is None or side.is_main:
        return ()
    if context.is_go:
        return tuple(_go_start_frames(context, side))
    for frame in reversed(side.user_frames):
        here = context.function_at(frame)
        if here is None:
            continue
        if lambdas := [c for c in here.closures if _THREAD_CALL.search(c.usage)]:
            start = frame._replace(function=context.enclosing_function(frame.function), line=lambdas[0].first_line)
            return (start, *_frames_leading_to(context, side, here.function))
        if facts := context.source.find_thread_start(here.function, frame):
            start = frame_in_same_folder(frame, facts, _printed_function_name(context, facts))
            return (start._replace(line=facts.line), *_frames_leading_to(context, side, facts.function))
    return ()


def frame_in_same_folder(frame: Frame, facts: FunctionFacts, function: str) -> Frame:
    """A frame in another function, which is in the folder of a known frame."""
    file = frame.file[: frame.file.rfind("/") + 1] + facts.path.rpartition("/")[2]
    return frame._replace(function=function, file=file, path=file)


def _other_user_frames(context: RaceContext, side: RaceSide) -> tuple[Frame, ...]:
    return next((s.user_frames for s in context.race_sides if s is not side), ())


def _go_start_frames(context: RaceContext, side: RaceSide) -> Iterator[Frame]:
    """Go: the line of `go hub.serve()` if the other side is further down in the same function."""
    entry_function = naming.bare_name(side.user_frames[-1].function) if side.user_frames else None
    for frame in _other_user_frames(context, side):
        facts = context.function_at(frame)
        for start in facts.thread_starts if facts else ():
            match = _GO_STATEMENT.match(start.text)
            if match and match[1] == entry_function and facts and start.line < facts.line:
                yield frame._replace(line=start.line)


def _printed_function_name(context: RaceContext, facts: FunctionFacts) -> str:
    """The function around a line, as the report prints it if it does."""
    for frame in [f for side in context.race_sides for f in side.user_frames]:
        here = context.function_at(frame)
        if here and here.definition == facts.definition:
            return frame.function
    return cpp_function_name(facts)


def cpp_function_name(facts: FunctionFacts) -> str:
    """`Hub::serve` for a method, `serve` for a function."""
    return f"{facts.receiver}::{facts.function}" if facts.receiver else facts.function


def _frames_leading_to(context: RaceContext, side: RaceSide, function: str) -> Iterator[Frame]:
    """The frames of the other side whose function called another one before."""
    for frame in _other_user_frames(context, side):
        facts = context.function_at(frame)
        call = next((c for c in facts.calls if c.name == function), None) if facts else None
        if call is not None and call.line < (frame.line or 0):
            yield frame._replace(line=call.line)


# A function that takes a lock rarely has arguments. Those with arguments, and C++ functions that may hold a guard,
# are followed only with such a name: "lockFor(key)", "acquire(ctx)"; not "unlock"
_ACQUIRING_NAME = re.compile(r"(?<![Uu]n)[Ll]ock|[Ee]nter|[Aa]cquire|[Gg]uard|[Ee]xclusive|[Cc]ritical|[Hh]old")
# calls followed per function
_MAX_CALLS_FOLLOWED = 8


def locks_acquired_by_callees(context: RaceContext, frame: Frame, facts: FunctionFacts) -> Iterator[HeldLock]:
    """`defer t.enter()()`, `s.lockAll()`: locks that a function called above a line acquired and kept."""
    calls = [c for c in facts.calls if c.closure_depth <= len(facts.closures) and c.line <= facts.line]
    # "defer t.view()()", "unlock := t.view()" and then "defer unlock()"
    deferred_names = {c.name.partition("(")[0] for c in calls if c.deferred} - {""}
    above = [c for c in calls if c.line < facts.line and not c.deferred]
    taken: dict[str, tuple[HeldLock, ...]] = {}
    for call in [c for c in above if _may_acquire_lock(c, deferred_names, context.is_go)][:_MAX_CALLS_FOLLOWED]:
        if taken.pop(call.name, None):
            continue  # "unlock()"
        callee = context.find_function(call.name, frame, facts.receiver)
        if callee is None:
            continue
        for name in [n for n, held in taken.items() if any(h.name in callee.locks_released for h in held)]:
            del taken[name]
        # a deferred unlock, in a call or a closure: it holds nothing when it returns
        unlocks = [c for c in callee.calls if c.deferred and ("nlock" in c.name or not c.name.isidentifier())]
        if callee.locks_held and not unlocks:
            taken[call.result or call.name] = callee.locks_held
    for held in taken.values():
        yield from held


def _may_acquire_lock(call: CallSite, deferred_names: set[str], go: bool) -> bool:
    is_simple = go and not call.arguments and call.name.isidentifier()
    return is_simple or bool(_ACQUIRING_NAME.search(call.name) or {call.name, call.result} & deferred_names)


WRITE_OPS = (Op.WRITE, Op.ATOMIC_WRITE, Op.FREE)
_ATOMIC_OPS = (Op.ATOMIC_READ, Op.ATOMIC_WRITE)
_MAX_NEAR_FRAMES = 6  # callers further out are not related to the site
_MAX_OUTER_FRAMES = 12  # but one of these may hold a lock of its package
MAX_NAMED_FRAMES = 3
# "flushLocked", "addLOCKED" name a caller's lock; "door.Locked" is a state
_LOCKED_SUFFIXES, _LOCKED_STATE_SUFFIXES = ("Locked", "LOCKED"), (".Locked", ".LOCKED", "IsLocked", "isLocked")
_OP_VERBS = {
    Op.READ: "reads",
    Op.WRITE: "writes",
    Op.ATOMIC_READ: "reads atomically",
    Op.ATOMIC_WRITE: "writes atomically",
    Op.FREE: "frees",
    Op.UNKNOWN: "accesses",
}
_THREAD_ENTRY_FUNCTIONS = ("mythread_wrapper", "start_thread", "clone", "thread_start", "_pthread_start")


class RaceSide:
    """One access with its actor, its stack and the code around its site."""

    def __init__(self, context: RaceContext, access: Access) -> None:
        self.context, self.access = context, access
        self.site = access.site
        self.writes = access.op in WRITE_OPS
        self.atomic = access.op in _ATOMIC_OPS
        actors = [actor for actor in context.report.actors if actor.id == access.actor]
        self.actor = actors[0] if actors else Actor(access.actor)
        # the function in the source: `courier.(*Courier).Stop`
        self.function = context.enclosing_function(self.site.function) if self.site else ""
        # all frames that are not stale
        self.live_frames = tuple([f for f in access.stack if not f.stale])
        self._site_index = self.live_frames.index(self.site) if self.site in self.live_frames else 0
        # the user frames among them, from the site outwards
        user_frames = [f for f in self.live_frames[self._site_index :] if f.origin is Origin.USER]
        self.user_frames = tuple(user_frames[:_MAX_NEAR_FRAMES])
        self._outer_frames = tuple(user_frames[_MAX_NEAR_FRAMES:_MAX_OUTER_FRAMES])
        # the frames above user code: the runtime and libraries; if the detector lost the caller, only these exist
        # and the site is one of them
        user_indices = [at for at, frame in enumerate(self.live_frames) if frame.origin is Origin.USER]
        self.has_no_user_code = bool(self.live_frames) and not user_indices
        self.library_frames = self.live_frames[: user_indices[0]] if user_indices else self.live_frames
        self.is_main = self.actor.state is ActorState.MAIN
        self.is_worker = self._is_started_by_user()
        self.is_closure = self.site is not None and naming.is_closure(self.site.function)
        self.point = point_of(self.site) if self.site else CodePoint("?")
        # computed on first use
        self._named_frames: list[tuple[Frame, str, tuple[str, ...]]] | None = None
        self._start_stack: tuple[Frame, ...] | None = None

        self._call_chain: tuple[tuple[Frame, FunctionFacts], ...] | None = None
        self._locks_held: tuple[HeldLock, ...] | None = None

    def frame_ending_with(self, *names: str) -> Frame | None:
        """The first frame whose function ends with one of these names."""
        return next((frame for frame in self.live_frames if frame.function.endswith(names)), None)

    def library_frame_matching(self, pattern: re.Pattern[str]) -> Frame | None:
        """The first frame above the site whose function matches a pattern."""
        for frame in self.library_frames:
            if pattern.search(frame.function):
                return frame
        return None

    def enclosing_function(self, frame: Frame) -> str:
        """The function that contains a frame's code in the source."""
        return self.context.enclosing_function(frame.function)

    @property
    def named_frames(self) -> list[tuple[Frame, str, tuple[str, ...]]]:
        """The frames nearest to the site, except tests, with each function's bare name and the words in it."""
        if self._named_frames is None:
            self._named_frames = []
            for frame in self.user_frames[:MAX_NAMED_FRAMES]:
                function = self.context.enclosing_function(frame.function)
                name = naming.bare_name(function)
                parts = naming.name_words(name)
                if name == "init" and self.context.is_go and naming.is_package_function(function):
                    continue  # the package's init, or a closure in a package variable
                if parts and not frame.function.rpartition(".")[2].startswith("Test"):
                    self._named_frames.append((frame, name, parts))
        return self._named_frames

    @property
    def frame_expecting_lock(self) -> Frame | None:
        """The frame near the site whose name (`flushLocked`) or comment says that the caller holds the lock."""
        for frame in self.user_frames[:MAX_NAMED_FRAMES]:
            if frame.function.endswith(_LOCKED_SUFFIXES) and not frame.function.endswith(_LOCKED_STATE_SUFFIXES):
                return frame
            if (facts := self.context.function_at(frame)) is not None and facts.requires_lock:
                return frame
        return None

    @property
    def owner(self) -> str:
        """The type (for a function: the package) that the site belongs to."""
        return naming.owner_of(self.function)

    @property
    def start_frame(self) -> Frame | None:
        """Where the user's code started the goroutine or thread."""
        for frame in self.start_stack:
            if frame.origin is Origin.USER and not frame.stale:
                return frame
        return None

    @property
    def start_stack(self) -> tuple[Frame, ...]:
        """The stack that started it, as reported; otherwise as far as the code shows it."""
        if self._start_stack is None:
            self._start_stack = self.actor.created_at
            # a truncated stack has only library frames
            if self.context.source and all(f.origin is not Origin.USER for f in self._start_stack):
                self._start_stack = find_start_frames(self.context, self) or self._start_stack
        return self._start_stack

    def _is_started_by_user(self) -> bool:
        """Did the user's own code start its goroutine? (The testing package starts those of tests.)"""
        if not self.context.is_go:
            # a truncated stack does not show where its thread began
            has_start = bool(self.actor.created_at) or self.context.source is not None
            return not self.is_main and (has_start or self._begins_in_thread())
        for frame in self.actor.created_at:
            if frame.origin is not Origin.RUNTIME:
                return frame.origin is Origin.USER and not self.is_main
        return False

    def _begins_in_thread(self) -> bool:
        """Does its stack begin at a thread entry? Helgrind reports only once who started a thread."""
        if any(f.function in _THREAD_ENTRY_FUNCTIONS for f in self.live_frames[-3:]):
            return True
        # what libstdc++ calls at a thread entry and nowhere else, also in a truncated stack
        return any("std::thread::_" in f.function for f in self.live_frames)

    @property
    def runs_test(self) -> bool:
        """Is its goroutine that of a test, and not one that a test started?"""
        return any("testing.(*T).Run" in f.function for f in self.actor.created_at[:2])

    @property
    def is_in_test_file(self) -> bool:
        """Is its site in a test file?"""
        return self.site is not None and naming.is_test_file(self.site.file)

    @property
    def site_facts(self) -> FunctionFacts | None:
        """The facts about the code around its site."""
        return self.context.function_at(self.site) if self.site is not None else None

    @property
    def call_chain(self) -> tuple[tuple[Frame, FunctionFacts], ...]:
        """The facts about the code on its call chain, from the site outwards, as far as available."""
        if self._call_chain is None:
            # the compiler's wrapper of a go statement is in the starter's code
            frames = [f for f in self.user_frames if not (self.is_worker and self._is_go_statement_wrapper(f))]
            pairs = [(frame, self.context.function_at(frame)) for frame in frames]
            self._call_chain = tuple([(frame, code) for frame, code in pairs if code is not None])
        return self._call_chain

    @property
    def locks_held(self) -> tuple[HeldLock, ...]:
        """The locks that the site's function, or a caller in its package, holds in the code."""
        if self._locks_held is None:
            locks: list[HeldLock] = []
            released: set[str] = set()  # released further in, so callers no longer hold it
            for frame, facts in self.call_chain:
                released.update(facts.locks_released_above)
                if self.site is not None and frame.package == self.site.package:
                    own_locks = facts.locks_held or locks_acquired_by_callees(self.context, frame, facts)
                    if any(h.is_read_lock for h in facts.locks_held) and self._is_library_callback(frame):
                        own_locks = tuple([h for h in facts.locks_held if not h.is_read_lock])
                    locks += [h for h in own_locks if h.name not in released]
            if not locks:
                locks += [h for h in self._locks_of_outer_methods() if h.name not in released]
            self._locks_held = tuple(locks)
        return self._locks_held

    @property
    def is_library_access(self) -> bool:
        """Did a library that the line calls do the access: `fmt.Sprintf("%v", r)`?"""
        return bool(self.library_frames) and self.library_frames[-1].origin in (Origin.STDLIB, Origin.TEST)

    def has_library_between(self, caller: Frame) -> bool:
        """Is a library frame between a caller and the site? Then the object may be any."""
        return any(f.origin is Origin.STDLIB for f in self._frames_below(caller))

    def _frames_below(self, caller: Frame) -> tuple[Frame, ...]:
        """The frames from the site to one of its callers."""
        end = self.live_frames.index(caller) if caller in self.live_frames else 0
        return self.live_frames[self._site_index : end]

    def _is_library_callback(self, caller: Frame) -> bool:
        """Did a library call the site's code, as a server calls a handler under the read lock of its table?"""
        between = self._frames_below(caller)
        if any(self.enclosing_function(f) == self.enclosing_function(caller) for f in between):
            return False  # a closure of the caller itself: `sort.Slice(all, func…)`
        return any(f.package != caller.package for f in between if f.origin in (Origin.USER, Origin.STDLIB))

    def _locks_of_outer_methods(self) -> list[HeldLock]:
        """The locks of outer frames that are methods of the same type as the site."""
        receiver = self.site_facts.receiver if self.site_facts else ""
        outer = [self.context.function_at(frame) for frame in self._outer_frames] if receiver else []
        return [lock for facts in outer if facts and facts.receiver == receiver for lock in facts.locks_held]

    def _is_go_statement_wrapper(self, frame: Frame) -> bool:
        """Is it the compiler's wrapper of a go statement: `Open.gowrap1`, formerly `Open.func1`?"""
        start_frame = self.start_frame
        if start_frame is None or frame == self.site or frame.function == start_frame.function:
            return False
        same = (frame.file, frame.line) == (start_frame.file, start_frame.line)
        return same and self.enclosing_function(frame) == self.enclosing_function(start_frame)

    def evidence_at_site(self, text: str) -> Evidence:
        return Evidence(text, self.point)

    @property
    def action(self) -> str:
        """The function and its operation: `(*Courier).Stop writes`."""
        return f"{self.subject} {_OP_VERBS[self.access.op]}"

    @property
    def atomic_action(self) -> str:
        """The same for an access that is atomic, whether the detector says so or not."""
        return self.action if self.atomic else f"{self.action} atomically"

    @property
    def subject(self) -> str:
        """The function that does the access; without user code in the stack, the actor."""
        if self.has_no_user_code and self.actor.id:
            start = self.start_frame
            starter = f", which `{naming.without_package(start.function)}` started," if start else ""
            return self.actor.id + starter
        return f"`{naming.without_package(self.function)}`" if self.function else "this side"


def point_of(frame: Frame, line: int | None = None) -> CodePoint:
    """A frame's location, or another line of its file."""
    return CodePoint(frame.file, frame.line if line is None else line, frame.function)
