"""Follows lines from one version of a file to another, in time that is linear in both but for a sort.

Lines are compared without the blanks at their ends and without characters outside of ASCII: neither a change of the
indentation, nor of the line ends, nor an editor that reads the file in another encoding removes a line.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

# the ends of lines in the protocol; `str.splitlines` knows more, such as a form feed
_LINE_END = re.compile(r"\r\n|\n|\r")


def split_lines(text: str) -> list[str]:
    """The lines of a text with their ends, as an editor counts them."""
    lines, start = [], 0
    for match in _LINE_END.finditer(text):
        lines.append(text[start : match.end()])
        start = match.end()
    return [*lines, text[start:]] if start < len(text) else lines


def comparable_lines(lines: Sequence[str]) -> list[str]:
    """What is compared of the lines of an editor."""
    return [(line if line.isascii() else line.encode("ascii", "ignore").decode()).strip() for line in lines]


def comparable_source(source: bytes) -> list[str]:
    """What is compared of a file, whose lines are those of a compiler."""
    return [line.strip() for line in source.decode("ascii", "ignore").split("\n")]


class LineMap:
    """Where the lines of an old version are in a new one.

    Equal lines at both ends belong together. Between them, so do lines that are unique in both versions and in the same
    order (as in `git diff --patience`), and the equal lines next to these.
    """

    def __init__(self, old: Sequence[str], new: Sequence[str]) -> None:
        limit = min(len(old), len(new))
        start = 0
        while start < limit and old[start] == new[start]:
            start += 1
        end = 0
        while end < limit - start and old[-1 - end] == new[-1 - end]:
            end += 1
        self._start, self._old_end, self._shift = start, len(old) - end, len(new) - len(old)
        self._old_count = len(old)
        self._changed: dict[int, int] = {}
        if start < self._old_end and start < len(new) - end:
            self._match_between(old, new, len(new) - end)

    def new_line(self, line: int) -> int | None:
        """The line in the new version, counted from 1; None if it is gone."""
        index = line - 1
        if not 0 <= index < self._old_count:
            return None
        if index < self._start:
            return line
        if index >= self._old_end:
            return line + self._shift
        found = self._changed.get(index)
        return None if found is None else found + 1

    def _match_between(self, old: Sequence[str], new: Sequence[str], new_end: int) -> None:
        start, old_end = self._start, self._old_end
        anchors = list(_ordered_unique_lines(old[start:old_end], new[start:new_end]))
        matched_new = set()
        for old_offset, new_offset in anchors:
            self._changed[start + old_offset] = start + new_offset
            matched_new.add(start + new_offset)
        for old_offset, new_offset in anchors:
            for step in (1, -1):
                a, b = start + old_offset + step, start + new_offset + step
                while start <= a < old_end and start <= b < new_end and old[a] == new[b]:
                    if a in self._changed or b in matched_new:
                        break
                    self._changed[a] = b
                    matched_new.add(b)
                    a, b = a + step, b + step


def _ordered_unique_lines(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[int, int]]:
    """The longest series of lines that are unique in both versions and in the same order."""
    old_counts, new_counts = Counter(old), Counter(new)
    positions = {line: index for index, line in enumerate(new) if line and new_counts[line] == 1}
    pairs = [(i, positions[line]) for i, line in enumerate(old) if line in positions and old_counts[line] == 1]
    tails: list[int] = []  # the smallest end of a series of each length
    ends: list[int] = []  # the index of its pair
    before = [-1] * len(pairs)
    for index, (_, new_index) in enumerate(pairs):
        length = bisect_left(tails, new_index)
        before[index] = ends[length - 1] if length else -1
        tails[length : length + 1] = [new_index]
        ends[length : length + 1] = [index]
    series = []
    index = ends[-1] if ends else -1
    while index >= 0:
        series.append(pairs[index])
        index = before[index]
    yield from reversed(series)
