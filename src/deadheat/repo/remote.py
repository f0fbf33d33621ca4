"""Reads the remote and the checked-out commit of a clone from a few small files, without running git."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from deadheat.errors import DeadheatError
from deadheat.repo.git import (
    MAX_LINE_BYTES,
    MAX_PACKED_REFS_BYTES,
    find_git_folders,
    is_valid_ref_name,
    read_small_file,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

# '[remote "origin"]', '[core]'
_SECTION = re.compile(r"[ \t]*\[([^\]\n]{1,300})\]")
# "	url = git@github.com:owner/repo.git"
_URL = re.compile(r"[ \t]*url[ \t]*=[ \t]*(\S{1,1000})[ \t]*$", re.IGNORECASE)
_COMMIT_ID = re.compile(r"[0-9a-f]{40,64}")
_BRANCH = re.compile(r"ref: (refs/[^\n]{1,500})")


class CheckedOutCommit(NamedTuple):
    """Where a checkout came from, and what is checked out. Empty means unknown."""

    folder: str  # the top folder of the checkout
    remote_url: str
    commit: str


def find_checkout(folder: str) -> CheckedOutCommit | None:
    """The checkout that contains a folder; None outside a repository."""
    start = Path(folder).absolute()
    for candidate in (start, *start.parents):
        if (candidate / ".git").exists():
            return read_checkout(str(candidate))
    return None


def read_checkout(clone_path: str) -> CheckedOutCommit | None:
    """The remote and the commit of a clone, bare or not; None if the folder is no clone."""
    try:
        head_folder, common_folder = find_git_folders(clone_path)
    except (DeadheatError, OSError):
        return None
    urls = dict(reversed([*_remote_urls(read_small_file(common_folder / "config"))]))
    url = urls.get("origin") or next(reversed(urls.values()), "")
    return CheckedOutCommit(clone_path, url, _head_commit(head_folder, common_folder))


def _remote_urls(config: str) -> Iterator[tuple[str, str]]:
    """The names and addresses of the remotes, in the order of the file."""
    remote = ""
    for line in config.splitlines():
        if section := _SECTION.match(line):
            kind, _, name = section[1].strip().partition(" ")
            remote = name.strip().strip('"') if kind.lower() == "remote" else ""
        elif remote and (url := _URL.match(line)):
            yield remote, url[1]


def _head_commit(head_folder: Path, common_folder: Path) -> str:
    """The id of the checked-out commit; empty if it is not known."""
    text = read_small_file(head_folder / "HEAD", MAX_LINE_BYTES).strip()
    if branch := _BRANCH.fullmatch(text):
        name = branch[1]
        if not is_valid_ref_name(name):
            return ""
        text = read_small_file(common_folder / name, MAX_LINE_BYTES).strip()
        if not text:
            packed = read_small_file(common_folder / "packed-refs", MAX_PACKED_REFS_BYTES)
            text = next((line.partition(" ")[0] for line in packed.splitlines() if line.endswith(f" {name}")), "")
    return text if _COMMIT_ID.fullmatch(text) else ""
