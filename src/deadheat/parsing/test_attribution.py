"""Attributes the tests of `go test` to each side of a race.

Go prints a report when the race occurs, and names the test only when it ends. The line before a report, or
the test in its `-json` event, is that of the test that printed last. Only events near a report count, so
that reading a document in parts gives the same result. What is near is searched for literals, and no more of it
than the answer needs."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import deque
from typing import TYPE_CHECKING, Final, NamedTuple

from deadheat.parsing.test_events import MAX_EVENT_LINE, RACE_PHRASE, GoTestEvent, GoTestEventParser, leaf_tests
from deadheat.text.prefilter import make_searcher

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from deadheat.model import Report, Sighting, Span
    from deadheat.parsing.report_reader import ErrorListener
    from deadheat.text.window import ByteBuffer

    ReadBytes = Callable[[int], bytes]

    ReadRange = Callable[[int, int], bytes]  # the bytes from one offset to another

    BufferedRange = Callable[[], tuple[ByteBuffer, int]]  # a buffer in memory and its offset


# "ok  \texample.com/p\t0.01s" on a line of its own
_PACKAGE_END = re.compile(rb"\n(?=(?:ok  |FAIL)\t\S[^\n]{0,%d}(?:\n|\Z))" % (MAX_EVENT_LINE - 6))
# distance to a report in which events count, in bytes; less than `RANGE_OVERLAP`
EVENT_DISTANCE: Final = 1 << 17
# what is read first: this many bytes around the report and the phrases, if they are not further apart
_NEARBY_BYTES: Final = 1 << 11
_MAX_NEARBY_RANGE: Final = 1 << 15
# minimum and maximum size of a search step
_MIN_STEP, _MAX_STEP = 1 << 15, 1 << 20
# number of recent bytes kept: more than the distance between a report and the reader
_KEPT_BYTES: Final = 1 << 22
# limit for remembered events
_MAX_REMEMBERED: Final = 1 << 16
_GO_DETECTORS: Final = ("go", "go-fatal")


class GoTestActivity(NamedTuple):
    """The tests of a report's package that were running when it was printed, and those that raced."""

    running: set[str]
    raced: set[str]


