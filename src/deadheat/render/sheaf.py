"""Lines of JSON that are told together, packed so that what many have in common is there once."""

from __future__ import annotations

import pickle
from array import array
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

# a text with gaps: what stays of it, a piece more than there are gaps; which of some words goes into
# which gap; how many of these, the first ones, name races
Outline = tuple[list[bytes], list[int], int]

# how many bytes are put together at a time: as many as stay near the processor
_PORTION: Final = 1 << 18


class Sheaf:
    """Takes lines in their order: some as words that fill an outline, others as they are."""

    def __init__(self) -> None:
        self._outlines: list[Outline] = []
        self._numbers = array("I")  # of outlines, as they are filled
        self._words: list[bytes] = []  # that fill each of them, with blanks between
        self._run = _Run()

    def outline(self, outline: Outline) -> int:
        """Takes the outline of a line and its newline; its number holds until all is packed."""
        self._outlines.append(outline)
        return len(self._outlines) - 1

    def fill(self, number: int, words: list[bytes]) -> None:
        """Takes the line that an outline is with those words, in which there are no blanks."""
        if self._run.size:
            self._end_run()
        self._numbers.append(number)
        self._words.append(b" ".join(words))

    def whole(self, pieces: list[bytes], races: list[bytes]) -> None:
        """Takes a line that is like no other: its pieces, and the races that stand between them."""
        self._run.add(pieces, races)
        if self._run.size > _PORTION:
            self._end_run()

    def _end_run(self) -> None:
        run, self._run = self._run, _Run()
        self.fill(self.outline(run.outline()), run.races)

    def pack(self) -> bytes:
        """All lines, ready to be sent, and none from now on; nothing if there are none."""
        if self._run.size:
            self._end_run()
        if not self._words:
            return b""
        told = self._outlines, self._numbers, b"\n".join(self._words)
        packed = pickle.dumps(told, pickle.HIGHEST_PROTOCOL)
        self._outlines, self._numbers, self._words = [], array("I"), []
        return packed


class _Run:
    """Lines that are like no others, one behind the other, as one outline of many races."""

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
    """The lines, each with its newline and the lasting ids of its races, some at a time."""
    outlines: list[Outline]
    numbers: array[int]
    words: bytes
    outlines, numbers, words = pickle.loads(packed)  # noqa: S301, since nobody but a sheaf made it
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
    """The pieces with room for a word between each two."""
    line = [b""] * (2 * len(pieces) - 1)
    line[::2] = pieces
    return line
