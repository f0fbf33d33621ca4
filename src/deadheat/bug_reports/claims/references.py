"""Finds versions, issues, changes and commits that the author names, and what the author says about them."""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import TYPE_CHECKING, NamedTuple

from deadheat.bug_reports.claims import ClaimFinder, ClaimMatch

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deadheat.bug_reports.claims.outline import BugReportOutline, OutlineBlock

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
    r"|(?P<issue>[Ii]ssues?|ISSUE|[Bb]ug))[ :]{1,2}[#!]?(?P<noun_number>\d{1,9})(?!\w|[.%-]\d|%)"
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


def _find_references(text: str, start: int, end: int) -> Iterator[NamedReference]:
    """Yields the issues, changes and linked commits in a part of a text."""
    for match in _REFERENCE.finditer(text, start, end):
        before = text[max(start, match.start() - 30) : match.start()]
        if (name := _parse_reference(match, before)) is not None:
            yield name


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
    if groups["noun_number"]:
        return NamedReference(f"#{groups['noun_number']}", "pull-request" if groups["pull"] else "issue", *span)
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

_MAX_CONTEXT = 160  # characters before a reference that determine its role


def _find_suspects(outline: BugReportOutline) -> Iterator[ClaimMatch]:
    for _, start, end in outline.sentences():
        yield from _suspects_in_sentence(outline.text, start, end)
    for pattern, role in ((_BISECT_RESULT, "bisected"), (_FIXES_TRAILER, "trailer"), (_REGZBOT_COMMAND, "stated")):
        for match in pattern.finditer(outline.text):
            if not outline.is_excluded_text(match.start()):
                yield ClaimMatch(match[1], *match.span(1), role, (("type", "commit"),))


def _suspects_in_sentence(text: str, start: int, end: int) -> Iterator[ClaimMatch]:
    hashes = (NamedReference(match[0], "commit", *match.span()) for match in _COMMIT_HASH.finditer(text, start, end))
    commits = [name for name in hashes if _COMMIT_WORD.search(_text_before(text, start, name))]
    for name in sorted([*_find_references(text, start, end), *commits], key=lambda name: name.start):
        if (role := _blame_role(_text_before(text, start, name))) is not None:
            yield ClaimMatch(name.value, start, end, role, _type_details(name))


def _text_before(text: str, start: int, name: NamedReference) -> str:
    return text[max(start, name.start - _MAX_CONTEXT) : name.start]


def _blame_role(before: str) -> str | None:
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


def _find_mentions(outline: BugReportOutline) -> Iterator[ClaimMatch]:
    for _, start, end in outline.sentences():
        for name in _find_references(outline.text, start, end):
            role = _reference_role(_text_before(outline.text, start, name))
            yield ClaimMatch(name.value, name.start, name.end, role, _type_details(name))


def _reference_role(before: str) -> str:
    if _blame_role(before) is not None:
        return "suspected"
    # ignore link brackets and emphasis
    before = re.sub(r"[*_`\[\](<]", "", before[-60:].lower())
    return next((role for role, pattern in _ROLE_PATTERNS if pattern.search(before)), "mentioned")


