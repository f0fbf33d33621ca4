"""Caches computed answers on disk, keyed by the blob id that they were computed from."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import sys
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_VERSION = 1
_SETTINGS = "PRAGMA journal_mode=WAL; PRAGMA synchronous=OFF; PRAGMA busy_timeout=60000;"


def folder() -> Path:
    """The user's cache folder; `DEADHEAT_CACHE` overrides it."""
    if told := os.environ.get("DEADHEAT_CACHE"):
        return Path(told)
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or "~/AppData/Local"
    elif sys.platform == "darwin":
        base = "~/Library/Caches"
    else:
        base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(base).expanduser() / "deadheat"


def opened(name: str, schema: str) -> sqlite3.Connection:
    """Opens a database in the cache folder, or in memory if that is not possible."""
    path = folder() / f"{name}-{_VERSION}.sqlite"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        return _tried(str(path), schema)
    except (OSError, sqlite3.DatabaseError):
        with contextlib.suppress(OSError):
            path.unlink(missing_ok=True)
        try:
            return _tried(str(path), schema)
        except (OSError, sqlite3.DatabaseError):
            return in_memory(schema)


def in_memory(schema: str) -> sqlite3.Connection:
    return _tried(":memory:", schema)


def _tried(path: str, schema: str) -> sqlite3.Connection:
    database = sqlite3.connect(path)
    try:
        database.executescript(_SETTINGS + schema)
    except BaseException:
        database.close()
        raise
    return database


class Answers:
    """Numbers by question and file version. Several processes may write at once."""

    def __init__(self) -> None:
        self._database = opened(
            "answers",
            "CREATE TABLE IF NOT EXISTS answer"
            " (question BLOB, packed BLOB, PRIMARY KEY (question)) WITHOUT ROWID;",
        )
        self._held: dict[bytes, dict[str, int]] = {}
        self._fresh: set[bytes] = set()

    def known(self, question: str) -> dict[str, int]:
        """The known answers by blob id; use `add_answer` to add one."""
        key = _key(question)
        if key not in self._held:
            self._held[key] = self._stored(key)
        return self._held[key]

    def _stored(self, key: bytes) -> dict[str, int]:
        row = self._database.execute(
            "SELECT packed FROM answer WHERE question = ?", (key,)
        ).fetchone()
        return dict(_unpacked(row[0])) if row else {}

    def learn(self, question: str, blob: str, answer: int) -> None:
        self.known(question)[blob] = answer
        self._fresh.add(_key(question))

    def save(self) -> None:
        """Writes new answers, merged with those of other processes, and clears the memory."""
        with contextlib.suppress(sqlite3.Error), self._database:
            self._database.execute("BEGIN IMMEDIATE")
            rows = [(k, _packed((self._stored(k) | self._held[k]).items())) for k in self._fresh]
            self._database.executemany("INSERT OR REPLACE INTO answer VALUES (?, ?)", rows)
        self._fresh.clear()
        self._held.clear()

    def close(self) -> None:
        self.save()
        self._database.close()


def _key(question: str) -> bytes:
    return blake2b(question.encode("utf-8", "surrogatepass"), digest_size=12).digest()


def _packed(answers: Iterable[tuple[str, int]]) -> bytes:
    return " ".join(f"{blob} {answer}" for blob, answer in answers).encode()


def _unpacked(packed: bytes) -> Iterable[tuple[str, int]]:
    told = packed.decode().split()
    return zip(told[::2], map(int, told[1::2]), strict=True)
