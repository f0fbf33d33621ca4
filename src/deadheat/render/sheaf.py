"""Packs JSON lines so that text shared by several lines is stored once."""

from __future__ import annotations

import pickle
from array import array
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

# a text with gaps: its pieces, one more than there are gaps; the index of the value for each gap; how
# many of the values, from the first, are race ids
Outline = tuple[list[bytes], list[int], int]

# bytes joined at a time, small enough for the processor cache
_PORTION: Final = 1 << 18


class Sheaf:
    """Takes lines in order, either as values for a template or complete."""

    def __init__(self) -> None:
        self._outlines: list[Outline] = []
        self._numbers = array("I")  # of the filled templates, in order
        self._words: list[bytes] = []  # the values of each, separated by blanks
        self._run = _Run()

    def outline(self, outline: Outline) -> int:
        """Adds the template of a line with its newline; the number is valid until `pack_lines`."""
        self._outlines.append(outline)
        return len(self._outlines) - 1

    def fill(self, number: int, words: list[bytes]) -> None:
        """Adds a line: a template and its values, which contain no blanks."""
        if self._run.size:
            self._end_run()
        self._numbers.append(number)
        self._words.append(b" ".join(words))

    def whole(self, pieces: list[bytes], races: list[bytes]) -> None:
        """Adds a line without a template: its pieces and the race ids between them."""
        self._run.add(pieces, races)
        if self._run.size > _PORTION:
            self._end_run()

    def _end_run(self) -> None:
        run, self._run = self._run, _Run()
        self.fill(self.outline(run.outline()), run.races)

    def pack(self) -> bytes:
        """Returns all lines packed and resets; empty if there are none."""
        if self._run.size:
            self._end_run()
        if not self._words:
            return b""
        told = self._outlines, self._numbers, b"\n".join(self._words)
        packed = pickle.dumps(told, pickle.HIGHEST_PROTOCOL)
        self._outlines, self._numbers, self._words = [], array("I"), []
        return packed


class _Run:
    """Consecutive lines without a template, stored as one template."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []
        self.races: list[bytes] = []
        self.size = 0

    def add(self, pieces: list[bytes], races: list[bytes]) -> None:
        if self.size:
            self._pieces[-1] = b"\n".join([self._pieces[-1], pieces[0]])
            self._pieces += pieces[1:]
        else:
            self._pieces = pieces
        self.races += races
        self.size += len(pieces[-1])

    def outline(self) -> Outline:
        self._pieces[-1] += b"\n"
        return self._pieces, list(range(len(self.races))), len(self.races)


def texts(packed: bytes, ids: Mapping[str, str]) -> Iterator[bytes]:
    """Yields the lines with their final race ids, in chunks."""
    outlines: list[Outline]
    numbers: array[int]
    words: bytes
    outlines, numbers, words = pickle.loads(packed)  # noqa: S301, packed by LinePacker
    lines = [_opened(pieces) for pieces, _, _ in outlines]
    sizes = [sum(map(len, line)) for line in lines]
    parts: list[bytes] = []
    size = 0
    for number, told in zip(numbers, words.split(b"\n"), strict=True):
        _, gaps, races = outlines[number]
        line, values = lines[number], told.split(b" ")
        for at in range(races):
            race = values[at].decode()
            values[at] = ids.get(race, race).encode()
        line[1::2] = [values[gap] for gap in gaps]
        parts += line
        size += sizes[number]
        if size > _PORTION:
            yield b"".join(parts)
            parts.clear()
            size = 0
    if parts:
        yield b"".join(parts)


def _opened(pieces: list[bytes]) -> list[bytes]:
    """The pieces with an empty item between each two."""
    line = [b""] * (2 * len(pieces) - 1)
    line[::2] = pieces
    return line