_VERSION_SUFFIX = r"(?:[-+.]?(?:alpha|beta|rc|pre|dev|dirty|g|nightly)(?:[\w.+-]{0,60}\w)?|-\d(?:[\w.-]{0,60}\w)?)?"
_VERSION_NUMBER = rf"(?:\d{{1,4}}(?:\.(?:\d{{1,6}}|x|X)){{1,2}}{_VERSION_SUFFIX})"
# "v5.2.2", "5.x", "release-5.2", "1.8.3"; not part of a path, an address, a file or a number
_VERSION = re.compile(
    rf"(?<![\w.@/:%$=-])(?:release[- ]|version )?(?P<v>[vV]?)(?P<number>{_VERSION_NUMBER})(?![\w%]|\.\d|/\d|:\d)"
)
# "go version go1.17.2 linux/amd64", "Go 1.8.3", "golang 1.21", "Go: v1.22rc1"
_GO_VERSION = re.compile(
    r"(?<![\w./-])(?:go version )?(?:[Gg]o|[Gg]olang)(?:[ -]|(?=\d)|: ?v?)"
    r"(1\.\d{1,2}(?:\.\d{1,3}|(?:rc|beta)\d)?)(?![\w.]\d|\w)"
)
# "Linux version 5.15.0-rc3", "kernel 6.1.2", "Linux host 5.10.0-8-amd64 #1 SMP", "Kernel: v6.8-rc1"
_KERNEL_VERSION = re.compile(
    r"\b(?:Linux version|[Kk]ernel(?: version)?:?|Linux \S{1,60}(?= \d{1,2}\.\d{1,3}[^\n]{0,60}#)"
    r"|linux) v?(\d{1,2}\.\d{1,3}(?:\.\d{1,3})?(?:-[\w.+-]{1,60})?)(?![\w.])"
)
# "Git Commit Hash: 1a2b3c4...", "at commit 1a2b3c4", "on master 1a2b3c4"
_COMMIT_VERSION = re.compile(
    r"\b(?:[Gg]it [Cc]ommit [Hh]ash|[Gg]it [Hh]ash|[Cc]ommit(?: [Hh]ash| id)?|[Rr]evision|sha)[:=]"
    r"[ `]{0,3}((?=[a-f]{0,39}\d)[0-9a-f]{7,40})\b"
    r"|\b(?:at|on|with|using|version|built from|HEAD of)(?: the)? (?:commit|revision|master|main|HEAD)"
    r"[ (@:`]{1,4}((?=[a-f]{0,39}\d)[0-9a-f]{7,40})\b"
)
# "Release Version: v5.2.2", "etcd version: 3.4.1"
_VERSION_FIELD = re.compile(
    r"^[ \t>*-]{0,6}([\w ]{1,40}?)[ _]?[Vv]ersion[*_]{0,2}[:=| ]{1,4}[ \t]*[*_`]{0,2}"
    rf"([vV]?)({_VERSION_NUMBER})(?!\w)",
    re.MULTILINE,
)
# a label, "affects-5.2"; also "may-affects-5.4"
_AFFECTS_LABEL = re.compile(rf"(?<![\w/-])(?P<may>may-)?affects?[-/]v?(?P<number>{_VERSION_NUMBER})(?![\w.])")

# words before a version in its clause; the last one determines the role
_ROLE_WORD = re.compile(
    r"(?P<fixed>\bfix(?:ed|es)?\b|\bresolved\b|\bsolved\b|\bpatched\b|\bbackported\b|\bno longer\b"
    r"|\bgone (?:in|with|since)\b)"
    r"|(?P<unaffected>\b(?:not|n't|never|cannot) (?:be )?(?:reproduc|affect|happen|seen|occur)\w*)"
    r"|(?P<introduced>\bintroduced\b|\bregress\w{0,6}\b|\bbroken? (?:in|since)\b|\bsince\b"
    r"|\bstarting (?:from|with)\b)"
    r"|(?P<affects>\baffect(?:s|ed|ing)?\b|\bvulnerable\b|\ball\b|\bevery\b)"
    r"|(?P<found>\bfound\b|\bseen\b|\bobserved\b|\breproduc\w{1,6}\b|\bhappen(?:s|ed|ing)?\b"
    r"|\boccurs?\b|\btested\b|\brunning\b|\busing\b|\bhit\b|\bfail(?:s|ed|ing)?\b|\bon version\b"
    r"|\brace (?:in|on|with) (?=[vV\d]))",
    re.IGNORECASE,
)
# "found in v1, but fixed in v2", "affects v1; v2 is fine"
_CLAUSE_END = re.compile(r"[;:(]|, (?:but|and it|while)\b|\bbut\b")
_ROLE_NAMES = {
    "fixed": "fixed-in", "unaffected": "unaffected", "introduced": "introduced-in", "affects": "affects",
    "found": "found-in",
}  # fmt: skip
# "What is your TiDB version?", "Affected versions", "Environment"
_VERSION_SECTION = re.compile(r"\bversions?\b|\benvironment\b|\bgo env\b|\bplatform\b", re.IGNORECASE)
_AFFECTED_SECTION = re.compile(r"\baffect", re.IGNORECASE)
_FIXED_SECTION = re.compile(r"\bfix(?:ed)?\b", re.IGNORECASE)
# the maximum distance of these words, in characters
_MAX_ROLE_DISTANCE = 120
# "grpc v1.12.0", "gRPC 1.4.1": a product and three numbers
_PRODUCT_NAME = re.compile(r"([A-Za-z][\w-]{1,30}) $")
_NOT_PRODUCTS = frozenset((
    "in", "on", "at", "to", "of", "by", "with", "for", "from", "and", "or", "the", "a", "an", "is",
    "was", "version", "since", "until", "before", "after", "than", "about", "took",
))  # fmt: skip


def _find_versions(outline: BugReportOutline) -> Iterator[ClaimMatch]:
    known_starts: set[int] = set()
    for match in _all_versions(outline):
        if match.start not in known_starts:
            known_starts.add(match.start)
            yield match


