"""The conditions, guards and branches that lead to a line, and the declarations visible there."""

from __future__ import annotations

import re
from bisect import bisect_left
from operator import itemgetter
from typing import TYPE_CHECKING

from deadheat.diagnosis.facts.code_facts import Declaration, PathCondition
from deadheat.repo.syntax.parser import (
    CLOSURE_NODES,
    FUNCTION_NODES,
    ParentById,
    closure_depth,
    defined_name,
    first_line,
    nearest_ancestor,
    node_text,
    spans_row,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tree_sitter import Node

    # the assignments to each name, with their offsets
    Assignments = dict[str, list[tuple[int, Node]]]


_IF_NODES = ("if_statement", "if_expression")
_SWITCH_NODES = ("switch_statement", "expression_switch_statement", "expression_case", "match_expression")
_SWITCH_STATEMENTS = ("switch_statement", "expression_switch_statement")
RETURN_NODES = ("return_statement", "return_expression")
_EXIT_NODES = (*RETURN_NODES, "continue_statement", "break_statement")
_CASE_NODES = ("communication_case", "expression_case", "type_case")
# "ok", "!ok", "(!p)", "cur == nil", "nullptr != p"
_PRESENCE_CHECK = re.compile(
    r"\(?\s{0,3}(?:!?\s{0,3}(\w{1,80})|(\w{1,80})\s{0,3}[!=]=\s{0,3}(?:nil|NULL|nullptr)"
    r"|(?:nil|NULL|nullptr)\s{0,3}[!=]=\s{0,3}(\w{1,80}))\s{0,3}\)?$"
)
# assignment nodes with their fields for the names and the value
_ASSIGNMENT_FIELDS = {
    "short_var_declaration": ("left", "right"),
    "assignment_statement": ("left", "right"),
    "assignment_expression": ("left", "right"),
    "var_spec": ("name", "value"),
    "init_declarator": ("declarator", "value"),
}
# expressions that only read a variable: "s.conn", "m[key]", "*p", "table"
_READ_NODES = (
    "selector_expression", "index_expression", "identifier", "field_expression", "subscript_expression",
    "pointer_expression",
)  # fmt: skip


def conditions_at(nodes: Iterable[Node], row: int, assignments: Assignments) -> Iterator[PathCondition]:
    """The conditions of every `if` around or on a row, and of every `switch` around it."""
    for node in nodes:
        if node.type in _SWITCH_NODES and spans_row(node, row):
            switch_value = _switch_value(node)
            if switch_value is not None:
                keyword = "case" if node.type == "expression_case" else "switch"
                yield PathCondition(f"{keyword} {node_text(switch_value)}"[:200], first_line(switch_value))
        if node.type not in _IF_NODES:
            continue
        body = node.child_by_field_name("consequence")
        condition = node.child_by_field_name("condition")
        is_inside = body is not None and spans_row(body, row)
        if condition is not None and (is_inside or spans_row(condition, row)):
            last = body.end_point.row + 1 if body is not None else 0
            yield PathCondition(_condition_text(node, condition, assignments), first_line(condition), last)


def assignments_by_name(nodes: Iterable[Node]) -> Assignments:
    """The assignments to each name in source order."""
    assignments: Assignments = {}
    for node in nodes:
        if node.type in _ASSIGNMENT_FIELDS:
            left = node.children_by_field_name(_ASSIGNMENT_FIELDS[node.type][0])
            for name in {part.strip(" *&") for target in left for part in node_text(target).split(",")}:
                assignments.setdefault(name, []).append((node.start_byte, node))
    for entries in assignments.values():
        entries.sort(key=itemgetter(0))
    return assignments


def _condition_text(node: Node, condition: Node, assignments: Assignments) -> str:
    """`c := t.c; c != nil`, also if `c := t.c` is a statement above the `if`."""
    initializer = node.child_by_field_name("initializer") or _checked_assignment(condition, assignments)
    return (f"{node_text(initializer)}; {node_text(condition)}" if initializer else node_text(condition))[:200]


def _checked_assignment(condition: Node, assignments: Assignments) -> Node | None:
    """The assignment that read the checked value from a variable."""
    match = _PRESENCE_CHECK.match(node_text(condition))
    earlier = assignments.get(next(filter(None, match.groups())), []) if match else []
    index = bisect_left(earlier, condition.start_byte, key=itemgetter(0)) - 1
    if index < 0:
        return None
    node = earlier[index][1]
    value = node.child_by_field_name(_ASSIGNMENT_FIELDS[node.type][1])
    if value is not None and value.type == "expression_list" and value.named_child_count == 1:
        value = value.named_child(0)
    return node if value is not None and value.type in _READ_NODES else None


def guards_before(
    nodes: Iterable[Node], parents: ParentById, row: int, assignments: Assignments
) -> Iterator[PathCondition]:
    """The conditions of earlier `if` and `switch` statements that may leave the enclosing block."""
    for node in nodes:
        if node.type in _SWITCH_STATEMENTS and node.end_point.row < row and _has_exiting_case(node):
            switch_value, outer = _switch_value(node), parents.get(node.id)
            if switch_value is not None and outer is not None and spans_row(outer, row):
                yield PathCondition(f"switch {node_text(switch_value)}"[:200], first_line(switch_value))
        body = node.child_by_field_name("consequence") if node.type in _IF_NODES else None
        condition = node.child_by_field_name("condition")
        block = parents.get(node.id)
        if body is None or condition is None or block is None or not spans_row(block, row):
            continue
        if _ends_with(body, _EXIT_NODES) and node.end_point.row < row:
            yield PathCondition(_condition_text(node, condition, assignments), first_line(condition))


def _switch_value(node: Node) -> Node | None:
    return node.child_by_field_name("condition") or node.child_by_field_name("value")


def _has_exiting_case(node: Node) -> bool:
    """Whether a case of a switch leaves the function or the loop."""
    body = node.child_by_field_name("body") or node
    cases = [child for child in body.named_children if child.type in ("expression_case", "case_statement")]
    last_nodes = [_last_non_comment(case) for case in cases]
    return any(last is not None and _ends_with(last, _EXIT_NODES) for last in last_nodes)


def returns_in_branch(nodes: Iterable[Node], row: int) -> bool:
    """Whether an `if` block around the row ends with a return."""
    for node in nodes:
        body = node.child_by_field_name("consequence") if node.type in _IF_NODES else None
        if body is not None and spans_row(body, row) and _ends_with(body, RETURN_NODES):
            return True
    return False


def _ends_with(body: Node, node_types: tuple[str, ...]) -> bool:
    """Whether the last statement of a block, or the single statement, is of these types."""
    last = body if body.type in _EXIT_NODES else _last_non_comment(body)
    if last is not None and last.type.endswith("_list"):
        last = _last_non_comment(last)
    return last is not None and last.type in node_types


def _last_non_comment(block: Node) -> Node | None:
    return next((node for node in reversed(block.named_children) if not node.type.endswith("comment")), None)


def select_branch_at(nodes: Iterable[Node], row: int) -> str:
    branch_text = ""
    for node in nodes:
        if node.type in _CASE_NODES and spans_row(node, row):
            communication = node.child_by_field_name("communication")
            branch_text = node_text(communication) if communication is not None else branch_text
    return branch_text


def select_branches_before(nodes: Iterable[Node], parents: ParentById, row: int) -> Iterator[str]:
    """The branches of earlier selects in the enclosing blocks that do not leave."""
    for node in nodes:
        communication = node.child_by_field_name("communication")
        select = parents.get(node.id)
        block = parents.get(select.id) if select is not None else None
        if communication is None or select is None or block is None:
            continue
        if select.end_point.row < row and spans_row(block, row) and not _ends_with(node, _EXIT_NODES):
            yield node_text(communication)[:200]


# in which declarations are visible
_SCOPE_NODES = (
    *FUNCTION_NODES, *CLOSURE_NODES, "block", "compound_statement", "if_statement", "for_statement",
    "expression_switch_statement", "type_switch_statement", "expression_case", "type_case", "default_case",
    "communication_case", "for_range_loop", "for_expression", "if_expression", "match_arm",
)  # fmt: skip


def visible_declarations(function: Node, nodes: list[Node], parents: ParentById, row: int) -> dict[str, Declaration]:
    """The declaration of each name visible at the row; the nearest one before it wins."""
    declarations: dict[str, Declaration] = {}
    block_ids: dict[str, int] = {}
    for node, name, declaration in _all_declarations(function, nodes, parents):
        scope = nearest_ancestor(node, parents, _SCOPE_NODES) or function
        if declaration.line - 1 > row or not spans_row(scope, row):
            continue
        if node.type == "short_var_declaration" and block_ids.get(name) == _scope_block(scope).id:
            continue  # `rows, err := read()` declares only `rows` if `err` exists in the block
        declarations[name] = declaration._replace(closure_depth=closure_depth(node, parents))
        block_ids[name] = _scope_block(scope).id
    return declarations


def _scope_block(scope: Node) -> Node:
    """The body, if the scope is a function; else the scope itself."""
    body = scope.child_by_field_name("body") if scope.type in (*FUNCTION_NODES, *CLOSURE_NODES) else None
    return body if body is not None else scope


def _all_declarations(
    function: Node, nodes: list[Node], parents: ParentById
) -> Iterator[tuple[Node, str, Declaration]]:
    result = function.child_by_field_name("result")
    receiver = function.child_by_field_name("receiver")
    for node in nodes:
        line, type_text = first_line(node), node_text(node.child_by_field_name("type"))
        if node.type in ("parameter_declaration", "variadic_parameter_declaration"):
            origin = "parameter"
            if result is not None and parents.get(node.id) == result:
                origin = "result"
            elif receiver is not None and parents.get(node.id) == receiver:
                origin = "receiver"
            for child in node.children_by_field_name("name"):
                yield node, node_text(child), Declaration(origin, line, type_text)
            if (declarator := node.child_by_field_name("declarator")) is not None:
                yield node, node_text(declarator).strip("*& "), Declaration(origin, line, type_text)
        elif node.type in ("range_clause", "for_clause"):
            left = node.child_by_field_name("left")
            init = node.child_by_field_name("initializer")
            if left is None and init is not None:
                left = init.child_by_field_name("left")
            for child in left.named_children if left is not None else ():
                yield node, node_text(child), Declaration("loop", line)
        elif node.type == "short_var_declaration":
            if node.id in parents and parents[node.id].type == "for_clause":
                continue
            left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
            for child in left.named_children if left is not None else ():
                yield node, node_text(child), Declaration("local", line, node_text(right)[:80])
        elif node.type == "var_spec":
            type_text = type_text or node_text(node.child_by_field_name("value"))[:80]
            for child in node.children_by_field_name("name"):
                yield node, node_text(child), Declaration("local", line, type_text)
        elif node.type == "declaration":
            for child in node.children_by_field_name("declarator"):
                yield node, defined_name(child), Declaration("local", line, type_text)
        elif node.type == "let_declaration":
            name = node_text(node.child_by_field_name("pattern")).removeprefix("mut ")
            yield node, name, Declaration("local", line, type_text)


def parameter_types(declarations: dict[str, Declaration]) -> dict[str, str]:
    """The bare type of each parameter by name."""
    return {
        name: declaration.type.strip("*& ").partition("[")[0].rpartition(".")[2].rpartition(" ")[2]
        for name, declaration in declarations.items()
        if declaration.kind == "parameter" and declaration.type
    }
