"""Reads a damaged region of text line by line, from a hit on, for as long as a report continues."""

from __future__ import annotations

from itertools import accumulate, chain, islice
from typing import TYPE_CHECKING, Final

from deadheat.detectors import LineVerdict
from deadheat.parsing import line_joining, line_order
from deadheat.parsing.active_parsers import ActiveParsers, LocatedReport
from deadheat.parsing.candidate_filter import LOOK_AHEAD
from deadheat.text import decoding
from deadheat.text.log_records import may_be_newest_first

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from deadheat.detectors import Detector
    from deadheat.parsing.candidate_filter import CandidateFilter, RepeatedLists
    from deadheat.text.streams import StreamLine, StreamSplitter
    from deadheat.text.window import SlidingWindow

    # lines, and the offsets at which they begin and the last one ends
    DecodedSlice = tuple[list[str], list[int]]


# number of lines examined for a prefix, and for a line broken into pieces
PREVIEW_LINES: Final = 8
# the same where another writer's lines are interleaved
_MAX_INTERLEAVED_LINES: Final = 24
# number of bytes for these lines; the larger for long lines and records over several lines
_PREVIEW_SIZE: Final = 1 << 10
LONG_PREVIEW_SIZE: Final = 1 << 13


def new_splitter(first: str | None = None) -> StreamSplitter:
    from deadheat.text.streams import StreamSplitter  # not needed for clean text

    return StreamSplitter(first)


def preview_lines(window: SlidingWindow, at: int, encoding: str, size: int = _PREVIEW_SIZE) -> list[str]:
    """The lines that begin at `at`, in about `size` bytes."""
    return decoding.decode_lines(window.read_lines(at, size), encoding)[0]


def unwrap_preview(window: SlidingWindow, at: int, encoding: str, first_lines: list[str]) -> list[str]:
    """The text without prefixes of the lines at `at`, of which `first_lines` are the first."""
    texts = unwrap_lines(first_lines[:PREVIEW_LINES])
    if len(texts) >= min(len(first_lines), PREVIEW_LINES):
        return texts
    return unwrap_lines(preview_lines(window, at, encoding, LONG_PREVIEW_SIZE))


def unwrap_lines(lines: list[str], max_lines: int = PREVIEW_LINES) -> list[str]:
    """The text without prefixes of these lines; lines without text are skipped."""
    splitter = new_splitter()
    unwrapped = (text for line in lines for _, text in splitter.split_line(line))
    return list(unwrapped) if len(lines) <= PREVIEW_LINES else list(islice(unwrapped, max_lines))


def preview_other_writer(window: SlidingWindow, at: int, encoding: str, first_lines: list[str]) -> list[str]:
    """More text at `at`, if all of `first_lines` belongs to another writer."""
    first = first_lines[0].split(None, 1)[:1] if len(first_lines) == PREVIEW_LINES else []
    if not first or not all(text.startswith(first[0]) for text in first_lines):
        return []
    return unwrap_lines(preview_lines(window, at, encoding, LONG_PREVIEW_SIZE), _MAX_INTERLEAVED_LINES)


def following_in_record(pieces: list[StreamLine], at: int) -> list[str]:
    """The next lines in the same record, if there are enough to learn a prefix."""
    texts = [text for _, text in pieces[at + 1 : at + 1 + PREVIEW_LINES]]
    return texts if len(texts) == PREVIEW_LINES else []


def texts_before_prefix(lines: list[str]) -> list[str]:
    """The text before a known prefix in each of these lines."""
    split_lines = (new_splitter().split_line(line) for line in lines)
    return [pieces[0][1] for pieces in split_lines if len(pieces) > 1]


# lines are decoded in slices of about this size
_SLICE_SIZE: Final = 1 << 11


