"""Builds a report from Go stacks: marks stale frames, finds sites and tests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from deadheat.dialects.blame import site
from deadheat.model import Access, Actor, Damage, Frame, Op, Origin, Report, State
from deadheat.symbols import go, roots
from deadheat.text.late import regex

if TYPE_CHECKING:
    from collections.abc import Collection

Stack = tuple[Frame, ...]
# three times as fast as the constructor of a NamedTuple, but without defaults
_new: Final = tuple.__new__

# callers of a test function, or functions between it and the test runner
_CALLS_TESTS: Final = regex(r"reflect\.|runtime\.(?:call\d|reflectcall|goexit|deferreturn|gopanic)")
# "testing.(*T).Run.func1", "testing.(*T).Run.gowrap1", "testing.(*T).Run·dwrap·21"
_CALLS_RUNNER: Final = regex(r"testing\.|runtime\.goexit")
# test runners, and the first letters of test names
_RUNNERS: Final = ("testing.tRunner", "main.main")
_INITIALS: Final = ("T", "B", "E", "F")


class Side:
    """An access or the creation of a goroutine, as parsed."""

    __slots__ = ("actor", "address", "called_from", "failed", "frames", "offset", "op", "state")

    def __init__(self, actor: str, op: Op = Op.UNKNOWN, address: str | None = None) -> None:
        self.actor = actor
        self.op = op
        self.address = address
        self.state = State.UNKNOWN
        self.failed = False
        self.frames: list[Frame] = []
        # code offset of the innermost frame: "0x45"
        self.offset = ""
        # code offset of the next frame
        self.called_from = ""


def report(
    detector: str,
    kind: str,
    accesses: list[Side],
    creations: list[Side],
    damage: Collection[Damage],
) -> Report:
    """Build the report: mark stale frames, find sites and tests."""
    sides = [*accesses, *creations]
    if _has_absolute(sides):  # rare
        known = roots.known(f for side in sides for f in side.frames)
        for side in sides:
            side.frames = [roots.below(f, known) for f in side.frames]
    told = _told(sides)
    stacks = [stack for stack, _ in told]
    own, tests = _tests(sides, [test for _, test in told], len(accesses))
    raced = [_access(side, stacks[i], tests[i]) for i, side in enumerate(accesses)]
    actors = _actors(accesses, creations, stacks[len(accesses) :])
    hurt = tuple(sorted(damage)) if damage else ()
    facts = _between(accesses)
    return _new(Report, (detector, kind, tuple(raced), actors, None, own, hurt, (), (), facts))


def _has_absolute(sides: list[Side]) -> bool:
    """Is there a file whose module root is not known from its own frame?"""
    for side in sides:
        for frame in side.frames:
            file = frame[2]
            if file.startswith("/") or (":" in file and roots.is_absolute(file)):
                return True
    return False


def _access(side: Side, stack: Stack, test: str | None) -> Access:
    blamed = site(stack)
    own = bool(side.offset and stack) and blamed is stack[0]
    instruction = side.offset if own else None
    called_from = side.called_from or None if own else None
    values = (
        side.op, side.actor, stack, side.address, None, (), blamed, test, instruction, called_from,
    )  # fmt: skip
    return _new(Access, values)


# bytes between read and write: 18 to 64 for "x.n++", 104 unoptimized; 117 to 210 for append
_CALL: Final = 110
_COPIED: Final = 4  # functions are rarely inlined deeper
CALLS_BETWEEN: Final = ("one line", "something is called between its read and its write")


def _between(accesses: list[Side]) -> tuple[tuple[str, str], ...]:
    """A fact if one line reads and writes, and the offsets show a call in between."""
    if len(accesses) < 2 or not accesses[0].offset or not accesses[1].offset:
        return ()
    a, b = accesses[0], accesses[1]
    if {a.op, b.op} != {Op.READ, Op.WRITE} or not is_one_line(a, b):
        return ()
    apart = abs(int(a.offset, 16) - int(b.offset, 16))
    return (CALLS_BETWEEN,) if apart >= _CALL else ()


def is_one_line(a: Side, b: Side) -> bool:
    """Are two accesses on the same line of the same machine code, so that offsets are comparable?

    An inlined function has a copy in each caller, so the callers must be the same, too.
    """
    return a.frames[:_COPIED] == b.frames[:_COPIED] and bool(a.frames)


def _tests(
    sides: list[Side], found: list[str | None], accesses: int
) -> tuple[str | None, list[str | None]]:
    """The test of the report, and of each access if it differs.

    The test of a goroutine is on its own stack or on the stack that created it.
    """
    if not any(found):
        return None, [None] * accesses
    created = {side.actor: found[accesses + i] for i, side in enumerate(sides[accesses:])}
    told = [found[i] or created.get(sides[i].actor) for i in range(accesses)]
    own: str | None = None
    for test in (*told, *found):
        own = own or test
    return own, [other if other != own else None for other in told]


def _actors(accesses: list[Side], creations: list[Side], stacks: list[Stack]) -> tuple[Actor, ...]:
    created: dict[str, Actor] = {}
    for i, side in enumerate(creations):
        if side.actor not in created:
            created[side.actor] = _new(Actor, (side.actor, side.state, stacks[i]))
    raced: list[Actor] = []
    names: list[str] = []
    for side in accesses:
        if side.actor and side.actor not in names:
            names.append(side.actor)
            raced.append(created.get(side.actor) or Actor(side.actor, _uncreated(side.actor)))
    return tuple(raced)


def _uncreated(actor: str) -> State:
    return State.MAIN if actor == "main goroutine" else State.UNKNOWN


def _told(sides: list[Side]) -> list[tuple[Stack, str | None]]:
    """Each stack with stale frames marked, and its test."""
    told = []
    for side in sides:
        tests = [i for i, frame in enumerate(side.frames) if _is_near_test(frame[0])]
        told.append(_marked(tuple(side.frames), tests))
    return told


def _marked(stack: Stack, tests: list[int]) -> tuple[Stack, str | None]:
    """Mark stale frames and find the test. `tests` are the indexes of possible test functions.

    A test function, `testing.tRunner` and `main.main` are only called by the test runner or the runtime,
    and the entry of a goroutine has no caller. Other frames below them are stale: the detector's shadow
    stack kept them after a recovered panic.
    """
    end = _trusted(stack, tests)
    if end < len(stack):
        stack = stack[:end] + tuple(frame._replace(stale=True) for frame in stack[end:])
    for i in tests:
        if i < end and _in_test_file(stack[i]) and (name := go.test_name(stack[i].function)):
            return stack, name
    return stack, None


def _is_near_test(function: str) -> bool:
    """Might this be a test function, a closure in one, or a test runner?"""
    at = function.rfind(".") + 1
    if at == len(function):
        return False
    if function[at] in _INITIALS or function in _RUNNERS:
        return True
    # the name of a closure, method value or generic function may contain the test
    last = function[len(function) - 1]
    is_hidden = last.isdigit() or last == "m" or "[" in function
    return is_hidden and go.test_name(function) is not None


def _trusted(stack: Stack, tests: list[int]) -> int:
    """The number of frames from the top that are not stale."""
    for i in tests:
        if i + 1 < len(stack) and not _may_call(stack[i + 1], stack[i]):
            return i + 1
    return _above_second_entry(stack)


def _above_second_entry(stack: Stack) -> int:
    """The number of frames up to the first occurrence of the goroutine's entry."""
    entry = stack[-1][0] if stack else ""
    # a closure may call itself; the wrapper generated for `go f(x)` cannot
    if ".gowrap" not in entry and "·dwrap·" not in entry:
        return len(stack)
    return next((i + 1 for i, f in enumerate(stack) if f.function == entry), len(stack))


def _may_call(caller: Frame, frame: Frame) -> bool:
    function = frame.function
    if function == "testing.tRunner":
        return _CALLS_RUNNER.match(caller.function) is not None
    if function == "main.main":
        return caller.function.startswith("runtime.")
    if not go.is_test(function) or not _in_test_file(frame):
        return True
    if function.endswith(".TestMain"):
        return caller.function == "main.main"
    return (
        caller.origin is Origin.TEST
        or (caller.file.endswith("_test.go") and caller.function != function)
        or _CALLS_TESTS.match(caller.function) is not None
    )


def _in_test_file(frame: Frame) -> bool:
    return frame.file.endswith("_test.go") or not frame.file
