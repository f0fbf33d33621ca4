"""What a frame claims about its source line, and how well a version of the file supports it.

A pin grades thousands of versions. Go needs no parser: gofmt puts `func` and the closing brace into the first column.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from deadheat.model import Access, Frame, Op, Origin, Report
from deadheat.repo.syntax import parser
from deadheat.repo.syntax.parser import language_of_path, refine_language
from deadheat.symbols import go, native

if TYPE_CHECKING:
    from collections.abc import Iterator

# functions of the Go runtime, and the call in user code that they stand for
_RUNTIME_CALLS = {"racewrite": "Wait", "raceread": "Add", "closechan": "close"}
# "copr.(*copIterator).open·dwrap·8", "hub.Run.gowrap1", "hub.Run.deferwrap2": no code of its own
_WRAPPER_SUFFIX = re.compile(r"(?:·dwrap·\d+|\.gowrap\d+|\.deferwrap\d+)$")
# "F.func1", "F.func1.2", "F.1", "http.func·024"
_CLOSURE_SUFFIX = re.compile(r"(?:\.func\d+|\.\d+|·\d+|-range\d+)$")
_METHOD_VALUE_SUFFIXES = ("-fm", "·fm")
# "start", "~Feed", "foo.isra.0"; not "operator()", which is also what gcc calls every lambda
_CPP_IDENTIFIER = re.compile(r"(~?\w+)(?:\.\w+)*")


class LineClaim(NamedTuple):
    """A claim that a line is in a function, and what it does there."""

    language: str
    function: str  # "(*T).M", "T.M" or "F" for Go, a bare name elsewhere; empty if not known
    line: int
    action: str  # "read", "write", "call NAME", "call" (no known name), "go", "value NAME", "end" (of an object)


FrameKey = tuple[str, int | None, str]


class FrameClaim(NamedTuple):
    frame: Frame
    claim: LineClaim
    weight: int
    is_racing: bool


def frame_claims(report: Report) -> list[FrameClaim]:
    """The claims of all distinct frames of a report that are in source files, racing frames first."""
    found: dict[FrameKey, FrameClaim] = {}
    claims = [claim for access in report.accesses for claim in _stack_claims(access.stack, access)]
    claims += [claim for actor in report.actors for claim in _stack_claims(actor.created_at, None)]
    for frame_claim in claims:
        key = frame_key(frame_claim.frame)
        if key not in found or found[key].weight < frame_claim.weight:
            found[key] = frame_claim
    return sorted(found.values(), key=lambda frame_claim: -frame_claim.weight)


def frame_key(frame: Frame) -> FrameKey:
    return frame.path or frame.file, frame.line, frame.function


def source_language(frame: Frame) -> str | None:
    """The language of a frame's file; None if the frame is not in user code."""
    if frame.line is None or frame.origin in (Origin.STDLIB, Origin.RUNTIME, Origin.TEST):
        return None
    return language_of_path(frame.file)


def _stack_claims(stack: tuple[Frame, ...], access: Access | None) -> Iterator[FrameClaim]:
    above: Frame | None = None
    is_racing = access is not None
    for frame in stack:
        language = source_language(frame)
        if language is None:
            above = frame
            continue
        is_broken = frame.stale and above is not None and not above.stale
        action = "call" if is_broken else _claimed_action(frame, above, access if is_racing else None, language)
        weight = 8 if is_racing else 2
        if frame.stale or access is None:
            weight = 1
        claim = LineClaim(language, declaration_name(frame.function, language), frame.line or 0, action)
        yield FrameClaim(frame, claim, weight, is_racing)
        is_racing = False
        above = frame


def _claimed_action(frame: Frame, above: Frame | None, access: Access | None, language: str) -> str:
    if frame.function.endswith(_METHOD_VALUE_SUFFIXES):
        return f"value {_call_name(frame.function, language)}"
    if access is not None and (above is None or above.origin in (Origin.RUNTIME, Origin.GENERATED)):
        is_write = access.op in (Op.WRITE, Op.ATOMIC_WRITE, Op.FREE)
        return _runtime_call(above) or ("write" if is_write else "read")
    if above is None:
        return "go" if language == "go" else "call"
    if above.origin is Origin.RUNTIME or has_no_call_name(above.function):
        return "call"
    name = _call_name(above.function, language)
    # a destructor is not called by name: it runs where a block, a class or an object ends
    return "end" if name.startswith("~") else f"call {name}"


