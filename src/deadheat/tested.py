"""Attributes the tests to each side of a race, from stacks and `go test` events.

Only events near a report count, so that reading a document in parts gives the same result.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import deque
from typing import TYPE_CHECKING, Final, NamedTuple

from deadheat.harness import RACED, Event, Listener, leaves
from deadheat.model import Report
from deadheat.text.sift import one_step

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from deadheat.model import Sighting
    from deadheat.text.window import Buffer

    Read = Callable[[int], bytes]
    Peek = Callable[[int, int], bytes]  # the bytes from one offset to another
    AtHand = Callable[[], tuple[Buffer, int]]  # a buffer in memory and its offset

# distance to a report in which events count, in bytes; less than `RANGE_OVERLAP`
NEAR: Final = 1 << 17
# minimum and maximum size of a search step
_LEAST, _STEP = 1 << 15, 1 << 20
# number of recent bytes kept: more than the distance between a report and the reader
_KEPT: Final = 1 << 22
# limit for remembered events
_MANY: Final = 1 << 16
_DETECTORS: Final = ("go", "go-fatal")


class Ran(NamedTuple):
    """The tests of a report's package that were running when it was printed, and those that raced."""

    running: set[str]
    raced: set[str]


class Ear:
    """Attributes tests to reports, which come roughly in order of their offsets."""

    def __init__(self, peek: Peek, at_hand: AtHand = lambda: (b"", 0)) -> None:
        self._peek, self._at_hand = peek, at_hand
        self._marks: list[int] = []  # offsets of `RACE_PHRASE`
        self._looked = 0  # offset up to which they were searched
        self._said: list[int] = []  # the same, as found by the prefilter
        self._from, self._until = 0, -1  # range that the prefilter has searched
        self._listener = Listener()
        self._events: list[Event] = []
        self._begin = self._end = 0  # range of the parsed events

    def overhear(self, begin: int, end: int, said: list[int]) -> None:
        """Adds all offsets of `RACE_PHRASE` between two offsets."""
        if begin > self._until:
            self._said, self._from = [], begin
        self._said += said[bisect_right(said, self._said[-1]) if self._said else 0 :]
        self._until = end
        if len(self._said) > _MANY:
            self._from = max(self._from, end - _KEPT)
            self._said = self._said[bisect_left(self._said, self._from) :]

    def blamed(self, sighting: Sighting) -> Sighting:
        """Returns the sighting with the tests that ran it."""
        if _detector(sighting) not in _DETECTORS:
            return sighting
        span = sighting.span
        low, high = max(0, span.offset - NEAR), span.offset + span.length + NEAR
        if not self._is_marked(low, high):
            return sighting
        ran = self._ran(low, high, span.offset, span.lane)
        known = _known(sighting)
        told = tuple(_refined(test, ran) for test in known)
        if told == known:
            return sighting
        return sighting._replace(told=with_tests(sighting.report, told))

    def _is_marked(self, low: int, high: int) -> bool:
        """Whether `go test` reports a race in this range."""
        if self._from <= low and high <= self._until:
            return _is_between(self._said, low, high)
        if low < self._looked - 2 * _STEP - 2 * NEAR:  # far back: reports are not in order
            self._marks, self._looked = [], low
        if self._looked < low:
            self._looked = low
        while self._looked + len(RACED) <= high:
            wanted = min(max(_LEAST, high - self._looked), _STEP)
            length = self._look(self._looked, self._looked + wanted)
            # the next step finds a phrase that is cut here
            self._looked += max(1, length - len(RACED) + 1)
            if length < wanted:
                break
        return _is_between(self._marks, low, high)

    def _look(self, low: int, high: int) -> int:
        """Searches for `RACE_PHRASE` between two offsets; returns the number of bytes."""
        sought = one_step((RACED,))
        text, base = self._at_hand()
        if not (base <= low and high <= base + len(text)):
            text, base = self._peek(low, high), low
        end = min(high - base, len(text))
        self._marks += [at for at, _ in sought.hits(text, low - base, end, base)]
        return end - (low - base)

    def _ran(self, low: int, high: int, offset: int, lane: str | None) -> Ran:
        self._hear(low, high)
        events = self._events
        near = events[bisect_left(events, (low,)) : bisect_right(events, (high,))]
        whole = [e for e in near if e.end <= high and e.since >= low]
        return _of_package(_in_package(whole, offset, lane), offset)

    def _hear(self, low: int, high: int) -> None:
        if not self._begin <= low <= self._end:
            # from the first line that begins there
            skipped = self._peek(low - 1, high).partition(b"\n")[0] if low else b""
            self._begin, self._end = low, low + len(skipped)
            self._listener, self._events = Listener(self._end), []
        if (wanted := high - self._end) > 0:
            text = self._peek(self._end, high)
            self._events += self._listener.feed(text)
            self._end += len(text)
            if len(text) < wanted:
                self._events += self._listener.finish()
        if len(self._events) > _MANY:
            self._events = self._events[bisect_left(self._events, (low - NEAR,)) :]
            self._begin = max(self._begin, low - NEAR)


