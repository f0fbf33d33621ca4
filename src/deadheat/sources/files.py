"""Reads files, whole or in ranges, packed or not, and yields sightings."""

from __future__ import annotations

import io
import mmap
import os
import sys
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any, NamedTuple, Protocol, cast

from deadheat import bug_reports
from deadheat.api import read_sequentially, read_sightings
from deadheat.errors import UnreadableError
from deadheat.parsing.report_reader import RANGE_OVERLAP
from deadheat.parsing.test_events import GoTestAttributor
from deadheat.sources import bulk_issues, file_listing
from deadheat.text import decoding
from deadheat.text.decoding import SINGLE_BYTE
from deadheat.text.window import StreamSource

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from deadheat.model import Document, Sighting

    SourceItems = Iterator[Sighting | Document | UnreadableError]

    ProgressCallback = Callable[[int], None]


BUFFER_SIZE = 1 << 21


class ReusedBufferSource:
    """The bytes of a file that is positioned at `base`.

    As fast as mapping it, because no memory is allocated per read. A file that shrinks while it is
    read just ends.
    """

    def __init__(self, read_into: Callable[[memoryview], int | None], base: int = 0, size: int = BUFFER_SIZE) -> None:
        self._read_into, self._size = read_into, size
        self._memory: mmap.mmap | None = None
        self.base = base
        self.buffer: mmap.mmap | bytes = b""

    def read_more(self, keep: int) -> bool:
        end = self.base + len(self.buffer)
        kept_size = max(0, min(end - keep, len(self.buffer)))
        memory = self._shift_buffer(kept_size)
        with memoryview(memory) as view, view[kept_size:] as free_space:
            count = self._read_into(free_space) or 0
        self.base = end - kept_size
        filled = kept_size + count
        # only the last read is shorter than the buffer
        self.buffer = memory if filled == len(memory) else memory[:filled]
        return count > 0

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


class ReadOptions(NamedTuple):
    """How the sightings of a file are read."""

    opt_in: bool = False  # include opt-in detectors
    live: bool = False  # for pipes: do not delay sightings for later input


_DEFAULT_OPTIONS = ReadOptions()


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
    """Whether a file with this head is plain text and not a bug report."""
    if not can_be_split(head, uri) or bug_reports.may_be_bug_report(head, uri):
        return False
    return is_explicit or not decoding.is_binary(head)