def _runtime_call(above: Frame | None) -> str:
    """The call in the line below a frame of the Go runtime."""
    last = above.function.rpartition(".")[2] if above else ""
    return f"call {_RUNTIME_CALLS[last]}" if last in _RUNTIME_CALLS else ""


def has_no_call_name(function: str) -> bool:
    """Whether calls do not use the name of the function: closures, wrappers, method values."""
    suffix = _CLOSURE_SUFFIX.search(function) or _WRAPPER_SUFFIX.search(function)
    return suffix is not None or function.endswith(_METHOD_VALUE_SUFFIXES)


def _call_name(function: str, language: str) -> str:
    return declaration_name(function, language).rpartition(".")[2]


def declaration_name(function: str, language: str) -> str:
    """The function declaration that contains the code of a frame: `(*T).M`, `T.M`, `F`."""
    if language != "go":
        name = native.cpp_source_function(function).rpartition("::")[2]
        match = _CPP_IDENTIFIER.fullmatch(name)
        return match[1] if match else ""
    parent_name = go.source_function(function)
    if "·" in parent_name:
        return ""
    qualified_name = parent_name.partition(".")[2]
    parts = qualified_name.split(".")
    if len(parts) > 2:
        # inlined: the names are concatenated, the code belongs to the last one
        return parts[-1]
    if parts[0] in ("init", "glob") or not parts[0]:
        return ""
    return qualified_name


def class_of_method(function: str) -> str:
    """The C++ class (or namespace) of a method: `Feed`."""
    return native.cpp_source_function(function).rpartition("::")[0].rpartition("::")[2]


# grades: not code of the function; code of it; may do what is claimed; does what is claimed
GRADE_NONE, GRADE_INSIDE, GRADE_POSSIBLE, GRADE_MATCH = 0, 1, 2, 3

_AFTER_FUNCTION_END = (b"\n", b"f", b"t", b"v", b"c", b"/", b"i", b"\r", b"")
# "// comment", "* in a comment", "/* comment */", "#define"; "}", "})", "{", ")," : no code
_COMMENT_LINE = re.compile(rb"\s*(?://|/\*|\*[ /]|\*$|#)")
_BRACES_ONLY = re.compile(rb"[\s{}()\[\],;]*(?://.*)?$")
# "x = 1", "x += 1", "x := 1", "x++", "ch <- 1", "delete(m, k)", "Field: value,"
_WRITE_TEXT = re.compile(
    rb"(?<![=!<>])=(?!=)|\+\+|--|<-|\b(?:delete|append|copy|clear|memset|memcpy|memmove|store)\b|^\s*\w+:\s"
)
# "f(", "x.f(", "f[int](", "}(": a call
_CALL_TEXT = re.compile(rb"[\w\]})>]\s?\(")
# "func(" and "if (" are not calls
_KEYWORD_CALL = re.compile(rb"\b(?:func|if|for|while|switch|return|sizeof|catch)\s?\(")
_GOROUTINE_START = re.compile(rb"\bgo\b|\.Go\(|\.Run\(")
_RETURN_LINE = re.compile(rb"\s*(?:return\b|\}\s*$)")
# objects end: "}", "return x;", "delete p;", "p.reset();", "class Feed {", "Feed::~Feed() {"
_OBJECT_END = re.compile(rb"\}|\b(?:return|delete|reset|clear|erase|class|struct|free|pop)\b|~")
# "p.status.since()" is removed up to its bracket; the remaining names are read
_CALL_CHAIN = re.compile(
    rb"^func [^{]{0,300}\{|(?<![\w.])[\w.]+\(|\b(?:return|if|for|range|defer|go|var|else|case|switch|func)\b"
    rb"|\b(?:err|nil|ctx)\b"
)
_IDENTIFIER = re.compile(rb"[A-Za-z_]\w*")
# "mset.cfg.Name = x": Name is a variable, cfg is a prefix; "f(" is a call
_VARIABLE_NAME = re.compile(rb"(?<!\w)([A-Za-z_]\w{1,80})(?![\w.(])")
_STRING_LITERAL = re.compile(rb'"(?:[^"\\\n]|\\.){0,4000}"')
_COMMON_NAMES = frozenset(
    (b"if", b"for", b"range", b"return", b"nil", b"err", b"go", b"defer", b"func", b"true", b"false",
     b"else", b"switch", b"case", b"var", b"ctx", b"ok", b"int", b"string", b"len", b"continue")
)  # fmt: skip
_WORD_CHARACTER = re.compile(rb"\w")
_WHOLE_FILE = (1, (1 << 24) - 1)
_MAX_LINE_BYTES = 4_000


