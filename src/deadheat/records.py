"""Reads the reports in log records: puts the records of one stream in order, drops duplicates and joins their lines.

A log store keeps one record per line or per few lines, mixed with those of other writers. Records of one writer form a
stream. What cannot be put in order, or is mixed with the lines of another writer, is found but has no report: its
accesses would be invented."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from enum import IntEnum
from io import BytesIO
from itertools import chain, groupby, islice
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from deadheat import api
from deadheat.model import Damage, Sighting, Span
from deadheat.parsing.report_reader import RANGE_OVERLAP
from deadheat.text.window import DocumentRange, StreamSource

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

# damage of a report whose records have no order, and of one that is mixed with the lines of another
UNORDERED: Final = "unordered"
MIXED: Final = "mixed"
# lines and microseconds between two reports that may be mixed with each other
_NEAR_LINES: Final = 200
MAX_PAUSE: Final = 10_000_000
# more records with one order key are not put in order
_MAX_TIED: Final = 1 << 14
# a stream is read in blocks of this size
_BLOCK_SIZE: Final = 1 << 23
# text before a block: a report in its first half may be incomplete
_KEPT_BEFORE: Final = 2 * RANGE_OVERLAP
# damage that another writer's report may have caused
_SUSPECT_DAMAGE: Final = frozenset((Damage.TRUNCATED, Damage.NO_BANNER, Damage.NO_BARS))
_DISPLACED_DAMAGE: Final = _SUSPECT_DAMAGE | {Damage.INTERLEAVED, Damage.GLUED}
# the first line of a report, by detector
_HEADERS: Final = {
    "go": b"WARNING: DATA RACE",
    "tsan": b"WARNING: ThreadSanitizer:",
    "kcsan": b"BUG: KCSAN:",
    "helgrind": b"Possible data race during",
    "drd": b"Conflicting ",
    "miri": b"error: Undefined Behavior:",
    "go-fatal": b"fatal error: ",
}
# what Go's detector, ThreadSanitizer and KCSAN print before and after a report
_BAR: Final = b"\n=================="


class LogRecord(NamedTuple):
    """A record of a log store: a line, a few lines, or a part of a line."""

    key: tuple[Any, ...]  # the place in the order of the stream
    text: str
    time: int | None = None  # of the event, in microseconds since 1970
    has_unique_key: bool = True  # other records with this key are duplicates; false if it is only a time
    is_partial: bool = False  # the line continues in the next record
    file: str = ""  # where the record was read, and at which position
    position: int = -1


class Placement(IntEnum):
    """How the place of a record in its stream is known."""

    BY_KEY = 0
    BY_POSITION = 1  # other records have its key; they are in the same file
    UNKNOWN = 2


class PlacedRecord(NamedTuple):
    record: LogRecord
    placement: Placement


class StreamReport(NamedTuple):
    """A report in a stream of records. Without a sighting, there is one that cannot be read."""

    sighting: Sighting | None
    damage: tuple[str, ...]
    detector: str
    span: Span  # in the joined text
    text: bytes
    record_count: int
    first_time: int | None
    last_time: int | None


def place_records(records: Iterable[LogRecord]) -> Iterator[PlacedRecord]:
    """Yield the records without duplicates. They are sorted by key, file and position.

    Records with equal keys and texts are duplicates. If keys are only times, several records of a file may have the
    same key: their positions decide.
    """
    for _, group in groupby(records, lambda record: record.key):
        yield from _place_group(group)


def _place_group(group: Iterator[LogRecord]) -> Iterator[PlacedRecord]:
    """Place the records with one key."""
    tied = list(islice(group, _MAX_TIED + 1))
    if len(tied) == 1:
        yield PlacedRecord(tied[0], Placement.BY_KEY)
    elif len(tied) <= _MAX_TIED:
        yield from _place_tied(tied)
    else:
        yield from (PlacedRecord(record, Placement.UNKNOWN) for record in chain(tied, group))


def _place_tied(tied: list[LogRecord]) -> Iterator[PlacedRecord]:
    """Place records with equal keys."""
    distinct = list({(record.text, record.is_partial): record for record in tied}.values())
    if len(distinct) == 1:
        yield PlacedRecord(distinct[0], Placement.BY_KEY)
        return
    if not tied[0].has_unique_key and all(record.position >= 0 for record in tied):
        files = [list(group) for _, group in groupby(tied, lambda record: record.file)]
        texts = [[record.text for record in group] for group in files]
        if all(other == texts[0] for other in texts[1:]):  # files with the same content
            yield from (PlacedRecord(record, Placement.BY_POSITION) for record in files[0])
            return
    yield from (PlacedRecord(record, Placement.UNKNOWN) for record in distinct)


class Candidate(NamedTuple):
    """A report, or a header without one, in the joined text."""

    start: int
    end: int
    detector: str
    sighting: Sighting | None
    is_suspect: bool  # lines of it may be missing, or be another report's


class JoinedRecords:
    """The text of consecutive records, and where each of them begins."""

    def __init__(self) -> None:
        self.base = 0  # offset in the stream
        self.text = bytearray()
        self.records: list[PlacedRecord] = []
        self._starts: list[int] = []

    def add_record(self, placed: PlacedRecord) -> None:
        self._starts.append(self.base + len(self.text))
        self.records.append(placed)
        text, is_partial = placed.record.text, placed.record.is_partial
        end = "" if is_partial or text.endswith("\n") else "\n"
        self.text += f"{text}{end}".encode("utf-8", "surrogatepass")

    def drop_before(self, offset: int) -> None:
        index = max(0, bisect_right(self._starts, offset) - 1)
        start = self._starts[index] if self._starts else self.base
        del self.text[: start - self.base], self.records[:index], self._starts[:index]
        self.base = start

    @property
    def end(self) -> int:
        return self.base + len(self.text)

    def slice(self, start: int, end: int) -> bytes:
        return bytes(self.text[start - self.base : end - self.base])

    def record_indexes(self, start: int, end: int) -> range:
        """The records of a range of text."""
        return range(max(0, bisect_right(self._starts, start) - 1), bisect_left(self._starts, end))

    def record_offset(self, index: int) -> int:
        return self._starts[index]

    def find_candidates(self, uri: str, opt_in: bool) -> list[Candidate]:
        """All reports in the text and headers without a report, in order."""
        data, base = bytes(self.text), self.base
        document = DocumentRange(
            uri,
            base,
            None,
            lambda offset: StreamSource(BytesIO(data[max(0, offset - base) :]).read, max(offset, base)),
            lambda low, high: data[max(0, low - base) : max(0, high - base)],
        )
        found = [item for item in api.read_document(document, api.ReadOptions(opt_in)) if isinstance(item, Sighting)]
        headers = sorted(
            (offset + base, name) for name, header in _HEADERS.items() for offset in _offsets(data, header)
        )
        candidates = [self._report_candidate(sighting, headers) for sighting in found]
        covered = {
            offset for candidate in candidates for offset, _ in headers if candidate.start <= offset < candidate.end
        }
        candidates += [
            Candidate(offset, offset + 1, name, None, True) for offset, name in headers if offset not in covered
        ]
        return sorted(candidates, key=lambda candidate: (candidate.start, candidate.end))

    def _report_candidate(self, sighting: Sighting, headers: Sequence[tuple[int, str]]) -> Candidate:
        report, span = sighting.source.original, sighting.span
        inner = sum(span.offset <= offset < span.end and name == report.detector for offset, name in headers)
        bars = self.slice(max(self.base, span.offset - 1), span.end).count(_BAR)
        is_suspect = not _SUSPECT_DAMAGE.isdisjoint(report.damage) or inner > 1 or bars > 2
        return Candidate(span.offset, span.end, report.detector, sighting, is_suspect)

    def times(self, candidate: Candidate) -> tuple[int | None, int | None]:
        """The first and last event time of a candidate."""
        indexes = self.record_indexes(candidate.start, candidate.end)
        times = [time for index in indexes if (time := self.records[index].record.time) is not None]
        return min(times, default=None), max(times, default=None)

    def is_unordered(self, candidate: Candidate) -> bool:
        """Whether the order of the lines of a candidate is not known."""
        indexes = self.record_indexes(candidate.start, candidate.end)
        if len(indexes) == 1 and not candidate.is_suspect:
            return False
        if candidate.is_suspect:  # the records next to it may be its own
            indexes = range(max(0, indexes.start - 1), min(len(self.records), indexes.stop + 1))
        placed = [self.records[index] for index in indexes]
        worst = max((one.placement for one in placed), default=Placement.BY_KEY)
        if candidate.sighting is not None and Damage.REVERSED in candidate.sighting.source.original.damage:
            return True  # the keys are no order
        if worst is not Placement.BY_POSITION:
            return worst is Placement.UNKNOWN
        # a file that is not in order of time does not tell the order of records with equal times
        last: dict[str, int] = {}
        for record, _ in placed:
            if record.position <= last.get(record.file, -1):
                return True
            last[record.file] = record.position
        sighting = candidate.sighting
        return sighting is None or not _DISPLACED_DAMAGE.isdisjoint(sighting.source.original.damage)

    def are_near(self, first: Candidate, second: Candidate) -> bool:
        """Whether the lines of two candidates may be mixed; `second` does not begin before `first`."""
        if self.text.count(b"\n", first.end - self.base, max(first.end, second.start) - self.base) > _NEAR_LINES:
            return False
        ends, begins = self.times(first)[1], self.times(second)[0]
        return ends is None or begins is None or begins - ends <= MAX_PAUSE

    def judge_candidates(self, candidates: Sequence[Candidate]) -> list[str]:
        """What makes each candidate unreadable; "" for a report as any other."""
        verdicts = [UNORDERED if self.is_unordered(one) else MIXED if _is_torn(one) else "" for one in candidates]
        for index, first in enumerate(candidates):
            for number in range(index + 1, len(candidates)):
                second = candidates[number]
                if not self.are_near(first, second):
                    break
                if first.is_suspect or second.is_suspect:
                    verdicts[index] = verdicts[index] or MIXED
                    verdicts[number] = verdicts[number] or MIXED
        return verdicts

    def to_report(self, candidate: Candidate, verdict: str) -> StreamReport | None:
        """The result for a candidate. A header in order and without report is none."""
        if candidate.sighting is None and verdict != UNORDERED:
            return None
        span = Span(candidate.start, candidate.end - candidate.start)
        count = len(self.record_indexes(candidate.start, candidate.end))
        position = span, self.slice(candidate.start, candidate.end), count, *self.times(candidate)
        if verdict or candidate.sighting is None:
            return StreamReport(None, (verdict,), candidate.detector, *position)
        damage = tuple(map(str, candidate.sighting.source.original.damage))
        return StreamReport(candidate.sighting, damage, candidate.detector, *position)


def _is_torn(candidate: Candidate) -> bool:
    """Whether lines of a report are missing where there are other lines."""
    damage = candidate.sighting.source.original.damage if candidate.sighting else ()
    return Damage.TRUNCATED in damage and (Damage.INTERLEAVED in damage or Damage.GLUED in damage)


def _offsets(data: bytes, literal: bytes) -> Iterator[int]:
    at = data.find(literal)
    while at >= 0:
        yield at
        at = data.find(literal, at + len(literal))


def read_stream(records: Iterable[LogRecord], uri: str, opt_in: bool = False) -> Iterator[StreamReport]:
    """Yield the reports of one stream, whose records are sorted by key, file and position.

    Memory is bounded, however long the stream is.
    """
    joined, done = JoinedRecords(), 0
    for placed in place_records(records):
        joined.add_record(placed)
        if len(joined.text) > _BLOCK_SIZE + 2 * _KEPT_BEFORE:
            limit = joined.end - _KEPT_BEFORE
            yield from _read_block(joined, uri, done, limit, opt_in)
            joined.drop_before(limit - _KEPT_BEFORE)
            done = limit
    yield from _read_block(joined, uri, done, joined.end, opt_in)


def _read_block(joined: JoinedRecords, uri: str, start: int, end: int, opt_in: bool) -> Iterator[StreamReport]:
    """The reports that begin between two offsets."""
    readable_from = joined.base + _KEPT_BEFORE // 2 if joined.base else 0
    candidates = [one for one in joined.find_candidates(uri, opt_in) if one.start >= readable_from]
    for candidate, verdict in zip(candidates, joined.judge_candidates(candidates), strict=True):
        if start <= candidate.start < end and (report := joined.to_report(candidate, verdict)) is not None:
            yield report


def sort_key(record: LogRecord) -> tuple[Any, ...]:
    """The order of records of one stream; a missing value comes first."""
    return tuple((value is not None, value) for value in record.key), record.file, record.position
