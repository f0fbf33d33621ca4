"""Finds versions that the author names, and the role of each."""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import TYPE_CHECKING

from deadheat.bug_reports.claims import ClaimMatch

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deadheat.bug_reports.claims.outline import BugReportOutline, OutlineBlock

_VERSION_SUFFIX = (
    r"(?:[-+.]?(?:alpha|beta|rc|pre|dev|dirty|g|nightly)(?:[\w.+-]{0,60}\w)?"
    r"|-\d(?:[\w.-]{0,60}\w)?)?"
)
_VERSION_NUMBER = rf"(?:\d{{1,4}}(?:\.(?:\d{{1,6}}|x|X)){{1,2}}{_VERSION_SUFFIX})"
# "v5.2.2", "5.x", "release-5.2", "1.8.3"; not part of a path, an address, a file or a number
_VERSION = re.compile(
    rf"(?<![\w.@/:%$=-])(?:release[- ]|version )?(?P<v>[vV]?)(?P<number>{_VERSION_NUMBER})"
    r"(?![\w%]|\.\d|/\d|:\d)"
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
    rf"[vV]?({_VERSION_NUMBER})(?!\w)",
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
    "fixed": "fixed-in",
    "unaffected": "unaffected",
    "introduced": "introduced-in",
    "affects": "affects",
    "found": "found-in",
}
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


class VersionFinder:
    kind = "version"

    def find(self, outline: BugReportOutline) -> Iterator[ClaimMatch]:
        known_starts: set[int] = set()
        for match in self._all_versions(outline):
            if match.start not in known_starts:
                known_starts.add(match.start)
                yield match

    def _all_versions(self, outline: BugReportOutline) -> Iterator[ClaimMatch]:
        for block in outline.prose_blocks():
            for match in _AFFECTS_LABEL.finditer(outline.text, block.start, block.end):
                certainty = (("sure", "no"),) if match["may"] else ()
                yield ClaimMatch(self.kind, match["number"], *match.span("number"), "affects", certainty)
        for block in outline.blocks:
            in_section = _VERSION_SECTION.search(block.section) is not None
            if block.kind == "prose" or (in_section and not block.has_report):
                yield from self._tool_versions(outline, block)
                yield from self._version_fields(outline, block, in_section)
        for block, start, end in outline.sentences():
            yield from self._versions_in_sentence(outline, block, start, end)

    def _tool_versions(self, outline: BugReportOutline, block: OutlineBlock) -> Iterator[ClaimMatch]:
        """Versions of toolchain and kernel, and commits given as versions."""
        for pattern, tool in ((_GO_VERSION, "go"), (_KERNEL_VERSION, "linux"), (_COMMIT_VERSION, "")):
            for match in pattern.finditer(outline.text, block.start, block.end):
                details = (("of", tool),) if tool else (("type", "commit"),)
                group = match.lastindex or 0
                yield ClaimMatch(self.kind, match[group], *match.span(group), "found-in", details)

    def _version_fields(self, outline: BugReportOutline, block: OutlineBlock, in_section: bool) -> Iterator[ClaimMatch]:
        for match in _VERSION_FIELD.finditer(outline.text, block.start, block.end):
            yield ClaimMatch(self.kind, _with_v_prefix(outline.text, match, 2), *match.span(2), "found-in")
        if in_section and block.kind == "code":
            for match in _VERSION.finditer(outline.text, block.start, block.end):
                if match["v"]:
                    yield self._version_match(match, _section_role(block.section))

    def _versions_in_sentence(
        self, outline: BugReportOutline, block: OutlineBlock, start: int, end: int
    ) -> Iterator[ClaimMatch]:
        in_section = _VERSION_SECTION.search(block.section) is not None
        roles = _VersionRoles(outline.text, start, end)
        for match in _VERSION.finditer(outline.text, start, end):
            before = outline.text[max(start, match.start() - 32) : match.start()]
            role = roles.role_at(match.start())
            if role is None and in_section:
                role = _section_role(block.section)
            if role is not None and (match["v"] or in_section or _is_likely_version(match, before)):
                yield self._version_match(match, role)
            elif match["number"].count(".") == 2 and "x" not in match["number"]:
                product = _PRODUCT_NAME.search(before)
                is_product = product is not None and product[1].lower() not in _NOT_PRODUCTS
                if match["v"] or is_product:
                    product_details = (("of", product[1]),) if product and is_product else ()
                    yield ClaimMatch(
                        self.kind, _full_version(match), *_version_span(match), "mentioned", product_details
                    )

    def _version_match(self, match: re.Match[str], role: str) -> ClaimMatch:
        return ClaimMatch(self.kind, _full_version(match), *_version_span(match), role)


def _full_version(match: re.Match[str]) -> str:
    return f"{match['v']}{match['number']}"


def _version_span(match: re.Match[str]) -> tuple[int, int]:
    return match.start("v"), match.end("number")


def _with_v_prefix(text: str, match: re.Match[str], group: int) -> str:
    start = match.start(group)
    return text[start - (text[start - 1 : start] in ("v", "V")) : match.end(group)]


def _is_likely_version(match: re.Match[str], before: str) -> bool:
    """Whether a number is a version: one with a single dot ("2.5 seconds") needs the word "version"."""
    number = match["number"]
    if number.count(".") >= 2 or "x" in number.lower():
        return True
    return match[0].startswith(("release", "version")) or before.rstrip().endswith(("version", "versions"))


class _VersionRoles:
    """The words of a sentence that give roles to the versions after them."""

    def __init__(self, text: str, start: int, end: int) -> None:
        role_offsets = [
            (word_match.end(), _ROLE_NAMES[word_match.lastgroup or ""])
            for word_match in _ROLE_WORD.finditer(text, start, end)
        ]
        # roles end with their clause
        role_offsets += [(word_match.end(), "") for word_match in _CLAUSE_END.finditer(text, start, end)]
        role_offsets.sort()
        self._offsets = [offset for offset, _ in role_offsets]
        self._roles = [role for _, role in role_offsets]

    def role_at(self, offset: int) -> str | None:
        """The role of a version at this offset, from the last word before it."""
        last = bisect_right(self._offsets, offset) - 1
        if last < 0 or offset - self._offsets[last] > _MAX_ROLE_DISTANCE:
            return None
        return self._roles[last] or None


def _section_role(section: str) -> str:
    if _FIXED_SECTION.search(section):
        return "fixed-in"
    return "affects" if _AFFECTED_SECTION.search(section) else "found-in"


FINDER = VersionFinder()
