"""What a caller passes as arguments to a racing Go function."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deadheat.code import syntax
from deadheat.code.touches import Touch, chain

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tree_sitter import Node

_FUNCTIONS = ("function_declaration", "method_declaration")


def passed(
    found: list[Touch], source: bytes, first: int, name: str, caller: bytes, line: int
) -> list[Touch]:
    """Translate accesses to parameters into accesses to the arguments of the caller's line."""
    places = {parameter: at for at, parameter in enumerate(_parameters(source, first))}
    wanted = [t for t in found if t.path[0] in places]
    if not wanted:
        return []
    given = next(_arguments(caller, line, name), [])
    out = []
    for touch in wanted:
        at = places[touch.path[0]]
        path = given[at] if at < len(given) else ()
        if path:
            whole = (*path, *touch.path[1:])
            out.append(touch._replace(name=whole[-1].removesuffix("()"), path=whole))
    return out


def _parameters(source: bytes, first: int) -> list[str]:
    """The parameter names of a function in order."""
    root = syntax.parse("go", syntax.local("go", source, first)).root_node
    node = next(
        (n for n in root.children if n.type in _FUNCTIONS and n.start_point.row == first - 1), None
    )
    listed = node.child_by_field_name("parameters") if node is not None else None
    names: list[str] = []
    for declared in listed.named_children if listed is not None else ():
        own = declared.children_by_field_name("name")
        names += [_text(c) for c in own] or [""]
    return names


def _arguments(source: bytes, line: int, name: str) -> Iterator[list[tuple[str, ...]]]:
    """The access path of each argument, for each call of that name on a line."""
    root, row = syntax.parse("go", syntax.local("go", source, line)).root_node, line - 1
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if not node.start_point.row <= row <= node.end_point.row:
            continue
        waiting += reversed(node.children)
        function = node.child_by_field_name("function") if node.type == "call_expression" else None
        listed = node.child_by_field_name("arguments") if function is not None else None
        if function is None or listed is None or node.end_point.row < row:
            continue
        if _text(function).rpartition(".")[2] == name:
            yield [chain(argument) for argument in listed.named_children]


def _text(node: Node) -> str:
    return (node.text or b"").decode("utf-8", "replace")
