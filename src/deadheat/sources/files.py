"""Opens files, whole or in ranges, packed or not, and yields their documents."""

from __future__ import annotations

import io
import mmap
import os
import sys
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any, ParamSpec, Protocol, TypeVar, cast

from deadheat import bug_reports
from deadheat.errors import UnreadableError, unexpected_fault
from deadheat.sources import file_listing
from deadheat.text import decoding
from deadheat.text.window import DocumentRange, OpenedDocument, prepend_bytes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from deadheat.sources.archive_limits import ArchiveLimits

    SourceDocuments = Iterator[OpenedDocument | DocumentRange | UnreadableError]

    ProgressCallback = Callable[[int], None]

_Arguments = ParamSpec("_Arguments")
_Result = TypeVar("_Result")

BUFFER_SIZE = 1 << 19  # fits into the cache of a core: four times as much is 20 % slower


class ReusedBufferSource:
    """The bytes of a file that is positioned at `base`.

    As fast as mapping it, because no memory is allocated per read. A file that shrinks while it is
    read just ends.
    """

    def __init__(self, read_into: Callable[[memoryview], int | None], base: int = 0, size: int = BUFFER_SIZE) -> None:
        self._read_into, self._size = read_into, size
        self._memory: mmap.mmap | None = None
        self.error: UnreadableError | None = None
        self.base = base
        self.buffer: mmap.mmap | bytes = b""

    def read_more(self, keep: int) -> bool:
        end = self.base + len(self.buffer)
        kept_size = max(0, min(end - keep, len(self.buffer)))
        memory = self._shift_buffer(kept_size)
        with memoryview(memory) as view, view[kept_size:] as free_space:
            count = self._read_free_space(free_space)
        self.base = end - kept_size
        filled = kept_size + count
        # only the last read is shorter than the buffer
        self.buffer = memory if filled == len(memory) else memory[:filled]
        return count > 0

    def _read_free_space(self, free_space: memoryview) -> int:
        """Reads once. An error is kept, and looks like the end of the file."""
        try:
            return 0 if self.error else self._read_into(free_space) or 0
        except UnreadableError as error:
            self.error = error
            return 0

    def _shift_buffer(self, kept_size: int) -> mmap.mmap:
        """Returns a buffer that begins with the last `kept_size` bytes, with as much free space."""
        memory, kept_start = self._memory, len(self.buffer) - kept_size
        if memory is not None and 2 * kept_size <= len(memory):
            if self.buffer is memory:
                memory.move(0, kept_start, kept_size)
            else:
                memory[:kept_size] = self.buffer[kept_start:]
            return memory
        # anonymous memory, which slices as bytes
        self._memory = memory = mmap.mmap(-1, max(self._size, 2 * kept_size))
        memory[:kept_size] = self.buffer[kept_start:]
        return memory


# size from which a file is split, minimum range size, and maximum number of ranges; small ranges
# balance the workers
LARGE_FILE, MIN_RANGE, _MAX_RANGES = 1 << 25, 1 << 22, 64
_MAX_RANGE = 1 << 24


class SeekableFile(Protocol):
    """An open file with random access."""

    def fileno(self) -> int: ...
    def seek(self, offset: int, /) -> int: ...
    def tell(self) -> int: ...
    def read(self, size: int, /) -> bytes: ...
    def readinto(self, buffer: memoryview, /) -> int | None: ...


@dataclass(frozen=True, slots=True)
class FileRange:
    """A unit of work: a file, or a range of it that begins at `start`."""

    entry: file_listing.FileEntry
    start: int = 0
    end: int | None = None

    @property
    def size(self) -> int:
        size = self.entry.size or 0
        return (size if self.end is None else min(self.end, size)) - self.start


