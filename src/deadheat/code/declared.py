"""The declarations visible at a line of a function: loops, results, parameters, locals."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deadheat.code import syntax
from deadheat.code.nodes import CLOSURES, FUNCTIONS, depth, has, text_of
from deadheat.diagnose.source import Declared

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tree_sitter import Node

    from deadheat.code.nodes import Up

_FAR = 60  # ancestors searched for the scope of a declaration
_SCOPES = (
    *FUNCTIONS,
    *CLOSURES,
    "block",
    "compound_statement",
    "if_statement",
    "for_statement",
    "expression_switch_statement",
    "type_switch_statement",
    "expression_case",
    "type_case",
    "default_case",
    "communication_case",
    "for_range_loop",
    "for_expression",
    "if_expression",
    "match_arm",
)


def declared(function: Node, nodes: list[Node], up: Up, row: int) -> dict[str, Declared]:
    """The declaration of each name visible at the row; the nearest one before it wins."""
    found: dict[str, Declared] = {}
    scopes: dict[str, int] = {}
    for node, name, told in _declarations(function, nodes, up):
        scope = _scope(node, up) or function
        if told.line - 1 > row or not has(scope, row):
            continue
        if node.type == "short_var_declaration" and scopes.get(name) == _block(scope).id:
            continue  # `rows, err := read()` declares only `rows` if `err` exists in the block
        found[name] = told._replace(depth=depth(node, up))
        scopes[name] = _block(scope).id
    return found


def _scope(node: Node, up: Up) -> Node | None:
    """The statement, block or function in which a declaration is visible."""
    above = up.get(node.id)
    for _ in range(_FAR):
        if above is None or above.type in _SCOPES:
            return above
        above = up.get(above.id)
    return None


def _block(scope: Node) -> Node:
    """The body, if the scope is a function; else the scope itself."""
    body = scope.child_by_field_name("body") if scope.type in (*FUNCTIONS, *CLOSURES) else None
    return body if body is not None else scope


def _declarations(
    function: Node, nodes: list[Node], up: Up
) -> Iterator[tuple[Node, str, Declared]]:
    result = function.child_by_field_name("result")
    receiver = function.child_by_field_name("receiver")
    for node in nodes:
        line = node.start_point.row + 1
        if node.type in ("parameter_declaration", "variadic_parameter_declaration"):
            how = "parameter"
            if result is not None and up.get(node.id) == result:
                how = "result"
            elif receiver is not None and up.get(node.id) == receiver:
                how = "receiver"
            kind = text_of(node.child_by_field_name("type"))
            for child in node.children_by_field_name("name"):
                yield node, text_of(child), Declared(how, line, kind)
            declarator = node.child_by_field_name("declarator")
            if declarator is not None:
                yield node, text_of(declarator).strip("*& "), Declared(how, line, kind)
        elif node.type in ("range_clause", "for_clause"):
            left = node.child_by_field_name("left")
            init = node.child_by_field_name("initializer")
            if left is None and init is not None:
                left = init.child_by_field_name("left")
            for child in left.named_children if left is not None else ():
                yield node, text_of(child), Declared("loop", line)
        elif node.type == "short_var_declaration":
            if node.id in up and up[node.id].type == "for_clause":
                continue
            left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
            for child in left.named_children if left is not None else ():
                yield node, text_of(child), Declared("local", line, text_of(right)[:80])
        elif node.type == "var_spec":
            kind = text_of(node.child_by_field_name("type"))
            kind = kind or text_of(node.child_by_field_name("value"))[:80]
            for child in node.children_by_field_name("name"):
                yield node, text_of(child), Declared("local", line, kind)
        elif node.type == "declaration":
            kind = text_of(node.child_by_field_name("type"))
            for child in node.children_by_field_name("declarator"):
                bare = syntax.called(child).decode("utf-8", "replace")
                yield node, bare, Declared("local", line, kind)
        elif node.type == "let_declaration":
            pattern = text_of(node.child_by_field_name("pattern"))
            yield (
                node,
                pattern.removeprefix("mut "),
                Declared("local", line, text_of(node.child_by_field_name("type"))),
            )


def types(names: dict[str, Declared]) -> dict[str, str]:
    """The bare type of each parameter by name."""
    return {
        name: told.type.strip("*& ").partition("[")[0].rpartition(".")[2].rpartition(" ")[2]
        for name, told in names.items()
        if told.how == "parameter" and told.type
    }
