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
from deadheat.sources import file_listing

if TYPE_CHECKING:
    from collections.abc import Iterator

_MAX_DEPTH = 4
_READ_SIZE = 1 << 16
# an archive that exceeds both the ratio and the size is treated as a bomb
_MAX_RATIO, _MAX_UNPACKED = 2_000, 1 << 33
# the exceptions that damaged archives raise
ARCHIVE_ERRORS = (OSError, EOFError, zlib.error, lzma.LZMAError, zipfile.BadZipFile, tarfile.TarError,
          NotImplementedError, RuntimeError, ValueError)  # fmt: skip


class ArchiveMember:
    """A document in a file. `read` raises UnreadableError."""

    def __init__(self, uri: str, stream: IO[bytes]) -> None:
        self.uri, self._stream = uri, stream
        self.failed = False  # whether `read` has raised an error

    def read(self, size: int) -> bytes:
        try:
            return self._stream.read(size)
        except UnreadableError:
            self.failed = True
            raise
        except ARCHIVE_ERRORS as error:
            self.failed = True
            raise broken_archive_error(self.uri, error) from error


def iter_members(
    file: IO[bytes], uri: str, depth: int = 0, is_unpacked: bool = False
) -> Iterator[ArchiveMember | UnreadableError]:
    """Yields the documents in a file: the file itself, or the members of an archive, to be read at once.

    `is_unpacked` means that the file was compressed and keeps the compressed name.
    """
    stream = _PeekableStream(file)
    head = stream.peek(file_listing.SIGNATURE_SIZE)
    try:
        if depth == _MAX_DEPTH and file_listing.is_packed_file(head):
            yield UnreadableError(f"is nested more than {_MAX_DEPTH} archives deep, skipped", uri)
        elif head.startswith(file_listing.ZIP):
            yield from _zip_members(file, stream, uri, depth)
        elif file_listing.is_tar(head):
            yield from _tar_members(stream, uri, depth)
        elif (decompressed := _open_decompressor(stream, head, uri)) is not None:
            bounded = cast("IO[bytes]", _BoundedStream(decompressed, stream, uri))
            yield from iter_members(bounded, uri, depth + 1, is_unpacked=True)
        else:
            if not is_unpacked and file_listing.has_wrong_extension(head, uri):
                yield UnreadableError(file_listing.MISNAMED_MESSAGE, uri)
            yield ArchiveMember(uri, cast("IO[bytes]", stream))
    except UnreadableError as error:
        yield error
    except ARCHIVE_ERRORS as error:
        yield broken_archive_error(uri, error)


def broken_archive_error(uri: str, error: Exception) -> UnreadableError:
    reason = str(error) or type(error).__name__
    return UnreadableError(f"is damaged or cannot be read to its end ({reason})", uri)


def _open_decompressor(stream: _PeekableStream, head: bytes, uri: str) -> IO[bytes] | None:
    raw = cast("IO[bytes]", stream)
    if head.startswith(file_listing.GZIP):
        return cast("IO[bytes]", gzip.GzipFile(fileobj=raw))
    if file_listing.is_bzip2(head):
        return cast("IO[bytes]", bz2.BZ2File(raw))
    if head.startswith(file_listing.XZ):
        return cast("IO[bytes]", lzma.LZMAFile(raw))
    if head.startswith(file_listing.ZSTD):
        return _open_zstd(raw, uri)
    return None


def _open_zstd(raw: IO[bytes], uri: str) -> IO[bytes]:
    try:
        import zstandard
    except ImportError:
        raise UnreadableError("is compressed with zstd", uri, "pip install 'deadheat[zstd]' to read it") from None
    return cast("IO[bytes]", _ZstdStream(raw, zstandard))


def _zip_members(
    file: IO[bytes], stream: _PeekableStream, uri: str, depth: int
) -> Iterator[ArchiveMember | UnreadableError]:
    """A zip has its index at the end, so one that comes as a stream is copied to a temporary file."""
    with tempfile.TemporaryFile() as temporary:
        if depth or not file.seekable():
            shutil.copyfileobj(cast("IO[bytes]", stream), temporary, 1 << 20)
            file = temporary
        file.seek(0)
        with zipfile.ZipFile(file) as archive:
            for info in archive.infolist():
                if info.is_dir():
                    continue
                member_uri = f"{uri}!{info.filename}"
                if info.flag_bits & 1:
                    yield UnreadableError("is encrypted, skipped", member_uri)
                    continue
                yield from _nested_members(archive.open, info, info.compress_size, member_uri, depth)


