"""Detects very long lines while a file is read."""

from __future__ import annotations

import io
from typing import IO, Any

# the reader splits lines that are longer; they are reported as a fault
LONGEST = 1 << 24
_NEAR = 1 << 12
FAULT = (
    f"has a line of more than {LONGEST >> 20} MiB, read in pieces; a report in it may be missing"
)


class Lined(io.RawIOBase):
    """A file that records whether a long line was read. Closing it does not close the wrapped file."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._length = 0
        self.has_long_line = False

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return self._file.seekable()

    def seek(self, offset: int, whence: int = 0, /) -> int:
        self._length = 0
        return self._file.seek(offset, whence)

    def tell(self) -> int:
        return self._file.tell()

    def fileno(self) -> int:
        return self._file.fileno()

    def read(self, size: int = -1, /) -> bytes:
        data = self._file.read(size)
        self._heed(len(data), data.find(b"\n"), data.rfind(b"\n"))
        return data

    def readinto(self, buffer: Any, /) -> int:
        count = self._file.readinto(buffer) or 0  # type: ignore[attr-defined]
        # usually there is a line end near both ends of a block
        ends = bytes(buffer[:_NEAR]), bytes(buffer[max(0, count - _NEAR) : count])
        first, last = ends[0].find(b"\n", 0, count), ends[1].rfind(b"\n")
        if first < 0 or last < 0:
            data = bytes(buffer[:count])
            first, last = data.find(b"\n"), data.rfind(b"\n")
        else:
            last += max(0, count - _NEAR)
        self._heed(count, first, last)
        return count

    def _heed(self, count: int, first: int, last: int) -> None:
        """Update the state for a block of `count` bytes with its first and last line end."""
        line = self._length + (count if first < 0 else first)
        self.has_long_line |= line > LONGEST
        self._length = line if first < 0 else count - last - 1
