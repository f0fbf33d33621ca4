"""Builds a `Report` from parsed Go stacks: marks stale frames, finds sites and tests, rejects false reports."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from deadheat.detectors import find_site
from deadheat.model import Access, Actor, ActorState, Damage, Frame, Op, Origin, Report
from deadheat.symbols import go
from deadheat.text import lazy_compile

if TYPE_CHECKING:
    from collections.abc import Collection

FrameStack = tuple[Frame, ...]
# three times as fast as the constructor of a NamedTuple, but without defaults
new_tuple: Final = tuple.__new__

# callers of a test function, or functions between it and the test runner
_TEST_CALLER: Final = lazy_compile(r"reflect\.|runtime\.(?:call\d|reflectcall|goexit|deferreturn|gopanic)")
# "testing.(*T).Run.func1", "testing.(*T).Run.gowrap1", "testing.(*T).Run·dwrap·21"
_RUNNER_CALLER: Final = lazy_compile(r"testing\.|runtime\.goexit")
# test runners, and the first letters of test names
_TEST_RUNNERS: Final = ("testing.tRunner", "main.main")
_TEST_INITIALS: Final = ("T", "B", "E", "F")


class GoStackRecord:
    """An access or the creation of a goroutine, as parsed."""

    __slots__ = ("actor", "address", "caller_offset", "frames", "offset", "op", "stack_failed", "state")

    def __init__(
        self,
        actor: str,
        op: Op = Op.UNKNOWN,
        address: str | None = None,
        state: ActorState = ActorState.UNKNOWN,
        frames: list[Frame] | None = None,
    ) -> None:
        self.actor, self.op, self.address, self.state = actor, op, address, state
        self.frames: list[Frame] = [] if frames is None else frames
        self.stack_failed = False
        self.offset = ""  # code offset of the innermost frame: "0x45"
        self.caller_offset = ""  # code offset of the next frame


def build_report(
    detector: str, kind: str, accesses: list[GoStackRecord], creations: list[GoStackRecord], damage: Collection[Damage]
) -> Report:
    """Build the report: mark stale frames, find sites and tests."""
    records = [*accesses, *creations]
    if _has_absolute_file(records):  # rare
        module_roots = go.find_module_roots(frame for record in records for frame in record.frames)
        for record in records:
            record.frames = [go.relative_to_root(frame, module_roots) for frame in record.frames]
    marked = _mark_stacks(records)
    stacks = [stack for stack, _ in marked]
    report_test, tests = _assign_tests(records, [test for _, test in marked], len(accesses))
    built = [_build_access(record, stacks[i], tests[i]) for i, record in enumerate(accesses)]
    actors = _build_actors(accesses, creations, stacks[len(accesses) :])
    sorted_damage = tuple(sorted(damage)) if damage else ()
    facts = _call_between_facts(accesses)
    return new_tuple(Report, (detector, kind, tuple(built), actors, None, report_test, sorted_damage, (), (), facts))


def _has_absolute_file(records: list[GoStackRecord]) -> bool:
    """Is there a file whose module root is not known from its own frame?"""
    for record in records:
        for frame in record.frames:
            file = frame[2]
            if file.startswith("/") or (":" in file and go.is_absolute_path(file)):
                return True
    return False


def _build_access(record: GoStackRecord, stack: FrameStack, test: str | None) -> Access:
    site = find_site(stack)
    is_top_frame = bool(record.offset and stack) and site is stack[0]
    instruction = record.offset if is_top_frame else None
    caller_offset = record.caller_offset or None if is_top_frame else None
    values = (record.op, record.actor, stack, record.address, None, (), site, test, instruction, caller_offset)
    return new_tuple(Access, values)


# bytes between read and write: 18 to 64 for "x.n++", 104 unoptimized; 117 to 210 for append
_MIN_CALL_DISTANCE: Final = 110
_MAX_INLINE_DEPTH: Final = 4  # functions are rarely inlined deeper
CALL_BETWEEN_FACT: Final = ("one line", "something is called between its read and its write")


def _call_between_facts(accesses: list[GoStackRecord]) -> tuple[tuple[str, str], ...]:
    """A fact if one line reads and writes, and the offsets show a call in between."""
    if len(accesses) < 2 or not accesses[0].offset or not accesses[1].offset:
        return ()
    a, b = accesses[0], accesses[1]
    if {a.op, b.op} != {Op.READ, Op.WRITE} or not a.frames:
        return ()
    # offsets are comparable on the same line of the same machine code; an inlined function has a copy in each caller
    if a.frames[:_MAX_INLINE_DEPTH] != b.frames[:_MAX_INLINE_DEPTH]:
        return ()
    distance = abs(int(a.offset, 16) - int(b.offset, 16))
    return (CALL_BETWEEN_FACT,) if distance >= _MIN_CALL_DISTANCE else ()


def _assign_tests(
    records: list[GoStackRecord], stack_tests: list[str | None], accesses: int
) -> tuple[str | None, list[str | None]]:
    """The test of the report, and of each access if it differs; it is on the access's or on the creation's stack."""
    if not any(stack_tests):
        return None, [None] * accesses
    created = {record.actor: stack_tests[accesses + i] for i, record in enumerate(records[accesses:])}
    access_tests = [stack_tests[i] or created.get(records[i].actor) for i in range(accesses)]
    report_test = next((test for test in (*access_tests, *stack_tests) if test), None)
    return report_test, [other if other != report_test else None for other in access_tests]


def _build_actors(
    accesses: list[GoStackRecord], creations: list[GoStackRecord], stacks: list[FrameStack]
) -> tuple[Actor, ...]:
    created: dict[str, Actor] = {}
    for i, record in enumerate(creations):
        if record.actor not in created:
            created[record.actor] = new_tuple(Actor, (record.actor, record.state, stacks[i]))
    built: list[Actor] = []
    names: list[str] = []
    for record in accesses:
        if record.actor and record.actor not in names:
            names.append(record.actor)
            state = ActorState.MAIN if record.actor == "main goroutine" else ActorState.UNKNOWN
            built.append(created.get(record.actor) or Actor(record.actor, state))
    return tuple(built)


def _mark_stacks(records: list[GoStackRecord]) -> list[tuple[FrameStack, str | None]]:
    """Each stack with stale frames marked, and its test."""
    marked = []
    for record in records:
        tests = [i for i, frame in enumerate(record.frames) if _might_be_test(frame[0])]
        marked.append(_mark_stale_frames(tuple(record.frames), tests))
    return marked


def _mark_stale_frames(stack: FrameStack, tests: list[int]) -> tuple[FrameStack, str | None]:
    """Mark stale frames and find the test. `tests` are the indexes of possible test functions.

    A test function, `testing.tRunner` and `main.main` are only called by the test runner or the runtime, and the entry
    of a goroutine has no caller. Other frames below them are stale: the detector's shadow stack kept them after a
    recovered panic.
    """
    end = _trusted_length(stack, tests)
    if end < len(stack):
        stack = stack[:end] + tuple(frame._replace(stale=True) for frame in stack[end:])
    for i in tests:
        if i < end and _is_in_test_file(stack[i]) and (name := go.enclosing_test(stack[i].function)):
            return stack, name
    return stack, None


def _might_be_test(function: str) -> bool:
    """Might this be a test function, a closure in one, or a test runner?"""
    at = function.rfind(".") + 1
    if at == len(function):
        return False
    if function[at] in _TEST_INITIALS or function in _TEST_RUNNERS:
        return True
    # the name of a closure, method value or generic function may contain the test
    last = function[len(function) - 1]
    may_hide_test = last.isdigit() or last == "m" or "[" in function
    return may_hide_test and go.enclosing_test(function) is not None


def _trusted_length(stack: FrameStack, tests: list[int]) -> int:
    """The number of frames from the top that are not stale."""
    for i in tests:
        if i + 1 < len(stack) and not _can_call(stack[i + 1], stack[i]):
            return i + 1
    entry = stack[-1][0] if stack else ""
    # a closure may call itself; the wrapper generated for `go f(x)` cannot, so that it occurs once
    if ".gowrap" not in entry and "·dwrap·" not in entry:
        return len(stack)
    return next((i + 1 for i, frame in enumerate(stack) if frame.function == entry), len(stack))


def _can_call(caller: Frame, frame: Frame) -> bool:
    function = frame.function
    if function == "testing.tRunner":
        return _RUNNER_CALLER.match(caller.function) is not None
    if function == "main.main":
        return caller.function.startswith("runtime.")
    if not go.is_test_function(function) or not _is_in_test_file(frame):
        return True
    if function.endswith(".TestMain"):
        return caller.function == "main.main"
    return (
        caller.origin is Origin.TEST
        or (caller.file.endswith("_test.go") and caller.function != function)
        or _TEST_CALLER.match(caller.function) is not None
    )


def _is_in_test_file(frame: Frame) -> bool:
    return frame.file.endswith("_test.go") or not frame.file


class GoReportDraft:
    """Accesses, creations, the current stack, and the damage of a report."""

    def __init__(self) -> None:
        self.accesses: list[GoStackRecord] = []
        self.creations: list[GoStackRecord] = []
        self.stack: list[Frame] = []
        self.pending_symbol = ""  # a function without its location yet
        self.blank_after_symbol = False  # a blank line follows that function
        self.has_banner = self.is_closed = False
        self.has_one_line_frames = False  # function and location are on one line
        self.lacks_offset = False  # the last location has no offset: its line number may be cut
        self.damage: set[Damage] = set()

    def add_access(self, record: GoStackRecord, is_previous: bool) -> None:
        if is_previous and not self.accesses:
            self._add_headless_access()
        self.accesses.append(record)
        self.finish_frame()
        self.stack = record.frames

    def _add_headless_access(self) -> None:
        """The first access has no header: the frames so far are the end of its stack."""
        self.damage.add(Damage.TRUNCATED)
        if self.stack:
            self.accesses.append(GoStackRecord("", frames=self.stack))

    def add_creation(self, record: GoStackRecord) -> None:
        self.creations.append(record)
        self.finish_frame()
        self.stack = record.frames

    def add_location(self, path: str, line: int, offset: str | None) -> None:
        """Add the location of the pending function."""
        self.lacks_offset = offset is None
        if self.blank_after_symbol:
            self.damage.add(Damage.DOUBLED_BLANK_LINES)
        if offset and len(self.stack) < 2 and self.accesses and not self.creations:
            if self.stack:
                self.accesses[-1].caller_offset = offset[1:]
            else:
                self.accesses[-1].offset = offset[1:]
        self.stack.append(go.make_frame(self.pending_symbol, path, line))
        self.pending_symbol, self.blank_after_symbol = "", False

    def finish_frame(self) -> None:
        """Add the pending function as a frame without a location."""
        if "." in self.pending_symbol:
            self.stack.append(go.make_frame(self.pending_symbol, "", None))
        self.pending_symbol, self.blank_after_symbol = "", False

    def add_offset_line(self, digits: str) -> bool:
        """Add a wrapped offset, perhaps with the last digits of the line number: `12 +0x384`."""
        if not self.lacks_offset or not self.stack:
            return False
        if digits:
            frame = self.stack[-1]
            self.stack[-1] = frame._replace(line=int(f"{frame.line}{digits}"))
        self.lacks_offset = False
        self.damage.add(Damage.WRAPPED)
        return True

    def add_bare_location(self, path: str, line: int) -> bool:
        """Add a location without a function, if the stack has no functions."""
        if self.pending_symbol or not self.accesses or any(frame.function for frame in self.stack):
            return False
        self.stack.append(go.make_frame("", path, line))
        return True

    def add_one_line_frame(self, symbol: str, path: str, line: int) -> bool:
        """Add a function with its location, if the stack has only such frames."""
        if self.pending_symbol or not self.accesses or (self.stack and not self.has_one_line_frames):
            return False
        self.pending_symbol, self.has_one_line_frames = symbol, True
        self.add_location(path, line, None)
        return True

    def has_stack(self) -> bool:
        return any(record.frames or record.stack_failed for record in self.accesses)

    def is_complete(self) -> bool:
        if len(self.accesses) < 2:
            return False
        created = {record.actor for record in self.creations if record.frames}
        return all(access.actor in created or access.actor == "main goroutine" for access in self.accesses)

    def build_report(self, ends_mid_line: bool) -> Report | None:
        self.finish_frame()
        if ends_mid_line and self.lacks_offset and self.stack:
            self.stack[-1] = self.stack[-1]._replace(line=None)  # `:12` may have been `:123`
        for record in [*self.accesses, *self.creations]:
            # a location before the first function is not a frame
            frames = _drop_ambiguous_locations(record.frames)
            record.frames = [frame for frame in frames if frame.function] or record.frames
        if not self._is_credible([record for record in self.accesses if record.actor]):
            return None
        return build_report("go", "data-race", self.accesses, self.creations, self._collect_damage())

    def _is_credible(self, with_actor: list[GoStackRecord]) -> bool:
        if [record.op for record in self.accesses] == [Op.READ, Op.READ]:
            return False  # two reads do not race: the lines are from two reports
        if self.has_banner and any(record.stack_failed for record in with_actor):
            return True
        has_location = any(frame.line is not None for record in with_actor for frame in record.frames)
        # an otherwise undamaged report may have functions without locations for both accesses
        has_both = self.has_banner and len(with_actor) == 2 and all(record.frames for record in with_actor)
        has_functions_only = has_both and not self.damage & {Damage.GLUED, Damage.INTERLEAVED, Damage.WRAPPED}
        return (has_location or has_functions_only) and not self._is_prose(with_actor)

    def _is_prose(self, with_actor: list[GoStackRecord]) -> bool:
        """Is this prose about one access, followed by an unrelated stack?"""
        if len(with_actor) != 1 or Damage.GLUED not in self.damage:
            return False
        has_functions = any(frame.function for frame in with_actor[0].frames)
        return Damage.INTERLEAVED in self.damage or not (self.has_banner or has_functions)

    def _collect_damage(self) -> set[Damage]:
        damage = set(self.damage)
        if not self.has_banner:
            damage.add(Damage.NO_BANNER)
        if not self.is_closed:
            damage.add(Damage.NO_BARS)
        if not self.is_complete():
            damage.add(Damage.TRUNCATED)
        return damage


def _drop_ambiguous_locations(frames: list[Frame]) -> list[Frame]:
    """Drop all locations of a stack that may be reversed: it starts with a location and ends with a function."""
    if len(frames) < 2 or frames[0].function or frames[-1].line is not None:
        return frames
    return [frame._replace(file="", path="", line=None) for frame in frames]
