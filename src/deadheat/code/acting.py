"""Stores, literal fields, calls and thread starts of a function, found with tree-sitter."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from deadheat.code import syntax, touches
from deadheat.code.nodes import Up, depth, text_of
from deadheat.diagnose.source import Call, Start, Use

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tree_sitter import Node

_STORES = (
    "assignment_statement",
    "assignment_expression",
    "compound_assignment_expr",
    "inc_statement",
    "dec_statement",
    "update_expression",
)
_THROUGH = ("expression_list", "cast_expression", "type_assertion_expression")
_ASSIGNS = (
    "short_var_declaration",
    "assignment_statement",
    "assignment_expression",
    "init_declarator",
    "let_declaration",
    "var_spec",
)
_RETURNS = ("return_statement", "return_expression")
_NAME = re.compile(r"[A-Za-z_]\w{0,80}")
_STARTS = re.compile(
    r"\b(?:pthread_create|thrd_create|kthread_run|kthread_create|spawn|async|std::j?thread)$"
)
# "std::thread worker(&Engine::run, this);", "std::jthread t{f};"
_THREAD = re.compile(r"^(?:std::)?j?thread\b")


def stores(nodes: Iterable[Node]) -> Iterator[Use]:
    for node in nodes:
        if node.type not in _STORES:
            continue
        left = node.child_by_field_name("left") or node.child_by_field_name("argument")
        left = left if left is not None else node.named_child(0)
        if left is None:
            continue
        for target in left.named_children if left.type == "expression_list" else [left]:
            if path := touches.chain(target):
                yield Use(path[-1], path, True, node.start_point.row + 1)


def fills(nodes: Iterable[Node]) -> Iterator[tuple[str, int]]:
    """Fields set by name: `out` in `&Key{out: w}`, `tone` in `{.tone = 4}`, `rate_` in `: rate_(r)`."""
    for node in nodes:
        if node.type in ("keyed_element", "initializer_pair", "field_initializer"):
            key = text_of(node.named_child(0)).lstrip(".")
            if key.isidentifier():
                yield key, node.start_point.row + 1


def makes(nodes: Iterable[Node]) -> Iterator[tuple[str, int]]:
    """Fields set by Go literals that create a new object: `&Key{…}`, not `k.lid = Lid{…}`."""
    for node in nodes:
        if node.type != "unary_expression" or text_of(node.child(0)) != "&":
            continue
        made = node.child_by_field_name("operand")
        body = made.child_by_field_name("body") if made is not None else None
        yield from fills(body.named_children if body is not None else ())


def calls(nodes: Iterable[Node], up: Up) -> Iterator[Call]:
    for node in nodes:
        if node.type == "delete_expression" and node.named_children:
            given = text_of(node.named_children[-1])[:200]
            yield Call("delete", "", given, node.start_point.row + 1, depth=depth(node, up))
        if node.type != "call_expression":
            continue
        on, _, name = _callee(text_of(node.child_by_field_name("function")))
        yield Call(
            name,
            on,
            text_of(node.child_by_field_name("arguments"))[1:-1][:200],
            node.start_point.row + 1,
            node.id in up and up[node.id].type == "defer_statement",
            depth(node, up),
            _result(node, up),
        )


def _callee(text: str) -> tuple[str, str, str]:
    return text.replace("->", ".").replace("::", ".").rpartition(".")


def _lines(nodes: Iterable[Node], kinds: tuple[str, ...]) -> tuple[int, ...]:
    return tuple(n.start_point.row + 1 for n in nodes if n.type in kinds)


def _result(call: Node, up: Up) -> str:
    """The variables assigned: `rs, err` for `rs, err := tk.Exec(…)`, `c` for `conn *c = take();`."""
    above = up.get(call.id)
    while above is not None and above.type in _THROUGH:
        above = up.get(above.id)
    if above is None or above.type not in _ASSIGNS:
        return ""
    if above.type == "init_declarator":
        return syntax.called(above).decode("utf-8", "replace")[:200]
    if above.type == "var_spec":
        return ", ".join(text_of(name) for name in above.children_by_field_name("name"))[:200]
    left = above.child_by_field_name("left") or above.child_by_field_name("pattern")
    return text_of(left)[:200]


def starts(nodes: Iterable[Node]) -> Iterator[Start]:
    for node in nodes:
        is_start = node.type == "go_statement"
        if node.type == "call_expression":
            is_start = bool(_STARTS.search(text_of(node.child_by_field_name("function"))))
        elif node.type in ("declaration", "field_initializer"):
            is_start = bool(_THREAD.search(text_of(node.children[0]) if node.children else ""))
        if is_start:
            text = text_of(node).partition("\n")[0]
            yield Start(node.start_point.row + 1, node.end_point.row + 1, text[:120])


def awaits(nodes: Iterable[Node]) -> frozenset[str]:
    """`quit` for `<-w.quit`, `Done` for `<-ctx.Done()`, `jobs` for `for job := range w.jobs`."""
    found = set()
    for node in nodes:
        text = ""
        if node.type == "unary_expression" and text_of(node).startswith("<-"):
            text = text_of(node)[2:]
        elif node.type == "range_clause":
            text = text_of(node.child_by_field_name("right"))
        if names := _NAME.findall(text.partition("(")[0]):
            found.add(names[-1])
    return frozenset(found)


def returned(nodes: Iterable[Node], up: Up) -> frozenset[str]:
    """The names in the return statements of a function, without those of its closures."""
    found = [text_of(n) for n in nodes if n.type in _RETURNS and not depth(n, up)]
    return frozenset(name for text in found for name in _NAME.findall(text)[1:])
