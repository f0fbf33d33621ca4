"""The nodes of a syntax tree: what they say and who is above them, in bounded time."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node

LONGEST = 2_000
FUNCTIONS = ("function_declaration", "method_declaration", "function_definition", "function_item")
CLOSURES = ("func_literal", "lambda_expression", "closure_expression")
_FAR = 60  # how far above a node a closure around it is looked for

# a node's parent by the node's id: asking the tree itself walks it from the root
Up = dict[int, "Node"]


def family(function: Node) -> tuple[list[Node], Up]:
    """A function's nodes in the order of the source, and their parents."""
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
    """What a node says; nothing where it is so long that it says nothing to a rule."""
    if node is None or node.end_byte - node.start_byte > LONGEST:
        return ""
    return (node.text or b"").decode("utf-8", "replace")


def depth(node: Node, up: Up) -> int:
    """In how many closures of its function a node lies."""
    found, above = 0, up.get(node.id)
    for _ in range(_FAR):
        if above is None or above.type in FUNCTIONS:
            break
        found += above.type in CLOSURES
        above = up.get(above.id)
    return found


def has(node: Node, row: int) -> bool:
    """Does a node reach into a row?"""
    return node.start_point.row <= row <= node.end_point.row
