"""The statements of Go source, for inserting others in front of them."""

from __future__ import annotations

from typing import NamedTuple

from deadheat.repo.syntax.parser import parse_source, walk_nodes

_BLOCKS = ("block", "statement_list", "expression_case", "default_case", "communication_case", "type_case")
_STATEMENT_ENDINGS = ("_statement", "_declaration", "block")


class Statement(NamedTuple):
    """A statement directly in a block: its byte offset, and its first and last line, counted from 1."""

    offset: int
    first: int
    last: int


class GoFunction(NamedTuple):
    """A function: its receiver and name, and its first and last line, counted from 1."""

    header: bytes
    first: int
    last: int


def go_functions(source: bytes) -> list[GoFunction]:
    """The functions and methods of a file."""
    functions = []
    for node in parse_source("go", source).root_node.children:
        name, receiver = node.child_by_field_name("name"), node.child_by_field_name("receiver")
        if node.type in ("function_declaration", "method_declaration") and name is not None:
            header = (receiver.text or b"" if receiver else b"") + b" " + (name.text or b"")
            functions.append(GoFunction(header, node.start_point.row + 1, node.end_point.row + 1))
    return functions


def statements_between(source: bytes, first: int, last: int) -> list[Statement]:
    """The statements that lie in these lines, outer ones before inner ones, in source order."""
    return [
        Statement(node.start_byte, node.start_point.row + 1, node.end_point.row + 1)
        for node in walk_nodes(parse_source("go", source).root_node)
        if node.parent is not None
        and node.parent.type in _BLOCKS
        and node.type.endswith(_STATEMENT_ENDINGS)
        # "case c <- 1:" is a statement for Go, but none can stand in front of it
        and node != node.parent.child_by_field_name("communication")
        and first <= node.start_point.row + 1
        and node.end_point.row + 1 <= last
    ]


def innermost_statement(statements: list[Statement], line: int) -> Statement | None:
    """The smallest statement around a line."""
    around = [each for each in statements if each.first <= line <= each.last]
    return max(around, key=lambda each: (each.offset, -each.last), default=None)
