"""Text, parents and nesting of syntax tree nodes, in bounded time."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node

LONGEST = 2_000
FUNCTIONS = ("function_declaration", "method_declaration", "function_definition", "function_item")
CLOSURES = ("func_literal", "lambda_expression", "closure_expression")
_FAR = 60  # ancestors searched for closures

# a node's parent by node id; `Node.parent` walks from the root
Up = dict[int, "Node"]


def family(function: Node) -> tuple[list[Node], Up]:
    """The nodes of a function in source order, and their parents."""
    nodes: list[Node] = []
    up: Up = {}
    waiting = [function]
    while waiting:
        node = waiting.pop()
        nodes.append(node)
        children = node.children
        up.update((child.id, node) for child in children)
        waiting += reversed(children)
    return nodes, up


def text_of(node: Node | None) -> str:
    """The text of a node; empty if it is too long."""
    if node is None or node.end_byte - node.start_byte > LONGEST:
        return ""
    return (node.text or b"").decode("utf-8", "replace")


def depth(node: Node, up: Up) -> int:
    """The number of closures around a node in its function."""
    found, above = 0, up.get(node.id)
    for _ in range(_FAR):
        if above is None or above.type in FUNCTIONS:
            break
        found += above.type in CLOSURES
        above = up.get(above.id)
    return found


def has(node: Node, row: int) -> bool:
    """Whether a node covers a row."""
    return node.start_point.row <= row <= node.end_point.row
