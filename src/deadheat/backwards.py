"""Detects whether a log has its newest line first.

In such a log a stack stands above its header. The lines are fed to the parsers in reverse order.
"""

from __future__ import annotations

from enum import IntEnum
from itertools import islice, pairwise
from typing import TYPE_CHECKING

from deadheat.dialects import Verdict
from deadheat.text.late import regex

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from deadheat.dialects import Dialect
    from deadheat.text.lanes import LaneLine, Lanes
    from deadheat.text.window import Windows

# number of report lines that must be adjacent to a header
_ENOUGH = 2
# maximum number of blank lines in between
_GAP = 4
# number of lines below a header that are examined for its report, and for their order
_FIRST = _GAP + _ENOUGH
_MORE = 100
# number of bytes examined around a header, and to find the header if the hit is not one
_BESIDE = 1 << 10
_AHEAD = 1 << 14
# number of bytes examined for descending times, and the sampling step
_WIDE = 1 << 14
_STEP = 1 << 11
# "2024-05-01T12:00:00.123Z", "2024/05/01 12:00:00.123", "12:00:00,123", in a record or in front
_TIME = regex(rb"(?:\d{4}[-/]\d\d[-/]\d\d[T ])?\d\d:\d\d:\d\d(?:[.,]\d{1,9})?")

_TIME_OF = regex(_TIME.pattern.decode())

Run = tuple[int, int]
_NONE: Run = (0, 0)
BEST: Run = (1, _ENOUGH)


class Way(IntEnum):
    """The order in which a text is read."""

    FORWARD = 0
    DOUBTFUL = 1  # reversed, if that gives a complete report
    BACKWARD = 2
    TIED = 3  # by descending times with ties in written order, if that gives more


def run(dialect: Dialect, header: str, beside: Iterable[str]) -> Run:
    """How well the lines on one side of a header continue it: whether adjacent, and how many."""
    machine = dialect.machine()
    if machine.feed(header) is not Verdict.OWN:
        return _NONE
    blank = own = 0
    for text in beside:
        verdict = machine.feed(text)
        if verdict is Verdict.OWN:
            if machine.topless:
                break
            own += 1
        elif verdict is not Verdict.NEUTRAL or own or blank == _GAP:
            break
        else:
            blank += 1
        if own == _ENOUGH:
            break
    return (int(not blank), own) if own else _NONE


def descends(lines: Iterable[bytes]) -> bool:
    """Whether the times of these lines descend."""
    last: dict[int, bytes] = {}
    up = down = 0
    for line in lines:
        if match := _TIME.search(line):
            # each time format is compared with itself
            time = match[0].replace(b"/", b"-").replace(b"T", b" ")
            before = last.get(len(time), time)
            up, down = up + (before < time), down + (before > time)
            last[len(time)] = time
    return down > 1 and down > 5 * up


def time_of(text: str) -> str:
    """The time in a line; "" if there is none."""
    match = _TIME_OF.search(text)
    return match[0] if match else ""


class Sense:
    """Detects the order of the text around a line."""

    def __init__(
        self,
        dialects: Sequence[Dialect],
        windows: Windows,
        lines: Callable[[bytes], Sequence[str]],
        floor: int,
    ) -> None:
        self._dialects = dialects
        self._windows = windows
        self._lines = lines
        self._floor = floor

    def above(self, line: int) -> bytes:
        """The lines just before the one at `line`."""
        start = self._windows.back(line, _BESIDE, self._floor)
        return self._windows.peek(start, line - start)

    def way(self, line: int, lanes: Lanes | None, whole: bool, tied: bool) -> Way:
        """Compares how well the lines above and below the next header continue it.

        `is_header` means that the line itself is a header; `allow_by_time` allows `BY_TIME`.
        """
        way = self._way(line, lanes, whole)
        ties = tied and way is Way.FORWARD and lanes is not None
        return Way.TIED if ties and self._falls(line) else way

    def _falls(self, line: int) -> bool:
        """Whether times descend in a larger range, where many lines may have the same time."""
        start = self._windows.back(line, _WIDE, self._floor)
        raw = self._windows.peek(start, 2 * _WIDE)
        first, last = _TIME.search(raw), _TIME.search(raw, raw.rfind(b"\n", 0, len(raw) - 1) + 1)
        if first is None or last is None or first[0] <= last[0]:
            return False
        lines = (raw.find(b"\n", at) + 1 for at in range(0, len(raw) - _STEP, _STEP))
        found = [first, *(_TIME.search(raw, line) for line in lines), last]
        times = [match[0] for match in found if match and len(match[0]) == len(first[0])]
        return all(a >= b for a, b in pairwise(times))

    def _way(self, line: int, lanes: Lanes | None, whole: bool) -> Way:
        size = _BESIDE if whole else _AHEAD
        below = self._pieces(self._windows.slice(line, size), lanes)
        before: list[LaneLine] = []
        for piece in below:
            dialect = next((d for d in self._dialects if d.column(piece[1]) >= 0), None)
            if dialect is not None:
                break
            before.append(piece)
        else:
            return Way.BACKWARD if self.descends(line) else Way.FORWARD
        lane, header = piece
        rest = _of_lane(below, lane)
        behind = list(islice(rest, _FIRST))
        forward = run(dialect, header, behind)
        if forward == BEST and dialect.headed:
            return Way.FORWARD
        above = [*self._pieces(self.above(line).removesuffix(b"\n"), lanes), *before]
        ahead = list(_of_lane(above, lane))
        backward = run(dialect, header, ahead[::-1])
        if self.descends(line):
            return Way.BACKWARD
        votes = dialect.order([*ahead, header, *behind, *islice(rest, _MORE)])
        # report lines on one side of the header and none on the other: not a forward order
        alone = backward[0] and (forward == _NONE or (backward == BEST and not forward[0]))
        if votes < 0 or (alone and not votes):
            return Way.BACKWARD
        return Way.DOUBTFUL if backward > forward else Way.FORWARD

    def descends(self, line: int) -> bool:
        """Whether the times around this line descend."""
        raw = self.above(line) + self._windows.slice(line, _BESIDE)
        return descends(raw.split(b"\n"))

    def _pieces(self, raw: bytes, lanes: Lanes | None) -> Iterator[LaneLine]:
        fork = lanes.fork() if lanes else None
        for text in self._lines(raw):
            yield from fork.split(text) if fork else ((None, text),)


def _of_lane(pieces: Iterable[LaneLine], lane: str | None) -> Iterator[str]:
    return (text for other, text in pieces if other == lane or not text.strip())
