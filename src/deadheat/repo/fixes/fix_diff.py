"""The change that a fix makes to the racing files, as lines of a unified diff."""

from __future__ import annotations

from difflib import unified_diff
from itertools import islice
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Container, Iterator

    from deadheat.repo.git import GitReader

# limits: lines of a diff, length of a line, lines of a file that is compared
_MAX_LINES, _MAX_LINE_LENGTH, _MAX_FILE_LINES = 60, 300, 20_000


def diff_of_commit(git: GitReader, commit: str, paths: Container[str]) -> tuple[str, ...]:
    """The lines that a commit changes in these files against its first parent, with three lines around each change."""
    return tuple(islice(_diff_lines(git, commit, paths), _MAX_LINES))


def _diff_lines(git: GitReader, commit: str, paths: Container[str]) -> Iterator[str]:
    parent = next(git.output_lines("rev-parse", "--verify", "--quiet", f"{commit}^"), "")
    for _, name, old, new in list(git.changed_files([(commit, parent)])) if parent else ():
        path = name.decode("utf-8", "replace")
        if path not in paths:
            continue
        before, after = _lines_of(git, old), _lines_of(git, new)
        if max(len(before), len(after)) <= _MAX_FILE_LINES:
            for line in unified_diff(before, after, f"a/{path}", f"b/{path}", lineterm=""):
                yield line[:_MAX_LINE_LENGTH]


def _lines_of(git: GitReader, blob: str) -> list[str]:
    content = git.read_object(blob) if blob else None
    return (content or b"").decode("utf-8", "replace").splitlines()
