"""What a change does to the synchronisation of the code: by which strategy, in which functions."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from deadheat.code.mining.units import edits

if TYPE_CHECKING:
    from deadheat.code.mining.units import Edit

LOCK, ATOMIC, COPY, ORDER = "lock-added", "made-atomic", "copy-made", "order-changed"
JOIN, UNSHARED, TEST = "joined-before-teardown", "removed-sharing", "test-only"
DEPENDENCY, OTHER = "dependency-updated", "other"

# "e.mu.Lock()", "mu sync.RWMutex", "var m sync.Map", "spin_lock_irqsave(", "std::lock_guard<…>"
_LOCKS = re.compile(
    rb"\.(?:Try)?R?Lock\(\)|\b\w{0,20}sync\w{0,10}\.(?:RW)?Mutex\b|\bsync\.(?:Map|Once\w{0,6})\b"
    rb"|\.lock\(\)|\b(?:mutex|spin|raw_spin|read|write|rcu_read|down|pthread_mutex|pthread_rwlock)_\w{0,20}lock"
    rb"|\b(?:lock_guard|unique_lock|scoped_lock|shared_lock|call_once)\b|\bstd::\w{0,20}mutex\b"
    rb"|\b(?:Mutex|RwLock|OnceLock|OnceCell)(?:<|::new)|\b\w{0,20}[Ss]ync(?:Map|Set)\b|\bconcurrent\w{0,4}\.Map"
)
# "atomic.LoadInt32(&x)", "x.Load()", "n atomic.Int64", "std::atomic<int>", "WRITE_ONCE(p->x, 1)"
_ATOMICS = re.compile(
    rb"\b\w{0,8}atomic\w{0,6}\.\w|\.(?:Load|Store|CompareAndSwap|CAS|Swap)\(|\bstd::atomic|\b_Atomic\b|\b__atomic_"
    rb"|\batomic(?:64)?_(?:read|set|inc|dec|add|sub|load|store|cmpxchg|xchg|fetch)\w{0,30}\("
    rb"|\b(?:READ|WRITE)_ONCE\(|\bdata_race\(|\bsmp_(?:load|store|mb|rmb|wmb)\w{0,12}"
    rb"|\bAtomic(?:Bool|Ptr|[IU](?:8|16|32|64|size))\b|\bOrdering::"
)
# "c := cfg.Clone()", "copy(b, a)", "maps.Clone(m)", "append([]int(nil), a...)", "tt := tt"
_COPIES = re.compile(
    rb"\.(?:Deep|Shallow|Fast|Full)?(?:Clone|Copy)\w{0,30}\(|\bcopy\(|\b(?:Deep|Shallow)?(?:[Cc]lone|[Cc]opy)[A-Z]\w{0,30}\("
    rb"|\b(?:Clone|Copy)\(|\bappend\(\[\]\w{1,30}\(nil\)|\[:0:0\]|\.clone\(\)|^(\w{1,60}) := \1$|\.to_owned\(\)"
    rb"|^\w{1,60} :?= \*[A-Za-z_]"
)
_SHADOW = re.compile(rb"^(\w{1,60}) := \1$")
# "wg.Wait()", "<-done", "wg sync.WaitGroup", "pthread_join(", "cancel_work_sync("
_JOINS = re.compile(
    rb"\.Wait\(\)|\bWaitGroup\w{0,10}\b|\b\w{0,20}wg\w{0,5}\.(?:Add|Done|Run|Go)\(|^(?:case )?<-|\berrgroup\."
    rb"|\.[jJ]oin\(\)|\bpthread_join\(|\b(?:flush|cancel)_\w{0,20}(?:work|sync)\w{0,5}\(|\bdel_timer_sync\("
    rb"|\bsynchronize_rcu|\bkthread_stop\(|\bclose\(\w{0,20}(?:[dD]one|[eE]xit|[fF]inish|[sS]top|[cC]lose)\w{0,10}\)"
    rb"|\bmake\(chan (?:struct\{\}|bool|error)"
)
# "defer rs.Close()", "cancel()", "timer.Stop()": ends something that would go on
_ENDS = re.compile(rb"\.(?:Close|Stop|Shutdown|Cancel|Kill|Release)\(\)|\bcancel\w{0,10}\(\)")
_SERIAL = re.compile(rb"\bt\.Parallel\(\)")
_ASSIGNED = re.compile(rb"^([A-Za-z_]\w{0,60})(?:, \w{1,60})? (:?=) ")
# "tk2 := testkit.NewTestKit(t, store)", "se, err := createSession(store)": one of its own
_OWN = re.compile(rb"^[\w, ]{1,80} :?= (?:&\w|[\w.]{0,60}\b(?:[nN]ew|[cC]reate|make|Get\w{0,20}Session)\w{0,40}\()")
# "enableEmulatorGC bool", "var counter int"
_FIELD = re.compile(rb"^(?:var )?([A-Za-z_]\w{0,80}) [*\[\]\w.]{1,80}(?: =|$)")
# "e.cancelFunc", "ctx.GetSessionVars().StmtCtx": the way to a field, that is not called itself
_CHAIN = re.compile(rb"(?<![\w.])[A-Za-z_]\w{0,60}(?:\(\))?(?:\.[A-Za-z_]\w{0,60}(?:\(\))?){0,6}\.([A-Za-z_]\w{0,60})(?![\w(])")
# "callerNames[callerName]"
_ELEMENT = re.compile(rb"(?<![\w.])([A-Za-z_]\w{2,60})\[")
_TAKEN = re.compile(rb"&([A-Za-z_]\w{0,60})\b(?![.\w{(])")
_ADDRESSED = re.compile(rb"&\(?(?:[A-Za-z_]\w{0,60}\.){0,5}([A-Za-z_]\w{0,60})\b")
_WORD = re.compile(rb"[A-Za-z_]\w{0,60}")
_TEXT = re.compile(rb'"[^"]{0,500}"|`[^`]{0,500}`')
_UNLOCK = re.compile(rb"\.R?Unlock\(\)|unlock")
_NO_VARIABLE = re.compile(rb"(?i)^(?:\w{0,20}(?:mu|mutex|lock|lk|locker|wg)|rwmutex|waitgroup|err|ctx|t|c|ok|nil|equals|isnil|isnotnil|istrue)$")
_CALLED_ATOMIC = re.compile(rb"([A-Za-z_]\w{0,60})\.(?:Load|Store|CompareAndSwap|CAS|Swap|Add|Inc|Dec|Toggle)\(")
# "executor/x_test.go", "tests/realtikvtest/…", "pkg/testkit/…"
_TEST_PATH = re.compile(r"_test\.\w{1,4}$|(?:^|/)(?:\w{0,30}tests?|testkit|testutils?|testdata|\w{0,20}selftests?)/|(?:^|/)test_\w{1,60}\.\w{1,4}$")
# "startTS := txn.StartTS()": what was asked for later, asked for before
_TAKEN_BEFORE = re.compile(rb"^\w{1,60}(?:, \w{1,60})? := ([^=]{6,200})$")
# "b.err = errors.Trace(err)", "cfg.Labels[k] = v"
_STORED = re.compile(rb"^[A-Za-z_]\w{0,60}(?:\(\))?(?:\.\w{1,60}(?:\(\))?){0,5}\.([A-Za-z_]\w{0,60})(?:\[[^\]]{0,60}\])? (?:=|\+=|-=) ")
_PLAIN = frozenset((b"return err", b"return nil", b"return nil, err", b"} else {", b"if err != nil {", b"continue", b"default:", b"import ("))
_TELLING, _MOST_TEXT = 10, 1 << 18
_GUARDED, _ASIDE = 12, 3
_MOST = 16


@dataclass(slots=True)
class Deeds:
    """What a commit does, added up over its files."""

    files: list[str] = field(default_factory=list)
    functions: Counter[str] = field(default_factory=Counter)
    types: Counter[str] = field(default_factory=Counter)
    variables: Counter[str] = field(default_factory=Counter)
    points: Counter[str] = field(default_factory=Counter)  # by strategy
    lines: int = 0
    product: int = 0  # lines that are not those of tests
    brought: int = 0  # lines of functions and types of the product that were not there before
    converted: int = 0  # variables that were used plainly and are used atomically now
    captured: int = 0  # variables of a loop of which each turn has its own now
    new: list[bytes] = field(default_factory=list)  # lines of functions that were there before
    gone: list[bytes] = field(default_factory=list)

    @property
    def strategies(self) -> list[str]:
        """By what they are worth, the chief one first."""
        return [name for name, points in self.points.most_common() if points > 0]

    @property
    def synchronises(self) -> int:
        """How much of it is plainly synchronisation."""
        atomics = self.points[ATOMIC] if self.converted else 0
        return max(self.points[LOCK], atomics, self.points[JOIN], 0)

    @property
    def size(self) -> int:
        """Lines, but for those of tests that come with it."""
        return self.product or self.lines

    @property
    def is_new(self) -> bool:
        """Is most of it code that was not there before?"""
        return self.brought * 2 > self.size


def is_test(path: str) -> bool:
    return _TEST_PATH.search(path) is not None


def take(deeds: Deeds, path: str, old: bytes, new: bytes) -> None:
    """Adds what a commit does to one file."""
    found = edits(path, old, new)
    if not found:
        return
    deeds.files.append(path)
    for edit in found:
        size = len(edit.added) + len(edit.removed)
        deeds.lines += size
        deeds.product += 0 if is_test(path) else size
        if len(edit.added) == len(edit.after) and not is_test(path):
            deeds.brought += size
        if edit.unit.name:
            named = deeds.types if edit.unit.is_type else deeds.functions
            named[edit.unit.name] += 1 if is_test(path) else 1 + size
        owner = edit.unit.name.rpartition(".")[0].strip("(*)")
        if owner and not edit.unit.is_type:
            deeds.types[owner] += 1
        _weigh(deeds, edit, is_test(path))
        _name(deeds, edit)


def _weigh(deeds: Deeds, edit: Edit, in_test: bool) -> None:
    """Each strategy's points: what was added of it beyond what was taken away.

    New code that has locks of its own orders nothing that was there before.
    """
    new, gone = edit.new, edit.removed
    is_new = len(new) == len(edit.after)
    if is_new and in_test:
        return
    points = deeds.points
    for name, pattern, worth in (
        (LOCK, _LOCKS, 4),
        (ATOMIC, _ATOMICS, 3),
        (COPY, _COPIES, 3),
        (JOIN, _JOINS, 3),
        (JOIN, _ENDS, 1),
        (UNSHARED, _OWN, 1),
    ):
        more = sum(bool(pattern.search(line)) for line in new)
        less = sum(bool(pattern.search(line)) for line in gone)
        if not is_new or name in (LOCK, ATOMIC):
            points[name] += worth * (more - less)
    if any(_LOCKS.search(line) or _UNLOCK.search(line) for line in edit.moved):
        points[LOCK] += 2  # the same lock around more
    points[UNSHARED] += 3 * (_parallel(gone) - _parallel(new) + len(_kept_to_oneself(new, gone)))
    if edit.unit.is_type or not edit.unit.name:
        points[UNSHARED] += 2 * max(0, len(_declared(gone) - _declared(new)))
    if not is_new:
        deeds.new += new
        deeds.captured += sum(bool(_SHADOW.match(line)) for line in new)
    deeds.gone += gone


def conclude(deeds: Deeds) -> None:
    """What can only be told when all files have been seen."""
    new, gone = set(deeds.new), set(deeds.gone)
    moved = sum(_settled(line) in gone for line in new if len(line) >= _TELLING and line not in _PLAIN)
    deeds.points[ORDER] += min(moved, 3)
    old = b"\n".join(gone)[:_MOST_TEXT]
    deeds.points[COPY] += 2 * sum(_is_taken(line, old) for line in new - gone)
    written = {m[1] for line in gone if (m := _STORED.match(line))}
    deeds.points[UNSHARED] += 2 * len(written - {m[1] for line in new if (m := _STORED.match(line))})
    atomic = {name for line in new if _ATOMICS.search(line) for name in _atomics(line)}
    plain = {name for line in gone if not _ATOMICS.search(line) for name in _WORD.findall(line)}
    deeds.converted = len(atomic & plain)
    if len(deeds.gone) > 3 * len(deeds.new):
        deeds.points[UNSHARED] += 1  # something is simply not done any more
    if max(deeds.points[LOCK], deeds.points[ATOMIC] if deeds.converted else 0) > _ASIDE:
        for way in (COPY, ORDER, UNSHARED):  # what else changes is there for the guard
            deeds.points[way] = min(deeds.points[way], _ASIDE)


def _is_taken(line: bytes, old: bytes) -> bool:
    """Is it a value that was asked for elsewhere before? One that is made is no copy."""
    told = _TAKEN_BEFORE.match(line)
    return told is not None and told[1] in old and not _OWN.match(line)


def _atomics(line: bytes) -> list[bytes]:
    """The variables of `atomic.StoreInt32(&sm.killed, 1)`, `x.Load()`, `killed atomic.Bool`."""
    declared = _FIELD.match(line)
    return [
        *_CALLED_ATOMIC.findall(line),
        *_ADDRESSED.findall(line),
        *([declared[1]] if declared else []),
    ]


def _settled(line: bytes) -> bytes:
    """`defer f()` is `f()`, later."""
    return line.removeprefix(b"defer ")


def _parallel(lines: list[bytes]) -> int:
    return sum(bool(_SERIAL.search(line)) for line in lines)


def _kept_to_oneself(new: list[bytes], gone: list[bytes]) -> set[bytes]:
    """Variables that were assigned and are declared where they are used now: `err = …`, `err := …`."""
    shared = {m[1] for line in gone if (m := _ASSIGNED.match(line)) and m[2] == b"="}
    own = {m[1] for line in new if (m := _ASSIGNED.match(line)) and m[2] == b":="}
    return shared & own


def _declared(lines: list[bytes]) -> set[bytes]:
    return {m[1] for line in lines if (m := _FIELD.match(line))}


def _name(deeds: Deeds, edit: Edit) -> None:
    """The variables that the change is about; those under a new lock or made atomic count most."""
    for line in map(_unquoted, edit.new + edit.removed):
        _count(deeds, _CHAIN.findall(line) + _ELEMENT.findall(line), 1)
        if _ATOMICS.search(line):
            _count(deeds, _CALLED_ATOMIC.findall(line) + _TAKEN.findall(line), 3)
    if edit.unit.is_type or not edit.unit.name:
        both = _declared(edit.new) & _declared(edit.removed)  # of another type now
        _count(deeds, both, 4)
    for at in edit.added:
        if _LOCKS.search(edit.after[at]):
            for line in edit.after[at + 1 : at + _GUARDED]:
                if _UNLOCK.search(line):
                    if line.startswith(b"defer"):
                        continue
                    break
                _count(deeds, _CHAIN.findall(line) + _ELEMENT.findall(line), 2)


def _unquoted(line: bytes) -> bytes:
    """An import or a message is no variable."""
    return _TEXT.sub(b'""', line)


def _count(deeds: Deeds, names: list[bytes] | set[bytes], worth: int) -> None:
    for name in names:
        if len(name) > 1 and not _NO_VARIABLE.match(name):
            deeds.variables[name.decode("utf-8", "replace")] += worth


def most(counted: Counter[str], first: set[str]) -> list[str]:
    """The names that matter most, those that the message names before all others."""
    named = sorted(counted, key=lambda n: (n not in first, -counted[n], n))
    return named[:_MOST]
