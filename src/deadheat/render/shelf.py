"""Stores texts, a limited amount in memory and the rest in a temporary file."""

from __future__ import annotations

from typing import IO, Final

_IN_MEMORY: Final = 1 << 21
# texts are mostly read in order
_BUFFER: Final = 1 << 16


class Shelf:
    """Stores texts by offset and size."""

    def __init__(self) -> None:
        self._near = bytearray()
        self._far = 0  # bytes in the file
        self._file: IO[bytes] | None = None

    def put(self, text: bytes) -> int:
        """Stores a text and returns its offset."""
        at = self._far + len(self._near)
        self._near += text
        if len(self._near) > _IN_MEMORY:
            self._spill()
        return at

    def get(self, at: int, size: int) -> bytes:
        if self._file is None or at >= self._far:
            return bytes(self._near[at - self._far : at - self._far + size])
        self._file.seek(at)
        return self._file.read(size)

    def close(self) -> None:
        if self._file is not None:
            self._file.close()

    def _spill(self) -> None:
        from tempfile import TemporaryFile  # rarely needed, slow to import

        self._file = self._file or TemporaryFile(buffering=_BUFFER)  # noqa: SIM115
        self._file.seek(self._far)
        self._file.write(self._near)
        self._far += len(self._near)
        self._near = bytearray()
