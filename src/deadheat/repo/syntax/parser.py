"""Languages of source files, tree-sitter trees, and the functions of a file with their extents."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Any

from deadheat.errors import DeadheatError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tree_sitter import Node, Parser, Tree

_EXTENSIONS = {"go": "go", "c": "c h", "cpp": "cc cpp cxx c++ hh hpp hxx", "rust": "rs"}
_LANGUAGE_BY_EXTENSION = {extension: name for name, listed in _EXTENSIONS.items() for extension in listed.split()}
# "class Pool {", "namespace shop {", "std::mutex lock_;", " public:", "template <typename T>"
_CPP_SYNTAX = re.compile(rb"^[ \t]{0,20}(?:class|namespace|template|public:|private:)\b|\bstd::", re.MULTILINE)


def language_of_path(path: str) -> str | None:
    """`go`, `c`, `cpp`, `rust`, or None if the language is not supported."""
    name = path.rpartition("/")[2]
    return _LANGUAGE_BY_EXTENSION.get(name.rpartition(".")[2].lower()) if "." in name else None


def language_of_file(path: str, source: bytes) -> str | None:
    """The language by path, and by content for headers, which may be C or C++."""
    by_name = language_of_path(path)
    return "cpp" if by_name == "c" and path.endswith((".h", ".H")) and _CPP_SYNTAX.search(source) else by_name


def refine_language(language: str, source: bytes) -> str:
    """Correct a language that was derived from the file name: C may be C++."""
    return "cpp" if language == "c" and _CPP_SYNTAX.search(source) else language


def is_source_file(path: str) -> bool:
    return language_of_path(path) is not None


LineSpans = list[tuple[int, int]]
# a definition does not start with these: indentation, directive, comment, string
_NOT_DEFINITION_START = b" \t#/*}\"'"
# not a definition: "return f(x) {", "x = f(…"
_STATEMENT_WORDS = re.compile(rb"\b(?:return|else|case|if|while|for|switch|do|typedef|using)\b|[=\"?]")
# "    pub(crate) async ", "unsafe extern \"C\" "
_FN_MODIFIERS = re.compile(rb"([ \t]{0,80})(?:[\w():\" ]{1,80} )?")
# functions that test macros of GoogleTest and Boost define
_TEST_MACROS = {
    b"TestBody": re.compile(rb"^(?:[A-Z]{1,20}_)?TEST(?:_[A-Z]{1,9})?\s?\(", re.MULTILINE),
    b"test_method": re.compile(rb"^BOOST_(?:AUTO|FIXTURE|DATA)_TEST_CASE\w{0,20}\(", re.MULTILINE),
}
_OPENING_PARENTHESIS = re.compile(rb"[ \t]{0,9}\(")
# limits: bytes of a parameter list, column of a name, occurrences in a file
_MAX_HEADER_BYTES, _MAX_LINE_PREFIX, _MAX_OCCURRENCES = 4_000, 400, 5_000


def scan_function_extents(language: str, source: bytes, name: str) -> LineSpans | None:
    """The extents of the functions of that name, in lines from 1; None if the layout is unclear."""
    word = name.encode("utf-8", "replace")
    if (macro := _TEST_MACROS.get(word)) and (test_spans := list(_scan_test_macros(source, macro))):
        return test_spans
    if not word or word not in source:
        return []
    spans, is_doubtful = _scan_rust_functions(source, word) if language == "rust" else _scan_c_functions(source, word)
    return None if is_doubtful and not spans else spans


def _scan_c_functions(source: bytes, word: bytes) -> tuple[LineSpans, bool]:
    """Definitions that start in the first column and end with a brace there."""
    spans: LineSpans = []
    is_doubtful = False
    for offset in _word_offsets(source, word):
        after = offset + len(word)
        brace = source.find(b"{", after, after + _MAX_HEADER_BYTES)
        if brace < 0 or not _OPENING_PARENTHESIS.match(source, after) or source.find(b";", after, brace) >= 0:
            continue
        start = source.rfind(b"\n", max(0, offset - _MAX_LINE_PREFIX), offset) + 1
        if not start and offset > _MAX_LINE_PREFIX:
            continue
        if source[start : start + 1] in _NOT_DEFINITION_START or _STATEMENT_WORDS.search(source, start, offset):
            is_doubtful = True
        else:
            spans.append(_function_span(source, start, brace, b"\n}"))
    return spans, is_doubtful


def _scan_test_macros(source: bytes, macro: re.Pattern[bytes]) -> Iterator[tuple[int, int]]:
    """`TEST_F(Feed, Drops) {` up to the brace in the first column."""
    for match in macro.finditer(source):
        brace = source.find(b"{", match.end(), match.end() + _MAX_LINE_PREFIX)
        if brace >= 0:
            yield _function_span(source, match.start(), brace, b"\n}")


def _scan_rust_functions(source: bytes, word: bytes) -> tuple[LineSpans, bool]:
    """`pub(crate) async fn name` up to the brace with the same indentation."""
    spans: LineSpans = []
    is_doubtful = False
    for offset in _word_offsets(source, b"fn " + word):
        start, after = source.rfind(b"\n", max(0, offset - _MAX_LINE_PREFIX), offset) + 1, offset + 3 + len(word)
        before = _FN_MODIFIERS.fullmatch(source, start, offset)
        brace = source.find(b"{", after, after + _MAX_HEADER_BYTES)
        if brace < 0 or source.find(b";\n", after, brace) >= 0:
            continue
        if before is None:
            is_doubtful = True
        else:
            spans.append(_function_span(source, start, brace, b"\n" + before[1] + b"}"))
    return spans, is_doubtful


def _word_offsets(source: bytes, word: bytes) -> Iterator[int]:
    """The offsets of a whole word, up to `_MAX_OCCURRENCES`."""
    matches = re.finditer(rb"(?<!\w)%s(?!\w)" % re.escape(word), source)
    return (match.start() for match in islice(matches, _MAX_OCCURRENCES))


def _function_span(source: bytes, start: int, brace: int, end: bytes) -> tuple[int, int]:
    """The lines of a function whose body opens at the brace."""
    first = source.count(b"\n", 0, start) + 1
    line_end = source.find(b"\n", brace)
    text = source[brace : line_end if line_end >= 0 else len(source)]
    if text.count(b"{") == text.count(b"}"):  # all on one line
        return first, first + source.count(b"\n", start, brace)
    close_offset = source.find(end, brace)
    close_offset = close_offset + 1 if close_offset >= 0 else len(source)
    return first, first + source.count(b"\n", start, close_offset)


MAX_NODE_BYTES = 2_000
FUNCTION_NODES = ("function_declaration", "method_declaration", "function_definition", "function_item")
CLOSURE_NODES = ("func_literal", "lambda_expression", "closure_expression")
_MAX_ANCESTORS = 60

# a node's parent by node id; `Node.parent` walks from the root
ParentById = dict[int, "Node"]


def nodes_and_parents(function: Node) -> tuple[list[Node], ParentById]:
    """The nodes of a function in source order, and their parents."""
    nodes: list[Node] = []
    parents: ParentById = {}
    pending = [function]
    while pending:
        node = pending.pop()
        nodes.append(node)
        children = node.children
        parents.update((child.id, node) for child in children)
        pending += reversed(children)
    return nodes, parents


def node_text(node: Node | None, max_bytes: int = MAX_NODE_BYTES) -> str:
    """The text of a node; empty if it is too long."""
    return full_text(node) if node is not None and node.end_byte - node.start_byte <= max_bytes else ""


def full_text(node: Node | None) -> str:
    return (node.text or b"").decode("utf-8", "replace") if node is not None else ""


def closure_depth(node: Node, parents: ParentById) -> int:
    """The number of closures around a node in its function."""
    count, ancestor = 0, parents.get(node.id)
    for _ in range(_MAX_ANCESTORS):
        if ancestor is None or ancestor.type in FUNCTION_NODES:
            break
        count += ancestor.type in CLOSURE_NODES
        ancestor = parents.get(ancestor.id)
    return count


def nearest_ancestor(node: Node, parents: ParentById, node_types: tuple[str, ...]) -> Node | None:
    ancestor = parents.get(node.id)
    for _ in range(_MAX_ANCESTORS):
        if ancestor is None or ancestor.type in node_types:
            return ancestor
        ancestor = parents.get(ancestor.id)
    return None


def spans_row(node: Node, row: int) -> bool:
    return node.start_point.row <= row <= node.end_point.row


def first_line(node: Node) -> int:
    return node.start_point.row + 1


def line_range(node: Node) -> tuple[int, int]:
    """The first and last line of a node, counted from 1."""
    return node.start_point.row + 1, node.end_point.row + 1


_GRAMMAR_MODULES = {"go": "tree_sitter_go", "c": "tree_sitter_c", "cpp": "tree_sitter_cpp", "rust": "tree_sitter_rust"}
_STRING_LITERALS = ("interpreted_string_literal", "raw_string_literal")
_LINE_END = re.compile(rb"\n")
_GO_DECLARATION_STARTS = (b"\nfunc ", b"\ntype ", b"\nvar ", b"\nconst ")
# larger files are generated and slow to parse
_MAX_PARSED_BYTES = 3 << 20


@cache
def _parser_for(language: str) -> Parser:
    from importlib import import_module

    try:
        from tree_sitter import Language, Parser

        grammar: Any = import_module(_GRAMMAR_MODULES[language])
    except ImportError as error:
        raise DeadheatError("source cannot be parsed without tree-sitter", do="pip install 'deadheat[code]'") from error
    return Parser(Language(grammar.language()))


@lru_cache(maxsize=32)
def parse_source(language: str, source: bytes) -> Tree:
    """The syntax tree of a source; recent trees are cached."""
    return _parser_for(language).parse(source[:_MAX_PARSED_BYTES])


@lru_cache(maxsize=64)
def line_offsets(source: bytes) -> list[int]:
    return [0, *(match.end() for match in _LINE_END.finditer(source))]


def parse_around(language: str, source: bytes, line: int) -> Node:
    """The root of a syntax tree with the declaration around a line: about 100 times faster than parsing the file."""
    return parse_source(language, _enclosing_declaration(language, source, line)).root_node


def _enclosing_declaration(language: str, source: bytes, line: int) -> bytes:
    """The declaration around a line with its line numbers kept, or the whole source if unclear."""
    if language != "go":
        return source
    offsets = line_offsets(source)
    if not 0 < line <= len(offsets):
        return source
    line_start = offsets[line - 1]
    start = max(source.rfind(keyword, 0, line_start + 6) for keyword in _GO_DECLARATION_STARTS) + 1
    end = source.find(b"\n}\n", max(start, line_start - 2))
    if not start or end < 0 or not source.startswith(b"func ", start):
        return source
    if source.find(b"\n}\n", start, max(start, line_start - 2)) >= 0 or b"`" in source[start:end]:
        return source  # between functions, or there is a raw string
    return b"\n" * source.count(b"\n", 0, start) + source[start : end + 3]


def walk_nodes(node: Node) -> Iterator[Node]:
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


def parse_function_extents(language: str, source: bytes, name: str) -> list[tuple[int, int]]:
    """The extents of the functions of that name, in lines from 1."""
    if name.encode("utf-8", "replace") not in source:
        return []
    return [(first, last) for other, first, last in all_function_extents(language, source) if other == name]


def all_function_extents(language: str, source: bytes) -> list[tuple[str, int, int]]:
    """Every function with its bare name and extent, outer functions first."""
    nodes = walk_nodes(parse_source(language, source).root_node)
    return [(defined_name(node), *line_range(node)) for node in nodes if node.type in FUNCTION_NODES]


def defined_name(function: Node) -> str:
    """The bare name that a definition or declaration defines."""
    node: Node | None = function
    while node is not None and node.type not in ("identifier", "field_identifier", "destructor_name"):
        node = (
            node.child_by_field_name("name")
            or node.child_by_field_name("declarator")
            or next((child for child in node.named_children if child.type.endswith("declarator")), None)
        )
    return full_text(node)


def source_lines(source: bytes, first: int, last: int) -> list[bytes]:
    """The lines from first to last, numbered from 1."""
    return source.split(b"\n", last)[first - 1 : last]


def find_member(language: str, sources: dict[str, bytes], name: str, owner: str = "") -> tuple[str, str, int] | None:
    """The struct that declares the member, with file and line; None if several do. `owner`: only this struct."""
    wanted = name.encode("utf-8", "replace")
    members = []
    for path, source in sources.items():
        for node in walk_nodes(parse_source(language, source).root_node) if wanted in source else ():
            if node.type == "field_declaration" and defined_name(node) == name:
                struct = node.parent.parent if node.parent is not None else None
                struct_name = full_text(struct.child_by_field_name("name")) if struct is not None else ""
                members.append((struct_name, path, first_line(node)))
    members = [member for member in members if member[0] == owner] if owner else members
    return members[0] if len({member[0] for member in members}) == 1 else None


def enclosing_call_names(language: str, source: bytes, names: Sequence[str], line: int) -> list[str]:
    """The texts in `x.Run("text", func…)` around a line, outermost first; empty if one is not a literal."""
    literals: list[str] = []
    node: Node | None = parse_around(language, source, line).descendant_for_point_range((line - 1, 0), (line - 1, 0))
    while node is not None:
        function = node.child_by_field_name("function") if node.type == "call_expression" else None
        if function is not None and full_text(function).rpartition(".")[2] in names:
            arguments = node.child_by_field_name("arguments")
            first = arguments.named_child(0) if arguments is not None else None
            if first is None or first.type not in _STRING_LITERALS:
                return []
            literals.append(full_text(first).strip('"`'))
        node = node.parent
    return literals[::-1]
