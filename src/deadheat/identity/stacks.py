"""What identity sees of a stack: the user's own calls, from the site outwards."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deadheat.model import Frame, Origin

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from deadheat.model import Access

# calls further out than this say nothing about an access
DEPTH = 4
# how many frames above the site are looked at
TOP = 2
# how many calls make a way
_WAY = 3
# the nearest callers may be mere wrappers
_CALLERS = 3


def own(access: Access) -> Iterator[Frame]:
    """The user's frames that are true, from the site outwards."""
    if access.site not in access.stack:
        return
    left = DEPTH
    for number, frame in enumerate(access.stack, -access.stack.index(access.site)):
        if frame.stale or not left:
            return
        # only a symbolised stack tells what was inlined
        if number >= 0 and frame.origin is Origin.USER and not frame.inlined:
            left -= 1
            yield frame


# a frame, and what stays of its function when lines and versions change
Call = tuple[Frame, str]


def callers(calls: Sequence[Call], name: str) -> list[str]:
    """Who called the site called `name`, the nearest first, up to the first test; "" for nobody."""
    found = [""]
    for frame, key in calls:
        if is_test(frame) or len(found) > _CALLERS:
            break
        if key not in (name, found[-1]):
            found.append(key)
    return found[1:] or found


Chain = tuple[tuple[int, str], ...]


def chain(calls: Sequence[Call]) -> Chain:
    """Lines and functions of the innermost calls: within one build, one access in one context.

    Tests that call do not count: each of them comes with objects of its own.
    """
    found: list[tuple[int, str]] = []
    for frame, key in calls[:_WAY]:
        if found and is_test(frame):
            break
        found.append((frame.line or 0, key))
    return tuple(found)


def is_test(frame: Frame) -> bool:
    return frame.file.endswith("_test.go")
