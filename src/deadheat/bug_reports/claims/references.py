"""Finds issues, changes and commits that the author refers to or suspects."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from deadheat.bug_reports.claims import ClaimMatch

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deadheat.bug_reports.claims.outline import BugReportOutline


_REFERENCE = re.compile(
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
_COMMIT_HASH = re.compile(r"(?<![\w/.-])(?=[a-f]{0,39}\d)(?=\d{0,39}[a-f])[0-9a-f]{7,40}(?![\w/-])")
# nouns that are counted with "#1"
_COUNTED_NOUN = re.compile(
    r"\b(?:thread|step|option|case|frame|item|goroutine|cpu|attempt|point|part|test|session|node"
    r"|worker|run|line|question|example|figure|table|core|shard|replica|task|phase|problem|reason"
    r"|solution|approach|scenario|method|proposal|idea|number|no\.?)s? ?$",
    re.IGNORECASE,
)
# "close #7", "see #7": after such a word even a single digit is an issue
_REFERENCE_WORD = re.compile(
    r"\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?|see|refs?|references?|issue|pr|pull request"
    r"|number|part of|duplicate of|related to|introduced (?:in|by)|caused by|reverts?)[: ]{1,3}$",
    re.IGNORECASE,
)
_WORD_ENDINGS = tuple("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.")
_PULL_TYPES = ("pull", "pulls", "merge_requests")


class NamedReference(NamedTuple):
    """An issue, a change or a commit that a text refers to."""

    value: str  # "acme/outbox#203", "#203", or a commit's hash
    type: str  # "issue", "pull-request", "commit", or "" if unknown
    start: int
    end: int


def find_references(text: str, start: int, end: int) -> Iterator[NamedReference]:
    """Yields the issues, changes and linked commits in a part of a text."""
    for match in _REFERENCE.finditer(text, start, end):
        before = text[max(start, match.start() - 30) : match.start()]
        if (name := _parse_reference(match, before)) is not None:
            yield name


def find_commit_hashes(text: str, start: int, end: int) -> Iterator[NamedReference]:
    """Yields possible commit hashes; the caller must check the context."""
    for match in _COMMIT_HASH.finditer(text, start, end):
        yield NamedReference(match[0], "commit", *match.span())


def _parse_reference(match: re.Match[str], before: str) -> NamedReference | None:
    groups = match.groupdict()
    span = match.span()
    if groups["number"]:
        kind = "pull-request" if groups["type"] in _PULL_TYPES else "issue"
        return NamedReference(f"{groups['owner']}/{groups['repo']}#{groups['number']}", kind, *span)
    if groups["commit"]:
        return NamedReference(f"{groups['committer']}@{groups['commit']}", "commit", *span)
    if groups["go"]:
        kind = "issue" if groups["go"] == "issue" else "pull-request"
        return NamedReference(f"golang/go#{groups['go_number']}", kind, *span)
    if groups["bug"]:
        return NamedReference(f"{groups['zilla']}#{groups['bug']}", "issue", *span)
    if groups["path"]:
        return NamedReference(f"{groups['path']}#{groups['path_number']}", "", *span)
    if groups["told"]:
        return NamedReference(f"#{groups['told']}", "pull-request" if groups["pull"] else "issue", *span)
    if groups["gh"]:
        return NamedReference(f"#{groups['gh']}", "", *span)
    return _parse_bare_number(groups["bare"], before, span)


def _parse_bare_number(number: str, before: str, span: tuple[int, int]) -> NamedReference | None:
    has_word = before.rstrip(" :").endswith(_WORD_ENDINGS)
    if number.startswith("0") or (has_word and _COUNTED_NOUN.search(before)):
        return None
    if len(number) < 2 and not (has_word and _REFERENCE_WORD.search(before)):
        return None
    return NamedReference(f"#{number}", "", *span)


# words that express blame anywhere before the reference, within this distance
_SENTENCE_REST = r"[^.#\n]{0,60}$"
_BLAME_WORDS = re.compile(
    rf"\b(?:introduced|brought|caused|broken? (?:by|in|since|with|it|this)|regress(?:ed|es)"
    rf"|regression(?! tests?\b)|bisect(?:ed|s|ing)?|culprit"
    rf"|first bad commit|revert(?:ing|s|ed)?|due to|because of|stems from)\b{_SENTENCE_REST}",
    re.IGNORECASE,
)
# words that express blame only directly before the reference: "removed in #203", "since commit 1a2b3c4"
_ADJACENT_BLAME_WORDS = re.compile(
    r"\b(?:(?:removed|dropped|changed|refactored|rewritten|reworked|started)\b[ \w]{0,12}"
    r"\b(?:in|by|with|from)|since|after(?: merging)?|as of)"
    r"[: ]{1,3}(?:the )?(?:commit|change|pr|pull request|merge of)?[: ]{0,3}$",
    re.IGNORECASE,
)
# negations: "fixed by", "not caused by"
_NEGATION = re.compile(r"\bfix(?:ed|es)? (?:by|in|with)|\bnot\b|n't\b|\bno\b|\bunrelated\b", re.IGNORECASE)
# words before a bare hash: "commit 1a2b3c4", "bisected to 1a2b3c4"
_COMMIT_WORD = re.compile(r"\b(?:commit|change|revision|rev|to|by|in|since|at)[: `\[(*]{1,4}$", re.IGNORECASE)
# output of git bisect: `1a2b3c4d5e is the first bad commit`
_BISECT_RESULT = re.compile(r"\b([0-9a-f]{7,40}) is the first bad commit")
# trailer of kernel commits: `Fixes: 1a2b3c4d5e6f ("outbox: send without waiting")`
_FIXES_TRAILER = re.compile(r"^[ \t]{0,8}Fixes: ([0-9a-f]{8,40}) \(", re.MULTILINE)
# "#regzbot introduced: 1a2b3c4d5e6f"
_REGZBOT_COMMAND = re.compile(r"#regzbot \^?introduced:? ([0-9a-f]{7,40})\b")


# the maximum distance of these words, in characters
_MAX_BLAME_DISTANCE = 160


class SuspectFinder:
    kind = "suspect"

    def find(self, outline: BugReportOutline) -> Iterator[ClaimMatch]:
        for _, start, end in outline.sentences():
            yield from self._suspects_in_sentence(outline.text, start, end)
        for pattern, role in ((_BISECT_RESULT, "bisected"), (_FIXES_TRAILER, "trailer"), (_REGZBOT_COMMAND, "stated")):
            for match in pattern.finditer(outline.text):
                if not outline.is_excluded_text(match.start()):
                    details = (("type", "commit"),)
                    yield ClaimMatch(self.kind, match[1], *match.span(1), role, details)

    def _suspects_in_sentence(self, text: str, start: int, end: int) -> Iterator[ClaimMatch]:
        hashes = find_commit_hashes(text, start, end)
        commit_names = [name for name in hashes if _COMMIT_WORD.search(_text_before(text, start, name))]
        ordered_references = sorted([*find_references(text, start, end), *commit_names], key=lambda name: name.start)
        for name in ordered_references:
            if (role := blame_role(_text_before(text, start, name))) is not None:
                yield ClaimMatch(self.kind, name.value, start, end, role, _type_details(name))


def _text_before(text: str, start: int, name: NamedReference) -> str:
    return text[max(start, name.start - _MAX_BLAME_DISTANCE) : name.start]


def blame_role(before: str) -> str | None:
    """The role that the text before a reference expresses; None if it is not blame."""
    before = re.sub(r"[*_`\[\](<]", "", before)
    if match := _BLAME_WORDS.search(before):
        clause = before[max(0, match.start() - 16) :]
        if _NEGATION.search(clause):
            return None
        blame_word = match[0].lower()
        return "revert" if blame_word.startswith("revert") else "bisected" if "bisect" in blame_word else "stated"
    if _ADJACENT_BLAME_WORDS.search(before) and not _NEGATION.search(before[-60:]):
        return "stated"
    return None


def _type_details(name: NamedReference) -> tuple[tuple[str, str], ...]:
    return (("type", name.type),) if name.type else ()


SUSPECT_FINDER = SuspectFinder()


# the text before a reference determines its role; the first match is used
_ROLE_PATTERNS = (
    # "fixed by #7", "the fix is in acme/outbox#7"
    ("fixed-by", re.compile(r"\b(?:fix(?:ed|es|ing)?|closed)\b[^.#]{0,24}\b(?:by|in|with|via)\b[^.#]{0,12}$")),
    # "closes #7", "Issue Number: close #7"
    ("closes", re.compile(r"\b(?:clos(?:es?|ed|ing)|fix(?:es|ed)?|resolv(?:es?|ed))[: ]{1,3}$")),
    # "duplicate of #7"
    ("duplicate-of", re.compile(r"\bdup(?:licates?|e)?(?: of)?[: ]{1,3}$")),
    # "see also #7", "related: #7", "similar to #7"
    ("related", re.compile(r"\b(?:see|related|similar|like|cf|refs?|follow[- ]?up)\b[^.#]{0,12}$")),
)


# the maximum distance of that text, in characters
_MAX_ROLE_DISTANCE = 160


class ReferenceFinder:
    kind = "reference"

    def find(self, outline: BugReportOutline) -> Iterator[ClaimMatch]:
        for _, start, end in outline.sentences():
            for name in find_references(outline.text, start, end):
                type_details = (("type", name.type),) if name.type else ()
                role = _reference_role(outline.text[max(start, name.start - _MAX_ROLE_DISTANCE) : name.start])
                yield ClaimMatch(self.kind, name.value, name.start, name.end, role, type_details)


def _reference_role(before: str) -> str:
    if blame_role(before) is not None:
        return "suspected"
    # ignore link brackets and emphasis
    before = re.sub(r"[*_`\[\](<]", "", before[-60:].lower())
    return next((role for role, pattern in _ROLE_PATTERNS if pattern.search(before)), "mentioned")


REFERENCE_FINDER = ReferenceFinder()

FINDERS = (SUSPECT_FINDER, REFERENCE_FINDER)
