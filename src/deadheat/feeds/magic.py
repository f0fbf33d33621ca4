"""Tells packed files by their first bytes, whatever they are called."""

from __future__ import annotations

GZIP, BZIP2, XZ, ZSTD = b"\x1f\x8b", b"BZh", b"\xfd7zXZ\0", b"\x28\xb5\x2f\xfd"
ZIP = (b"PK\x03\x04", b"PK\x05\x06")
# how many bytes are needed to tell
SNIFF = 512


def is_tar(head: bytes) -> bool:
    return head[257:262] == b"ustar"


def is_packed(head: bytes) -> bool:
    """Does a file that begins like this have documents inside?"""
    return head.startswith((GZIP, BZIP2, XZ, ZSTD, *ZIP)) or is_tar(head)
