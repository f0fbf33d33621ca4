"""Reads reports from a byte source. Undamaged reports are parsed at once, others line by line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from deadheat.model import Span
from deadheat.parsing.active_parsers import MAX_REPORT_SIZE, LocatedReport
from deadheat.parsing.candidate_filter import CandidateFilter
from deadheat.parsing.damaged_region import DamagedRegion
from deadheat.parsing.duplicates import DuplicateIndex, IntactReport
from deadheat.parsing.test_events import RACE_PHRASE
from deadheat.parsing.wrapped_reports import unwrap_report
from deadheat.text import decoding
from deadheat.text.decoding import UTF8
from deadheat.text.prefilter import Prefilter, make_prefilter
from deadheat.text.window import ByteSource, SlidingWindow

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from deadheat.detectors import Detector
    from deadheat.model import ReportSource
    from deadheat.text.window import PhraseListener

    ErrorListener = Callable[[Exception, str], None]  # an exception, and the part of the document that it concerns

# how far before a range a report that extends into it may begin
RANGE_OVERLAP: Final = 1 << 18


class _IntactDelimiters:
    """The opening and closing of a detector's undamaged reports."""

    __slots__ = ("adjacent_start", "bar_size", "closing", "detector", "opening")

    def __init__(self, detector: Detector, opening: bytes, closing: bytes) -> None:
        self.detector, self.opening, self.closing = detector, opening, closing
        # the part of the closing that stays after a report, and the beginning of an adjacent report
        self.bar_size = len(closing.lstrip())
        self.adjacent_start = closing.lstrip() + opening


def _intact_delimiters(detectors: Sequence[Detector]) -> dict[str, _IntactDelimiters]:
    """Delimiters by detector name, for detectors whose reports have them."""
    return {
        detector.name: _IntactDelimiters(detector, detector.report_start, detector.report_end)
        for detector in detectors
        if detector.report_start is not None
        and detector.report_end is not None
        and detector.volatile_numbers is not None
    }


class ReportReader:
    """Reads the reports of some detectors. Keeps no state between documents except known duplicates."""

    def __init__(self, detectors: Sequence[Detector]) -> None:
        self.detectors = tuple(detectors)
        self._duplicates = DuplicateIndex()
        self._max_lookback = max([detector.lookback_bytes for detector in self.detectors], default=0)
        owners = [(anchor, detector) for detector in self.detectors for anchor in detector.anchors]
        delimiters_by_name = _intact_delimiters(self.detectors)
        self._anchor_owners = [
            (owner, owner.anchor_starts_report(anchor), delimiters_by_name.get(owner.name)) for anchor, owner in owners
        ]
        hints = tuple(hint for detector in self.detectors for hint in detector.hints)
        self.prefilter: Prefilter = make_prefilter(tuple(anchor for anchor, _ in owners), hints, RACE_PHRASE)

    def read_reports(
        self,
        source: ByteSource,
        start: int = 0,
        end: int | None = None,
        encoding: str = UTF8,
        on_phrase: PhraseListener | None = None,
        on_error: ErrorListener | None = None,
    ) -> Iterator[LocatedReport]:
        """Yields the reports whose first line begins in `[start, end)`, in the order in which they end.

        To read a part of a document, pass a source that begins `RANGE_OVERLAP` bytes before it. `on_phrase`
        receives the offsets of `RACE_PHRASE`. `on_error` receives an exception of a parser, and reading goes on
        at the next part of the report; without it the exception is raised.
        """
        window = SlidingWindow(source, self.prefilter, on_phrase)
        candidates = CandidateFilter(window)
        at = covered_end = source.base
        # a report that begins before the end may have its hit after it
        last = None if end is None else end + self._max_lookback
        while (hit := window.next_hit(at, last)) is not None:
            offset, index = hit
            detector, starts_report, delimiters = self._anchor_owners[index]
            if candidates.is_known_miss(detector, offset):
                at = offset + 1
                continue
            line = window.line_start(offset, at)
            if last is not None and line >= last:
                break
            try:
                intact = self._parse_intact(window, line, delimiters, encoding) if starts_report else None
                if delimiters is not None and intact is not None:
                    if end is not None and line >= end:
                        break
                    while intact is not None:
                        at = covered_end = intact.span.end
                        if intact.span.offset >= start:
                            yield intact
                        intact = self._parse_adjacent(window, at, end, delimiters)
                    continue
                if not candidates.may_contain_report(detector, line, covered_end):
                    at = offset + 1
                    continue
                region = DamagedRegion(self.detectors, window, candidates, encoding, covered_end)
                for located in region.read_reports(line, detector, starts_report):
                    if located.span.offset >= start and (end is None or located.span.offset < end):
                        yield located
                covered_end = region.covered_end
                at = max(region.hit_line_end, covered_end, offset + 1)
            except Exception as error:
                if on_error is None:
                    raise
                on_error(error, f"a report at byte {offset} may be incomplete")
                at = max(at, offset + 1)

    def _parse_intact(
        self, window: SlidingWindow, line: int, delimiters: _IntactDelimiters | None, encoding: str
    ) -> LocatedReport | None:
        """The undamaged report that begins here, if there is one."""
        if delimiters is None:
            return None
        if window.peek(line, len(delimiters.opening)) == delimiters.opening:
            return self._parse_intact_at(window, line, delimiters)
        opening, closing = delimiters.opening, delimiters.closing
        unwrapped = unwrap_report(window, line, opening, closing, MAX_REPORT_SIZE) if encoding == UTF8 else None
        source = self._parse_raw(unwrapped.raw, delimiters) if unwrapped else None
        if unwrapped is None or source is None:
            return None
        return LocatedReport(source, Span(line, unwrapped.size, unwrapped.stream))

    def _parse_adjacent(
        self, window: SlidingWindow, at: int, end: int | None, delimiters: _IntactDelimiters
    ) -> LocatedReport | None:
        """The undamaged report that directly follows one that ends at `at`; needs no search."""
        line = at + delimiters.bar_size
        if end is not None and line >= end:
            return None
        if not window.continues_with(at, delimiters.adjacent_start):
            return None
        return self._parse_intact_at(window, line, delimiters)

    def _parse_intact_at(self, window: SlidingWindow, line: int, delimiters: _IntactDelimiters) -> LocatedReport | None:
        """The undamaged report that begins here, or a duplicate of a known one."""
        raw = window.bytes_until(line, delimiters.closing, MAX_REPORT_SIZE)
        if raw is None:
            return None
        source = self._parse_raw(raw, delimiters)
        return LocatedReport(source, Span(line, len(raw) + len(delimiters.closing))) if source else None

    def _parse_raw(self, raw: bytes, delimiters: _IntactDelimiters) -> ReportSource | None:
        """The report from its opening to its closing, or a duplicate of a known one."""
        duplicate = self._duplicates.find_duplicate(raw)
        if duplicate is not None:
            return duplicate
        report = delimiters.detector.parse_intact(raw.decode()) if decoding.is_clean(raw) else None
        if report is None:
            return None
        intact = IntactReport(delimiters.detector, raw, report)
        self._duplicates.add_report(intact)
        return intact
