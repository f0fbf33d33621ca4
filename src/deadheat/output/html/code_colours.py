"""Colours of source code: splits Go, C, C++ and Rust into tokens, in one pass and without a grammar.

A snippet is a part of a file, so nothing depends on what is before it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from deadheat.output import escape_html
from deadheat.output.html.markup import Html, shorten

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_GO_WORDS = """break case chan const continue default defer else fallthrough for func go goto if import interface map
package range return select struct switch type var nil true false iota"""
_C_WORDS = """alignas alignof auto bool break case catch char class co_await co_return co_yield concept const consteval
constexpr constinit continue decltype default delete do double else enum explicit extern false final float for friend
goto if inline int long mutable namespace new noexcept nullptr operator override private protected public register
requires return short signed sizeof static static_assert static_cast struct switch template this thread_local throw
true try typedef typename union unsigned using virtual void volatile while NULL"""
_RUST_WORDS = """as async await break const continue crate dyn else enum extern false fn for if impl in let loop match
mod move mut pub ref return self Self static struct super trait true type union unsafe use where while"""
_LANGUAGES = {
    "go": (_GO_WORDS, ("go",)),
    "c": (_C_WORDS, ("c", "h", "cc", "cpp", "cxx", "hpp", "hh", "hxx", "inl", "ipp", "mm", "inc")),
    "rust": (_RUST_WORDS, ("rs",)),
}
_KEYWORDS = {language: frozenset(words.split()) for language, (words, _) in _LANGUAGES.items()}
_LANGUAGE_OF_EXTENSION = {name: language for language, (_, names) in _LANGUAGES.items() for name in names}
# "// text", "/* text */"; '"text"', "'x'", "`text`"; "0x1f", "1_000", "1.5e3"; "#include"; "name" and "name("
_TOKEN = re.compile(
    r"(?P<comment>//[^\n]*|/\*(?:[^*]|\*(?!/))*(?:\*/)?)"
    r'|(?P<string>"(?:[^"\\\n]|\\.)*"?|`[^`]*`?|' + r"'(?:[^'\\\n]|\\[^\n][0-9A-Za-z{}]{0,10})')"
    r"|(?P<literal>(?<!\w)\d[\w.]*)"
    r"|(?P<directive>^[ \t]*#[ \t]*\w+)"
    r"|(?P<word>[^\W\d]\w*)(?P<call>\()?",
    re.MULTILINE,
)
_MAX_ROW_LENGTH = 400
# "+++ b/cart/cart.go"
_DIFF_FILE = re.compile(r"\+\+\+ (?:b/)?(.+)")
_DIFF_CLASSES = {"+": "added", "-": "removed", "@": "hunk"}
# "@@ -17,5 +17,7 @@"
_HUNK = re.compile(r"@@ -([0-9]{1,9})(?:,[0-9]{1,9})? \+([0-9]{1,9})")


def language_of_file(file: str) -> str:
    """`go`, `c` (also for C++) or `rust`; empty for others."""
    return _LANGUAGE_OF_EXTENSION.get(file.rpartition(".")[2].lower(), "")


def coloured_rows(rows: list[str], language: str) -> list[Html]:
    """The rows of a snippet with coloured tokens, each row with complete elements."""
    expanded = [shorten(row.replace("\n", " ").expandtabs(4), _MAX_ROW_LENGTH) for row in rows]
    if language not in _KEYWORDS:
        return [Html(escape_html(row)) for row in expanded]
    lines: list[list[str]] = [[]]
    for name, value in _tokens("\n".join(expanded), language):
        first, *rest = value.split("\n")  # a comment may have several rows
        lines[-1].append(_token_html(name, first))
        lines += [[_token_html(name, part)] for part in rest]
    return [Html("".join(parts)) for parts in lines]


def _tokens(text: str, language: str) -> Iterator[tuple[str, str]]:
    """Yields each token with its CSS class, and the text between tokens with none."""
    keywords, end = _KEYWORDS[language], 0
    for match in _TOKEN.finditer(text):
        if match.start() > end:
            yield "", text[end : match.start()]
        end = match.end()
        word = match["word"]
        if word is None:
            name = match.lastgroup or ""
            if name == "directive" and language == "rust":
                name = ""
            yield name, match[0]
            continue
        name = "keyword" if word in keywords else "call" if match["call"] else ""
        yield name, word
        if match["call"]:
            yield "", "("
    yield "", text[end:]


def _token_html(name: str, value: str) -> str:
    if not value:
        return ""
    return f'<span class="{name}">{escape_html(value)}</span>' if name else escape_html(value)


def coloured_diff(rows: Iterable[str]) -> Iterator[tuple[str, str, Html]]:
    """Yields the rows of a diff, each with `added`, `removed`, `hunk`, `file` or nothing, and its line number."""
    language, old, new = "", 0, 0
    for row in rows:
        if row.startswith(("diff ", "index ", "--- ", "+++ ")):
            if match := _DIFF_FILE.match(row):
                language = language_of_file(match[1].strip())
            yield "file", "", Html(escape_html(shorten(row, _MAX_ROW_LENGTH)))
            continue
        kind = _DIFF_CLASSES.get(row[:1], "")
        if kind == "hunk":
            hunk = _HUNK.match(row)
            old, new = (int(hunk[1]), int(hunk[2])) if hunk else (0, 0)
            yield kind, "", Html(escape_html(shorten(row, _MAX_ROW_LENGTH)))
            continue
        [content] = coloured_rows([row[1:]], language)
        number = old if kind == "removed" else new
        yield kind, str(number or ""), Html(f"{escape_html(row[:1] or ' ')}{content}")
        old, new = old + (kind != "added"), new + (kind != "removed")
