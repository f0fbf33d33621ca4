"""Skips lists of lines that repeat earlier text: `"stdout": "…", "stdout_lines": […]`."""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING

from deadheat.text.late import regex
from deadheat.text.window import BEHIND, MAX_LINE

if TYPE_CHECKING:
    from deadheat.text.window import Windows

# the beginning of Ansible's list, `        "stdout_lines": [`; one of its strings, and its end
_LIST = regex(rb'"(\w{1,40})_lines" ?: ?\[\s{0,9}\n')
_STRING = regex(rb'[^"\n]{0,300}"([^"\n]{0,60})')
_END = regex(rb'\n[^"\n]{0,300}\],?\s{0,9}\n')
# maximum length of the text before a list's string
_WITHIN = 300
_SIGN = b'_lines"'


class Twice:
    """The lines of a source that repeat earlier text."""

    def __init__(self, windows: Windows) -> None:
        self._windows = windows
        self._seen = 0  # offset up to which lists were searched
        self._from = self._until = 0  # range of the repeated lines

    def tells(self, line: int) -> bool:
        """Whether the line at `line` belongs to such a list."""
        if self._from <= line < self._until:
            return True
        if b'"' not in self._windows.peek(line, _WITHIN):
            return False
        start = max(self._seen, self._windows.back(line, BEHIND, 0))
        self._seen = line
        self.heed(start, self._windows.peek(start, line - start))
        return self._from <= line < self._until

    def heed(self, start: int, raw: bytes) -> None:
        """Searches some lines for the beginning of such a list."""
        begin = raw.rfind(_SIGN) if start + len(raw) > self._until else -1
        found = _LIST.search(raw, raw.rfind(b"\n", 0, begin) + 1) if begin >= 0 else None
        if found and self._is_told(start + found.end(), found[1]):
            self._from = start + found.end()
            self._until = self._end(self._from)

    def spare(self, texts: list[str], offsets: list[int]) -> None:
        """Replaces repeated lines by empty ones."""
        for i in range(bisect_left(offsets, self._until, 0, len(texts))):
            if offsets[i] >= self._from:
                texts[i] = ""

    def _is_told(self, begin: int, key: bytes) -> bool:
        """Whether the line before the list contains the same text."""
        windows = self._windows
        opening = windows.line_start(begin - 1, 0)
        text = windows.line_start(opening - 1, 0)
        first = _STRING.match(windows.peek(begin, MAX_LINE >> 4))
        if first is None or opening - text >= MAX_LINE:
            return False
        told = windows.peek(text, min(opening - text, 2 * _WITHIN)).replace(b'":"', b'": "')
        return b'"%s": "%s' % (key, first[1]) in told

    def _end(self, at: int) -> int:
        """The end of the list, or of the searched range."""
        raw = self._windows.peek(at, 2 * MAX_LINE)
        end = _END.search(raw)
        return at + (end.start() if end else len(raw))
