"""Which fields, variables and elements the expressions on a line may access."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from deadheat.code import syntax

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tree_sitter import Node

# ranks: how likely the operation of the line is on this
TARGET, OPERAND, CALLEE, BASE = 3, 2, 1, 0

_FIELDS = {
    "selector_expression": ("operand", "field"),  # Go
    "field_expression": ("argument", "field"),  # C, C++
}
_RUST_FIELDS = ("value", "field")
_NAMES = ("identifier", "field_identifier")
_WRITES = {
    "assignment_statement": "left",
    "short_var_declaration": "left",
    "range_clause": "left",
    "assignment_expression": "left",
    "compound_assignment_expr": "left",
    "inc_statement": "",
    "dec_statement": "",
    "update_expression": "argument",
    "receive_statement": "left",
    "init_declarator": "declarator",
    "send_statement": "channel",
}
_FUNCTIONS = ("function_declaration", "method_declaration", "func_literal")  # of Go
# "n++", "n += 2"
_COUNTS = ("inc_statement", "dec_statement", "update_expression", "compound_assignment_expr")
_ASSIGNS = (b"=", b":=")
_WRITING_CALLS = (b"delete", b"copy", b"clear", b"close", b"memset", b"memcpy", b"memmove", b"free")
_STRUCTS = ("type_identifier", "qualified_type", "generic_type")  # types of Go literals
_INDEXED = (
    "index_expression",
    "subscript_expression",
    "slice_expression",
    "parenthesized_expression",
)


class Touch(NamedTuple):
    """A field, variable or element that a line may access."""

    name: str  # the field or variable
    path: tuple[str, ...]  # from the base to the name; a call is written "f()", a literal "T{}"
    rank: int
    writes: bool
    whole: str = ""  # the type of a whole struct that is stored
    element: bool = False  # an element of the variable, not the variable itself
    again: bool = False  # the line also reads what it writes


def touches(language: str, source: bytes, line: int) -> list[Touch]:
    """Everything that a line may access, most likely first."""
    root = syntax.parse(language, syntax.local(language, source, line)).root_node
    row = line - 1
    found: dict[tuple[str, ...], Touch] = {}
    named: Counter[tuple[str, ...]] = Counter()
    for node in _on(root, row):
        for touch in _touch(node, row):
            named[touch.path] += touch.rank == OPERAND
            old = found.get(touch.path)
            if old is None or (touch.rank, touch.writes) > (old.rank, old.writes):
                found[touch.path] = touch
    # a target is also named once where it is written
    both = [t._replace(again=t.again or named[t.path] > 1) for t in found.values()]
    return sorted(both, key=lambda t: -t.rank)


def copied(source: bytes, line: int) -> set[tuple[str, ...]]:
    """The paths that a Go line dereferences and copies: `*p`, `*p.next`."""
    root = syntax.parse("go", syntax.local("go", source, line)).root_node
    stars = [n for n in _on(root, line - 1) if n.type == "unary_expression" and _text(n)[:1] == "*"]
    here = [n for n in stars if n.start_point.row == line - 1 and not _is_target(n)]
    return {chain(star) for star in here} - {()}


def _is_target(node: Node) -> bool:
    """Whether the node is `*p` in `*p = x`."""
    row = node.parent
    above = row.parent if row is not None and row.type == "expression_list" else None
    return above is not None and above.child_by_field_name("left") == row


def _on(root: Node, row: int) -> Iterator[Node]:
    """The nodes that cover a row."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if node.start_point.row <= row <= node.end_point.row:
            yield node
            waiting += reversed(node.children)


def _touch(node: Node, row: int) -> Iterator[Touch]:
    if node.type in _WRITES:
        yield from _written(node, row)
    elif node.type == "return_statement" and node.start_point.row == row:
        yield from _returned(node)
    elif node.type == "keyed_element":
        yield from _filled(node, row)
    elif node.type in _FIELDS or node.type == "identifier":
        end = node.child_by_field_name("field") or node
        if end.start_point.row == row and not _is_part(node):
            yield from _along(chain(node), _rank(node), _may_write(node))


def _written(node: Node, row: int) -> Iterator[Touch]:
    field = _WRITES[node.type]
    left = node.child_by_field_name(field) if field else node.named_child(0)
    if left is None or node.start_point.row != row:
        return
    right = node.child_by_field_name("right")
    whole = _whole(right) if right is not None else ""
    how = node.child_by_field_name("operator")
    again = node.type in _COUNTS or (how is not None and how.text not in _ASSIGNS)
    for target in left.named_children if left.type == "expression_list" else [left]:
        stored, element = target, False
        while stored.type in (*_INDEXED, "unary_expression", "pointer_expression"):
            element = element or stored.type != "parenthesized_expression"
            inner = (
                stored.child_by_field_name("operand")
                or stored.child_by_field_name("argument")
                or stored.named_child(0)
            )
            if inner is None:
                break
            stored = inner
        if path := chain(stored):
            yield Touch(path[-1].removesuffix("()"), path, TARGET, True, whole, element, again)
            yield from _along(path[:-1], OPERAND, False)


def _returned(node: Node) -> Iterator[Touch]:
    """The named results of the function: a bare `return` reads them, one with values sets them."""
    above = node.parent
    while above is not None and above.type not in _FUNCTIONS:
        above = above.parent
    results = above.child_by_field_name("result") if above is not None else None
    if results is None or results.type != "parameter_list":
        return
    sets = node.named_child_count > 0
    for one in results.named_children:
        for name in one.children_by_field_name("name"):
            yield Touch(_text(name), (_text(name),), TARGET if sets else OPERAND, sets)


