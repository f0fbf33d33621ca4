"""Finds the frame of a stack to report as its site, and the C++ or Swift test that it runs in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from deadheat.model import Frame, Origin
from deadheat.text.lazy_regex import lazy_compile

if TYPE_CHECKING:
    from collections.abc import Iterable

    from deadheat.model import Access, Actor


# origins to fall back to if no frame is user code
_FALLBACK_ORIGINS: Final = ((Origin.STDLIB, Origin.GENERATED), (Origin.RUNTIME,), (Origin.TEST,))
_UNNAMED_FUNCTIONS: Final = ("??", "???", "<null>")


def find_site(stack: tuple[Frame, ...]) -> Frame | None:
    """The innermost frame in user code, or else the innermost frame of a fallback origin."""
    for frame in stack:
        if frame.origin is Origin.USER and not frame.stale and frame.function not in _UNNAMED_FUNCTIONS:
            return frame
    current = [frame for frame in stack if not frame.stale]
    for origins in _FALLBACK_ORIGINS:
        for frame in current:
            if frame.origin in origins and frame.function not in _UNNAMED_FUNCTIONS:
                return frame
    return current[0] if current else None


# "shop::CartTest_Adds_Test::TestBody()" of GoogleTest, "CartTests.testAdd()" of XCTest
_TEST_FUNCTION = lazy_compile(
    r"(?:.{0,400}::)?(?P<suite>\w{1,200})_(?P<name>[A-Za-z0-9]{1,200})_Test::TestBody\(|"
    r"(?:\w{1,100}\.)?(?P<class>\w{1,200})\.(?P<method>test[A-Z0-9]\w{0,200})\("
)


def find_native_test(accesses: Iterable[Access], actors: Iterable[Actor]) -> str | None:
    """The test that contains an access or that started one of the threads."""
    stacks = [*(access.stack for access in accesses), *(actor.created_at for actor in actors)]
    for frame in (frame for stack in stacks for frame in stack):
        if match := _TEST_FUNCTION.match(frame.function):
            return f"{match['suite'] or match['class']}.{match['name'] or match['method']}"
    return None
