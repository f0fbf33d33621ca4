"""The line parsers at work in a region: dispatches lines and collects finished reports."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from deadheat.detectors import LineVerdict
from deadheat.model import Damage, ReportSource, Span

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from deadheat.detectors import Detector, LineParser

# a longer report, or one continued after this many other bytes, is abandoned
MAX_REPORT_SIZE = 1 << 16


class LocatedReport(NamedTuple):
    """A report and its location."""

    source: ReportSource
    span: Span


class _ActiveParser:
    """A line parser at work in one stream."""

    __slots__ = ("detector", "end", "foreign_lines", "parser", "start", "stream")

    def __init__(self, detector: Detector, stream: str | None) -> None:
        self.detector = detector
        self.stream = stream
        self.restart()

    def restart(self) -> None:
        self.parser: LineParser = self.detector.new_parser()
        self.start = self.end = -1
        self.foreign_lines = 0


class ActiveParsers:
    """The active line parsers by stream."""

    def __init__(self, detectors: Sequence[Detector], find_opening: Callable[[str], int], floor: int) -> None:
        self._detectors = detectors
        self._find_opening = find_opening
        # the parser that accepted the last line comes first
        self._active: dict[str | None, list[_ActiveParser]] = {}
        self._last_stream: str | None = None  # the stream of the last line that named one
        self._last_was_empty = False  # whether that line was empty after its prefix
        self.reports: list[LocatedReport] = []
        self.pre_hit_detector: Detector | None = None  # detector whose report may begin before the hit
        self.keep_until = floor  # offset up to which parsers without a line are kept
        self.has_stray_bytes = False
        self.covered_end = floor  # text up to here belongs to finished reports

    def __bool__(self) -> bool:
        return bool(self._active)

    @property
    def has_open_report(self) -> bool:
        """Whether a parser has accepted a line."""
        return any(active.start >= 0 for stream_parsers in self._active.values() for active in stream_parsers)

    def __contains__(self, stream: object) -> bool:
        return stream in self._active

    def finish(self, cut: bool = False) -> None:
        """Ends all parsers."""
        for active in self._all_parsers():
            self._end_report(active, cut)

    def end_stale(self, at: int, hit_line_end: int) -> None:
        """Ends the parsers of streams that are no longer written to."""
        for active in self._all_parsers():
            if at - max(active.end, hit_line_end) > MAX_REPORT_SIZE:
                self._end_report(active)

    def _all_parsers(self) -> list[_ActiveParser]:
        return [active for stream_parsers in self._active.values() for active in stream_parsers]

    def feed(self, stream: str | None, text: str, at: int, end: int, after_hit: bool) -> None:
        """Feeds a line to the parsers of its stream; `after_hit` means that it is after the hit's line.

        The parser that accepted the last line is tried first. At most one parser accepts a line.
        """
        if stream and self._last_stream and stream.isdigit() and self._last_stream.endswith(f"/{stream}"):
            stream = self._last_stream  # a line of that process without the label of the others
        # possibly the rest of a line that was broken after its prefix
        may_be_rest = _is_substream(self._last_stream, stream)
        if may_be_rest and self._last_was_empty:
            stream, may_be_rest = self._last_stream, False
        if not may_be_rest:
            # only a bare process id, as Valgrind prints it, is not some other label
            self._last_was_empty = not text.strip() and (stream or "").rpartition("/")[2].isdigit()
            self._last_stream = stream
        stream_parsers = self._active.get(stream, [])
        if not stream_parsers and (not after_hit or at < self.keep_until) and self.pre_hit_detector is not None:
            self._active[stream] = stream_parsers = [_ActiveParser(self.pre_hit_detector, stream)]
        for active in tuple(stream_parsers):
            if self._feed_parser(active, text, at, end, after_hit):
                if active in stream_parsers[1:]:
                    stream_parsers.remove(active)
                    stream_parsers.insert(0, active)
                return
        active_detectors = [active.detector for active in stream_parsers]
        for detector in self._detectors if self._find_opening(text) >= 0 else ():
            if detector not in active_detectors and detector.find_opening(text) >= 0:
                active = _ActiveParser(detector, stream)
                self._active.setdefault(stream, []).insert(0, active)
                self._feed_parser(active, text, at, end, after_hit)
                return
        for active in tuple(self._active.get(self._last_stream, ())) if may_be_rest else ():
            if self._feed_parser(active, text, at, end, after_hit):
                return

    def _feed_parser(self, active: _ActiveParser, text: str, at: int, end: int, after_hit: bool) -> bool:
        """Feeds one parser; returns whether it accepted the line."""
        verdict = active.parser.feed(text)
        if verdict is LineVerdict.NEXT_REPORT:
            self._end_report(active)
            active.restart()
            self._active.setdefault(active.stream, []).insert(0, active)
            verdict = active.parser.feed(text)
        if verdict is LineVerdict.ACCEPTED or verdict is LineVerdict.CLOSED:
            if active.start < 0 or at < active.start:
                active.start = at
            if end > active.end:
                active.end = end
            active.foreign_lines = 0
            if verdict is LineVerdict.CLOSED:
                self._end_report(active)
            return True
        if verdict is LineVerdict.ABANDONED:
            self._remove_parser(active)
        elif verdict is LineVerdict.FOREIGN:
            active.foreign_lines += 1
            if active.foreign_lines > active.parser.max_foreign_lines and not self._must_wait(active, at, after_hit):
                self._end_report(active)
        return False

    def _must_wait(self, active: _ActiveParser, at: int, after_hit: bool) -> bool:
        """Whether this parser is kept for the hit or for later hits."""
        if active.detector is not self.pre_hit_detector:
            return False  # its own hit has been read
        return not after_hit or (active.start < 0 and at < self.keep_until)

    def _remove_parser(self, active: _ActiveParser) -> None:
        stream_parsers = self._active.get(active.stream, [])
        if active in stream_parsers:
            stream_parsers.remove(active)
            if not stream_parsers:
                del self._active[active.stream]

    def _end_report(self, active: _ActiveParser, cut: bool = False) -> None:
        self._remove_parser(active)
        self.covered_end = max(self.covered_end, active.end)
        report = active.parser.finish(cut)
        if report is not None:
            if self.has_stray_bytes:
                report = report._replace(damage=tuple(sorted({*report.damage, Damage.STRAY_BYTES})))
            span = Span(active.start, active.end - active.start, active.stream)
            self.reports.append(LocatedReport(ReportSource(report), span))


def _is_substream(stream: str | None, outer_stream: str | None) -> bool:
    """Whether `stream` is a substream of `outer_stream`."""
    return stream is not None and (outer_stream is None or stream.startswith(f"{outer_stream}/"))
