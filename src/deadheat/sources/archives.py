"""Reads compressed files and archives as streams, within limits; only nested zips are copied to disk."""

from __future__ import annotations

import io
import os
import tarfile
import tempfile
import zipfile
import zlib
from typing import IO, TYPE_CHECKING, Any, Self, cast

from deadheat.errors import UnreadableError
from deadheat.sources import file_listing
from deadheat.sources.archive_limits import (
    DEFAULT_LIMITS,
    ArchiveAccount,
    ArchiveLimits,
    format_size,
    higher_limit_hint,
)
from deadheat.sources.decompression import MAX_OUTPUT, open_decompressor

if TYPE_CHECKING:
    from collections.abc import Iterator

    ArchiveItems = Iterator["ArchiveMember | UnreadableError"]

# LZMA data in a zip may ask for a dictionary as large as the member
_MAX_LZMA_MEMBER = 1 << 28
# how often a reader of a tar may meet the end of the file: it looks for the next header, then gives up
_MAX_EMPTY_READS = 3


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
        except Exception as error:
            self.failed = True
            raise broken_archive_error(self.uri, error) from error


def iter_members(file: IO[bytes], uri: str, limits: ArchiveLimits = DEFAULT_LIMITS) -> ArchiveItems:
    """Yields the documents in a file: the file itself, or the members of an archive, to be read at once.

    Whatever is wrong with an archive is yielded as an error, and members before that are read.
    """
    account = ArchiveAccount(limits, _size_of(file))
    yield from _members_of_file(file, uri, account, 0)


def _size_of(file: IO[bytes]) -> int | None:
    """The size of a file that can be positioned; it is positioned at its beginning."""
    if not file.seekable():
        return None
    size = file.seek(0, os.SEEK_END)
    file.seek(0)
    return size


def _members_of_file(
    file: IO[bytes], uri: str, account: ArchiveAccount, depth: int, is_unpacked: bool = False
) -> ArchiveItems:
    """`is_unpacked` means that the file was compressed and keeps the compressed name."""
    stream = _PeekableStream(file, account if depth == 0 else None)
    head = stream.peek(file_listing.SIGNATURE_SIZE)
    try:
        if depth >= account.limits.depth and file_listing.is_packed_file(head):
            what = f"is nested more than {account.limits.depth} archives deep, skipped"
            yield UnreadableError(what, uri, higher_limit_hint("depth", account.limits.depth * 2))
        elif head.startswith(file_listing.ZIP):
            yield from _zip_members(file, stream, uri, account, depth)
        elif file_listing.is_tar(head):
            yield from _tar_members(stream, uri, account, depth)
        elif (decompressed := open_decompressor(cast("IO[bytes]", stream), head, uri)) is not None:
            counted = cast("IO[bytes]", _UnpackedStream(cast("IO[bytes]", decompressed), account, uri))
            yield from _members_of_file(counted, uri, account, depth + 1, is_unpacked=True)
        else:
            if not is_unpacked and file_listing.has_wrong_extension(head, uri):
                yield UnreadableError(file_listing.MISNAMED_MESSAGE, uri)
            yield ArchiveMember(uri, cast("IO[bytes]", stream))
    except UnreadableError as error:
        yield error
    except Exception as error:  # noqa: BLE001, a damaged archive raises nearly anything
        yield broken_archive_error(uri, error)


def broken_archive_error(uri: str, error: Exception) -> UnreadableError:
    reason = str(error) or type(error).__name__
    return UnreadableError(f"is damaged or cannot be read to its end ({reason})", uri)


