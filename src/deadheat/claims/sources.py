"""Finds source code that the author quotes or links to, its language and functions."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from deadheat.claims import Said

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deadheat.claims.outline import Block, Outline

_LANGUAGES = {
    **dict.fromkeys(("cpp", "c++", "cc", "cxx", "hpp"), "c++"),
    **{name: name for name in ("go", "c", "rust", "swift", "java", "kotlin", "python", "javascript")},
    **{name: name for name in ("typescript", "diff", "zig", "ruby", "scala")},
    "golang": "go", "h": "c", "rs": "rust", "py": "python", "js": "javascript", "ts": "typescript",
    "patch": "diff", "objc": "objective-c", "csharp": "c#", "asm": "assembly",
}  # fmt: skip
_PLAIN = frozenset(("", "text", "txt", "plain"))
# line beginnings that only source code has
_GO = re.compile(
    r"^[ \t+-]{0,40}(?:package \w+[ \t]*$|func (?:\([^)\n]{1,100}\) )?\w{1,100}[(\[]"
    r"|type \w{1,100} (?:struct|interface)\b|\w[\w., ]{0,80} :?= \S|defer \S|go func\(|import \("
    r"|if err != nil \{|return\b|for .{0,100}\{)",
    re.MULTILINE,
)
_GO_SURE = re.compile(
    r"\bfunc (?:\([^)\n]{1,100}\) )?\w{0,100}\(|:= |\bgo func\(|^package \w+\s*$", re.MULTILINE
)
_RUST = re.compile(
    r"^[ \t]{0,40}(?:(?:pub(?:\([a-z]{1,10}\))? )?(?:async |unsafe |const ){0,3}fn \w{1,100}"
    r"|let (?:mut )?\w{1,60}|impl\b.{0,100}\{|use [\w:]{2,100};)",
    re.MULTILINE,
)
_C = re.compile(
    r"^[ \t]{0,40}(?:#\s{0,9}include [<\"]|(?:static |inline |const |unsigned |struct |void |int |long "
    r"|char |bool |auto |std::){1,6}[\w:*<> ,&]{1,80}[({=;])",
    re.MULTILINE,
)
_FUNCTIONS = {
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
_LINK = re.compile(
    r"https?://[\w.-]{3,60}/([\w.-]{1,60}/[\w.-]{1,100})/(?:-/)?blob/([\w.-]{1,100})/([\w./@%+-]{1,300}\.\w{1,8})"
    r"(?:\#L(\d{1,7})(?:-L?(\d{1,7}))?)?"
)
_MOST_FUNCTIONS = 12


class Sources:
    kind = "source"

    def find(self, outline: Outline) -> Iterator[Said]:
        for block in outline.code():
            if not block.printed and (language := _language(outline, block)):
                yield self._quoted(outline, block, language)
        for block in outline.prose():
            for match in _LINK.finditer(outline.text, block.start, block.end):
                yield self._linked(match)

    def _quoted(self, outline: Outline, block: Block, language: str) -> Said:
        said = outline.said(block)
        functions = _functions(said, language)
        details = [("language", language), *(("function", name) for name in functions)]
        start = block.start + len(said) - len(said.lstrip("\r\n"))
        end = max(start, block.start + len(said.rstrip()))
        return Said(
            self.kind, functions[0] if functions else language, start, end, "quoted", tuple(details)
        )

    def _linked(self, match: re.Match[str]) -> Said:
        repository, ref, path, first, last = match.groups()
        lines = f"{first}-{last}" if last else first or ""
        details = [("repository", repository), ("ref", ref)]
        details += [("lines", lines)] if lines else []
        return Said(self.kind, path, *match.span(), "linked", tuple(details))


def _language(outline: Outline, block: Block) -> str | None:
    """The language of a source code block; None for output, commands and data."""
    said = outline.said(block)
    if block.info in _LANGUAGES:
        return _LANGUAGES[block.info] if said.strip() else None
    if block.info not in _PLAIN:
        return None
    lines = sum(1 for line in said.split("\n") if line.strip())
    if lines >= 2 and _GO_SURE.search(said) and len(_GO.findall(said)) * 4 >= lines:
        return "go"
    if lines >= 2 and len(_RUST.findall(said)) * 3 >= lines and "fn " in said:
        return "rust"
    if lines >= 3 and len(_C.findall(said)) * 3 >= lines and said.count(";") * 3 >= lines:
        return "c"
    return None


def _functions(said: str, language: str) -> list[str]:
    pattern = _FUNCTIONS.get("c" if language == "c++" else language)
    if pattern is None:
        return []
    names = dict.fromkeys(
        f"({m['owner']}).{m['name']}" if m["owner"] else m["name"] for m in pattern.finditer(said)
    )
    return list(names)[:_MOST_FUNCTIONS]


FINDER = Sources()