def _filled(node: Node, row: int) -> Iterator[Touch]:
    """The field that `limit: 3,` sets on its own line in `&Config{…}`."""
    key, literal = node.child(0), node.parent and node.parent.parent
    name = key.named_child(0) if key is not None else None
    if name is None or name.type != "identifier" or literal is None or name.start_point.row != row:
        return
    kind = literal.child_by_field_name("type")
    pointed = literal.parent is not None and _text(literal.parent)[:1] == "&"
    if kind is None or kind.type not in _STRUCTS or not pointed or literal.start_point.row == row:
        return
    made = _text(kind).partition("[")[0].rpartition(".")[2] + "{}"
    yield Touch(_text(name), (made, _text(name)), TARGET, True)


def _along(path: tuple[str, ...], rank: int, writes: bool) -> Iterator[Touch]:
    """The end of an access path and its prefixes; a method may write to its receiver."""
    if not path:
        return
    yield Touch(path[-1].removesuffix("()"), path, rank, writes and rank != CALLEE)
    for end in range(len(path) - 1, 0, -1):
        if not path[end - 1].endswith("()"):
            last = writes and rank == CALLEE and end == len(path) - 1
            yield Touch(path[end - 1], path[:end], OPERAND if end > 1 or last else BASE, last)


def _whole(right: Node) -> str:
    """The type of a composite literal on the right side: `stmtctx.StatementContext{}`."""
    value = right.named_child(0) if right.type == "expression_list" else right
    if value is None or value.type not in ("composite_literal", "compound_literal_expression"):
        return ""
    kind = value.child_by_field_name("type")
    return (kind.text or b"").decode("utf-8", "replace").rpartition(".")[2] if kind else ""


def _is_part(node: Node) -> bool:
    """Whether the node is part of a longer path, a literal key or a declaration."""
    parent = node.parent
    if parent is None:
        return False
    if parent.type in _FIELDS:
        return True
    if parent.type == "unary_expression":
        return _is_converted_to(parent)
    if parent.type in ("call_expression", "parenthesized_expression", "index_expression"):
        above = parent.parent
        inner = parent.child_by_field_name("function") or parent.child_by_field_name("operand")
        return (
            above is not None
            and above.type in _FIELDS
            and inner == node
            and not _is_base(above, parent)
        )
    if parent.type == "literal_element":  # "Field: value"
        pair = parent.parent
        key = pair is not None and pair.type == "keyed_element" and pair.child(0) == parent
        return key and node.type == "identifier"
    return parent.type in ("function_declaration", "labeled_statement", "parameter_declaration")


def _is_converted_to(pointer: Node) -> bool:
    """Whether the node is `*int` in `(*int)(p)`."""
    around = pointer.parent
    call = around.parent if around is not None and _is_pointed(around) else None
    if call is None or call.type != "call_expression":
        return False
    return call.child_by_field_name("function") == around


def _is_base(above: Node, below: Node) -> bool:
    return above.child_by_field_name("field") == below


def _rank(node: Node) -> int:
    parent = node.parent
    if parent is not None and parent.type == "call_expression":
        return CALLEE if parent.child_by_field_name("function") == node else OPERAND
    return OPERAND


def _may_write(node: Node) -> bool:
    """Whether the node is taken by address, passed to a writing call, or called."""
    parent = node.parent
    if parent is None:
        return False
    if parent.type in ("unary_expression", "pointer_expression", "reference_expression"):
        return (parent.text or b"")[:1] == b"&"
    if parent.type == "argument_list" and parent.parent is not None:
        function = parent.parent.child_by_field_name("function")
        return function is not None and function.text in _WRITING_CALLS
    return parent.type == "call_expression"


def chain(node: Node | None) -> tuple[str, ...]:
    """`r.ctx.GetSessionVars().StmtCtx` as ("r", "ctx", "GetSessionVars()", "StmtCtx")."""
    parts: list[str] = []
    called = ""
    while node is not None:
        if node.type in _FIELDS:
            base, field = _FIELDS[node.type]
            if node.child_by_field_name(base) is None:
                base, field = _RUST_FIELDS
            parts.append(_text(node.child_by_field_name(field)) + called)
            called, node = "", node.child_by_field_name(base)
        elif node.type == "call_expression":
            function, given = node.child_by_field_name("function"), None
            if function is not None and _is_pointed(function):
                given = node.child_by_field_name("arguments")
            called, node = ("", given.named_child(0)) if given else ("()", function)
        elif node.type in (*_INDEXED, "type_assertion_expression", "unary_expression"):
            node = node.child_by_field_name("operand") or node.named_child(0)
        elif node.type in (*_NAMES, "self"):
            parts.append(_text(node) + called)
            return tuple(reversed(parts))
        else:
            return ()
    return ()


def _is_pointed(node: Node) -> bool:
    """Whether the node is `(*int)` in `(*int)(p)`."""
    inner = node.named_child(0) if node.type == "parenthesized_expression" else None
    return inner is not None and inner.type == "unary_expression" and _text(inner)[:1] == "*"


def _text(node: Node | None) -> str:
    return (node.text or b"").decode("utf-8", "replace") if node is not None else ""
