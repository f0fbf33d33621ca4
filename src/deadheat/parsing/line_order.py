"""Detects and reverses logs with the newest line first.

In such a log a stack stands above its header. The lines are fed to the parsers in reverse order. In Go's
stacks the order also shows in the names: a package is usually named after its folder."""

from __future__ import annotations

from enum import IntEnum
from itertools import islice, pairwise
from typing import TYPE_CHECKING, Final, NamedTuple

from deadheat.detectors import LineVerdict
from deadheat.model import Damage, Origin, ReportSource
from deadheat.symbols import go
from deadheat.text import lazy_compile
from deadheat.text.log_records import RecordOrder, group_by_time

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from deadheat.detectors import Detector
    from deadheat.model import Frame
    from deadheat.parsing.active_parsers import LocatedReport
    from deadheat.parsing.candidate_filter import CandidateFilter
    from deadheat.text.streams import StreamLine, StreamSplitter
    from deadheat.text.window import SlidingWindow

    LineOrder = Sequence[int]

    OrderScore = tuple[int, int, int]


# number of report lines that must be adjacent to a header
_MIN_REPORT_LINES = 2
# maximum number of blank lines in between
_MAX_BLANK_LINES = 4
# number of lines below a header that are examined for its report, and for their order
_HEADER_SAMPLE = _MAX_BLANK_LINES + _MIN_REPORT_LINES
_ORDER_SAMPLE = 100
# number of bytes examined around a header, and to find the header if the hit is not one
_NEAR_SIZE = 1 << 10
_AHEAD_SIZE = 1 << 14
# number of bytes examined for descending times, and the sampling step
_WIDE_SIZE = 1 << 14
_WIDE_STEP = 1 << 11
# "2024-05-01T12:00:00.123Z", "2024/05/01 12:00:00.123", "12:00:00,123", in a record or in front
_TIME_BYTES = lazy_compile(rb"(?:\d{4}[-/]\d\d[-/]\d\d[T ])?\d\d:\d\d:\d\d(?:[.,]\d{1,9})?")

_TIME_TEXT = lazy_compile(_TIME_BYTES.pattern.decode())

HeaderRun = tuple[int, int]
_NO_RUN: HeaderRun = (0, 0)
BEST_RUN: HeaderRun = (1, _MIN_REPORT_LINES)


class ReadingOrder(IntEnum):
    """The order in which a text is read."""

    FORWARD = 0
    DOUBTFUL = 1  # reversed, if that gives a complete report
    BACKWARD = 2
    BY_TIME = 3  # by descending times with ties in written order, if that gives more


def header_run(detector: Detector, header: str, neighbours: Iterable[str]) -> HeaderRun:
    """How well the lines on one side of a header continue it: whether adjacent, and how many."""
    parser = detector.new_parser()
    if parser.feed(header) is not LineVerdict.ACCEPTED:
        return _NO_RUN
    blank_lines = report_lines = 0
    for text in neighbours:
        verdict = parser.feed(text)
        if verdict is LineVerdict.ACCEPTED:
            if parser.lacks_top_frame:
                break
            report_lines += 1
        elif verdict is not LineVerdict.NEUTRAL or report_lines or blank_lines == _MAX_BLANK_LINES:
            break
        else:
            blank_lines += 1
        if report_lines == _MIN_REPORT_LINES:
            break
    return (int(not blank_lines), report_lines) if report_lines else _NO_RUN


def times_descend(raw_lines: Iterable[bytes]) -> bool:
    """Whether the times of these lines descend."""
    last: dict[int, bytes] = {}
    ascending = descending = 0
    for line in raw_lines:
        if match := _TIME_BYTES.search(line):
            # each time format is compared with itself
            time = match[0].replace(b"/", b"-").replace(b"T", b" ")
            previous = last.get(len(time), time)
            ascending, descending = ascending + (previous < time), descending + (previous > time)
            last[len(time)] = time
    return descending > 1 and descending > 5 * ascending


def line_time(text: str) -> str:
    """The time in a line; "" if there is none."""
    match = _TIME_TEXT.search(text)
    return match[0] if match else ""


