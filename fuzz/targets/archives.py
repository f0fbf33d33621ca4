"""Archives and compressed files, damaged or built around any content."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import tarfile
from typing import IO, TYPE_CHECKING, cast

import zstandard

from deadheat.errors import UnreadableError
from deadheat.sources.archive_limits import ArchiveLimits
from deadheat.sources.archives import ArchiveMember, iter_members
from fuzz.seeds import clean_reports, pack_tar, pack_zip
from fuzz.targets import FuzzTarget

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

_LIMITS = ArchiveLimits(1 << 20, 50, 1 << 16, 100, 3, 1 << 15, 1 << 14, 10)
_MAX_UNPACKED = 1 << 21
_PACKERS: tuple[Callable[[bytes], bytes], ...] = (
    gzip.compress,
    bz2.compress,
    lzma.compress,
    zstandard.compress,
    lambda content: pack_tar({"a.log": content}),
    lambda content: pack_zip({"a.log": content}),
)
# what a file begins with if it is not plain text
_PACKED = (b"\x1f\x8b", b"BZh", b"\xfd7zXZ", b"\x28\xb5\x2f\xfd", b"PK")


def _read(file: IO[bytes], block_size: int) -> tuple[list[tuple[str, bytes]], int]:
    """The members of an archive, and the number of errors."""
    members, errors = [], 0
    for member in iter_members(file, "a.log", _LIMITS):
        if not isinstance(member, ArchiveMember):
            errors += 1
            continue
        content = bytearray()
        try:
            while block := member.read(block_size):
                content += block
        except UnreadableError:
            errors += 1
        assert len(content) <= _MAX_UNPACKED
        members.append((member.uri, bytes(content)))
    return members, errors


def read_archive(data: bytes) -> None:
    """Members and errors do not depend on the blocks that are read, and are within limits."""
    whole = _read(io.BytesIO(data), 1 << 16)
    assert _read(cast("IO[bytes]", io.BufferedReader(_Trickle(data), 64)), 61) == whole


class _Trickle(io.RawIOBase):
    """A pipe that gives a few bytes at a time."""

    def __init__(self, data: bytes) -> None:
        self._file = io.BytesIO(data)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        data = self._file.read(min(len(buffer), 61))
        buffer[: len(data)] = data
        return len(data)


def read_packed(data: bytes) -> None:
    """The content of an archive in an archive is read as it is."""
    layers, content = data[:2], data[2:]
    if content.startswith(_PACKED) or content[257:262] == b"ustar":
        return
    packed = content
    for layer in layers:
        packed = _PACKERS[layer % len(_PACKERS)](packed)
    members, errors = _read(io.BytesIO(packed), 1 << 16)
    assert [content for _, content in members] == [content], (layers, members)
    assert not errors


def _seeds(pack: Callable[[bytes], bytes]) -> Callable[[], Iterable[bytes]]:
    def read() -> Iterable[bytes]:
        for report in (*clean_reports()[:3], b"", b"x"):
            yield pack(report)
            yield pack(report) * 2

    return read


def _tar_seeds() -> Iterable[bytes]:
    for name_format in (tarfile.PAX_FORMAT, tarfile.GNU_FORMAT, tarfile.USTAR_FORMAT):
        yield pack_tar({"a.log": b"x" * 30, "b/" + "c" * 80 + ".log": b"y"}, name_format)
        yield pack_tar({"é.log": b"", "a": pack_tar({"b": b"c"})}, name_format)


def _zip_seeds() -> Iterable[bytes]:
    for compression in (0, 8, 12, 14):
        yield pack_zip({"a.log": b"x" * 30, "b/c.log": clean_reports()[0]}, compression)
    yield pack_zip({"a.zip": pack_zip({"b": b"c"}), "b.gz": gzip.compress(b"d")})


def _packed_seeds() -> Iterable[bytes]:
    return [bytes((first, second)) + b"some text\n" for first in range(6) for second in range(6)]


TARGETS = (
    FuzzTarget("gzip", read_archive, _seeds(gzip.compress)),
    FuzzTarget("bzip2", read_archive, _seeds(bz2.compress)),
    FuzzTarget("xz", read_archive, _seeds(lzma.compress)),
    FuzzTarget("zstd", read_archive, _seeds(zstandard.compress)),
    FuzzTarget("tar", read_archive, _tar_seeds, (), 3, 1 << 13),
    FuzzTarget("zip", read_archive, _zip_seeds, (), 3),
    FuzzTarget("archive-content", read_packed, _packed_seeds),
)
