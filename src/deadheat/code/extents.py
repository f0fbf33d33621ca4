"""Extents of C, C++ and Rust functions from the text layout, without a parser.

A history has thousands of versions of a file, and parsing is slow. `None` means: use the parser.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

Spans = list[tuple[int, int]]
# a definition does not start with these: indentation, directive, comment, string
_NO_HEADER = b" \t#/*}\"'"
# not a definition: "return f(x) {", "x = f(…"
_STATEMENT = re.compile(rb"\b(?:return|else|case|if|while|for|switch|do|typedef|using)\b|[=\"?]")
# "    pub(crate) async ", "unsafe extern \"C\" "
_BEFORE_FN = re.compile(rb"([ \t]{0,80})(?:[\w():\" ]{1,80} )?")
# functions that test macros of GoogleTest and Boost define
_MACROS = {
    b"TestBody": re.compile(rb"^(?:[A-Z]{1,20}_)?TEST(?:_[A-Z]{1,9})?\s?\(", re.MULTILINE),
    b"test_method": re.compile(rb"^BOOST_(?:AUTO|FIXTURE|DATA)_TEST_CASE\w{0,20}\(", re.MULTILINE),
}
_OPENS = re.compile(rb"[ \t]{0,9}\(")
# limits: bytes of a parameter list, column of a name, occurrences in a file
_LONG, _WIDE, _MOST = 4_000, 400, 5_000


def functions(language: str, source: bytes, name: str) -> Spans | None:
    """The extents of the functions of that name, in lines from 1; None if the layout is unclear."""
    word = name.encode("utf-8", "replace")
    if (macro := _MACROS.get(word)) and (tests := list(_made(source, macro))):
        return tests
    if not word or word not in source:
        return []
    found, doubtful = _rust(source, word) if language == "rust" else _c(source, word)
    return None if doubtful and not found else found


def _c(source: bytes, word: bytes) -> tuple[Spans, bool]:
    """Definitions that start in the first column and end with a brace there."""
    found: Spans = []
    doubtful = False
    for at in _occurrences(source, word):
        after = at + len(word)
        brace = source.find(b"{", after, after + _LONG)
        if brace < 0 or not _OPENS.match(source, after) or source.find(b";", after, brace) >= 0:
            continue
        start = source.rfind(b"\n", max(0, at - _WIDE), at) + 1
        if not start and at > _WIDE:
            continue
        if source[start : start + 1] in _NO_HEADER or _STATEMENT.search(source, start, at):
            doubtful = True
        else:
            found.append(_span(source, start, brace, b"\n}"))
    return found, doubtful


def _made(source: bytes, macro: re.Pattern[bytes]) -> Iterator[tuple[int, int]]:
    """`TEST_F(Feed, Drops) {` up to the brace in the first column."""
    for told in macro.finditer(source):
        brace = source.find(b"{", told.end(), told.end() + _WIDE)
        if brace >= 0:
            yield _span(source, told.start(), brace, b"\n}")


def _rust(source: bytes, word: bytes) -> tuple[Spans, bool]:
    """`pub(crate) async fn name` up to the brace with the same indentation."""
    found: Spans = []
    doubtful = False
    for at in _occurrences(source, b"fn " + word):
        start, after = source.rfind(b"\n", max(0, at - _WIDE), at) + 1, at + 3 + len(word)
        before = _BEFORE_FN.fullmatch(source, start, at)
        brace = source.find(b"{", after, after + _LONG)
        if brace < 0 or source.find(b";\n", after, brace) >= 0:
            continue
        if before is None:
            doubtful = True
        else:
            found.append(_span(source, start, brace, b"\n" + before[1] + b"}"))
    return found, doubtful


def _occurrences(source: bytes, word: bytes) -> Iterator[int]:
    """The offsets of a whole word, up to `_MAX_OCCURRENCES`."""
    at = -1
    for _ in range(_MOST):
        at = source.find(word, at + 1)
        if at < 0:
            return
        before, after = (
            source[at - 1 : at] if at else b"",
            source[at + len(word) : at + len(word) + 1],
        )
        if not _is_word(before) and not _is_word(after):
            yield at


def _span(source: bytes, start: int, brace: int, end: bytes) -> tuple[int, int]:
    """The lines of a function whose body opens at the brace."""
    first = source.count(b"\n", 0, start) + 1
    line_end = source.find(b"\n", brace)
    text = source[brace : line_end if line_end >= 0 else len(source)]
    if text.count(b"{") == text.count(b"}"):  # all on one line
        return first, first + source.count(b"\n", start, brace)
    closed = source.find(end, brace)
    closed = closed + 1 if closed >= 0 else len(source)
    return first, first + source.count(b"\n", start, closed)


def _is_word(before: bytes) -> bool:
    return before.isalnum() or before == b"_"
