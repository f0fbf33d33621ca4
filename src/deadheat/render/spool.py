"""Keeps lines of JSON until it is known which races they belong to."""

from __future__ import annotations

from typing import IO, TYPE_CHECKING

from deadheat.text.late import regex

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

# within a JSON string a quote has a backslash before it, so no document's text can look like this
_RACE = regex(rb'"race": "([0-9a-f]+)"')
# more than this goes to a file
_IN_MEMORY = 1 << 21


class Spool:
    """Lines in the order in which they came."""

    def __init__(self) -> None:
        self._chunks: list[bytes] = []
        self._size = 0
        self._file: IO[bytes] | None = None

    def add(self, lines: bytes) -> None:
        self._chunks.append(lines)
        self._size += len(lines)
        if self._size > _IN_MEMORY:
            self._spill()

    def _spill(self) -> None:
        from tempfile import TemporaryFile  # few scans find so much, and all would have to load it

        self._file = self._file or TemporaryFile()  # noqa: SIM115
        self._file.write(b"\n".join([*self._chunks, b""]))
        self._chunks, self._size = [], 0

    def lines(self, ids: Mapping[str, str]) -> Iterator[bytes]:
        """Every line, without its end, with the lasting ids of its races."""
        names = {node.encode(): f'"race": "{race}"'.encode() for node, race in ids.items()}
        for chunk in self._all():
            for line in chunk.split(b"\n"):
                # it comes early in a line, and once
                yield _RACE.sub(lambda match: names.get(match[1], match[0]), line, count=1)

    def _all(self) -> Iterator[bytes]:
        if self._file is not None:
            with self._file as file:
                file.seek(0)
                for line in file:
                    yield line.removesuffix(b"\n")
        yield from self._chunks