def _zip_members(
    file: IO[bytes], stream: _PeekableStream, uri: str, account: ArchiveAccount, depth: int
) -> ArchiveItems:
    """A zip has its index at the end, so one that comes as a stream is copied to a temporary file."""
    with tempfile.TemporaryFile() as temporary:
        if depth or not file.seekable():
            _copy_to_temporary(stream, temporary, uri, account, depth)
            file = temporary
        file.seek(0)
        bounded = cast("IO[bytes]", _DirectoryLimitedFile(file, uri, account))
        with zipfile.ZipFile(bounded) as archive:
            for info in archive.infolist():
                if account.is_exhausted:
                    return
                if info.is_dir():
                    continue
                member_uri = f"{uri}!{info.filename}"
                account.add_member(member_uri)
                if info.flag_bits & 1:
                    yield UnreadableError("is encrypted, skipped", member_uri)
                elif info.compress_type == zipfile.ZIP_LZMA and info.file_size > _MAX_LZMA_MEMBER:
                    yield UnreadableError("is compressed with LZMA and too large for it, skipped", member_uri)
                else:
                    yield from _zip_member(archive, info, member_uri, account, depth)


def _copy_to_temporary(
    stream: _PeekableStream, temporary: IO[bytes], uri: str, account: ArchiveAccount, depth: int
) -> None:
    limit, copied = account.limits.temporary, 0
    while block := stream.read(1 << 16):
        copied += len(block)
        if depth and copied > limit:
            what = f"is a zip of more than {format_size(limit)} in an archive, skipped"
            raise UnreadableError(what, uri, higher_limit_hint("temporary", limit * 8))
        try:
            temporary.write(block)
        except OSError as error:
            what = f"cannot be copied to {tempfile.gettempdir()} ({(error.strerror or str(error)).lower()}), skipped"
            raise UnreadableError(what, uri, "free space there or set TMPDIR") from error


def _zip_member(
    archive: zipfile.ZipFile, info: zipfile.ZipInfo, member_uri: str, account: ArchiveAccount, depth: int
) -> ArchiveItems:
    checksum = info.CRC
    del info.CRC  # the library would check it, and lose the last block of a damaged member
    try:
        with archive.open(info) as member:
            counted = cast("IO[bytes]", _UnpackedStream(member, account, member_uri, checksum))
            yield from _members_of_file(counted, member_uri, account, depth + 1)
    except UnreadableError as error:
        yield error
    except Exception as error:  # noqa: BLE001, the next member may be readable
        yield broken_archive_error(member_uri, error)


def _tar_members(stream: _PeekableStream, uri: str, account: ArchiveAccount, depth: int) -> ArchiveItems:
    tar_file = _TarFile(stream, uri, account)
    with tarfile.open(fileobj=cast("IO[bytes]", tar_file), mode="r|", tarinfo=_TarHeader) as archive:
        while (info := tar_file.next_member(archive)) is not None:
            member_uri = f"{uri}!{info.name}"
            account.add_member(member_uri)
            # links and devices are not followed: they point at this machine
            if info.isreg():
                member = cast("IO[bytes]", _TarMember(archive, info, tar_file))
                yield from _members_of_file(member, member_uri, account, depth + 1)
            if account.is_exhausted:
                return
        if tar_file.error is not None:
            raise tar_file.error


class _TarHeader(tarfile.TarInfo):
    """A header; a damaged one is an error, and not the end of the archive."""

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> Self:
        try:
            return super().frombuf(buf, encoding, errors)
        except tarfile.HeaderError as error:
            if buf.strip(b"\0"):
                raise tarfile.ReadError("the header of a member is damaged") from error
            raise


class _TarFile(io.RawIOBase):
    """The file below a tar reader. It bounds headers, and seeks beyond the end of the file.

    The reader loses what it has read when this file raises, so an error looks like the end of the file.
    """

    def __init__(self, stream: _PeekableStream, uri: str, account: ArchiveAccount) -> None:
        self._stream, self._uri, self._account = stream, uri, account
        self.error: Exception | None = None
        self._header_size, self._empty_reads = 0, 0
        self._reads_header = True  # `tarfile.open` reads the first one

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1, /) -> bytes:
        self._account.check_time(self._uri)
        data = b""
        try:
            data = self._stream.read(size) if self.error is None else b""
        except Exception as error:  # noqa: BLE001, raised by the member or after the last one
            self.error = error
        if self._reads_header:
            self._header_size += len(data)
            # the reader is ahead by a record
            if self._header_size > self._account.limits.header + 2 * tarfile.RECORDSIZE:
                what = f"has headers of more than {format_size(self._account.limits.header)} before a member"
                self._account.fail(what, self._uri, "header", self._account.limits.header * 8)
        if not data:
            self._empty_reads += 1
            if self._empty_reads > _MAX_EMPTY_READS:
                raise self.error or EOFError("the data is cut off")
        return data

    def next_member(self, archive: tarfile.TarFile) -> tarfile.TarInfo | None:
        """Reads the next header. The content of the last member is skipped first, which is not limited."""
        self._reads_header = False
        reader: Any = archive  # some of its attributes are not in the type stubs
        if reader.firstmember is None and reader.fileobj.tell() < reader.offset - 1:
            reader.fileobj.seek(reader.offset - 1)
        self._reads_header, self._header_size = True, 0
        info = archive.next()
        self._reads_header = False
        reader.members = []  # they would be kept for random access
        return info


