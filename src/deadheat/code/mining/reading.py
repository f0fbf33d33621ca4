"""Reads commits: their messages, and both versions of each changed file."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from deadheat.code import words
from deadheat.code.languages import is_source

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from deadheat.code.git import Git
    from deadheat.code.words import Message

# a commit that changes more files is not a race fix, and may be malicious
MOST_FILES = 400
_MOST_SOURCES = 60
# bytes: larger files are mostly generated; limit per commit
_BIGGEST, _MOST_BYTES = 1 << 20, 1 << 23
_FOREIGN = ("vendor/", "third_party/", "node_modules/", "_vendor/")
_FILES = (b"100644", b"100755", b"100664")


class Changed(NamedTuple):
    """A file that a commit changes, with the ids of both versions; empty if there is none."""

    path: str
    old: str
    new: str


class Listed(NamedTuple):
    """A commit and the parent that it is compared with (empty for a root commit)."""

    commit: str
    parent: str


def listed(git: Git, tip: str) -> list[Listed]:
    """The commits of a history, newest first.

    A merge is included if it is on the main line; other merges only repeat commits.
    """
    line = set(git.lines("rev-list", "--first-parent", tip))
    found = []
    for row in git.lines("rev-list", "--parents", tip):
        commit, *parents = row.split()
        if len(parents) < 2 or commit in line:
            found.append(Listed(commit, parents[0] if parents else ""))
    return found


def origin(git: Git, tip: str) -> str:
    """The first commit of the main line, which identifies a repository."""
    return list(git.lines("rev-list", "--first-parent", tip))[-1]


def messages(git: Git, commits: Iterable[Listed]) -> Iterator[tuple[Listed, Message]]:
    """The message of each commit; empty if the commit cannot be read."""
    by_id = {one.commit: one for one in commits}
    for commit, content in git.objects(by_id):
        yield by_id[commit], words.message(content or b"")


def changes(git: Git, commits: Iterable[Listed]) -> dict[str, list[Changed]]:
    """The files that each commit changes against its parent."""
    found: dict[str, list[Changed]] = {one.commit: [] for one in commits}
    asked = (f"{one.commit} {one.parent}".rstrip() for one in commits)
    commit, meta = "", b""
    for record in git.records(
        asked, "diff-tree", "--stdin", "--root", "-r", "-z", "--raw", "--no-renames", "--no-abbrev"
    ):
        if meta:
            files = found[commit]
            if len(files) <= MOST_FILES:
                files.append(_changed(meta, record))
            meta = b""
        elif record[:1] == b":":
            meta = record
        else:
            commit = record.decode("ascii", "replace")
    return found


def _changed(meta: bytes, path: bytes) -> Changed:
    was, now, old, new, _ = meta.lstrip(b":").split(b" ")
    return Changed(path.decode("utf-8", "replace"), _blob(was, old), _blob(now, new))


def _blob(mode: bytes, blob: bytes) -> str:
    """The blob id; empty for links and submodules."""
    return blob.decode("ascii", "replace") if mode in _FILES else ""


def sources(git: Git, files: list[Changed]) -> Iterator[tuple[str, bytes, bytes]]:
    """Both versions of each source file; empty if there is none.

    A file with a version that is missing in the clone is skipped: all of it would seem new. Files beyond
    a total size limit are skipped, too.
    """
    wanted = [file for file in files if is_source(file.path) and not _is_foreign(file.path)]
    total = 0
    for path, old, new in wanted[:_MOST_SOURCES]:
        found = dict(git.objects([blob for blob in (old, new) if blob]))
        before, after = found.get(old) if old else b"", found.get(new) if new else b""
        if before is None or after is None or len(before) + len(after) > _BIGGEST:
            continue
        total += len(before) + len(after)
        if total > _MOST_BYTES:
            return
        yield path, before, after


def _is_foreign(path: str) -> bool:
    return any(path.startswith(f) or f"/{f}" in path for f in _FOREIGN) or ".pb." in path
