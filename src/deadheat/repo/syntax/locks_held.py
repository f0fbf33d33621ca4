"""Which locks a function holds at a line, from the order of its calls and its comment."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from deadheat.diagnosis.facts.code_facts import HeldLock
from deadheat.repo.syntax import parser
from deadheat.repo.syntax.parser import CLOSURE_NODES, ParentById, nearest_ancestor, node_text, spans_row

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from tree_sitter import Node


_MAX_TEXT_BYTES = 500
# in an assignment, a return or a struct literal
_STORING_NODES = ("expression_list", "literal_element", "keyed_element")
_BLOCK_NODES = (
    "block", "compound_statement", "communication_case", "expression_case", "type_case", "default_case",
    "declaration_list",
)  # fmt: skip
# nodes between a call and the `if` that tests it; a `!` is not one of these
_CONDITION_NODES = ("parenthesized_expression", "condition_clause", "binary_expression")
# Go, also custom locks: "mu.Lock()", "s.rlock()"; C++: "m.lock_shared()", "mu_.ReaderLock()", "l.try_lock()"
_LOCK_METHOD = re.compile(
    r"(?:Try|try_)?(R|W|r|w|Reader|Writer)?(?:Try)?([Ll]ock|[Uu]nlock)(_shared)?(?:_for|_until)?$"
)
# "pthread_mutex_lock(&m)", "pthread_rwlock_rdlock(&l)", "mtx_lock", "spin_lock_irqsave(&l, f)", "mutex_unlock(&m)",
# "read_lock(&l)", "down_write(&s)"; not "rcu_read_lock()", which protects only against freeing
_LOCK_FUNCTION = re.compile(
    r"(?:pthread_(?:mutex|rwlock|spin)|mtx|cnd|spin|raw_spin|mutex|read|write)"
    r"_(?P<what>(?:try|timed)?(?:rd|wr)?(?:un)?lock)(?:_\w{1,40})?$|(?P<down>down|up)_(?P<mode>read|write)$"
)
# "std::lock_guard<std::mutex> hold(mutex_);", "std::shared_lock lock{m};", "MutexLock l(&mu_);",
# "auto lock = std::unique_lock(mutex_);", "QReadLocker locker(&lock);"
_SCOPED_GUARD = re.compile(
    r"^(?:const )?(?:auto (\w{1,80}) = )?(?:\w{1,40}::){0,4}(lock_guard|unique_lock|scoped_lock"
    r"|shared_lock|MutexLock|ReaderMutexLock|WriterMutexLock|MutexGuard|AutoLock|ScopedLock|QMutexLocker"
    r"|QReadLocker|QWriteLocker)"
    r"\b(?:<[^({;]{0,200}>)?[&\s]{0,9}(\w{0,80})\s{0,9}[({]([^;]{0,200}?)[)}]"
)
_SHARED_GUARDS = ("shared_lock", "ReaderMutexLock", "QReadLocker")
# "std::unique_lock<std::mutex> l(m_, std::defer_lock);"
_DEFER_LOCK = re.compile(r"\bdefer_lock\b")
_LOCK_TAGS = re.compile(r"\b(?:adopt_lock|defer_lock|try_to_lock)\b")


class _LockOperation(NamedTuple):
    """One acquire or release of a lock."""

    position: tuple[int, int]
    name: str
    acquires: bool
    is_shared: bool
    is_deferred: bool
    block: Node | None


def locks_held_at(
    nodes: Iterable[Node], parents: ParentById, row: int, closures: list[Node], type_by_name: Mapping[str, str]
) -> tuple[tuple[HeldLock, ...], tuple[str, ...]]:
    """The locks that the function or closure around a row holds there, and those it released without acquiring them."""
    scope = closures[-1] if closures else None
    guards: dict[str, _LockOperation] = {}
    operations = [
        operation
        for node in nodes
        for operation in _lock_operations(node, parents, type_by_name, guards)
        if nearest_ancestor(node, parents, CLOSURE_NODES) == scope and _applies_to_row(operation, row)
    ]
    held_by_lock: dict[str, _LockOperation] = {}
    released: dict[str, None] = {}
    for operation in sorted(operations, key=lambda each: each.position):
        if operation.acquires:
            held_by_lock[operation.name] = operation
            released.pop(operation.name, None)
        elif operation.is_deferred or _is_locked_on_row(held_by_lock.get(operation.name), operation, row):
            continue
        elif held_by_lock.pop(operation.name, None) is None and operation.position[0] < row:
            released[operation.name] = None
    locks_held = [
        HeldLock(operation.name, operation.is_shared, operation.position[0] + 1) for operation in held_by_lock.values()
    ]
    return (*locks_held, *_once_locks(closures, parents)), tuple(released)


def _once_locks(closures: list[Node], parents: ParentById) -> Iterator[HeldLock]:
    for closure in reversed(closures):
        if (once := _once_receiver(closure, parents)) is not None:
            yield HeldLock(once, False, closure.start_point.row + 1)
        if _runs_later(closure, parents):
            return


def unmatched_releases(nodes: Iterable[Node], parents: ParentById, type_by_name: Mapping[str, str]) -> Iterator[str]:
    """The locks that a function body releases without having acquired them."""
    acquired: set[str] = set()
    guards: dict[str, _LockOperation] = {}
    for node in nodes:
        for operation in _lock_operations(node, parents, type_by_name, guards):
            if operation.acquires:
                acquired.add(operation.name)
            elif operation.name not in acquired and nearest_ancestor(node, parents, CLOSURE_NODES) is None:
                yield operation.name


def _is_locked_on_row(acquire: _LockOperation | None, release: _LockOperation, row: int) -> bool:
    """`mu.Lock(); n++; mu.Unlock()`: the rest of the row runs under the lock."""
    return acquire is not None and acquire.position[0] == release.position[0] == row


def _applies_to_row(operation: _LockOperation, row: int) -> bool:
    """Whether the operation precedes the row and its block contains the row."""
    return operation.position[0] <= row and (operation.block is None or spans_row(operation.block, row))


def _short_text(node: Node | None) -> str:
    return node_text(node, _MAX_TEXT_BYTES)


def _lock_operations(
    node: Node, parents: ParentById, type_by_name: Mapping[str, str], guards: dict[str, _LockOperation]
) -> Iterator[_LockOperation]:
    """The lock operations of a node; `guards` collects the C++ guards by name."""
    if node.type == "call_expression":
        yield from _call_operations(node, parents, type_by_name, guards)
    elif node.type == "declaration" and (match := _SCOPED_GUARD.match(_short_text(node))):
        block = nearest_ancestor(node, parents, _BLOCK_NODES)
        for name in [argument for argument in match[4].split(",") if not _LOCK_TAGS.search(argument)]:
            lock, is_shared = lock_name(name, type_by_name), match[2] in _SHARED_GUARDS
            operation = _LockOperation(node.start_point, lock, True, is_shared, False, block)
            guards[match[1] or match[3]] = operation
            if not _DEFER_LOCK.search(match[4]):
                yield operation


def _call_operations(
    node: Node, parents: ParentById, type_by_name: Mapping[str, str], guards: Mapping[str, _LockOperation]
) -> Iterator[_LockOperation]:
    callee = _short_text(node.child_by_field_name("function")).replace("->", ".")
    is_deferred = node.id in parents and parents[node.id].type == "defer_statement"
    block = nearest_ancestor(node, parents, _BLOCK_NODES)
    receiver, _, name = callee.rpartition(".")
    if receiver and (match := _LOCK_METHOD.match(name)):
        acquires = match[2].lower() == "lock"
        is_shared = (match[1] or "").lower() in ("r", "reader") or bool(match[3])
        block = (_try_lock_block(node, parents) if "ry" in name else None) or block
        if guard := guards.get(receiver):
            yield guard._replace(position=node.start_point, acquires=acquires, block=block)
        else:
            yield _LockOperation(
                node.start_point, lock_name(receiver, type_by_name), acquires, is_shared, is_deferred, block
            )
    elif not receiver and (match := _LOCK_FUNCTION.match(name)):
        verb = match["what"] or ""
        acquires = "unlock" not in verb if verb else match["down"] == "down"
        is_shared = "rd" in verb or match["mode"] == "read" or name.startswith("read_")
        first = _short_text(node.child_by_field_name("arguments"))[1:-1].partition(",")[0]
        lock = lock_name(first, type_by_name) or name.partition("_lock")[0]
        yield _LockOperation(node.start_point, lock, acquires, is_shared, is_deferred, block)


def _try_lock_block(node: Node, parents: ParentById) -> Node | None:
    """The block of `if mu.TryLock() {…}`; None for `if !mu.TryLock() { return }`."""
    inner, ancestor = node, parents.get(node.id)
    while ancestor is not None and ancestor.type in _CONDITION_NODES:
        inner, ancestor = ancestor, parents.get(ancestor.id)
    if ancestor is None or ancestor.type != "if_statement":
        return None
    body = ancestor.child_by_field_name("consequence")
    return body if ancestor.child_by_field_name("condition") == inner else None


def lock_name(name: str, type_by_name: Mapping[str, str]) -> str:
    """`Cache.mu` for `&c->mu` if `c` is a Cache."""
    name = name.strip().lstrip("&*(")
    while name.endswith(")") and name.count(")") > name.count("("):
        name = name[:-1]  # from "(*c).mu", not from "c.lock()"
    name = name.replace("->", ".").removeprefix("this.")
    base, dot, rest = name.partition(".")
    type_name = type_by_name.get(base, "")
    return f"{type_name}{dot}{rest}" if type_name else name


def _runs_later(closure: Node, parents: ParentById) -> bool:
    """Whether a closure runs later: `c.Update = func() {…}`, `go func() {…}()`."""
    ancestor = parents.get(closure.id)
    if ancestor is None or ancestor.type in _STORING_NODES:
        return ancestor is not None
    statement = parents.get(ancestor.id)
    return statement is not None and statement.type == "go_statement"


def _once_receiver(closure: Node, parents: ParentById) -> str | None:
    """`once` for a closure in `once.Do(func() {…})`."""
    arguments = parents.get(closure.id)
    call = parents.get(arguments.id) if arguments is not None else None
    if call is None or call.type != "call_expression":
        return None
    receiver, _, name = _short_text(call.child_by_field_name("function")).rpartition(".")
    return receiver if name in ("Do", "call_once") and "nce" in receiver else None


# "// Lock should be held.", "/* Called with q->mu held */", " * The caller must hold the mutex."
_COMMENT_MARKERS = ("//", "/*", "*")
_SENTENCE_END = re.compile(r"[.;](?:\s|$)")
_LOCK_WORD = re.compile(r"(?i)\b(?:\w{0,80}(?:lock|mutex|mtx)(?:s|es)?|(?:\w{1,80}(?:\.|->))?\w{0,80}mu)\b")
_HOLD_WORD = re.compile(r"(?i)\b(?:held|hold(?:s|ing)?)\b")
_REQUIRE_WORD = re.compile(
    r"(?i)\b(?:must|should|needs?|ha(?:s|ve) to|assum\w{1,9}|expect\w{0,9}|requir\w{1,9}|callers?"
    r"|called with|on entry|already)\b"
)
_NEGATION = re.compile(r"(?i)\b(?:not|never|without|no|nor|cannot)\b|n't\b")
_MAX_COMMENT_LINES, _MAX_LINE_LENGTH = 40, 400  # lines read from a comment, and their length


def comment_requires_lock(source: bytes, first_line: int) -> bool:
    """Whether the comment above a function's first line says that the caller holds the lock."""
    comment = " ".join(reversed(list(_comment_lines_upward(source, first_line))))
    return any(
        _HOLD_WORD.search(sentence)
        and _LOCK_WORD.search(sentence)
        and _REQUIRE_WORD.search(sentence)
        and not _NEGATION.search(sentence)
        for sentence in _SENTENCE_END.split(comment)
    )


def _comment_lines_upward(source: bytes, first_line: int) -> Iterator[str]:
    """The text of the comment above a line, last line first."""
    offsets = parser.line_offsets(source)
    for line in range(first_line - 1, max(0, first_line - 1 - _MAX_COMMENT_LINES), -1):
        text = source[offsets[line - 1] : offsets[line] - 1].decode("utf-8", "replace").strip()
        if not text.startswith(_COMMENT_MARKERS) or len(text) > _MAX_LINE_LENGTH:
            return
        yield text.strip("/* \t")
