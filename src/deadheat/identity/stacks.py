"""What identity sees of a stack: the user's own calls, from the site outwards."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deadheat.model import Origin

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from deadheat.dialects import Symbols
    from deadheat.model import Access, Frame

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
    inside = True
    left = DEPTH
    for frame in access.stack:
        inside = inside and frame != access.site
        if frame.stale or not left:
            return
        # only a symbolised stack tells what was inlined
        if not inside and frame.origin is Origin.USER and not frame.inlined:
            left -= 1
            yield frame


def callers(frames: Sequence[Frame], name: str, symbols: Symbols) -> list[str]:
    """Who called the site called `name`, the nearest first, up to the first test; "" for nobody."""
    found = [""]
    for frame in frames:
        if is_test(frame) or len(found) > _CALLERS:
            break
        if (key := symbols.key(frame)) != name and key != found[-1]:
            found.append(key)
    return found[1:] or found


Chain = tuple[tuple[int, str], ...]


def chain(frames: Sequence[Frame], symbols: Symbols) -> Chain:
    """Lines and functions of the innermost calls: within one build, one access in one context.

    Tests that call do not count: each of them comes with objects of its own.
    """
    found: list[tuple[int, str]] = []
    for frame in frames[:_WAY]:
        if found and is_test(frame):
            break
        found.append((frame.line or 0, symbols.key(frame)))
    return tuple(found)


def is_test(frame: Frame) -> bool:
    return frame.file.endswith("_test.go")
