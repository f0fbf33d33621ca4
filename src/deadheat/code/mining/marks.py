"""Patterns of lines that synchronize, in Go, C, C++ and Rust."""

from __future__ import annotations

import re


def _any(*lines: bytes) -> re.Pattern[bytes]:
    return re.compile(b"|".join(lines))


LOCKS = _any(
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
UNLOCK = re.compile(rb"\.R?Unlock\(\)|unlock")
ATOMICS = _any(
    rb"\b\w{0,8}atomic\w{0,6}\.\w",  # atomicutil.NewInt32(0)
    rb"\.(?:Load|Store|CompareAndSwap|CAS|Swap)\(",
    rb"\bstd::atomic|\b_Atomic\b|\b__atomic_",
    rb"\batomic(?:64)?_(?:read|set|inc|dec|add|sub|load|store|cmpxchg|xchg|fetch)\w{0,30}\(",
    rb"\b(?:READ|WRITE)_ONCE\(|\bdata_race\(",
    rb"\bsmp_(?:load|store|mb|rmb|wmb)\w{0,12}",
    rb"\bAtomic(?:Bool|Ptr|[IU](?:8|16|32|64|size))\b|\bOrdering::",
)
COPIES = _any(
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
SHADOW = re.compile(rb"^(\w{1,60}) := \1$")
JOINS = _any(
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
ENDS = re.compile(rb"\.(?:Close|Stop|Shutdown|Cancel|Kill|Release)\(\)|\bcancel\w{0,10}\(\)")
SERIAL = re.compile(rb"\bt\.Parallel\(\)")
# "se, err := createSession(store)": a new object
OWN = re.compile(
    rb"^[\w, ]{1,80} :?= (?:&\w|[\w.]{0,60}\b(?:[nN]ew|[cC]reate|make|Get\w{0,20}Session)\w{0,40}\()"
)

# "err = f()", "v, err := g()"
ASSIGNED = re.compile(rb"^([A-Za-z_]\w{0,60})(?:, \w{1,60})? (:?=) ")
# "startTS := txn.StartTS()": stores a value earlier
TAKEN_BEFORE = re.compile(rb"^\w{1,60}(?:, \w{1,60})? := ([^=]{6,200})$")
# "b.err = errors.Trace(err)", "cfg.Labels[k] = v"
STORED = re.compile(
    rb"^[A-Za-z_]\w{0,60}(?:\(\))?(?:(?:\.|->)\w{1,60}(?:\(\))?){0,5}(?:\.|->)([A-Za-z_]\w{0,60})"
    rb"(?:\[[^\]]{0,60}\])? (?:=|\+=|-=) "
)
# "enableEmulatorGC bool", "var counter int"
FIELD = re.compile(rb"^(?:var )?([A-Za-z_]\w{0,80}) [*\[\]\w.]{1,80}(?: =|$)")

# "e.cancelFunc", "ctx.GetSessionVars().StmtCtx", "c->db": a selector of a field that is not called
CHAIN = re.compile(
    rb"(?<![\w.>])[A-Za-z_]\w{0,60}(?:\(\))?(?:(?:\.|->)[A-Za-z_]\w{0,60}(?:\(\))?){0,6}"
    rb"(?:\.|->)([A-Za-z_]\w{0,60})(?![\w(])"
)
# "callerNames[callerName]"
ELEMENT = re.compile(rb"(?<![\w.])([A-Za-z_]\w{2,60})\[")
# "atomic.AddInt32(&counter, 1)"
TAKEN = re.compile(rb"&([A-Za-z_]\w{0,60})\b(?![.\w{(])")
# "atomic.StoreInt32(&sm.killed, 1)"
ADDRESSED = re.compile(rb"&\(?(?:[A-Za-z_]\w{0,60}(?:\.|->)){0,5}([A-Za-z_]\w{0,60})\b")
# "x.killed.Store(true)"
CALLED_ATOMIC = re.compile(
    rb"([A-Za-z_]\w{0,60})\.(?:Load|Store|CompareAndSwap|CAS|Swap|Add|Inc|Dec|Toggle)\("
)
WORD = re.compile(rb"[A-Za-z_]\w{0,60}")
TEXT = re.compile(rb'"[^"]{0,500}"|`[^`]{0,500}`')
# locks, errors and test helpers are not the shared variable
NO_VARIABLE = re.compile(
    rb"(?i)^(?:\w{0,20}(?:mu|mutex|lock|lk|locker|wg)|rwmutex|waitgroup|err|ctx|t|c|ok|nil|equals"
    rb"|isnil|isnotnil|istrue)$"
)
# common lines that do not count as moved
PLAIN = frozenset(
    (b"return err", b"return nil", b"return nil, err", b"} else {", b"if err != nil {",
     b"continue", b"default:", b"import (")
)  # fmt: skip

# "executor/x_test.go", "base/lock_unittest.cc", "tests/realtikvtest/…", "pkg/testkit/…"
TEST_PATH = re.compile(
    r"_(?:unit)?tests?\.\w{1,4}$|(?:^|/)(?:\w{0,30}tests?|testkit|testutils?|testdata)/"
    r"|(?:^|/)test_\w{1,60}\.\w{1,4}$"
)