class GoTestAttributor:
    """Attributes tests to reports, which come roughly in order of their offsets.

    With `on_error`, a sighting whose tests cannot be determined is returned unchanged.
    """

    def __init__(
        self,
        read_range: ReadRange,
        buffered_range: BufferedRange = lambda: (b"", 0),
        on_error: ErrorListener | None = None,
    ) -> None:
        self._read_range, self._buffered_range = read_range, buffered_range
        self._on_error = on_error
        self._phrase_offsets: list[int] = []  # offsets of `RACE_PHRASE`
        self._searched_to = 0  # offset up to which they were searched
        self._prefilter_offsets: list[int] = []  # the same, as found by the prefilter
        self._prefilter_start, self._prefilter_end = 0, -1  # range that the prefilter has searched
        self._event_parser = GoTestEventParser()
        self._events: list[GoTestEvent] = []
        self._events_start = self._events_end = 0  # range of the parsed events

    def add_phrase_offsets(self, begin: int, end: int, offsets: list[int]) -> None:
        """Adds all offsets of `RACE_PHRASE` between two offsets."""
        if begin > self._prefilter_end:
            self._prefilter_offsets, self._prefilter_start = [], begin
        self._prefilter_offsets += offsets[
            bisect_right(offsets, self._prefilter_offsets[-1]) if self._prefilter_offsets else 0 :
        ]
        self._prefilter_end = end
        if len(self._prefilter_offsets) > _MAX_REMEMBERED:
            self._prefilter_start = max(self._prefilter_start, end - _KEPT_BYTES)
            self._prefilter_offsets = self._prefilter_offsets[
                bisect_left(self._prefilter_offsets, self._prefilter_start) :
            ]

    def attribute_tests(self, sighting: Sighting) -> Sighting:
        """Returns the sighting with the tests that ran it."""
        if sighting.source.original.detector not in _GO_DETECTORS:
            return sighting
        try:
            return self._attribute_go_tests(sighting)
        except Exception as error:
            if self._on_error is None:
                raise
            self._on_error(error, f"the test of the report at byte {sighting.span.offset} is not known")
            return sighting

    def _attribute_go_tests(self, sighting: Sighting) -> Sighting:
        span = sighting.span
        low, high = max(0, span.offset - EVENT_DISTANCE), span.offset + span.length + EVENT_DISTANCE
        phrases = self._find_phrases(low, high)
        if not phrases:
            return sighting
        known_tests = _tests_in_stacks(sighting)
        tests = self._refine_by_raced_tests(known_tests, phrases, span, low, high)
        if tests is None:
            activity = self._activity_around(low, high, phrases[-1], span)
            tests = tuple(_refine_test(test, activity) for test in known_tests)
        if tests == known_tests:
            return sighting
        return sighting.with_report(with_tests(sighting.report, tests))

    def _refine_by_raced_tests(
        self, known_tests: tuple[str | None, ...], phrases: list[int], span: Span, low: int, high: int
    ) -> tuple[str | None, ...] | None:
        """The tests, if the lines around the report and the phrases tell them."""
        begin = max(low, min(span.offset, phrases[0]) - _NEARBY_BYTES)
        end = min(high, max(span.offset, phrases[-1]) + _NEARBY_BYTES)
        if None in known_tests or end - begin > _MAX_NEARBY_RANGE:
            return None
        first = max(begin - 1, 0)
        text, base = self._buffered_range()
        text = text[first - base : end - base] if base <= first and end <= base + len(text) else b""
        text = text or self._read_range(first, end)
        raced = _raced_in_records(text, [phrase - first for phrase in phrases], span.stream)
        refined = [_only_leaf(raced, test) for test in known_tests] if raced is not None else [None]
        if None not in refined:
            return tuple(refined)
        # from the first line that begins there
        line_start = text.find(b"\n") + 1 if begin else 0
        parser = GoTestEventParser(first + line_start)
        events = [*parser.feed(text[line_start:])]
        if first + len(text) < end:
            events += parser.finish()
        raced = _raced_tests(_events_of_package(events, span.offset, span.stream), span.stream)
        if raced is None or text.count(RACE_PHRASE, line_start) != len(phrases) or parser.has_open_phrase:
            return None
        refined = [_only_leaf(raced, test) for test in known_tests]
        return None if None in refined else tuple(refined)

    def _find_phrases(self, low: int, high: int) -> list[int]:
        """The offsets at which `go test` reports a race in this range."""
        if self._prefilter_start <= low and high <= self._prefilter_end:
            return _phrases_between(self._prefilter_offsets, low, high)
        if low < self._searched_to - 2 * _MAX_STEP - 2 * EVENT_DISTANCE:  # far back: reports are not in order
            self._phrase_offsets, self._searched_to = [], low
        if self._searched_to < low:
            self._searched_to = low
        while self._searched_to + len(RACE_PHRASE) <= high:
            step_size = min(max(_MIN_STEP, high - self._searched_to), _MAX_STEP)
            length = self._search_phrase(self._searched_to, self._searched_to + step_size)
            # the next step finds a phrase that is cut here
            self._searched_to += max(1, length - len(RACE_PHRASE) + 1)
            if length < step_size:
                break
        return _phrases_between(self._phrase_offsets, low, high)

    def _search_phrase(self, low: int, high: int) -> int:
        """Searches for `RACE_PHRASE` between two offsets; returns the number of bytes."""
        searcher = make_searcher((RACE_PHRASE,))
        text, base = self._buffered_range()
        if not (base <= low and high <= base + len(text)):
            text, base = self._read_range(low, high), low
        end = min(high - base, len(text))
        self._phrase_offsets += [at for at, _ in searcher.find_hits(text, low - base, end, base)]
        return end - (low - base)

    def _phrase_line_end(self, phrase: int, high: int) -> int:
        """The end of the line with the last phrase: of later events, none counts."""
        newline = self._read_range(phrase, min(phrase + MAX_EVENT_LINE, high)).find(b"\n")
        return phrase + newline + 1 if newline >= 0 else high

    def _activity_around(self, low: int, high: int, last_phrase: int, span: Span) -> GoTestActivity:
        if low > self._events_end and not span.stream:
            low = self._package_start(low, span.offset)
        events = self._complete_events(low, max(self._phrase_line_end(last_phrase, high), span.offset))
        # whether the stream is a package may only be told by later events
        if span.stream and all(event.package != span.stream for event in events):
            events = self._complete_events(low, high)
        return _test_activity(_events_of_package(events, span.offset, span.stream), span.offset)

    def _complete_events(self, low: int, high: int) -> list[GoTestEvent]:
        """The events in the lines between two offsets whose test is named there, too."""
        self._parse_events(low, high)
        events = self._events
        nearby = events[bisect_left(events, (low,)) : bisect_right(events, (high,))]
        return [event for event in nearby if event.end <= high and event.named_at >= low]

    def _package_start(self, low: int, offset: int) -> int:
        """The start of the line at which the package before the one at `offset` ends; `low` if there is none."""
        size, end = _NEARBY_BYTES, offset
        while end > low:
            first = max(low, end - size)
            base = max(first - 1, 0)  # with the line end before the first line
            text = self._read_range(base, offset if size == _NEARBY_BYTES else end + MAX_EVENT_LINE)
            starts = [match.start() + 1 for match in _PACKAGE_END.finditer(text, 0, end - base)]
            if starts:
                return base + starts[-1]
            size, end = 2 * size, first
        return low

    def _parse_events(self, low: int, high: int) -> None:
        if not self._events_start <= low <= self._events_end:
            # from the first line that begins there
            skipped = self._read_range(low - 1, high).partition(b"\n")[0] if low else b""
            self._events_start, self._events_end = low, low + len(skipped)
            self._event_parser, self._events = GoTestEventParser(self._events_end), []
        if (wanted_size := high - self._events_end) > 0:
            text = self._read_range(self._events_end, high)
            self._events += self._event_parser.feed(text)
            self._events_end += len(text)
            if len(text) < wanted_size:
                self._events += self._event_parser.finish()
        if len(self._events) > _MAX_REMEMBERED:
            self._events = self._events[bisect_left(self._events, (low - EVENT_DISTANCE,)) :]
            self._events_start = max(self._events_start, low - EVENT_DISTANCE)


