"""The call chain of an access: user frames from the site outwards."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from deadheat.identity.fingerprint import ATOMIC
from deadheat.model import Frame, Origin

if TYPE_CHECKING:
    from collections.abc import Callable

    from deadheat.model import Access

# frames further out do not identify an access
DEPTH: Final = 4
# number of innermost frames examined
TOP: Final = 2
# number of calls in a call chain
_WAY: Final = 3
# the nearest callers may be wrappers
_CALLERS: Final = 3
_TEST: Final = "_test.go"
_USER: Final = Origin.USER


def own(access: Access) -> list[Frame]:
    """The valid user frames from the site outwards."""
    found: list[Frame] = []
    for frame in _outwards(access):
        if frame.stale or len(found) == DEPTH:
            break
        # only symbolised stacks report inlining
        if frame.origin is _USER and not frame.inlined:
            found.append(frame)
    return found


def _outwards(access: Access) -> tuple[Frame, ...]:
    """The frames from the site on; none if an inner frame is stale."""
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
    """The call chain of a site, and its callers. `key` normalises the function of a frame.

    The call chain has the lines and functions of the innermost calls; within one build it
    identifies one access. The callers are ordered nearest first and end at the first test, ("",) if
    there are none. Tests are not callers, because each of them creates its own objects.
    """
    chain: list[tuple[int, str]] = []
    callers: list[str] = []
    nearest, tested, site = "", False, access.site
    inner: list[str] = []
    left = DEPTH
    # like `user_frames`, in one loop because it runs twice per report
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
        # recursion depth is ignored, it only distinguishes objects
        if function in inner:
            continue
        inner.append(function)
        known = name if frame is site and name != ATOMIC else key(frame)
        chain.append((line or 0, known))
        if known != name and known != nearest and not tested:
            callers.append(known)
            nearest = known
    # an atomic operation accesses one word on an unknown line
    lines = () if name == ATOMIC else tuple(chain[:_WAY])
    return lines, tuple(callers[:_CALLERS]) or ("",)


def is_test(frame: Frame) -> bool:
    return frame.file.endswith(_TEST)
