"""Atomic accesses, wait groups and channels: races on synchronization itself."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from deadheat.diagnosis.facts import addresses
from deadheat.diagnosis.facts.containers import unsafe_type_of
from deadheat.diagnosis.race_side import is_below

if TYPE_CHECKING:
    from deadheat.diagnosis.context import RaceContext
    from deadheat.diagnosis.facts.code_facts import CallSite
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


# "runtime.racewrite", "race.Write", "sync.(*WaitGroup).Wait": how the race detector models them
_WAIT_FUNCTION = re.compile(r"^runtime\.racewrite$|^race\.Write$|^sync\.\(\*WaitGroup\)\.Wait$")
_ADD_FUNCTION = re.compile(r"^runtime\.raceread$|^race\.Read$|^sync\.\(\*WaitGroup\)\.(?:Add|Done|Go)$")
_WAITGROUP_FUNCTION = re.compile(r"^runtime\.race(?:read|write)$|^race\.(?:Read|Write)$|^sync\.\(\*WaitGroup\)\.")
# "runtime.recvDirect": on some systems the name of code inlined into closechan
_CLOSE_FUNCTIONS = ("runtime.closechan", "runtime.recvDirect")
# "close(q.out)": a line with nothing else writes only the channel
_CLOSE_STATEMENT = re.compile(r"(?:defer )?close\([\w.]{1,200}\)\s{0,9}(?://.*)?$")
# "runtime.chansend1", "runtime.selectnbsend"
_SEND_FUNCTION = re.compile(r"^runtime\.(?:chansend|selectnbsend|selectgo|racereadpc|raceReadObjectPC)")
# "out <- x", "case q.out <- x:"
_SEND_STATEMENT = re.compile(r"[\w\])]\s*<-\s*\S")


def is_waitgroup_or_channel(context: RaceContext) -> bool:
    """Is the raced object a wait group or channel, not something stored in or near it?"""
    if not _can_identify(context):
        return False
    if any(side.library_frame_matching(_WAITGROUP_FUNCTION) or closes_channel(side) for side in context.race_sides):
        return True
    return waitgroup_sides(context) is not None


def _can_identify(context: RaceContext) -> bool:
    """Is there a frame above a site, or the code of its line?"""
    return context.is_go and (context.source is not None or any(side.library_frames for side in context.race_sides))


def adds_to_waitgroup(side: RaceSide) -> bool:
    """Does the report show that it adds to a wait group?"""
    return side.library_frame_matching(_ADD_FUNCTION) is not None


def waitgroup_sides(context: RaceContext) -> tuple[RaceSide, RaceSide] | None:
    """The side that adds to a wait group and the side that waits, by frames or by both lines."""
    for adder, waiter in context.side_pairs if _can_identify(context) else ():
        waits, adder_waits = [side.library_frame_matching(_WAIT_FUNCTION) for side in (waiter, adder)]
        if adds_to_waitgroup(adder) and waits and not adder_waits:
            return adder, waiter
        if not adder.writes and waiter.writes and _use_same_waitgroup(context, adder, waiter):
            return adder, waiter
    return None


def _use_same_waitgroup(context: RaceContext, adder: RaceSide, waiter: RaceSide) -> bool:
    """`p.wg.Add(1)` reads and `p.wg.Wait()` writes: only the group itself is accessed like that."""
    added, waited = _find_site_call(adder, ("Add", "Go")), _find_site_call(waiter, ("Wait",))
    if added is None or waited is None:
        return False
    name = added.target.rpartition(".")[2]
    if name != waited.target.rpartition(".")[2]:
        return False
    shared = context.shared_variable
    type_text = shared.type if shared and shared.name == name else ""
    return not type_text or "WaitGroup" in type_text


def _find_site_call(side: RaceSide, names: tuple[str, ...]) -> CallSite | None:
    """The call on a side's line with one of these names, if no frame is above the line."""
    here = side.site_facts if not side.library_frames else None
    calls = here.calls if here else ()
    return next((c for c in calls if here and c.line == here.line and c.name in names), None)


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


def is_added_elsewhere(side: RaceSide) -> bool:
    """Does the waiting function add nothing itself, outside of the goroutines it starts?"""
    here = side.site_facts
    waits = [c for c in here.calls if c.name == "Wait" and c.line == here.line] if here else []
    if here is None or not waits or here.loops or side.is_worker:
        return False  # a wait in a loop or in its own goroutine waits for several rounds
    add_calls = [c for c in here.calls if c.name == "Add" and c.target == waits[0].target]
    return not any(c.closure_depth <= waits[0].closure_depth for c in add_calls)


def adds_for_next_round(adds: RaceSide, waits: RaceSide) -> bool:
    """Does it add for the next round: after an earlier wait, or as the starter of the waiting side?"""
    if waits_before_adding(adds, waits):
        return True
    if not waits.is_worker or not adds.is_worker:
        return waits.is_worker
    start_frame = waits.start_frame
    return start_frame is not None and any(f[:2] == start_frame[:2] for f in adds.live_frames)


def waits_before_adding(adds: RaceSide, waits: RaceSide) -> bool:
    """Does one function wait for the last round and then add for the next, run twice at once?"""
    a, b = adds.site, waits.site
    return a is not None and b is not None and a.function == b.function and is_below(a, b)
