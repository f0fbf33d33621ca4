"""Reads the files of a lake on an object store with as few requests as possible."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyarrow.fs import FSSpecHandler

from deadheat.object_store import RemoteFile, read_bytes

if TYPE_CHECKING:
    from collections.abc import Mapping

# files up to this size are fetched whole, with one request, and kept
_SMALL_BYTES = 1 << 20
_MAX_KEPT_BYTES = 1 << 26


class RemoteFileHandler(FSSpecHandler):  # type: ignore[misc]
    """Opens files without asking for their sizes, which the Delta log has, and fetches small ones once.

    That is possible because the files of a lake never change.
    """

    def __init__(self, file_system: Any, sizes: Mapping[str, int]) -> None:
        super().__init__(file_system)
        self._sizes = sizes
        self._kept: dict[str, bytes] = {}
        self._kept_bytes = 0

    def open_input_file(self, path: str) -> pa.NativeFile:
        if path in self._kept:
            return pa.BufferReader(self._kept[path])
        size = self._sizes[path] if path in self._sizes else self.fs.size(path)
        if size > _SMALL_BYTES:
            # a column is read where it is, and nothing behind it
            return pa.PythonFile(RemoteFile(self.fs, path, size, end=0), mode="r")
        data = read_bytes(self.fs, path, 0, size)
        if self._kept_bytes + len(data) > _MAX_KEPT_BYTES:
            self._kept, self._kept_bytes = {}, 0
        self._kept[path] = data
        self._kept_bytes += len(data)
        return pa.BufferReader(data)