def _all_versions(outline: BugReportOutline) -> Iterator[ClaimMatch]:
    for block in outline.prose_blocks():
        for match in _AFFECTS_LABEL.finditer(outline.text, block.start, block.end):
            certainty = (("sure", "no"),) if match["may"] else ()
            yield ClaimMatch(match["number"], *match.span("number"), "affects", certainty)
    for block in outline.blocks:
        in_section = _VERSION_SECTION.search(block.section) is not None
        if block.kind == "prose" or (in_section and not block.has_report):
            yield from _tool_versions(outline, block)
            yield from _version_fields(outline, block, in_section)
    for block, start, end in outline.sentences():
        yield from _versions_in_sentence(outline, block, start, end)


def _tool_versions(outline: BugReportOutline, block: OutlineBlock) -> Iterator[ClaimMatch]:
    """Versions of toolchain and kernel, and commits given as versions."""
    for pattern, tool in ((_GO_VERSION, "go"), (_KERNEL_VERSION, "linux"), (_COMMIT_VERSION, "")):
        for match in pattern.finditer(outline.text, block.start, block.end):
            details = (("of", tool),) if tool else (("type", "commit"),)
            group = match.lastindex or 0
            yield ClaimMatch(match[group], *match.span(group), "found-in", details)


def _version_fields(outline: BugReportOutline, block: OutlineBlock, in_section: bool) -> Iterator[ClaimMatch]:
    for match in _VERSION_FIELD.finditer(outline.text, block.start, block.end):
        yield ClaimMatch(match[2] + match[3], *match.span(3), "found-in")
    if in_section and block.kind == "code":
        for match in _VERSION.finditer(outline.text, block.start, block.end):
            if match["v"]:
                yield _version_match(match, _section_role(block.section))


def _versions_in_sentence(outline: BugReportOutline, block: OutlineBlock, start: int, end: int) -> Iterator[ClaimMatch]:
    in_section = _VERSION_SECTION.search(block.section) is not None
    roles = _VersionRoles(outline.text, start, end)
    for match in _VERSION.finditer(outline.text, start, end):
        before = outline.text[max(start, match.start() - 32) : match.start()]
        role = roles.role_at(match.start())
        if role is None and in_section:
            role = _section_role(block.section)
        if role is not None and (match["v"] or in_section or _is_likely_version(match, before)):
            yield _version_match(match, role)
        elif match["number"].count(".") == 2 and "x" not in match["number"]:
            product = _PRODUCT_NAME.search(before)
            is_product = product is not None and product[1].lower() not in _NOT_PRODUCTS
            if match["v"] or is_product:
                product_details = (("of", product[1]),) if product and is_product else ()
                yield _version_match(match, "mentioned", product_details)


def _version_match(match: re.Match[str], role: str, details: tuple[tuple[str, str], ...] = ()) -> ClaimMatch:
    return ClaimMatch(f"{match['v']}{match['number']}", match.start("v"), match.end("number"), role, details)


def _is_likely_version(match: re.Match[str], before: str) -> bool:
    """Whether a number is a version: one with a single dot ("2.5 seconds") needs the word "version"."""
    number = match["number"]
    if number.count(".") >= 2 or "x" in number.lower():
        return True
    return match[0].startswith(("release", "version")) or before.rstrip().endswith(("version", "versions"))


class _VersionRoles:
    """The words of a sentence that give roles to the versions after them."""

    def __init__(self, text: str, start: int, end: int) -> None:
        roles = [(word.end(), _ROLE_NAMES[word.lastgroup or ""]) for word in _ROLE_WORD.finditer(text, start, end)]
        # roles end with their clause
        roles += [(clause.end(), "") for clause in _CLAUSE_END.finditer(text, start, end)]
        self._roles = sorted(roles)

    def role_at(self, offset: int) -> str | None:
        """The role of a version at this offset, from the last word before it."""
        last = bisect_right(self._roles, offset, key=lambda role: role[0]) - 1
        if last < 0 or offset - self._roles[last][0] > _MAX_ROLE_DISTANCE:
            return None
        return self._roles[last][1] or None


def _section_role(section: str) -> str:
    if _FIXED_SECTION.search(section):
        return "fixed-in"
    return "affects" if _AFFECTED_SECTION.search(section) else "found-in"


FINDERS = (
    ClaimFinder("suspect", _find_suspects),
    ClaimFinder("reference", _find_mentions),
    ClaimFinder("version", _find_versions),
)
