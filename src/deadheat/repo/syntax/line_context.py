"""What applies at a line of a function: conditions, guards, branches, visible declarations, and locks held."""

from __future__ import annotations

import re
from bisect import bisect_left
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

from deadheat.diagnosis.facts.code_facts import Declaration, HeldLock, PathCondition
from deadheat.repo.syntax import parser
from deadheat.repo.syntax.parser import CLOSURE_NODES, ParentById, first_line, nearest_ancestor, node_text, spans_row

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tree_sitter import Node

    Assignments = dict[str, list[tuple[int, Node]]]
    from collections.abc import Mapping

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


# in which declarations are visible
_SCOPE_NODES = (
    *parser.FUNCTION_NODES, *CLOSURE_NODES, "block", "compound_statement", "if_statement", "for_statement",
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
        declarations[name] = declaration._replace(closure_depth=parser.closure_depth(node, parents))
        block_ids[name] = _scope_block(scope).id
    return declarations


def _scope_block(scope: Node) -> Node:
    """The body, if the scope is a function; else the scope itself."""
    body = scope.child_by_field_name("body") if scope.type in (*parser.FUNCTION_NODES, *CLOSURE_NODES) else None
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
                yield node, parser.defined_name(child), Declaration("local", line, type_text)
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
        if nearest_ancestor(node, parents, CLOSURE_NODES) == scope
        and operation.position[0] <= row
        and (operation.block is None or spans_row(operation.block, row))
    ]
    held_by_lock: dict[str, _LockOperation] = {}
    released: dict[str, None] = {}
    for operation in sorted(operations, key=lambda each: each.position):
        if operation.acquires:
            held_by_lock[operation.name] = operation
            released.pop(operation.name, None)
            continue
        acquire = held_by_lock.get(operation.name)
        # "mu.Lock(); n++; mu.Unlock()": the rest of the row runs under the lock
        is_locked_on_row = acquire is not None and acquire.position[0] == operation.position[0] == row
        if operation.is_deferred or is_locked_on_row:
            continue
        if held_by_lock.pop(operation.name, None) is None and operation.position[0] < row:
            released[operation.name] = None
    locks_held = [HeldLock(each.name, each.is_shared, each.position[0] + 1) for each in held_by_lock.values()]
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
            lock = lock_name(receiver, type_by_name)
            yield _LockOperation(node.start_point, lock, acquires, is_shared, is_deferred, block)
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
    sentences = [sentence for sentence in _SENTENCE_END.split(comment) if not _NEGATION.search(sentence)]
    return any(all(word.search(each) for word in (_HOLD_WORD, _LOCK_WORD, _REQUIRE_WORD)) for each in sentences)


def _comment_lines_upward(source: bytes, first_line: int) -> Iterator[str]:
    """The text of the comment above a line, last line first."""
    offsets = parser.line_offsets(source)
    for line in range(first_line - 1, max(0, first_line - 1 - _MAX_COMMENT_LINES), -1):
        text = source[offsets[line - 1] : offsets[line] - 1].decode("utf-8", "replace").strip()
        if not text.startswith(_COMMENT_MARKERS) or len(text) > _MAX_LINE_LENGTH:
            return
        yield text.strip("/* \t")
