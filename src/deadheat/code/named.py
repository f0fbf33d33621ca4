"""The names that versions of Go files declare, cached on disk."""

from __future__ import annotations

import contextlib
import re
import sqlite3
from typing import TYPE_CHECKING

from deadheat.code import store

if TYPE_CHECKING:
    from collections.abc import Iterable

    from deadheat.code.git import Git

# "func (e *T) Close(", "type Tracker struct {", "	stats *Stats", "	A, B int"
_DECLARED = re.compile(
    rb"^(?:func (?:\([^)\n]{0,200}\) )?(\w{1,200})[\[(]|type (\w{1,200})[ \[=]"
    rb"|[ \t]{1,20}((?:\w{1,80}, ){0,8}\w{1,200}(?:, \w{1,80}){0,8})[ \t]{1,80}[^\s:=(,+-])",
    re.MULTILINE,
)
_KEYWORDS = frozenset(
    (b"return", b"if", b"for", b"case", b"go", b"defer", b"var", b"else", b"switch", b"select",
     b"const", b"type", b"goto", b"break", b"continue", b"range")
)  # fmt: skip
_SCHEMA = "CREATE TABLE IF NOT EXISTS declared (blob TEXT PRIMARY KEY, names TEXT) WITHOUT ROWID;"
_ASKED, _MOST = 500, 60_000  # rows per query, versions in memory


def is_exported(name: str) -> bool:
    """Whether a Go name is visible to other packages."""
    return name[:1].isupper()


class Named:
    """The declared names of each file version."""

    def __init__(self, git: Git) -> None:
        self._git = git
        self._database = store.opened("named", _SCHEMA)
        self._held: dict[str, str] = {}

    def close(self) -> None:
        self._database.close()

    def names(self, blobs: Iterable[str]) -> dict[str, str]:
        """The names that each version declares, each between spaces."""
        wanted = list(blobs)
        if len(self._held) > _MOST:
            self._held.clear()
        self._read([blob for blob in wanted if blob not in self._held])
        return {blob: self._held[blob] for blob in wanted}

    def _read(self, blobs: list[str]) -> None:
        for start in range(0, len(blobs), _ASKED):
            some = blobs[start : start + _ASKED]
            marks = ",".join("?" * len(some))
            self._held.update(
                self._database.execute(f"SELECT * FROM declared WHERE blob IN ({marks})", some)
            )
        fresh = {
            blob: _declared(source or b"")
            for blob, source in self._git.objects(b for b in blobs if b not in self._held)
        }
        self._held.update(fresh)
        with contextlib.suppress(sqlite3.Error), self._database:
            self._database.executemany(
                "INSERT OR REPLACE INTO declared VALUES (?, ?)", fresh.items()
            )


def _declared(source: bytes) -> str:
    found: dict[bytes, None] = {}
    for function, kind, fields in _DECLARED.findall(source):
        found.update(dict.fromkeys((function or kind or fields).split(b", ")))
    names = b" ".join(name for name in found if name not in _KEYWORDS)
    return f" {names.decode('ascii', 'replace')} "
