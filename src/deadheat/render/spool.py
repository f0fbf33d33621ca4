"""Keeps lines of JSON until it is known which races they belong to."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, NamedTuple

from deadheat.render.shelf import Shelf

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

# within a JSON string a quote has a backslash before it, so no document's text can look like this;
# it comes early in the line of a report
_RACE = b'"race": "'


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
        self._shelf = Shelf()
        self._spans: list[tuple[int, int, array[int]]] = []

    def add(self, lines: Lines) -> None:
        self._spans.append((self._shelf.put(lines.text), len(lines.text), lines.races))

    def texts(self, ids: Mapping[str, str]) -> Iterator[bytes]:
        """All lines with the lasting ids of their races, some at a time; the last has no newline."""
        names = {node.encode(): race.encode() for node, race in ids.items()}
        for at, size, races in self._spans:
            yield _named(Lines(self._shelf.get(at, size), races), names)
        self._shelf.close()


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
