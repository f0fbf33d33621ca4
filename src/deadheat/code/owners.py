"""Who should look at a race: owners in CODEOWNERS and OWNERS files, then authors of the racing lines."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from deadheat.code.clone import Clone

_CODEOWNERS = (".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS", ".gitlab/CODEOWNERS")
# "  - zimulala", "- alice", below "approvers:" in an OWNERS file
_LISTED = re.compile(r"\s*-\s+([\w.@/-]{1,80})\s*(?:#.*)?$")
_HEADING = re.compile(r"\s*(approvers|reviewers|emeritus_approvers|labels|options|filters)\s*:")
_MOST = 10


class Owner(NamedTuple):
    who: str
    why: str


def owners(
    clone: Clone, commit: str, paths: Sequence[str], authors: Sequence[tuple[str, str]]
) -> list[Owner]:
    """Everybody to ask about these files, most relevant first."""
    found: dict[str, str] = {}
    for path in paths:
        for who, why in (*_code_owners(clone, commit, path), *_owners_files(clone, commit, path)):
            found.setdefault(who, why)
    for who, why in authors:
        found.setdefault(who, why)
    return [Owner(who, why) for who, why in found.items()][:_MOST]


def _code_owners(clone: Clone, commit: str, path: str) -> list[tuple[str, str]]:
    for name in _CODEOWNERS:
        content = clone.source(commit, name)
        if content is None:
            continue
        who, rule = code_owners(content.decode("utf-8", "replace"), path)
        return [(w, f"{name}: {rule}") for w in who]
    return []


def code_owners(text: str, path: str) -> tuple[list[str], str]:
    """The owners of a path, and the last rule that matches it."""
    for line in reversed(text.splitlines()):
        fields = line.partition(" #")[0].split()
        if not fields or fields[0].startswith(("#", "[", "^[", "!")):
            continue
        pattern = _pattern(fields[0])
        if pattern is not None and pattern.match(path):
            return fields[1:], fields[0]
    return [], ""


@lru_cache(maxsize=4096)
def _pattern(rule: str) -> re.Pattern[str] | None:
    """A CODEOWNERS rule as a regular expression: `*.go`, `/build/`, `docs/**`, `apps/*/x`."""
    if len(rule) > 500 or rule.count("*") > 12:
        return None
    body = rule.lstrip("/")
    anchored = rule.startswith("/") or "/" in body.rstrip("/")
    out = "" if anchored else "(?:.*/)?"
    for piece in re.split(r"(\*\*/|\*\*|\*|\?)", body.rstrip("/")):
        out += {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}.get(
            piece, re.escape(piece)
        )
    return re.compile(f"{out}/.*$" if rule.endswith("/") else f"{out}(?:/.*)?$")


def _owners_files(clone: Clone, commit: str, path: str) -> list[tuple[str, str]]:
    """The approvers of the nearest OWNERS file above a path."""
    parts = path.split("/")[:-1]
    for depth in range(len(parts), -1, -1):
        name = "/".join([*parts[:depth], "OWNERS"])
        content = clone.source(commit, name)
        if content is not None and (who := approvers(content.decode("utf-8", "replace"))):
            return [(w, f"approver in {name}") for w in who]
    return []


def approvers(text: str) -> list[str]:
    found, heading = [], ""
    for line in text.splitlines():
        if told := _HEADING.match(line):
            heading = told[1]
        elif heading == "approvers" and (told := _LISTED.match(line)):
            found.append(told[1])
    return found