class OrderDetector:
    """Detects the order of the text around a line."""

    def __init__(
        self,
        detectors: Sequence[Detector],
        window: SlidingWindow,
        candidates: CandidateFilter,
        decode_lines: Callable[[bytes], Sequence[str]],
        floor: int,
    ) -> None:
        self._detectors = detectors
        self._window = window
        self._candidates = candidates
        self._decode_lines = decode_lines
        self._floor = floor

    def lines_above(self, line: int) -> bytes:
        """The lines just before the one at `line`."""
        start = self._window.line_start_before(line, _NEAR_SIZE, self._floor)
        return self._window.peek(start, line - start)

    def detect_order(
        self, line: int, splitter: StreamSplitter | None, is_header: bool, allow_by_time: bool
    ) -> ReadingOrder:
        """Compares how well the lines above and below the next header continue it.

        `is_header` means that the line itself is a header; `allow_by_time` allows `BY_TIME`.
        """
        order = self._order_at_header(line, splitter, is_header)
        try_by_time = allow_by_time and order is ReadingOrder.FORWARD and splitter is not None
        return ReadingOrder.BY_TIME if try_by_time and self._times_fall(line) else order

    def _times_fall(self, line_start: int) -> bool:
        """Whether times descend in a larger range, where many lines may have the same time."""
        start = self._window.line_start_before(line_start, _WIDE_SIZE, self._floor)
        raw = self._window.peek(start, 2 * _WIDE_SIZE)
        # most text without times is recognised by its last line
        last = _TIME_BYTES.search(raw, raw.rfind(b"\n", 0, len(raw) - 1) + 1)
        first = _TIME_BYTES.search(raw) if last else None
        if first is None or last is None or first[0] <= last[0]:
            return False
        line_starts = (raw.find(b"\n", at) + 1 for at in range(0, len(raw) - _WIDE_STEP, _WIDE_STEP))
        found = [first, *(_TIME_BYTES.search(raw, line_start) for line_start in line_starts), last]
        times = [match[0] for match in found if match and len(match[0]) == len(first[0])]
        return all(earlier >= later for earlier, later in pairwise(times))

    def _order_at_header(self, line: int, splitter: StreamSplitter | None, is_header: bool) -> ReadingOrder:
        search_key = OrderDetector, splitter.prefix_key if splitter else None
        if not is_header and self._lacks_header(line, splitter, search_key):
            return ReadingOrder.BACKWARD if self.times_descend_around(line) else ReadingOrder.FORWARD
        raw = self._window.read_lines(line, _NEAR_SIZE if is_header else _AHEAD_SIZE)
        below = self._split_pieces(raw, splitter)
        before_header: list[StreamLine] = []
        for piece in below:
            if (detector := self._find_detector(piece[1])) is not None:
                break
            before_header.append(piece)
        else:
            self._candidates.record_miss(search_key, line + len(raw))
            return ReadingOrder.BACKWARD if self.times_descend_around(line) else ReadingOrder.FORWARD
        stream, header = piece
        rest = _texts_of_stream(below, stream)
        texts_below = list(islice(rest, _HEADER_SAMPLE))
        forward = header_run(detector, header, texts_below)
        if forward == BEST_RUN and detector.has_stack_headers:
            return ReadingOrder.FORWARD
        above = [*self._split_pieces(self.lines_above(line).removesuffix(b"\n"), splitter), *before_header]
        texts_above = list(_texts_of_stream(above, stream))
        backward = header_run(detector, header, texts_above[::-1])
        if self.times_descend_around(line):
            return ReadingOrder.BACKWARD
        votes = detector.order_score([*texts_above, header, *texts_below, *islice(rest, _ORDER_SAMPLE)])
        # report lines on one side of the header and none on the other: not a forward order
        is_one_sided = backward[0] and (forward == _NO_RUN or (backward == BEST_RUN and not forward[0]))
        if votes < 0 or (is_one_sided and not votes):
            return ReadingOrder.BACKWARD
        return ReadingOrder.DOUBTFUL if backward > forward else ReadingOrder.FORWARD

    def _find_detector(self, text: str) -> Detector | None:
        """The detector of which this line is a header."""
        return next((candidate for candidate in self._detectors if candidate.find_opening(text) >= 0), None)

    def _lacks_header(self, line: int, splitter: StreamSplitter | None, search_key: object) -> bool:
        """Whether it is known that no header follows; only what the last search did not see is searched."""
        seen_until = self._candidates.miss_end(search_key)
        if seen_until <= line:
            return False
        start = self._window.line_start_before(seen_until, _NEAR_SIZE, line)
        raw = self._window.read_lines(start, max(0, line + _AHEAD_SIZE - start))
        if any(self._find_detector(text) for _, text in self._split_pieces(raw, splitter)):
            return False
        self._candidates.record_miss(search_key, start + len(raw))
        return True

    def times_descend_around(self, line: int) -> bool:
        """Whether the times around this line descend."""
        raw = self.lines_above(line) + self._window.read_lines(line, _NEAR_SIZE)
        return times_descend(raw.split(b"\n"))

    def _split_pieces(self, raw: bytes, splitter: StreamSplitter | None) -> Iterator[StreamLine]:
        splitter_copy = splitter.copy_prefixes() if splitter else None
        for text in self._decode_lines(raw):
            yield from splitter_copy.split_line(text) if splitter_copy else ((None, text),)


