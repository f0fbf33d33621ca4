"""The names of a program, consistently changed in its source and in its reports; knows no rule.

What the language, its library or the test harness gives is kept: a lock stays a lock. Whether `x.Close`
is the program's or the library's is told by how `x` is declared.
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

_TOKENS = ("identifier", "field_identifier", "type_identifier", "namespace_identifier")
_WORD = re.compile(r"[A-Za-z_]\w*")
# what the runtime, the harness or an interface of the library calls by name, and what everybody calls so
_CALLED = re.compile(
    r"Test|Benchmark|Example|Fuzz|(?:main|init|_|err|ctx|ok|String|Error|Unwrap|Is|As|Read|Write|Len|Less|Swap"
    r"|Push|Pop|ServeHTTP|RoundTrip|MarshalJSON|UnmarshalJSON|Scan|Value|std|this)$"
)
# by the node that declares: the field of it that has the name
_GO = {
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
_C = {
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
_MEMBERS = ("method_declaration", "method_elem", "field_declaration")
_FUNCTIONS = ("function_declaration", "method_declaration", "function_definition")
_ASKED = ("selector_expression", "field_expression")
_AROUND = (
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
# the library's type or maker at the head of what something is or is made of: `*sync.Pool`, `time.After(`
_GO_LIBRARY = re.compile(r"[&*\[\]\d]*(?:map\[[^\]]*\])?[&*\[\]]*(?:new\()?(\w+)\.\w")
_C_LIBRARY = re.compile(r"(?:const |static |mutable )*(?:std::|pthread_|atomic|sem_t|FILE)")


@dataclass(frozen=True)
class Renamed:
    """A program under other names: its files, and what its reports are then."""

    files: Files
    naming: Naming

    def report(self, report: Report) -> Report:
        """The report that the renamed program would have got."""
        changed: Report = _walk(report, self.naming)
        return changed


def renamed(files: Files, names: Callable[[str, bool], str]) -> Renamed:
    texts = [_Text(path, text, files) for path, text in sorted(files.items()) if language_of_file(path, text)]
    packages = {name for text in texts for name in text.own}
    declared = [one for text in texts for one in text.declared()]
    members = {name for name, member in declared if member}
    plain = {name for name, member in declared if not member}
    naming = {
        old: names(old, old in members)
        for old in sorted(members | plain)
        if not _CALLED.match(old) and old not in packages
    }
    changed = {text.path: text.with_names(naming, plain) for text in texts}
    return Renamed(files | changed, naming)


class _Text:
    """One file and what it declares."""

    def __init__(self, path: str, text: bytes, files: Files) -> None:
        self.path, self.text = path, text
        self.language = language_of_file(path, text) or ""
        self.nodes = list(_nodes(parser.parse_source(self.language, text).root_node))
        self.own = self._imports(files) if self.language == "go" else {}
        self.made: dict[tuple[int, str], str] = {}
        for node in self.nodes:
            for name in self._names(node):
                fields = ("type", "right", "value")
                told = next((one for f in fields if (one := node.child_by_field_name(f))), node)
                self.made.setdefault((_scope(node), _text(name)), _text(told))

    def _imports(self, files: Files) -> dict[str, bool]:
        """The packages that the file imports, and whether each is the program's."""
        module = _MODULE.search(files.get("go.mod", b""))
        here = {told[1].decode(): True for told in _PACKAGE.finditer(self.text)}
        return here | {
            (alias or path.rpartition(b"/")[2]).decode(): bool(module and path.startswith(module[1]))
            for alias, path in _IMPORT.findall(self.text)
        }

    def _names(self, node: Node) -> Iterator[Node]:
        wanted = (_GO if self.language == "go" else _C).get(node.type)
        for child in node.children_by_field_name(wanted) if wanted else ():
            yield from _declared(child)

    def declared(self) -> Iterator[tuple[str, bool]]:
        """Every name that is declared, and whether it is a member's."""
        for node in self.nodes:
            for name in self._names(node):
                yield _text(name), node.type in _MEMBERS or name.type == "field_identifier"

    def with_names(self, naming: Naming, plain: set[str]) -> bytes:
        out, at = [], 0
        for node in self.nodes:
            old = _text(node) if node.type in _TOKENS and not node.child_count else ""
            if old in naming and self._is_own(node, old, plain):
                out += [self.text[at : node.start_byte], naming[old].encode()]
                at = node.end_byte
        return b"".join([*out, self.text[at:]])

    def _is_own(self, node: Node, name: str, plain: set[str]) -> bool:
        above = node.parent
        if above is None:
            return True
        first = above.children[0]
        if above.type in _ASKED and node.type == "field_identifier":
            return not self._of_library(first)
        if above.type in ("qualified_type", "qualified_identifier"):
            return first == node or self.own.get(_text(first), _text(first) != "std")
        if above.type == "literal_element":
            literal = above.parent and above.parent.parent and above.parent.parent.parent
            kind = literal.child_by_field_name("type") if literal else None
            return kind is None or not self._library(_text(kind))
        return node.type != "identifier" or name in plain or self.language != "go"

    def _of_library(self, operand: Node) -> bool:
        """Whether what a member is asked of is the library's."""
        while operand.type in _AROUND and operand.named_children:
            operand = operand.named_children[0]
        if operand.type == "identifier":
            name = _text(operand)
            told = self.made.get((_scope(operand), name)) or self.made.get((0, name))
            if told is None:
                return not self.own.get(name, True)
            return self._library(told)
        if operand.type in _ASKED:
            told = self.made.get((0, _text(operand.children[-1])))
            return self._library(told or _text(operand))
        return operand.type == "call_expression" and self._library(_text(operand))

    def _library(self, told: str) -> bool:
        if self.language != "go":
            return bool(_C_LIBRARY.match(told))
        head = _GO_LIBRARY.match(told)
        return bool(head and not self.own.get(head[1], True))


