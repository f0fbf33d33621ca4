"""The extent and digest of each function in Go file versions, cached on disk.

Most versions of a file differ in one function only; versions with an equal digest are read once.
"""

from __future__ import annotations

import contextlib
import re
import sqlite3
import zlib
from bisect import bisect_left
from hashlib import blake2b
from typing import TYPE_CHECKING, NamedTuple

from deadheat.code import store

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from deadheat.code.git import Git

# "func (e *T[K]) M(", "func F[K any](", as gofmt formats them
_HEADER = re.compile(
    rb"func (?:\((?:\w+ )?\*?(\w+)(?:\[[^\]\n]{0,200}\])?\) )?([^\s()\[\]]{1,200})[\[(]"
)
# a brace in the first column before a declaration or the end; others are in raw strings
_END = re.compile(rb"\n\}(?=\Z|[\n\r](?:\Z|[\nftvc/i\r]))")
_SCHEMA = "CREATE TABLE IF NOT EXISTS outline (blob TEXT PRIMARY KEY, packed BLOB) WITHOUT ROWID;"
_ASKED, _HELD = 500, 1 << 26  # rows per query, bytes in memory


class Function(NamedTuple):
    """The lines of a function (from 1) in a file version, and a digest of its text."""

    first: int
    last: int
    digest: str


class Outlines:
    """The functions of each file version."""

    def __init__(self, git: Git) -> None:
        self._git = git
        self._database = store.opened("outlines", _SCHEMA)
        self._held: dict[str, bytes] = {}
        self._size = 0

    def close(self) -> None:
        self._database.close()

    def find(self, function: str, blobs: Iterable[str]) -> dict[str, Function | None]:
        """The function in each readable version; None if it is not there."""
        owner, _, name = function.encode("utf-8", "replace").rpartition(b".")
        owner = owner.strip(b"(*)")
        key = b"\n" + (owner + b"." + name if owner else name) + b" "
        wanted = list(dict.fromkeys(blobs))
        self._read([blob for blob in wanted if blob not in self._held])
        known = {b: _found(self._held[b], key) for b in wanted if b in self._held}
        if self._size > _HELD:
            self._held.clear()
            self._size = 0
        return known

    def _read(self, blobs: list[str]) -> None:
        for start in range(0, len(blobs), _ASKED):
            some = blobs[start : start + _ASKED]
            marks = ",".join("?" * len(some))
            rows = self._database.execute(f"SELECT * FROM outline WHERE blob IN ({marks})", some)
            for blob, packed in rows:
                self._hold(blob, zlib.decompress(packed))
        fresh = []
        for blob, source in self._git.objects(b for b in blobs if b not in self._held):
            if source is not None:
                outline = b"\n" + b"".join(_rows(source))
                self._hold(blob, outline)
                fresh.append((blob, zlib.compress(outline, 1)))
        if fresh:
            with contextlib.suppress(sqlite3.Error), self._database:
                self._database.executemany("INSERT OR REPLACE INTO outline VALUES (?, ?)", fresh)

    def _hold(self, blob: str, outline: bytes) -> None:
        self._held[blob] = outline
        self._size += len(outline)


def _found(outline: bytes, key: bytes) -> Function | None:
    at = outline.find(key)
    if at < 0:
        return None
    first, last, digest = outline[at + len(key) : outline.index(b"\n", at + 1)].split(b" ")
    return Function(int(first), int(last), digest.decode())


def _rows(source: bytes) -> Iterator[bytes]:
    """`T.M 10 24 5f3a…` for each function in source order."""
    ends = [match.start() for match in _END.finditer(source)]
    row, at = 1, 0
    for start in _starts(source):
        told = _HEADER.match(source, start)
        if told is None:
            continue
        row, at = row + source.count(b"\n", at, start), start
        head = source.find(b"\n", start)
        if head < 0 or source[start:head].rstrip().endswith(b"}"):
            end = after = head if head > 0 else len(source)
        else:
            brace = bisect_left(ends, head)
            end = ends[brace] + 1 if brace < len(ends) else len(source)
            after = end + 1
        digest = blake2b(source[start:after], digest_size=5).hexdigest().encode()
        name = told[1] + b"." + told[2] if told[1] else told[2]
        yield b"%s %d %d %s\n" % (name, row, row + source.count(b"\n", start, end), digest)


def _starts(source: bytes) -> Iterator[int]:
    if source.startswith(b"func "):
        yield 0
    at = source.find(b"\nfunc ")
    while at >= 0:
        yield at + 1
        at = source.find(b"\nfunc ", at + 1)