def function_extent(claim: LineClaim, source: bytes) -> tuple[int, int] | None:
    """The first and last line of the function that the claim names, if this version contains it."""
    if not claim.function:
        return _WHOLE_FILE
    if claim.language == "go":
        return go_function_lines(claim.function, source)
    spans = function_extents(claim.language, source, claim.function)
    if not spans and claim.function.startswith("~"):
        spans = _class_heads(claim.function[1:], source)
    return span_around(claim.line, spans)


def function_around(path: str, source: bytes, line: int) -> tuple[str, tuple[int, int]] | None:
    """The outermost C, C++ or Rust function around a line, by name and extent."""
    functions = parser.all_function_extents(parser.language_of_file(path, source) or "", source)
    return next(((name, (first, last)) for name, first, last in functions if first <= line <= last and name), None)


def span_around(line: int, spans: list[tuple[int, int]]) -> tuple[int, int] | None:
    """The span that contains the line, else the first one."""
    return next((span for span in spans if span[0] <= line <= span[1]), spans[0] if spans else None)


def _class_heads(name: str, source: bytes) -> list[tuple[int, int]]:
    """The lines of class declarations: an implicit destructor has that line."""
    word = re.escape(name.encode("utf-8", "replace"))
    head = rb"^[ \t]{0,40}(?:class|struct)[^;{}()\n]{0,200}\b%s\b[^;()\n]{0,200}$" % word
    rows = [source.count(b"\n", 0, match.start()) + 1 for match in re.finditer(head, source, re.MULTILINE)]
    return [(row, row) for row in rows]


def go_function_lines(function: str, source: bytes) -> tuple[int, int] | None:
    """The first and last line of a function."""
    offsets = go_function_offsets(function, source)
    return _line_span(source, *offsets) if offsets else None


def _line_span(source: bytes, start: int, end: int) -> tuple[int, int]:
    """The lines, counted from 1, of two byte offsets."""
    first = source.count(b"\n", 0, start) + 1
    return first, first + source.count(b"\n", start, end)


def go_function_offsets(function: str, source: bytes) -> tuple[int, int] | None:
    """The byte offsets where a function and its last line begin."""
    anchor, header = _go_header_pattern(function)
    offset = -1
    while (offset := source.find(anchor, offset + 1)) >= 0:
        start = source.rfind(b"\n", 0, offset) + 1 if anchor[:1] != b"\n" else offset + 1
        if header.match(source, start):
            return start, _go_function_end(source, start)
    return None


@lru_cache(maxsize=1 << 12)
def _go_header_pattern(function: str) -> tuple[bytes, re.Pattern[bytes]]:
    """A byte string to search for and a pattern to match: `func (e *T) M(`, `func F[K any](`."""
    owner, _, name = function.encode("utf-8", "replace").rpartition(b".")
    owner = re.escape(owner.strip(b"(*)"))
    if not owner:
        return b"func " + name, re.compile(rb"func %s[\[(]" % re.escape(name))
    return b") " + name + b"(", re.compile(rb"func \((?:\w+ )?\*?%s(?:\[[^\]]*\])?\) %s\(" % (owner, re.escape(name)))


def _go_function_end(source: bytes, start: int) -> int:
    """Where a function ends: at a brace in the first column, followed by a declaration or an empty line."""
    line_end = source.find(b"\n", start)
    if line_end < 0 or source[start:line_end].rstrip().endswith(b"}"):
        return line_end if line_end > 0 else len(source)
    offset = line_end - 1
    # a brace alone is not enough: raw strings contain JSON and SQL
    while (offset := source.find(b"\n}", offset + 1)) >= 0:
        after = source[offset + 2 : offset + 4]
        if not after or (after[:1] in (b"\n", b"\r") and after[-1:] in _AFTER_FUNCTION_END):
            return offset + 1
    return len(source)


def line_text(source: bytes, line: int) -> bytes | None:
    rows = source.split(b"\n", max(line, 1))
    return rows[line - 1][:_MAX_LINE_BYTES] if len(rows) >= line else None


def grade_claim(claim: LineClaim, source: bytes, span: tuple[int, int]) -> int:
    """How well the claim holds in a version in which its function has this extent."""
    if claim.action.startswith("value "):
        return _grade_method_value(claim, source, span)
    line = line_text(source, claim.line) if span[0] <= claim.line <= span[1] else None
    if line is None:
        return GRADE_NONE
    if _RETURN_LINE.match(line) and claim.action.startswith("call") and span != _WHOLE_FILE:
        return max(_grade_deferred(claim, source, span), _grade_line(claim, line))
    return _grade_line(claim, line)


