"""Undamaged reports that are parsed in full only on demand, and duplicates of them."""

from __future__ import annotations

from itertools import pairwise
from operator import itemgetter
from struct import Struct
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    import re
    from collections.abc import Callable

    from deadheat.dialects import Dialect
    from deadheat.model import Report

_HEX: Final = b"0123456789abcdef"
_ZEROES: Final = bytes.maketrans(_HEX, b"0" * len(_HEX))
_HEAD, _TAIL = 160, 16
_MOST: Final = 4096
_PER_KEY: Final = 8


class Unread:
    """An undamaged report of which possibly only the accesses and sites have been parsed."""

    __slots__ = ("dialect", "notes", "raw", "sketch", "whole")

    def __init__(self, dialect: Dialect, raw: bytes, sketch: Report, whole: bool) -> None:
        self.dialect = dialect
        self.raw = raw  # up to its closing
        self.sketch = sketch
        self.whole = whole  # whether the summary is the full report
        self.notes: dict[str, Any] = {}  # results derived from the report, shared with its duplicates

    def report(self) -> Report:
        return self.sketch if self.whole else read_whole(self.dialect, self.raw)


def read_whole(dialect: Dialect, raw: bytes) -> Report:
    """Parses a report whose summary could be parsed."""
    text = raw.decode()
    report = dialect.whole(text)
    if report is None:  # the summary parser does not check every frame
        machine = dialect.machine()
        for line in f"{text}{(dialect.closing or b'').decode()}".splitlines():
            machine.feed(line)
        report = machine.finish(cut=False)
    assert report is not None
    return report


class Known:
    """The text of a report, prepared for fast comparison."""

    __slots__ = ("_cut", "_decimal", "_fixed", "_own", "_same", "unread")

    def __init__(self, unread: Unread, volatile: re.Pattern[bytes]) -> None:
        self.unread = unread
        raw = unread.raw
        found = [(m.lastgroup, m.span(m.lastgroup or 0)) for m in volatile.finditer(raw)]
        bounds = [0, *(edge for _, span in found for edge in span), len(raw)]
        sizes = [f"{end - begin}s" for begin, end in pairwise(bounds)]
        self._cut = Struct("".join(sizes)).unpack  # fixed and volatile pieces, alternating
        pieces = self._cut(raw)
        self._fixed, names = pieces[::2], pieces[1::2]
        actors = {name for name, (group, _) in zip(names, found, strict=True) if group == "actor"}
        own = [*dict.fromkeys(names)]
        self._own = _picker([names.index(name) for name in own])
        self._same = _picker([own.index(name) for name in names])
        self._decimal = _picker([i for i, name in enumerate(own) if name in actors])

    def echoed_by(self, raw: bytes) -> Echo | None:
        """Returns a duplicate if `raw`, of the same length, differs only in its numbers."""
        pieces = self._cut(raw)
        if pieces[::2] != self._fixed:
            return None
        names = pieces[1::2]  # the addresses and actor ids
        own = self._own(names)
        if self._same(own) != names or len({*own}) != len(own):
            return None
        if b"".join(own).translate(None, _HEX) or not b"".join(self._decimal(own)).isdigit():
            return None
        return Echo(self.unread, raw, names)


def _picker(indexes: list[int]) -> Callable[[tuple[bytes, ...]], tuple[bytes, ...]]:
    """Returns a function that selects these items of a tuple."""
    if len(indexes) > 1:
        return itemgetter(*indexes)
    return lambda others: tuple([others[i] for i in indexes])


class Echo:
    """The text of a known report with other numbers."""

    __slots__ = ("first", "names", "notes", "raw")

    def __init__(self, first: Unread, raw: bytes, names: tuple[bytes, ...]) -> None:
        self.first = first
        self.raw = raw
        self.names = names
        self.notes = first.notes

    @property
    def dialect(self) -> Dialect:
        return self.first.dialect

    def report(self) -> Report:
        return read_whole(self.dialect, self.raw)


class Echoes:
    """Recent reports by length, beginning and end."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, bytes, bytes], list[Known]] = {}

    def find(self, raw: bytes) -> Echo | None:
        """Returns `raw` as a duplicate of a known report, or None."""
        for known in self._known.get(_key(raw), ()):
            if (echo := known.echoed_by(raw)) is not None:
                return echo
        return None

    def learn(self, unread: Unread) -> None:
        """Adds a report, but only when a similar one comes for the second time.

        Preparing a report for comparison is expensive.
        """
        if len(self._known) >= _MOST:
            self._known.clear()
        key = _key(unread.raw)
        alike = self._known.get(key)
        if alike is None:
            self._known[key] = []
        elif unread.dialect.volatile is not None:
            alike.insert(0, Known(unread, unread.dialect.volatile))
            del alike[_PER_KEY:]


def _key(raw: bytes) -> tuple[int, bytes, bytes]:
    # instruction offsets, which differ between builds, are also at the end
    return len(raw), raw[:_HEAD].translate(_ZEROES), raw[-_TAIL:]
