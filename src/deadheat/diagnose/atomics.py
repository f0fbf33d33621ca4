"""Whether an access is atomic, according to the detector, a frame or the code."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from deadheat.diagnose import address
from deadheat.diagnose.unsafe_types import named

if TYPE_CHECKING:
    from deadheat.diagnose.side import Side

# "sync/atomic.AddInt64" is the function "atomic.AddInt64"
_FRAME = re.compile(r"^(?:sync/)?atomic\.|^std::(?:__)?atomic|__atomic_|core::sync::atomic")
# "atomic.LoadInt64(&s.n)", "__atomic_load_n(&n, …)", "READ_ONCE(x->state)", "atomic_inc(&c)",
# "atomic_fetch_add_explicit(&n, 1, …)", "n.load(std::memory_order_acquire)",
# "x.store(1, Ordering::Release)"
_CODE = re.compile(
    r"\batomic\.(?:Add|Load|Store|Swap|CompareAndSwap|And|Or)\w*\(&|\b__(?:atomic|sync)_\w+\(&"
    r"|\b(?:READ_ONCE|WRITE_ONCE|smp_load_acquire|smp_store_release|rcu_dereference|rcu_assign_pointer"
    r"|cmpxchg|xchg|atomic\w*_(?:read|set|inc|dec|add|sub|load|store|exchange|fetch|compare)\w*)\("
    r"|\.(?:load|store|exchange|fetch_\w{1,9}|compare_exchange_\w{1,9})\([^;]{0,100}(?:memory_order|Ordering::)"
    r"|\batomic_ref\b"
)


# "t.mu.Lock()", "defer c.mu.RUnlock()"
_LOCKS = re.compile(r"\.(?:Try)?R?(?:Lock|Unlock)\b")
_LOCK_FRAMES = ("sync.(*Mutex).", "sync.(*RWMutex).")
# "pthread_mutex_lock", "pthread_cond_wait", "sem_post", "cnd_signal": accesses inside belong to them
_NATIVE = re.compile(
    r"^(?:_{2,3}interceptor_)?(?:pthread_(?:mutex|cond|rwlock|spin|barrier)|sem|mtx|cnd)_[a-z]{1,20}$"
)
# "__tsan_atomic32_fetch_sub", "std::__atomic_base<int>::operator--(int)", "std::atomic<bool>::exchange"
_GIVES_UP = re.compile(r"atomic.{0,200}(?:fetch_sub|sub_fetch|(?<!compare_)exchange|operator--)")
# "refs_.fetch_sub(1, std::memory_order_relaxed)", "__atomic_sub_fetch(&r, 1, __ATOMIC_RELEASE)"
_GIVEN_UP = re.compile(r"fetch_sub|sub_fetch|sub_and_fetch|fetch_and_sub|(?<!compare_)exchange|--")
_LOOSE = re.compile(r"memory_order(?:_|::)(?:relaxed|release)\b|__ATOMIC_REL(?:AXED|EASE)\b")
# what Go's locks call; if they are inlined, only this frame remains
_IN_LOCKS = ("atomic.CompareAndSwapInt32", "atomic.AddInt32")
# "atomic.CompareAndSwapInt32": how a lock is taken
_SWAPS = re.compile(r"^atomic\.CompareAndSwapInt32$")
# "s.hits.Add(1)", "p.cur.Load()"
_METHOD = re.compile(r"\.(?:Add|Load|Store|Swap|CompareAndSwap|And|Or)\(")
_MOST = 4  # calls on a line that are followed


def of_lock(side: Side) -> bool:
    """Is it atomic only because a lock is acquired or released there?"""
    if any(f.function.startswith(_LOCK_FRAMES) for f in side.inner):
        return True
    if side.above(_NATIVE) is not None:
        return True
    here, site = side.here, side.site
    if site is None or not any(f.function in _IN_LOCKS for f in side.inner):
        return False
    if address.is_half(side.scene):
        return False
    if here is None:
        return _is_deferred(side) or side.above(_SWAPS) is not None
    if _CODE.search(here.text) or _METHOD.search(here.text):
        return False
    if _LOCKS.search(here.text):
        return True
    # the frame of a function that this line calls is missing, too
    calls = [c for c in here.calls if c.line == here.line and c.name not in here.names]
    called = [side.scene.defined(c.name, site) for c in calls[:_MOST]]
    if any(one and any(c.on == "atomic" for c in one.calls) for one in called):
        return False
    return any(one is None or any(_LOCKS.match(f".{c.name}") for c in one.calls) for one in called)


def hands_over(side: Side) -> bool:
    """Does it atomically release a reference without ordering earlier accesses?

    `refs_.fetch_sub(1, relaxed)`: the thread that frees the object does not see the last uses of others.
    If the code is available it must show a weak memory order.
    """
    if not is_atomic(side) or of_lock(side) or not side.writes:
        return False
    if side.here is None:
        return side.above(_GIVES_UP) is not None
    text = side.here.text
    return bool(_GIVEN_UP.search(text) and _LOOSE.search(text))


def _is_deferred(side: Side) -> bool:
    """Does it run while a function returns? `defer mu.Unlock()` does, counters rarely."""
    return side.inner[-1].function == "runtime.deferreturn"


def told(side: Side) -> bool:
    """Does the report itself show an atomic access?"""
    if any(named(f.function) for f in side.inner):
        return False  # a reference count inside a library type
    return side.atomic or side.above(_FRAME) is not None


def is_atomic(side: Side, name: str = "") -> bool:
    """Is it atomic according to the report or the line? `name` is the variable, if known."""
    if told(side):
        return True
    text = side.here.text if side.here else ""
    return any(_is_about(name, text, found) for found in _CODE.finditer(text))


def _is_about(name: str, text: str, found: re.Match[str]) -> bool:
    """`while (!__atomic_load_n(&p->quit, …)) p->turns++;` is atomic only for `quit`."""
    word = re.compile(rf"\b{re.escape(name)}\b")
    if not name or not word.search(text):
        return True
    end = re.compile(r"[,);]").search(text, found.end())
    begin = 0 if found[0].startswith(".") else found.start()
    return word.search(text, begin, end.start() if end else len(text)) is not None
