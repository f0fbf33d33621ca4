"""Which fields, variables and elements the expressions on a line may access, found with tree-sitter."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from deadheat.repo.syntax import parser
from deadheat.repo.syntax.parser import first_line, full_text, spans_row

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tree_sitter import Node

# ranks: how likely the operation of the line is on this
TARGET, OPERAND, CALLEE, BASE = 3, 2, 1, 0

_FIELD_NODES = {
    "selector_expression": ("operand", "field"),  # Go
    "field_expression": ("argument", "field"),  # C, C++
}
_RUST_FIELD_NAMES = ("value", "field")
_NAME_NODES = ("identifier", "field_identifier")
# writing nodes with the field that is written; empty: the first child
_WRITE_NODES = {
    "assignment_statement": "left", "short_var_declaration": "left", "range_clause": "left",
    "assignment_expression": "left", "compound_assignment_expr": "left", "receive_statement": "left",
    "inc_statement": "", "dec_statement": "", "update_expression": "argument", "init_declarator": "declarator",
    "send_statement": "channel",
}  # fmt: skip
_GO_FUNCTION_NODES = ("function_declaration", "method_declaration", "func_literal")
# "n++", "n += 2"
_UPDATE_NODES = ("inc_statement", "dec_statement", "update_expression", "compound_assignment_expr")
_ASSIGNMENT_OPERATORS = (b"=", b":=")
_WRITING_CALLS = (b"delete", b"copy", b"clear", b"close", b"memset", b"memcpy", b"memmove", b"free")
_LITERAL_TYPE_NODES = ("type_identifier", "qualified_type", "generic_type")  # types of Go literals
_INDEX_NODES = ("index_expression", "subscript_expression", "slice_expression", "parenthesized_expression")


class PossibleAccess(NamedTuple):
    """A field, variable or element that a line may access."""

    name: str  # the field or variable
    path: tuple[str, ...]  # from the base to the name; a call is written "f()", a literal "T{}"
    rank: int
    writes: bool
    stored_type: str = ""  # the type of a whole struct that is stored
    is_element: bool = False  # an element of the variable, not the variable itself
    also_read: bool = False  # the line also reads what it writes


def accesses_on_line(language: str, source: bytes, line: int) -> list[PossibleAccess]:
    """Everything that a line may access, most likely first."""
    row = line - 1
    by_path: dict[tuple[str, ...], PossibleAccess] = {}
    operand_counts: Counter[tuple[str, ...]] = Counter()
    for node in _nodes_on_line(language, source, line):
        for access in _accesses_of_node(node, row):
            operand_counts[access.path] += access.rank == OPERAND
            known = by_path.get(access.path)
            if known is None or (access.rank, access.writes) > (known.rank, known.writes):
                by_path[access.path] = access
    # a target is also named once where it is written
    accesses = [t._replace(also_read=t.also_read or operand_counts[t.path] > 1) for t in by_path.values()]
    return sorted(accesses, key=lambda t: -t.rank)


def dereferenced_on_line(source: bytes, line: int) -> set[tuple[str, ...]]:
    """The paths that a Go line dereferences and copies: `*p`, `*p.next`."""
    dereferences = {
        access_path(node)
        for node in _nodes_on_line("go", source, line)
        if node.type == "unary_expression"
        and full_text(node)[:1] == "*"
        and first_line(node) == line
        and not _is_assignment_target(node)
    }
    return dereferences - {()}


def _is_assignment_target(node: Node) -> bool:
    """Whether the node is `*p` in `*p = x`."""
    parent = node.parent
    statement = parent.parent if parent is not None and parent.type == "expression_list" else None
    return statement is not None and statement.child_by_field_name("left") == parent


def _nodes_on_line(language: str, source: bytes, line: int) -> Iterator[Node]:
    """The nodes that cover a line, outer nodes first."""
    pending = [parser.parse_around(language, source, line)]
    while pending:
        node = pending.pop()
        if spans_row(node, line - 1):
            yield node
            pending += reversed(node.children)


def _accesses_of_node(node: Node, row: int) -> Iterator[PossibleAccess]:
    if node.type in _WRITE_NODES:
        yield from _write_accesses(node, row)
    elif node.type == "return_statement" and node.start_point.row == row:
        yield from _result_accesses(node)
    elif node.type == "keyed_element":
        yield from _literal_field_accesses(node, row)
    elif node.type in _FIELD_NODES or node.type == "identifier":
        end = node.child_by_field_name("field") or node
        if end.start_point.row == row and not _is_part_of_expression(node):
            yield from _accesses_along_path(access_path(node), _operand_rank(node), _may_be_written(node))


def _write_accesses(node: Node, row: int) -> Iterator[PossibleAccess]:
    field = _WRITE_NODES[node.type]
    left = node.child_by_field_name(field) if field else node.named_child(0)
    if left is None or node.start_point.row != row:
        return
    right = node.child_by_field_name("right")
    stored_type = _literal_type(right) if right is not None else ""
    operator = node.child_by_field_name("operator")
    also_read = node.type in _UPDATE_NODES or (operator is not None and operator.text not in _ASSIGNMENT_OPERATORS)
    for target in left.named_children if left.type == "expression_list" else [left]:
        operand, is_element = target, False
        while operand.type in (*_INDEX_NODES, "unary_expression", "pointer_expression"):
            is_element = is_element or operand.type != "parenthesized_expression"
            inner = operand.child_by_field_name("operand") or operand.child_by_field_name("argument")
            inner = inner or operand.named_child(0)
            if inner is None:
                break
            operand = inner
        if path := access_path(operand):
            yield PossibleAccess(path[-1].removesuffix("()"), path, TARGET, True, stored_type, is_element, also_read)
            yield from _accesses_along_path(path[:-1], OPERAND, False)


def _result_accesses(node: Node) -> Iterator[PossibleAccess]:
    """The named results of the function: a bare `return` reads them, one with values sets them."""
    function = node.parent
    while function is not None and function.type not in _GO_FUNCTION_NODES:
        function = function.parent
    results = function.child_by_field_name("result") if function is not None else None
    if results is None or results.type != "parameter_list":
        return
    sets_result = node.named_child_count > 0
    for parameter in results.named_children:
        for name in map(full_text, parameter.children_by_field_name("name")):
            yield PossibleAccess(name, (name,), TARGET if sets_result else OPERAND, sets_result)


def _literal_field_accesses(node: Node, row: int) -> Iterator[PossibleAccess]:
    """The field that `limit: 3,` sets on its own line in `&Config{…}`."""
    key, literal = node.child(0), node.parent and node.parent.parent
    name = key.named_child(0) if key is not None else None
    if name is None or name.type != "identifier" or literal is None or name.start_point.row != row:
        return
    type_node = literal.child_by_field_name("type")
    is_pointer = full_text(literal.parent)[:1] == "&" and literal.start_point.row != row
    if type_node is not None and type_node.type in _LITERAL_TYPE_NODES and is_pointer:
        type_name = full_text(type_node).partition("[")[0].rpartition(".")[2] + "{}"
        yield PossibleAccess(full_text(name), (type_name, full_text(name)), TARGET, True)


def _accesses_along_path(path: tuple[str, ...], rank: int, writes: bool) -> Iterator[PossibleAccess]:
    """The end of an access path and its prefixes; a method may write to its receiver."""
    if not path:
        return
    yield PossibleAccess(path[-1].removesuffix("()"), path, rank, writes and rank != CALLEE)
    for end in range(len(path) - 1, 0, -1):
        if not path[end - 1].endswith("()"):
            is_receiver = writes and rank == CALLEE and end == len(path) - 1
            yield PossibleAccess(path[end - 1], path[:end], OPERAND if end > 1 or is_receiver else BASE, is_receiver)


def _literal_type(right: Node) -> str:
    """The type of a composite literal on the right side: `stmtctx.StatementContext{}`."""
    value = right.named_child(0) if right.type == "expression_list" else right
    if value is None or value.type not in ("composite_literal", "compound_literal_expression"):
        return ""
    return full_text(value.child_by_field_name("type")).rpartition(".")[2]


def _is_part_of_expression(node: Node) -> bool:
    """Whether the node is part of a longer path, a literal key or a declaration."""
    parent = node.parent
    if parent is None:
        return False
    if parent.type in _FIELD_NODES:
        return True
    if parent.type == "unary_expression":
        return _is_conversion_type(parent)
    if parent.type in ("call_expression", "parenthesized_expression", "index_expression"):
        outer = parent.parent
        inner = parent.child_by_field_name("function") or parent.child_by_field_name("operand")
        is_base = outer is not None and outer.type in _FIELD_NODES and outer.child_by_field_name("field") != parent
        return is_base and inner == node
    if parent.type == "literal_element":  # "Field: value"
        pair = parent.parent
        is_key = pair is not None and pair.type == "keyed_element" and pair.child(0) == parent
        return is_key and node.type == "identifier"
    return parent.type in ("function_declaration", "labeled_statement", "parameter_declaration")


def _is_conversion_type(pointer: Node) -> bool:
    """Whether the node is `*int` in `(*int)(p)`."""
    parenthesized = pointer.parent
    call = parenthesized.parent if parenthesized is not None and _is_pointer_type(parenthesized) else None
    if call is None or call.type != "call_expression":
        return False
    return call.child_by_field_name("function") == parenthesized


def _operand_rank(node: Node) -> int:
    parent = node.parent
    if parent is None or parent.type != "call_expression":
        return OPERAND
    return CALLEE if parent.child_by_field_name("function") == node else OPERAND


def _may_be_written(node: Node) -> bool:
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


def access_path(node: Node | None) -> tuple[str, ...]:
    """`r.ctx.GetSessionVars().StmtCtx` as ("r", "ctx", "GetSessionVars()", "StmtCtx")."""
    parts: list[str] = []
    call_suffix = ""
    while node is not None:
        if node.type in _FIELD_NODES:
            base, field = _FIELD_NODES[node.type]
            if node.child_by_field_name(base) is None:
                base, field = _RUST_FIELD_NAMES
            parts.append(full_text(node.child_by_field_name(field)) + call_suffix)
            call_suffix, node = "", node.child_by_field_name(base)
        elif node.type == "call_expression":
            function, arguments = node.child_by_field_name("function"), None
            if function is not None and _is_pointer_type(function):
                arguments = node.child_by_field_name("arguments")
            call_suffix, node = ("", arguments.named_child(0)) if arguments else ("()", function)
        elif node.type in (*_INDEX_NODES, "type_assertion_expression", "unary_expression"):
            node = node.child_by_field_name("operand") or node.named_child(0)
        elif node.type in (*_NAME_NODES, "self"):
            parts.append(full_text(node) + call_suffix)
            return tuple(reversed(parts))
        else:
            return ()
    return ()


def _is_pointer_type(node: Node) -> bool:
    """Whether the node is `(*int)` in `(*int)(p)`."""
    inner = node.named_child(0) if node.type == "parenthesized_expression" else None
    return inner is not None and inner.type == "unary_expression" and full_text(inner)[:1] == "*"


def accesses_through_parameters(
    accesses: list[PossibleAccess], source: bytes, function_line: int, name: str, caller_source: bytes, call_line: int
) -> list[PossibleAccess]:
    """Translate accesses to parameters of a Go function, or to its receiver, into accesses on the caller's line."""
    names = _parameter_names(source, function_line)
    index_by_parameter = {parameter: index for index, parameter in enumerate(names)}
    parameter_accesses = [
        candidate
        for candidate in accesses
        if candidate.path[0] in index_by_parameter
        # a field of the receiver has the same name and owner in the caller
        and (candidate.path[0] != names[0] or len(candidate.path) == 1)
    ]
    argument_paths = next(_argument_paths(caller_source, call_line, name), []) if parameter_accesses else []
    translated = []
    for access in parameter_accesses:
        index = index_by_parameter[access.path[0]]
        path = argument_paths[index] if index < len(argument_paths) else ()
        if path:
            full_path = (*path, *access.path[1:])
            translated.append(access._replace(name=full_path[-1].removesuffix("()"), path=full_path))
    return translated


def _parameter_names(source: bytes, function_line: int) -> list[str]:
    """The names of the receiver (empty if none) and of the parameters."""
    declarations = [
        node
        for node in parser.parse_around("go", source, function_line).children
        if node.type in ("function_declaration", "method_declaration") and first_line(node) == function_line
    ]
    names: list[str] = []
    for field in ("receiver", "parameters"):
        parameter_list = declarations[0].child_by_field_name(field) if declarations else None
        for parameter in parameter_list.named_children if parameter_list is not None else ():
            names += [full_text(name) for name in parameter.children_by_field_name("name")] or [""]
        names = names or [""]
    return names


def _argument_paths(source: bytes, line: int, name: str) -> Iterator[list[tuple[str, ...]]]:
    """The access paths of the receiver and of each argument, for each call of that name on a line."""
    for node in _nodes_on_line("go", source, line):
        arguments = node.child_by_field_name("arguments") if node.type == "call_expression" else None
        function = node.child_by_field_name("function")
        if arguments is not None and full_text(function).rpartition(".")[2] == name:
            yield [access_path(function)[:-1], *(access_path(argument) for argument in arguments.named_children)]
