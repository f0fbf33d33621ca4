"""Facts about the function around a line: locks held, closures, stores, calls, thread starts."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from deadheat.diagnosis.facts.code_facts import CallSite, EnclosingClosure, FunctionFacts, ThreadStart, VariableUse
from deadheat.repo.syntax import line_accesses, line_context, parser
from deadheat.repo.syntax.line_context import RETURN_NODES, comment_requires_lock, locks_held_at, unmatched_releases
from deadheat.repo.syntax.parser import CLOSURE_NODES, ParentById, first_line, line_range, node_text, spans_row

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tree_sitter import Node

_STORE_NODES = (
    "assignment_statement", "assignment_expression", "compound_assignment_expr", "inc_statement", "dec_statement",
    "update_expression",
)  # fmt: skip
_WRAPPER_NODES = ("expression_list", "cast_expression", "type_assertion_expression")
_ASSIGNMENT_NODES = (
    "short_var_declaration", "assignment_statement", "assignment_expression", "init_declarator", "let_declaration",
    "var_spec",
)  # fmt: skip
_LOOP_NODES = (
    "for_statement", "while_statement", "do_statement", "for_range_loop", "for_expression", "while_expression",
    "loop_expression",
)  # fmt: skip
_IDENTIFIER = re.compile(r"[A-Za-z_]\w{0,80}")
_THREAD_START_CALL = re.compile(
    r"\b(?:pthread_create|thrd_create|kthread_run|kthread_create|spawn|async|std::j?thread)$"
)
# "std::thread worker(&Engine::run, this);", "std::jthread t{f};"
_THREAD_OBJECT = re.compile(r"^(?:std::)?j?thread\b")
_MAX_CALLS = 400
_MAX_FUNCTION_BYTES = 1 << 18  # longer functions are generated
_MAX_CLASS_NESTING = 10  # nesting of a class in namespaces and classes


def function_facts_at(language: str, source: bytes, path: str, line: int) -> FunctionFacts | None:
    """The facts about a line, or None if it is not in a function."""
    row = line - 1
    function = _enclosing_function(parser.parse_around(language, source, line), row)
    if function is None or function.end_byte - function.start_byte > _MAX_FUNCTION_BYTES:
        return None
    nodes, parents = parser.nodes_and_parents(function)
    closures = [node for node in nodes if node.type in CLOSURE_NODES and spans_row(node, row)]
    receiver, name, is_by_value = _receiver_of(function)
    declarations = line_context.visible_declarations(function, nodes, parents, row)
    type_by_name = {name: receiver} | line_context.parameter_types(declarations)
    text = b"".join(parser.source_lines(source, line, line))
    accesses = line_accesses.accesses_on_line(language, source, line) if len(text) < parser.MAX_NODE_BYTES else []
    assignments = line_context.assignments_by_name(nodes)
    locks_held, locks_released = locks_held_at(nodes, parents, row, closures, type_by_name)
    return FunctionFacts(
        path=path,
        line=line,
        text=text[: parser.MAX_NODE_BYTES].decode("utf-8", "replace").strip(),
        function=parser.defined_name(function),
        first_line=first_line(function),
        last_line=function.end_point.row + 1,
        receiver=receiver,
        has_value_receiver=is_by_value,
        uses=tuple(
            VariableUse(access.name, access.path, access.writes, line, access.stored_type, access.is_element)
            for access in accesses
        ),
        stores=tuple(_stored_variables(nodes)),
        new_object_fields=tuple(_new_object_fields(nodes)),
        requires_lock=comment_requires_lock(source, first_line(function)),
        locks_held=locks_held,
        locks_released_above=locks_released,
        locks_released=tuple(unmatched_releases(nodes, parents, type_by_name)),
        closures=tuple(EnclosingClosure(*line_range(node), _closure_use(node, parents)) for node in closures),
        conditions=tuple(line_context.conditions_at(nodes, row, assignments)),
        guard_clauses=tuple(line_context.guards_before(nodes, parents, row, assignments)),
        select_branch=line_context.select_branch_at(nodes, row),
        loops=tuple(line_range(node) for node in nodes if node.type in _LOOP_NODES and spans_row(node, row)),
        calls=tuple(_function_calls(nodes, parents))[:_MAX_CALLS],
        thread_starts=tuple(_thread_starts(nodes)),
        declarations=declarations,
        send_lines=tuple(first_line(node) for node in nodes if node.type == "send_statement"),
        receive_lines=tuple(first_line(node) for node in nodes if _is_channel_receive(node)),
        returned_names=_returned_names(nodes, parents),
    )


def _enclosing_function(root: Node, row: int) -> Node | None:
    """The innermost named function that contains the row."""
    innermost, pending = None, [root]
    while pending:
        node = pending.pop()
        if not spans_row(node, row):
            continue
        if node.type in parser.FUNCTION_NODES:
            innermost = node
        elif node.type in CLOSURE_NODES:
            continue
        pending += node.children
    return innermost


def _receiver_of(function: Node) -> tuple[str, str, bool]:
    """The type and name of the receiver, and whether it is passed by value."""
    parameters = function.child_by_field_name("receiver")
    if parameters is not None and (parameter := parameters.named_child(0)) is not None:
        type_text = node_text(parameter.child_by_field_name("type"))
        name = node_text(parameter.child_by_field_name("name"))
        return type_text.strip("*").partition("[")[0], name, not type_text.startswith("*")
    node = function.parent
    for _ in range(_MAX_CLASS_NESTING):
        if node is None:
            break
        if node.type in ("class_specifier", "struct_specifier", "impl_item"):
            name_node = node.child_by_field_name("name") or node.child_by_field_name("type")
            return node_text(name_node), "this" if node.type != "impl_item" else "self", False
        node = node.parent
    declarator = node_text(function.child_by_field_name("declarator"))
    scope = re.search(r"(\w{1,80})::~?\w{1,80}\s{0,9}\(", declarator[:300])
    return (scope[1], "this", False) if scope else ("", "", False)


def _closure_use(closure: Node, parents: ParentById) -> str:
    """`go`, `defer`, `call` (called on the spot), `call NAME` (passed to NAME), or empty."""
    parent = parents.get(closure.id)
    if parent is not None and parent.type == "call_expression":
        statement = parents.get(parent.id)
        if statement is not None and statement.type in ("go_statement", "defer_statement"):
            return statement.type.partition("_")[0]
        return "call"
    if parent is not None and parent.type in ("argument_list", "arguments"):
        call = parents.get(parent.id)
        if call is not None and call.type == "call_expression":
            return f"call {node_text(call.child_by_field_name('function'))}"
        return "call std::thread"
    return ""


def _stored_variables(nodes: Iterable[Node]) -> Iterator[VariableUse]:
    for node in nodes:
        if node.type not in _STORE_NODES:
            continue
        left = node.child_by_field_name("left") or node.child_by_field_name("argument")
        left = left if left is not None else node.named_child(0)
        if left is None:
            continue
        for target in left.named_children if left.type == "expression_list" else [left]:
            if path := line_accesses.access_path(target):
                yield VariableUse(path[-1], path, True, first_line(node))


def _literal_fields(nodes: Iterable[Node]) -> Iterator[tuple[str, int]]:
    """Fields set by name: `out` in `&Key{out: w}`, `tone` in `{.tone = 4}`, `rate_` in `: rate_(r)`."""
    for node in nodes:
        if node.type in ("keyed_element", "initializer_pair", "field_initializer"):
            key = node_text(node.named_child(0)).lstrip(".")
            if key.isidentifier():
                yield key, first_line(node)


def _new_object_fields(nodes: Iterable[Node]) -> Iterator[tuple[str, int]]:
    """Fields set by Go literals that create a new object: `&Key{…}`, not `k.lid = Lid{…}`."""
    for node in nodes:
        if node.type != "unary_expression" or node_text(node.child(0)) != "&":
            continue
        literal = node.child_by_field_name("operand")
        body = literal.child_by_field_name("body") if literal is not None else None
        yield from _literal_fields(body.named_children if body is not None else ())


def _function_calls(nodes: Iterable[Node], parents: ParentById) -> Iterator[CallSite]:
    for node in nodes:
        depth = parser.closure_depth(node, parents) if node.type in ("delete_expression", "call_expression") else 0
        if node.type == "delete_expression" and node.named_children:
            argument = node_text(node.named_children[-1])[:200]
            yield CallSite("delete", "", argument, first_line(node), closure_depth=depth)
        elif node.type == "call_expression":
            callee = node_text(node.child_by_field_name("function")).replace("->", ".").replace("::", ".")
            receiver, _, name = callee.rpartition(".")
            arguments = node_text(node.child_by_field_name("arguments"))[1:-1][:200]
            is_deferred = node.id in parents and parents[node.id].type == "defer_statement"
            result = _assigned_result(node, parents)
            yield CallSite(name, receiver, arguments, first_line(node), is_deferred, depth, result)


def _assigned_result(call: Node, parents: ParentById) -> str:
    """The variables assigned: `rs, err` for `rs, err := tk.Exec(…)`, `c` for `conn *c = take();`."""
    ancestor = parents.get(call.id)
    while ancestor is not None and ancestor.type in _WRAPPER_NODES:
        ancestor = parents.get(ancestor.id)
    if ancestor is None or ancestor.type not in _ASSIGNMENT_NODES:
        return ""
    if ancestor.type == "init_declarator":
        return parser.defined_name(ancestor)[:200]
    if ancestor.type == "var_spec":
        return ", ".join(node_text(name) for name in ancestor.children_by_field_name("name"))[:200]
    left = ancestor.child_by_field_name("left") or ancestor.child_by_field_name("pattern")
    return node_text(left)[:200]


def _thread_starts(nodes: Iterable[Node]) -> Iterator[ThreadStart]:
    for node in nodes:
        is_start = node.type == "go_statement"
        if node.type == "call_expression":
            is_start = bool(_THREAD_START_CALL.search(node_text(node.child_by_field_name("function"))))
        elif node.type in ("declaration", "field_initializer"):
            is_start = bool(_THREAD_OBJECT.search(node_text(node.children[0]) if node.children else ""))
        if is_start:
            yield ThreadStart(*line_range(node), node_text(node).partition("\n")[0][:120])


def _is_channel_receive(node: Node) -> bool:
    """`<-done`, or `for range s.out {}`, which waits until the channel is closed."""
    if node.type == "range_clause" and node.child_by_field_name("left") is None:
        drained = node.child_by_field_name("right")
        return drained is not None and drained.type in ("identifier", "selector_expression")
    return node.type == "unary_expression" and node_text(node).startswith("<-")


def _returned_names(nodes: Iterable[Node], parents: ParentById) -> frozenset[str]:
    """The names in the return statements of a function, without those of its closures."""
    statements = [
        node_text(node) for node in nodes if node.type in RETURN_NODES and not parser.closure_depth(node, parents)
    ]
    return frozenset(name for text in statements for name in _IDENTIFIER.findall(text)[1:])
