"""A byte source that maps a large file piece by piece."""

from __future__ import annotations

import mmap

PIECE = 1 << 22


class Mapped:
    """The bytes of an open file from about `start` on.

    A file that shrinks while it is mapped terminates the process, so this is for worker processes.
    """

    def __init__(self, descriptor: int, size: int, start: int = 0, piece: int = PIECE) -> None:
        self._descriptor, self._size, self._piece = descriptor, size, piece
        self.base = start // mmap.ALLOCATIONGRANULARITY * mmap.ALLOCATIONGRANULARITY
        self.buffer: mmap.mmap | bytes = b""
        self._map(self.base)

    def more(self, keep: int) -> bool:
        end = self.base + len(self.buffer)
        if end >= self._size:
            return False
        self._map(max(self.base, min(keep, end)), end)
        return True

    def close(self) -> None:
        if isinstance(self.buffer, mmap.mmap):
            self.buffer.close()

    def _map(self, keep: int, end: int = 0) -> None:
        base = keep // mmap.ALLOCATIONGRANULARITY * mmap.ALLOCATIONGRANULARITY
        length = min(max(end, keep) + self._piece, self._size) - base
        self.close()
        self.base = base
        self.buffer = b""
        if length > 0:
            self.buffer = mmap.mmap(self._descriptor, length, access=mmap.ACCESS_READ, offset=base)
