"""From bytes to reports: moves windows over a source, splits lanes, drives the dialects' machines."""

from __future__ import annotations

from dataclasses import replace
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from deadheat.dialects import Verdict
from deadheat.model import Damage, Report, Span
from deadheat.text import clean
from deadheat.text.encoding import UTF8
from deadheat.text.lanes import LaneLine, Lanes
from deadheat.text.sift import Sifter, sifter
from deadheat.text.window import Source, Windows

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from deadheat.dialects import Dialect, Machine

# how far before a range a report that reaches into it may have begun
REACH = 1 << 18
# lines are decoded in slices of about this size
_SLICE = 1 << 11
# how far back to look for the beginning of a report whose first lines were damaged
_BACK = 1 << 14
# how many lines to look at for a prefix, and for a line that was cut in pieces
_PEEK = 8


class Found(NamedTuple):
    """A report and where it stands."""

    report: Report
    span: Span


class Reader:
    """Reads the reports of some dialects; holds no state between documents."""

    def __init__(self, dialects: Sequence[Dialect]) -> None:
        self.dialects = tuple(dialects)
        owners = [(anchor, dialect) for dialect in self.dialects for anchor in dialect.anchors]
        self._owners = [(dialect, dialect.starts(anchor)) for anchor, dialect in owners]
        self.sifter: Sifter = sifter(tuple(anchor for anchor, _ in owners))

    def read(
        self, source: Source, start: int = 0, end: int | None = None, encoding: str = UTF8
    ) -> Iterator[Found]:
        """The reports whose first line begins in `[start, end)`, in the order in which they end.

        To read a part of a document, give a source that begins `REACH` bytes before it.
        """
        windows = Windows(source, self.sifter)
        at = covered = source.base
        while (hit := windows.next_hit(at)) is not None:
            offset, index = hit
            line = windows.line_start(offset, at)
            if end is not None and line >= end:
                break
            window = _Window(self.dialects, windows, encoding, covered)
            for found in window.read(line, *self._owners[index]):
                if found.span.offset >= start and (end is None or found.span.offset < end):
                    yield found
            covered = window.covered
            at = max(window.behind, covered, offset + 1)


class _Reading:
    """A machine at work in one lane."""

    __slots__ = ("dialect", "end", "lane", "machine", "quiet", "start")

    def __init__(self, dialect: Dialect, lane: str | None) -> None:
        self.dialect = dialect
        self.lane = lane
        self.restart()

    def restart(self) -> None:
        self.machine: Machine = self.dialect.machine()
        self.start = self.end = -1
        self.quiet = 0


