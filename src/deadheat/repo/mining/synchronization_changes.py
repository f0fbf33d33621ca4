"""What a change does to the synchronization of code: strategies, functions, variables."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from deadheat.repo.mining.commit_changes import compute_edits

if TYPE_CHECKING:
    from deadheat.repo.mining.commit_changes import UnitEdit


def _any_pattern(*lines: bytes) -> re.Pattern[bytes]:
    return re.compile(b"|".join(lines))


_LOCK_LINE = _any_pattern(
    rb"\.(?:Try)?R?Lock\(\)",  # e.mu.Lock()
    rb"\b\w{0,20}sync\w{0,10}\.(?:RW)?Mutex\b",  # mu syncutil.RWMutex
    rb"\bsync\.(?:Map|Once\w{0,6})\b",
    rb"\b\w{0,20}[Ss]ync(?:Map|Set)\b",
    rb"\bconcurrent\w{0,4}\.Map",
    rb"\.lock\(\)",
    rb"\b(?:mutex|spin|raw_spin|read|write|rcu_read|down|pthread_mutex|pthread_rwlock)_\w{0,20}lock",
    rb"\b(?:lock_guard|unique_lock|scoped_lock|shared_lock|call_once)\b",
    rb"\bstd::\w{0,20}mutex\b",
    rb"\b(?:Mutex|RwLock|OnceLock|OnceCell)(?:<|::new)",
)
_UNLOCK_LINE = re.compile(rb"\.R?Unlock\(\)|unlock")
_ATOMIC_LINE = _any_pattern(
    rb"\b\w{0,8}atomic\w{0,6}\.\w",  # atomicutil.NewInt32(0)
    rb"\.(?:Load|Store|CompareAndSwap|CAS|Swap)\(",
    rb"\bstd::atomic|\b_Atomic\b|\b__atomic_",
    rb"\batomic(?:64)?_(?:read|set|inc|dec|add|sub|load|store|cmpxchg|xchg|fetch)\w{0,30}\(",
    rb"\b(?:READ|WRITE)_ONCE\(|\bdata_race\(",
    rb"\bsmp_(?:load|store|mb|rmb|wmb)\w{0,12}",
    rb"\bAtomic(?:Bool|Ptr|[IU](?:8|16|32|64|size))\b|\bOrdering::",
)
_COPY_LINE = _any_pattern(
    rb"\.(?:Deep|Shallow|Fast|Full)?(?:Clone|Copy)\w{0,30}\(",  # cfg.Clone()
    rb"\bcopy\(",
    rb"\b(?:Deep|Shallow)?(?:[Cc]lone|[Cc]opy)[A-Z]\w{0,30}\(",  # cloneRegion(r)
    rb"\b(?:Clone|Copy)\(",
    rb"\bappend\(\[\]\w{1,30}\(nil\)",
    rb"\[:0:0\]",
    rb"^(\w{1,60}) := \1$",  # tt := tt
    rb"^\w{1,60} :?= \*[A-Za-z_]",  # c := *config.GetGlobalConfig()
    rb"\.clone\(\)|\.to_owned\(\)",
)
# "tt := tt": a copy per iteration
_LOOP_COPY_LINE = re.compile(rb"^(\w{1,60}) := \1$")
_JOIN_LINE = _any_pattern(
    rb"\.Wait\(\)|\bWaitGroup\w{0,10}\b",
    rb"\b\w{0,20}wg\w{0,5}\.(?:Add|Done|Run|Go)\(",
    rb"^(?:case )?<-",  # <-done
    rb"\berrgroup\.",
    rb"\bclose\(\w{0,20}(?:[dD]one|[eE]xit|[fF]inish|[sS]top|[cC]lose)\w{0,10}\)",
    rb"\bmake\(chan (?:struct\{\}|bool|error)",
    rb"\.[jJ]oin\(\)|\bpthread_join\(",
    rb"\b(?:flush|cancel)_\w{0,20}(?:work|sync)\w{0,5}\(",  # cancel_work_sync(&w)
    rb"\bdel_timer_sync\(|\bsynchronize_rcu|\bkthread_stop\(",
)
# "defer rs.Close()", "cancel()", "timer.Stop()": stops a task or releases a resource
_STOP_LINE = re.compile(rb"\.(?:Close|Stop|Shutdown|Cancel|Kill|Release)\(\)|\bcancel\w{0,10}\(\)")
_PARALLEL_TEST = re.compile(rb"\bt\.Parallel\(\)")
# "se, err := createSession(store)": a new object
_NEW_OBJECT_LINE = re.compile(
    rb"^[\w, ]{1,80} :?= (?:&\w|[\w.]{0,60}\b(?:[nN]ew|[cC]reate|make|Get\w{0,20}Session)\w{0,40}\()"
)

# "err = f()", "v, err := g()"
_ASSIGNMENT = re.compile(rb"^([A-Za-z_]\w{0,60})(?:, \w{1,60})? (:?=) ")
# "startTS := txn.StartTS()": stores a value earlier
_STORED_VALUE = re.compile(rb"^\w{1,60}(?:, \w{1,60})? := ([^=]{6,200})$")
# "b.err = errors.Trace(err)", "cfg.Labels[k] = v"
_FIELD_STORE = re.compile(
    rb"^[A-Za-z_]\w{0,60}(?:\(\))?(?:(?:\.|->)\w{1,60}(?:\(\))?){0,5}(?:\.|->)([A-Za-z_]\w{0,60})"
    rb"(?:\[[^\]]{0,60}\])? (?:=|\+=|-=) "
)
# "enableEmulatorGC bool", "var counter int"
_FIELD_DECLARATION = re.compile(rb"^(?:var )?([A-Za-z_]\w{0,80}) [*\[\]\w.]{1,80}(?: =|$)")

# "e.cancelFunc", "ctx.GetSessionVars().StmtCtx", "c->db": a selector of a field that is not called
_FIELD_SELECTOR = re.compile(
    rb"(?<![\w.>])[A-Za-z_]\w{0,60}(?:\(\))?(?:(?:\.|->)[A-Za-z_]\w{0,60}(?:\(\))?){0,6}"
    rb"(?:\.|->)([A-Za-z_]\w{0,60})(?![\w(])"
)
# "callerNames[callerName]"
_INDEXED_NAME = re.compile(rb"(?<![\w.])([A-Za-z_]\w{2,60})\[")
# "atomic.AddInt32(&counter, 1)"
_ADDRESS_OF_NAME = re.compile(rb"&([A-Za-z_]\w{0,60})\b(?![.\w{(])")
# "atomic.StoreInt32(&sm.killed, 1)"
_ADDRESS_OF_FIELD = re.compile(rb"&\(?(?:[A-Za-z_]\w{0,60}(?:\.|->)){0,5}([A-Za-z_]\w{0,60})\b")
# "x.killed.Store(true)"
_ATOMIC_METHOD_CALL = re.compile(rb"([A-Za-z_]\w{0,60})\.(?:Load|Store|CompareAndSwap|CAS|Swap|Add|Inc|Dec|Toggle)\(")
_IDENTIFIER = re.compile(rb"[A-Za-z_]\w{0,60}")
_STRING_LITERAL = re.compile(rb'"[^"]{0,500}"|`[^`]{0,500}`')
# locks, errors and test helpers are not the shared variable
_NOT_A_VARIABLE = re.compile(
    rb"(?i)^(?:\w{0,20}(?:mu|mutex|lock|lk|locker|wg)|rwmutex|waitgroup|err|ctx|t|c|ok|nil|equals"
    rb"|isnil|isnotnil|istrue)$"
)
# common lines that do not count as moved
_COMMON_LINES = frozenset(
    (b"return err", b"return nil", b"return nil, err", b"} else {", b"if err != nil {",
     b"continue", b"default:", b"import (")
)  # fmt: skip

# "executor/x_test.go", "base/lock_unittest.cc", "tests/realtikvtest/…", "pkg/testkit/…"
_TEST_PATH = re.compile(
    r"_(?:unit)?tests?\.\w{1,4}$|(?:^|/)(?:\w{0,30}tests?|testkit|testutils?|testdata)/"
    r"|(?:^|/)test_\w{1,60}\.\w{1,4}$"
)

LOCK_ADDED, MADE_ATOMIC, COPY_MADE, ORDER_CHANGED = "lock-added", "made-atomic", "copy-made", "order-changed"
JOINED_BEFORE_TEARDOWN, SHARING_REMOVED, TEST_ONLY = "joined-before-teardown", "removed-sharing", "test-only"
DEPENDENCY_UPDATED, OTHER_STRATEGY = "dependency-updated", "other"

_MIN_LINE_LENGTH, _MAX_OLD_BYTES, _MAX_NEW_LINES = 10, 1 << 16, 2_000
_MAX_GUARDED_LINES, _MAX_SECONDARY_POINTS = 12, 3
_MAX_NAMES = 16


@dataclass(slots=True)
class SynchronizationChanges:
    """What a commit changes, summed over its files."""

    files: list[str] = field(default_factory=list)
    functions: Counter[str] = field(default_factory=Counter)
    types: Counter[str] = field(default_factory=Counter)
    variables: Counter[str] = field(default_factory=Counter)
    points: Counter[str] = field(default_factory=Counter)  # by strategy
    line_count: int = 0
    product_lines: int = 0  # lines outside of tests
    new_product_lines: int = 0  # lines of new functions and types outside of tests
    atomic_conversions: int = 0  # variables that became atomic
    loop_copies: int = 0  # loop variables that are copied per iteration now
    added_lines: list[bytes] = field(default_factory=list)  # added lines of existing functions
    removed_lines: list[bytes] = field(default_factory=list)

    @property
    def strategies(self) -> list[str]:
        """Strategies with points, the main one first."""
        return [name for name, points in self.points.most_common() if points > 0]

    @property
    def synchronization_points(self) -> int:
        """Points for clear synchronization."""
        atomics = self.points[MADE_ATOMIC] if self.atomic_conversions else 0
        return max(self.points[LOCK_ADDED], atomics, self.points[JOINED_BEFORE_TEARDOWN], 0)

    @property
    def size(self) -> int:
        """Changed lines, without those of tests unless there are no others."""
        return self.product_lines or self.line_count


def is_test_path(path: str) -> bool:
    return _TEST_PATH.search(path) is not None


def add_file_changes(changes: SynchronizationChanges, path: str, old_source: bytes, new_source: bytes) -> None:
    edits = compute_edits(path, old_source, new_source)
    in_test = is_test_path(path)
    changes.files += [path] if edits else []
    for edit in edits:
        size = len(edit.added_indexes) + len(edit.removed_lines)
        product_size = 0 if in_test else size
        changes.line_count += size
        changes.product_lines += product_size
        if len(edit.added_indexes) == len(edit.after):
            changes.new_product_lines += product_size
        if edit.unit.name:
            names_by_kind = changes.types if edit.unit.is_type else changes.functions
            names_by_kind[edit.unit.name] += 1 + product_size
        owner = edit.unit.name.rpartition(".")[0].strip("(*)")
        if owner and not edit.unit.is_type:
            changes.types[owner] += 1
        _add_strategy_points(changes, edit, in_test)
        _count_variables(changes, edit)


def _add_strategy_points(changes: SynchronizationChanges, edit: UnitEdit, in_test: bool) -> None:
    """Adds points for each strategy: what was added minus what was removed. New code does not order existing code."""
    added, removed = edit.added_lines, edit.removed_lines
    is_new = len(added) == len(edit.after)
    if is_new and in_test:
        return
    points = changes.points
    for name, pattern, weight in (
        (LOCK_ADDED, _LOCK_LINE, 4),
        (MADE_ATOMIC, _ATOMIC_LINE, 3),
        (COPY_MADE, _COPY_LINE, 3),
        (JOINED_BEFORE_TEARDOWN, _JOIN_LINE, 3),
        (JOINED_BEFORE_TEARDOWN, _STOP_LINE, 1),
        (SHARING_REMOVED, _NEW_OBJECT_LINE, 1),
    ):
        if not is_new or name in (LOCK_ADDED, MADE_ATOMIC):
            points[name] += weight * (_count_matches(pattern, added) - _count_matches(pattern, removed))
    if any(_LOCK_LINE.search(line) or _UNLOCK_LINE.search(line) for line in edit.moved_lines):
        points[LOCK_ADDED] += 2  # an existing lock covers more code
    serialized_tests = _count_matches(_PARALLEL_TEST, removed) - _count_matches(_PARALLEL_TEST, added)
    points[SHARING_REMOVED] += 3 * (serialized_tests + len(_localized_variables(added, removed)))
    if edit.unit.is_type or not edit.unit.name:
        points[SHARING_REMOVED] += 2 * len(_declared_names(removed) - _declared_names(added))
    if not is_new:
        changes.added_lines += added
        changes.loop_copies += _count_matches(_LOOP_COPY_LINE, added)
    changes.removed_lines += removed


def add_overall_points(changes: SynchronizationChanges) -> None:
    """Adds points that depend on all files of the commit."""
    added, removed = set(changes.added_lines), set(changes.removed_lines)
    points = changes.points
    distinctive = [line for line in added if len(line) >= _MIN_LINE_LENGTH and line not in _COMMON_LINES]
    points[ORDER_CHANGED] += min(sum(line.removeprefix(b"defer ") in removed for line in distinctive), 3)
    removed_text = b"\n".join(removed)[:_MAX_OLD_BYTES]
    added_only = [line for line in changes.added_lines[:_MAX_NEW_LINES] if line not in removed]
    points[COPY_MADE] += 2 * sum(_is_stored_value(line, removed_text) for line in added_only)
    old_stores, new_stores = ({m[1] for line in each if (m := _FIELD_STORE.match(line))} for each in (removed, added))
    points[SHARING_REMOVED] += 2 * len(old_stores - new_stores)
    atomic = {name for line in added if _ATOMIC_LINE.search(line) for name in _atomic_variables(line)}
    non_atomic = {name for line in removed if not _ATOMIC_LINE.search(line) for name in _IDENTIFIER.findall(line)}
    changes.atomic_conversions = len(atomic & non_atomic)
    if len(changes.removed_lines) > 3 * len(changes.added_lines):
        points[SHARING_REMOVED] += 1  # code was removed
    if max(points[LOCK_ADDED], points[MADE_ATOMIC] if changes.atomic_conversions else 0) > _MAX_SECONDARY_POINTS:
        for strategy in (COPY_MADE, ORDER_CHANGED, SHARING_REMOVED):  # other changes support the lock
            points[strategy] = min(points[strategy], _MAX_SECONDARY_POINTS)


def _is_stored_value(line: bytes, removed_text: bytes) -> bool:
    """Whether the line stores a value that was computed elsewhere before; new objects do not count."""
    match = _STORED_VALUE.match(line)
    return match is not None and match[1] in removed_text and not _NEW_OBJECT_LINE.match(line)


def _atomic_variables(line: bytes) -> list[bytes]:
    """The variables of `atomic.StoreInt32(&sm.killed, 1)`, `x.Load()`, `killed atomic.Bool`."""
    declared = _FIELD_DECLARATION.match(line)
    return [*_ATOMIC_METHOD_CALL.findall(line), *_ADDRESS_OF_FIELD.findall(line), *([declared[1]] if declared else [])]


def _count_matches(pattern: re.Pattern[bytes], lines: list[bytes]) -> int:
    return sum(bool(pattern.search(line)) for line in lines)


def _localized_variables(added: list[bytes], removed: list[bytes]) -> set[bytes]:
    """Variables that were assigned and are now declared locally: `err = …`, `err := …`."""
    shared = {m[1] for line in removed if (m := _ASSIGNMENT.match(line)) and m[2] == b"="}
    local = {m[1] for line in added if (m := _ASSIGNMENT.match(line)) and m[2] == b":="}
    return shared & local


def _declared_names(lines: list[bytes]) -> set[bytes]:
    return {m[1] for line in lines if (m := _FIELD_DECLARATION.match(line))}


def _count_variables(changes: SynchronizationChanges, edit: UnitEdit) -> None:
    """Counts the variables of the change; those under a new lock or made atomic count most."""
    for line_with_strings in edit.added_lines + edit.removed_lines:
        line = _STRING_LITERAL.sub(b'""', line_with_strings)
        _count_names(changes, _FIELD_SELECTOR.findall(line) + _INDEXED_NAME.findall(line), 1)
        if _ATOMIC_LINE.search(line):
            _count_names(changes, _ATOMIC_METHOD_CALL.findall(line) + _ADDRESS_OF_NAME.findall(line), 3)
    if edit.unit.is_type or not edit.unit.name:
        retyped = _declared_names(edit.added_lines) & _declared_names(edit.removed_lines)  # changed types
        _count_names(changes, retyped, 4)
    for index in edit.added_indexes:
        if _LOCK_LINE.search(edit.after[index]):
            for line in edit.after[index + 1 : index + _MAX_GUARDED_LINES]:
                if not _UNLOCK_LINE.search(line):
                    _count_names(changes, _FIELD_SELECTOR.findall(line) + _INDEXED_NAME.findall(line), 2)
                elif not line.startswith(b"defer"):
                    break


def _count_names(changes: SynchronizationChanges, names: list[bytes] | set[bytes], weight: int) -> None:
    for name in names:
        if len(name) > 1 and not _NOT_A_VARIABLE.match(name):
            changes.variables[name.decode("utf-8", "replace")] += weight


def top_names(counted: Counter[str], preferred: set[str]) -> list[str]:
    """The most frequent names, those in the message first."""
    ranked = sorted(counted, key=lambda n: (n not in preferred, -counted[n], n))
    return ranked[:_MAX_NAMES]
