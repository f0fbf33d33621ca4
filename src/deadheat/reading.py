"""From bytes to reports: moves windows over a source, splits lanes, drives the dialects' machines."""

from __future__ import annotations

from dataclasses import replace
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from deadheat import backwards
from deadheat.dialects import Verdict
from deadheat.echo import Echo, Echoes, Unread
from deadheat.model import Damage, Report, Span
from deadheat.text import clean
from deadheat.text.encoding import UTF8
from deadheat.text.sift import Sifter, sifter
from deadheat.text.window import Source, Windows

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from deadheat.dialects import Dialect, Machine
    from deadheat.text.lanes import LaneLine, Lanes

# how far before a range a report that reaches into it may have begun
REACH = 1 << 18
# lines are decoded in slices of about this size
_SLICE = 1 << 11
# how far ahead to look for a sign that a report follows
_AHEAD = 1 << 13
# a longer report, and one that a lane goes on with after so many other bytes, is given up
_LONGEST = 1 << 16
# how many lines to look at for a prefix, and for a line that was cut in pieces
_PEEK = 8
_PIECE = 1 << 9
# how much of a log to turn round at a time
_REGION = 1 << 15
_LONGEST_PREFIX = 300


class Found(NamedTuple):
    """A report, or what makes it when it is asked for, and where it stands."""

    told: Report | Unread | Echo
    span: Span


