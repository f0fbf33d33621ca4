"""Whether a report may be near a hit, going by raw bytes and by what was read in vain before.

Where hits are dense and fruitless, nobody looks at the same bytes for each of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from deadheat.reading.twice import Twice
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
# prefixes that are learnt differ without end
_MANY = 1 << 10


class Prospects:
    """What has been looked through in vain, by what was looked for."""

    def __init__(self, windows: Windows) -> None:
        self._windows = windows
        self._vain: dict[object, int] = {}
        self._last: dict[Dialect, int] = {}
        self.twice = Twice(windows)
        self._beside: dict[Dialect, tuple[int, int]] = {}  # from, and up to where there is none

    def is_vain(self, sought: object, at: int) -> bool:
        """Is it known already that a look from this hit finds nothing?"""
        return at < self._vain.get(sought, 0)

    def was_vain(self, sought: object, until: int) -> None:
        """A look that finds nothing for hits before `until`."""
        if len(self._vain) > _MANY:
            self._vain.clear()
        self._vain[sought] = max(until, self._vain.get(sought, 0))

    def horizon(self, sought: object, line: int) -> int:
        """How far to look from this line, since the last look was in vain just before it."""
        dense = line - self._vain.get(sought, -_DENSE) < _DENSE
        return line + AHEAD if dense else line

    def may_be(self, dialect: Dialect, line: int, floor: int) -> bool:
        """May a report of this dialect be around the line that begins at `line`?"""
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
        """Is nothing near that has to stand beside a line of it?"""
        begin, until = self._beside.get(dialect, (0, 0))
        if dialect.beside and not begin <= above < until:
            found = dialect.beside.search(far := self._windows.peek(above, 2 * AHEAD))
            until = above + (found.start() if found else len(far))
            self._beside[dialect] = above, until
        return until >= end + dialect.near

    def _look_far(self, dialect: Dialect, above: int) -> None:
        far = self._windows.peek(above, _FAR)
        if not dialect.promises(far):
            # whatever line a hit before that is in, all that is near it has been seen
            until = above + len(far) - (0 if self._windows.ended else MAX_LINE)
            self.was_vain(dialect, until)