class RegionLines:
    """The decoded lines of a region."""

    def __init__(self, window: SlidingWindow, encoding: str, repeated_lists: RepeatedLists) -> None:
        self._windows = window
        self._encoding = encoding
        self._repeated_lists = repeated_lists
        self.folded_lines = line_joining.FoldedLines()
        self.has_multi_line_records = False  # whether each line is a record over several lines
        self.ends_mid_line = False  # whether the text ends within a line
        self.has_stray_bytes = False

    def enclosing_record(self, line: int, raw: bytes, floor: int) -> tuple[int, int]:
        """The start and end of the record that names the writer of this line, or of the line itself."""
        span = line_joining.find_enclosing_record(self._windows, line, raw, floor, self._encoding)
        self.has_multi_line_records = span is not None
        return span or (line, line + len(raw))

    def decode_text(self, raw: bytes) -> list[str]:
        texts, _ = decoding.decode_lines(raw, self._encoding)
        return (
            line_joining.join_records(texts, range(len(texts) + 1), True)[0] if self.has_multi_line_records else texts
        )

    def read_slices(self, at: int, size: int = _SLICE_SIZE) -> Iterator[DecodedSlice]:
        """Yields the lines from `at` on, in slices."""
        incomplete: DecodedSlice = ([], [])
        while raw := self._windows.read_lines(at, size):
            texts, has_stray_bytes = decoding.decode_lines(raw, self._encoding)
            self.has_stray_bytes = self.has_stray_bytes or has_stray_bytes
            offsets = list(accumulate((len(line_bytes) + 1 for line_bytes in raw.split(b"\n")), initial=at))
            self.ends_mid_line = not raw.endswith(b"\n")
            if self.ends_mid_line:
                offsets[-1] -= 1
            else:
                texts.pop()
                offsets.pop()
            self._repeated_lists.find_list(at, raw)
            self._repeated_lists.blank_repeated_lines(texts, offsets)
            at += len(raw)
            if self.has_multi_line_records:
                texts, offsets = [*incomplete[0], *texts], [*incomplete[1], *offsets]
                last = self._windows.ended and at >= self._windows.end
                texts, offsets, incomplete = line_joining.join_records(texts, offsets, last)
            yield self.folded_lines.join_paragraphs(texts, offsets)
        if incomplete[0]:
            yield incomplete[0], [*incomplete[1], at]


# maximum size of a line that was broken into pieces
_MAX_BROKEN_LINE: Final = 1 << 9
# a longer line may contain several of a detector's lines
_MIN_FOLDED_LINE: Final = 60
# number of bytes to read before the earliest start of a report, or before a hit
_LEAD_IN_SIZE: Final = 1 << 10
# number of bytes that are read in reverse at a time
_REVERSED_SIZE: Final = 1 << 15
_MAX_PREFIX_LENGTH: Final = 300
# first characters of a record
_RECORD_STARTS: Final = ("{", "[")
# lines longer than this are not read again for every hit; the overlap of their pieces
_LONG_LINE: Final = 1 << 11
_LONG_LINE_OVERLAP: Final = 1 << 12
# a line may continue in this many following lines
_MAX_CONTINUATION_LINES: Final = 4
_ACCEPTING_VERDICTS: Final = (LineVerdict.ACCEPTED, LineVerdict.CLOSED)


