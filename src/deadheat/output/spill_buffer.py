"""Stores packed JSON lines until the race ids are known: some in memory, the rest in a temporary file."""

from __future__ import annotations

import pickle
from array import array
from typing import IO, TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


_MAX_BYTES_IN_MEMORY: Final = 1 << 21
# texts are mostly read in order
_FILE_BUFFER_SIZE: Final = 1 << 16


class SpillBuffer:
    """Stores texts by offset and size."""

    def __init__(self) -> None:
        self._memory = bytearray()
        self._file_size = 0  # bytes in the file
        self._file: IO[bytes] | None = None

    def store_text(self, text: bytes) -> int:
        """Stores a text and returns its offset."""
        offset = self._file_size + len(self._memory)
        self._memory += text
        if len(self._memory) > _MAX_BYTES_IN_MEMORY:
            self._write_to_file()
        return offset

    def read_text(self, offset: int, size: int) -> bytes:
        if self._file is None or offset >= self._file_size:
            return bytes(self._memory[offset - self._file_size : offset - self._file_size + size])
        self._file.seek(offset)
        return self._file.read(size)

    def close(self) -> None:
        if self._file is not None:
            self._file.close()

    def _write_to_file(self) -> None:
        from tempfile import TemporaryFile  # rarely needed, slow to import

        self._file = self._file or TemporaryFile(buffering=_FILE_BUFFER_SIZE)  # noqa: SIM115
        self._file.seek(self._file_size)
        self._file.write(self._memory)
        self._file_size += len(self._memory)
        self._memory = bytearray()


# a text with gaps: its pieces, one more than there are gaps; the index of the value for each gap; how
# many of the values, from the first, are race ids
LineTemplate = tuple[list[bytes], list[int], int]

# bytes joined at a time, small enough for the processor cache
_CHUNK_SIZE: Final = 1 << 18


class LinePacker:
    """Takes lines in order, either as values for a template or complete."""

    def __init__(self) -> None:
        self._templates: list[LineTemplate] = []
        self._template_numbers = array("I")  # of the filled templates, in order
        self._gap_values: list[bytes] = []  # the values of each, separated by blanks
        self._unique_lines = _UniqueLines()

    def add_template(self, template: LineTemplate) -> int:
        """Adds the template of a line with its newline; the number is valid until `pack_lines`."""
        self._templates.append(template)
        return len(self._templates) - 1

    def add_filled_template(self, number: int, values: list[bytes]) -> None:
        """Adds a line: a template and its values, which contain no blanks."""
        if self._unique_lines.size:
            self._flush_unique_lines()
        self._template_numbers.append(number)
        self._gap_values.append(b" ".join(values))

    def add_unique_line(self, pieces: list[bytes], races: list[bytes]) -> None:
        """Adds a line without a template: its pieces and the race ids between them."""
        self._unique_lines.add_line(pieces, races)
        if self._unique_lines.size > _CHUNK_SIZE:
            self._flush_unique_lines()

    def _flush_unique_lines(self) -> None:
        unique_lines, self._unique_lines = self._unique_lines, _UniqueLines()
        self.add_filled_template(self.add_template(unique_lines.as_template()), unique_lines.races)

    def pack_lines(self) -> bytes:
        """Returns all lines packed and resets; empty if there are none."""
        if self._unique_lines.size:
            self._flush_unique_lines()
        if not self._gap_values:
            return b""
        content = self._templates, self._template_numbers, b"\n".join(self._gap_values)
        packed = pickle.dumps(content, pickle.HIGHEST_PROTOCOL)
        self._templates, self._template_numbers, self._gap_values = [], array("I"), []
        return packed


class _UniqueLines:
    """Consecutive lines without a template, stored as one template."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []
        self.races: list[bytes] = []
        self.size = 0

    def add_line(self, pieces: list[bytes], races: list[bytes]) -> None:
        if self.size:
            self._pieces[-1] = b"\n".join([self._pieces[-1], pieces[0]])
            self._pieces += pieces[1:]
        else:
            self._pieces = pieces
        self.races += races
        self.size += len(pieces[-1])

    def as_template(self) -> LineTemplate:
        self._pieces[-1] += b"\n"
        return self._pieces, list(range(len(self.races))), len(self.races)


def unpack_lines(packed: bytes, ids: Mapping[str, str]) -> Iterator[bytes]:
    """Yields the lines with their final race ids, in chunks."""
    templates: list[LineTemplate]
    numbers: array[int]
    joined_values: bytes
    templates, numbers, joined_values = pickle.loads(packed)  # noqa: S301, packed by LinePacker
    lines = [_with_gaps(pieces) for pieces, _, _ in templates]
    sizes = [sum(map(len, line)) for line in lines]
    chunk: list[bytes] = []
    size = 0
    for number, line_values in zip(numbers, joined_values.split(b"\n"), strict=True):
        _, gaps, races = templates[number]
        line, values = lines[number], line_values.split(b" ")
        for index in range(races):
            race = values[index].decode()
            values[index] = ids.get(race, race).encode()
        line[1::2] = [values[gap] for gap in gaps]
        chunk += line
        size += sizes[number]
        if size > _CHUNK_SIZE:
            yield b"".join(chunk)
            chunk.clear()
            size = 0
    if chunk:
        yield b"".join(chunk)


def _with_gaps(pieces: list[bytes]) -> list[bytes]:
    """The pieces with an empty item between each two."""
    line = [b""] * (2 * len(pieces) - 1)
    line[::2] = pieces
    return line


class PackedLineStore:
    """Packed lines in the order in which they were added."""

    def __init__(self) -> None:
        self._buffer = SpillBuffer()
        self._spans: list[tuple[int, int]] = []

    def add_packed(self, packed: bytes) -> None:
        if packed:
            self._spans.append((self._buffer.store_text(packed), len(packed)))

    def iter_lines(self, ids: Mapping[str, str]) -> Iterator[bytes]:
        """Yields all lines with their final race ids, in chunks."""
        for offset, size in self._spans:
            yield from unpack_lines(self._buffer.read_text(offset, size), ids)
        self._buffer.close()