def _declared(node: Node) -> Iterator[Node]:
    """The names in a declarator: `*next`, `run(void *arg)`, `a, b`."""
    if node.type in _TOKENS and not node.child_count:
        yield node
    elif node.type in ("expression_list", "qualified_identifier") or "declarator" in node.type:
        inner = node.child_by_field_name("declarator") or node.child_by_field_name("name")
        for child in [inner] if inner else node.named_children:
            yield from _declared(child)


def _scope(node: Node) -> int:
    """Where the function around a node begins; 0 outside of all, as for fields and methods."""
    at = node.parent if node.type not in ("field_declaration", "method_elem") else None
    while at is not None and at.type not in _FUNCTIONS:
        at = at.parent
    return at.start_byte + 1 if at else 0


def _nodes(node: Node) -> Iterator[Node]:
    yield node
    for child in node.children:
        yield from _nodes(child)


def _text(node: Node) -> str:
    return (node.text or b"").decode("utf-8", "replace")


def _walk(value: Any, naming: Naming) -> Any:
    if isinstance(value, Frame):
        library = value.origin in (Origin.STDLIB, Origin.RUNTIME)
        return value if library else value._replace(function=_words(value.function, naming))
    if isinstance(value, Location) and value.name:
        value = value._replace(name=_words(value.name, naming))
    if isinstance(value, tuple):
        inner = [_walk(one, naming) for one in value]
        return type(value)._make(inner) if hasattr(value, "_make") else tuple(inner)
    return value


def _words(text: str, naming: Naming) -> str:
    return _WORD.sub(lambda word: naming.get(word[0], word[0]), text)


# --- which names ----------------------------------------------------------------------------------


def neutral() -> Callable[[str, bool], str]:
    """`Close` becomes `Qa12`, `closed` `qa13`: nothing but whether it is exported is told."""
    numbers = count(1)
    return lambda old, member: f"{'Qa' if old[0].isupper() else 'qa'}{next(numbers)}"


_VERBS = (
    "close", "get", "reset", "add", "wait", "put", "start", "stop", "init", "append", "load",
    "set", "new",
)  # fmt: skip
_NOUNS = ("err", "closed", "pool", "timer", "items", "table", "count", "done", "result", "once")


def misleading() -> Callable[[str, bool], str]:
    """Whatever it is, it is called like what ends, makes, waits or counts, in turn."""
    numbers = count(1)

    def name(old: str, member: bool) -> str:
        number = next(numbers)
        words = (*_VERBS, *_NOUNS) if old[0].islower() else _VERBS
        word = f"{words[number % len(words)]}Q{number}"
        return word[0].upper() + word[1:] if old[0].isupper() else word

    return name
