"""Files that try to hang a reader, exhaust its memory or end it, with what is expected of each."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import os
import struct
import tarfile
import zipfile
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

import zstandard

from tests.cases import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable

REPORT = (ROOT / "go" / "two-goroutines.txt").read_bytes()
_RECORD = tarfile.RECORDSIZE
_ZERO_MEBIBYTES = 64


@dataclass(frozen=True)
class HostileInput:
    """A file, the reports that can be read from it, and a part of what is said about it."""

    build: Callable[[], bytes]
    message: str
    reports: int = 0


def gzip_zeros(mebibytes: int) -> bytes:
    """Gzip members that unpack to zeros."""
    return gzip.compress(bytes(_ZERO_MEBIBYTES << 20), 1) * (mebibytes // _ZERO_MEBIBYTES)


def tar_header(name: str, size: int, kind: bytes = tarfile.REGTYPE) -> bytes:
    info = tarfile.TarInfo(name)
    info.size, info.type = size, kind
    return info.tobuf(tarfile.GNU_FORMAT)


def tar_member(name: str, data: bytes, kind: bytes = tarfile.REGTYPE) -> bytes:
    return tar_header(name, len(data), kind) + data + bytes(-len(data) % tarfile.BLOCKSIZE)


def tar_gz_with_header_of(kind: bytes, mebibytes: int) -> bytes:
    """A tar whose first member is a header of that size, before a report."""
    header = gzip.compress(tar_header("a.log", mebibytes << 20, kind))
    return header + gzip_zeros(mebibytes) + gzip.compress(tar_member("report.log", REPORT))


def deflate_zeros(mebibytes: int) -> bytes:
    compressor = zlib.compressobj(9, wbits=-15)
    compressor.compress(b"")
    block = compressor.compress(bytes(_ZERO_MEBIBYTES << 20)) + compressor.flush(zlib.Z_FULL_FLUSH)
    return block * (mebibytes // _ZERO_MEBIBYTES) + compressor.flush()


def zip_with_member(name: bytes, compressed: bytes, size: int) -> bytes:
    """A zip with a member that claims a size; its checksum is wrong."""
    sizes = struct.pack("<LLL", 0, len(compressed), min(size, 0xFFFFFFFE))
    local = b"PK\3\4" + struct.pack("<HHHHH", 20, 0, 8, 0, 33) + sizes + struct.pack("<HH", len(name), 0) + name
    entry = b"PK\1\2" + struct.pack("<HHHHHH", 20, 20, 0, 8, 0, 33) + sizes
    entry += struct.pack("<HHHHHLL", len(name), 0, 0, 0, 0, 0, 0) + name
    start = len(local) + len(compressed)
    end = b"PK\5\6" + struct.pack("<HHHHLLH", 0, 0, 1, 1, len(entry), start, 0)
    return local + compressed + entry + end


def zip_in_zip() -> bytes:
    """A zip that unpacks to 6 GiB, in a zip."""
    inner = zip_with_member(b"a.log", b"", 0)[:64]
    compressor = zlib.compressobj(9, wbits=-15)
    head = compressor.compress(inner) + compressor.flush(zlib.Z_FULL_FLUSH)
    return zip_with_member(b"inner.zip", head + deflate_zeros(6 << 10), 6 << 30)


def zip_with_overlapping_members(count: int) -> bytes:
    """A zip of which all members are the same bytes, 16 MiB each."""
    compressor = zlib.compressobj(9, wbits=-15)
    data = bytes(16 << 20)
    compressed = compressor.compress(data) + compressor.flush()
    sizes = struct.pack("<LLL", zlib.crc32(data), len(compressed), len(data))
    local = b"PK\3\4" + struct.pack("<HHHHH", 20, 0, 8, 0, 33) + sizes + struct.pack("<HH", 5, 0) + b"a.log"
    entry = b"PK\1\2" + struct.pack("<HHHHHH", 20, 20, 0, 8, 0, 33) + sizes
    entry += struct.pack("<HHHHHLL", 5, 0, 0, 0, 0, 0, 0) + b"a.log"
    start = len(local) + len(compressed)
    end = b"PK\5\6" + struct.pack("<HHHHLLH", 0, 0, count, count, len(entry) * count, start, 0)
    return local + compressed + entry * count + end


def zip_with_large_directory() -> bytes:
    entry = b"PK\1\2" + bytes(24) + struct.pack("<HHHHHLL", 5, 60_000, 0, 0, 0, 0, 0) + b"a.log" + bytes(60_000)
    end = b"PK\5\6" + struct.pack("<HHHHLLH", 0, 0, 200, 200, len(entry) * 200, 4, 0)
    return b"PK\3\4" + entry * 200 + end


def nested_messages(count: int) -> bytes:
    """A mail in a mail in a mail."""
    part = b"Subject: race\nMessage-ID: <1@example.com>\nContent-Type: message/rfc822\n\n"
    return part * count + b"Subject: race\n\n" + REPORT


def nested_multipart(count: int) -> bytes:
    parts = [
        b'Subject: race\nMessage-ID: <1@example.com>\nContent-Type: multipart/mixed; boundary="%d"\n\n--%d\n' % (n, n)
        for n in range(count)
    ]
    return b"".join(parts) + b"Content-Type: text/plain\n\n" + REPORT


def _sparse_header() -> bytes:
    """A GNU sparse member whose list of holes never ends."""
    info = tarfile.TarInfo("a.log")
    info.type = tarfile.GNUTYPE_SPARSE
    header = bytearray(info.tobuf(tarfile.GNU_FORMAT))
    header[386:482] = b"00000000000\0" * 8
    header[482] = 1  # more follow
    checksum = sum(header[:148]) + sum(header[156:]) + 8 * ord(" ")
    header[148:156] = b"%06o\0 " % checksum
    more = (b"00000000000\0" * 42).ljust(504, b"\0") + b"\1" + bytes(7)
    return gzip.compress(bytes(header)) + gzip.compress(more * 20_000, 1) * 20


# a text that does not compress, so that a cut is behind the report
_NOISE = b"".join(b"%s all is well\n" % os.urandom(16).hex().encode() for _ in range(4000))
_LOG = REPORT + _NOISE

HOSTILE_INPUTS: dict[str, HostileInput] = {
    # archives
    "claims-2-to-the-50.tar": HostileInput(lambda: tar_header("a.log", 1 << 50) + REPORT, "cut off", 1),
    "claims-2-to-the-50-in-a-folder.tar": HostileInput(
        lambda: tar_member("a.log", REPORT) + tar_header("b", 1 << 50, tarfile.CONTTYPE) + _NOISE, "cut off", 1
    ),
    "claims-2-to-the-50-in-an-unknown-member.tar": HostileInput(
        lambda: tar_member("a.log", REPORT) + tar_header("b", 1 << 50, b"V") + _NOISE, "cut off", 1
    ),
    "pax-header-of-3-GiB.tar.gz": HostileInput(lambda: tar_gz_with_header_of(tarfile.XHDTYPE, 3 << 10), "headers of"),
    "global-pax-header.tar.gz": HostileInput(lambda: tar_gz_with_header_of(tarfile.XGLTYPE, 1 << 10), "headers of"),
    "long-name-of-4-GiB.tar.gz": HostileInput(
        lambda: tar_gz_with_header_of(tarfile.GNUTYPE_LONGNAME, 4 << 10), "headers of"
    ),
    "long-link-of-1-GiB.tar.gz": HostileInput(
        lambda: tar_gz_with_header_of(tarfile.GNUTYPE_LONGLINK, 1 << 10), "headers of"
    ),
    "holes-without-end.tar.gz": HostileInput(_sparse_header, "headers of"),
    "empty-members.tar.gz": HostileInput(
        lambda: gzip.compress(tar_header("a.log", 0) * 20_000, 9) * 60, "more than 100000 members"
    ),
    "damaged-header.tar": HostileInput(
        lambda: tar_member("a.log", REPORT) + b"x" * 512 + tar_member("b.log", REPORT), "header of a member", 1
    ),
    "zip-of-6-GiB-in-a-zip.zip": HostileInput(zip_in_zip, "a zip of more than 256 MiB in an archive"),
    "overlapping-members.zip": HostileInput(lambda: zip_with_overlapping_members(9000), "more than 1 GiB"),
    "large-directory.zip": HostileInput(zip_with_large_directory, "has a directory of"),
    "zeros-of-4-GiB.gz": HostileInput(lambda: gzip_zeros(4 << 10), "unpacks to more than 3 GiB"),
    "nested.gz": HostileInput(lambda: _compress_repeatedly(REPORT, 12), "4 archives deep"),
    "garbage-behind-it.gz": HostileInput(lambda: gzip.compress(REPORT) + b"garbage", "what follows the gzip data", 1),
    "cut-off.gz": HostileInput(lambda: gzip.compress(_LOG)[:-500], "cut off", 1),
    "cut-off-in-the-first-block.gz": HostileInput(lambda: gzip.compress(REPORT)[:-9], "cut off", 1),
    "wrong-checksum.gz": HostileInput(lambda: gzip.compress(REPORT)[:-8] + bytes(8), "incorrect data check", 1),
    "cut-off.bz2": HostileInput(lambda: bz2.compress(_LOG + _NOISE * 8)[:-500], "cut off", 1),
    "cut-off.xz": HostileInput(lambda: lzma.compress(_LOG)[:-500], "cut off", 1),
    "cut-off.zst": HostileInput(lambda: zstandard.compress(_LOG + _NOISE * 2)[:-500], "cut off", 1),
    "garbage-behind-it.xz": HostileInput(lambda: lzma.compress(REPORT) + b"garbage of a length", "what follows", 1),
    "cut-off.tar.gz": HostileInput(
        lambda: gzip.compress(tar_member("a.log", REPORT) + tar_member("b.log", _NOISE))[:-500], "cut off", 1
    ),
    "wrong-checksum.zip": HostileInput(lambda: _broken_zip(), "its checksum is wrong", 1),
    # documents
    "messages-in-messages.eml": HostileInput(lambda: nested_messages(1000), "nested too deeply", 1),
    "parts-in-parts.eml": HostileInput(lambda: nested_multipart(1000), "nested too deeply", 1),
    "lists-in-lists.json": HostileInput(
        lambda: b'{"title": "race", "body": ' + b"[" * 100_000 + json.dumps(REPORT.decode()).encode(), "", 1
    ),
    "elements-in-elements.xml": HostileInput(
        lambda: b"<testsuite>" + b"<testcase>" * 100_000 + b"<system-out>" + REPORT.replace(b"<", b"&lt;"), "", 1
    ),
}


def _broken_zip() -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.log", REPORT)
    data = file.getvalue()
    checksum = struct.pack("<L", zlib.crc32(REPORT))
    return data.replace(checksum, b"\1\2\3\4")


def _compress_repeatedly(data: bytes, times: int) -> bytes:
    for _ in range(times):
        data = gzip.compress(data)
    return data