def _grade_line(claim: LineClaim, line: bytes) -> int:
    if _COMMENT_LINE.match(line):
        return GRADE_NONE
    action, _, name = claim.action.partition(" ")
    if action == "end":
        if _OBJECT_END.search(line):
            return GRADE_MATCH
        return GRADE_POSSIBLE if _CALL_TEXT.search(line) else GRADE_INSIDE
    if _BRACES_ONLY.match(line) and not (action == "call" and b"}(" in line):
        # a C++ call that passes a lambda may have the line where it ends: "});"
        return GRADE_POSSIBLE if action == "call" and claim.language != "go" and b")" in line else GRADE_NONE
    if action in ("read", "write") and line.startswith(b"func ") and line.rstrip().endswith(b"{"):
        return GRADE_INSIDE
    if action == "read":
        if _IDENTIFIER.search(_CALL_CHAIN.sub(b"", line)):
            return GRADE_MATCH
        # "return p.status.since()" reads only the receiver: possible, not certain
        return GRADE_POSSIBLE if _WORD_CHARACTER.search(line) else GRADE_NONE
    if action == "write":
        return GRADE_MATCH if _WRITE_TEXT.search(line) else GRADE_POSSIBLE
    if action == "go":
        return GRADE_MATCH if _GOROUTINE_START.search(line) else _grade_call(line)
    if name and contains_name(name, line):
        return GRADE_MATCH
    call_grade = _grade_call(line)
    return GRADE_MATCH if call_grade == GRADE_POSSIBLE and not name else call_grade


def _grade_call(line: bytes) -> int:
    return GRADE_POSSIBLE if _CALL_TEXT.search(_KEYWORD_CALL.sub(b"", line)) or b"panic" in line else GRADE_INSIDE


@lru_cache(maxsize=1 << 12)
def _name_pattern(name: str) -> re.Pattern[bytes]:
    return re.compile(rb"(?<!\w)%s(?!\w)" % re.escape(name.encode("utf-8", "replace")))


def _grade_deferred(claim: LineClaim, source: bytes, span: tuple[int, int]) -> int:
    """Deferred calls run on the line of a `return` or of the function's closing brace."""
    name = claim.action.partition(" ")[2]
    defers = [row for row in parser.source_lines(source, *span) if b"defer " in row]
    if any(name and contains_name(name, row) for row in defers):
        return GRADE_MATCH
    return GRADE_POSSIBLE if defers else GRADE_NONE


def _grade_method_value(claim: LineClaim, source: bytes, span: tuple[int, int]) -> int:
    """The frame of a method value has the line of the method, or (in old Go) of the method value."""
    if claim.line == span[0]:
        return GRADE_MATCH
    line, name = line_text(source, claim.line), claim.action.partition(" ")[2]
    is_named = line is not None and not _COMMENT_LINE.match(line) and contains_name(name, line)
    return GRADE_MATCH if is_named else GRADE_NONE


def contains_name(name: str, text: bytes) -> bool:
    """Whether the text contains the name as a whole word."""
    return _name_pattern(name).search(text) is not None


def variable_names(line: bytes) -> set[bytes]:
    """The names on a line that may be variables; not the prefixes of selectors."""
    return {name for name in _VARIABLE_NAME.findall(_STRING_LITERAL.sub(b'""', line)) if name not in _COMMON_NAMES}


def may_return(line: bytes) -> bool:
    """Whether deferred calls can run on this line."""
    return _RETURN_LINE.match(line) is not None


def function_extents(language: str, source: bytes, name: str) -> list[tuple[int, int]]:
    """The extents of all functions of that name; uses a parser only if necessary."""
    if language == "go":
        return go_function_extents(source, name)
    extents = parser.scan_function_extents(language, source, name)
    if extents is None:
        return parser.parse_function_extents(refine_language(language, source), source, name)
    return extents


def go_function_extents(source: bytes, name: str) -> list[tuple[int, int]]:
    """The extents of all functions and methods of that name, with any receiver."""
    name_bytes = name.encode("utf-8", "replace")
    headers = _any_go_header(name_bytes).finditer(source) if b" " + name_bytes in source else ()
    return [_line_span(source, header.start(), _go_function_end(source, header.start())) for header in headers]


@lru_cache(maxsize=1 << 12)
def _any_go_header(name_bytes: bytes) -> re.Pattern[bytes]:
    return re.compile(rb"^func (?:\([^)\n]{0,200}\) )?%s[\[(]" % re.escape(name_bytes), re.MULTILINE)