def _texts_of_stream(pieces: Iterable[StreamLine], stream: str | None) -> Iterator[str]:
    return (text for piece_stream, text in pieces if piece_stream == stream or not text.strip())


# with all of these, a report is not evidence that its lines are reversed
_INCONCLUSIVE_DAMAGE: Final = {Damage.NO_BANNER, Damage.TRUNCATED, Damage.GLUED}
# orders to try where a record's times are inconclusive; Elasticsearch's comes first
_RECORD_ORDERS: Final = (RecordOrder.STABLE_BY_TIME, RecordOrder.AUTO, RecordOrder.REVERSED, RecordOrder.AS_WRITTEN)
_LIKELY_ORDERS: Final = (RecordOrder.STABLE_BY_TIME, RecordOrder.AUTO)


def candidate_orders(texts: Sequence[str], order: ReadingOrder) -> Iterator[LineOrder]:
    """Yields the reversed order, and one sorted by time only, as many log stores produce."""
    everything = range(len(texts))
    time_groups = group_by_time(everything, _line_times(texts))
    by_time_order = [i for group in reversed(time_groups) for i in group]
    if order is ReadingOrder.BY_TIME:
        yield from (everything, by_time_order)
        return
    yield everything[::-1]
    if len(time_groups) < len(texts):
        yield by_time_order


def choose_reports(results: Iterator[list[LocatedReport]], order: ReadingOrder) -> list[LocatedReport]:
    """The reports of the order that gave most; empty if the forward order is right."""
    if order is ReadingOrder.BY_TIME:
        forward, by_time = results
        return by_time if score_reports(by_time)[0] and score_reports(by_time) > score_reports(forward) else []
    reports = max(results, key=score_reports)
    if order is ReadingOrder.DOUBTFUL and not score_reports(reports)[0]:
        return []
    return [located for located in reports if not {*_report_damage(located)} >= _INCONCLUSIVE_DAMAGE]


def score_reports(reports: Sequence[LocatedReport]) -> OrderScore:
    """The number of complete reports, less damage, and the number of known frames."""
    complete = sum(Damage.TRUNCATED not in _report_damage(located) for located in reports)
    return complete, -sum(len(_report_damage(located)) for located in reports), sum(map(_count_known_frames, reports))


def choose_record_order(splitter: StreamSplitter, read: Callable[[], Sequence[LocatedReport]]) -> None:
    """Sets the order in which a record's lines are read; unlikely orders are tried last."""
    results: dict[RecordOrder, OrderScore] = {}
    for record_order in _RECORD_ORDERS:
        complete, less_damage, _ = max(results.values(), default=(0, 0, 0))
        if record_order not in _LIKELY_ORDERS and complete and not less_damage:
            break
        splitter.record_order = record_order
        results[record_order] = score_reports(read())
    splitter.record_order = max(results, key=lambda record_order: results[record_order])


def with_reversed_damage(located: LocatedReport) -> LocatedReport:
    """Adds `Damage.REVERSED` to a report."""
    report = located.source.report()
    damage = tuple(sorted({*report.damage, Damage.REVERSED}))
    return located._replace(source=ReportSource(report._replace(damage=damage)))


def _line_times(texts: Sequence[str]) -> list[str]:
    """The time of each line; a line without one belongs to the line before it."""
    times: list[str] = []
    for text in texts:
        times.append(line_time(text) or (times[-1] if times else ""))
    return times


def _report_damage(located: LocatedReport) -> tuple[Damage, ...]:
    return located.source.original.damage


def _count_known_frames(located: LocatedReport) -> int:
    """The number of frames with a function and a line."""
    accesses = located.source.original.accesses
    return sum(bool(frame.function and frame.line) for access in accesses for frame in access.stack)


