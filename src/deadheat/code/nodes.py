"""The nodes of a syntax tree: what they say and who is above them, in bounded time."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node

LONGEST = 2_000

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
