"""Atomic accesses, wait groups and channels: races on synchronization itself."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from deadheat.diagnosis.facts import addresses
from deadheat.diagnosis.facts.containers import unsafe_type_of

if TYPE_CHECKING:
    from deadheat.diagnosis.race_side import RaceSide

# "sync/atomic.AddInt64" is the function "atomic.AddInt64"
_ATOMIC_FUNCTION = re.compile(r"^(?:sync/)?atomic\.|^std::(?:__)?atomic|__atomic_|core::sync::atomic")
# "atomic.LoadInt64(&s.n)", "__atomic_load_n(&n, …)", "READ_ONCE(x->state)", "atomic_inc(&c)", "x.store(1,
# Ordering::Release)", "atomic_fetch_add_explicit(&n, 1, …)", "n.load(std::memory_order_acquire)"
_ATOMIC_CODE = re.compile(
    r"\batomic\.(?:Add|Load|Store|Swap|CompareAndSwap|And|Or)\w*\(&|\b__(?:atomic|sync)_\w+\(&"
    r"|\b(?:READ_ONCE|WRITE_ONCE|smp_load_acquire|smp_store_release|rcu_dereference|rcu_assign_pointer"
    r"|cmpxchg|xchg|atomic\w{0,60}_(?:read|set|inc|dec|add|sub|load|store|exchange|fetch|compare)\w{0,60})\("
    r"|\.(?:load|store|exchange|fetch_\w{1,9}|compare_exchange_\w{1,9})\([^;]{0,100}(?:memory_order|Ordering::)"
    r"|\batomic_ref\b"
)
# "t.mu.Lock()", "defer c.mu.RUnlock()"
_LOCK_CALL = re.compile(r"\.(?:Try)?R?(?:Lock|Unlock)\b")
# "sync.(*RWMutex).Lock", "pthread_mutex_lock", "pthread_cond_wait", "sem_post": accesses inside belong to them
_SYNC_FUNCTION = re.compile(
    r"^sync\.\(\*(?:RW)?Mutex\)\."
    r"|^(?:_{2,3}interceptor_)?(?:pthread_(?:mutex|cond|rwlock|spin|barrier)|sem|mtx|cnd)_[a-z]{1,20}$"
)
# "__tsan_atomic32_fetch_sub", "std::__atomic_base<int>::operator--(int)", "std::atomic<bool>::exchange"
_RELEASING_FUNCTION = re.compile(r"atomic.{0,200}(?:fetch_sub|sub_fetch|(?<!compare_)exchange|operator--)")
# "refs_.fetch_sub(1, std::memory_order_relaxed)", "__atomic_sub_fetch(&r, 1, __ATOMIC_RELEASE)"
_RELEASING_CODE = re.compile(r"fetch_sub|sub_fetch|sub_and_fetch|fetch_and_sub|(?<!compare_)exchange|--")
_WEAK_MEMORY_ORDER = re.compile(r"memory_order(?:_|::)(?:relaxed|release)\b|__ATOMIC_REL(?:AXED|EASE)\b")
# what Go's locks call; if they are inlined, only this frame remains
_LOCK_SWAP = "atomic.CompareAndSwapInt32"  # how a lock is taken
_ATOMICS_IN_LOCKS = (_LOCK_SWAP, "atomic.AddInt32")
# "s.hits.Add(1)", "p.cur.Load()"
_ATOMIC_METHOD = re.compile(r"\.(?:Add|Load|Store|Swap|CompareAndSwap|And|Or)\(")
_MAX_CALLS_FOLLOWED = 4  # calls on a line that are followed


def belongs_to_lock(side: RaceSide) -> bool:
    """Is it atomic only because a lock is acquired or released there?"""
    if side.library_frame_matching(_SYNC_FUNCTION) is not None:
        return True
    here, site = side.site_facts, side.site
    if site is None or not any(f.function in _ATOMICS_IN_LOCKS for f in side.library_frames):
        return False
    if addresses.is_upper_half_word(side.context):
        return False
    if here is None:
        # `defer mu.Unlock()` runs while a function returns, counters rarely do
        is_deferred = side.library_frames[-1].function == "runtime.deferreturn"
        return is_deferred or any(f.function == _LOCK_SWAP for f in side.library_frames)
    if _ATOMIC_CODE.search(here.text) or _ATOMIC_METHOD.search(here.text):
        return False
    if _LOCK_CALL.search(here.text):
        return True
    # the frame of a function that this line calls is missing, too
    calls = [c for c in here.calls if c.line == here.line and c.name not in here.declarations]
    callees = [side.context.find_function(c.name, site) for c in calls[:_MAX_CALLS_FOLLOWED]]
    if any(callee and any(c.target == "atomic" for c in callee.calls) for callee in callees):
        return False
    return any(callee is None or any(_LOCK_CALL.match(f".{c.name}") for c in callee.calls) for callee in callees)


def releases_without_ordering(side: RaceSide) -> bool:
    """Does it release a reference without ordering earlier accesses: `refs_.fetch_sub(1, relaxed)`?"""
    if not is_atomic(side) or belongs_to_lock(side) or not side.writes:
        return False
    if side.site_facts is None:
        return side.library_frame_matching(_RELEASING_FUNCTION) is not None
    text = side.site_facts.text
    return bool(_RELEASING_CODE.search(text) and _WEAK_MEMORY_ORDER.search(text))


def is_reported_atomic(side: RaceSide) -> bool:
    """Does the report itself show an atomic access?"""
    if any(unsafe_type_of(f.function) for f in side.library_frames):
        return False  # a reference count inside a library type
    return side.atomic or side.library_frame_matching(_ATOMIC_FUNCTION) is not None


def is_atomic(side: RaceSide, name: str = "") -> bool:
    """Is it atomic according to the report or the line? `name` is the variable, if known."""
    if is_reported_atomic(side):
        return True
    text = side.site_facts.text if side.site_facts else ""
    return any(_is_atomic_on(name, text, match) for match in _ATOMIC_CODE.finditer(text))


def _is_atomic_on(name: str, text: str, match: re.Match[str]) -> bool:
    """`while (!__atomic_load_n(&p->quit, …)) p->turns++;` is atomic only for `quit`."""
    pattern = re.compile(rf"\b{re.escape(name)}\b")
    if not name or not pattern.search(text):
        return True
    end = re.compile(r"[,);]").search(text, match.end())
    begin = 0 if match[0].startswith(".") else match.start()
    return pattern.search(text, begin, end.start() if end else len(text)) is not None


# "runtime.recvDirect": on some systems the name of code inlined into closechan
_CLOSE_FUNCTIONS = ("runtime.closechan", "runtime.recvDirect")
# "close(q.out)": a line with nothing else writes only the channel
_CLOSE_STATEMENT = re.compile(r"(?:defer )?close\([\w.]{1,200}\)\s{0,9}(?://.*)?$")
# "runtime.chansend1", "runtime.selectnbsend"
_SEND_FUNCTION = re.compile(r"^runtime\.(?:chansend|selectnbsend|selectgo|racereadpc|raceReadObjectPC)")
# "out <- x", "case q.out <- x:"
_SEND_STATEMENT = re.compile(r"[\w\])]\s*<-\s*\S")


def closes_channel(side: RaceSide) -> bool:
    """Does it close a channel: by a frame, or because its line does nothing else?"""
    if side.frame_ending_with(*_CLOSE_FUNCTIONS):
        return True
    here = side.site_facts if side.writes and not side.library_frames else None
    return here is not None and _CLOSE_STATEMENT.match(here.text) is not None


def sends_on_channel(side: RaceSide) -> bool:
    """Does it send on a channel: by a frame, by its line, or in the select that its line begins?"""
    here = side.site_facts
    if side.library_frame_matching(_SEND_FUNCTION):
        return True
    if here is None:
        return False
    selects = here.text.startswith("select") and any(line > here.line for line in here.send_lines)
    return selects or _SEND_STATEMENT.search(here.text) is not None