def _phrases_between(offsets: list[int], low: int, high: int) -> list[int]:
    return offsets[bisect_left(offsets, low) : bisect_right(offsets, high - len(RACE_PHRASE))]


def _events_of_package(events: list[GoTestEvent], offset: int, stream: str | None) -> list[GoTestEvent]:
    """The events of the package in whose output the report is."""
    names = {event.package for event in events if event.package and stream and stream.endswith(event.package)}
    if names:
        name = max(names, key=len)
        return [event for event in events if event.package == name]
    ends = [event.offset for event in events if event.kind == "over"]
    at = bisect_right(ends, offset)
    low, high = ends[at - 1] if at else -1, ends[at] if at < len(ends) else None
    return [event for event in events if not event.package and low < event.offset and (not high or event.offset < high)]


def _raced_tests(package_events: list[GoTestEvent], stream: str | None) -> set[str] | None:
    """The tests that raced; None if other events of the package may be further away."""
    raced_events = [event for event in package_events if event.kind == "raced"]
    if any(event.package != (stream or "") or not event.test for event in raced_events):
        return None
    return {event.test for event in raced_events}


def _raced_in_records(text: bytes, phrases: list[int], package: str | None) -> set[str] | None:
    """The tests that raced, if the lines of the phrases are events of `go test -json` and name all of them."""
    raced: set[str] = set()
    packages: set[str] = set()
    for phrase in phrases if package else ():
        line_start, line_end = text.rfind(b"\n", 0, phrase) + 1, text.find(b"\n", phrase) + 1
        if not line_start or not line_end:
            return None
        for event in GoTestEventParser().feed(text[line_start:line_end]):
            if not event.package or not event.test or event.kind != "raced":
                return None
            packages.add(event.package)
            if event.package == package:
                raced.add(event.test)
    return raced if package in packages else None


