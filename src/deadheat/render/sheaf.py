"""Lines of JSON that are told together, packed so that what many have in common is there once."""

from __future__ import annotations

import pickle
from array import array
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

# how many bytes are put together at a time: as many as stay near the processor
_PORTION = 1 << 18


class Outline(NamedTuple):
    """A line with gaps, into which words are put."""

    pieces: list[bytes]  # what stays: one more than gaps
    gaps: list[int]  # which word goes into which gap
    races: int = 1  # how many of the words, the first ones, name races


class Sheaf:
    """Takes lines in their order, each as an outline and the words that fill it."""

    def __init__(self) -> None:
        self._outlines: list[Outline] = []
        self._numbers = array("I")
        self._words: list[bytes] = []  # of each line, with a blank between each two

    def outline(self, outline: Outline) -> int:
        """Takes an outline, and says its number, which holds until all is packed."""
        self._outlines.append(outline)
        return len(self._outlines) - 1

    def fill(self, number: int, words: list[bytes]) -> None:
        """Takes a line that is that outline with those words, which have no blanks in them."""
        self._numbers.append(number)
        self._words.append(b" ".join(words))

    def whole(self, pieces: list[bytes], races: list[bytes]) -> None:
        """Takes a line that is like no other: its pieces, and the races that stand between them."""
        many = len(races)
        self.fill(self.outline(Outline(pieces, list(range(many)), many)), races)

    def pack(self) -> bytes:
        """All lines, ready to be sent, and none from now on; nothing if there are none."""
        if not self._words:
            return b""
        told = self._outlines, self._numbers, b"\n".join(self._words)
        packed = pickle.dumps(told, pickle.HIGHEST_PROTOCOL)
        self._outlines, self._numbers, self._words = [], array("I"), []
        return packed


def texts(packed: bytes, ids: Mapping[str, str], between: bytes = b"\n") -> Iterator[bytes]:
    """The lines, with the lasting ids of their races and that before each, some at a time."""
    outlines: list[Outline]
    numbers: array[int]
    words: bytes
    outlines, numbers, words = pickle.loads(packed)  # noqa: S301, since nobody but a sheaf made it
    lines = [_opened(outline.pieces, between) for outline in outlines]
    sizes = [sum(map(len, line)) for line in lines]
    parts: list[bytes] = []
    size = 0
    for number, told in zip(numbers, words.split(b"\n"), strict=True):
        line, outline, values = lines[number], outlines[number], told.split(b" ")
        for at in range(outline.races):
            race = values[at].decode()
            values[at] = ids.get(race, race).encode()
        line[1::2] = [values[gap] for gap in outline.gaps]
        parts += line
        size += sizes[number]
        if size > _PORTION:
            yield b"".join(parts)
            parts.clear()
            size = 0
    yield b"".join(parts)


def _opened(pieces: list[bytes], before: bytes) -> list[bytes]:
    """The pieces with room for a word between each two."""
    line = [b""] * (2 * len(pieces) - 1)
    line[::2] = pieces
    line[0] = before + line[0]
    return line
