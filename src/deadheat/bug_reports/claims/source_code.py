"""Finds source code that the author quotes or links to, its language and functions."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from deadheat.bug_reports.claims import ClaimMatch

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deadheat.bug_reports.claims.outline import BugReportOutline, OutlineBlock

_LANGUAGE_NAMES = {
    **dict.fromkeys(("cpp", "c++", "cc", "cxx", "hpp"), "c++"),
    **{name: name for name in ("go", "c", "rust", "swift", "java", "kotlin", "python", "javascript")},
    **{name: name for name in ("typescript", "diff", "zig", "ruby", "scala")},
    "golang": "go", "h": "c", "rs": "rust", "py": "python", "js": "javascript", "ts": "typescript",
    "patch": "diff", "objc": "objective-c", "csharp": "c#", "asm": "assembly",
}  # fmt: skip
_UNLABELLED = frozenset(("", "text", "txt", "plain"))
# line beginnings that only source code has
_GO_LINE = re.compile(
    r"^[ \t+-]{0,40}(?:package \w+[ \t]*$|func (?:\([^)\n]{1,100}\) )?\w{1,100}[(\[]"
    r"|type \w{1,100} (?:struct|interface)\b|\w[\w., ]{0,80} :?= \S|defer \S|go func\(|import \("
    r"|if err != nil \{|return\b|for .{0,100}\{)",
    re.MULTILINE,
)
_GO_EVIDENCE = re.compile(r"\bfunc (?:\([^)\n]{1,100}\) )?\w{0,100}\(|:= |\bgo func\(|^package \w+\s*$", re.MULTILINE)
_RUST_LINE = re.compile(
    r"^[ \t]{0,40}(?:(?:pub(?:\([a-z]{1,10}\))? )?(?:async |unsafe |const ){0,3}fn \w{1,100}"
    r"|let (?:mut )?\w{1,60}|impl\b.{0,100}\{|use [\w:]{2,100};)",
    re.MULTILINE,
)
_C_LINE = re.compile(
    r"^[ \t]{0,40}(?:#\s{0,9}include [<\"]|(?:static |inline |const |unsigned |struct |void |int |long "
    r"|char |bool |auto |std::){1,6}[\w:*<> ,&]{1,80}[({=;])",
    re.MULTILINE,
)
_FUNCTION_PATTERNS = {
    # "func (txn *LazyTxn) changePendingToValid(", "func Map[K any]("
    "go": re.compile(
        r"\bfunc (?:\((?:\w{1,60} )?(?P<owner>\*?[\w.]{1,100})(?:\[[^\]\n]{0,100}\])?\) )?"
        r"(?P<name>\w{1,100})(?:\[[^\]\n]{0,200}\])?\("
    ),
    # "pub async fn drain<T>("
    "rust": re.compile(r"\bfn (?P<owner>)(?P<name>\w{1,100})\s{0,9}[(<]"),
    # "static int bump(struct counter *c)" at the beginning of a line, without a semicolon
    "c": re.compile(
        r"^(?P<owner>)(?:[\w*&:<>,]{1,60} ){1,6}[*&]{0,2}(?P<name>[A-Za-z_][\w:~]{1,100})"
        r"\([^;\n]{0,300}$",
        re.MULTILINE,
    ),
    "python": re.compile(r"\bdef (?P<owner>)(?P<name>\w{1,100})\("),
    "swift": re.compile(r"\bfunc (?P<owner>)(?P<name>\w{1,100})\s{0,9}[(<]"),
}
# "https://github.com/acme/outbox/blob/main/store/store.go#L20-L31"
_SOURCE_LINK = re.compile(
    r"https?://[\w.-]{3,60}/([\w.-]{1,60}/[\w.-]{1,100})/(?:-/)?blob/([\w.-]{1,100})/([\w./@%+-]{1,300}\.\w{1,8})"
    r"(?:\#L(\d{1,7})(?:-L?(\d{1,7}))?)?"
)
_MAX_FUNCTIONS = 12


class SourceFinder:
    kind = "source"

    def find(self, outline: BugReportOutline) -> Iterator[ClaimMatch]:
        for block in outline.code_blocks():
            if not block.has_report and (language := _block_language(outline, block)):
                yield self._quoted_match(outline, block, language)
        for block in outline.prose_blocks():
            for match in _SOURCE_LINK.finditer(outline.text, block.start, block.end):
                yield self._linked_match(match)

    def _quoted_match(self, outline: BugReportOutline, block: OutlineBlock, language: str) -> ClaimMatch:
        source = outline.block_text(block)
        functions = _function_names(source, language)
        details = [("language", language), *(("function", name) for name in functions)]
        start = block.start + len(source) - len(source.lstrip("\r\n"))
        end = max(start, block.start + len(source.rstrip()))
        return ClaimMatch(self.kind, functions[0] if functions else language, start, end, "quoted", tuple(details))

    def _linked_match(self, match: re.Match[str]) -> ClaimMatch:
        repository, ref, path, first, last = match.groups()
        lines = f"{first}-{last}" if last else first or ""
        details = [("repository", repository), ("ref", ref)]
        details += [("lines", lines)] if lines else []
        return ClaimMatch(self.kind, path, *match.span(), "linked", tuple(details))


def _block_language(outline: BugReportOutline, block: OutlineBlock) -> str | None:
    """The language of a source code block; None for output, commands and data."""
    source = outline.block_text(block)
    if block.info_string in _LANGUAGE_NAMES:
        return _LANGUAGE_NAMES[block.info_string] if source.strip() else None
    if block.info_string not in _UNLABELLED:
        return None
    lines = sum(1 for line in source.split("\n") if line.strip())
    if lines >= 2 and _GO_EVIDENCE.search(source) and len(_GO_LINE.findall(source)) * 4 >= lines:
        return "go"
    if lines >= 2 and len(_RUST_LINE.findall(source)) * 3 >= lines and "fn " in source:
        return "rust"
    if lines >= 3 and len(_C_LINE.findall(source)) * 3 >= lines and source.count(";") * 3 >= lines:
        return "c"
    return None


def _function_names(source: str, language: str) -> list[str]:
    pattern = _FUNCTION_PATTERNS.get("c" if language == "c++" else language)
    if pattern is None:
        return []
    names = dict.fromkeys(
        f"({function_match['owner']}).{function_match['name']}" if function_match["owner"] else function_match["name"]
        for function_match in pattern.finditer(source)
    )
    return list(names)[:_MAX_FUNCTIONS]


FINDER = SourceFinder()
