"""Decides cheaply whether a report may be near a hit, and remembers fruitless searches."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deadheat.reading.twice import Twice
from deadheat.text.window import MAX_LINE

if TYPE_CHECKING:
    from deadheat.dialects import Dialect
    from deadheat.text.window import Windows

# number of bytes after a hit, and before it, that are examined
AHEAD = 1 << 13
_ABOVE = 1 << 10
# number of bytes examined where hits are dense and fruitless, and the distance that is dense
_FAR = 1 << 18
_DENSE = 1 << 9
# limit for remembered searches: learnt prefixes vary without bound
_MANY = 1 << 10


class Prospects:
    """Fruitless searches by what was searched for."""

    def __init__(self, windows: Windows) -> None:
        self._windows = windows
        self._vain: dict[object, int] = {}
        self._last: dict[Dialect, int] = {}
        self.twice = Twice(windows)
        self._beside: dict[Dialect, tuple[int, int]] = {}  # range without the companion

    def is_vain(self, sought: object, at: int) -> bool:
        """Whether a search from this hit is known to find nothing."""
        return at < self._vain.get(sought, 0)

    def was_vain(self, sought: object, until: int) -> None:
        """Records that a search finds nothing for hits before `miss_end`."""
        if len(self._vain) > _MANY:
            self._vain.clear()
        self._vain[sought] = max(until, self._vain.get(sought, 0))

    def horizon(self, sought: object, line: int) -> int:
        """How far to search from this line, if the last fruitless search ended just before it."""
        dense = line - self._vain.get(sought, -_DENSE) < _DENSE
        return line + AHEAD if dense else line

    def may_be(self, dialect: Dialect, line: int, floor: int) -> bool:
        """Whether a report of this detector may be around the line at `line`."""
        windows = self._windows
        if self.twice.tells(line):
            return False
        behind = max(line + AHEAD, windows.line_end(line))
        above = windows.back(line, _ABOVE, floor)
        if dialect.beside and self._is_alone(dialect, above, windows.line_end(line)):
            return False
        if dialect.promises(windows.peek(above, behind - above)):
            return True
        if dialect.beside:
            return above < line and dialect.promises(windows.peek(line, behind - line))
        if line - self._last.get(dialect, -_DENSE) < _DENSE:
            self._look_far(dialect, above)
        self._last[dialect] = line
        return False

    def _is_alone(self, dialect: Dialect, above: int, end: int) -> bool:
        """Whether the text that must be near a line of a report is missing."""
        begin, until = self._beside.get(dialect, (0, 0))
        if dialect.beside and not begin <= above < until:
            found = dialect.beside.search(far := self._windows.peek(above, 2 * AHEAD))
            until = above + (found.start() if found else len(far))
            self._beside[dialect] = above, until
        return until >= end + dialect.near

    def _look_far(self, dialect: Dialect, above: int) -> None:
        far = self._windows.peek(above, _FAR)
        if not dialect.promises(far):
            # everything near a hit before this offset has been examined
            until = above + len(far) - (0 if self._windows.ended else MAX_LINE)
            self.was_vain(dialect, until)
