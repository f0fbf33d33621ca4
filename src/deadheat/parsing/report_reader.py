"""Reads reports from a byte source. Undamaged reports are parsed at once, others line by line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from deadheat.model import Span
from deadheat.parsing.active_parsers import MAX_REPORT_SIZE, LocatedReport
from deadheat.parsing.candidate_filter import CandidateFilter
from deadheat.parsing.damaged_region import DamagedRegion
from deadheat.parsing.duplicates import DuplicateIndex, IntactReport
from deadheat.parsing.test_events import RACE_PHRASE
from deadheat.parsing.wrapped_reports import unwrap_blocks, unwrap_report
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


class _IntactForm:
    """How a detector's undamaged reports begin and end. Those without a closing are blocks of lines."""

    __slots__ = ("adjacent_start", "bar_size", "closing", "closing_size", "detector", "opening")

    def __init__(self, detector: Detector) -> None:
        self.detector = detector
        self.opening, self.closing = detector.report_start or b"", detector.report_end or b""
        self.closing_size = detector.report_end_size
        # the part of the closing that stays after a report, and the beginning of an adjacent report
        self.bar_size = len(self.closing.lstrip())
        self.adjacent_start = self.closing.lstrip() + self.opening


class ReportReader:
    """Reads the reports of some detectors. Keeps no state between documents except known duplicates."""

    def __init__(self, detectors: Sequence[Detector]) -> None:
        self.detectors = tuple(detectors)
        self._duplicates = DuplicateIndex()
        self._max_lookback = max([detector.lookback_bytes for detector in self.detectors], default=0)
        owners = [(anchor, detector) for detector in self.detectors for anchor in detector.anchors]
        forms = {owner.name: _IntactForm(owner) for owner in self.detectors if owner.volatile_numbers is not None}
        self._anchor_owners = [
            (owner, owner.anchor_starts_report(anchor), forms.get(owner.name)) for anchor, owner in owners
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
            detector, starts_report, form = self._anchor_owners[index]
            if candidates.is_known_miss(detector, offset):
                at = offset + 1
                continue
            line = window.line_start(offset, at)
            if last is not None and line >= last:
                break
            try:
                intact = self._parse_intact(window, candidates, line, form, encoding) if form and starts_report else []
                if form is not None and intact:
                    if end is not None and line >= end:
                        break
                    while intact:
                        for located in intact:
                            at = covered_end = located.span.end
                            if located.span.offset >= start and (end is None or located.span.offset < end):
                                yield located
                        intact = self._parse_adjacent(window, at, end, form)
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
        self, window: SlidingWindow, candidates: CandidateFilter, line: int, form: _IntactForm, encoding: str
    ) -> list[LocatedReport]:
        """The undamaged reports that begin here; several if they are blocks of lines."""
        if form.opening and window.peek(line, len(form.opening)) == form.opening:
            return self._parse_intact_at(window, line, form)
        if encoding != UTF8 or candidates.is_known_miss(form, line):
            return []
        if not form.opening:
            return self._parse_blocks(window, candidates, line, form)
        unwrapped = unwrap_report(window, line, form.opening, form.closing, form.closing_size, MAX_REPORT_SIZE)
        source = self._parse_raw(unwrapped.raw, form) if unwrapped else None
        if unwrapped is None or source is None:
            return []
        return [LocatedReport(source, Span(line, unwrapped.size, unwrapped.stream))]

    def _parse_blocks(
        self, window: SlidingWindow, candidates: CandidateFilter, line: int, form: _IntactForm
    ) -> list[LocatedReport]:
        """The undamaged reports in the lines of a process; empty if one of them is damaged."""
        located: list[LocatedReport] = []
        blocks, end = unwrap_blocks(window, line, form.detector, MAX_REPORT_SIZE)
        for block in blocks:
            source = self._parse_raw(block.raw, form)
            if source is None:
                located = []
                break
            located.append(LocatedReport(source, Span(line + block.start, block.size, block.stream)))
        if not located:
            candidates.record_miss(form, end)
        return located

    def _parse_adjacent(
        self, window: SlidingWindow, at: int, end: int | None, form: _IntactForm
    ) -> list[LocatedReport]:
        """The undamaged report that directly follows one that ends at `at`; needs no search."""
        line = at + form.bar_size
        if not form.opening or (end is not None and line >= end):
            return []
        if not window.continues_with(at, form.adjacent_start):
            return []
        return self._parse_intact_at(window, line, form)

    def _parse_intact_at(self, window: SlidingWindow, line: int, form: _IntactForm) -> list[LocatedReport]:
        """The undamaged report that begins here, or a duplicate of a known one."""
        raw = window.bytes_until(line, form.closing, MAX_REPORT_SIZE)
        if raw is None or raw.find(form.opening, 1) >= 0:
            return []
        source = self._parse_raw(raw, form)
        return [LocatedReport(source, Span(line, len(raw) + form.closing_size))] if source else []

    def _parse_raw(self, raw: bytes, form: _IntactForm) -> ReportSource | None:
        """The report from its opening to its closing, or a duplicate of a known one."""
        duplicate = self._duplicates.find_duplicate(raw)
        if duplicate is not None:
            return duplicate
        report = form.detector.parse_intact(raw.decode()) if decoding.is_clean(raw) else None
        if report is None:
            return None
        intact = IntactReport(form.detector, raw, report)
        self._duplicates.add_report(intact)
        return intact