class DamagedRegion:
    """The lines around a hit, and the parsers they are fed to."""

    def __init__(
        self,
        detectors: Sequence[Detector],
        window: SlidingWindow,
        candidates: CandidateFilter,
        encoding: str,
        floor: int,
    ) -> None:
        self._detectors = detectors
        self._window = window
        self._candidates = candidates
        self._encoding = encoding
        self._floor = floor
        self._parsers = ActiveParsers(detectors, self._find_opening, floor)
        self._region_lines = RegionLines(window, encoding, candidates.repeated_lists)
        decode_text = self._region_lines.decode_text
        self._order_detector = line_order.OrderDetector(detectors, window, candidates, decode_text, floor)
        self._last_opening = "", -1  # the last line and the result for it
        self._searched_to = floor  # hits before this offset are covered
        self.hit_line_end = floor  # end of the hit's line

    @property
    def covered_end(self) -> int:
        """Text up to here belongs to finished reports."""
        return self._parsers.covered_end

    def read_reports(self, line: int, detector: Detector, starts_report: bool) -> Iterator[LocatedReport]:
        """Yields the reports around the line at `line`."""
        raw = self._window.read_lines(line, 0)
        (first, *_), _ = decoding.decode_lines(raw, self._encoding)
        column = detector.find_opening(first)
        is_opening = column >= 0
        splitter = None
        self.hit_line_end = line + len(raw)
        preview = self._preview_lines(self.hit_line_end)[:PREVIEW_LINES]
        wrapped = not is_opening or (column and not first[:column].isspace())
        if wrapped or self._may_hold_several_lines(first, preview, detector):
            splitter, is_opening = self._learn_wrapping(first, preview, detector)
            if not is_opening and not self._continues_report(first, detector):
                if len(raw) > _LONG_LINE:
                    self._candidates.record_miss(detector, self.hit_line_end - _LONG_LINE_OVERLAP)
                self.hit_line_end = self._floor  # another detector may find more in this line
                return
            if splitter is not None:
                splitter.observe_report(first, preview)
                if len(raw) > _MAX_BROKEN_LINE and may_be_newest_first(first):
                    line_order.choose_record_order(
                        splitter, lambda: self._read_in_order((0,), [first], [0, 1], splitter)
                    )
            elif not is_opening:
                splitter = self._splitter_from_previous(line)
        if splitter is not None:
            line, self.hit_line_end = self._region_lines.enclosing_record(line, raw, self._floor)
        # the writer's prefix may be in a piece of its own
        if splitter is None and decoding.VALGRIND_PREFIX.search(
            raw + self._window.peek(self.hit_line_end, _MAX_BROKEN_LINE)
        ):
            splitter = new_splitter(first)
        if not (is_opening and starts_report):
            self._parsers.pre_hit_detector = detector
        search_key = self._parsers.pre_hit_detector, splitter.prefix_key if splitter else None
        if self._candidates.is_known_miss(search_key, line):
            return
        allow_by_time = not self._candidates.is_known_miss(line_order.ReadingOrder.BY_TIME, line)
        order = self._order_detector.detect_order(line, splitter, is_opening, allow_by_time)
        reports = self._read_newest_first(line, splitter, order) if order else []
        # stacks without headers would be misread in forward order
        if reports or (order is line_order.ReadingOrder.BACKWARD and not detector.has_stack_headers):
            yield from reports
            return
        # where many searches are fruitless, one pass covers all of them
        self._parsers.keep_until = self._candidates.search_horizon(search_key, line)
        yield from self._read_forward(self._start_offset(line, splitter), line, splitter)
        if self.covered_end == self._floor and search_key[1] == (splitter.prefix_key if splitter else None):
            self._candidates.record_miss(search_key, self._searched_to)

    def _start_offset(self, line: int, splitter: StreamSplitter | None) -> int:
        """Where to begin reading: the hit need not be in the report's first line."""
        window, floor, detector = self._window, self._floor, self._parsers.pre_hit_detector
        if detector is None:
            return line if splitter is None else window.line_start_before(line, _MAX_BROKEN_LINE, floor)
        lookback_start = window.line_start_before(line, detector.lookback_bytes, floor)
        earliest = lookback_start + detector.earliest_start(window.peek(lookback_start, line - lookback_start))
        # the line of the earliest start, and its prefixes
        return max(lookback_start, window.line_start_before(min(earliest, line), _LEAD_IN_SIZE, floor))

    def _read_newest_first(
        self, line: int, splitter: StreamSplitter | None, order: line_order.ReadingOrder
    ) -> list[LocatedReport]:
        """The reports of a log with its newest line first; empty if the order is wrong."""
        begin = self._window.line_start_before(line, LOOK_AHEAD, self._floor)
        texts, offsets = next(self._region_lines.read_slices(begin, line - begin + _REVERSED_SIZE))
        candidate_results = (
            self._read_in_order(indexes, texts, offsets, splitter)
            for indexes in line_order.candidate_orders(texts, order)
        )
        reports = line_order.choose_reports(candidate_results, order)
        if order is line_order.ReadingOrder.BY_TIME and not reports:
            self._candidates.record_miss(order, offsets[-1])
        if not self._window.ended:  # the beginning of the last reports may be missing
            reports = [found for found in reports if found.span.end < offsets[-1] - LOOK_AHEAD] or reports
        self._parsers.covered_end = max([self.covered_end, *(report.span.end for report in reports)])
        return [
            line_order.with_reversed_damage(found) for found in sorted(reports, key=lambda found: found.span.offset)
        ]

    def _read_in_order(
        self, indexes: Sequence[int], texts: list[str], offsets: list[int], splitter: StreamSplitter | None
    ) -> list[LocatedReport]:
        """The reports of these lines when read in this order."""
        parsers = ActiveParsers(self._detectors, self._find_opening, self._floor)
        parsers.pre_hit_detector, parsers.has_stray_bytes = (
            self._parsers.pre_hit_detector,
            self._region_lines.has_stray_bytes,
        )
        splitter_copy = splitter.copy_prefixes() if splitter else None
        for i, at in enumerate(indexes):
            following = (
                [texts[position] for position in indexes[i + 1 : i + 1 + PREVIEW_LINES]] if splitter_copy else []
            )
            text = texts[at]
            for stream, inner_text in (
                self._split_streams(splitter_copy, text, following, parsers) if splitter_copy else ((None, text),)
            ):
                parsers.feed(stream, inner_text, offsets[at], offsets[at + 1], True)
        parsers.finish()
        return parsers.reports

    def _may_hold_several_lines(self, first: str, preview: list[str], detector: Detector) -> bool:
        """Whether this line or the next may contain several report lines, or only part of one."""
        if any(end in first for end in decoding.LINE_BREAK_FORMS) or decoding.common_suffix([first, *preview]):
            return True
        return any(
            line_joining.may_hold_folded_lines(text, detector)
            for text in (first, *preview)
            if len(text) > _MIN_FOLDED_LINE
        )

    def _learn_wrapping(self, first: str, preview: list[str], detector: Detector) -> tuple[StreamSplitter | None, bool]:
        """A splitter for the prefixes of this line, and whether a report line is inside it."""
        splitter, probe_splitter = new_splitter(first), new_splitter()
        if "," in first and (opens_report := self._learn_table(splitter, first, preview, detector)) is not None:
            return splitter, opens_report
        pieces = [*probe_splitter.split_line(first), *probe_splitter.flush_pending()]
        columns = [self._find_opening(text) for _, text in pieces]
        opening = [(at, text) for at, (_, text) in enumerate(pieces) if columns[at] >= 0]
        for at, text in opening:
            if self._learn_prefix(splitter, text[: columns[at]], following_in_record(pieces, at) or self.hit_line_end):
                return splitter, True
        if (
            len(pieces) == 2
            and columns[1] == 0
            and splitter.learn_head_label(pieces[0][1], texts_before_prefix(preview))
        ):
            return splitter, True
        is_bare = pieces == [(None, first)]
        if self._contains_folded_lines([text for _, text in pieces], [first, *preview] if is_bare else [], detector):
            return splitter, True
        if any(self._opens_report(text) for _, text in opening):
            return splitter, True
        return (None if is_bare else splitter), False

    def _learn_table(self, splitter: StreamSplitter, first: str, preview: list[str], detector: Detector) -> bool | None:
        """Whether this line is a table row that begins a report (True) or continues one (False)."""
        from deadheat.text.streams import candidate_tables

        is_fragment = None if detector.is_fragment("") else detector.is_fragment
        if len(preview) < PREVIEW_LINES:
            preview = preview_lines(self._window, self.hit_line_end, self._encoding, LONG_PREVIEW_SIZE)[:PREVIEW_LINES]
        for cell, table in candidate_tables(first, preview):
            texts = [text for _, text in new_splitter().split_line(cell) if text.strip()]
            for text in texts if cell[:1] in _RECORD_STARTS else texts[:1]:
                column = self._find_opening(text)
                if column < 0 and not (is_fragment and is_fragment(text)):
                    continue
                prefix = text[: max(column, 0)]
                rows = [row[table.text_column] for row in map(table.parse_row, preview) if row]
                if prefix.strip() and not self._learn_prefix(splitter, prefix, rows):
                    return None  # a sentence, or a prefix that contains a comma
                splitter.use_table(table)
                return column >= 0
        return None

    def _contains_folded_lines(self, pieces: list[str], bare_lines: list[str], detector: Detector) -> bool:
        """Whether one of these pieces, or of the `bare_lines` without prefixes, is folded."""
        folded_lines = self._region_lines.folded_lines
        if any(folded_lines.detect_folding(text, detector) for text in pieces):
            return True
        if (
            not bare_lines
            or not line_joining.may_be_paragraph(bare_lines, detector)
            or decoding.common_suffix(bare_lines)
        ):
            return False
        probe_splitter = new_splitter(bare_lines[0])
        return all(
            probe_splitter.split_line(part_text) == [(None, part_text)] for part_text in bare_lines
        ) and folded_lines.detect_filling(bare_lines, detector)

    def _continues_report(self, first: str, detector: Detector) -> bool:
        """Whether this line, or one it contains, continues a line or a report."""
        texts = (text for _, text in new_splitter().split_line(first))
        return detector.is_fragment(first) or any(map(detector.is_fragment, texts))

    def _splitter_from_previous(self, line: int) -> StreamSplitter | None:
        """A splitter, if the line before a continued line has prefixes."""
        if line <= self._floor:
            return None
        raw = self._window.read_lines(self._window.line_start(line - 1, self._floor), 0)
        (before, *_), _ = decoding.decode_lines(raw, self._encoding)
        return new_splitter(before) if new_splitter().split_line(before) != [(None, before)] else None

    def _splitter_from_line(self, text: str, end: int) -> StreamSplitter | None:
        """A splitter, if a report begins in this line, which has a prefix unlike the lines before it."""
        column = self._find_opening(text)
        if column == 0 or (column < 0 and text[:1] not in _RECORD_STARTS) or text[:column].isspace():
            return None
        pieces = new_splitter().split_line(text)
        wrapped = [piece for piece in pieces if self._find_opening(piece[1]) >= 0 and piece[1] != text]
        splitter = new_splitter(text)
        return splitter if wrapped or self._learn_prefix(splitter, text[: max(column, 0)], end) else None

    def _learn_prefix(self, splitter: StreamSplitter, prefix: str, following: list[str] | int) -> bool:
        """Learns the text before a report's line as a writer's prefix, if it is one.

        `following` is the lines that come next, or the offset at which they begin.
        """
        if not prefix or prefix.isspace() or len(prefix) > _MAX_PREFIX_LENGTH:
            return False
        lines = self._preview_lines(following) if isinstance(following, int) else following
        if splitter.learn_line_count(prefix, [text for text in lines[:PREVIEW_LINES] if text]):
            return True
        if isinstance(following, int):
            texts = unwrap_preview(self._window, following, self._encoding, lines)
        else:
            texts = unwrap_lines(lines[:PREVIEW_LINES])
        # line numbers of a viewer, copied onto lines of their own
        texts = [text for text in texts if not text.strip().isdigit()]
        columns = [(self._find_opening(text), text) for text in texts]
        if any(column >= 0 and not text[:column].strip() for column, text in columns):
            return False  # the next header has no such prefix
        if splitter.learn_prefix(prefix, texts):
            return True
        if not isinstance(following, int):
            return False
        return splitter.learn_prefix(prefix, preview_other_writer(self._window, following, self._encoding, texts))

    def _preview_lines(self, at: int) -> list[str]:
        return preview_lines(self._window, at, self._encoding)

    def _opens_report(self, text: str) -> bool:
        """Whether a parser accepts this line. A header within other text may be a sentence."""
        matching_detectors = (candidate for candidate in self._detectors if candidate.find_opening(text) >= 0)
        return any(
            not detector.has_stack_headers or detector.new_parser().feed(text) in _ACCEPTING_VERDICTS
            for detector in matching_detectors
        )

    def _find_opening(self, text: str) -> int:
        # each line is queried twice: when it is split and when it is read
        if text is not self._last_opening[0]:
            self._last_opening = text, max([detector.find_opening(text) for detector in self._detectors])
        return self._last_opening[1]

    def _read_forward(self, begin: int, line: int, splitter: StreamSplitter | None) -> Iterator[LocatedReport]:
        parsers = self._parsers
        idle = 0
        for texts, offsets in self._region_lines.read_slices(begin):
            parsers.has_stray_bytes = parsers.has_stray_bytes or self._region_lines.has_stray_bytes
            parsers.end_stale(offsets[0], self.hit_line_end)
            for i, text in enumerate(texts):
                at, end = offsets[i], offsets[i + 1]
                if splitter is None and at > line:
                    splitter = self._splitter_from_line(text, end)
                for stream, inner_text in self._split_folded_line(splitter, text, end):
                    parsers.feed(stream, inner_text, at, end, at > line)
                if parsers.reports:
                    yield from parsers.reports
                    parsers.reports.clear()
                if at >= line and at >= parsers.keep_until and not parsers.has_open_report:
                    idle += 1
                    if idle > self._max_idle_lines(splitter):
                        self._searched_to = offsets[max(0, i - _MAX_CONTINUATION_LINES)]
                        return
        for stream, inner_text in splitter.flush_pending() if splitter else ():
            parsers.feed(stream, inner_text, self._window.end, self._window.end, True)
        parsers.finish(cut=self._region_lines.ends_mid_line)
        self._searched_to = self._window.end
        yield from parsers.reports

    def _split_folded_line(self, splitter: StreamSplitter | None, text: str, end: int) -> Iterator[StreamLine]:
        """Yields the report lines in a line of text, with their streams."""
        if splitter is None:
            yield from ((None, inner_text) for inner_text in text.split(decoding.LINE_BREAK))
            return
        for stream, inner_text in self._split_streams(splitter, text, end):
            parts = self._region_lines.folded_lines.unfold_line(inner_text)
            # each may have its own prefix
            part_lines = (
                [parts]
                if len(parts) == 1
                else [[stream_text for _, stream_text in splitter.split_line(folded_part)] for folded_part in parts]
            )
            yield from ((stream, part) for part in chain.from_iterable(part_lines))

    def _max_idle_lines(self, splitter: StreamSplitter | None) -> int:
        """The number of lines to wait while no parser has a report."""
        if self._parsers:
            return 2 * PREVIEW_LINES  # the other part of the hit's line may come late
        return 0 if splitter is None else PREVIEW_LINES  # the end of a line may come late

    def _split_streams(
        self, splitter: StreamSplitter, text: str, following: list[str] | int, parsers: ActiveParsers | None = None
    ) -> list[StreamLine]:
        """Splits a line into streams; learns the prefix of a report that another writer begins."""
        pieces = splitter.split_line(text)
        for at, (stream, inner_text) in enumerate(pieces):
            if stream in (self._parsers if parsers is None else parsers):
                continue
            column = self._find_opening(inner_text)
            if column > 0 and self._learn_prefix(
                splitter, inner_text[:column], following_in_record(pieces, at) or following
            ):
                return splitter.split_line(text)
        return pieces
