"""From bytes to reports: moves over a source from hit to hit; what is damaged is read line by line."""

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

# makes a tuple with names in a third of the time that its class takes, without whose defaults
_new: Final = tuple.__new__
# how far before a range a report that reaches into it may have begun
REACH: Final = 1 << 18


class _Whole:
    """What an undamaged report of a dialect stands between."""

    __slots__ = ("bar", "chain", "closing", "dialect", "opening")

    def __init__(self, dialect: Dialect, opening: bytes, closing: bytes) -> None:
        self.dialect, self.opening, self.closing = dialect, opening, closing
        # what the end of one leaves of its closing, and what another one right behind it begins with
        self.bar = len(closing.lstrip())
        self.chain = closing.lstrip() + opening


def _wholes(dialects: Sequence[Dialect]) -> dict[str, _Whole]:
    """By name, for those dialects that tell undamaged reports."""
    return {
        d.name: _Whole(d, d.opening, d.closing)
        for d in dialects
        if d.opening is not None and d.closing is not None and d.volatile is not None
    }


class Reader:
    """Reads the reports of some dialects; keeps nothing between documents but what it recognises."""

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
        """The reports whose first line begins in `[start, end)`, in the order in which they end.

        To read a part of a document, give a source that begins `REACH` bytes before it. `full`
        says that every report will be asked for, so that a glance at it would be wasted. `listen` is
        told where a test is said to have raced.
        """
        windows = Windows(source, self.sifter, listen)
        prospects = Prospects(windows)
        at = covered = source.base
        # what begins before the end may show itself behind it only
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
        """An undamaged report that is said to begin here."""
        if whole is None or windows.peek(line, len(whole.opening)) != whole.opening:
            return None
        return self._at_once(windows, line, whole, full and line >= start)

    def _right_behind(
        self, windows: Windows, at: int, start: int, end: int | None, whole: _Whole, full: bool
    ) -> Found | None:
        """Another one, where `at` is the end of one: where all is reports, nobody has to sift."""
        line = at + whole.bar
        if end is not None and line >= end:
            return None
        if not windows.continues(at, whole.chain):
            return None
        return self._at_once(windows, line, whole, full and line >= start)

    def _at_once(self, windows: Windows, line: int, whole: _Whole, full: bool) -> Found | None:
        """The report that opens here, if it is undamaged; its text may even have been read before."""
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