def _is_between(marks: list[int], low: int, high: int) -> bool:
    first = bisect_left(marks, low)
    return first < len(marks) and marks[first] + len(RACED) <= high


def _in_package(events: list[Event], offset: int, lane: str | None) -> list[Event]:
    """The events of the package in whose output the report is."""
    names = {e.package for e in events if e.package and lane and lane.endswith(e.package)}
    if names:
        name = max(names, key=len)
        return [e for e in events if e.package == name]
    ends = [e.offset for e in events if e.what == "over"]
    at = bisect_right(ends, offset)
    low, high = ends[at - 1] if at else -1, ends[at] if at < len(ends) else None
    return [e for e in events if not e.package and low < e.offset and (not high or e.offset < high)]


def _of_package(events: list[Event], offset: int) -> Ran:
    now: dict[str, bool] = {}
    for event in events:
        if event.offset <= offset and event.what in ("run", "stop", "fail"):
            now[event.test] = event.what == "run"
    running = {test for test, runs in now.items() if runs}
    return Ran(running, {e.test for e in events if e.what == "raced" and e.test})


class Tail:
    """Reads sequentially and keeps recent bytes for another look."""

    def __init__(self, read: Read) -> None:
        self._read = read
        self._blocks: deque[tuple[int, bytes]] = deque()
        self.end = 0
        self.held: int | None = None  # the first offset that is still needed

    def read(self, size: int) -> bytes:
        block = self._read(size)
        if block:
            self._blocks.append((self.end, block))
            self.end += len(block)
            wanted = self.end - _KEPT if self.held is None else self.held
            while self._blocks[0][0] + len(self._blocks[0][1]) < wanted:
                self._blocks.popleft()
        return block

    def peek(self, low: int, high: int) -> bytes:
        return b"".join(
            block[max(0, low - at) : max(0, high - at)]
            for at, block in self._blocks
            if at < high and at + len(block) > low
        )


def blamed(sightings: Iterable[Sighting], tail: Tail, live: bool) -> Iterator[Sighting]:
    """Yields the sightings of a stream with their tests, each when enough has been read after it."""
    ear = Ear(tail.peek)
    waiting: list[Sighting] = []
    try:
        for sighting in sightings:
            waiting.append(sighting)
            ready = 0
            while ready < len(waiting) and (live or _end(waiting[ready]) + NEAR <= tail.end):
                yield ear.blamed(waiting[ready])
                ready += 1
            del waiting[:ready]
            held = min([s.span.offset for s in waiting]) if waiting else None
            tail.held = None if held is None else held - 2 * NEAR
    except (Exception, KeyboardInterrupt):  # yield what was found before the error
        yield from map(ear.blamed, waiting)
        raise
    yield from map(ear.blamed, waiting)


def _end(sighting: Sighting) -> int:
    return sighting.span.offset + sighting.span.length


def _detector(sighting: Sighting) -> str:
    told = sighting.told
    return told.detector if isinstance(told, Report) else str(told.dialect.name)


def _known(sighting: Sighting) -> tuple[str | None, ...]:
    """The tests that the stacks name, by access; cached for all duplicates of a report."""
    if isinstance(sighting.told, Report):
        return tests(sighting.told)
    notes = sighting.told.notes
    if "tests" not in notes:
        notes["tests"] = tests(sighting.report)
    known: tuple[str | None, ...] = notes["tests"]
    return known


def tests(report: Report) -> tuple[str | None, ...]:
    """The test of each access."""
    return tuple(access.test or report.test for access in report.accesses)


def with_tests(report: Report, told: tuple[str | None, ...]) -> Report:
    """Sets the tests of a report: the first one is the report's, an access has one if it differs."""
    own = next(filter(None, told), None)
    sides = zip(report.accesses, told, strict=True)
    accesses = tuple(a._replace(test=test if test != own else None) for a, test in sides)
    return report._replace(test=own, accesses=accesses)


def _refined(test: str | None, ran: Ran) -> str | None:
    """The subtest of a test that a stack names, or the only candidate."""
    racing = ran.raced & ran.running
    if test is not None:
        signs = [ran.raced, racing, ran.running]
    else:  # a test that has ended or not begun is not a candidate
        signs = [racing, ran.running] if ran.running else [ran.raced]
    for told in signs:
        fitting = leaves({t for t in told if test is None or test in t.split("/")})
        if len(fitting) == 1:
            return fitting.pop()
    return test
