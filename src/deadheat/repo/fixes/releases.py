"""The releases that contain a fix."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from deadheat.repo import file_versions
from deadheat.repo.git.history import version_at

if TYPE_CHECKING:
    from deadheat.repo.clone import Clone

# "v5.4.0-alpha", "v1.2.0-rc.1"
_PRERELEASE = re.compile(r"alpha|beta|rc|pre|dev|nightly", re.IGNORECASE)
_VERSION_NUMBER = re.compile(r"\d{1,9}")
_MAX_FILES = 12


def releases_with(clone: Clone, fix: str) -> list[str]:
    """The tags that contain a commit of the main line, in version order."""
    position = clone.main.position_of(fix)
    if position is None:
        return []
    clone.side_branches.load_parents(clone.tags.values())
    forks = {name: clone.side_branches.fork_position(commit) for name, commit in clone.tags.items()}
    later_tags = {name for name, fork in forks.items() if fork is not None and fork >= position}
    # an older commit of the main line cannot contain the fix
    side_tags = {name: commit for name, commit in clone.tags.items() if clone.main.position_of(commit) is None}
    earlier_tags = {name: commit for name, commit in side_tags.items() if name not in later_tags}
    return sorted(later_tags | _tags_with_backport(clone, earlier_tags, position), key=_version_order)


def _tags_with_backport(clone: Clone, tags: dict[str, str], position: int) -> set[str]:
    """The tags whose files contain the lines that the fix added, under any path."""
    for path in clone.main.changed_paths(position)[:_MAX_FILES]:
        versions = clone.main.file_versions(path)
        old, new = version_at(versions, position - 1), version_at(versions, position)
        added = file_versions.significant_lines(clone, new) - file_versions.significant_lines(clone, old)
        if path.endswith("_test.go") or not added:
            continue
        paths = [p for p, _ in file_versions.paths_before(clone, path, position)] or [path]
        blobs = clone.blobs_at(tags.values(), paths)
        contains_fix = file_versions.versions_with_fix(clone, new or "", added, set(blobs.values()))
        fixed_commits = {commit for (commit, _), blob in blobs.items() if contains_fix.get(blob)}
        return {name for name, commit in tags.items() if commit in fixed_commits}
    return set()


def _version_order(tag: str) -> tuple[list[int], bool, str]:
    """Sort key: `v1.9.0` before `v1.10.0`, pre-releases before their release."""
    numbers = [int(n) for n in _VERSION_NUMBER.findall(tag)[:3]]
    return numbers, not _PRERELEASE.search(tag), tag
