"""Notices lines that are too long to be anybody's text, while a file is read."""

from __future__ import annotations

import io
from typing import IO

# the reader takes long lines in pieces; whoever wrote this one is worth telling
LONGEST = 1 << 24
FAULT = (
    f"has a line of more than {LONGEST >> 20} MiB, read in pieces; a report in it may be missing"
)


class Lined(io.RawIOBase):
    """A file that knows whether a long line has been read from it; closing it leaves the file open."""

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

    def read(self, size: int = -1, /) -> bytes:
        data = self._file.read(size)
        last = data.rfind(b"\n")
        first = self._length + (len(data) if last < 0 else data.find(b"\n"))
        self.has_long_line |= first > LONGEST
        self._length = first if last < 0 else len(data) - last - 1
        return data