def read_unit_sightings(
    file_range: FileRange, on_progress: ProgressCallback | None = None, options: ReadOptions = _DEFAULT_OPTIONS
) -> SourceItems:
    """Yields what a file or range contains. Errors are yielded as values.

    A bug report is yielded as a document, followed by its sightings.
    """
    entry = file_range.entry
    if entry.path == "-":
        return _read_stream(sys.stdin.fileno(), "-", entry, on_progress, options)
    try:
        descriptor = os.open(entry.path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError as error:
        return iter([file_listing.unreadable_error(entry.path, error)])
    if file_range.start or file_range.end is not None:
        return _read_range(descriptor, file_range, on_progress, options)
    return _read_stream(descriptor, entry.uri, entry, on_progress, options)


def _read_range(
    descriptor: int, file_range: FileRange, on_progress: ProgressCallback | None, options: ReadOptions
) -> SourceItems:
    start = max(0, file_range.start - RANGE_OVERLAP)
    try:
        os.lseek(descriptor, start, os.SEEK_SET)
        source = StreamSource(_with_progress(lambda n: os.read(descriptor, n), on_progress), start)
        attributor = GoTestAttributor(
            lambda low, high: os.pread(descriptor, high - low, low), lambda: (source.buffer, source.base)
        )
        arguments = (file_range.start, file_range.end, SINGLE_BYTE, options.opt_in)
        yield from map(
            attributor.attribute_tests,
            read_sightings(source, file_range.entry.uri, *arguments, attributor.add_phrase_offsets),
        )
    except (OSError, ValueError) as error:
        yield UnreadableError(str(error), file_range.entry.uri)
    finally:
        os.close(descriptor)


def _read_stream(
    descriptor: int, uri: str, entry: file_listing.FileEntry, on_progress: ProgressCallback | None, options: ReadOptions
) -> SourceItems:
    with os.fdopen(descriptor, "rb", buffering=0, closefd=uri != "-") as raw:
        yield from read_whole_file(raw, uri, not entry.is_explicit, on_progress, options)


def read_whole_file(
    raw: IO[bytes],
    uri: str,
    skip_binary: bool,
    on_progress: ProgressCallback | None = None,
    options: ReadOptions = _DEFAULT_OPTIONS,
) -> SourceItems:
    """Yields what an open file contains."""
    file = _ProgressFile(raw, on_progress or (lambda _: None))
    try:
        # returns what a pipe has so far, without waiting for a slow writer
        head = file.read(decoding.HEAD_SIZE)
    except OSError as error:
        yield file_listing.unreadable_error(uri, error)
        return
    if file_listing.is_packed_file(head):
        yield from _read_archive(file, head, uri, options)
    else:
        if file_listing.has_wrong_extension(head, uri):
            yield UnreadableError(file_listing.MISNAMED_MESSAGE, uri)
        yield from _read_document(uri, head, file.read, skip_binary, options)


def read_file_part(
    raw: SeekableFile, uri: str, start: int, end: int | None, options: ReadOptions = _DEFAULT_OPTIONS
) -> SourceItems:
    """Yields what begins in `[start, end)` of an open plain file."""
    read_start = max(0, start - RANGE_OVERLAP)
    try:
        raw.seek(read_start)
        source = ReusedBufferSource(raw.readinto, read_start)
        attributor = GoTestAttributor(_range_reader(raw), lambda: (source.buffer, source.base))
        sightings = read_sightings(source, uri, start, end, SINGLE_BYTE, options.opt_in, attributor.add_phrase_offsets)
        yield from map(attributor.attribute_tests, sightings)
    except OSError as error:
        yield file_listing.unreadable_error(uri, error)


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


def _read_archive(file: _ProgressFile, head: bytes, uri: str, options: ReadOptions) -> SourceItems:
    from deadheat.sources import archives  # imports five libraries that most runs do not need

    last = ""
    with file.from_start(head) as archive_file:
        for member in archives.iter_members(archive_file, uri):
            if isinstance(member, UnreadableError):
                # an error of a member is often the archive's, which has been reported
                if not last.startswith(f"{member.where}!"):
                    yield member
                last = member.where
                continue
            member_uri, stream = member
            try:
                head = stream.read(decoding.HEAD_SIZE)
                yield from _read_document(member_uri, head, stream.read, member_uri != uri, options)
            except UnreadableError as error:
                yield error
                last = member_uri
            except archives.ARCHIVE_ERRORS as error:
                yield archives.broken_archive_error(member_uri, error)
                last = member_uri


def _read_document(
    uri: str, head: bytes, read: Callable[[int], bytes], skip_binary: bool, options: ReadOptions
) -> SourceItems:
    if skip_binary and decoding.is_binary(head):
        return
    try:
        if bug_reports.may_be_bug_report(head, uri):
            head = bulk_issues.read_to_limit(head, read)
            if (items := bulk_issues.read_bug_report_file(head, read, uri, options)) is not None:
                yield from items
                return
        layout = decoding.detect_layout(head[: decoding.HEAD_SIZE])
        yield from read_sequentially(bulk_issues.prepend_bytes(head, read), uri, layout, *options)
    except OSError as error:
        yield file_listing.unreadable_error(uri, error)


def _with_progress(read: Callable[[int], bytes], on_progress: ProgressCallback | None) -> Callable[[int], bytes]:
    def read_with_progress(size: int) -> bytes:
        data = read(size)
        if on_progress is not None:
            on_progress(len(data))
        return data

    return read_with_progress


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

    def readinto(self, buffer: Any, /) -> int:
        data = self.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def from_start(self, head: bytes) -> IO[bytes]:
        """Returns the same file from its beginning, seekable if possible."""
        if self.seekable():
            self.seek(0)
            return cast("IO[bytes]", io.BufferedReader(self, 1 << 20))
        return cast("IO[bytes]", _PrefixedPipe(bulk_issues.prepend_bytes(head, self.read)))


class _PrefixedPipe(io.RawIOBase):
    """A pipe whose first bytes were read already."""

    def __init__(self, read: Callable[[int], bytes]) -> None:
        self._read_rest = read

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1, /) -> bytes:
        return self._read_rest(size if size >= 0 else 1 << 20)
