"""Reads files, whole or in ranges, packed or not, and yields sightings."""

from __future__ import annotations

import io
import os
import sys
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any, NamedTuple, Protocol, cast

from deadheat import documents
from deadheat.errors import UnreadableError
from deadheat.feeds import magic, walk, written
from deadheat.feeds.blocks import Blocks
from deadheat.feeds.mapped import Mapped
from deadheat.reading import REACH
from deadheat.tested import Ear
from deadheat.text import encoding
from deadheat.text.encoding import PLAIN
from deadheat.text.window import Stream
from deadheat.triage import front_to_back, triage

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from deadheat.model import Document, Sighting

    Seen = Iterator[Sighting | Document | UnreadableError]
    Ticker = Callable[[int], None]

# size from which a file is split, minimum range size, and maximum number of ranges; small ranges
# balance the workers
LARGE, UNIT, _UNITS = 1 << 25, 1 << 22, 64
_LARGEST = 1 << 24


class Wish(NamedTuple):
    """How the sightings of a file are read."""

    full: bool = False  # at least one sighting of each race will be needed in full
    shy: bool = False  # include opt-in detectors
    live: bool = False  # for pipes: do not delay sightings for later input


_ANY = Wish()


class Opened(Protocol):
    """An open file with random access."""

    def fileno(self) -> int: ...
    def seek(self, offset: int, /) -> int: ...
    def tell(self) -> int: ...
    def read(self, size: int, /) -> bytes: ...
    def readinto(self, buffer: memoryview, /) -> int | None: ...


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit of work: a file, or a range of it that begins at `start`."""

    entry: walk.Entry
    start: int = 0
    end: int | None = None

    @property
    def size(self) -> int:
        size = self.entry.size or 0
        return (size if self.end is None else min(self.end, size)) - self.start


def units(entry: walk.Entry) -> list[Unit]:
    """Splits a large plain file into ranges; other files stay whole."""
    size = entry.size or 0
    if size < LARGE or not _is_plain(entry.path):
        return [Unit(entry)]
    step = min(max(UNIT, size // _UNITS), _LARGEST)
    starts = range(0, size, step)
    return [Unit(entry, s, s + step if s + step < size else None) for s in starts]


def _is_plain(path: str) -> bool:
    try:
        with open(path, "rb", buffering=0) as file:
            head = file.read(encoding.HEAD)
    except OSError:
        return False
    return can_be_cut(head, path)


def can_be_cut(head: bytes, uri: str) -> bool:
    """Whether a large file with this head can be read in ranges."""
    if magic.is_packed(head) or magic.is_misnamed(head, uri):
        return False
    if encoding.layout(head) is not encoding.PLAIN:
        return False
    return not documents.may_be(head, "") or not documents.may_be_many(head)


def is_log(head: bytes, uri: str, named: bool) -> bool:
    """Whether a file with this head is plain text and not a bug report."""
    if not can_be_cut(head, uri) or documents.may_be(head, uri):
        return False
    return named or not encoding.is_binary(head)


def sightings(
    unit: Unit, mapped: bool = False, tick: Ticker | None = None, wish: Wish = _ANY
) -> Seen:
    """Yields what a file or range contains. Errors are yielded as values.

    A bug report is yielded as a document, followed by its sightings.
    """
    entry = unit.entry
    if entry.path == "-":
        return _streamed(sys.stdin.fileno(), "-", entry, tick, wish)
    try:
        descriptor = os.open(entry.path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError as error:
        return iter([walk.unreadable(entry.path, error)])
    if unit.start or unit.end is not None:
        return _ranged(descriptor, unit, mapped, tick, wish)
    return _streamed(descriptor, entry.uri, entry, tick, wish)


def _ranged(descriptor: int, unit: Unit, mapped: bool, tick: Ticker | None, wish: Wish) -> Seen:
    start = max(0, unit.start - REACH)
    view: Mapped | None = None
    try:
        if mapped:
            view = Mapped(descriptor, os.fstat(descriptor).st_size, start)
        else:
            os.lseek(descriptor, start, os.SEEK_SET)
        source = view or Stream(_ticking(lambda n: os.read(descriptor, n), tick), start)
        ear = Ear(
            lambda low, high: os.pread(descriptor, high - low, low),
            lambda: (source.buffer, source.base),
        )
        part = (unit.start, unit.end, PLAIN, wish.full, wish.shy)
        yield from map(ear.blamed, triage(source, unit.entry.uri, *part, ear.overhear))
    except (OSError, ValueError) as error:
        yield UnreadableError(str(error), unit.entry.uri)
    finally:
        if view is not None:
            view.close()
        os.close(descriptor)


def _streamed(
    descriptor: int, uri: str, entry: walk.Entry, tick: Ticker | None, wish: Wish
) -> Seen:
    with os.fdopen(descriptor, "rb", buffering=0, closefd=uri != "-") as raw:
        yield from whole(raw, uri, not entry.named, tick, wish)


def whole(
    raw: IO[bytes], uri: str, skip_binary: bool, tick: Ticker | None = None, wish: Wish = _ANY
) -> Seen:
    """Yields what an open file contains."""
    file = _Ticking(raw, tick or (lambda _: None))
    try:
        # returns what a pipe has so far, without waiting for a slow writer
        head = file.read(encoding.HEAD)
    except OSError as error:
        yield walk.unreadable(uri, error)
        return
    if magic.is_packed(head):
        yield from _packed(file, head, uri, wish)
    else:
        if magic.is_misnamed(head, uri):
            yield UnreadableError(magic.MISNAMED, uri)
        yield from _document(uri, head, file.read, skip_binary, wish)


def part(raw: Opened, uri: str, start: int, end: int | None, wish: Wish = _ANY) -> Seen:
    """Yields what begins in `[start, end)` of an open plain file."""
    begin = max(0, start - REACH)
    try:
        raw.seek(begin)
        source = Blocks(raw.readinto, begin)
        ear = Ear(_peek(raw), lambda: (source.buffer, source.base))
        found = triage(source, uri, start, end, PLAIN, wish.full, wish.shy, ear.overhear)
        yield from map(ear.blamed, found)
    except OSError as error:
        yield walk.unreadable(uri, error)


def _peek(raw: Opened) -> Callable[[int, int], bytes]:
    """Returns a function that reads a range of a file in use."""
    try:
        descriptor = raw.fileno()
    except OSError:  # not a local file
        return lambda low, high: _between(raw, low, high)
    return lambda low, high: os.pread(descriptor, high - low, low)


def _between(raw: Opened, low: int, high: int) -> bytes:
    here = raw.tell()
    raw.seek(low)
    data = raw.read(high - low)
    raw.seek(here)
    return data


def _packed(file: _Ticking, head: bytes, uri: str, wish: Wish) -> Seen:
    from deadheat.feeds import archives  # imports five libraries that most runs do not need

    last = ""
    with file.again(head) as packed:
        for member in archives.members(packed, uri):
            if isinstance(member, UnreadableError):
                # an error of a member is often the archive's, which has been reported
                if not last.startswith(f"{member.where}!"):
                    yield member
                last = member.where
                continue
            inside, stream = member
            try:
                head = stream.read(encoding.HEAD)
                yield from _document(inside, head, stream.read, inside != uri, wish)
            except UnreadableError as error:
                yield error
                last = inside
            except archives.BROKEN as error:
                yield archives.broken(inside, error)
                last = inside


def _document(
    uri: str, head: bytes, read: Callable[[int], bytes], skip_binary: bool, wish: Wish
) -> Seen:
    if skip_binary and encoding.is_binary(head):
        return
    try:
        if documents.may_be(head, uri):
            head = written.whole(head, read)
            if (told := written.bug_reports(head, read, uri, wish)) is not None:
                yield from told
                return
        laid = encoding.layout(head[: encoding.HEAD])
        yield from front_to_back(written.after(head, read), uri, laid, *wish)
    except OSError as error:
        yield walk.unreadable(uri, error)


def _ticking(read: Callable[[int], bytes], tick: Ticker | None) -> Callable[[int], bytes]:
    def ticking(size: int) -> bytes:
        data = read(size)
        if tick is not None:
            tick(len(data))
        return data

    return ticking


class _Ticking(io.RawIOBase):
    """A file that reports how much has been read; closing it leaves the file open."""

    def __init__(self, file: IO[bytes], tick: Ticker) -> None:
        self._file, self._tick = file, tick

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
        self._tick(len(data))
        return data

    def readinto(self, buffer: Any, /) -> int:
        data = self.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def again(self, head: bytes) -> IO[bytes]:
        """Returns the same file from its beginning, seekable if possible."""
        if self.seekable():
            self.seek(0)
            return cast("IO[bytes]", io.BufferedReader(self, 1 << 20))
        return cast("IO[bytes]", _Rest(written.after(head, self.read)))


class _Rest(io.RawIOBase):
    """A pipe whose first bytes were read already."""

    def __init__(self, read: Callable[[int], bytes]) -> None:
        self._rest = read

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1, /) -> bytes:
        return self._rest(size if size >= 0 else 1 << 20)