class _TarMember(io.RawIOBase):
    """The content of the member whose header was read last; of a sparse file, what is not a hole."""

    def __init__(self, archive: tarfile.TarFile, info: tarfile.TarInfo, tar_file: _TarFile) -> None:
        self._file, self._tar_file = cast("IO[bytes]", archive.fileobj), tar_file
        # holes may be larger than any disk, and are empty
        parts = cast("list[tuple[int, int]] | None", info.sparse)
        self._left = info.size if parts is None else sum(size for _, size in parts)

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1, /) -> bytes:
        wanted = min(tarfile.RECORDSIZE if size < 0 else size, tarfile.RECORDSIZE, self._left)
        data = self._file.read(wanted)
        self._left -= len(data)
        if wanted and not data:
            raise self._tar_file.error or EOFError("the data is cut off")
        return data


class _PeekableStream(io.RawIOBase):
    """A stream whose first bytes can be inspected without consuming them.

    An error is raised once the bytes before it have been read.
    """

    def __init__(self, file: IO[bytes], account: ArchiveAccount | None) -> None:
        self._file, self._account = file, account
        self._head = b""
        self._error: Exception | None = None

    def peek(self, size: int) -> bytes:
        try:
            while len(self._head) < size and (block := self._file.read(size - len(self._head))):
                self._head += block
        except Exception as error:  # noqa: BLE001, raised by `read`
            self._error = error
        return self._head

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        if self._head:
            size = len(self._head) if size < 0 else size
            data, self._head = self._head[:size], self._head[size:]
        elif self._error is not None:
            raise self._error
        else:
            data = self._file.read(size)
        if self._account is not None:
            self._account.add_packed(len(data))
        return data


class _UnpackedStream(io.RawIOBase):
    """Counts and checks what was decompressed. Reads in pieces, so that data before an error is not lost."""

    def __init__(self, file: IO[bytes], account: ArchiveAccount, uri: str, checksum: int | None = None) -> None:
        self._read_next = getattr(file, "read1", file.read)
        self._account, self._uri = account, uri
        self._expected_checksum, self._checksum = checksum, 0

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        data: bytes = self._read_next(min(size, MAX_OUTPUT) if size >= 0 else MAX_OUTPUT)
        self._account.add_unpacked(len(data), self._uri)
        if self._expected_checksum is not None:
            self._checksum = zlib.crc32(data, self._checksum)
            if size and not data and self._checksum != self._expected_checksum:
                raise OSError("its checksum is wrong")
        return data


class _DirectoryLimitedFile(io.RawIOBase):
    """A zip whose directory, which is read at once, has a limited size."""

    def __init__(self, file: IO[bytes], uri: str, account: ArchiveAccount) -> None:
        self._file, self._uri, self._account = file, uri, account

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = 0, /) -> int:
        return self._file.seek(offset, whence)

    def tell(self) -> int:
        return self._file.tell()

    def read(self, size: int = -1, /) -> bytes:
        limit = self._account.limits.directory
        if size > limit:
            what = f"has a directory of {format_size(size)}, more than {format_size(limit)}"
            self._account.fail(what, self._uri, "directory", size)
        return self._file.read(size)