def split_into_ranges(entry: file_listing.FileEntry) -> list[FileRange]:
    """Splits a large plain file into ranges; other files stay whole."""
    size = entry.size or 0
    if size < LARGE_FILE or not _can_split_file(entry.path):
        return [FileRange(entry)]
    range_size = min(max(MIN_RANGE, size // _MAX_RANGES), _MAX_RANGE)
    starts = range(0, size, range_size)
    return [
        FileRange(entry, range_start, range_start + range_size if range_start + range_size < size else None)
        for range_start in starts
    ]


def _can_split_file(path: str) -> bool:
    try:
        with open(path, "rb", buffering=0) as file:
            head = file.read(decoding.HEAD_SIZE)
    except OSError:
        return False
    return can_be_split(head, path)


def can_be_split(head: bytes, uri: str) -> bool:
    """Whether a large file with this head can be read in ranges."""
    if file_listing.is_packed_file(head) or file_listing.has_wrong_extension(head, uri):
        return False
    if decoding.detect_layout(head) is not decoding.SINGLE_BYTE:
        return False
    return not bug_reports.may_be_bug_report(head, "") or not bug_reports.may_be_bulk_export(head)


def is_plain_log(head: bytes, uri: str, is_explicit: bool) -> bool:
    """Whether a file with this head, which can be split, is text and not a bug report."""
    return not bug_reports.may_be_bug_report(head, uri) and (is_explicit or not decoding.is_binary(head))


def open_documents(
    file_range: FileRange, on_progress: ProgressCallback | None = None, limits: ArchiveLimits | None = None
) -> SourceDocuments:
    """Yields the documents in a file, or the range of it. Errors are yielded as values.

    Each document must be read before the next one is asked for.
    """
    entry = file_range.entry
    try:
        opened = entry.content or _open_unbuffered(entry.path)
    except OSError as error:
        yield file_listing.unreadable_error(entry.path, error)
        return
    with opened as raw:
        file = _ProgressFile(raw, on_progress or (lambda _: None))
        if file_range.start or file_range.end is not None:
            yield open_range(file, entry.uri, file_range.start, file_range.end)
            return
        try:
            yield from documents_in_file(cast("IO[bytes]", file), entry.uri, not entry.is_explicit, limits)
        except Exception as error:  # noqa: BLE001, other files are read
            yield unexpected_fault(error, entry.uri)


def _open_unbuffered(path: str) -> IO[bytes]:
    if path == "-":
        return os.fdopen(sys.stdin.fileno(), "rb", buffering=0, closefd=False)
    return os.fdopen(os.open(path, os.O_RDONLY | os.O_CLOEXEC), "rb", buffering=0)


def open_range(raw: SeekableFile, uri: str, start: int, end: int | None) -> DocumentRange:
    """The range `[start, end)` of an open plain file."""

    def open_at(offset: int) -> ReusedBufferSource:
        raw.seek(offset)
        return ReusedBufferSource(_convert_errors(raw.readinto, uri), offset)

    return DocumentRange(uri, start, end, _convert_errors(open_at, uri), _convert_errors(_range_reader(raw), uri))


def _range_reader(raw: SeekableFile) -> Callable[[int, int], bytes]:
    """Returns a function that reads a range of a file in use."""
    try:
        descriptor = raw.fileno()
    except OSError:  # not a local file
        return lambda low, high: _read_between(raw, low, high)
    return lambda low, high: os.pread(descriptor, high - low, low)


def _read_between(raw: SeekableFile, low: int, high: int) -> bytes:
    position = raw.tell()
    raw.seek(low)
    data = raw.read(high - low)
    raw.seek(position)
    return data


def documents_in_file(
    raw: IO[bytes], uri: str, skip_binary: bool, limits: ArchiveLimits | None = None
) -> SourceDocuments:
    """Yields the documents in an open file: the file itself, or the members of an archive."""
    read = _convert_errors(raw.read, uri)
    try:
        # returns what a pipe has so far, without waiting for a slow writer
        head = read(decoding.HEAD_SIZE)
    except UnreadableError as error:
        yield error
        return
    if file_listing.is_packed_file(head):
        yield from _documents_in_archive(raw, head, uri, limits)
        return
    if file_listing.has_wrong_extension(head, uri):
        yield UnreadableError(file_listing.MISNAMED_MESSAGE, uri)
    if not (skip_binary and decoding.is_binary(head)):
        yield OpenedDocument(uri, head, read)


def _documents_in_archive(raw: IO[bytes], head: bytes, uri: str, limits: ArchiveLimits | None) -> SourceDocuments:
    from deadheat.sources import archives  # imports five libraries that most runs do not need
    from deadheat.sources.archive_limits import DEFAULT_LIMITS

    failed = ""  # the last member or archive with an error
    with _from_start(raw, head) as archive_file:
        for member in archives.iter_members(archive_file, uri, limits or DEFAULT_LIMITS):
            if isinstance(member, UnreadableError):
                # an error of a member is often the archive's, which has been reported
                if not failed.startswith(f"{member.where}!"):
                    yield member
                failed = member.where
                continue
            try:
                head = member.read(decoding.HEAD_SIZE)
            except UnreadableError as error:
                yield error
            else:
                if member.uri == uri or not decoding.is_binary(head):
                    yield OpenedDocument(member.uri, head, member.read)
            failed = member.uri if member.failed else failed


def _from_start(raw: IO[bytes], head: bytes) -> IO[bytes]:
    """Returns the same file from its beginning, seekable if possible; closing it leaves the file open."""
    if raw.seekable():
        raw.seek(0)
        return cast("IO[bytes]", io.BufferedReader(_ProgressFile(raw, lambda _: None), 1 << 20))
    return cast("IO[bytes]", _PrefixedPipe(prepend_bytes(head, raw.read)))


def _convert_errors(function: Callable[_Arguments, _Result], uri: str) -> Callable[_Arguments, _Result]:
    """Returns a function that raises UnreadableError in place of OSError."""

    def call(*args: _Arguments.args, **kwargs: _Arguments.kwargs) -> _Result:
        try:
            return function(*args, **kwargs)
        except OSError as error:
            raise file_listing.unreadable_error(uri, error) from error

    return call


class _ProgressFile(io.RawIOBase):
    """A file that reports how much has been read; closing it leaves the file open."""

    def __init__(self, file: IO[bytes], on_progress: ProgressCallback) -> None:
        self._file, self._on_progress = file, on_progress

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return self._file.seekable()

    def seek(self, offset: int, whence: int = 0, /) -> int:
        return self._file.seek(offset, whence)

    def tell(self) -> int:
        return self._file.tell()

    def read(self, size: int = -1, /) -> bytes:
        data = self._file.read(size)
        self._on_progress(len(data))
        return data

    def fileno(self) -> int:
        return self._file.fileno()

    def readinto(self, buffer: Any, /) -> int:
        count: int = self._file.readinto(buffer) or 0  # type: ignore[attr-defined]
        self._on_progress(count)
        return count


class _PrefixedPipe(io.RawIOBase):
    """A pipe whose first bytes were read already."""

    def __init__(self, read: Callable[[int], bytes]) -> None:
        self._read_rest = read

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1, /) -> bytes:
        return self._read_rest(size if size >= 0 else 1 << 20)
