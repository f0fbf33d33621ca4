"""Syntax trees of source text, and the functions in them, with tree-sitter."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

from deadheat.errors import DeadheatError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tree_sitter import Node, Parser, Tree

_MODULES = {
    "go": "tree_sitter_go",
    "c": "tree_sitter_c",
    "cpp": "tree_sitter_cpp",
    "rust": "tree_sitter_rust",
}
_FUNCTIONS = {
    "go": ("function_declaration", "method_declaration"),
    "c": ("function_definition",),
    "cpp": ("function_definition",),
    "rust": ("function_item",),
}
_LITERALS = ("interpreted_string_literal", "raw_string_literal")
_LINE_END = re.compile(rb"\n")
_DECLARATIONS = (b"\nfunc ", b"\ntype ", b"\nvar ", b"\nconst ")
# larger files are generated and slow to parse
_BIGGEST = 3 << 20


@cache
def _parser(language: str) -> Parser:
    from importlib import import_module

    try:
        from tree_sitter import Language, Parser

        grammar: Any = import_module(_MODULES[language])
    except ImportError as error:
        raise DeadheatError(
            "source cannot be parsed without tree-sitter", do="pip install 'deadheat[code]'"
        ) from error
    return Parser(Language(grammar.language()))


@lru_cache(maxsize=32)
def parse(language: str, source: bytes) -> Tree:
    """The syntax tree of a source; recent trees are cached."""
    return _parser(language).parse(source[:_BIGGEST])


@lru_cache(maxsize=64)
def starts(source: bytes) -> list[int]:
    """The offset of each line."""
    return [0, *(match.end() for match in _LINE_END.finditer(source))]


def local(language: str, source: bytes, line: int) -> bytes:
    """The declaration around a line with its line numbers kept, or the whole source if unclear.

    Parsing one function is about a hundred times faster than parsing its file.
    """
    if language != "go":
        return source
    begins = starts(source)
    if not 0 < line <= len(begins):
        return source
    at = begins[line - 1]
    start = max(source.rfind(word, 0, at + 6) for word in _DECLARATIONS) + 1
    end = source.find(b"\n}\n", max(start, at - 2))
    if not start or end < 0 or not source.startswith(b"func ", start):
        return source
    if source.find(b"\n}\n", start, max(start, at - 2)) >= 0 or b"`" in source[start:end]:
        return source  # between functions, or there is a raw string
    return b"\n" * source.count(b"\n", 0, start) + source[start : end + 3]


def walk(node: Node) -> Iterator[Node]:
    """The node and its descendants in source order, without recursion."""
    cursor = node.walk()
    while True:
        if cursor.node is not None:
            yield cursor.node
        if cursor.goto_first_child():
            continue
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return


def functions(language: str, source: bytes, name: str) -> list[tuple[int, int]]:
    """The extents of the functions of that name, in lines from 1."""
    wanted = name.encode("utf-8", "replace")
    if wanted not in source:
        return []
    kinds = _FUNCTIONS[language]
    return [
        (node.start_point.row + 1, node.end_point.row + 1)
        for node in walk(parse(language, source).root_node)
        if node.type in kinds and called(node) == wanted
    ]


def all_functions(language: str, source: bytes) -> list[tuple[str, int, int]]:
    """Every function with its bare name and extent, outer functions first."""
    kinds = _FUNCTIONS[language]
    return [
        (called(node).decode("utf-8", "replace"), node.start_point.row + 1, node.end_point.row + 1)
        for node in walk(parse(language, source).root_node)
        if node.type in kinds
    ]


def called(function: Node) -> bytes:
    """The bare name that a definition or declaration defines."""
    node: Node | None = function
    while node is not None and node.type not in (
        "identifier",
        "field_identifier",
        "destructor_name",
    ):
        node = (
            node.child_by_field_name("name")
            or node.child_by_field_name("declarator")
            or next((c for c in node.named_children if c.type.endswith("declarator")), None)
        )
    return node.text or b"" if node is not None else b""


def rows(source: bytes, first: int, last: int) -> list[bytes]:
    """The lines from first to last, numbered from 1."""
    return source.split(b"\n", last)[first - 1 : last]


def member(
    language: str, sources: dict[str, bytes], name: str, owner: str = ""
) -> tuple[str, str, int] | None:
    """The struct that declares the member, with file and line; None if several do.

    `owner` restricts the search to one struct.
    """
    wanted = name.encode("utf-8", "replace")
    found = []
    for path, source in sources.items():
        if wanted not in source:
            continue
        for node in walk(parse(language, source).root_node):
            if node.type == "field_declaration" and called(node) == wanted:
                around = node.parent.parent if node.parent is not None else None
                label = around.child_by_field_name("name") if around is not None else None
                text = (label.text or b"").decode("utf-8", "replace") if label is not None else ""
                found.append((text, path, node.start_point.row + 1))
    found = [f for f in found if f[0] == owner] if owner else found
    return found[0] if len({f[0] for f in found}) == 1 else None


def named_calls(language: str, source: bytes, names: Sequence[bytes], line: int) -> list[str]:
    """The texts in `x.Run("text", func…)` or `It("text", …)` around a line, outermost first.

    Empty if one of them is not a literal.
    """
    found: list[str] = []
    root = parse(language, local(language, source, line)).root_node
    node: Node | None = root.descendant_for_point_range((line - 1, 0), (line - 1, 0))
    while node is not None:
        function = node.child_by_field_name("function") if node.type == "call_expression" else None
        if function is not None and (function.text or b"").rpartition(b".")[2] in names:
            arguments = node.child_by_field_name("arguments")
            first = arguments.named_child(0) if arguments is not None else None
            if first is None or first.type not in _LITERALS:
                return []
            found.append((first.text or b"").decode("utf-8", "replace").strip('"`'))
        node = node.parent
    return found[::-1]
