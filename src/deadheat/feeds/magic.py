"""Detects packed files by their signatures, and files with a misleading extension."""

from __future__ import annotations

from deadheat.text.late import regex

GZIP, XZ, ZSTD = b"\x1f\x8b", b"\xfd7zXZ\0", b"\x28\xb5\x2f\xfd"
# "BZh" and a digit may begin a sentence; the rest may not
_BZIP2 = regex(rb"BZh[1-9](?:1AY&SY|\x17rE8P\x90)")
ZIP = (b"PK\x03\x04", b"PK\x05\x06")
# extensions of archives and compressed files
_CALLED = (".gz", ".tgz", ".bz2", ".tbz", ".tbz2", ".xz", ".txz", ".zst", ".tzst", ".zip", ".tar")
MISNAMED = "has the extension of an archive but is not one, or is damaged; read as text"
# checksum field of a tar header
_SUM = slice(148, 156)
# number of bytes needed for detection
SNIFF = 512


def is_bzip2(head: bytes) -> bool:
    return _BZIP2.match(head) is not None


def is_tar(head: bytes) -> bool:
    return head[257:262] == b"ustar" or _is_old_tar(head)


def _is_old_tar(head: bytes) -> bool:
    """Whether this is the first block of a tar without the "ustar" signature."""
    try:
        told = int(head[_SUM].strip(b"\0 "), 8)
    except ValueError:
        return False
    return told == sum(head[:SNIFF]) - sum(head[_SUM]) + 8 * ord(" ")


def is_packed(head: bytes) -> bool:
    """Whether a file with this head is compressed or an archive."""
    return head.startswith((GZIP, XZ, ZSTD, *ZIP)) or is_bzip2(head) or is_tar(head)


def is_misnamed(head: bytes, uri: str) -> bool:
    """Whether a file has the extension of an archive but is not one.

    An empty file, or a tar of zeros only, does not count.
    """
    return bool(head.strip(b"\0")) and uri.lower().endswith(_CALLED) and not is_packed(head)
