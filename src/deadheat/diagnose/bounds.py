"""The location of an access for which Helgrind reports only the next unlock of its thread."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from deadheat.model import Op, Origin
from deadheat.symbols import native

if TYPE_CHECKING:
    from deadheat.model import Access, Frame, Report

_BEFORE = "other access before"
# "mutex_unlock_WRK (hg_intercepts.c:1179) < count_frame (uplink.c:32) < …"; the fact does not
# say whether an rwlock was held for reading
_UNLOCK = re.compile(r"(?:pthread_)?(?:mutex|spin)_unlock")
_HELD = "the lock that it releases next"
_MOST, _LONG = 12, 8192  # limits for such a stack: frames, characters


def known(report: Report) -> tuple[Access, ...]:
    """A report's first two accesses; one without a stack is placed where its thread released a lock."""
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
    """The program's own frames in a one-line stack."""
    found = []
    for one in told[:_LONG].split(" < ")[:_MOST]:
        function, _, place = one.rpartition(" (")
        file, _, line = place.rstrip(")").rpartition(":")
        if function and file and line.isdecimal() and len(line) < 10:
            found.append(native.frame(function, file, int(line)))
    return [frame for frame in found if frame.origin is Origin.USER]
