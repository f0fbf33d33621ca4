"""Reports that are read in full only when somebody asks: undamaged ones, and repetitions of them."""

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
    """An undamaged report of which perhaps only the accesses and their sites have been looked at."""

    __slots__ = ("dialect", "notes", "raw", "sketch", "whole")

    def __init__(self, dialect: Dialect, raw: bytes, sketch: Report, whole: bool) -> None:
        self.dialect = dialect
        self.raw = raw  # up to its closing
        self.sketch = sketch
        self.whole = whole  # the sketch is all of it
        self.notes: dict[str, Any] = {}  # what others conclude from it, once for all its echoes

    def report(self) -> Report:
        return self.sketch if self.whole else read_whole(self.dialect, self.raw)


def read_whole(dialect: Dialect, raw: bytes) -> Report:
    """All of a report that has passed a glance."""
    text = raw.decode()
    report = dialect.whole(text)
    if report is None:  # as a glance does not look at every frame
        machine = dialect.machine()
        for line in f"{text}{(dialect.closing or b'').decode()}".splitlines():
            machine.feed(line)
        report = machine.finish(cut=False)
    assert report is not None
    return report


class Known:
    """A report's text, cut so that another one is compared with it in a few microseconds."""

    __slots__ = ("_cut", "_decimal", "_fixed", "_own", "_same", "unread")

    def __init__(self, unread: Unread, volatile: re.Pattern[bytes]) -> None:
        self.unread = unread
        raw = unread.raw
        found = [(m.lastgroup, m.span(m.lastgroup or 0)) for m in volatile.finditer(raw)]
        bounds = [0, *(edge for _, span in found for edge in span), len(raw)]
        sizes = [f"{end - begin}s" for begin, end in pairwise(bounds)]
        self._cut = Struct("".join(sizes)).unpack  # what stays, and what differs, in turns
        pieces = self._cut(raw)
        self._fixed, names = pieces[::2], pieces[1::2]
        actors = {name for name, (group, _) in zip(names, found, strict=True) if group == "actor"}
        own = [*dict.fromkeys(names)]
        self._own = _picker([names.index(name) for name in own])
        self._same = _picker([own.index(name) for name in names])
        self._decimal = _picker([i for i, name in enumerate(own) if name in actors])

    def echoed_by(self, raw: bytes) -> Echo | None:
        """Is `raw`, which is as long, our text with other numbers, equal ones where ours are equal?"""
        pieces = self._cut(raw)
        if pieces[::2] != self._fixed:
            return None
        names = pieces[1::2]  # the addresses and the actors' numbers
        own = self._own(names)
        if self._same(own) != names or len({*own}) != len(own):
            return None
        if b"".join(own).translate(None, _HEX) or not b"".join(self._decimal(own)).isdigit():
            return None
        return Echo(self.unread, raw, names)


def _picker(indexes: list[int]) -> Callable[[tuple[bytes, ...]], tuple[bytes, ...]]:
    """What takes these out of others."""
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
    """The reports met lately, by length and by how they begin and end."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, bytes, bytes], list[Known]] = {}

    def find(self, raw: bytes) -> Echo | None:
        """The known report that `raw` repeats."""
        for known in self._known.get(_key(raw), ()):
            if (echo := known.echoed_by(raw)) is not None:
                return echo
        return None

    def learn(self, unread: Unread) -> None:
        """Remembers a report, but only when one like it comes for the second time.

        What makes a report quick to recognise takes a while to prepare.
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
    # the offsets of instructions, which another build has others of, stand at the end, too
    return len(raw), raw[:_HEAD].translate(_ZEROES), raw[-_TAIL:]
