"""Line numbers of positions in files that were read."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from typing import IO, TYPE_CHECKING

from deadheat.sources.file_listing import is_packed_file

if TYPE_CHECKING:
    from collections.abc import Mapping

# lines are counted once for each block of this size
_BLOCK_SIZE = 1 << 16
_HEAD_SIZE = 1 << 10


def _open_regular_file(path: str) -> IO[bytes]:
    """Opens a file without waiting for a writer, if a pipe has taken its place."""
    file = os.fdopen(os.open(path, os.O_RDONLY | os.O_CLOEXEC | getattr(os, "O_NONBLOCK", 0)), "rb", buffering=0)
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise OSError
    return file


class LineNumbers:
    """Finds the line of an offset in a plain file; files are read again, up to the last offset that is asked for."""

    def __init__(self, paths: Mapping[str, str]) -> None:
        self._paths = paths  # by the name of the document
        self._counts: dict[str, list[int]] = {}  # newlines before each block

    def line_of(self, uri: str, offset: int) -> int | None:
        """The line, from 1; None for standard input, members of archives and what cannot be read any more."""
        path = self._paths.get(uri)
        if path is None:
            return None
        with suppress(OSError), _open_regular_file(path) as file:
            if offset > os.fstat(file.fileno()).st_size:
                return None  # it was replaced or cut since it was read
            counts = self._counts.get(uri)
            if counts is None:
                counts = self._counts[uri] = [] if is_packed_file(file.read(_HEAD_SIZE)) else [0]
            if not counts:
                return None
            block = offset // _BLOCK_SIZE
            file.seek((len(counts) - 1) * _BLOCK_SIZE)
            while len(counts) <= block:
                counts.append(counts[-1] + file.read(_BLOCK_SIZE).count(b"\n"))
            file.seek(block * _BLOCK_SIZE)
            return counts[block] + file.read(offset - block * _BLOCK_SIZE).count(b"\n") + 1
        return None
