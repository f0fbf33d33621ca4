"""What identity sees of a stack: the user's own calls, from the site outwards."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from deadheat.identity.fingerprint import ATOMIC
from deadheat.model import Frame, Origin

if TYPE_CHECKING:
    from collections.abc import Callable

    from deadheat.model import Access

# calls further out than this say nothing about an access
DEPTH: Final = 4
# how many frames above the site are looked at
TOP: Final = 2
# how many calls make a way
_WAY: Final = 3
# the nearest callers may be mere wrappers
_CALLERS: Final = 3
_TEST: Final = "_test.go"
_USER: Final = Origin.USER


def own(access: Access) -> list[Frame]:
    """The user's frames that are true, from the site outwards."""
    found: list[Frame] = []
    for frame in _outwards(access):
        if frame.stale or len(found) == DEPTH:
            break
        # only a symbolised stack tells what was inlined
        if frame.origin is _USER and not frame.inlined:
            found.append(frame)
    return found


def _outwards(access: Access) -> tuple[Frame, ...]:
    """The frames from the site on; none if it is not true itself."""
    site, stack = access.site, access.stack
    if not stack or site is stack[0]:
        return stack
    if site is None or site not in stack:
        return ()
    start = stack.index(site)
    return () if any(frame.stale for frame in stack[:start]) else stack[start:]


Chain = tuple[tuple[int, str], ...]


def reached(
    access: Access, name: str, key: Callable[[Frame], str]
) -> tuple[Chain, tuple[str, ...]]:
    """How the site called `name` was reached; `key` gives what stays of a frame's function.

    First the lines and functions of the innermost calls: within one build, one access in one context.
    Then who called, the nearest first, up to the first test; "" for nobody. Tests that call do not
    count as a part of the way: each of them comes with objects of its own.
    """
    chain: list[tuple[int, str]] = []
    callers: list[str] = []
    nearest, tested, site = "", False, access.site
    inner: list[str] = []
    left = DEPTH
    # as `own`, in one go: this is done twice for every report
    for frame in _outwards(access):
        function, _, file, line, origin, _, stale, inlined = frame
        if stale or not left:
            break
        if origin is not _USER or inlined:
            continue
        left -= 1
        if file.endswith(_TEST):
            if chain:
                break
            tested = True
        # how deep a function that calls itself has gone says which object it is at, and no more
        if function in inner:
            continue
        inner.append(function)
        known = name if frame is site and name != ATOMIC else key(frame)
        chain.append((line or 0, known))
        if known != name and known != nearest and not tested:
            callers.append(known)
            nearest = known
    # an atomic operation accesses one word, and nobody knows on which line
    lines = () if name == ATOMIC else tuple(chain[:_WAY])
    return lines, tuple(callers[:_CALLERS]) or ("",)


def is_test(frame: Frame) -> bool:
    return frame.file.endswith(_TEST)
