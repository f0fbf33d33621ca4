"""Decides cheaply whether a report may be near a hit.

Remembers fruitless searches, and skips lists of lines that repeat earlier text."""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING

from deadheat.text import lazy_compile
from deadheat.text.window import KEPT_BEFORE_HIT, MAX_LINE

if TYPE_CHECKING:
    from deadheat.detectors import Detector
    from deadheat.text.window import SlidingWindow


# the beginning of Ansible's list, `        "stdout_lines": [`; one of its strings, and its end
_LINES_LIST = lazy_compile(rb'"(\w{1,40})_lines" ?: ?\[\s{0,9}\n')
_FIRST_STRING = lazy_compile(rb'[^"\n]{0,300}"([^"\n]{0,60})')
_LIST_END = lazy_compile(rb'\n[^"\n]{0,300}\],?\s{0,9}\n')
# maximum length of the text before a list's string
_MAX_STRING_PREFIX = 300
_LINES_KEY = b'_lines"'


class RepeatedLists:
    """The lines of a source that repeat earlier text."""

    def __init__(self, window: SlidingWindow) -> None:
        self._windows = window
        self._searched_to = 0  # offset up to which lists were searched
        self._list_start = self._list_stop = 0  # range of the repeated lines

    def contains_line(self, line: int) -> bool:
        """Whether the line at `line` belongs to such a list."""
        if self._list_start <= line < self._list_stop:
            return True
        if b'"' not in self._windows.peek(line, _MAX_STRING_PREFIX):
            return False
        start = max(self._searched_to, self._windows.line_start_before(line, KEPT_BEFORE_HIT, 0))
        self._searched_to = line
        self.find_list(start, self._windows.peek(start, line - start))
        return self._list_start <= line < self._list_stop

    def find_list(self, start: int, raw: bytes) -> None:
        """Searches some lines for the beginning of such a list."""
        key_offset = raw.rfind(_LINES_KEY) if start + len(raw) > self._list_stop else -1
        found = _LINES_LIST.search(raw, raw.rfind(b"\n", 0, key_offset) + 1) if key_offset >= 0 else None
        if found and self._repeats_previous_line(start + found.end(), found[1]):
            self._list_start = start + found.end()
            self._list_stop = self._find_list_end(self._list_start)

    def blank_repeated_lines(self, texts: list[str], offsets: list[int]) -> None:
        """Replaces repeated lines by empty ones."""
        for i in range(bisect_left(offsets, self._list_stop, 0, len(texts))):
            if offsets[i] >= self._list_start:
                texts[i] = ""

    def _repeats_previous_line(self, list_start: int, key: bytes) -> bool:
        """Whether the line before the list contains the same text."""
        window = self._windows
        list_line = window.line_start(list_start - 1, 0)
        previous_start = window.line_start(list_line - 1, 0)
        first = _FIRST_STRING.match(window.peek(list_start, MAX_LINE >> 4))
        if first is None or list_line - previous_start >= MAX_LINE:
            return False
        previous_line = window.peek(previous_start, min(list_line - previous_start, 2 * _MAX_STRING_PREFIX)).replace(
            b'":"', b'": "'
        )
        return b'"%s": "%s' % (key, first[1]) in previous_line

    def _find_list_end(self, at: int) -> int:
        """The end of the list, or of the searched range."""
        raw = self._windows.peek(at, 2 * MAX_LINE)
        end = _LIST_END.search(raw)
        return at + (end.start() if end else len(raw))


# number of bytes after a hit, and before it, that are examined
LOOK_AHEAD = 1 << 13
_LOOK_ABOVE = 1 << 10
# number of bytes examined where hits are dense and fruitless, and the distance that is dense
_FAR_SIZE = 1 << 18
# distance to the next such examination if a report may be in these bytes
_FAR_STEP = 1 << 15
_DENSE_DISTANCE = 1 << 9
# limit for remembered searches: learnt prefixes vary without bound
_MAX_MISSES = 1 << 10


class CandidateFilter:
    """Fruitless searches by what was searched for."""

    def __init__(self, window: SlidingWindow) -> None:
        self._windows = window
        self._missed_until: dict[object, int] = {}
        self._last_line: dict[Detector, int] = {}
        self._searched_far: dict[Detector, int] = {}  # start of the last examination of many bytes
        self.repeated_lists = RepeatedLists(window)
        self._gap_ranges: dict[Detector, tuple[int, int]] = {}  # range without the companion

    def is_known_miss(self, search_key: object, at: int) -> bool:
        """Whether a search from this hit is known to find nothing."""
        return at < self.miss_end(search_key)

    def miss_end(self, search_key: object) -> int:
        """The offset up to which a search is known to find nothing."""
        return self._missed_until.get(search_key, 0)

    def record_miss(self, search_key: object, miss_end: int) -> None:
        """Records that a search finds nothing for hits before `miss_end`."""
        if len(self._missed_until) > _MAX_MISSES:
            self._missed_until.clear()
        self._missed_until[search_key] = max(miss_end, self._missed_until.get(search_key, 0))

    def search_horizon(self, search_key: object, line: int) -> int:
        """How far to search from this line, if the last fruitless search ended just before it."""
        is_dense = line - self._missed_until.get(search_key, -_DENSE_DISTANCE) < _DENSE_DISTANCE
        return line + LOOK_AHEAD if is_dense else line

    def may_contain_report(self, detector: Detector, line: int, floor: int) -> bool:
        """Whether a report of this detector may be around the line at `line`."""
        window = self._windows
        if self.repeated_lists.contains_line(line):
            return False
        ahead_end = max(line + LOOK_AHEAD, window.line_end(line))
        start = window.line_start_before(line, _LOOK_ABOVE, floor)
        if detector.required_nearby and self._lacks_required_text(detector, start, window.line_end(line)):
            return False
        if detector.might_contain(window.peek(start, ahead_end - start)):
            return True
        if detector.required_nearby:
            return start < line and detector.might_contain(window.peek(line, ahead_end - line))
        if line - self._last_line.get(detector, -_DENSE_DISTANCE) < _DENSE_DISTANCE:
            self._search_far(detector, start)
        self._last_line[detector] = line
        return False

    def _lacks_required_text(self, detector: Detector, start: int, end: int) -> bool:
        """Whether the text that must be near a line of a report is missing."""
        gap_start, gap_end = self._gap_ranges.get(detector, (0, 0))
        if detector.required_nearby and not gap_start <= start < gap_end:
            found = detector.required_nearby.search(far_bytes := self._windows.peek(start, 2 * LOOK_AHEAD))
            gap_end = start + (found.start() if found else len(far_bytes))
            self._gap_ranges[detector] = start, gap_end
        return gap_end >= end + detector.nearby_bytes

    def _search_far(self, detector: Detector, start: int) -> None:
        if start - self._searched_far.get(detector, -_FAR_STEP) < _FAR_STEP:
            return
        self._searched_far[detector] = start
        far_bytes = self._windows.peek(start, _FAR_SIZE)
        if not detector.might_contain(far_bytes):
            # everything near a hit before this offset has been examined
            miss_end = start + len(far_bytes) - (0 if self._windows.ended else MAX_LINE)
            self.record_miss(detector, miss_end)
