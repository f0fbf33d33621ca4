"""Reads reports from a byte source. Undamaged reports are parsed at once, others line by line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from deadheat.echo import Echo, Echoes, Unread
from deadheat.harness import RACED
from deadheat.model import Span
from deadheat.reading.machines import LONGEST, Found
from deadheat.reading.prospects import Prospects
from deadheat.reading.stretch import Stretch
from deadheat.text import clean
from deadheat.text.encoding import UTF8
from deadheat.text.sift import Sifter, sifter
from deadheat.text.window import Source, Windows

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from deadheat.dialects import Dialect
    from deadheat.text.window import Listen

__all__ = ["REACH", "Found", "Reader"]

# creates a named tuple in a third of the time of calling its class, but without defaults
_new: Final = tuple.__new__
# how far before a range a report that extends into it may begin
REACH: Final = 1 << 18


class _Whole:
    """The opening and closing of a detector's undamaged reports."""

    __slots__ = ("bar", "chain", "closing", "dialect", "opening")

    def __init__(self, dialect: Dialect, opening: bytes, closing: bytes) -> None:
        self.dialect, self.opening, self.closing = dialect, opening, closing
        # the part of the closing that stays after a report, and the beginning of an adjacent report
        self.bar = len(closing.lstrip())
        self.chain = closing.lstrip() + opening


def _wholes(dialects: Sequence[Dialect]) -> dict[str, _Whole]:
    """Delimiters by detector name, for detectors whose reports have them."""
    return {
        d.name: _Whole(d, d.opening, d.closing)
        for d in dialects
        if d.opening is not None and d.closing is not None and d.volatile is not None
    }


class Reader:
    """Reads the reports of some detectors. Keeps no state between documents except known duplicates."""

    def __init__(self, dialects: Sequence[Dialect]) -> None:
        self.dialects = tuple(dialects)
        self._echoes = Echoes()
        self._back = max([dialect.back for dialect in self.dialects], default=0)
        owners = [(anchor, dialect) for dialect in self.dialects for anchor in dialect.anchors]
        wholes = _wholes(self.dialects)
        self._owners = [(d, d.starts(anchor), wholes.get(d.name)) for anchor, d in owners]
        hints = tuple(hint for dialect in self.dialects for hint in dialect.hints)
        self.sifter: Sifter = sifter(tuple(anchor for anchor, _ in owners), hints, RACED)

    def read(
        self,
        source: Source,
        start: int = 0,
        end: int | None = None,
        encoding: str = UTF8,
        full: bool = False,
        listen: Listen | None = None,
    ) -> Iterator[Found]:
        """Yields the reports whose first line begins in `[start, end)`, in the order in which they end.

        To read a part of a document, pass a source that begins `RANGE_OVERLAP` bytes before it. `full`
        means that every report is needed in full. `on_phrase` receives the offsets of `RACE_PHRASE`.
        """
        windows = Windows(source, self.sifter, listen)
        prospects = Prospects(windows)
        at = covered = source.base
        # a report that begins before the end may have its hit after it
        last = None if end is None else end + self._back
        while (hit := windows.next_hit(at, last)) is not None:
            offset, index = hit
            dialect, starts, whole = self._owners[index]
            if prospects.is_vain(dialect, offset):
                at = offset + 1
                continue
            line = windows.line_start(offset, at)
            if last is not None and line >= last:
                break
            once = self._first(windows, line, start, whole, full) if starts else None
            if whole is not None and once is not None:
                if end is not None and line >= end:
                    break
                while once is not None:
                    at = covered = once.span.end
                    if once.span.offset >= start:
                        yield once
                    once = self._right_behind(windows, at, start, end, whole, full)
                continue
            if not prospects.may_be(dialect, line, covered):
                at = offset + 1
                continue
            stretch = Stretch(self.dialects, windows, prospects, encoding, covered)
            for found in stretch.read(line, dialect, starts):
                if found.span.offset >= start and (end is None or found.span.offset < end):
                    yield found
            covered = stretch.covered
            at = max(stretch.behind, covered, offset + 1)

    def _first(
        self, windows: Windows, line: int, start: int, whole: _Whole | None, full: bool
    ) -> Found | None:
        """The undamaged report that begins here, if there is one."""
        if whole is None or windows.peek(line, len(whole.opening)) != whole.opening:
            return None
        return self._at_once(windows, line, whole, full and line >= start)

    def _right_behind(
        self, windows: Windows, at: int, start: int, end: int | None, whole: _Whole, full: bool
    ) -> Found | None:
        """The undamaged report that directly follows one that ends at `at`; needs no search."""
        line = at + whole.bar
        if end is not None and line >= end:
            return None
        if not windows.continues(at, whole.chain):
            return None
        return self._at_once(windows, line, whole, full and line >= start)

    def _at_once(self, windows: Windows, line: int, whole: _Whole, full: bool) -> Found | None:
        """The undamaged report that begins here, or a duplicate of a known one."""
        raw = windows.until(line, whole.closing, LONGEST)
        if raw is None:
            return None
        told: Unread | Echo | None = self._echoes.find(raw)
        if told is None:
            if not clean.is_clean(raw):
                return None
            look = whole.dialect.whole if full else whole.dialect.glance
            sketch = look(raw.decode())
            if sketch is None:
                return None
            told = Unread(whole.dialect, raw, sketch, full)
            self._echoes.learn(told)
        span = _new(Span, (line, len(raw) + len(whole.closing), None))
        return _new(Found, (told, span))
