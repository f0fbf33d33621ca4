"""What the function around a line shows: locks held, closures, conditions, calls; by tree-sitter."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from deadheat.code import syntax, touches
from deadheat.code.declared import declared, types
from deadheat.code.holding import held
from deadheat.code.nodes import CLOSURES, FUNCTIONS, LONGEST, Up, depth, family, text_of
from deadheat.diagnose.source import Around, Call, Closure, Condition, Start, Use

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

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
_IFS = ("if_statement", "if_expression")
_SWITCHES = (
    "switch_statement",
    "expression_switch_statement",
    "expression_case",
    "match_expression",
)
_RETURNS = ("return_statement", "return_expression")
_LEAVES = (*_RETURNS, "continue_statement", "break_statement")
_CASES = ("communication_case", "expression_case", "type_case")
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
)
_STARTS = re.compile(
    r"\b(?:pthread_create|thrd_create|kthread_run|kthread_create|spawn|async|std::j?thread)$"
)
# "std::thread worker(&Engine::run, this);", "std::jthread t{f};"
_THREAD = re.compile(r"^(?:std::)?j?thread\b")
_MOST = 400
_BIGGEST = 1 << 18  # what is longer nobody wrote by hand
_NESTED = 10  # how deep a class may lie in namespaces and classes


def around(tongue: str, source: bytes, path: str, line: int) -> Around | None:
    """The facts about a line; None if it lies in no function."""
    row = line - 1
    root = syntax.parse(tongue, syntax.local(tongue, source, line)).root_node
    function = _function(root, row)
    if function is None or function.end_byte - function.start_byte > _BIGGEST:
        return None
    nodes, up = family(function)
    literals = [n for n in nodes if n.type in CLOSURES and _has(n, row)]
    receiver, name, by_value = _receiver(function)
    names = declared(function, nodes, up, row)
    text = b"".join(syntax.rows(source, line, line))
    seen = touches.touches(tongue, source, line) if len(text) < LONGEST else []
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
        stores=tuple(_stores(nodes)),
        fills=tuple(_fills(nodes)),
        held=tuple(held(nodes, up, row, literals, {name: receiver} | types(names))),
        closures=tuple(_closure(n, up) for n in literals),
        conditions=tuple(_conditions(nodes, row)),
        guards=tuple(_guards(nodes, up, row)),
        leaves=_gone(nodes, row),
        branch=_branch(nodes, row),
        after=tuple(_after(nodes, up, row)),
        loops=tuple(
            (n.start_point.row + 1, n.end_point.row + 1)
            for n in nodes
            if n.type in _LOOPS and _has(n, row)
        ),
        calls=tuple(_calls(nodes, up))[:_MOST],
        starts=tuple(_starts(nodes)),
        names=names,
        sends=_lines(nodes, ("send_statement",)),
        receives=tuple(
            n.start_point.row + 1
            for n in nodes
            if n.type == "unary_expression" and text_of(n).startswith("<-")
        ),
        results=text_of(function.child_by_field_name("result"))[:200],
    )


def _has(node: Node, row: int) -> bool:
    return node.start_point.row <= row <= node.end_point.row


def _function(root: Node, row: int) -> Node | None:
    """The function of a row; a method's own before a class's around it."""
    found, waiting = None, [root]
    while waiting:
        node = waiting.pop()
        if not _has(node, row):
            continue
        if node.type in FUNCTIONS:
            found = node
        elif node.type in CLOSURES:
            continue
        waiting += node.children
    return found


def _receiver(function: Node) -> tuple[str, str, bool]:
    """The receiver's type and name, and whether it is a copy."""
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


# -- what is around the line -----------------------------------------------------------------------


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


def _conditions(nodes: Iterable[Node], row: int) -> Iterator[Condition]:
    """The conditions of every `if` around a row, or on it, and of every `switch` around it."""
    for node in nodes:
        if node.type in _SWITCHES and _has(node, row):
            asked = node.child_by_field_name("condition") or node.child_by_field_name("value")
            if asked is not None:
                word = "case" if node.type == "expression_case" else "switch"
                yield Condition(f"{word} {text_of(asked)}"[:200], asked.start_point.row + 1)
        if node.type not in _IFS:
            continue
        body = node.child_by_field_name("consequence")
        condition = node.child_by_field_name("condition")
        inside = body is not None and _has(body, row)
        if condition is not None and (inside or _has(condition, row)):
            yield Condition(_asked(node, condition), condition.start_point.row + 1)


