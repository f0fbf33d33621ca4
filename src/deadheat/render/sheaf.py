"""Lines of JSON that are told together, packed so that what many of them have in common is there once."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

# what stays of a line, and which of its values, in turns; pieces are one more than values
Outline = tuple[list[bytes], list[int]]
# the number of a line's outline, the races that it names, what else fills gaps; values are counted
# through both
Row = tuple[int, tuple[str, ...], tuple[bytes, ...]]

# how many bytes are put together at a time: as many as stay near the processor
_PORTION = 1 << 18


class Sheaf:
    """Takes lines, whole ones and such as fill an outline, in their order."""

    def __init__(self) -> None:
        self._outlines: list[Outline] = []
        self._rows: list[Row] = []

    def outline(self, outline: Outline) -> int:
        """Takes an outline, and says its number, which holds until all is packed."""
        self._outlines.append(outline)
        return len(self._outlines) - 1

    def fill(self, number: int, race: str, told: tuple[bytes, ...]) -> None:
        """Takes a line that is that outline, filled."""
        self._rows.append((number, (race,), told))

    def whole(self, pieces: list[bytes], races: tuple[str, ...]) -> None:
        """Takes a line that is like no other: its pieces, and the races that stand between them."""
        number = self.outline((pieces, list(range(len(races)))))
        self._rows.append((number, races, ()))

    def pack(self) -> bytes:
        """All lines, ready to be sent, and none from now on; nothing if there are none."""
        if not self._rows:
            return b""
        packed = pickle.dumps((self._outlines, self._rows), pickle.HIGHEST_PROTOCOL)
        self._outlines.clear()
        self._rows.clear()
        return packed


def texts(packed: bytes, ids: Mapping[str, str], between: bytes = b"\n") -> Iterator[bytes]:
    """The lines, with the lasting ids of their races and that before each, some at a time."""
    outlines: list[Outline]
    rows: list[Row]
    outlines, rows = pickle.loads(packed)  # noqa: S301, since nobody but a sheaf made it
    lines = [_opened(pieces, between) for pieces, _ in outlines]
    sizes = [sum(map(len, pieces)) for pieces, _ in outlines]
    parts: list[bytes] = []
    size = 0
    for number, races, told in rows:
        values = [*[ids.get(race, race).encode() for race in races], *told]
        line = lines[number]
        line[1::2] = [values[gap] for gap in outlines[number][1]]
        parts += line
        size += sizes[number]
        if size > _PORTION:
            yield b"".join(parts)
            parts.clear()
            size = 0
    yield b"".join(parts)


def _opened(pieces: list[bytes], before: bytes) -> list[bytes]:
    """The pieces with room for a value between each two."""
    line = [b""] * (2 * len(pieces) - 1)
    line[::2] = pieces
    line[0] = before + line[0]
    return line
