"""Where an access was of which Helgrind knows only the stretch: just before it let go of a lock."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from deadheat.model import Op, Origin
from deadheat.symbols import native

if TYPE_CHECKING:
    from deadheat.model import Access, Frame, Report

_BEFORE = "other access before"
# "mutex_unlock_WRK (hg_intercepts.c:1179) < count_frame (uplink.c:32) < …"; whether an rwlock was held
# for reading is not told
_UNLOCK = re.compile(r"(?:pthread_)?(?:mutex|spin)_unlock")
_HELD = "the lock that it releases next"
_MOST, _LONG = 12, 8192  # frames and letters of such a stack that are looked at


def known(report: Report) -> tuple[Access, ...]:
    """A report's first two accesses; one without a stack is put where its thread let go of a lock."""
    sides = report.accesses[:2]
    if report.detector != "helgrind" or len(sides) < 2 or sides[1].stack or not sides[0].stack:
        return sides
    told = dict(report.facts).get(_BEFORE, "")
    stack = tuple(_own(told)) if _UNLOCK.match(told) else ()
    if not stack:
        return sides
    op = Op.WRITE if sides[0].op is Op.READ else Op.UNKNOWN
    return sides[0], sides[1]._replace(op=op, stack=stack, site=stack[0], locks=(_HELD,))


def _own(told: str) -> list[Frame]:
    """The program's own frames of a stack in one line."""
    found = []
    for one in told[:_LONG].split(" < ")[:_MOST]:
        function, _, place = one.rpartition(" (")
        file, _, line = place.rstrip(")").rpartition(":")
        if function and file and line.isdecimal() and len(line) < 10:
            found.append(native.frame(function, file, int(line)))
    return [frame for frame in found if frame.origin is Origin.USER]
