"""Patterns of CODEOWNERS files."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence


class OwnerRule(NamedTuple):
    """Who owns the files that match a pattern."""

    pattern: str
    owners: tuple[str, ...]


def owners_by_rule(rules: Sequence[OwnerRule], path: str) -> tuple[tuple[str, ...], str]:
    """The owners of a path, and the last rule that matches it."""
    for rule in reversed(rules):
        pattern = _rule_pattern(rule.pattern)
        if pattern is not None and pattern.match(path):
            return rule.owners, rule.pattern
    return (), ""


def match_codeowners(text: str, path: str) -> tuple[list[str], str]:
    """The owners of a path, and the last rule that matches it."""
    for line in reversed(text.splitlines()):
        fields = line.partition(" #")[0].split()
        if not fields or fields[0].startswith(("#", "[", "^[", "!")):
            continue
        pattern = _rule_pattern(fields[0])
        if pattern is not None and pattern.match(path):
            return fields[1:], fields[0]
    return [], ""


@lru_cache(maxsize=4096)
def _rule_pattern(rule: str) -> re.Pattern[str] | None:
    """A CODEOWNERS rule as a regular expression: `*.go`, `/build/`, `docs/**`, `apps/*/x`."""
    if len(rule) > 500 or rule.count("*") > 12:
        return None
    body = rule.lstrip("/")
    anchored = rule.startswith("/") or "/" in body.rstrip("/")
    expression = "" if anchored else "(?:.*/)?"
    for piece in re.split(r"(\*\*/|\*\*|\*|\?)", body.rstrip("/")):
        expression += {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}.get(piece, re.escape(piece))
    return re.compile(f"{expression}/.*$" if rule.endswith("/") else f"{expression}(?:/.*)?$")
