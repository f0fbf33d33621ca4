"""The versions of every source file along the main line and its side branches; cached on disk."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from deadheat.repo import disk_cache
from deadheat.repo.git.messages import parse_commit
from deadheat.repo.syntax.parser import is_source_file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from deadheat.repo.git import GitReader
    from deadheat.repo.git.messages import CommitMessage

_SCHEMA = """
CREATE TABLE IF NOT EXISTS commits (pos INTEGER PRIMARY KEY, id TEXT, time INTEGER);
CREATE UNIQUE INDEX IF NOT EXISTS commits_by_id ON commits (id);
CREATE TABLE IF NOT EXISTS paths (path INTEGER PRIMARY KEY, full TEXT UNIQUE, name TEXT);
CREATE INDEX IF NOT EXISTS paths_by_name ON paths (name);
CREATE TABLE IF NOT EXISTS changes (path INTEGER, pos INTEGER, blob TEXT, PRIMARY KEY (path, pos)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS words
  (pos INTEGER PRIMARY KEY, racy INTEGER, subject TEXT, message TEXT, author TEXT, time INTEGER, parents INTEGER);
CREATE INDEX IF NOT EXISTS words_by_racy ON words (racy, pos);
CREATE TABLE IF NOT EXISTS located (id TEXT, full TEXT, blob TEXT, PRIMARY KEY (full, id)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS links (id TEXT PRIMARY KEY, parent TEXT) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS aside (id TEXT, full TEXT, blob TEXT, PRIMARY KEY (id, full)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS told (id TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS off_main (question TEXT PRIMARY KEY, answer TEXT) WITHOUT ROWID;
"""
# nested trees that repeat one another can produce billions of paths in one commit
MAX_RECORDS = 8_000_000
_TRUNK_NAMES = ("main", "master", "trunk", "develop", "devel")


class FileVersion(NamedTuple):
    """The content of a file from a position on; None: the file is deleted."""

    pos: int
    blob: str | None


class MovedFiles:
    """Files with their content, indexed by content, name and folder."""

    def __init__(self, files: list[tuple[str, str]]) -> None:
        self.by_content: dict[str, list[str]] = {}
        self._by_name_or_folder: dict[str, list[tuple[str, str]]] = {}
        for path, blob in files:
            self.by_content.setdefault(blob, []).append(path)
            folder, _, name = path.rpartition("/")
            for key in (f"{folder}/", name):
                self._by_name_or_folder.setdefault(key, []).append((path, blob))

    def similar_paths(self, path: str) -> list[tuple[str, str]]:
        """The files with the same name or in the same folder."""
        folder, _, name = path.rpartition("/")
        same_name, same_folder = (self._by_name_or_folder.get(key, []) for key in (name, f"{folder}/"))
        return list(dict.fromkeys(same_name + same_folder))


def version_at(versions: list[FileVersion], pos: int) -> str | None:
    """The content of a file at a position."""
    index = bisect_right(versions, pos, key=lambda change: change.pos)
    return versions[index - 1].blob if index else None


def find_trunk(git: GitReader) -> tuple[str, str]:
    """The name and newest commit of the main line: what is checked out, unless a side branch."""
    if git.head_commit and git.head_name.rpartition("/")[2] in _TRUNK_NAMES:
        return git.head_name, git.head_commit
    for name in ("HEAD", *_TRUNK_NAMES):
        if commit := git.refs.get(f"refs/remotes/origin/{name}"):
            return f"origin/{name}", commit
    for name in _TRUNK_NAMES:
        if not git.head_commit and (commit := git.refs.get(f"refs/heads/{name}")):
            return name, commit
    return git.head_name or "HEAD", git.head_commit


class MainLine:
    """The main line of a clone, in a database that is extended with new commits."""

    def __init__(self, git: GitReader) -> None:
        self._git = git
        self.name, self.tip = find_trunk(git)
        self.database = disk_cache.open_database(f"history-{_cache_key(git)}", _SCHEMA)
        self._file_versions: dict[str, list[FileVersion]] = {}
        self._moved_files: dict[int, tuple[MovedFiles, MovedFiles]] = {}
        try:
            self._update()
        except sqlite3.Error:  # disk full or locked: use a database in memory
            self.database.close()
            self.database = disk_cache.connect_database(":memory:", _SCHEMA)
            self._update()
        if self.tip and self.position_of(self.tip) is None:
            git.missing.append(f"the history of {self.name} cannot be read")
            self.tip = ""

    def close(self) -> None:
        self.database.close()

    def position_of(self, commit: str) -> int | None:
        if "commits" in self.__dict__:
            return self.positions.get(commit)
        row = self.database.execute("SELECT pos FROM commits WHERE id = ?", (commit,)).fetchone()
        return row[0] if row else None

    @cached_property
    def positions(self) -> dict[str, int]:
        return {commit: position for position, commit in enumerate(self.commits)}

    @cached_property
    def last_position(self) -> int:
        """The position of the newest commit."""
        return self.position_of(self.tip) or 0 if self.tip else -1

    @cached_property
    def commits(self) -> list[str]:
        rows = self.database.execute("SELECT id FROM commits WHERE pos <= ? ORDER BY pos", (self.last_position,))
        return [row[0] for row in rows]

    def last_position_before(self, time: int) -> int:
        """The position of the last commit made up to a time."""
        query = "SELECT max(pos) FROM commits WHERE time <= ? AND pos <= ?"
        return self.database.execute(query, (time, self.last_position)).fetchone()[0] or 0

    def file_versions(self, path: str) -> list[FileVersion]:
        if path not in self._file_versions:
            where = "pos <= ? AND path = (SELECT path FROM paths WHERE full = ?)"
            query = f"SELECT pos, blob FROM changes WHERE {where} ORDER BY pos"
            rows = self.database.execute(query, (self.last_position, path))
            self._file_versions[path] = [FileVersion(*row) for row in rows]
        return self._file_versions[path]

    def paths_named(self, name: str) -> list[str]:
        """Every path that a file of this name ever had."""
        rows = self.database.execute("SELECT full FROM paths WHERE name = ?", (name,))
        return [row[0] for row in rows]

    def paths_in_folder(self, folder: str) -> list[str]:
        """Every path that was ever directly in a folder."""
        prefix = f"{folder}/" if folder else ""
        query = "SELECT full FROM paths WHERE full >= ? AND full < ?"
        rows = self.database.execute(query, (prefix, f"{prefix}\U0010ffff"))
        return [row[0] for row in rows if "/" not in row[0][len(prefix) :]]

    def changed_paths(self, pos: int) -> list[str]:
        """The source files that a commit changed."""
        query = "SELECT full FROM changes JOIN paths USING (path) WHERE pos = ? ORDER BY full"
        return [row[0] for row in self.database.execute(query, (pos,))]

    def moved_files(self, pos: int) -> tuple[MovedFiles, MovedFiles]:
        """The files that a commit added and those that it deleted, each with its content."""
        if pos not in self._moved_files:
            rows = self.database.execute(
                "SELECT full, now.blob, (SELECT blob FROM changes AS old WHERE old.path = now.path"
                " AND old.pos < now.pos ORDER BY old.pos DESC LIMIT 1)"
                " FROM changes AS now JOIN paths USING (path) WHERE now.pos = ?",
                (pos,),
            ).fetchall()
            added = MovedFiles([(path, new) for path, new, old in rows if new and not old])
            deleted = MovedFiles([(path, old) for path, new, old in rows if old and not new])
            self._moved_files[pos] = added, deleted
        return self._moved_files[pos]

    def blobs_of(self, pairs: list[tuple[str, str]]) -> dict[tuple[str, str], str]:
        """The content of files at commits that may be off the main line."""
        known: dict[tuple[str, str], str] = {}
        for path in dict.fromkeys(path for _, path in pairs):
            rows = self.database.execute("SELECT id, blob FROM located WHERE full = ?", (path,))
            known.update({(commit, path): blob for commit, blob in rows})
        missing = [pair for pair in pairs if pair not in known]
        found = self._git.object_ids(f"{commit}:{path}" for commit, path in missing)
        unknown = {pair: blob or "" for pair, blob in zip(missing, found, strict=True)}
        new_rows = [(*pair, blob) for pair, blob in unknown.items()]
        with contextlib.suppress(sqlite3.Error), self.database:
            self.database.executemany("INSERT OR REPLACE INTO located VALUES (?, ?, ?)", new_rows)
        known.update(unknown)
        return {pair: blob for pair in pairs if (blob := known[pair])}

    def _update(self) -> None:
        """Adds commits made since the last update; other processes may do the same."""
        if not self.tip or self.position_of(self.tip) is not None:
            return
        with self.database:
            self.database.execute("BEGIN IMMEDIATE")
            if self.position_of(self.tip) is None:
                self._append_commits()

    def _append_commits(self) -> None:
        log_lines = list(self._git.output_lines("rev-list", "--first-parent", "--parents", "--timestamp", self.tip))
        chain = [line.split() for line in reversed(log_lines)]
        known = dict(self.database.execute("SELECT id, pos FROM commits"))
        fork = 0
        while fork < len(chain) and known.get(chain[fork][1]) == fork:
            fork += 1
        for table in ("changes", "commits", "words"):
            self.database.execute(f"DELETE FROM {table} WHERE pos >= ?", (fork,))
        commits = [(pos, c[1], int(c[0])) for pos, c in enumerate(chain[fork:], fork)]
        self.database.executemany("INSERT INTO commits VALUES (?, ?, ?)", commits)
        self._store_changes(fork, [(c[1], c[2] if len(c) > 2 else "") for c in chain[fork:]])

    def _store_changes(self, fork: int, chain: list[tuple[str, str]]) -> None:
        known: dict[str, int] = dict(self.database.execute("SELECT full, path FROM paths"))
        count = len(known)
        positions = {commit: pos for pos, (commit, _) in enumerate(chain, fork)}
        rows = []
        last = ""
        for commit, path, blob in _source_changes(self._git, chain):
            if commit != last:
                last = commit
                self._git.on_progress("reading the history", positions[commit] - fork, len(chain), "commit")
            rows.append((known.setdefault(path, len(known) + 1), positions[commit], blob))
        self._git.on_progress("reading the history", len(chain), len(chain), "commit")
        new_paths = [(number, path, path.rpartition("/")[2]) for path, number in known.items() if number > count]
        self.database.executemany("INSERT INTO paths VALUES (?, ?, ?)", new_paths)
        rows.sort()
        self.database.executemany("INSERT OR REPLACE INTO changes VALUES (?, ?, ?)", rows)
        self.database.execute("CREATE INDEX IF NOT EXISTS changes_by_pos ON changes (pos)")


def _source_changes(git: GitReader, chain: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str, str | None]]:
    """The source files that each commit changed against its first parent: commit, path, new content."""
    known: dict[bytes, str | None] = {}
    changes = git.changed_files(chain)
    for number, (commit, name, _, new) in enumerate(changes):
        if number >= MAX_RECORDS:
            git.missing.append("the history changes too many files; the rest is not read")
            changes.close()
            return
        if name not in known:
            path = name.decode("utf-8", "replace")
            known[name] = path if is_source_file(path) else None
        if (source_path := known[name]) is not None:
            yield commit, source_path, new or None


def _cache_key(git: GitReader) -> str:
    """Identifies a clone by its path and shallow boundary."""
    text = f"{os.path.realpath(git.clone_path)}\n{git.shallow}"
    return blake2b(text.encode("utf-8", "surrogateescape"), digest_size=8).hexdigest()


# a longer branch is an unrelated history
_MAX_BRANCH_COMMITS = 20_000
# commits off the main line that changed a file; a longer answer is cut
_MAX_SIDE_COMMITS = 20_000
# of a larger merge, as many messages are read, and as many commits returned
_MAX_READ_MESSAGES, _MAX_MERGED_COMMITS = 500, 20


class SideBranches:
    """First parents of commits off the main line, cached on disk."""

    def __init__(self, git: GitReader, main: MainLine) -> None:
        self._git, self._main, self._database = git, main, main.database
        self._branch_lines: dict[str, SideBranch] = {}
        self._fork_positions: dict[str, int | None] = {}

    @cached_property
    def _first_parents(self) -> dict[str, str]:
        return dict(self._database.execute("SELECT id, parent FROM links"))

    def fork_position(self, commit: str) -> int | None:
        """The position of the last main line commit that a commit descends from."""
        self.load_parents([commit])
        visited: list[str] = []
        position: int | None = None
        while commit and len(visited) < _MAX_BRANCH_COMMITS:
            if commit in self._fork_positions:
                position = self._fork_positions[commit]
                break
            if commit in self._main.positions:
                position = self._main.positions[commit]
                break
            visited.append(commit)
            commit = self._first_parents.get(commit, "")
        self._fork_positions.update(dict.fromkeys(visited, position))
        return position

    def load_parents(self, tips: Iterable[str]) -> None:
        """Reads the first parents of all these branches up to the main line or a known commit."""
        known, new_parents = self._first_parents, {}
        pending = {tip for tip in tips if tip not in known and tip not in self._main.positions}
        for _ in range(_MAX_BRANCH_COMMITS):
            if not pending:
                break
            objects = self._git.read_objects(sorted(pending))
            parents = {name: next(iter(_parse_parents(text)), "") for name, text in objects}
            new_parents.update(parents)
            known.update(parents)
            pending = {p for p in parents.values() if p and p not in known and p not in self._main.positions}
        if not new_parents:
            return
        with contextlib.suppress(sqlite3.Error), self._database:
            self._database.executemany("INSERT OR REPLACE INTO links VALUES (?, ?)", new_parents.items())

    def merged_commits(self, merge: str, paths: Sequence[str]) -> list[tuple[str, CommitMessage]]:
        """The commits that a merge added to the main line and that changed one of these files.

        Those about races come first, then the newest.
        """
        options = ("--no-merges", f"--max-count={_MAX_READ_MESSAGES}")
        arguments = ("rev-list", *options, merge, f"^{merge}^1", "--", *paths)
        commits = self._stored_lines([merge, "merged", *paths], lambda: self._git.output_lines(*arguments))
        merged = [(name, parse_commit(text or b"")) for name, text in self._git.read_objects(commits)]
        merged.sort(key=lambda each: not (each[1].is_race_related or each[1].names_data_race))
        return merged[:_MAX_MERGED_COMMITS]

    def commits_changing(self, paths: Sequence[str]) -> dict[str, str]:
        """The commits off the main line that changed one of these files, on any ref, each with the tip of a ref."""
        tips = sorted({*self._git.all_refs.values(), *filter(None, [self._git.head_commit])})
        changing = self._git.track(
            self._git.commits_changing(tips, paths), "searching all branches and pull requests", None, "commit"
        )
        found = (c for c in changing if c[0] not in self._main.positions)
        rows = self._stored_lines([*tips, "", *paths], lambda: (" ".join(c) for c in islice(found, _MAX_SIDE_COMMITS)))
        return dict(row.split(" ") for row in rows)

    def _stored_lines(self, question: Sequence[str], find_lines: Callable[[], Iterable[str]]) -> list[str]:
        """The lines of an answer, which is stored by its question."""
        key = blake2b("\n".join(question).encode("utf-8", "surrogateescape"), digest_size=16).hexdigest()
        row = self._database.execute("SELECT answer FROM off_main WHERE question = ?", (key,)).fetchone()
        if row is None:
            row = ("\n".join(find_lines()),)
            with contextlib.suppress(sqlite3.Error), self._database:
                self._database.execute("INSERT OR REPLACE INTO off_main VALUES (?, ?)", (key, *row))
        answer: str = row[0]
        return answer.splitlines()

    def line_through(self, commit: str, tip: str) -> SideBranch:
        """The line of a commit and its first-parent descendants up to a tip, as far as it is off the main line."""
        last = commit
        options = ("--ancestry-path", "--topo-order", "--reverse", "--parents")
        for row in self._git.output_lines("rev-list", *options, f"{commit}..{tip}"):
            name, *parents = row.split()
            if parents[:1] == [last] and name not in self._main.positions:
                last = name
        refs = (ref for ref, tip_of_ref in self._git.all_refs.items() if tip_of_ref == last)
        return self.branch_line(next(refs, last[:12]), last)

    def branch_line(self, name: str, tip: str) -> SideBranch:
        """The commits from the fork point up to a tip."""
        if tip not in self._branch_lines:
            self._branch_lines[tip] = self._read_branch(name, tip)
        return self._branch_lines[tip]

    def _read_branch(self, name: str, tip: str) -> SideBranch:
        self.load_parents([tip])
        chain: list[tuple[str, str]] = []
        commit = tip
        while commit and commit not in self._main.positions and len(chain) < _MAX_BRANCH_COMMITS:
            chain.append((commit, self._first_parents.get(commit, "")))
            commit = self._first_parents.get(commit, "")
        chain.reverse()
        self._store_changes(chain)
        commits = [c for c, _ in chain]
        return SideBranch(self._main, name, commits, self.fork_position(tip), self._read_versions(commits))

    def _store_changes(self, chain: list[tuple[str, str]]) -> None:
        """Reads what commits changed, if it is not stored yet."""
        read_commits = {row[0] for row in self._database.execute("SELECT id FROM told")}
        unread = [link for link in chain if link[0] not in read_commits]
        rows = list(_source_changes(self._git, unread)) if unread else []
        with contextlib.suppress(sqlite3.Error), self._database:
            self._database.executemany("INSERT OR REPLACE INTO aside VALUES (?, ?, ?)", rows)
            self._database.executemany("INSERT OR REPLACE INTO told VALUES (?)", [c[:1] for c in unread])

    def _read_versions(self, commits: list[str]) -> dict[str, list[FileVersion]]:
        versions: dict[str, list[FileVersion]] = {}
        for position, commit in enumerate(commits):
            rows = self._database.execute("SELECT full, blob FROM aside WHERE id = ?", (commit,))
            for path, blob in rows:
                versions.setdefault(path, []).append(FileVersion(position, blob))
        return versions


@dataclass(frozen=True, slots=True, eq=False)
class SideBranch:
    """A branch: its own commits after those that it shares with the main line."""

    main: MainLine
    name: str
    commits: list[str]
    fork_position: int | None
    own_versions: dict[str, list[FileVersion]]

    def file_versions(self, path: str) -> list[FileVersion]:
        own_versions = self.own_versions.get(path, [])
        if self.fork_position is None or (own_versions and own_versions[0].pos == 0):
            return own_versions
        return [FileVersion(0, version_at(self.main.file_versions(path), self.fork_position)), *own_versions]


CommitLine = MainLine | SideBranch  # commits, each the first parent of the next


def _parse_parents(commit: bytes | None) -> list[str]:
    """Parses the `parent …` lines of a commit object."""
    header = (commit or b"").partition(b"\n\n")[0].split(b"\n")
    return [row[7:].decode("ascii", "replace") for row in header if row.startswith(b"parent ")]
