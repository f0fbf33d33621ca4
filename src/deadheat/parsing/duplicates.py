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
    from collections.abc import Callable

    from deadheat.detectors import Detector
    from deadheat.model import Report

_HEX_DIGITS: Final = b"0123456789abcdef"
_HEX_TO_ZERO: Final = bytes.maketrans(b"0123456789abcdefABCDEF", b"0" * 22)
_KEY_HEAD, _KEY_MIDDLE, _KEY_TAIL = 160, 96, 16
_MAX_KEYS: Final = 1 << 11
_MAX_REPORTS_PER_KEY: Final = 8
# "goroutine 7 writes at 0x00c000124010", "thread T2", "thread #3"
_NAME_IN_TEXT: Final = lazy_compile(r"(?:goroutine |thread [T#])\d+\b|0x[0-9A-Fa-f]+\b")
# what is before a volatile number in the names of a report, by the group of the number
_NAME_PREFIXES: Final = {
    "address": ("0x",), "location": ("0x",), "actor": ("goroutine ", "thread T", "thread #"), "process": ("",),
}  # fmt: skip
_HEXADECIMAL_GROUPS: Final = ("address", "location")
# numbers that no report contains take the place of its own
_FIRST_DECIMAL, _FIRST_HEXADECIMAL, _HEXADECIMAL_STEP = 918_273_600, 0x7EED_0000_0000, 0x1_0000_0000


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
        "_accesses", "_digits", "_fixed_pieces", "_location", "_pick_actors", "_pick_distinct", "_pick_repeated",
        "_split_pieces", "_traits", "first", "is_exact", "names", "placeholder",
    )  # fmt: skip

    def __init__(
        self, report: IntactReport, volatile: re.Pattern[bytes], fixed_group: str | None, verified: dict[bytes, bool]
    ) -> None:
        self.first = report
        raw = report.raw
        all_matches = [match for match in volatile.finditer(raw) if match.lastgroup != fixed_group]
        matches = [match for match in all_matches if match.lastgroup]
        groups = [match.lastgroup or "" for match in matches]
        bounds = [0, *(edge for match in matches for edge in match.span(match.lastgroup or 0)), len(raw)]
        sizes = [f"{end - begin}s" for begin, end in pairwise(bounds)]
        self._split_pieces = Struct("".join(sizes)).unpack  # fixed and volatile pieces, alternating
        pieces = self._split_pieces(raw)
        self._fixed_pieces, values = pieces[::2], pieces[1::2]
        actors = {value for value, group in zip(values, groups, strict=True) if group not in _HEXADECIMAL_GROUPS}
        distinct = [*dict.fromkeys(values)]
        # what is before the number in a name of the first report, and the index of the number among the values
        self.names: dict[str, tuple[str, int]] = {}
        for position, (value, group) in enumerate(zip(values, groups, strict=True)):
            for prefix in _NAME_PREFIXES[group]:
                self.names.setdefault(f"{prefix}{value.decode()}", (prefix, position))
        self._pick_distinct = _make_picker([values.index(value) for value in distinct])
        self._pick_repeated = _make_picker([distinct.index(value) for value in values])
        self._pick_actors = _make_picker([i for i, value in enumerate(distinct) if value in actors])
        digits = b"".join(distinct)
        self._digits = _HEX_DIGITS if digits.lower() == digits else _HEX_DIGITS + _HEX_DIGITS.upper()
        # indexes of the values that are addresses of accesses, and of the one that is the address of the memory
        self._accesses = [values.index(value) for value in distinct if groups[values.index(value)] == "address"]
        self._location = groups.index("location") if "location" in groups else -1
        self._traits = self._traits_of(values)
        self.placeholder = Duplicate(self, self._placeholder_values(values, groups))
        # how the numbers are parsed does not depend on the frames
        outline = _outline(raw, all_matches, [distinct.index(value) for value in values])
        outline += b"%d %d" % (self._traits[1] is None, fixed_group is None)
        if outline not in verified:
            verified[outline] = self._parses_as_names()
        self.is_exact = verified[outline]

    def _parses_as_names(self) -> bool:
        """Whether the numbers are nothing but names: with others, only the names in the report differ."""
        others = (*self.placeholder.volatile_values, b"")
        text = b"".join([fixed + number for fixed, number in zip(self._fixed_pieces, others, strict=True)])
        return self.first.detector.parse_intact(text.decode()) == self.placeholder.report()

    def _traits_of(self, values: tuple[bytes, ...]) -> tuple[list[object], int | None, bool]:
        """What a report or its causes contain that is derived from its addresses."""
        addresses = [int(values[i], 16) for i in self._accesses]
        traits = [*map(self.first.detector.address_traits, addresses)]
        memory = int(values[self._location], 16) if self._location >= 0 else 0
        return traits, addresses[0] - memory if memory and addresses else None, memory > 0

    def _placeholder_values(self, values: tuple[bytes, ...], groups: list[str]) -> tuple[bytes, ...]:
        """Numbers that no report contains, in place of its own."""
        numbers: dict[bytes, bytes] = {}
        for value, group in zip(values, groups, strict=True):
            if group in _HEXADECIMAL_GROUPS:
                numbers.setdefault(value, b"%012x" % (_FIRST_HEXADECIMAL + len(numbers) * _HEXADECIMAL_STEP))
            else:
                numbers.setdefault(value, b"%d" % (_FIRST_DECIMAL + len(numbers)))
        distance = self._traits[1]
        if distance:
            access = int(numbers[values[self._accesses[0]]], 16)
            numbers[values[self._location]] = b"%012x" % max(0, access - distance)
        return tuple([numbers[value] for value in values])

    def match_duplicate(self, raw: bytes) -> Duplicate | None:
        """Returns a duplicate if `raw`, of the same length, differs only in its numbers."""
        pieces = self._split_pieces(raw)
        if pieces[::2] != self._fixed_pieces or not self.is_exact:
            return None
        values = pieces[1::2]  # the addresses and actor ids
        distinct = self._pick_distinct(values)
        if self._pick_repeated(distinct) != values or len({*distinct}) != len(distinct):
            return None
        actors = b"".join(self._pick_actors(distinct))
        if b"".join(distinct).translate(None, self._digits) or (actors and not actors.isdigit()):
            return None
        if self._traits_of(values) != self._traits:
            return None
        return Duplicate(self, values)


