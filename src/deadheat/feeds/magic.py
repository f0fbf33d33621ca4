"""Tells packed files by their first bytes, and those that are only called so."""

from __future__ import annotations

from deadheat.text.late import regex

GZIP, XZ, ZSTD = b"\x1f\x8b", b"\xfd7zXZ\0", b"\x28\xb5\x2f\xfd"
# "BZh" and a digit may begin a sentence; what follows them may not
_BZIP2 = regex(rb"BZh[1-9](?:1AY&SY|\x17rE8P\x90)")
ZIP = (b"PK\x03\x04", b"PK\x05\x06")
# what a file that holds others is called
_CALLED = (".gz", ".tgz", ".bz2", ".tbz", ".tbz2", ".xz", ".txz", ".zst", ".tzst", ".zip", ".tar")
MISNAMED = "is called an archive and is none, or a broken one: read as text"
# where a tar of any age has the sum of its first block's other bytes
_SUM = slice(148, 156)
# how many bytes are needed to tell
SNIFF = 512


def is_bzip2(head: bytes) -> bool:
    return _BZIP2.match(head) is not None


def is_tar(head: bytes) -> bool:
    return head[257:262] == b"ustar" or _is_old_tar(head)


def _is_old_tar(head: bytes) -> bool:
    """Is this the first block of a tar from before there was a mark?"""
    try:
        told = int(head[_SUM].strip(b"\0 "), 8)
    except ValueError:
        return False
    return told == sum(head[:SNIFF]) - sum(head[_SUM]) + 8 * ord(" ")


def is_packed(head: bytes) -> bool:
    """Does a file that begins like this have documents inside?"""
    return head.startswith((GZIP, XZ, ZSTD, *ZIP)) or is_bzip2(head) or is_tar(head)


def is_misnamed(head: bytes, uri: str) -> bool:
    """Is a file that begins like this called an archive, and is none?

    One that is empty, as a tar of nothing but zeros is, hides nothing.
    """
    return bool(head.strip(b"\0")) and uri.lower().endswith(_CALLED) and not is_packed(head)