def _test_activity(package_events: list[GoTestEvent], offset: int) -> GoTestActivity:
    is_running: dict[str, bool] = {}
    for package_event in package_events:
        if package_event.offset <= offset and package_event.kind in ("run", "stop", "fail"):
            is_running[package_event.test] = package_event.kind == "run"
    running = {test for test, runs_now in is_running.items() if runs_now}
    return GoTestActivity(
        running,
        {raced_event.test for raced_event in package_events if raced_event.kind == "raced" and raced_event.test},
    )


class RecentBytes:
    """Reads sequentially and keeps recent bytes for another look."""

    def __init__(self, read: ReadBytes) -> None:
        self._read = read
        self._blocks: deque[tuple[int, bytes]] = deque()
        self.end = 0
        self.keep_from: int | None = None  # the first offset that is still needed

    def read(self, size: int) -> bytes:
        block = self._read(size)
        if block:
            self._blocks.append((self.end, block))
            self.end += len(block)
            needed_from = self.end - _KEPT_BYTES if self.keep_from is None else self.keep_from
            while self._blocks[0][0] + len(self._blocks[0][1]) < needed_from:
                self._blocks.popleft()
        return block

    def peek(self, low: int, high: int) -> bytes:
        return b"".join(
            block[max(0, low - at) : max(0, high - at)]
            for at, block in self._blocks
            if at < high and at + len(block) > low
        )


def attribute_stream_tests(
    sightings: Iterable[Sighting], recent: RecentBytes, live: bool, on_error: ErrorListener | None = None
) -> Iterator[Sighting]:
    """Yields the sightings of a stream with their tests, each when enough has been read after it."""
    attributor = GoTestAttributor(recent.peek, on_error=on_error)
    waiting: list[Sighting] = []
    try:
        for sighting in sightings:
            waiting.append(sighting)
            ready = 0
            while ready < len(waiting) and (live or _sighting_end(waiting[ready]) + EVENT_DISTANCE <= recent.end):
                yield attributor.attribute_tests(waiting[ready])
                ready += 1
            del waiting[:ready]
            keep_from = min([waiting_sighting.span.offset for waiting_sighting in waiting]) if waiting else None
            recent.keep_from = None if keep_from is None else keep_from - 2 * EVENT_DISTANCE
    except (Exception, KeyboardInterrupt):  # yield what was found before the error
        yield from map(attributor.attribute_tests, waiting)
        raise
    yield from map(attributor.attribute_tests, waiting)


def _sighting_end(sighting: Sighting) -> int:
    return sighting.span.offset + sighting.span.length


def _tests_in_stacks(sighting: Sighting) -> tuple[str | None, ...]:
    """The tests that the stacks name, by access; cached for all duplicates of a report."""
    derived = sighting.source.derived
    if derived.tests is None:
        derived.tests = tests_by_access(sighting.source.original)
    return derived.tests


def tests_by_access(report: Report) -> tuple[str | None, ...]:
    """The test of each access."""
    return tuple(access.test or report.test for access in report.accesses)


def with_tests(report: Report, tests: tuple[str | None, ...]) -> Report:
    """Sets the tests of a report: the first one is the report's, an access has one if it differs."""
    report_test = next(filter(None, tests), None)
    access_tests = zip(report.accesses, tests, strict=True)
    accesses = tuple(access._replace(test=test if test != report_test else None) for access, test in access_tests)
    return report._replace(test=report_test, accesses=accesses)


def _refine_test(test: str | None, activity: GoTestActivity) -> str | None:
    """The subtest of a test that a stack names, or the only candidate."""
    racing = activity.raced & activity.running
    if test is not None:
        candidate_sets = [activity.raced, racing, activity.running]
    else:  # a test that has ended or not begun is not a candidate
        candidate_sets = [racing, activity.running] if activity.running else [activity.raced]
    for candidates in candidate_sets:
        if (only := _only_leaf(candidates, test)) is not None:
            return only
    return test


def _only_leaf(candidates: set[str], test: str | None) -> str | None:
    """The only candidate that is `test` or a subtest of it, without parents of others."""
    fitting = leaf_tests({candidate for candidate in candidates if test is None or test in candidate.split("/")})
    return fitting.pop() if len(fitting) == 1 else None