def _asked(node: Node, condition: Node) -> str:
    """`c := t.c; c != nil` of `if c := t.c; c != nil {`."""
    first = node.child_by_field_name("initializer")
    return (f"{text_of(first)}; {text_of(condition)}" if first else text_of(condition))[:200]


def _guards(nodes: Iterable[Node], up: Up, row: int) -> Iterator[Condition]:
    """The conditions of every `if` above a row, in a block around it, whose body leaves."""
    for node in nodes:
        body = node.child_by_field_name("consequence") if node.type in _IFS else None
        condition = node.child_by_field_name("condition")
        block = up.get(node.id)
        if body is None or condition is None or block is None or not _has(block, row):
            continue
        if _leaves(body) and node.end_point.row < row:
            yield Condition(_asked(node, condition), condition.start_point.row + 1)


def _gone(nodes: Iterable[Node], row: int) -> bool:
    """Does an `if` around the row, and not the function's own block, end by returning?"""
    for node in nodes:
        body = node.child_by_field_name("consequence") if node.type in _IFS else None
        if body is not None and _has(body, row) and _returns(body):
            return True
    return False


def _returns(body: Node) -> bool:
    last = _last(body)
    return last is not None and last.type in _RETURNS


def _leaves(body: Node) -> bool:
    """Does a block, or the lone statement in its place, end by leaving the function or the loop?"""
    last = _last(body)
    return last is not None and last.type in _LEAVES


def _last(body: Node) -> Node | None:
    """The last statement of a block; the statement itself where it stands alone."""
    if body.type in _LEAVES:
        return body
    last = body.named_children[-1] if body.named_children else None
    if last is not None and last.type.endswith("_list"):
        last = last.named_children[-1] if last.named_children else None
    return last


def _branch(nodes: Iterable[Node], row: int) -> str:
    found = ""
    for node in nodes:
        if node.type in _CASES and _has(node, row):
            told = node.child_by_field_name("communication")
            found = text_of(told) if told is not None else found
    return found


def _after(nodes: Iterable[Node], up: Up, row: int) -> Iterator[str]:
    """The branches of every select above a row, in a block around it, that do not leave."""
    for node in nodes:
        told = node.child_by_field_name("communication")
        choice = up.get(node.id)
        block = up.get(choice.id) if choice is not None else None
        if told is None or choice is None or block is None:
            continue
        if choice.end_point.row < row and _has(block, row) and not _leaves(node):
            yield text_of(told)[:200]


# -- what the function does ------------------------------------------------------------------------


def _stores(nodes: Iterable[Node]) -> Iterator[Use]:
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


def _fills(nodes: Iterable[Node]) -> Iterator[tuple[str, int]]:
    """`out` and `beat` of `&Key{out: w, beat: d}`; `tone` of `{.tone = 4}`; `rate_` of `: rate_(r)`."""
    for node in nodes:
        if node.type in ("keyed_element", "initializer_pair", "field_initializer"):
            key = text_of(node.named_child(0)).lstrip(".")
            if key.isidentifier():
                yield key, node.start_point.row + 1


def _calls(nodes: Iterable[Node], up: Up) -> Iterator[Call]:
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
    """`rs, err` for `rs, err := tk.Exec(…)`, `c` for `struct conn *c = arena_take();`."""
    above = up.get(call.id)
    while above is not None and above.type in _THROUGH:
        above = up.get(above.id)
    if above is None or above.type not in _ASSIGNS:
        return ""
    if above.type == "init_declarator":
        return syntax.called(above).decode("utf-8", "replace")[:200]
    left = above.child_by_field_name("left") or above.child_by_field_name("pattern")
    return text_of(left)[:200]


def _starts(nodes: Iterable[Node]) -> Iterator[Start]:
    for node in nodes:
        is_start = node.type == "go_statement"
        if node.type == "call_expression":
            is_start = bool(_STARTS.search(text_of(node.child_by_field_name("function"))))
        elif node.type in ("declaration", "field_initializer"):
            is_start = bool(_THREAD.search(text_of(node.children[0]) if node.children else ""))
        if is_start:
            text = text_of(node).partition("\n")[0]
            yield Start(node.start_point.row + 1, node.end_point.row + 1, text[:120])