def _nested_members(
    open_member: object, info: object, packed_size: int, member_uri: str, depth: int
) -> Iterator[ArchiveMember | UnreadableError]:
    try:
        with open_member(info) as member:  # type: ignore[operator]
            bounded = _BoundedStream(member, _KnownSize(packed_size), member_uri)
            yield from iter_members(cast("IO[bytes]", bounded), member_uri, depth + 1)
    except UnreadableError as error:
        yield error
    except ARCHIVE_ERRORS as error:
        yield broken_archive_error(member_uri, error)


def _tar_members(stream: _PeekableStream, uri: str, depth: int) -> Iterator[ArchiveMember | UnreadableError]:
    with tarfile.open(fileobj=cast("IO[bytes]", stream), mode="r|") as archive:
        for info in archive:
            if info.issparse():  # its holes may be larger than any disk, and are empty
                parts = cast("list[tuple[int, int]]", info.sparse)
                info.size, info.sparse = sum(size for _, size in parts), None
            # links and devices are not followed: they point at this machine
            if info.isreg() and (member := archive.extractfile(info)) is not None:
                member_uri = f"{uri}!{info.name}"
                pieces = _BoundedStream(member, _KnownSize(info.size), member_uri, tarfile.RECORDSIZE)
                yield from iter_members(cast("IO[bytes]", pieces), member_uri, depth + 1)


class _PeekableStream(io.RawIOBase):
    """A stream whose first bytes can be inspected without consuming them."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._head = b""
        self.bytes_read = 0

    def peek(self, size: int) -> bytes:
        while len(self._head) < size and (block := self._file.read(size - len(self._head))):
            self._head += block
        return self._head

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        if self._head:
            size = len(self._head) if size < 0 else size
            data, self._head = self._head[:size], self._head[size:]
        else:
            data = self._file.read(size)
        self.bytes_read += len(data)
        return data


class _KnownSize:
    """A packed size that is known in advance."""

    def __init__(self, size: int) -> None:
        self.bytes_read = size


class _BoundedStream(io.RawIOBase):
    """Stops reading when the unpacked size exceeds the limits."""

    def __init__(
        self, file: IO[bytes], packed_size: _PeekableStream | _KnownSize, uri: str, read_size: int = _READ_SIZE
    ) -> None:
        self._read_next = getattr(file, "read1", file.read)
        self._packed_size, self._uri, self._read_size = packed_size, uri, read_size
        self._unpacked_size = 0

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        # in pieces, so that data before an error is not lost
        data = self._read_next(min(size, self._read_size) if size >= 0 else self._read_size)
        self._unpacked_size += len(data)
        if self._unpacked_size > _MAX_UNPACKED and self._unpacked_size > _MAX_RATIO * max(
            self._packed_size.bytes_read, 1
        ):
            raise UnreadableError("exceeds the size limit when unpacked, the rest is skipped", self._uri)
        return data


class _ZstdStream(io.RawIOBase):
    """Decompresses consecutive zstd frames; a truncated frame is an error."""

    def __init__(self, file: IO[bytes], zstandard: Any) -> None:
        self._file, self._zstandard = file, zstandard
        self._frame: Any = None
        self._pending = b""

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        while True:
            compressed = self._pending or self._file.read(_READ_SIZE)
            self._pending = b""
            if not compressed:
                if self._frame is not None:
                    raise EOFError("the data is truncated")
                return b""
            if self._frame is None:
                self._frame = self._zstandard.ZstdDecompressor().decompressobj()
            try:
                data: bytes = self._frame.decompress(compressed)
            except self._zstandard.ZstdError as error:
                raise OSError(str(error)) from error
            if self._frame.eof:
                self._pending, self._frame = self._frame.unused_data, None
            if data:
                return data
