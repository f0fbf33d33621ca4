"""Tells packed files by their first bytes, whatever they are called."""

from __future__ import annotations

from deadheat.text.late import regex

GZIP, XZ, ZSTD = b"\x1f\x8b", b"\xfd7zXZ\0", b"\x28\xb5\x2f\xfd"
# "BZh" and a digit may begin a sentence; what follows them may not
_BZIP2 = regex(rb"BZh[1-9](?:1AY&SY|\x17rE8P\x90)")
ZIP = (b"PK\x03\x04", b"PK\x05\x06")
# how many bytes are needed to tell
SNIFF = 512


def is_bzip2(head: bytes) -> bool:
    return _BZIP2.match(head) is not None


def is_tar(head: bytes) -> bool:
    return head[257:262] == b"ustar"


def is_packed(head: bytes) -> bool:
    """Does a file that begins like this have documents inside?"""
    return head.startswith((GZIP, XZ, ZSTD, *ZIP)) or is_bzip2(head) or is_tar(head)
