"""Whether a report may be near a hit, going by raw bytes; where there is none for long, nobody looks twice."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deadheat.text.window import MAX_LINE

if TYPE_CHECKING:
    from deadheat.dialects import Dialect
    from deadheat.text.window import Windows

# how far ahead of a hit, and above it, to look for a sign that a report is there
AHEAD = 1 << 13
_ABOVE = 1 << 10
# how far to look where hits are dense and fruitless, and what is dense
_FAR = 1 << 18
_DENSE = 1 << 9


class Prospects:
    """By dialect, what has been looked through in vain."""

    def __init__(self, windows: Windows) -> None:
        self._windows = windows
        # hits before this offset are fruitless
        self._barren: dict[Dialect, int] = {}
        self._last: dict[Dialect, int] = {}

    def is_barren(self, dialect: Dialect, offset: int) -> bool:
        """Is it known already that nothing is near this hit?"""
        return offset < self._barren.get(dialect, 0)

    def may_be(self, dialect: Dialect, line: int, floor: int) -> bool:
        """May a report of this dialect be around the line that begins at `line`?"""
        windows = self._windows
        ahead = windows.peek(line, max(AHEAD, windows.line_end(line) - line))
        if dialect.promises(ahead):
            return True
        above = windows.back(line, _ABOVE, floor)
        if above < line and dialect.promises(windows.peek(above, line - above) + ahead):
            return True
        if dialect.lasting and line - self._last.get(dialect, -_DENSE) < _DENSE:
            self._look_far(dialect, above)
        self._last[dialect] = line
        return False

    def _look_far(self, dialect: Dialect, above: int) -> None:
        far = self._windows.peek(above, _FAR)
        if not dialect.promises(far):
            # whatever line a hit before that is in, all that is near it has been seen
            self._barren[dialect] = above + (len(far) if self._windows.ended else len(far) - MAX_LINE)
