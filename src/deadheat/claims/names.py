"""Finds references to issues, changes and commits."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

_NAME = re.compile(
    # "https://github.com/acme/outbox/pull/203", "https://gitlab.com/acme/outbox/-/merge_requests/7"
    r"https?://(?:www\.)?(?P<host>github\.com|gitlab\.[\w.-]{2,60}|gitee\.com|codeberg\.org)"
    r"/(?P<owner>[\w.-]{1,60})/(?P<repo>[\w.-]{1,100})/(?:-/)?"
    r"(?P<type>issues|pulls?|merge_requests|discussions)/(?P<number>\d{1,9})(?!\d)"
    # "https://github.com/acme/outbox/commit/1a2b3c4d"
    r"|https?://(?:www\.)?[\w.-]{3,60}/(?P<committer>[\w.-]{1,60}/[\w.-]{1,100})/(?:-/)?commit/"
    r"(?P<commit>[0-9a-f]{7,40})\b"
    # "https://go.dev/issue/46095", "https://golang.org/cl/3456"
    r"|https?://(?:golang\.org|go\.dev)/(?P<go>issue|cl)s?/(?P<go_number>\d{1,9})(?!\d)"
    # "https://bugs.example.org/show_bug.cgi?id=12"
    r"|https?://(?P<zilla>[\w.-]{3,60}(?:/[\w.-]{1,40})?)/show_bug\.cgi\?id=(?P<bug>\d{1,9})(?!\d)"
    # "acme/outbox#203"
    r"|(?<![\w./-])(?P<path>[A-Za-z0-9][\w.-]{0,59}/[\w.-]{1,100})#(?P<path_number>\d{1,9})(?!\w|\.\w)"
    # "PR 203", "pull request #203", "issue 17", "GH-17"
    r"|(?<![\w/])(?:(?P<pull>PRs?|MRs?|[Pp]ull [Rr]equests?|[Mm]erge [Rr]equests?)"
    r"|(?P<issue>[Ii]ssues?|ISSUE|[Bb]ug))[ :]{1,2}[#!]?(?P<told>\d{1,9})(?!\w|[.%-]\d|%)"
    r"|\bGH-(?P<gh>\d{1,9})\b"
    # "#203"; not in "&#39;", "thread #1" and "x#12"
    r"|(?<![\w&/#.])#(?P<bare>\d{1,9})(?![\w.]\w|\w|:\d)"
)
# "1a2b3c4": a commit hash has a digit and a letter
_HASH = re.compile(r"(?<![\w/.-])(?=[a-f]{0,39}\d)(?=\d{0,39}[a-f])[0-9a-f]{7,40}(?![\w/-])")
# nouns that are counted with "#1"
_COUNTED = re.compile(
    r"\b(?:thread|step|option|case|frame|item|goroutine|cpu|attempt|point|part|test|session|node"
    r"|worker|run|line|question|example|figure|table|core|shard|replica|task|phase|problem|reason"
    r"|solution|approach|scenario|method|proposal|idea|number|no\.?)s? ?$",
    re.IGNORECASE,
)
# "close #7", "see #7": after such a word even a single digit is an issue
_CALLED = re.compile(
    r"\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?|see|refs?|references?|issue|pr|pull request"
    r"|number|part of|duplicate of|related to|introduced (?:in|by)|caused by|reverts?)[: ]{1,3}$",
    re.IGNORECASE,
)
_LETTERS = tuple("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.")
_PULLS = ("pull", "pulls", "merge_requests")


class Name(NamedTuple):
    """An issue, a change or a commit that a text refers to."""

    value: str  # "acme/outbox#203", "#203", or a commit's hash
    type: str  # "issue", "pull-request", "commit", or "" if unknown
    start: int
    end: int


def named(text: str, start: int, end: int) -> Iterator[Name]:
    """Yields the issues, changes and linked commits in a part of a text."""
    for match in _NAME.finditer(text, start, end):
        before = text[max(start, match.start() - 30) : match.start()]
        if (name := _name(match, before)) is not None:
            yield name


def commits(text: str, start: int, end: int) -> Iterator[Name]:
    """Yields possible commit hashes; the caller must check the context."""
    for match in _HASH.finditer(text, start, end):
        yield Name(match[0], "commit", *match.span())


def _name(match: re.Match[str], before: str) -> Name | None:
    groups = match.groupdict()
    span = match.span()
    if groups["number"]:
        kind = "pull-request" if groups["type"] in _PULLS else "issue"
        return Name(f"{groups['owner']}/{groups['repo']}#{groups['number']}", kind, *span)
    if groups["commit"]:
        return Name(f"{groups['committer']}@{groups['commit']}", "commit", *span)
    if groups["go"]:
        kind = "issue" if groups["go"] == "issue" else "pull-request"
        return Name(f"golang/go#{groups['go_number']}", kind, *span)
    if groups["bug"]:
        return Name(f"{groups['zilla']}#{groups['bug']}", "issue", *span)
    if groups["path"]:
        return Name(f"{groups['path']}#{groups['path_number']}", "", *span)
    if groups["told"]:
        return Name(f"#{groups['told']}", "pull-request" if groups["pull"] else "issue", *span)
    if groups["gh"]:
        return Name(f"#{groups['gh']}", "", *span)
    return _bare(groups["bare"], before, span)


def _bare(number: str, before: str, span: tuple[int, int]) -> Name | None:
    worded = before.rstrip(" :").endswith(_LETTERS)
    if number.startswith("0") or (worded and _COUNTED.search(before)):
        return None
    if len(number) < 2 and not (worded and _CALLED.search(before)):
        return None
    return Name(f"#{number}", "", *span)
