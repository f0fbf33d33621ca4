"""Reports that are read in full only when somebody asks: undamaged ones, and repetitions of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import re

    from deadheat.dialects import Dialect
    from deadheat.model import Report

_HEX = b"0123456789abcdef"
_ZEROES = bytes.maketrans(_HEX, b"0" * len(_HEX))
_HEAD = 160
_MOST = 4096
_PER_KEY = 8


class Unread:
    """An undamaged report of which only the accesses and their sites have been looked at."""

    __slots__ = ("dialect", "notes", "raw", "sketch")

    def __init__(self, dialect: Dialect, raw: bytes, sketch: Report) -> None:
        self.dialect = dialect
        self.raw = raw  # up to its closing
        self.sketch = sketch
        self.notes: dict[str, Any] = {}  # what others conclude from it, once for all its echoes

    def report(self) -> Report:
        return read_whole(self.dialect, self.raw)


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
    """A report's text as one large number, so that it is compared in a few microseconds."""

    __slots__ = ("kept", "names", "number", "places", "same", "skeleton", "unread")

    def __init__(self, unread: Unread, volatile: re.Pattern[bytes]) -> None:
        self.unread = unread
        raw = unread.raw
        kept = bytearray(b"\xff" * len(raw))
        self.places: list[tuple[int, int]] = []
        for match in volatile.finditer(raw):
            start, end = match.span(match.lastgroup or 0)
            digits = start + 2 if raw[start : start + 2] == b"0x" else start
            kept[digits:end] = bytes(end - digits)
            if match.lastgroup != "idle":
                self.places.append((start, end))
        self.kept = int.from_bytes(kept, "little")
        self.number = int.from_bytes(raw, "little") & self.kept
        self.skeleton = raw.translate(None, _HEX)
        self.names = self.names_in(raw)
        self.same = [self.names.index(name) for name in self.names]

    def names_in(self, raw: bytes) -> list[bytes]:
        """The addresses and the actors' numbers, in their order."""
        return [raw[start:end] for start, end in self.places]

    def echoed_by(self, raw: bytes) -> Echo | None:
        """Is `raw` the same text with other digits, equal ones wherever ours are equal?"""
        if int.from_bytes(raw, "little") & self.kept != self.number:
            return None
        names = [raw[start:end] for start, end in self.places]
        if [names.index(name) for name in names] != self.same:
            return None
        return Echo(self, raw, names) if raw.translate(None, _HEX) == self.skeleton else None


class Echo:
    """The text of a known report with other numbers."""

    __slots__ = ("known", "names", "raw")

    def __init__(self, known: Known, raw: bytes, names: list[bytes]) -> None:
        self.known = known
        self.raw = raw
        self.names = names

    @property
    def dialect(self) -> Dialect:
        return self.known.unread.dialect

    @property
    def notes(self) -> dict[str, Any]:
        return self.known.unread.notes

    def report(self) -> Report:
        return read_whole(self.dialect, self.raw)


class Echoes:
    """The reports met lately, by length and by how they begin."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, bytes], list[Known]] = {}

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
        elif len(alike) < _PER_KEY and unread.dialect.volatile is not None:
            alike.append(Known(unread, unread.dialect.volatile))


def _key(raw: bytes) -> tuple[int, bytes]:
    return len(raw), raw[:_HEAD].translate(_ZEROES)