class Reader:
    """Reads the reports of some dialects; keeps nothing between documents but what it recognises."""

    def __init__(self, dialects: Sequence[Dialect]) -> None:
        self.dialects = tuple(dialects)
        self._echoes = Echoes()
        owners = [(anchor, dialect) for dialect in self.dialects for anchor in dialect.anchors]
        self._owners = [(dialect, dialect.starts(anchor)) for anchor, dialect in owners]
        hints = tuple(hint for dialect in self.dialects for hint in dialect.hints)
        self.sifter: Sifter = sifter(tuple(anchor for anchor, _ in owners), hints)

    def read(
        self,
        source: Source,
        start: int = 0,
        end: int | None = None,
        encoding: str = UTF8,
        full: bool = False,
    ) -> Iterator[Found]:
        """The reports whose first line begins in `[start, end)`, in the order in which they end.

        To read a part of a document, give a source that begins `REACH` bytes before it. `full`
        says that every report will be asked for, so that a glance at it would be wasted.
        """
        windows = Windows(source, self.sifter)
        at = covered = source.base
        while (hit := windows.next_hit(at)) is not None:
            offset, index = hit
            line = windows.line_start(offset, at)
            if end is not None and line >= end:
                break
            dialect, starts = self._owners[index]
            if starts and (once := self._at_once(windows, line, dialect, full)) is not None:
                at = covered = once.span.end
                if line >= start:
                    yield once
                continue
            window = _Window(self.dialects, windows, encoding, covered)
            for found in window.read(line, dialect, starts):
                if found.span.offset >= start and (end is None or found.span.offset < end):
                    yield found
            covered = window.covered
            at = max(window.behind, covered, offset + 1)

    def _at_once(self, windows: Windows, line: int, dialect: Dialect, full: bool) -> Found | None:
        """An undamaged report, whose text may even have been read before."""
        if dialect.closing is None or dialect.volatile is None:
            return None
        raw = windows.until(line, dialect.closing, _LONGEST)
        if raw is None:
            return None
        told: Report | Unread | Echo | None = self._echoes.find(raw)
        if told is None:
            if not clean.is_clean(raw):
                return None
            look = dialect.whole if full else dialect.glance
            sketch = look(raw.decode())
            if sketch is None:
                return None
            unread = Unread(dialect, raw, sketch)
            self._echoes.learn(unread)
            told = sketch if full else unread
        return Found(told, Span(line, len(raw) + len(dialect.closing)))


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
        self._sense = backwards.Sense(dialects, windows, encoding, floor)
        # the one that took the last line comes first
        self._readings: dict[str | None, list[_Reading]] = {}
        self._found: list[Found] = []
        self._stray = False
        self._prelude: Dialect | None = None  # whose report may have begun before the hit
        self._writer: str | None = None  # whose mark the last line had that had one
        self._bare = False  # that line had nothing behind its mark
        self._unfinished = False  # the text ended within a line
        self._asked = "", -1  # the last line that was asked about, and the answer
        self.covered = floor  # up to here, text belongs to reports already read
        self.behind = floor  # the line of the hit ends here

    def read(self, line: int, dialect: Dialect, starts: bool) -> Iterator[Found]:
        """The reports of the window around the line that begins at `line`."""
        raw = self._windows.slice(line, 0)
        ahead = self._windows.peek(line, max(_AHEAD, len(raw)))
        if not dialect.promises(ahead) and not dialect.promises(self._sense.above(line)):
            return
        (first, *_), _ = clean.lines(raw, self._encoding)
        column = dialect.column(first)
        whole = column >= 0
        lanes = None
        self.behind = line + len(raw)
        if not whole or clean.BREAK in first or (column and not first[:column].isspace()):
            lanes, whole = self._lanes(first)
            if not whole and not dialect.remnant(first):
                self.behind = self._floor  # another dialect may find more in this line
                return
            if not whole and lanes is None:
                lanes = self._lanes_before(line)
        # the mark of its writer may be in a piece of its own
        if lanes is None and clean.MARKED.search(raw + self._windows.peek(self.behind, _PIECE)):
            lanes = _new_lanes(first)
        begin = line if lanes is None else self._windows.back(line, _PIECE, self._floor)
        if not (whole and starts):
            begin = self._windows.back(line, dialect.back, self._floor)
            self._prelude = dialect
        if self._sense.is_backwards(line, lanes, whole) and (
            reports := self._backwards(line, lanes)
        ):
            yield from reports
            return
        yield from self._walk(begin, line, lanes)

    def _backwards(self, line: int, lanes: Lanes | None) -> list[Found]:
        """The reports of a log with its newest line first, read from its end; none if that is wrong."""
        before = self.covered, self._stray
        begin = self._windows.back(line, _AHEAD, self._floor)
        texts, offsets = next(self._slices(begin, line - begin + _REGION))
        fork = lanes.fork() if lanes else None
        texts.reverse()
        for i, text in enumerate(texts):
            at, end = offsets[-i - 2], offsets[-i - 1]
            following = texts[i + 1 : i + 1 + _PEEK]
            for lane, inner in self._split(fork, text, following) if fork else ((None, text),):
                self._line(lane, inner, at, end, True)
        for reading in self._all():
            self._end(reading)
        whole = [found for found in self._found if Damage.TRUNCATED not in _damage(found)]
        kept = list(self._found) if whole or self._sense.descends(line) else []
        if not self._windows.ended:  # what began the last ones may not have been seen
            kept = [found for found in kept if found.span.end < offsets[-1] - _AHEAD] or kept
        self._found.clear()
        self.covered, self._stray = max([before[0], *(f.span.end for f in kept)]), before[1]
        return [_turned(found) for found in sorted(kept, key=lambda found: found.span.offset)]

    def _lanes(self, first: str) -> tuple[Lanes | None, bool]:
        """Lanes that know the wrapping of this line, and whether a report's line is inside it."""
        lanes, probe = _new_lanes(first), _new_lanes()
        pieces = [*probe.split(first), *probe.flush()]
        for _, text in pieces:
            if (column := self._column(text)) >= 0:
                self._learn(lanes, text[:column])
                return lanes, True
        wrapped = pieces != [(None, first)]
        return (lanes if wrapped else None), False

    def _lanes_before(self, line: int) -> Lanes | None:
        """Lanes, if the line before one that is only the rest of a line is wrapped."""
        if line <= self._floor:
            return None
        raw = self._windows.slice(self._windows.line_start(line - 1, self._floor), 0)
        (before, *_), _ = clean.lines(raw, self._encoding)
        return _new_lanes(before) if _new_lanes().split(before) != [(None, before)] else None

    def _learn(self, lanes: Lanes, prefix: str, following: list[str] | None = None) -> bool:
        """Is what stands before a report's line a writer's mark, or just some other text?"""
        if not prefix or prefix.isspace() or len(prefix) > _LONGEST_PREFIX:
            return False
        if following is None:
            following, _ = clean.lines(self._windows.slice(self.behind, 1024), self._encoding)
        probe = _new_lanes()
        texts = [text for line in following[:_PEEK] for _, text in probe.split(line)]
        columns = [(self._column(text), text) for text in texts]
        if any(column >= 0 and not text[:column].strip() for column, text in columns):
            return False  # the next header has no such mark
        return lanes.learn(prefix, texts)

    def _column(self, text: str) -> int:
        # each line is asked about when it is split and when it is read
        if text is not self._asked[0]:
            self._asked = text, max([dialect.column(text) for dialect in self._dialects])
        return self._asked[1]

    def _walk(self, begin: int, line: int, lanes: Lanes | None) -> Iterator[Found]:
        idle = 0
        for texts, offsets in self._slices(begin):
            self._give_up(offsets[0])
            for i, text in enumerate(texts):
                at, end = offsets[i], offsets[i + 1]
                if lanes is None:
                    for inner in text.split(clean.BREAK):
                        self._line(None, inner, at, end, at > line)
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
        for reading in self._all():
            self._end(reading, cut=self._unfinished)
        yield from self._found

    def _give_up(self, at: int) -> None:
        """Ends the readings of lanes that nobody writes to any more."""
        for reading in self._all():
            if at - max(reading.end, self.behind) > _LONGEST:
                self._end(reading)

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

    def _slices(self, at: int, size: int = _SLICE) -> Iterator[tuple[list[str], list[int]]]:
        """The lines from `at` on, and the offsets at which they begin and the last one ends."""
        while raw := self._windows.slice(at, size):
            texts, stray = clean.lines(raw, self._encoding)
            self._stray = self._stray or stray
            offsets = list(accumulate((len(x) + 1 for x in raw.split(b"\n")), initial=at))
            self._unfinished = not raw.endswith(b"\n")
            if self._unfinished:
                offsets[-1] -= 1
            else:
                texts.pop()
                offsets.pop()
            yield texts, offsets
            at += len(raw)

    def _all(self) -> list[_Reading]:
        return [reading for lane in self._readings.values() for reading in lane]

    def _line(self, lane: str | None, text: str, at: int, end: int, past: bool) -> None:
        """Feeds a line to the machines in its lane; `past` says that the hit's line is over.

        The machine that took the last line is asked first, and a line is only one's.
        """
        # perhaps the rest of a line that was broken behind its writer's mark
        rest = _is_within(self._writer, lane)
        if rest and self._bare:
            lane, rest = self._writer, False
        if not rest:
            # only a process alone on a line, as of Valgrind, is no label of something else
            self._bare = not text.strip() and (lane or "").rpartition("/")[2].isdigit()
            self._writer = lane
        readings = self._readings.get(lane, [])
        if not readings and not past and self._prelude is not None:
            self._readings[lane] = readings = [_Reading(self._prelude, lane)]
        for reading in tuple(readings):
            if self._fed(reading, text, at, end, past):
                if reading in readings[1:]:
                    readings.remove(reading)
                    readings.insert(0, reading)
                return
        busy = [reading.dialect for reading in readings]
        for dialect in self._dialects if self._column(text) >= 0 else ():
            if dialect not in busy and dialect.column(text) >= 0:
                reading = _Reading(dialect, lane)
                self._readings.setdefault(lane, []).insert(0, reading)
                self._fed(reading, text, at, end, past)
                return
        for reading in tuple(self._readings.get(self._writer, ())) if rest else ():
            if self._fed(reading, text, at, end, past):
                return

    def _fed(self, reading: _Reading, text: str, at: int, end: int, past: bool) -> bool:
        """Feeds one machine; True if the line was its own."""
        verdict = reading.machine.feed(text)
        if verdict is Verdict.ANOTHER:
            self._end(reading)
            reading.restart()
            self._readings.setdefault(reading.lane, []).insert(0, reading)
            verdict = reading.machine.feed(text)
        if verdict is Verdict.OWN or verdict is Verdict.CLOSED:
            if reading.start < 0 or at < reading.start:
                reading.start = at
            if end > reading.end:
                reading.end = end
            reading.quiet = 0
            if verdict is Verdict.CLOSED:
                self._end(reading)
            return True
        if verdict is Verdict.ABANDONED:
            self._drop(reading)
        elif verdict is Verdict.FOREIGN:
            reading.quiet += 1
            if past and reading.quiet > reading.machine.patience:
                self._end(reading)
        return False

    def _drop(self, reading: _Reading) -> None:
        lane = self._readings.get(reading.lane, [])
        if reading in lane:
            lane.remove(reading)
            if not lane:
                del self._readings[reading.lane]

    def _end(self, reading: _Reading, cut: bool = False) -> None:
        self._drop(reading)
        self.covered = max(self.covered, reading.end)
        report = reading.machine.finish(cut)
        if report is not None:
            if self._stray:
                report = replace(report, damage=tuple(sorted({*report.damage, Damage.STRAY_BYTES})))
            span = Span(reading.start, reading.end - reading.start, reading.lane)
            self._found.append(Found(report, span))


def _new_lanes(first: str | None = None) -> Lanes:
    from deadheat.text.lanes import Lanes  # a room of its own, which clean text never enters

    return Lanes(first)


def _is_within(lane: str | None, outer: str | None) -> bool:
    """Is `lane` one that marks of its own divide from `outer`?"""
    return lane is not None and (outer is None or lane.startswith(f"{outer}/"))


def _damage(found: Found) -> tuple[Damage, ...]:
    return found.told.damage if isinstance(found.told, Report) else ()


def _turned(found: Found) -> Found:
    assert isinstance(found.told, Report)
    damage = tuple(sorted({*found.told.damage, Damage.REVERSED}))
    return found._replace(told=replace(found.told, damage=damage))
