"""Finds the GoogleTest or XCTest test in the stacks of a report."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deadheat.text.late import regex

if TYPE_CHECKING:
    from collections.abc import Iterable

    from deadheat.model import Access, Actor

# "shop::CartTest_Adds_Test::TestBody()" of GoogleTest, "CartTests.testAdd()" of XCTest
_TEST = regex(
    r"(?:.{0,400}::)?(?P<suite>\w{1,200})_(?P<name>[A-Za-z0-9]{1,200})_Test::TestBody\(|"
    r"(?:\w{1,100}\.)?(?P<class>\w{1,200})\.(?P<method>test[A-Z0-9]\w{0,200})\("
)


def test_of(accesses: Iterable[Access], actors: Iterable[Actor]) -> str | None:
    """The test that contains an access or that started one of the threads."""
    stacks = [*(access.stack for access in accesses), *(actor.created_at for actor in actors)]
    for frame in (frame for stack in stacks for frame in stack):
        if match := _TEST.match(frame.function):
            return f"{match['suite'] or match['class']}.{match['name'] or match['method']}"
    return None
