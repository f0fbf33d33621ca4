"""Grades what a line of a file version can do, by text only for Go.

A pin grades thousands of versions. For Go no parser is needed: gofmt puts `func` and the closing brace
of a function into the first column.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from deadheat.code import extents, syntax
from deadheat.code.languages import tongue

if TYPE_CHECKING:
    from deadheat.code.asking import Claim

# grades: not code of the function; code of it; may do what is claimed; does what is claimed
NOT, INSIDE, COULD, DOES = 0, 1, 2, 3

_DECLARATION_AFTER = (b"\n", b"f", b"t", b"v", b"c", b"/", b"i", b"\r", b"")
# "// comment", "* in a comment", "/* comment */", "#define"; "}", "})", "{", ")," : no code
_COMMENT = re.compile(rb"\s*(?://|/\*|\*[ /]|\*$|#)")
_BRACES = re.compile(rb"[\s{}()\[\],;]*(?://.*)?$")
# "x = 1", "x += 1", "x := 1", "x++", "ch <- 1", "delete(m, k)", "Field: value,"
_WRITES = re.compile(
    rb"(?<![=!<>])=(?!=)|\+\+|--|<-|\b(?:delete|append|copy|clear|memset|memcpy|memmove|store)\b|^\s*\w+:\s"
)
# "f(", "x.f(", "f[int](", "}(": a call
_CALLS = re.compile(rb"[\w\]})>]\s?\(")
# "func(" and "if (" are not calls
_NO_CALL = re.compile(rb"\b(?:func|if|for|while|switch|return|sizeof|catch)\s?\(")
_GOES = re.compile(rb"\bgo\b|\.Go\(|\.Run\(")
_RETURNS = re.compile(rb"\s*(?:return\b|\}\s*$)")
# objects end: "}", "return x;", "delete p;", "p.reset();", "class Feed {", "Feed::~Feed() {"
_ENDS = re.compile(rb"\}|\b(?:return|delete|reset|clear|erase|class|struct|free|pop)\b|~")
# "p.status.since()" is removed up to its bracket; the remaining names are read
_CALLED = re.compile(
    rb"^func [^{]{0,300}\{|[\w.]+\(|\b(?:return|if|for|range|defer|go|var|else|case|switch|func)\b"
    rb"|\b(?:err|nil|ctx)\b"
)
_READS = re.compile(rb"[A-Za-z_]\w*")
# "mset.cfg.Name = x": Name is a variable, cfg is a prefix; "f(" is a call
_NAMES = re.compile(rb"(?<!\w)([A-Za-z_]\w{1,80})(?![\w.(])")
_EVERYDAY = frozenset(
    (b"if", b"for", b"range", b"return", b"nil", b"err", b"go", b"defer", b"func", b"true", b"false",
     b"else", b"switch", b"case", b"var", b"ctx", b"ok", b"int", b"string", b"len", b"continue")
)  # fmt: skip
_WORD = re.compile(rb"\w")
_ANYWHERE = (1, (1 << 24) - 1)
_LONGEST = 4_000


def extent(claim: Claim, source: bytes) -> tuple[int, int] | None:
    """The first and last line of the function that the claim names, if this version contains it."""
    if not claim.function:
        return _ANYWHERE
    if claim.language == "go":
        return go_extent(claim.function, source)
    spans = functions(claim.language, source, claim.function)
    if not spans and claim.function.startswith("~"):
        spans = _classes(claim.function[1:], source)
    inside = [s for s in spans if s[0] <= claim.line <= s[1]]
    return inside[0] if inside else spans[0] if spans else None


def _classes(name: str, source: bytes) -> list[tuple[int, int]]:
    """The lines of class declarations: an implicit destructor has that line."""
    head = re.compile(
        rb"^[ \t]{0,40}(?:class|struct)[^;{}()\n]{0,200}\b%s\b[^;()\n]{0,200}$"
        % re.escape(name.encode("utf-8", "replace")),
        re.MULTILINE,
    )
    rows = [source.count(b"\n", 0, found.start()) + 1 for found in head.finditer(source)]
    return [(row, row) for row in rows]


def go_extent(function: str, source: bytes) -> tuple[int, int] | None:
    found = go_place(function, source)
    if found is None:
        return None
    first = source.count(b"\n", 0, found[0]) + 1
    return first, first + source.count(b"\n", *found)


def go_place(function: str, source: bytes) -> tuple[int, int] | None:
    """The byte offsets where a function and its last line begin."""
    anchor, header = _go_header(function)
    at = -1
    while (at := source.find(anchor, at + 1)) >= 0:
        start = source.rfind(b"\n", 0, at) + 1 if anchor[:1] != b"\n" else at + 1
        if header.match(source, start):
            return start, _go_end(source, start)
    return None


@lru_cache(maxsize=1 << 12)
def _go_header(function: str) -> tuple[bytes, re.Pattern[bytes]]:
    """A byte string to search for and a pattern to match: `func (e *T) M(`, `func F[K any](`."""
    owner, _, name = function.encode("utf-8", "replace").rpartition(b".")
    owner = owner.strip(b"(*)")
    if not owner:
        return b"func " + name, re.compile(rb"func %s[\[(]" % re.escape(name))
    kind = re.escape(owner)
    return (
        b") " + name + b"(",
        re.compile(rb"func \((?:\w+ )?\*?%s(?:\[[^\]]*\])?\) %s\(" % (kind, re.escape(name))),
    )


def _go_end(source: bytes, start: int) -> int:
    """Where a function ends: at a brace in the first column, followed by a declaration or an empty line.

    A brace alone is not enough: raw strings contain JSON and SQL.
    """
    line_end = source.find(b"\n", start)
    if line_end < 0 or source[start:line_end].rstrip().endswith(b"}"):
        return line_end if line_end > 0 else len(source)
    at = line_end - 1
    while (at := source.find(b"\n}", at + 1)) >= 0:
        after = source[at + 2 : at + 4]
        if not after or (after[:1] in (b"\n", b"\r") and after[-1:] in _DECLARATION_AFTER):
            return at + 1
    return len(source)


def text(source: bytes, line: int) -> bytes | None:
    """One line of a source, counted from 1."""
    rows = source.split(b"\n", max(line, 1))
    return rows[line - 1][:_LONGEST] if len(rows) >= line else None


def grade(claim: Claim, source: bytes, span: tuple[int, int]) -> int:
    """How well the claim holds in a version in which its function has this extent."""
    if claim.does.startswith("value "):
        return _value(claim, source, span)
    if not span[0] <= claim.line <= span[1]:
        return NOT
    line = text(source, claim.line)
    if line is None:
        return NOT
    if _RETURNS.match(line) and claim.does.startswith("call") and span != _ANYWHERE:
        return max(_deferred(claim, source, span), _plain(claim, line))
    return _plain(claim, line)


def _plain(claim: Claim, line: bytes) -> int:
    if _COMMENT.match(line):
        return NOT
    does, _, name = claim.does.partition(" ")
    if does == "end":
        return DOES if _ENDS.search(line) else COULD if _CALLS.search(line) else INSIDE
    if _BRACES.match(line) and not (does == "call" and b"}(" in line):
        return NOT
    if does in ("read", "write") and line.startswith(b"func ") and line.rstrip().endswith(b"{"):
        return INSIDE
    if does == "read":
        # "return p.status.since()" reads only the receiver: possible, not certain
        return (
            DOES if _READS.search(_CALLED.sub(b"", line)) else COULD if _WORD.search(line) else NOT
        )
    if does == "write":
        return DOES if _WRITES.search(line) else COULD
    if does == "go":
        return DOES if _GOES.search(line) else _calls(line)
    if name and _named(name).search(line):
        return DOES
    calls = _calls(line)
    return DOES if calls == COULD and not name else calls


def _calls(line: bytes) -> int:
    return COULD if _CALLS.search(_NO_CALL.sub(b"", line)) or b"panic" in line else INSIDE


@lru_cache(maxsize=1 << 12)
def _named(name: str) -> re.Pattern[bytes]:
    return re.compile(rb"(?<!\w)%s(?!\w)" % re.escape(name.encode("utf-8", "replace")))


def _deferred(claim: Claim, source: bytes, span: tuple[int, int]) -> int:
    """Deferred calls run on the line of a `return` or of the function's closing brace."""
    body = syntax.rows(source, *span)
    name = claim.does.partition(" ")[2]
    defers = [row for row in body if b"defer " in row]
    if any(name and _named(name).search(row) for row in defers):
        return DOES
    return COULD if defers else NOT


