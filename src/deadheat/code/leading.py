"""The conditions, guards and branches that lead to a line, found with tree-sitter."""

from __future__ import annotations

import re
from bisect import bisect_left
from operator import itemgetter
from typing import TYPE_CHECKING

from deadheat.code.nodes import Up, has, text_of
from deadheat.diagnose.source import Condition

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tree_sitter import Node

    # the assignments to each name, with their offsets
    Given = dict[str, list[tuple[int, Node]]]

_IFS = ("if_statement", "if_expression")
_SWITCHES = (
    "switch_statement",
    "expression_switch_statement",
    "expression_case",
    "match_expression",
)
_CHOICES = ("switch_statement", "expression_switch_statement")
_RETURNS = ("return_statement", "return_expression")
_LEAVES = (*_RETURNS, "continue_statement", "break_statement")
_CASES = ("communication_case", "expression_case", "type_case")
# "ok", "!ok", "(!p)", "cur == nil", "nullptr != p"
_THERE = re.compile(
    r"\(?\s{0,3}(?:!?\s{0,3}(\w{1,80})|(\w{1,80})\s{0,3}[!=]=\s{0,3}(?:nil|NULL|nullptr)"
    r"|(?:nil|NULL|nullptr)\s{0,3}[!=]=\s{0,3}(\w{1,80}))\s{0,3}\)?$"
)
# assignment nodes with their fields for the names and the value
_GIVEN = {
    "short_var_declaration": ("left", "right"),
    "assignment_statement": ("left", "right"),
    "assignment_expression": ("left", "right"),
    "var_spec": ("name", "value"),
    "init_declarator": ("declarator", "value"),
}
# expressions that only read a variable: "s.conn", "m[key]", "*p", "table"
_LOOKS = (
    "selector_expression",
    "index_expression",
    "identifier",
    "field_expression",
    "subscript_expression",
    "pointer_expression",
)


def conditions(nodes: Iterable[Node], row: int, places: Given) -> Iterator[Condition]:
    """The conditions of every `if` around or on a row, and of every `switch` around it."""
    for node in nodes:
        if node.type in _SWITCHES and has(node, row):
            asked = _chosen_by(node)
            if asked is not None:
                word = "case" if node.type == "expression_case" else "switch"
                yield Condition(f"{word} {text_of(asked)}"[:200], asked.start_point.row + 1)
        if node.type not in _IFS:
            continue
        body = node.child_by_field_name("consequence")
        condition = node.child_by_field_name("condition")
        inside = body is not None and has(body, row)
        if condition is not None and (inside or has(condition, row)):
            last = body.end_point.row + 1 if body is not None else 0
            yield Condition(_asked(node, condition, places), condition.start_point.row + 1, last)


def given(nodes: Iterable[Node]) -> Given:
    """The assignments to each name in source order."""
    found: Given = {}
    for node in nodes:
        if node.type in _GIVEN:
            left = node.children_by_field_name(_GIVEN[node.type][0])
            for name in {one.strip(" *&") for n in left for one in text_of(n).split(",")}:
                found.setdefault(name, []).append((node.start_byte, node))
    for places in found.values():
        places.sort(key=itemgetter(0))
    return found


def _asked(node: Node, condition: Node, places: Given) -> str:
    """`c := t.c; c != nil`, also if `c := t.c` is a statement above the `if`."""
    first = node.child_by_field_name("initializer") or _looked(condition, places)
    return (f"{text_of(first)}; {text_of(condition)}" if first else text_of(condition))[:200]


def _looked(condition: Node, places: Given) -> Node | None:
    """The assignment that read the checked value from a variable."""
    asked = _THERE.match(text_of(condition))
    above = places.get(next(filter(None, asked.groups())), []) if asked else []
    last = bisect_left(above, condition.start_byte, key=itemgetter(0)) - 1
    if last < 0:
        return None
    node = above[last][1]
    value = node.child_by_field_name(_GIVEN[node.type][1])
    if value is not None and value.type == "expression_list" and value.named_child_count == 1:
        value = value.named_child(0)
    return node if value is not None and value.type in _LOOKS else None


def guards(nodes: Iterable[Node], up: Up, row: int, places: Given) -> Iterator[Condition]:
    """The conditions of earlier `if` and `switch` statements that may leave the enclosing block."""
    for node in nodes:
        if node.type in _CHOICES and node.end_point.row < row and _may_leave(node):
            asked, outer = _chosen_by(node), up.get(node.id)
            if asked is not None and outer is not None and has(outer, row):
                yield Condition(f"switch {text_of(asked)}"[:200], asked.start_point.row + 1)
        body = node.child_by_field_name("consequence") if node.type in _IFS else None
        condition = node.child_by_field_name("condition")
        block = up.get(node.id)
        if body is None or condition is None or block is None or not has(block, row):
            continue
        if _leaves(body) and node.end_point.row < row:
            yield Condition(_asked(node, condition, places), condition.start_point.row + 1)


def _chosen_by(node: Node) -> Node | None:
    return node.child_by_field_name("condition") or node.child_by_field_name("value")


def _may_leave(node: Node) -> bool:
    """Whether a case of a switch leaves the function or the loop."""
    body = node.child_by_field_name("body") or node
    cases = [n for n in body.named_children if n.type in ("expression_case", "case_statement")]
    last = [_statement(case) for case in cases]
    return any(one is not None and (one.type in _RETURNS or _leaves(one)) for one in last)


def gone(nodes: Iterable[Node], row: int) -> bool:
    """Whether an `if` block around the row ends with a return."""
    for node in nodes:
        body = node.child_by_field_name("consequence") if node.type in _IFS else None
        if body is not None and has(body, row) and _returns(body):
            return True
    return False


def _returns(body: Node) -> bool:
    last = _last(body)
    return last is not None and last.type in _RETURNS


def _leaves(body: Node) -> bool:
    """Whether a block or single statement ends by leaving the function or the loop."""
    last = _last(body)
    return last is not None and last.type in _LEAVES


def _last(body: Node) -> Node | None:
    """The last statement of a block, or the statement itself."""
    if body.type in _LEAVES:
        return body
    last = _statement(body)
    if last is not None and last.type.endswith("_list"):
        last = _statement(last)
    return last


def _statement(block: Node) -> Node | None:
    """The last child of a block that is not a comment."""
    for node in reversed(block.named_children):
        if not node.type.endswith("comment"):
            return node
    return None


def branch(nodes: Iterable[Node], row: int) -> str:
    found = ""
    for node in nodes:
        if node.type in _CASES and has(node, row):
            told = node.child_by_field_name("communication")
            found = text_of(told) if told is not None else found
    return found


def after(nodes: Iterable[Node], up: Up, row: int) -> Iterator[str]:
    """The branches of earlier selects in the enclosing blocks that do not leave."""
    for node in nodes:
        told = node.child_by_field_name("communication")
        choice = up.get(node.id)
        block = up.get(choice.id) if choice is not None else None
        if told is None or choice is None or block is None:
            continue
        if choice.end_point.row < row and has(block, row) and not _leaves(node):
            yield text_of(told)[:200]
