"""Rename the identifiers of a program in its source and in its reports.

Names of the language, its library and the test harness stay. Whether `x.Close` belongs to the program or to
the library depends on the declaration of `x`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING, Any

from deadheat.model import Frame, Location, Origin
from deadheat.repo.syntax import parser
from deadheat.repo.syntax.parser import language_of_file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tree_sitter import Node

    from deadheat.model import Report

Files = dict[str, bytes]
Naming = dict[str, str]

_NAME_NODES = ("identifier", "field_identifier", "type_identifier", "namespace_identifier")
_IDENTIFIER = re.compile(r"[A-Za-z_]\w*")
# names that the runtime, the test harness or a library interface requires, and conventional names
_FIXED_NAMES = re.compile(
    r"Test|Benchmark|Example|Fuzz|(?:main|init|_|err|ctx|ok|String|Error|Unwrap|Is|As|Read|Write|Len|Less|Swap"
    r"|Push|Pop|ServeHTTP|RoundTrip|MarshalJSON|UnmarshalJSON|Scan|Value|std|this)$"
)
# type of the declaring node: field that contains the name
_GO_DECLARATIONS = {
    "function_declaration": "name",
    "method_declaration": "name",
    "method_elem": "name",
    "type_spec": "name",
    "type_alias": "name",
    "field_declaration": "name",
    "parameter_declaration": "name",
    "variadic_parameter_declaration": "name",
    "type_parameter_declaration": "name",
    "var_spec": "name",
    "const_spec": "name",
    "short_var_declaration": "left",
    "range_clause": "left",
}
_C_DECLARATIONS = {
    "function_definition": "declarator",
    "declaration": "declarator",
    "init_declarator": "declarator",
    "parameter_declaration": "declarator",
    "field_declaration": "declarator",
    "type_definition": "declarator",
    "struct_specifier": "name",
    "union_specifier": "name",
    "enum_specifier": "name",
    "class_specifier": "name",
    "enumerator": "name",
    "for_range_loop": "declarator",
    "alias_declaration": "name",
}
_MEMBER_DECLARATIONS = ("method_declaration", "method_elem", "field_declaration")
_FUNCTION_NODES = ("function_declaration", "method_declaration", "function_definition")
_MEMBER_ACCESS = ("selector_expression", "field_expression")
_WRAPPING_NODES = (
    "parenthesized_expression",
    "unary_expression",
    "index_expression",
    "pointer_expression",
    "subscript_expression",
)
# `import clock "example.com/x/y"`
_IMPORT = re.compile(rb'^(?:import |\t)(?:(\w+) )?"([^"\n]+)"', re.MULTILINE)
_PACKAGE = re.compile(rb"^package (\w+)", re.MULTILINE)
_MODULE = re.compile(rb"^module (\S+)", re.MULTILINE)
# a library type or constructor at the start of a type or value: `*sync.Pool`, `time.After(`
_GO_LIBRARY = re.compile(r"[&*\[\]\d]*(?:map\[[^\]]*\])?[&*\[\]]*(?:new\()?(\w+)\.\w")
_C_LIBRARY = re.compile(r"(?:const |static |mutable )*(?:std::|pthread_|atomic|sem_t|FILE)")


@dataclass(frozen=True)
class RenamedProgram:
    """A renamed or rewritten program: its files, and old names with their new names."""

    files: Files
    naming: Naming

    def rename_report(self, report: Report) -> Report:
        """The report with the new names."""
        changed: Report = _rename_in_value(report, self.naming)
        return changed


def rename_program(files: Files, new_name: Callable[[str, bool], str]) -> RenamedProgram:
    sources = [
        _SourceFile(path, source, files) for path, source in sorted(files.items()) if language_of_file(path, source)
    ]
    packages = {name for source in sources for name in source.own_packages}
    declared = [one for source in sources for one in source.declarations()]
    members = {name for name, member in declared if member}
    non_members = {name for name, member in declared if not member}
    naming = {
        old: new_name(old, old in members)
        for old in sorted(members | non_members)
        if not _FIXED_NAMES.match(old) and old not in packages
    }
    changed = {source.path: source.renamed_text(naming, non_members) for source in sources}
    return RenamedProgram(files | changed, naming)


class _SourceFile:
    """One source file and its declarations."""

    def __init__(self, path: str, text: bytes, files: Files) -> None:
        self.path, self.text = path, text
        self.language = language_of_file(path, text) or ""
        self.nodes = list(_walk_nodes(parser.parse_source(self.language, text).root_node))
        self.own_packages = self._imported_packages(files) if self.language == "go" else {}
        self.declared_types: dict[tuple[int, str], str] = {}
        for node in self.nodes:
            for name in self._declared_names(node):
                fields = ("type", "right", "value")
                type_node = next((one for f in fields if (one := node.child_by_field_name(f))), node)
                self.declared_types.setdefault((_function_start(node), _node_text(name)), _node_text(type_node))

    def _imported_packages(self, files: Files) -> dict[str, bool]:
        """The packages that the file imports, and whether each belongs to the program."""
        module = _MODULE.search(files.get("go.mod", b""))
        this_package = {package[1].decode(): True for package in _PACKAGE.finditer(self.text)}
        return this_package | {
            (alias or path.rpartition(b"/")[2]).decode(): bool(module and path.startswith(module[1]))
            for alias, path in _IMPORT.findall(self.text)
        }

    def _declared_names(self, node: Node) -> Iterator[Node]:
        wanted = (_GO_DECLARATIONS if self.language == "go" else _C_DECLARATIONS).get(node.type)
        for child in node.children_by_field_name(wanted) if wanted else ():
            yield from _declarator_names(child)

    def declarations(self) -> Iterator[tuple[str, bool]]:
        """Every declared name, and whether it is a member."""
        for node in self.nodes:
            for name in self._declared_names(node):
                yield _node_text(name), node.type in _MEMBER_DECLARATIONS or name.type == "field_identifier"

    def renamed_text(self, naming: Naming, non_members: set[str]) -> bytes:
        out, at = [], 0
        for node in self.nodes:
            old = _node_text(node) if node.type in _NAME_NODES and not node.child_count else ""
            if old in naming and self._belongs_to_program(node, old, non_members):
                out += [self.text[at : node.start_byte], naming[old].encode()]
                at = node.end_byte
        return b"".join([*out, self.text[at:]])

    def _belongs_to_program(self, node: Node, name: str, non_members: set[str]) -> bool:
        parent = node.parent
        if parent is None:
            return True
        first = parent.children[0]
        if parent.type in _MEMBER_ACCESS and node.type == "field_identifier":
            return not self._is_library_operand(first)
        if parent.type in ("qualified_type", "qualified_identifier"):
            return first == node or self.own_packages.get(_node_text(first), _node_text(first) != "std")
        if parent.type == "literal_element":
            literal = parent.parent and parent.parent.parent and parent.parent.parent.parent
            kind = literal.child_by_field_name("type") if literal else None
            return kind is None or not self._is_library_type(_node_text(kind))
        return node.type != "identifier" or name in non_members or self.language != "go"

    def _is_library_operand(self, operand: Node) -> bool:
        """Whether the operand of a member access has a library type."""
        while operand.type in _WRAPPING_NODES and operand.named_children:
            operand = operand.named_children[0]
        if operand.type == "identifier":
            name = _node_text(operand)
            type_text = self.declared_types.get((_function_start(operand), name)) or self.declared_types.get((0, name))
            if type_text is None:
                return not self.own_packages.get(name, True)
            return self._is_library_type(type_text)
        if operand.type in _MEMBER_ACCESS:
            type_text = self.declared_types.get((0, _node_text(operand.children[-1])))
            return self._is_library_type(type_text or _node_text(operand))
        return operand.type == "call_expression" and self._is_library_type(_node_text(operand))

    def _is_library_type(self, type_text: str) -> bool:
        if self.language != "go":
            return bool(_C_LIBRARY.match(type_text))
        head = _GO_LIBRARY.match(type_text)
        return bool(head and not self.own_packages.get(head[1], True))


def _declarator_names(node: Node) -> Iterator[Node]:
    """The names in a declarator: `*next`, `run(void *arg)`, `a, b`."""
    if node.type in _NAME_NODES and not node.child_count:
        yield node
    elif node.type in ("expression_list", "qualified_identifier") or "declarator" in node.type:
        inner = node.child_by_field_name("declarator") or node.child_by_field_name("name")
        for child in [inner] if inner else node.named_children:
            yield from _declarator_names(child)


def _function_start(node: Node) -> int:
    """Start of the enclosing function plus 1; 0 outside of functions and for fields and methods."""
    ancestor = node.parent if node.type not in ("field_declaration", "method_elem") else None
    while ancestor is not None and ancestor.type not in _FUNCTION_NODES:
        ancestor = ancestor.parent
    return ancestor.start_byte + 1 if ancestor else 0


def _walk_nodes(node: Node) -> Iterator[Node]:
    yield node
    for child in node.children:
        yield from _walk_nodes(child)


def _node_text(node: Node) -> str:
    return (node.text or b"").decode("utf-8", "replace")


def _rename_in_value(value: Any, naming: Naming) -> Any:
    if isinstance(value, Frame):
        library = value.origin in (Origin.STDLIB, Origin.RUNTIME)
        return value if library else value._replace(function=_rename_identifiers(value.function, naming))
    if isinstance(value, Location) and value.name:
        value = value._replace(name=_rename_identifiers(value.name, naming))
    if isinstance(value, tuple):
        inner = [_rename_in_value(one, naming) for one in value]
        return type(value)._make(inner) if hasattr(value, "_make") else tuple(inner)
    return value


def _rename_identifiers(text: str, naming: Naming) -> str:
    return _IDENTIFIER.sub(lambda word: naming.get(word[0], word[0]), text)


# --- new names ------------------------------------------------------------------------------------


def neutral_names() -> Callable[[str, bool], str]:
    """Names without meaning that keep the case: `Close` becomes `Qa12`, `closed` `qa13`."""
    numbers = count(1)
    return lambda old, member: f"{'Qa' if old[0].isupper() else 'qa'}{next(numbers)}"


_VERBS = (
    "close", "get", "reset", "add", "wait", "put", "start", "stop", "init", "append", "load",
    "set", "new",
)  # fmt: skip
_NOUNS = ("err", "closed", "pool", "timer", "items", "table", "count", "done", "result", "once")


def misleading_names() -> Callable[[str, bool], str]:
    """Names that suggest closing, creating, waiting or counting, in turn."""
    numbers = count(1)

    def new_name(old: str, member: bool) -> str:
        number = next(numbers)
        candidates = (*_VERBS, *_NOUNS) if old[0].islower() else _VERBS
        word = f"{candidates[number % len(candidates)]}Q{number}"
        return word[0].upper() + word[1:] if old[0].isupper() else word

    return new_name
