"""Which locks a function holds at a line, from the order of its calls. No data flow analysis."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from deadheat.diagnose.source import Held

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from tree_sitter import Node

_FAR, _LONG = 60, 500
_CLOSURES = ("func_literal", "lambda_expression", "closure_expression")
# in an assignment, a return or a struct literal
_KEEPS = ("expression_list", "literal_element", "keyed_element")
_BLOCKS = (
    "block",
    "compound_statement",
    "communication_case",
    "expression_case",
    "type_case",
    "default_case",
    "declaration_list",
)
# nodes between a call and the `if` that tests it; a `!` is not one of these
_ASKING = ("parenthesized_expression", "condition_clause", "binary_expression")
# methods of Go, also of custom locks: "mu.Lock()", "s.rlock()"; C++: "m.lock_shared()",
# "mu_.ReaderLock()", "l.try_lock()"
_METHOD = re.compile(
    r"(?:Try|try_)?(R|W|r|w|Reader|Writer)?(?:Try)?([Ll]ock|[Uu]nlock)(_shared)?(?:_for|_until)?$"
)
# "pthread_mutex_lock(&m)", "pthread_rwlock_rdlock(&l)", "mtx_lock", "spin_lock_irqsave(&l, f)",
# "mutex_unlock(&m)", "read_lock(&l)", "down_write(&s)";
# not "rcu_read_lock()", which protects only against freeing
_FUNCTION = re.compile(
    r"(?:pthread_(?:mutex|rwlock|spin)|mtx|cnd|spin|raw_spin|mutex|read|write)"
    r"_(?P<what>(?:try|timed)?(?:rd|wr)?(?:un)?lock)(?:_\w{1,40})?$|(?P<down>down|up)_(?P<mode>read|write)$"
)
# "std::lock_guard<std::mutex> hold(mutex_);", "std::shared_lock lock{m};", "MutexLock l(&mu_);",
# "auto lock = std::unique_lock(mutex_);", "QReadLocker locker(&lock);"
_GUARD = re.compile(
    r"^(?:const )?(?:auto (\w{1,80}) = )?(?:\w{1,40}::){0,4}(lock_guard|unique_lock|scoped_lock"
    r"|shared_lock|MutexLock|ReaderMutexLock|WriterMutexLock|MutexGuard|AutoLock|ScopedLock|QMutexLocker"
    r"|QReadLocker|QWriteLocker)"
    r"\b(?:<[^({;]{0,200}>)?[&\s]{0,9}(\w{0,80})\s{0,9}[({]([^;]{0,200}?)[)}]"
)
_READERS = ("shared_lock", "ReaderMutexLock", "QReadLocker")
# "std::unique_lock<std::mutex> l(m_, std::defer_lock);"
_LATER = re.compile(r"\bdefer_lock\b")
_TAGS = re.compile(r"\b(?:adopt_lock|defer_lock|try_to_lock)\b")


class _Turn(NamedTuple):
    """One acquire or release of a lock."""

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
) -> tuple[tuple[Held, ...], tuple[str, ...]]:
    """The locks that the function or closure around a row holds there.

    Also the locks that it has released by then without having acquired them.
    """
    scope = literals[-1] if literals else None
    guards: dict[str, _Turn] = {}
    turns = [
        turn
        for node in nodes
        for turn in _turns(node, up, types, guards)
        if _above(node, up, _CLOSURES) == scope and _reaches(turn, row)
    ]
    open_: dict[str, _Turn] = {}
    gone: dict[str, None] = {}
    for turn in sorted(turns, key=lambda t: t.at):
        if turn.takes:
            open_[turn.name] = turn
            gone.pop(turn.name, None)
        elif turn.deferred or _on_one_line(open_.get(turn.name), turn, row):
            continue
        elif open_.pop(turn.name, None) is None and turn.at[0] < row:
            gone[turn.name] = None
    own = [Held(turn.name, turn.shared, turn.at[0] + 1) for turn in open_.values()]
    return (*own, *_in_once(literals, up)), tuple(gone)


def _in_once(literals: list[Node], up: Mapping[int, Node]) -> Iterator[Held]:
    for literal in reversed(literals):
        if (once := _once(literal, up)) is not None:
            yield Held(once, False, literal.start_point.row + 1)
        if _is_kept(literal, up):
            return


def frees(nodes: Iterable[Node], up: Mapping[int, Node], types: Mapping[str, str]) -> Iterator[str]:
    """The locks that a function body releases without having acquired them."""
    taken: set[str] = set()
    guards: dict[str, _Turn] = {}
    for node in nodes:
        for turn in _turns(node, up, types, guards):
            if turn.takes:
                taken.add(turn.name)
            elif turn.name not in taken and _above(node, up, _CLOSURES) is None:
                yield turn.name


def _on_one_line(taken: _Turn | None, let_go: _Turn, row: int) -> bool:
    """`mu.Lock(); n++; mu.Unlock()`: the rest of the row runs under the lock."""
    return taken is not None and taken.at[0] == let_go.at[0] == row


def _reaches(turn: _Turn, row: int) -> bool:
    """Whether the operation precedes the row and its block contains the row."""
    block = turn.block
    inside = block is None or block.start_point.row <= row <= block.end_point.row
    return turn.at[0] <= row and inside


def _above(node: Node, up: Mapping[int, Node], kinds: tuple[str, ...]) -> Node | None:
    """The nearest ancestor of these types."""
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


def _turns(
    node: Node, up: Mapping[int, Node], types: Mapping[str, str], guards: dict[str, _Turn]
) -> Iterator[_Turn]:
    """The lock operations of a node; `guards` collects the C++ guards by name."""
    if node.type == "call_expression":
        yield from _call(node, up, types, guards)
    elif node.type == "declaration" and (told := _GUARD.match(_text(node))):
        block = _above(node, up, _BLOCKS)
        for name in [n for n in told[4].split(",") if not _TAGS.search(n)]:
            lock, shared = plain(name, types), told[2] in _READERS
            turn = _Turn(node.start_point, lock, True, shared, False, block)
            guards[told[1] or told[3]] = turn
            if not _LATER.search(told[4]):
                yield turn


def _call(
    node: Node, up: Mapping[int, Node], types: Mapping[str, str], guards: Mapping[str, _Turn]
) -> Iterator[_Turn]:
    callee = _text(node.child_by_field_name("function")).replace("->", ".")
    deferred = node.id in up and up[node.id].type == "defer_statement"
    block = _above(node, up, _BLOCKS)
    on, _, name = callee.rpartition(".")
    if on and (told := _METHOD.match(name)):
        takes = told[2].lower() == "lock"
        shared = (told[1] or "").lower() in ("r", "reader") or bool(told[3])
        block = (_tried(node, up) if "ry" in name else None) or block
        if guard := guards.get(on):
            yield guard._replace(at=node.start_point, takes=takes, block=block)
        else:
            yield _Turn(node.start_point, plain(on, types), takes, shared, deferred, block)
    elif not on and (told := _FUNCTION.match(name)):
        what = told["what"] or ""
        takes = "unlock" not in what if what else told["down"] == "down"
        shared = "rd" in what or told["mode"] == "read" or name.startswith("read_")
        first = _text(node.child_by_field_name("arguments"))[1:-1].partition(",")[0]
        lock = plain(first, types) or name.partition("_lock")[0]
        yield _Turn(node.start_point, lock, takes, shared, deferred, block)


def _tried(node: Node, up: Mapping[int, Node]) -> Node | None:
    """The block of `if mu.TryLock() {…}`; None for `if !mu.TryLock() { return }`."""
    inner, above = node, up.get(node.id)
    while above is not None and above.type in _ASKING:
        inner, above = above, up.get(above.id)
    if above is None or above.type != "if_statement":
        return None
    body = above.child_by_field_name("consequence")
    return body if above.child_by_field_name("condition") == inner else None


def plain(name: str, types: Mapping[str, str]) -> str:
    """`Cache.mu` for `&c->mu` if `c` is a Cache."""
    name = name.strip().lstrip("&*(")
    while name.endswith(")") and name.count(")") > name.count("("):
        name = name[:-1]  # from "(*c).mu", not from "c.lock()"
    name = name.replace("->", ".").removeprefix("this.")
    base, dot, rest = name.partition(".")
    kind = types.get(base, "")
    return f"{kind}{dot}{rest}" if kind else name


def _is_kept(literal: Node, up: Mapping[int, Node]) -> bool:
    """Whether a closure runs later: `c.Update = func() {…}`, `go func() {…}()`."""
    above = up.get(literal.id)
    if above is None or above.type in _KEEPS:
        return above is not None
    start = up.get(above.id)
    return start is not None and start.type == "go_statement"


def _once(literal: Node, up: Mapping[int, Node]) -> str | None:
    """`once` for a closure in `once.Do(func() {…})`."""
    arguments = up.get(literal.id)
    call = up.get(arguments.id) if arguments is not None else None
    if call is None or call.type != "call_expression":
        return None
    on, _, name = _text(call.child_by_field_name("function")).rpartition(".")
    return on if name in ("Do", "call_once") and "nce" in on else None
