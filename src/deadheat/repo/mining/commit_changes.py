"""Reads commits: their messages, changed files, and the changes per function and type."""

from __future__ import annotations

import re
from collections import Counter
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, NamedTuple

from deadheat.errors import DeadheatError
from deadheat.repo.git.messages import parse_commit
from deadheat.repo.syntax import parser
from deadheat.repo.syntax.parser import is_source_file, language_of_path

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from deadheat.repo.git import GitReader
    from deadheat.repo.git.messages import CommitMessage

# a commit that changes more files is not a race fix, and may be malicious
MAX_FILES = 400
_MAX_SOURCE_FILES = 60
# bytes: larger files are mostly generated; limit per commit
_MAX_FILE_BYTES, _MAX_COMMIT_BYTES = 1 << 20, 1 << 23
_VENDORED_FOLDERS = ("vendor/", "third_party/", "node_modules/", "_vendor/")


class ChangedFile(NamedTuple):
    """A file that a commit changes, with the ids of both versions; empty if there is none."""

    path: str
    old_blob: str
    new_blob: str


class ListedCommit(NamedTuple):
    """A commit and the parent that it is compared with (empty for a root commit)."""

    commit: str
    parent: str


def list_commits(git: GitReader, tip: str) -> list[ListedCommit]:
    """The commits of a history, newest first; of the merges only those on the main line: others repeat commits."""
    main_line = set(git.output_lines("rev-list", "--first-parent", tip))
    commits = []
    for row in git.output_lines("rev-list", "--parents", tip):
        commit, *parents = row.split()
        if len(parents) < 2 or commit in main_line:
            commits.append(ListedCommit(commit, parents[0] if parents else ""))
    return commits


def first_commit(git: GitReader, tip: str) -> str:
    """The first commit of the main line, which identifies a repository."""
    return list(git.output_lines("rev-list", "--first-parent", tip))[-1]


def read_messages(git: GitReader, commits: Iterable[ListedCommit]) -> Iterator[tuple[ListedCommit, CommitMessage]]:
    """The message of each commit; empty if the commit cannot be read."""
    by_id = {listed.commit: listed for listed in commits}
    for commit, content in git.read_objects(by_id):
        yield by_id[commit], parse_commit(content or b"")


def changed_files(git: GitReader, commits: Iterable[ListedCommit]) -> dict[str, list[ChangedFile]]:
    """The files that each commit changes against its parent."""
    found: dict[str, list[ChangedFile]] = {listed.commit: [] for listed in commits}
    for commit, path, old_blob, new_blob in git.changed_files(commits):
        if len(found[commit]) <= MAX_FILES:
            found[commit].append(ChangedFile(path.decode("utf-8", "replace"), old_blob, new_blob))
    return found


def read_versions(git: GitReader, files: list[ChangedFile]) -> Iterator[tuple[str, bytes, bytes]]:
    """Both versions of each source file; empty if there is none. Files beyond a total size limit are skipped."""
    source_files = [file for file in files if is_source_file(file.path) and not _is_vendored(file.path)]
    total = 0
    for path, old_blob, new_blob in source_files[:_MAX_SOURCE_FILES]:
        found = dict(git.read_objects([blob for blob in (old_blob, new_blob) if blob]))
        before, after = found.get(old_blob) if old_blob else b"", found.get(new_blob) if new_blob else b""
        if before is None or after is None or len(before) + len(after) > _MAX_FILE_BYTES:
            continue  # if a version is missing in the clone, all of the file would seem new
        total += len(before) + len(after)
        if total > _MAX_COMMIT_BYTES:
            return
        yield path, before, after


def _is_vendored(path: str) -> bool:
    return any(path.startswith(f) or f"/{f}" in path for f in _VENDORED_FOLDERS) or ".pb." in path


# "func (e *IndexNestedLoopHashJoin) Close() error {", "func Map[K any](", "type T struct {"
_GO_HEADER = re.compile(
    rb"func (?:\((?:\w{1,100} )?(\*?)([A-Za-z_]\w{0,100})[^)\n]{0,200}\) )?([A-Za-z_]\w{0,200})[\[(]"
    rb"|type ([A-Za-z_]\w{0,200})"
)
_GO_UNIT_END = (b"}", b")")
_SPACE = re.compile(rb"\s+")
_COMMENT_STARTS = (b"//", b"/*", b"* ", b"#include")
_MAX_LINE_LENGTH = 400
_MAX_DIFF_LINES = 500
# shorter lines are too common to count as moved: "}", "})", "else {"
_MIN_MOVED_LENGTH = 5