def _value(claim: Claim, source: bytes, span: tuple[int, int]) -> int:
    """The frame of a method value has the line of the method, or (in old Go) of the method value."""
    if claim.line == span[0]:
        return DOES
    line = text(source, claim.line)
    name = claim.does.partition(" ")[2]
    if line is None or _COMMENT.match(line) or not _named(name).search(line):
        return NOT
    return DOES


def names(name: str, text: bytes) -> bool:
    """Whether the text contains the name as a whole word."""
    return _named(name).search(text) is not None


def touched_names(line: bytes) -> set[bytes]:
    """The names on a line that may be variables; not the prefixes of selectors."""
    return {name for name in _NAMES.findall(line) if name not in _EVERYDAY}


def returns(line: bytes) -> bool:
    """Whether deferred calls can run on this line."""
    return _RETURNS.match(line) is not None


def functions(language: str, source: bytes, name: str) -> list[tuple[int, int]]:
    """The extents of all functions of that name; uses a parser only if necessary."""
    if language == "go":
        return go_functions(source, name)
    found = extents.functions(language, source, name)
    return syntax.functions(tongue(language, source), source, name) if found is None else found


def go_functions(source: bytes, name: str) -> list[tuple[int, int]]:
    """The extents of all functions and methods of that name, with any receiver."""
    word = name.encode("utf-8", "replace")
    found: list[tuple[int, int]] = []
    if b" " + word not in source:
        return found
    for match in _any_header(word).finditer(source):
        first = source.count(b"\n", 0, match.start()) + 1
        found.append(
            (first, first + source.count(b"\n", match.start(), _go_end(source, match.start())))
        )
    return found


@lru_cache(maxsize=1 << 12)
def _any_header(word: bytes) -> re.Pattern[bytes]:
    return re.compile(rb"^func (?:\([^)\n]{0,200}\) )?%s[\[(]" % re.escape(word), re.MULTILINE)
