"""The line parsers at work in a region: dispatches lines and collects finished reports."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from deadheat.dialects import Verdict
from deadheat.model import Damage, Report, Span

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from deadheat.dialects import Dialect, Machine
    from deadheat.echo import Echo, Unread

# a longer report, or one continued after this many other bytes, is abandoned
LONGEST = 1 << 16


class Found(NamedTuple):
    """A report, or an object that parses it on demand, and its location."""

    told: Report | Unread | Echo
    span: Span


class _Reading:
    """A line parser at work in one stream."""

    __slots__ = ("dialect", "end", "lane", "machine", "quiet", "start")

    def __init__(self, dialect: Dialect, lane: str | None) -> None:
        self.dialect = dialect
        self.lane = lane
        self.restart()

    def restart(self) -> None:
        self.machine: Machine = self.dialect.machine()
        self.start = self.end = -1
        self.quiet = 0


class Machines:
    """The active line parsers by stream."""

    def __init__(
        self, dialects: Sequence[Dialect], column: Callable[[str], int], floor: int
    ) -> None:
        self._dialects = dialects
        self._column = column
        # the parser that accepted the last line comes first
        self._readings: dict[str | None, list[_Reading]] = {}
        self._writer: str | None = None  # the stream of the last line that named one
        self._bare = False  # whether that line was empty after its prefix
        self.found: list[Found] = []
        self.prelude: Dialect | None = None  # detector whose report may begin before the hit
        self.horizon = floor  # offset up to which parsers without a line are kept
        self.stray = False
        self.covered = floor  # text up to here belongs to finished reports

    def __bool__(self) -> bool:
        return bool(self._readings)

    @property
    def busy(self) -> bool:
        """Whether a parser has accepted a line."""
        return any(reading.start >= 0 for lane in self._readings.values() for reading in lane)

    def __contains__(self, lane: object) -> bool:
        return lane in self._readings

    def finish(self, cut: bool = False) -> None:
        """Ends all parsers."""
        for reading in self._all():
            self._end(reading, cut)

    def give_up(self, at: int, behind: int) -> None:
        """Ends the parsers of streams that are no longer written to."""
        for reading in self._all():
            if at - max(reading.end, behind) > LONGEST:
                self._end(reading)

    def _all(self) -> list[_Reading]:
        return [reading for lane in self._readings.values() for reading in lane]

    def feed(self, lane: str | None, text: str, at: int, end: int, past: bool) -> None:
        """Feeds a line to the parsers of its stream; `after_hit` means that it is after the hit's line.

        The parser that accepted the last line is tried first. At most one parser accepts a line.
        """
        if lane and self._writer and lane.isdigit() and self._writer.endswith(f"/{lane}"):
            lane = self._writer  # a line of that process without the label of the others
        # possibly the rest of a line that was broken after its prefix
        rest = _is_within(self._writer, lane)
        if rest and self._bare:
            lane, rest = self._writer, False
        if not rest:
            # only a bare process id, as Valgrind prints it, is not some other label
            self._bare = not text.strip() and (lane or "").rpartition("/")[2].isdigit()
            self._writer = lane
        readings = self._readings.get(lane, [])
        if not readings and (not past or at < self.horizon) and self.prelude is not None:
            self._readings[lane] = readings = [_Reading(self.prelude, lane)]
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
        """Feeds one parser; returns whether it accepted the line."""
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
            if reading.quiet > reading.machine.patience and not self._waits(reading, at, past):
                self._end(reading)
        return False

    def _waits(self, reading: _Reading, at: int, past: bool) -> bool:
        """Whether this parser is kept for the hit or for later hits."""
        if reading.dialect is not self.prelude:
            return False  # its own hit has been read
        return not past or (reading.start < 0 and at < self.horizon)

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
            if self.stray:
                report = report._replace(damage=tuple(sorted({*report.damage, Damage.STRAY_BYTES})))
            span = Span(reading.start, reading.end - reading.start, reading.lane)
            self.found.append(Found(report, span))


def _is_within(lane: str | None, outer: str | None) -> bool:
    """Whether `stream` is a substream of `outer_stream`."""
    return lane is not None and (outer is None or lane.startswith(f"{outer}/"))
