"""What Go's stacks tell on their own: stale frames, the site to blame, the test that ran."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from deadheat.dialects.blame import site
from deadheat.model import Access, Actor, Damage, Frame, Op, Origin, Report, State
from deadheat.symbols import go, roots
from deadheat.text.late import regex

if TYPE_CHECKING:
    from collections.abc import Collection

Stack = tuple[Frame, ...]
# makes a tuple with names in a third of the time that its class takes, without whose defaults
_new: Final = tuple.__new__

# the functions that call a test function, or stand between it and the harness
_CALLS_TESTS: Final = regex(r"reflect\.|runtime\.(?:call\d|reflectcall|goexit|deferreturn|gopanic)")
# "testing.(*T).Run.func1", "testing.(*T).Run.gowrap1", "testing.(*T).Run·dwrap·21"
_CALLS_RUNNER: Final = regex(r"testing\.|runtime\.goexit")
# what calls tests, and the first letters of a test's name
_RUNNERS: Final = ("testing.tRunner", "main.main")
_INITIALS: Final = ("T", "B", "E", "F")


class Side:
    """An access, or the creation of an actor, as a report gives it."""

    __slots__ = ("actor", "address", "called_from", "failed", "frames", "offset", "op", "state")

    def __init__(self, actor: str, op: Op = Op.UNKNOWN, address: str | None = None) -> None:
        self.actor = actor
        self.op = op
        self.address = address
        self.state = State.UNKNOWN
        self.failed = False
        self.frames: list[Frame] = []
        # of its innermost frame, how far into the function's code it lies: "0x45"
        self.offset = ""
        # the same of the next frame
        self.called_from = ""


def report(
    detector: str,
    kind: str,
    accesses: list[Side],
    creations: list[Side],
    damage: Collection[Damage],
) -> Report:
    """The report that these sides make, with its stale frames, sites and test found."""
    sides = [*accesses, *creations]
    if _has_absolute(sides):  # hardly ever
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
    """Is there a file of which nobody can tell the module's root by its own frame?"""
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


# "x.n++" takes 18 to 64 bytes from its read to its write, 104 without optimisation; append 117 to 210
_CALL: Final = 110
_COPIED: Final = 4  # no deeper are functions put into one another, nearly always
CALLS_BETWEEN: Final = ("one line", "something is called between its read and its write")


def _between(accesses: list[Side]) -> tuple[tuple[str, str], ...]:
    """What the offsets tell where one line both reads and writes: does more happen in between?"""
    if len(accesses) < 2 or not accesses[0].offset or not accesses[1].offset:
        return ()
    a, b = accesses[0], accesses[1]
    if {a.op, b.op} != {Op.READ, Op.WRITE} or not is_one_line(a, b):
        return ()
    apart = abs(int(a.offset, 16) - int(b.offset, 16))
    return (CALLS_BETWEEN,) if apart >= _CALL else ()


def is_one_line(a: Side, b: Side) -> bool:
    """Are two accesses on one line, and in the same copy of it? Then their offsets may be compared.

    What is put into its callers has a copy in each of them, so that those have to be the same, too.
    """
    return a.frames[:_COPIED] == b.frames[:_COPIED] and bool(a.frames)


def _tests(
    sides: list[Side], found: list[str | None], accesses: int
) -> tuple[str | None, list[str | None]]:
    """The report's test, and that of each access where it is another one.

    A goroutine's test is on its own stack, or on that of whoever created it.
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
    """Every stack with its stale frames marked, and the test whose code is on it."""
    told = []
    for side in sides:
        tests = [i for i, frame in enumerate(side.frames) if _is_near_test(frame[0])]
        told.append(_marked(tuple(side.frames), tests))
    return told


def _marked(stack: Stack, tests: list[int]) -> tuple[Stack, str | None]:
    """The stack with its stale frames marked, and its test; `tests` are the frames that may be one.

    A test function, `testing.tRunner` or `main.main` has no callers of its own kind, and the
    entry of a goroutine has none at all: what stands below such a frame was kept by the detector's
    shadow stack after a recovered panic.
    """
    end = _trusted(stack, tests)
    if end < len(stack):
        stack = stack[:end] + tuple(frame._replace(stale=True) for frame in stack[end:])
    for i in tests:
        if i < end and _in_test_file(stack[i]) and (name := go.test_name(stack[i].function)):
            return stack, name
    return stack, None


def _is_near_test(function: str) -> bool:
    """May this be a test function, a closure in one, or what calls one?"""
    at = function.rfind(".") + 1
    if at == len(function):
        return False
    if function[at] in _INITIALS or function in _RUNNERS:
        return True
    # only a closure, a method's value and what has type arguments hide the name of the test
    last = function[len(function) - 1]
    is_hidden = last.isdigit() or last == "m" or "[" in function
    return is_hidden and go.test_name(function) is not None


def _trusted(stack: Stack, tests: list[int]) -> int:
    """How many frames from the top can be true."""
    for i in tests:
        if i + 1 < len(stack) and not _may_call(stack[i + 1], stack[i]):
            return i + 1
    return _above_second_entry(stack)


def _above_second_entry(stack: Stack) -> int:
    """The entry of a goroutine stands at the bottom; above that, it can only be stale's neighbour."""
    entry = stack[-1][0] if stack else ""
    # a closure may call itself; the wrapper that the compiler makes for `go f(x)` cannot
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