class CodeUnit(NamedTuple):
    """A function or type by name; an empty name is the code between them."""

    name: str
    is_type: bool


class UnitEdit(NamedTuple):
    """The changes in one unit; lines are normalized, `after` has all current lines."""

    unit: CodeUnit
    added_indexes: list[int]  # indexes in `after`
    removed_lines: list[bytes]
    after: list[bytes]

    @property
    def added_lines(self) -> list[bytes]:
        return [self.after[index] for index in self.added_indexes]

    @property
    def moved_lines(self) -> list[bytes]:
        """Added lines that were removed elsewhere in the unit."""
        removed = set(self.removed_lines)
        return [line for line in self.added_lines if len(line) >= _MIN_MOVED_LENGTH and line in removed]


def compute_edits(path: str, old: bytes, new: bytes) -> list[UnitEdit]:
    """The changes per unit; layout and comments are ignored."""
    before, after = split_units(path, old), split_units(path, new)
    found = []
    for unit in dict.fromkeys([*after, *before]):
        a, b = before.get(unit, []), after.get(unit, [])
        if a != b and (a := _normalize_lines(a)) != (b := _normalize_lines(b)):
            added, removed = _diff_lines(a, b)
            found.append(UnitEdit(unit, added, removed, b))
    return found


def _normalize_lines(rows: list[bytes]) -> list[bytes]:
    """The lines without layout, blank lines and comments."""
    lines = (_SPACE.sub(b" ", row[:_MAX_LINE_LENGTH]).strip() for row in rows)
    return [line for line in lines if line and not line.startswith(_COMMENT_STARTS)]


def _diff_lines(a: list[bytes], b: list[bytes]) -> tuple[list[int], list[bytes]]:
    """The indexes of added lines, and the removed lines."""
    start = _common_prefix_length(a, b)
    end = _common_prefix_length(a[start:][::-1], b[start:][::-1])
    a, b = a[start : len(a) - end], b[start : len(b) - end]
    added: list[int] = []
    removed: list[bytes] = []
    if max(len(a), len(b)) > _MAX_DIFF_LINES:  # compared as multisets, in linear time
        remaining = Counter(a)
        for index, line in enumerate(b, start):
            if remaining[line]:
                remaining[line] -= 1
            else:
                added.append(index)
        return added, list(remaining.elements())
    for kind, a1, a2, b1, b2 in SequenceMatcher(None, a, b, autojunk=False).get_opcodes():
        if kind != "equal":
            removed += a[a1:a2]
            added += range(start + b1, start + b2)
    return added, removed


def _common_prefix_length(a: list[bytes], b: list[bytes]) -> int:
    return next((n for n, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))


def split_units(path: str, source: bytes) -> dict[CodeUnit, list[bytes]]:
    found: dict[CodeUnit, list[bytes]] = {}
    language = language_of_path(path)
    if source and language is not None:
        rows = source.split(b"\n")
        for unit, row in _go_units(rows) if language == "go" else _parsed_units(language, source, rows):
            found.setdefault(unit, []).append(row)
    return found


def _go_units(rows: Iterable[bytes]) -> Iterator[tuple[CodeUnit, bytes]]:
    between = unit = CodeUnit("", False)
    for row in rows:
        if row[:1] in (b"f", b"t") and (header := _GO_HEADER.match(row)):
            unit = _unit_of_header(header)
        yield unit, row
        if row[:1] in _GO_UNIT_END or (row[:5] == b"func " and row.rstrip().endswith(b"}")):
            unit = between


def _unit_of_header(header: re.Match[bytes]) -> CodeUnit:
    star, owner, name, kind = (g.decode() if g else "" for g in header.groups())
    if kind:
        return CodeUnit(kind, True)
    return CodeUnit(f"({star}{owner}).{name}" if star else f"{owner}.{name}" if owner else name, False)


def _parsed_units(language: str, source: bytes, rows: list[bytes]) -> Iterator[tuple[CodeUnit, bytes]]:
    names = [CodeUnit("", False)] * (len(rows) + 1)
    try:
        for name, first, last in parser.all_function_extents(language, source):
            end = min(last, len(rows))
            names[first : end + 1] = [CodeUnit(name, False)] * (end + 1 - first)
    except DeadheatError:  # no parser: the file is one unit
        pass
    yield from zip(names[1:], rows, strict=True)