class _Window:
    """One stretch of text: from a hit for as long as a report goes on in any lane."""

    def __init__(
        self, dialects: Sequence[Dialect], windows: Windows, encoding: str, floor: int
    ) -> None:
        self._dialects = dialects
        self._windows = windows
        self._encoding = encoding
        self._floor = floor
        self._readings: dict[str | None, _Reading] = {}
        self._found: list[Found] = []
        self._stray = False
        self.covered = floor  # up to here, text belongs to reports already read
        self.behind = floor  # the line of the hit ends here

    def read(self, line: int, dialect: Dialect, starts: bool) -> Iterator[Found]:
        """The reports of the window around the line that begins at `line`."""
        raw = self._windows.slice(line, 0)
        self.behind = line + len(raw)
        (first, *_), _ = clean.lines(raw, self._encoding)
        column = dialect.column(first)
        whole = column >= 0
        lanes = None
        if not whole or (column and not first[:column].isspace()):
            lanes, whole = self._lanes(first)
            if not whole and not dialect.remnant(first):
                return
        begin = line
        if not (whole and starts):
            begin = self._windows.back(line, _BACK, self._floor)
            if lanes is None:
                self._readings[None] = _Reading(dialect, None)
        yield from self._walk(begin, line, lanes)

    def _lanes(self, first: str) -> tuple[Lanes | None, bool]:
        """Lanes that know the wrapping of this line, and whether a report's line is inside it."""
        lanes, probe = Lanes(), Lanes()
        pieces = [*probe.split(first), *probe.flush()]
        for _, text in pieces:
            if (column := self._column(text)) >= 0:
                self._learn(lanes, text[:column])
                return lanes, True
        wrapped = pieces != [(None, first)]
        return (lanes if wrapped else None), False

    def _learn(self, lanes: Lanes, prefix: str, following: list[str] | None = None) -> bool:
        """Is what stands before a report's line a writer's mark, or just some other text?"""
        if not prefix or prefix.isspace():
            return False
        if following is None:
            following, _ = clean.lines(self._windows.slice(self.behind, 1024), self._encoding)
        probe = Lanes()
        texts = [text for line in following[:_PEEK] for _, text in probe.split(line)]
        columns = [(self._column(text), text) for text in texts]
        if any(column >= 0 and not text[:column].strip() for column, text in columns):
            return False  # the next header has no such mark
        return lanes.learn(prefix, texts)

    def _column(self, text: str) -> int:
        return max(dialect.column(text) for dialect in self._dialects)

    def _walk(self, begin: int, line: int, lanes: Lanes | None) -> Iterator[Found]:
        idle = 0
        for texts, offsets in self._slices(begin):
            for i, text in enumerate(texts):
                at, end = offsets[i], offsets[i + 1]
                if lanes is None:
                    self._line(None, text, at, end, at > line)
                else:
                    for lane, inner in self._split(lanes, text, texts[i + 1 : i + 1 + _PEEK]):
                        self._line(lane, inner, at, end, at > line)
                if self._found:
                    yield from self._found
                    self._found.clear()
                if not self._readings and at >= line:
                    idle += 1
                    # a line that waits for its end comes late
                    if lanes is None or idle > _PEEK:
                        return
        for lane, inner in lanes.flush() if lanes else ():
            self._line(lane, inner, self._windows.end, self._windows.end, True)
        for reading in tuple(self._readings.values()):
            self._end(reading, cut=True)
        yield from self._found

    def _split(self, lanes: Lanes, text: str, following: list[str]) -> list[LaneLine]:
        """The line's pieces by lane; a report that another writer begins teaches its prefix."""
        pieces = lanes.split(text)
        for lane, inner in pieces:
            if lane in self._readings:
                continue
            column = self._column(inner)
            if column > 0 and self._learn(lanes, inner[:column], following):
                return lanes.split(text)
        return pieces

    def _slices(self, at: int) -> Iterator[tuple[list[str], list[int]]]:
        """The lines from `at` on, and the offsets at which they begin and the last one ends."""
        while raw := self._windows.slice(at, _SLICE):
            texts, stray = clean.lines(raw, self._encoding)
            self._stray = self._stray or stray
            offsets = list(accumulate((len(x) + 1 for x in raw.split(b"\n")), initial=at))
            if raw.endswith(b"\n"):
                texts.pop()
                offsets.pop()
            else:
                offsets[-1] -= 1
            yield texts, offsets
            at += len(raw)

    def _line(self, lane: str | None, text: str, at: int, end: int, past: bool) -> None:
        """Feeds a line to the machine in its lane; `past` says that the hit's line is over."""
        reading = self._readings.get(lane) or self._opened(lane, text)
        if reading is None:
            return
        verdict = reading.machine.feed(text)
        if verdict is Verdict.ANOTHER:
            self._end(reading)
            reading.restart()
            self._readings[lane] = reading
            verdict = reading.machine.feed(text)
        if verdict is Verdict.OWN or verdict is Verdict.CLOSED:
            if reading.start < 0:
                reading.start = at
            reading.end = end
            reading.quiet = 0
            if verdict is Verdict.CLOSED:
                self._end(reading)
        elif verdict is Verdict.FOREIGN:
            reading.quiet += 1
            if past and reading.quiet > reading.machine.patience:
                self._end(reading)

    def _opened(self, lane: str | None, text: str) -> _Reading | None:
        for dialect in self._dialects:
            if dialect.column(text) >= 0:
                self._readings[lane] = reading = _Reading(dialect, lane)
                return reading
        return None

    def _end(self, reading: _Reading, cut: bool = False) -> None:
        self._readings.pop(reading.lane, None)
        self.covered = max(self.covered, reading.end)
        report = reading.machine.finish(cut)
        if report is not None:
            if self._stray:
                report = replace(report, damage=tuple(sorted({*report.damage, Damage.STRAY_BYTES})))
            span = Span(reading.start, reading.end - reading.start, reading.lane)
            self._found.append(Found(report, span))
