"""Access to object stores: options from the environment, and files that fetch exact byte ranges."""

from __future__ import annotations

import io
import os
import re
from typing import Any

# the first block of a file, and the largest; a sequential read doubles the block each time
_FIRST_BLOCK, _MAX_BLOCK = 1 << 20, 1 << 23
# blocks kept besides the first and the last of the file
_KEPT_BLOCKS = 3
_ARROW = re.compile(r"\x1b\[\d*m|↳")
_MAX_MESSAGE = 500
# what s3fs and delta-rs read of the environment
_STORE_VARIABLES = (
    "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN",
    "AWS_REGION", "AWS_DEFAULT_REGION", "AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3",
)  # fmt: skip
# Hadoop's schemes and their names in fsspec
_SCHEME_ALIASES = {"s3a": "s3", "s3n": "s3", "wasb": "abfs", "wasbs": "abfs"}


def normalized_uri(uri: str) -> str:
    """The URI with the scheme that fsspec and delta-rs know."""
    scheme, separator, rest = uri.partition("://")
    return f"{_SCHEME_ALIASES.get(scheme, scheme)}{separator}{rest}"


def fsspec_options(uri: str) -> dict[str, Any]:
    """The options of fsspec for a URI that its libraries do not read from the environment themselves.

    fsspec keeps a file system per set of options, so the endpoint is passed although botocore reads it too.
    """
    if not normalized_uri(uri).startswith("s3://"):
        return {}
    options: dict[str, Any] = {}
    if endpoint := _s3_endpoint():
        options["endpoint_url"] = endpoint
    if region := _s3_region():
        options["client_kwargs"] = {"region_name": region}  # botocore does not read AWS_REGION
    return options


def delta_options(uri: str) -> dict[str, str]:
    """The options of delta-rs for a URI that it does not read from the environment itself."""
    if not normalized_uri(uri).startswith("s3://"):
        return {}
    # a commit is a conditional put, so that of two writers of a version only one succeeds
    options = {"conditional_put": "etag"}
    if endpoint := _s3_endpoint():
        options["aws_endpoint_url"] = endpoint
        if endpoint.startswith("http://"):
            options["aws_allow_http"] = "true"
    if region := _s3_region():
        options["aws_region"] = region
    return options


def environment_for_executors() -> dict[str, str]:
    """The variables of our environment that say where a store is and who we are there.

    Processes on other machines do not inherit them. Spark passes on those of its own S3 client in the same way.
    """
    return {name: os.environ[name] for name in _STORE_VARIABLES if name in os.environ}


def _s3_endpoint() -> str:
    return os.environ.get("AWS_ENDPOINT_URL_S3") or os.environ.get("AWS_ENDPOINT_URL", "")


def _s3_region() -> str:
    return os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION", "")


def error_text(error: Exception) -> str:
    """The message of an error on one line. delta-rs prints each cause on a line of its own, after a coloured arrow."""
    lines = _ARROW.sub("", str(error)).splitlines()
    return ": ".join(filter(None, map(str.strip, lines)))[:_MAX_MESSAGE] or type(error).__name__


def read_bytes(file_system: Any, path: str, start: int = 0, end: int | None = None) -> bytes:
    """A range of a file, or all of it, with one request. Raises OSError."""
    try:
        data: bytes = file_system.cat_file(path, start=start, end=end)
    except OSError:
        raise
    except Exception as error:  # each file system raises its own
        raise OSError(error_text(error)) from error
    return data


class RemoteFile(io.RawIOBase):
    """A file of a fsspec file system that fetches each block with one request.

    A sequential read fetches every byte once. A read elsewhere fetches what was asked for. Bytes behind `end` are
    not fetched in advance. A file that shrinks while it is read just ends.
    """

    def __init__(self, file_system: Any, path: str, size: int, end: int | None = None) -> None:
        self._file_system, self._path, self._size = file_system, path, size
        self._end = size if end is None else min(end, size)
        self._position = 0
        self._blocks: list[tuple[int, bytes]] = []  # offset and bytes, the latest last

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._position

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._position, io.SEEK_END: self._size}[whence]
        if base + offset < 0:
            raise OSError("negative seek position")
        self._position = base + offset
        return self._position

    def readinto(self, buffer: Any, /) -> int:
        with memoryview(buffer).cast("B") as view:
            filled = 0
            while filled < len(view):
                piece = self._next_piece(len(view) - filled)
                if not piece:
                    break
                view[filled : filled + len(piece)] = piece
                filled += len(piece)
            return filled

    def read(self, size: int = -1, /) -> bytes:
        missing = self._size - self._position if size < 0 else size
        pieces = []
        while missing > 0 and (piece := self._next_piece(missing)):
            pieces.append(piece)
            missing -= len(piece)
        return b"".join(pieces)

    def readall(self) -> bytes:
        return self.read()

    def _next_piece(self, size: int) -> memoryview:
        """The bytes at the position, at most `size`, and b"" at the end of the file."""
        if self._position >= self._size:
            return memoryview(b"")
        position = self._position
        for start, data in reversed(self._blocks):
            if start <= position < start + len(data):
                break
        else:
            start, data = position, self._fetch_block(position, min(size, _MAX_BLOCK))
        piece = memoryview(data)[position - start : position - start + size]
        self._position += len(piece)
        return piece

    def _fetch_block(self, start: int, wanted: int) -> bytes:
        preceding = [len(data) for at, data in self._blocks if at + len(data) == start]
        ahead = min(2 * preceding[-1], _MAX_BLOCK) if preceding else 0 if self._blocks else _FIRST_BLOCK
        stop = max(start + wanted, min(start + ahead, self._end))
        stop = min(stop, self._size, *(at for at, _ in self._blocks if at > start))
        data = read_bytes(self._file_system, self._path, start, stop)
        if len(data) < stop - start:
            self._size = start + len(data)
        self._keep_block(start, data)
        return data

    def _keep_block(self, start: int, data: bytes) -> None:
        """Keeps the head, which readers inspect first, and the tail, which has the index of a zip."""
        ends = [b for b in self._blocks if len(b[1]) <= _FIRST_BLOCK and (b[0] == 0 or b[0] + len(b[1]) == self._size)]
        others = [block for block in self._blocks if block not in ends]
        self._blocks = [*ends, *others[1 - _KEPT_BLOCKS :], (start, data)]
