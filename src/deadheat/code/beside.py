"""Commits that are not on the main line: where their branches forked, and what they changed."""

from __future__ import annotations

import contextlib
import sqlite3
from typing import TYPE_CHECKING

from deadheat.code.history import Change, changes, version_at
from deadheat.code.words import message

if TYPE_CHECKING:
    from collections.abc import Iterable

    from deadheat.code.git import Git
    from deadheat.code.history import MainLine
    from deadheat.code.words import Message

# a longer branch is an unrelated history
_LONGEST = 20_000
# of a larger merge only the newest commits are read
_MERGED = 20


class Beside:
    """First parents of commits off the main line, cached on disk."""

    def __init__(self, git: Git, main: MainLine) -> None:
        self._git, self._main, self._database = git, main, main.database
        self._links: dict[str, str] | None = None
        self._lines: dict[str, SideLine] = {}
        self._places: dict[str, int] = {}
        self._forks: dict[str, int | None] = {}
        self._merged: dict[str, list[tuple[str, Message]]] = {}

    @property
    def _known(self) -> dict[str, str]:
        if self._links is None:
            self._links = dict(self._database.execute("SELECT id, parent FROM links"))
            self._places = {commit: at for at, commit in enumerate(self._main.commits)}
        return self._links

    def fork(self, commit: str) -> int | None:
        """The position of the last main line commit that a commit descends from."""
        self.learn([commit])
        seen: list[str] = []
        at: int | None = None
        while commit and len(seen) < _LONGEST:
            if commit in self._forks:
                at = self._forks[commit]
                break
            if commit in self._places:
                at = self._places[commit]
                break
            seen.append(commit)
            commit = self._known.get(commit, "")
        self._forks.update(dict.fromkeys(seen, at))
        return at

    def learn(self, tips: Iterable[str]) -> None:
        """Reads the first parents of all these branches up to the main line or a known commit."""
        known, fresh = self._known, {}
        waiting = {tip for tip in tips if tip not in known and tip not in self._places}
        for _ in range(_LONGEST):
            if not waiting:
                break
            found = {name: _parent(text) for name, text in self._git.objects(sorted(waiting))}
            fresh.update(found)
            known.update(found)
            waiting = {p for p in found.values() if p and p not in known and p not in self._places}
        if not fresh:
            return
        with contextlib.suppress(sqlite3.Error), self._database:
            self._database.executemany("INSERT OR REPLACE INTO links VALUES (?, ?)", fresh.items())

    def merged(self, merge: str) -> list[tuple[str, Message]]:
        """The commits that a merge added to the main line, newest first, with their messages."""
        if merge not in self._merged:
            self._merged[merge] = self._brought(merge)
        return self._merged[merge]

    def _brought(self, merge: str) -> list[tuple[str, Message]]:
        parents = _parents(self._git.object(merge))
        commit = parents[1] if len(parents) > 1 else ""
        found: list[str] = []
        if commit:
            self.learn([commit])
        while commit and commit not in self._places and len(found) < _MERGED:
            found.append(commit)
            commit = self._known.get(commit, "")
        return [(name, message(text or b"")) for name, text in self._git.objects(found)]

    def line(self, name: str, tip: str) -> SideLine:
        """The commits from the fork point up to a tip."""
        if tip not in self._lines:
            self._lines[tip] = self._line(name, tip)
        return self._lines[tip]

    def _line(self, name: str, tip: str) -> SideLine:
        self.learn([tip])
        chain: list[tuple[str, str]] = []
        commit = tip
        while commit and commit not in self._places and len(chain) < _LONGEST:
            chain.append((commit, self._known.get(commit, "")))
            commit = self._known.get(commit, "")
        chain.reverse()
        self._tell(chain)
        commits = [c for c, _ in chain]
        return SideLine(self._main, name, commits, self.fork(tip), self._changes(commits))

    def _tell(self, chain: list[tuple[str, str]]) -> None:
        """Reads what commits changed, if it is not stored yet."""
        told = {row[0] for row in self._database.execute("SELECT id FROM told")}
        new = [link for link in chain if link[0] not in told]
        rows = (
            [(new[at][0], path, blob) for at, path, blob in changes(self._git, new)] if new else []
        )
        with contextlib.suppress(sqlite3.Error), self._database:
            self._database.executemany("INSERT OR REPLACE INTO aside VALUES (?, ?, ?)", rows)
            self._database.executemany(
                "INSERT OR REPLACE INTO told VALUES (?)", [c[:1] for c in new]
            )

    def _changes(self, commits: list[str]) -> dict[str, list[Change]]:
        found: dict[str, list[Change]] = {}
        for at, commit in enumerate(commits):
            rows = self._database.execute("SELECT full, blob FROM aside WHERE id = ?", (commit,))
            for path, blob in rows:
                found.setdefault(path, []).append(Change(at, blob))
        return found


class SideLine:
    """A branch: its own commits after those that it shares with the main line."""

    def __init__(
        self,
        main: MainLine,
        name: str,
        commits: list[str],
        fork: int | None,
        own: dict[str, list[Change]],
    ) -> None:
        self.name, self.commits = name, commits
        self._main, self._fork, self._changes = main, fork, own

    def versions(self, path: str) -> list[Change]:
        own = self._changes.get(path, [])
        if self._fork is None or (own and own[0].pos == 0):
            return own
        return [Change(0, version_at(self._main.versions(path), self._fork)), *own]


def _parent(commit: bytes | None) -> str:
    return next(iter(_parents(commit)), "")


def _parents(commit: bytes | None) -> list[str]:
    """Parses the `parent …` lines of a commit object."""
    head = (commit or b"").partition(b"\n\n")[0].split(b"\n")
    return [row[7:].decode("ascii", "replace") for row in head if row.startswith(b"parent ")]
