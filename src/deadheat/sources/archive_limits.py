"""Limits on what an archive may cost, and the account of what one has cost so far."""

from __future__ import annotations

import time
from typing import NamedTuple

from deadheat.errors import DeadheatError, UnreadableError

LIMITS_OPTION = "--archive-limits"
_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


class ArchiveLimits(NamedTuple):
    """The limits on one file: what archives and compressed files in it need counts, too."""

    bytes: int = 1 << 30  # unpacked size that is always allowed
    ratio: int = 200  # a larger one is allowed up to this multiple of the packed size
    temporary: int = 1 << 28  # size of a zip within an archive, which is copied to the temporary folder
    members: int = 100_000
    depth: int = 4  # archives in archives
    header: int = 1 << 20  # size of the headers of a member of a tar
    directory: int = 1 << 23  # size of the directory of a zip
    seconds: int = 120  # processor time; a large file may take a second per MiB


DEFAULT_LIMITS = ArchiveLimits()
_OPTION_HINT = f"names are {', '.join(ArchiveLimits._fields)}; values are such as 500, 64M or 20G"


def parse_limits(text: str) -> ArchiveLimits:
    """The limits in a text such as `bytes=20G,depth=8`; others keep their default."""
    changed: dict[str, int] = {}
    for part in filter(None, text.split(",")):
        name, _, value = part.partition("=")
        size = _size_in(value)
        if name not in ArchiveLimits._fields or size is None:
            raise DeadheatError(f"{part!r} is not a limit", "", _OPTION_HINT)
        changed[name] = size
    return DEFAULT_LIMITS._replace(**changed)


def parse_size(text: str) -> int:
    """The number in a text such as `500`, `64M` or `20G`."""
    size = _size_in(text)
    if size is None:
        raise DeadheatError(f"{text!r} is not a size such as 500, 64M or 20G")
    return size


def _size_in(text: str) -> int | None:
    digits, unit = (text[:-1], text[-1].upper()) if text[-1:].isalpha() else (text, "")
    is_size = unit in _UNITS and digits.isascii() and digits.isdecimal() and len(digits) < 19
    return int(digits) * _UNITS[unit] if is_size else None


def higher_limit_hint(option: str, value: int) -> str:
    """What to do if an archive is good and exceeds a limit."""
    value = max(1, value)
    unit = next((unit for unit in "TGM" if value >= _UNITS[unit]), "")
    return f"to read it: {LIMITS_OPTION} {option}={-(-value // _UNITS[unit])}{unit}"


class ArchiveAccount:
    """What reading one file has cost. A file whose size is not known counts as far as it was read."""

    def __init__(self, limits: ArchiveLimits, packed_size: int | None) -> None:
        self.limits = limits
        self.is_exhausted = False  # nothing more may be read
        self._packed_size = packed_size or 0
        self._counts_packed = packed_size is None
        self._unpacked_size = self._member_count = 0
        self._start = time.process_time()

    def add_packed(self, size: int) -> None:
        """Counts bytes of the file itself."""
        if self._counts_packed:
            self._packed_size += size

    def add_unpacked(self, size: int, uri: str) -> None:
        """Counts bytes that were decompressed."""
        self._unpacked_size += size
        allowed = max(self.limits.bytes, self.limits.ratio * self._packed_size)
        if self._unpacked_size > allowed:
            what = f"unpacks to more than {format_size(allowed)}"
            self.fail(what, uri, "bytes", allowed * 8)
        self.check_time(uri)

    def add_member(self, uri: str) -> None:
        self._member_count += 1
        if self._member_count > self.limits.members:
            self.fail(f"has more than {self.limits.members} members", uri, "members", self.limits.members * 8)

    def check_time(self, uri: str) -> None:
        allowed = max(self.limits.seconds, self._packed_size >> 20)
        if time.process_time() - self._start > allowed:
            self.fail(f"takes more than {allowed} seconds of processor time", uri, "seconds", allowed * 8)

    def fail(self, what: str, uri: str, option: str, value: int) -> None:
        """Raises an error about a limit. The loops over members end then."""
        self.is_exhausted = True
        raise UnreadableError(f"{what}, the rest is skipped", uri, higher_limit_hint(option, value))


def format_size(size: int) -> str:
    """A size in the largest unit, rounded down."""
    unit = next(unit for unit in "TGMK " if unit == " " or size >= _UNITS[unit])
    return f"{size // _UNITS[unit]} {unit}iB" if unit != " " else f"{size} bytes"