def _outline(raw: bytes, matches: list[re.Match[bytes]], ordinals: list[int]) -> bytes:
    """The text with the ordinals of its volatile numbers, without the lines that match without a group."""
    pieces, end, remaining = [], 0, iter(ordinals)
    for match in matches:
        begin, next_end = match.span(match.lastgroup or 0)
        pieces.append(raw[end:begin])
        if match.lastgroup:
            pieces.append(b"#%d#" % next(remaining))
        end = next_end
    return b"".join([*pieces, raw[end:]])


def _make_picker(indexes: list[int]) -> Callable[[tuple[bytes, ...]], tuple[bytes, ...]]:
    """Returns a function that selects these items of a tuple."""
    if len(indexes) > 1:
        return itemgetter(*indexes)
    return lambda others: tuple([others[i] for i in indexes])


class Duplicate(ReportSource):
    """A known report with other numbers."""

    __slots__ = ("_known", "_values")

    def __init__(self, known: KnownReport, values: tuple[bytes, ...]) -> None:
        self.original, self.derived = known.first.original, known.first.derived
        self._known = known
        self._values = values

    @property
    def volatile_values(self) -> tuple[bytes, ...]:
        return self._values

    @property
    def is_printable(self) -> bool:
        return self._known.first.is_printable

    def with_placeholders(self) -> ReportSource:
        return self._known.placeholder

    def report(self) -> Report:
        return _rename_report(self.original, self.rename)

    def rename(self, name: str) -> str:
        found = self._known.names.get(name)
        return name if found is None else found[0] + self._values[found[1]].decode()

    def rename_in_text(self, text: str) -> str:
        return _NAME_IN_TEXT.sub(lambda match: self.rename(match[0]), text)


def _rename_report(report: Report, rename: Callable[[str], str]) -> Report:
    """The report with other names of actors, locks and processes, and with other addresses."""
    location = report.location
    return report._replace(
        accesses=tuple(
            [
                access._replace(
                    actor=rename(access.actor),
                    address=rename(access.address) if access.address else access.address,
                    locks=tuple([rename(lock) for lock in access.locks]),
                )
                for access in report.accesses
            ]
        ),
        actors=tuple([actor._replace(id=rename(actor.id)) for actor in report.actors]),
        location=location
        and location._replace(
            address=location.address and rename(location.address), actor=location.actor and rename(location.actor)
        ),
        locks=tuple(
            [lock._replace(id=rename(lock.id), address=lock.address and rename(lock.address)) for lock in report.locks]
        ),
        cycle=tuple(
            [
                edge._replace(held=rename(edge.held), acquired=rename(edge.acquired), actor=rename(edge.actor))
                for edge in report.cycle
            ]
        ),
        facts=tuple([(name, rename(value)) for name, value in report.facts]),
    )


class DuplicateIndex:
    """Recent reports by length, beginning, middle and end."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, bytes], list[IntactReport | KnownReport]] = {}
        self._verified: dict[bytes, bool] = {}  # by the outline of a report

    def find_duplicate(self, raw: bytes) -> Duplicate | None:
        """Returns `raw` as a duplicate of a known report, or None."""
        similar = self._known.get(_lookup_key(raw), [])
        for number, known in enumerate(similar):
            if isinstance(known, IntactReport):  # prepared when a similar report comes, because that takes long
                similar[number] = known = _prepare_report(known, self._verified)
            if (duplicate := known.match_duplicate(raw)) is not None:
                return duplicate
        return None

    def add_report(self, report: IntactReport) -> None:
        if len(self._known) >= _MAX_KEYS:
            self._known.clear()
            self._verified.clear()
        similar = self._known.setdefault(_lookup_key(report.raw), [])
        if any(isinstance(known, KnownReport) and not known.is_exact for known in similar):
            return
        similar.insert(0, report)
        del similar[_MAX_REPORTS_PER_KEY:]


def _prepare_report(report: IntactReport, verified: dict[bytes, bool]) -> KnownReport:
    volatile = report.detector.volatile_numbers
    assert volatile is not None
    known = KnownReport(report, volatile, None, verified)
    # the number of a thread is more than its name if the thread has a name of its own
    return known if known.is_exact else KnownReport(report, volatile, "actor", verified)


def _lookup_key(raw: bytes) -> tuple[int, bytes]:
    # instruction offsets, which differ between builds, are at the end
    middle = len(raw) // 2
    start = raw[:_KEY_HEAD] + raw[middle : middle + _KEY_MIDDLE]
    return len(raw), start.translate(_HEX_TO_ZERO) + raw[-_KEY_TAIL:]
