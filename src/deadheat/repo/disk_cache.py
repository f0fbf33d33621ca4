"""Caches computed answers on disk, keyed by the blob id that they were computed from."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import sys
from hashlib import blake2b
from pathlib import Path

_FORMAT_VERSION = 2
_PRAGMAS = "PRAGMA journal_mode=WAL; PRAGMA synchronous=OFF; PRAGMA busy_timeout=60000;"


def cache_folder() -> Path:
    """The user's cache folder; `DEADHEAT_CACHE` overrides it."""
    if override := os.environ.get("DEADHEAT_CACHE"):
        return Path(override)
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or "~/AppData/Local"
    elif sys.platform == "darwin":
        base = "~/Library/Caches"
    else:
        base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(base).expanduser() / "deadheat"


def open_database(name: str, schema: str) -> sqlite3.Connection:
    """Opens a database in the cache folder, or in memory if that is not possible."""
    path = cache_folder() / f"{name}-{_FORMAT_VERSION}.sqlite"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        return connect_database(str(path), schema)
    except (OSError, sqlite3.DatabaseError):
        with contextlib.suppress(OSError):
            path.unlink(missing_ok=True)
        try:
            return connect_database(str(path), schema)
        except (OSError, sqlite3.DatabaseError):
            return connect_database(":memory:", schema)


def connect_database(path: str, schema: str) -> sqlite3.Connection:
    database = sqlite3.connect(path)
    try:
        database.executescript(_PRAGMAS + schema)
    except BaseException:
        database.close()
        raise
    return database


class AnswerCache:
    """Numbers by question and file version. Several processes may write at once."""

    def __init__(self) -> None:
        columns = "(question BLOB, packed BLOB, PRIMARY KEY (question))"
        self._database = open_database("answers", f"CREATE TABLE IF NOT EXISTS answer {columns} WITHOUT ROWID;")
        self._answers: dict[bytes, dict[str, int]] = {}
        self._unsaved: set[bytes] = set()

    def answers_to(self, question: str) -> dict[str, int]:
        """The known answers by blob id; use `add_answer` to add one."""
        key = _question_key(question)
        if key not in self._answers:
            self._answers[key] = self._load_answers(key)
        return self._answers[key]

    def _load_answers(self, key: bytes) -> dict[str, int]:
        row = self._database.execute("SELECT packed FROM answer WHERE question = ?", (key,)).fetchone()
        fields = row[0].decode().split() if row else []
        return dict(zip(fields[::2], map(int, fields[1::2]), strict=True))

    def add_answer(self, question: str, blob: str, answer: int) -> None:
        self.answers_to(question)[blob] = answer
        self._unsaved.add(_question_key(question))

    def save(self) -> None:
        """Writes new answers, merged with those of other processes, and clears the memory."""
        with contextlib.suppress(sqlite3.Error), self._database:
            self._database.execute("BEGIN IMMEDIATE")
            for key in self._unsaved:
                answers = (self._load_answers(key) | self._answers[key]).items()
                packed = " ".join(f"{blob} {answer}" for blob, answer in answers).encode()
                self._database.execute("INSERT OR REPLACE INTO answer VALUES (?, ?)", (key, packed))
        self._unsaved.clear()
        self._answers.clear()

    def close(self) -> None:
        self.save()
        self._database.close()


def _question_key(question: str) -> bytes:
    return blake2b(question.encode("utf-8", "surrogatepass"), digest_size=12).digest()
