"""A byte source that reads an open file into the same buffer again and again."""

from __future__ import annotations

import mmap
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

SIZE = 1 << 21


class Blocks:
    """The bytes of a file that is positioned at `base`.

    As fast as mmap, because no memory is allocated per read. A file that shrinks while it is read just
    ends; mapped, it would terminate the process.
    """

    def __init__(
        self, read_into: Callable[[memoryview], int | None], base: int = 0, size: int = SIZE
    ) -> None:
        self._read_into, self._size = read_into, size
        self._memory: mmap.mmap | None = None
        self.base = base
        self.buffer: mmap.mmap | bytes = b""

    def more(self, keep: int) -> bool:
        end = self.base + len(self.buffer)
        kept = max(0, min(end - keep, len(self.buffer)))
        memory = self._moved(kept)
        with memoryview(memory) as view, view[kept:] as free:
            count = self._read_into(free) or 0
        self.base = end - kept
        whole = kept + count
        # only the last read is shorter than the buffer
        self.buffer = memory if whole == len(memory) else memory[:whole]
        return count > 0

    def _moved(self, kept: int) -> mmap.mmap:
        """Returns a buffer that begins with the last `kept_size` bytes, with as much free space."""
        memory, begin = self._memory, len(self.buffer) - kept
        if memory is not None and 2 * kept <= len(memory):
            if self.buffer is memory:
                memory.move(0, begin, kept)
            else:
                memory[:kept] = self.buffer[begin:]
            return memory
        # anonymous memory, which slices as bytes
        self._memory = memory = mmap.mmap(-1, max(self._size, 2 * kept))
        memory[:kept] = self.buffer[begin:]
        return memory
