"""What Go's stacks tell on their own: stale frames, the site to blame, the test that ran."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from deadheat.model import Frame, Origin
from deadheat.symbols import go

if TYPE_CHECKING:
    from collections.abc import Iterable

Stack = tuple[Frame, ...]

# the functions that call a test function, or stand between it and the harness
_CALLS_TESTS = re.compile(
    r"(?:reflect\.|runtime\.(?:call\d|reflectcall|goexit|deferreturn|gopanic))"
)
# "testing.(*T).Run.func1", "testing.(*T).Run.gowrap1", "testing.(*T).Run·dwrap·21", "testing.runTests"
_CALLS_RUNNER = re.compile(r"testing\.|runtime\.goexit")
_MAIN_CALLERS = re.compile(r"runtime\.")


def mark_stale(stack: Stack) -> Stack:
    """Marks the frames that the detector's shadow stack kept after a recovered panic.

    A test function, `testing.tRunner` or `main.main` has no callers of its own kind, and the
    entry of a goroutine has none at all: what stands below such a frame is no longer real.
    """
    end = _trusted(stack)
    if end == len(stack):
        return stack
    return stack[:end] + tuple(replace(frame, stale=True) for frame in stack[end:])


def _trusted(stack: Stack) -> int:
    """How many frames from the top can be true."""
    entry = stack[-1].function if stack else ""
    is_entry = entry != go.parent(entry)
    for i, frame in enumerate(stack[:-1]):
        if not _may_call(stack[i + 1], frame):
            return i + 1
        if is_entry and frame.function == entry and frame.origin is Origin.USER:
            return i + 1
    return len(stack)


def _may_call(caller: Frame, frame: Frame) -> bool:
    if frame.function.endswith(".TestMain"):
        return caller.function == "main.main"
    if go.is_test(frame.function) and frame.origin is Origin.USER:
        return (
            caller.origin is Origin.TEST
            or (caller.file.endswith("_test.go") and caller.function != frame.function)
            or bool(_CALLS_TESTS.match(caller.function))
        )
    if frame.function == "testing.tRunner":
        return bool(_CALLS_RUNNER.match(caller.function))
    if frame.function == "main.main":
        return bool(_MAIN_CALLERS.match(caller.function))
    return True


def site(stack: Stack) -> Frame | None:
    """The innermost frame in the user's own code; failing that, the innermost that says anything."""
    live = [frame for frame in stack if not frame.stale]
    for wanted in (
        (Origin.USER,),
        (Origin.STDLIB, Origin.GENERATED, Origin.TEST),
        (Origin.RUNTIME,),
    ):
        for frame in live:
            if frame.origin in wanted and not frame.function.startswith("??"):
                return frame
    return live[0] if live else None


def test(stacks: Iterable[Stack]) -> str | None:
    """The test whose code is on one of the stacks, looking at each from the top."""
    for stack in stacks:
        for frame in stack:
            if frame.origin is Origin.USER and (name := go.test_name(frame.function)):
                return name
    return None
