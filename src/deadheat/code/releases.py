"""Which releases contain a fix: later ones, and those with a backport."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from deadheat.code import follow
from deadheat.code.history import version_at

if TYPE_CHECKING:
    from deadheat.code.clone import Clone

# "v5.4.0-alpha", "v1.2.0-rc.1"
_CANDIDATE = re.compile(r"alpha|beta|rc|pre|dev|nightly", re.IGNORECASE)
_NUMBERS = re.compile(r"\d{1,9}")
_FILES = 12


def released(clone: Clone, fix: str) -> list[str]:
    """The tags that contain a commit of the main line, in version order."""
    place = clone.main.position(fix)
    if place is None:
        return []
    clone.beside.learn(clone.tags.values())
    forks = {name: clone.beside.fork(commit) for name, commit in clone.tags.items()}
    after = {name for name, fork in forks.items() if fork is not None and fork >= place}
    # an older commit of the main line cannot contain the fix
    early = {
        name: commit
        for name, commit in clone.tags.items()
        if name not in after and clone.main.position(commit) is None
    }
    return sorted(after | _brought_to(clone, early, place), key=_in_order)


def _brought_to(clone: Clone, tags: dict[str, str], place: int) -> set[str]:
    """The tags whose files contain the lines that the fix added, under any path."""
    for path in clone.main.changed(place)[:_FILES]:
        versions = clone.main.versions(path)
        old, new = version_at(versions, place - 1), version_at(versions, place)
        added = follow.rows(clone, new) - follow.rows(clone, old)
        if path.endswith("_test.go") or not added:
            continue
        paths = [p for p, _ in follow.backward(clone, path, place)] or [path]
        blobs = clone.blobs(tags.values(), paths)
        held = follow.hold(clone, new or "", added, set(blobs.values()))
        return {
            name
            for name, commit in tags.items()
            if any(held.get(blobs.get((commit, p), "")) for p in paths)
        }
    return set()


def _in_order(tag: str) -> tuple[list[int], bool, str]:
    """Sort key: `v1.9.0` before `v1.10.0`, pre-releases before their release."""
    numbers = [int(n) for n in _NUMBERS.findall(tag)[:3]]
    return numbers, not _CANDIDATE.search(tag), tag
