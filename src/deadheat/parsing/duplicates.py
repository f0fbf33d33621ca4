"""Undamaged reports, and duplicates of them that are parsed only on demand."""

from __future__ import annotations

from itertools import pairwise
from operator import itemgetter
from struct import Struct
from typing import TYPE_CHECKING, Final

from deadheat.model import ReportSource
from deadheat.text import lazy_compile

if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Mapping

    from deadheat.detectors import Detector
    from deadheat.model import Report

_HEX_DIGITS: Final = b"0123456789abcdef"
_HEX_TO_ZERO: Final = bytes.maketrans(_HEX_DIGITS, b"0" * len(_HEX_DIGITS))
_KEY_HEAD, _KEY_TAIL = 160, 16
_MAX_KEYS: Final = 4096
# "goroutine 7 writes at 0x00c000124010"
_NAME_IN_TEXT: Final = lazy_compile(r"goroutine \d+\b|0x[0-9a-f]+\b")
_MAX_REPORTS_PER_KEY: Final = 8


class IntactReport(ReportSource):
    """An undamaged report and its text."""

    __slots__ = ("detector", "raw")

    def __init__(self, detector: Detector, raw: bytes, report: Report) -> None:
        super().__init__(report)
        self.detector = detector
        self.raw = raw  # up to its closing

    @property
    def is_printable(self) -> bool:
        return is_printable_text(self.raw)


def is_printable_text(raw: bytes) -> bool:
    """Whether clean text needs no escapes: "%" can decode to other characters, "::" may begin a workflow command."""
    return b"%" not in raw and b"::" not in raw and b"##[" not in raw


class KnownReport:
    """The text of a report, prepared for fast comparison."""

    __slots__ = (
        "_fixed_pieces", "_pick_actors", "_pick_distinct", "_pick_repeated", "_positions", "_report", "_split_pieces",
    )  # fmt: skip

    def __init__(self, report: IntactReport, volatile: re.Pattern[bytes]) -> None:
        self._report = report
        raw = report.raw
        volatile_spans = [(match.lastgroup, match.span(match.lastgroup or 0)) for match in volatile.finditer(raw)]
        bounds = [0, *(edge for _, span in volatile_spans for edge in span), len(raw)]
        sizes = [f"{end - begin}s" for begin, end in pairwise(bounds)]
        self._split_pieces = Struct("".join(sizes)).unpack  # fixed and volatile pieces, alternating
        pieces = self._split_pieces(raw)
        self._fixed_pieces, values = pieces[::2], pieces[1::2]
        actors = {value for value, (group, _) in zip(values, volatile_spans, strict=True) if group == "actor"}
        distinct = [*dict.fromkeys(values)]
        self._positions = {value.decode(): values.index(value) for value in distinct}
        self._pick_distinct = _make_picker([values.index(value) for value in distinct])
        self._pick_repeated = _make_picker([distinct.index(value) for value in values])
        self._pick_actors = _make_picker([i for i, value in enumerate(distinct) if value in actors])

    def match_duplicate(self, raw: bytes) -> Duplicate | None:
        """Returns a duplicate if `raw`, of the same length, differs only in its numbers."""
        pieces = self._split_pieces(raw)
        if pieces[::2] != self._fixed_pieces:
            return None
        values = pieces[1::2]  # the addresses and actor ids
        distinct = self._pick_distinct(values)
        if self._pick_repeated(distinct) != values or len({*distinct}) != len(distinct):
            return None
        if b"".join(distinct).translate(None, _HEX_DIGITS) or not b"".join(self._pick_actors(distinct)).isdigit():
            return None
        return Duplicate(self._report, raw, values, self._positions)


def _make_picker(indexes: list[int]) -> Callable[[tuple[bytes, ...]], tuple[bytes, ...]]:
    """Returns a function that selects these items of a tuple."""
    if len(indexes) > 1:
        return itemgetter(*indexes)
    return lambda others: tuple([others[i] for i in indexes])


class Duplicate(ReportSource):
    """The text of a known report with other numbers."""

    __slots__ = ("_detector", "_positions", "_raw", "_values")

    def __init__(
        self, first: IntactReport, raw: bytes, values: tuple[bytes, ...], positions: Mapping[str, int]
    ) -> None:
        self.original, self.derived = first.original, first.derived
        self._detector = first.detector
        self._raw = raw
        self._positions = positions  # of the numbers of the first report among the values
        self._values = values

    @property
    def volatile_values(self) -> tuple[bytes, ...]:
        return self._values

    @property
    def is_printable(self) -> bool:
        return is_printable_text(self._raw)

    def report(self) -> Report:
        report = self._detector.parse_intact(self._raw.decode())
        assert report is not None  # it differs from an undamaged report only in its numbers
        return report

    def rename(self, name: str) -> str:
        number = name[2:] if name.startswith("0x") else name.rpartition(" ")[2]
        position = self._positions.get(number)
        if position is None:
            return name
        return name[: len(name) - len(number)] + self._values[position].decode()

    def rename_in_text(self, text: str) -> str:
        return _NAME_IN_TEXT.sub(lambda match: self.rename(match[0]), text)


class DuplicateIndex:
    """Recent reports by length, beginning and end."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, bytes, bytes], list[KnownReport]] = {}

    def find_duplicate(self, raw: bytes) -> Duplicate | None:
        """Returns `raw` as a duplicate of a known report, or None."""
        for known in self._known.get(_lookup_key(raw), ()):
            if (duplicate := known.match_duplicate(raw)) is not None:
                return duplicate
        return None

    def add_report(self, report: IntactReport) -> None:
        """Adds a report, but only when a similar one comes for the second time.

        Preparing a report for comparison is expensive.
        """
        if len(self._known) >= _MAX_KEYS:
            self._known.clear()
        key = _lookup_key(report.raw)
        similar = self._known.get(key)
        if similar is None:
            self._known[key] = []
        elif report.detector.volatile_numbers is not None:
            similar.insert(0, KnownReport(report, report.detector.volatile_numbers))
            del similar[_MAX_REPORTS_PER_KEY:]


def _lookup_key(raw: bytes) -> tuple[int, bytes, bytes]:
    # instruction offsets, which differ between builds, are also at the end
    return len(raw), raw[:_KEY_HEAD].translate(_HEX_TO_ZERO), raw[-_KEY_TAIL:]
