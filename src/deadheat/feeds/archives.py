"""Reads compressed files and archives as streams; only nested zips are copied to disk."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import shutil
import tarfile
import tempfile
import zipfile
import zlib
from typing import IO, TYPE_CHECKING, Any, cast

from deadheat.errors import UnreadableError
from deadheat.feeds import magic

if TYPE_CHECKING:
    from collections.abc import Iterator

_MAX_DEPTH = 4
_PIECE = 1 << 16
# an archive that exceeds both the ratio and the size is treated as a bomb
_MAX_RATIO, _MAX_BLOWN = 2_000, 1 << 33
# the exceptions that damaged archives raise
BROKEN = (OSError, EOFError, zlib.error, lzma.LZMAError, zipfile.BadZipFile, tarfile.TarError,
          NotImplementedError, RuntimeError, ValueError)  # fmt: skip

Member = tuple[str, "IO[bytes]"]


def members(
    file: IO[bytes], uri: str, depth: int = 0, unpacked: bool = False
) -> Iterator[Member | UnreadableError]:
    """Yields the documents in a file: the file itself, or the members of an archive, to be read at once.

    `is_unpacked` means that the file was compressed and keeps the compressed name.
    """
    stream = _Peekable(file)
    head = stream.peek(magic.SNIFF)
    try:
        if depth == _MAX_DEPTH and magic.is_packed(head):
            yield UnreadableError(f"is nested more than {_MAX_DEPTH} archives deep, skipped", uri)
        elif head.startswith(magic.ZIP):
            yield from _zipped(file, stream, uri, depth)
        elif magic.is_tar(head):
            yield from _tarred(stream, uri, depth)
        elif (inner := _decompressed(stream, head, uri)) is not None:
            bounded = cast("IO[bytes]", _Bounded(inner, stream, uri))
            yield from members(bounded, uri, depth + 1, unpacked=True)
        else:
            if not unpacked and magic.is_misnamed(head, uri):
                yield UnreadableError(magic.MISNAMED, uri)
            yield uri, cast("IO[bytes]", stream)
    except UnreadableError as error:
        yield error
    except BROKEN as error:
        yield broken(uri, error)


def broken(uri: str, error: Exception) -> UnreadableError:
    said = str(error) or type(error).__name__
    return UnreadableError(f"is damaged or cannot be read to its end ({said})", uri)


def _decompressed(stream: _Peekable, head: bytes, uri: str) -> IO[bytes] | None:
    raw = cast("IO[bytes]", stream)
    if head.startswith(magic.GZIP):
        return cast("IO[bytes]", gzip.GzipFile(fileobj=raw))
    if magic.is_bzip2(head):
        return cast("IO[bytes]", bz2.BZ2File(raw))
    if head.startswith(magic.XZ):
        return cast("IO[bytes]", lzma.LZMAFile(raw))
    if head.startswith(magic.ZSTD):
        return _zstd(raw, uri)
    return None


def _zstd(raw: IO[bytes], uri: str) -> IO[bytes]:
    try:
        import zstandard
    except ImportError:
        raise UnreadableError(
            "is compressed with zstd", uri, "pip install 'deadheat[zstd]' to read it"
        ) from None
    return cast("IO[bytes]", _Zstd(raw, zstandard))


def _zipped(
    file: IO[bytes], stream: _Peekable, uri: str, depth: int
) -> Iterator[Member | UnreadableError]:
    """A zip has its index at the end, so one that comes as a stream is copied to a temporary file."""
    with tempfile.TemporaryFile() as spool:
        if depth or not file.seekable():
            shutil.copyfileobj(cast("IO[bytes]", stream), spool, 1 << 20)
            file = spool
        file.seek(0)
        with zipfile.ZipFile(file) as archive:
            for info in archive.infolist():
                if info.is_dir():
                    continue
                inside = f"{uri}!{info.filename}"
                if info.flag_bits & 1:
                    yield UnreadableError("is encrypted, skipped", inside)
                    continue
                yield from _member(archive.open, info, info.compress_size, inside, depth)


def _member(
    open_: object, info: object, packed: int, inside: str, depth: int
) -> Iterator[Member | UnreadableError]:
    try:
        with open_(info) as member:  # type: ignore[operator]
            bounded = _Bounded(member, _Fixed(packed), inside)
            yield from members(cast("IO[bytes]", bounded), inside, depth + 1)
    except UnreadableError as error:
        yield error
    except BROKEN as error:
        yield broken(inside, error)


def _tarred(stream: _Peekable, uri: str, depth: int) -> Iterator[Member | UnreadableError]:
    with tarfile.open(fileobj=cast("IO[bytes]", stream), mode="r|") as archive:
        for info in archive:
            if info.issparse():  # its holes may be larger than any disk, and are empty
                parts = cast("list[tuple[int, int]]", info.sparse)
                info.size, info.sparse = sum(size for _, size in parts), None
            # links and devices are not followed: they point at this machine
            if info.isreg() and (member := archive.extractfile(info)) is not None:
                inside = f"{uri}!{info.name}"
                pieces = _Bounded(member, _Fixed(info.size), inside, tarfile.RECORDSIZE)
                yield from members(cast("IO[bytes]", pieces), inside, depth + 1)


class _Peekable(io.RawIOBase):
    """A stream whose first bytes can be inspected without consuming them."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._head = b""
        self.taken = 0

    def peek(self, size: int) -> bytes:
        while len(self._head) < size and (more := self._file.read(size - len(self._head))):
            self._head += more
        return self._head

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        if self._head:
            size = len(self._head) if size < 0 else size
            data, self._head = self._head[:size], self._head[size:]
        else:
            data = self._file.read(size)
        self.taken += len(data)
        return data


class _Fixed:
    """A packed size that is known in advance."""

    def __init__(self, size: int) -> None:
        self.taken = size


class _Bounded(io.RawIOBase):
    """Stops reading when the unpacked size exceeds the limits."""

    def __init__(
        self, file: IO[bytes], packed: _Peekable | _Fixed, uri: str, piece: int = _PIECE
    ) -> None:
        self._next = getattr(file, "read1", file.read)
        self._packed, self._uri, self._piece = packed, uri, piece
        self._out = 0

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        # in pieces, so that data before an error is not lost
        data = self._next(min(size, self._piece) if size >= 0 else self._piece)
        self._out += len(data)
        if self._out > _MAX_BLOWN and self._out > _MAX_RATIO * max(self._packed.taken, 1):
            raise UnreadableError("exceeds the size limit when unpacked, the rest is skipped", self._uri)
        return data


class _Zstd(io.RawIOBase):
    """Decompresses consecutive zstd frames; a truncated frame is an error."""

    def __init__(self, file: IO[bytes], zstandard: Any) -> None:
        self._file, self._zstandard = file, zstandard
        self._frame: Any = None
        self._pending = b""

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        while True:
            packed = self._pending or self._file.read(_PIECE)
            self._pending = b""
            if not packed:
                if self._frame is not None:
                    raise EOFError("the data is truncated")
                return b""
            if self._frame is None:
                self._frame = self._zstandard.ZstdDecompressor().decompressobj()
            try:
                data: bytes = self._frame.decompress(packed)
            except self._zstandard.ZstdError as error:
                raise OSError(str(error)) from error
            if self._frame.eof:
                self._pending, self._frame = self._frame.unused_data, None
            if data:
                return data
