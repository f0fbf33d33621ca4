"""Keeps lines of JSON until it is known which races they belong to."""

from __future__ import annotations

from array import array
from typing import IO, TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

# within a JSON string a quote has a backslash before it, so no document's text can look like this;
# it comes early in the line of a report
_RACE = b'"race": "'
# more than this goes to a file
_IN_MEMORY = 1 << 21


class Lines(NamedTuple):
    """Lines with a newline between each two, and where in the text they name races."""

    text: bytes
    races: array[int]


def lines(each: list[bytes], many: bool = False) -> Lines:
    """The lines as one, ready to be sent; those of `many` races or none are looked through."""
    races, begin = array("Q"), 0
    for line in each:
        at = line.find(_RACE)
        while at >= 0:
            at += len(_RACE)
            races.append(begin + at)
            at = line.find(_RACE, at) if many else -1
        begin += len(line) + 1
    return Lines(b"\n".join(each), races)


class Spool:
    """Lines in the order in which they came."""

    def __init__(self) -> None:
        self._held: list[Lines] = []
        self._size = 0
        self._spilled: list[tuple[int, array[int]]] = []
        self._file: IO[bytes] | None = None

    def add(self, lines: Lines) -> None:
        self._held.append(lines)
        self._size += len(lines.text)
        if self._size > _IN_MEMORY:
            self._spill()

    def _spill(self) -> None:
        from tempfile import TemporaryFile  # few scans find so much, and all would have to load it

        self._file = self._file or TemporaryFile()  # noqa: SIM115
        for text, races in self._held:
            self._file.write(text)
            self._spilled.append((len(text), races))
        self._held, self._size = [], 0

    def texts(self, ids: Mapping[str, str]) -> Iterator[bytes]:
        """All lines with the lasting ids of their races, some at a time; the last has no newline."""
        names = {node.encode(): race.encode() for node, race in ids.items()}
        for lines in self._all():
            yield _named(lines, names)

    def _all(self) -> Iterator[Lines]:
        if self._file is not None:
            with self._file as file:
                file.seek(0)
                for size, races in self._spilled:
                    yield Lines(file.read(size), races)
        yield from self._held


def _named(lines: Lines, names: Mapping[bytes, bytes]) -> bytes:
    text = lines.text
    view = memoryview(text)
    parts: list[bytes | memoryview] = []
    done = 0
    for at in lines.races:
        end = text.index(b'"', at)
        node = text[at:end]
        parts += (view[done:at], names.get(node, node))
        done = end
    return b"".join([*parts, view[done:]])
