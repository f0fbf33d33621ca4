"""Facts about the function around a line: locks held, closures, conditions, calls."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from deadheat.code import acting, leading, syntax, touches
from deadheat.code.comments import wants_lock
from deadheat.code.declared import declared, types
from deadheat.code.holding import frees, held
from deadheat.code.nodes import CLOSURES, FUNCTIONS, LONGEST, Up, family, has, text_of
from deadheat.diagnose.source import Around, Closure, Use

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tree_sitter import Node

_LOOPS = (
    "for_statement",
    "while_statement",
    "do_statement",
    "for_range_loop",
    "for_expression",
    "while_expression",
    "loop_expression",
)
_MOST = 400
_BIGGEST = 1 << 18  # longer functions are generated
_NESTED = 10  # nesting of a class in namespaces and classes


def around(tongue: str, source: bytes, path: str, line: int) -> Around | None:
    """The facts about a line, or None if it is not in a function."""
    row = line - 1
    root = syntax.parse(tongue, syntax.local(tongue, source, line)).root_node
    function = _function(root, row)
    if function is None or function.end_byte - function.start_byte > _BIGGEST:
        return None
    nodes, up = family(function)
    literals = [n for n in nodes if n.type in CLOSURES and has(n, row)]
    receiver, name, by_value = _receiver(function)
    names = declared(function, nodes, up, row)
    known = {name: receiver} | types(names)
    text = b"".join(syntax.rows(source, line, line))
    seen = touches.touches(tongue, source, line) if len(text) < LONGEST else []
    given = leading.given(nodes)
    taken, gone = held(nodes, up, row, literals, known)
    return Around(
        path=path,
        line=line,
        text=text[:LONGEST].decode("utf-8", "replace").strip(),
        function=syntax.called(function).decode("utf-8", "replace"),
        first=function.start_point.row + 1,
        last=function.end_point.row + 1,
        receiver=receiver,
        by_value=by_value,
        uses=tuple(Use(t.name, t.path, t.writes, line, t.whole, t.element) for t in seen),
        stores=tuple(acting.stores(nodes)),
        fills=tuple(acting.fills(nodes)),
        makes=tuple(acting.makes(nodes)),
        wants_lock=wants_lock(source, function.start_point.row + 1),
        held=taken,
        gone=gone,
        frees=tuple(frees(nodes, up, known)),
        closures=tuple(_closure(n, up) for n in literals),
        conditions=tuple(leading.conditions(nodes, row, given)),
        guards=tuple(leading.guards(nodes, up, row, given)),
        leaves=leading.gone(nodes, row),
        branch=leading.branch(nodes, row),
        after=tuple(leading.after(nodes, up, row)),
        loops=tuple(_loops(nodes, row)),
        calls=tuple(acting.calls(nodes, up))[:_MOST],
        starts=tuple(acting.starts(nodes)),
        names=names,
        sends=tuple(n.start_point.row + 1 for n in nodes if n.type == "send_statement"),
        receives=tuple(n.start_point.row + 1 for n in nodes if _is_receive(n)),
        awaits=acting.awaits(nodes),
        results=text_of(function.child_by_field_name("result"))[:200],
        returned=acting.returned(nodes, up),
    )


def _loops(nodes: list[Node], row: int) -> Iterator[tuple[int, int]]:
    """The first and last line of every loop around a row."""
    for node in nodes:
        if node.type in _LOOPS and has(node, row):
            yield node.start_point.row + 1, node.end_point.row + 1


def _is_receive(node: Node) -> bool:
    return node.type == "unary_expression" and text_of(node).startswith("<-")


def _function(root: Node, row: int) -> Node | None:
    """The innermost named function that contains the row."""
    found, waiting = None, [root]
    while waiting:
        node = waiting.pop()
        if not has(node, row):
            continue
        if node.type in FUNCTIONS:
            found = node
        elif node.type in CLOSURES:
            continue
        waiting += node.children
    return found


def _receiver(function: Node) -> tuple[str, str, bool]:
    """The type and name of the receiver, and whether it is passed by value."""
    told = function.child_by_field_name("receiver")
    if told is not None and (one := told.named_child(0)) is not None:
        kind = text_of(one.child_by_field_name("type"))
        name = text_of(one.child_by_field_name("name"))
        return kind.strip("*").partition("[")[0], name, not kind.startswith("*")
    node = function.parent
    for _ in range(_NESTED):
        if node is None:
            break
        if node.type in ("class_specifier", "struct_specifier", "impl_item"):
            named = node.child_by_field_name("name") or node.child_by_field_name("type")
            return text_of(named), "this" if node.type != "impl_item" else "self", False
        node = node.parent
    written = text_of(function.child_by_field_name("declarator"))
    scope = re.search(r"(\w{1,80})::~?\w{1,80}\s{0,9}\(", written[:300])
    return (scope[1], "this", False) if scope else ("", "", False)


def _closure(literal: Node, up: Up) -> Closure:
    return Closure(literal.start_point.row + 1, literal.end_point.row + 1, _use(literal, up))


def _use(literal: Node, up: Up) -> str:
    parent = up.get(literal.id)
    if parent is not None and parent.type == "call_expression":
        above = up.get(parent.id)
        if above is not None and above.type in ("go_statement", "defer_statement"):
            return above.type.partition("_")[0]
        return "call"
    if parent is not None and parent.type in ("argument_list", "arguments"):
        call = up.get(parent.id)
        if call is not None and call.type == "call_expression":
            return f"call {text_of(call.child_by_field_name('function'))}"
        return "call std::thread"
    return ""
