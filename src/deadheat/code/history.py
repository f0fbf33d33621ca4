"""The versions of every source file along a line of commits, oldest first; cached on disk."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from bisect import bisect_right
from functools import cached_property
from hashlib import blake2b
from typing import TYPE_CHECKING, NamedTuple, Protocol

from deadheat.code import store
from deadheat.code.languages import is_source

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from deadheat.code.git import Git

_SCHEMA = """
CREATE TABLE IF NOT EXISTS commits (pos INTEGER PRIMARY KEY, id TEXT, time INTEGER);
CREATE UNIQUE INDEX IF NOT EXISTS commits_by_id ON commits (id);
CREATE TABLE IF NOT EXISTS paths (path INTEGER PRIMARY KEY, full TEXT UNIQUE, name TEXT);
CREATE INDEX IF NOT EXISTS paths_by_name ON paths (name);
CREATE TABLE IF NOT EXISTS changes
  (path INTEGER, pos INTEGER, blob TEXT, PRIMARY KEY (path, pos)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS words
  (pos INTEGER PRIMARY KEY, racy INTEGER, subject TEXT, message TEXT, author TEXT, time INTEGER,
   parents INTEGER);
CREATE INDEX IF NOT EXISTS words_by_racy ON words (racy, pos);
CREATE TABLE IF NOT EXISTS located
  (id TEXT, full TEXT, blob TEXT, PRIMARY KEY (full, id)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS links (id TEXT PRIMARY KEY, parent TEXT) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS aside
  (id TEXT, full TEXT, blob TEXT, PRIMARY KEY (id, full)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS told (id TEXT PRIMARY KEY) WITHOUT ROWID;
"""
# nested trees that repeat one another can produce billions of paths in one commit
MOST_RECORDS = 16_000_000
_TRUNKS = ("main", "master", "trunk", "develop", "devel")
# regular files; not links, submodules or deletions
_FILES = (b"100644", b"100755", b"100664")


class Change(NamedTuple):
    """The content of a file from a position on; None: the file is deleted."""

    pos: int
    blob: str | None


class Moved:
    """Files with their content, indexed by content, name and folder."""

    def __init__(self, files: list[tuple[str, str]]) -> None:
        self.by_content: dict[str, list[str]] = {}
        self._near: dict[str, list[tuple[str, str]]] = {}
        for path, blob in files:
            self.by_content.setdefault(blob, []).append(path)
            folder, _, name = path.rpartition("/")
            for key in (f"{folder}/", name):
                self._near.setdefault(key, []).append((path, blob))

    def near(self, path: str) -> list[tuple[str, str]]:
        """The files with the same name or in the same folder."""
        folder, _, name = path.rpartition("/")
        return list(dict.fromkeys(self._near.get(name, []) + self._near.get(f"{folder}/", [])))


class Line(Protocol):
    """A line of commits, each the first parent of the next."""

    @property
    def name(self) -> str: ...

    @property
    def commits(self) -> list[str]: ...

    def versions(self, path: str) -> list[Change]: ...


def version_at(versions: list[Change], pos: int) -> str | None:
    """The content of a file at a position."""
    at = bisect_right(versions, pos, key=lambda change: change.pos)
    return versions[at - 1].blob if at else None


def trunk(git: Git) -> tuple[str, str]:
    """The name and newest commit of the main line: what is checked out, unless a side branch."""
    on_trunk = git.head_name.rpartition("/")[2] in _TRUNKS
    if git.head and on_trunk:
        return git.head_name, git.head
    for name in ("HEAD", *_TRUNKS):
        if found := git.refs.get(f"refs/remotes/origin/{name}"):
            return f"origin/{name}", found
    for name in _TRUNKS:
        if not git.head and (found := git.refs.get(f"refs/heads/{name}")):
            return name, found
    return git.head_name or "HEAD", git.head


class MainLine:
    """The main line of a clone, in a database that is extended with new commits."""

    def __init__(self, git: Git) -> None:
        self._git = git
        self.name, self.tip = trunk(git)
        self.database = store.opened(f"history-{_mark(git)}", _SCHEMA)
        self._versions: dict[str, list[Change]] = {}
        self._moves: dict[int, tuple[Moved, Moved]] = {}
        try:
            self._grow()
        except sqlite3.Error:  # disk full or locked: use a database in memory
            self.database.close()
            self.database = store.in_memory(_SCHEMA)
            self._grow()

    def close(self) -> None:
        self.database.close()

    def position(self, commit: str) -> int | None:
        if "commits" in self.__dict__:
            return self._places.get(commit)
        row = self.database.execute("SELECT pos FROM commits WHERE id = ?", (commit,)).fetchone()
        return row[0] if row else None

    @cached_property
    def _places(self) -> dict[str, int]:
        return {commit: at for at, commit in enumerate(self.commits)}

    @cached_property
    def end(self) -> int:
        """The position of the newest commit."""
        return self.position(self.tip) or 0 if self.tip else -1

    @cached_property
    def commits(self) -> list[str]:
        rows = self.database.execute(
            "SELECT id FROM commits WHERE pos <= ? ORDER BY pos", (self.end,)
        )
        return [row[0] for row in rows]

    def time(self, pos: int) -> int:
        row = self.database.execute("SELECT time FROM commits WHERE pos = ?", (pos,)).fetchone()
        return row[0] if row else 0

    def before(self, time: int) -> int:
        """The position of the last commit made up to a time."""
        row = self.database.execute(
            "SELECT max(pos) FROM commits WHERE time <= ? AND pos <= ?", (time, self.end)
        ).fetchone()
        return row[0] or 0

    def versions(self, path: str) -> list[Change]:
        if path not in self._versions:
            rows = self.database.execute(
                "SELECT pos, blob FROM changes WHERE pos <= ?"
                " AND path = (SELECT path FROM paths WHERE full = ?) ORDER BY pos",
                (self.end, path),
            )
            self._versions[path] = [Change(*row) for row in rows]
        return self._versions[path]

    def named(self, name: str) -> list[str]:
        """Every path that a file of this name ever had."""
        rows = self.database.execute("SELECT full FROM paths WHERE name = ?", (name,))
        return [row[0] for row in rows]

    def below(self, folder: str) -> list[str]:
        """Every path that was ever directly in a folder."""
        prefix = f"{folder}/" if folder else ""
        rows = self.database.execute(
            "SELECT full FROM paths WHERE full >= ? AND full < ?", (prefix, f"{prefix}\U0010ffff")
        )
        return [row[0] for row in rows if "/" not in row[0][len(prefix) :]]

    def changed(self, pos: int) -> list[str]:
        """The source files that a commit changed."""
        rows = self.database.execute(
            "SELECT full FROM changes JOIN paths USING (path) WHERE pos = ? ORDER BY full", (pos,)
        )
        return [row[0] for row in rows]

    def moves(self, pos: int) -> tuple[Moved, Moved]:
        """The files that a commit added and those that it deleted, each with its content."""
        if pos not in self._moves:
            rows = self.database.execute(
                "SELECT full, now.blob, (SELECT blob FROM changes AS old WHERE old.path = now.path"
                " AND old.pos < now.pos ORDER BY old.pos DESC LIMIT 1)"
                " FROM changes AS now JOIN paths USING (path) WHERE now.pos = ?",
                (pos,),
            ).fetchall()
            brought = Moved([(path, new) for path, new, old in rows if new and not old])
            taken = Moved([(path, old) for path, new, old in rows if old and not new])
            self._moves[pos] = brought, taken
        return self._moves[pos]

    def located(self, pairs: list[tuple[str, str]]) -> dict[tuple[str, str], str]:
        """The content of files at commits that may be off the main line."""
        known: dict[tuple[str, str], str] = {}
        for path in dict.fromkeys(path for _, path in pairs):
            rows = self.database.execute("SELECT id, blob FROM located WHERE full = ?", (path,))
            known.update({(commit, path): blob for commit, blob in rows})
        missing = [pair for pair in pairs if pair not in known]
        found = self._git.ids(f"{commit}:{path}" for commit, path in missing)
        fresh = {pair: blob or "" for pair, blob in zip(missing, found, strict=True)}
        with contextlib.suppress(sqlite3.Error), self.database:
            self.database.executemany(
                "INSERT OR REPLACE INTO located VALUES (?, ?, ?)",
                ((*pair, blob) for pair, blob in fresh.items()),
            )
        known.update(fresh)
        return {pair: blob for pair in pairs if (blob := known[pair])}

    def _grow(self) -> None:
        """Adds commits made since the last update; other processes may do the same."""
        if not self.tip or self.position(self.tip) is not None:
            return
        with self.database:
            self.database.execute("BEGIN IMMEDIATE")
            if self.position(self.tip) is None:
                self._append()

    def _append(self) -> None:
        told = list(
            self._git.lines("rev-list", "--first-parent", "--parents", "--timestamp", self.tip)
        )
        chain = [line.split() for line in reversed(told)]
        known = dict(self.database.execute("SELECT id, pos FROM commits"))
        fork = 0
        while fork < len(chain) and known.get(chain[fork][1]) == fork:
            fork += 1
        for table in ("changes", "commits", "words"):
            self.database.execute(f"DELETE FROM {table} WHERE pos >= ?", (fork,))
        self.database.executemany(
            "INSERT INTO commits VALUES (?, ?, ?)",
            ((pos, c[1], int(c[0])) for pos, c in enumerate(chain[fork:], fork)),
        )
        self._take_in(fork, [(c[1], c[2] if len(c) > 2 else "") for c in chain[fork:]])

    def _take_in(self, fork: int, chain: list[tuple[str, str]]) -> None:
        known: dict[str, int] = dict(self.database.execute("SELECT full, path FROM paths"))
        count = len(known)
        rows = []
        for pos, path, blob in changes(self._git, chain):
            if path not in known:
                known[path] = len(known) + 1
            rows.append((known[path], pos + fork, blob))
        self.database.executemany(
            "INSERT INTO paths VALUES (?, ?, ?)",
            ((n, p, p.rpartition("/")[2]) for p, n in known.items() if n > count),
        )
        rows.sort()
        self.database.executemany("INSERT OR REPLACE INTO changes VALUES (?, ?, ?)", rows)
        self.database.execute("CREATE INDEX IF NOT EXISTS changes_by_pos ON changes (pos)")


def changes(git: Git, chain: Iterable[tuple[str, str]]) -> Iterator[tuple[int, str, str | None]]:
    """What each commit changed against its first parent: index in the chain, path, new content."""
    places = {commit: pos for pos, (commit, _) in enumerate(chain)}
    asked = (f"{commit} {parent}".rstrip() for commit, parent in chain)
    pos, meta = 0, b""
    known: dict[bytes, str | None] = {}
    records = git.records(
        asked, "diff-tree", "--stdin", "--root", "-r", "-z", "--raw", "--no-renames", "--no-abbrev"
    )
    for number, record in enumerate(records):
        if number >= MOST_RECORDS:
            git.missing.append("the history changes too many files; the rest is not read")
            records.close()
            return
        if meta:
            path = known[record] if record in known else known.setdefault(record, _source(record))
            if path is not None:
                _, mode, _, new, _ = meta.split(b" ")
                yield pos, path, new.decode() if mode in _FILES else None
            meta = b""
        elif record[:1] == b":":
            meta = record
        else:
            pos = places[record.decode()]


def _source(record: bytes) -> str | None:
    """The path if it is a source file, else None."""
    path = record.decode("utf-8", "replace")
    return path if is_source(path) else None


def _mark(git: Git) -> str:
    """Identifies a clone by its path and shallow boundary."""
    text = f"{os.path.realpath(git.where)}\n{git.shallow}"
    return blake2b(text.encode("utf-8", "surrogateescape"), digest_size=8).hexdigest()