# "/src/shop/cart/cart_test.go:31 +0x45", "/usr/local/go/src/runtime/asm_amd64.s:1594"
_GO_SOURCE_LINE = lazy_compile(
    r"(?:[^:\\/]{0,200}[:\\/]){0,40}?(?:(?P<folder>[^:\\/]{1,200})[\\/])?"
    r"[^:\\/]{1,200}?(?P<test>_test)?\.(?:go|s|c|cc|cpp|h):\d{1,9}(?!\S)"
)
_SOURCE_EXTENSIONS = (".go:", ".s:", ".c:", ".cc:", ".cpp:", ".h:")
_GO_PACKAGE_PATH = r"(?:[\w.~%@+-]{1,200}/){0,20}[\w%~-]{1,200}"
# "[...]", "[go.shape.int]"
_GO_TYPE_ARGUMENTS = r"(?:\[[^\s\]]{0,200}\])?"
# ".(*Batch[...])", ".func1", "..func1", "·dwrap·47", "-fm": each begins with a separator, so
# that there is no backtracking
_GO_NAME_PART = rf"[.·-]{{1,2}}(?:\(\*?[\w.*]{{1,200}}{_GO_TYPE_ARGUMENTS}\)|\w{{1,200}}{_GO_TYPE_ARGUMENTS})"
# "example.com/shop/ledger.(*Batch).add.func1": path, package, function
GO_FUNCTION_NAME = rf"{_GO_PACKAGE_PATH}(?=\.[A-Za-z_(·.])(?:{_GO_NAME_PART}){{1,14}}"
# "example.com/shop/cart.(*Cart).Add()", "created by testing.(*T).Run in goroutine 1", "main.f(0x1, 0x2)"
_GO_FUNCTION_LINE = lazy_compile(rf"(?:created by )?({GO_FUNCTION_NAME})(?:\(.{{0,1000}}\)| in goroutine \d{{1,18}})?$")
# "errors@v0.9.1"
_GO_MODULE_VERSION = lazy_compile(r"@v.*|\.v\d+$")
# ".TestRename.func2", ".(*suite).TestRename"
_GO_TEST_NAME = lazy_compile(r"\.(?:Test|Benchmark|Fuzz|Example)(?![a-z])")
_GO_MAJOR_VERSION = lazy_compile(r"v\d+$")
_UNNAMED_PACKAGES = ("main", "command-line-arguments")
# more lines would only take time
_MAX_STACK_LINES = 400


def go_order_score(lines: Sequence[str]) -> int:
    """How many more source lines fit the function above them than the one below them."""
    stack = [parsed for line in lines[-_MAX_STACK_LINES:] if (parsed := _parse_go_line(line.strip())) is not None]
    votes = 0
    for above, current, below in zip(stack, stack[1:], [*stack[2:], None], strict=False):
        if isinstance(current, _GoSourceLine):
            votes += _fit_score(above, current) - _fit_score(below, current)
    return votes


def go_frames_fit(frames: Sequence[Frame]) -> bool:
    """Whether the source lines fit their own function at least as well as that of the next frame."""
    lines = [text for frame in frames for text in (f"{frame.package}.{frame.function}", f"{frame.path}:{frame.line}")]
    return go_order_score(lines) >= 0


class _GoSourceLine(NamedTuple):
    path: str
    folder: str
    is_test: bool


class _GoFunctionLine(NamedTuple):
    package: str
    name: str
    is_test: bool


def _parse_go_line(text: str) -> _GoSourceLine | _GoFunctionLine | None:
    """Parses a line of a stack; returns None for other text, which loggers may interleave."""
    if any(extension in text for extension in _SOURCE_EXTENSIONS) and (source_match := _GO_SOURCE_LINE.match(text)):
        folder = _GO_MODULE_VERSION.sub("", source_match["folder"] or "")
        return _GoSourceLine(source_match[0], folder, source_match["test"] is not None)
    if function_match := _GO_FUNCTION_LINE.match(text):
        package, function = go.split_symbol(function_match[1])
        names = package.removesuffix("_test").split("/")
        name = names[-2] if _GO_MAJOR_VERSION.match(names[-1]) and len(names) > 1 else names[-1]
        return _GoFunctionLine(package, _GO_MODULE_VERSION.sub("", name), _GO_TEST_NAME.search(function) is not None)
    return None


def _fit_score(function: _GoSourceLine | _GoFunctionLine | None, source_line: _GoSourceLine) -> int:
    """Whether the function's package has the name of the folder, and both are test code."""
    if not isinstance(function, _GoFunctionLine):
        return 0
    test_score = source_line.is_test and function.is_test
    if function.name not in _UNNAMED_PACKAGES and function.name == source_line.folder:
        return 1 + test_score
    # the standard library is in its folders, but the runtime contains functions of other packages
    is_standard = go.find_origin(function.package, "") is not Origin.USER
    return test_score - (is_standard and source_line.folder != "" and "runtime/" not in source_line.path)
