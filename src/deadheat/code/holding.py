"""Which locks a function holds at a line, read from the order of its calls; no data flow."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from deadheat.diagnose.source import Held

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from tree_sitter import Node

_FAR, _LONG = 60, 500
_CLOSURES = ("func_literal", "lambda_expression", "closure_expression")
_BLOCKS = (
    "block",
    "compound_statement",
    "communication_case",
    "expression_case",
    "type_case",
    "default_case",
    "declaration_list",
)
# Go's methods, also of a house's own locks: "mu.Lock()", "s.rlock()"
_METHOD = re.compile(r"(?:Try)?(R|W|r|w)?(?:Try)?([Ll]ock|Unlock|unlock)$")
# "pthread_mutex_lock(&m)", "pthread_rwlock_rdlock(&l)", "mtx_lock", "spin_lock_irqsave(&l, f)",
# "mutex_unlock(&m)", "read_lock(&l)", "down_write(&s)", "rcu_read_lock()"
_FUNCTION = re.compile(
    r"(?:pthread_(?:mutex|rwlock|spin)|mtx|cnd|spin|raw_spin|mutex|read|write|rcu_read|srcu_read)"
    r"_(?P<what>(?:try|timed)?(?:rd|wr)?(?:un)?lock)(?:_\w{1,40})?$|(?P<down>down|up)_(?P<mode>read|write)$"
)
# "std::lock_guard<std::mutex> hold(mutex_);", "std::shared_lock lock{m};"
_GUARD = re.compile(
    r"^(?:const )?(?:std::)?(lock_guard|unique_lock|scoped_lock|shared_lock)\b[^({]{0,200}"
    r"[({]([^;]{0,200}?)[)}]"
)


class _Turn(NamedTuple):
    """A lock taken or let go."""

    at: tuple[int, int]
    name: str
    takes: bool
    shared: bool
    deferred: bool
    block: Node | None


def held(
    nodes: Iterable[Node],
    up: Mapping[int, Node],
    row: int,
    literals: list[Node],
    types: Mapping[str, str],
) -> Iterator[Held]:
    """The locks that are held at a row, by what its own function or closure does before it."""
    scope = literals[-1] if literals else None
    turns = [
        turn
        for node in nodes
        for turn in _turns(node, up, types)
        if _above(node, up, _CLOSURES) == scope and _reaches(turn, row)
    ]
    open_: dict[str, _Turn] = {}
    for turn in sorted(turns, key=lambda t: t.at):
        if turn.takes:
            open_[turn.name] = turn
        elif not turn.deferred and not _on_one_line(open_.get(turn.name), turn, row):
            open_.pop(turn.name, None)
    for turn in open_.values():
        yield Held(turn.name, turn.shared, turn.at[0] + 1)
    for literal in literals:
        if (once := _once(literal, up)) is not None:
            yield Held(once, False, literal.start_point.row + 1)


def _on_one_line(taken: _Turn | None, let_go: _Turn, row: int) -> bool:
    """`mu.Lock(); n++; mu.Unlock()`: what the row does besides, it does under the lock."""
    return taken is not None and taken.at[0] == let_go.at[0] == row


def _reaches(turn: _Turn, row: int) -> bool:
    """Does it come before the row, and in a block that the row is in?"""
    block = turn.block
    inside = block is None or block.start_point.row <= row <= block.end_point.row
    return turn.at[0] <= row and inside


def _above(node: Node, up: Mapping[int, Node], kinds: tuple[str, ...]) -> Node | None:
    """The nearest node of these kinds around a node."""
    above = up.get(node.id)
    for _ in range(_FAR):
        if above is None or above.type in kinds:
            return above
        above = up.get(above.id)
    return None


def _text(node: Node | None) -> str:
    if node is None or node.end_byte - node.start_byte > _LONG:
        return ""
    return (node.text or b"").decode("utf-8", "replace")


def _turns(node: Node, up: Mapping[int, Node], types: Mapping[str, str]) -> Iterator[_Turn]:
    if node.type == "call_expression":
        yield from _call(node, up, types)
    elif node.type == "declaration" and (told := _GUARD.match(_text(node))):
        for name in told[2].split(","):
            yield _Turn(
                node.start_point,
                plain(name, types),
                True,
                told[1] == "shared_lock",
                False,
                _above(node, up, _BLOCKS),
            )


def _call(node: Node, up: Mapping[int, Node], types: Mapping[str, str]) -> Iterator[_Turn]:
    callee = _text(node.child_by_field_name("function")).replace("->", ".")
    deferred = node.id in up and up[node.id].type == "defer_statement"
    block = _above(node, up, _BLOCKS)
    on, _, name = callee.rpartition(".")
    if on and (told := _METHOD.match(name)):
        takes = told[2].lower() == "lock"
        shared = (told[1] or "").lower() == "r" or name == "lock_shared"
        yield _Turn(node.start_point, plain(on, types), takes, shared, deferred, block)
    elif not on and (told := _FUNCTION.match(name)):
        what = told["what"] or ""
        takes = "unlock" not in what if what else told["down"] == "down"
        shared = "rd" in what or told["mode"] == "read" or name.startswith(("read_", "rcu_read"))
        first = _text(node.child_by_field_name("arguments"))[1:-1].partition(",")[0]
        lock = plain(first, types) or name.partition("_lock")[0]
        yield _Turn(node.start_point, lock, takes, shared, deferred, block)


def plain(name: str, types: Mapping[str, str]) -> str:
    """`Cache.mu` for `&c->mu` where `c` is a Cache."""
    name = name.strip().lstrip("&*(").rstrip(")").replace("->", ".").removeprefix("this.")
    base, dot, rest = name.partition(".")
    kind = types.get(base, "")
    return f"{kind}{dot}{rest}" if kind else name


def _once(literal: Node, up: Mapping[int, Node]) -> str | None:
    """`once.Do(func() {…})`: whatever runs in it is ordered by it."""
    arguments = up.get(literal.id)
    call = up.get(arguments.id) if arguments is not None else None
    if call is None or call.type != "call_expression":
        return None
    on, _, name = _text(call.child_by_field_name("function")).rpartition(".")
    return on if name in ("Do", "call_once") and "nce" in on else None
