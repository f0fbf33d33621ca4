"""Calls that wait, signal, sleep or give up."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deadheat.diagnose.scene import Scene
    from deadheat.diagnose.source import Around, Call
    from deadheat.model import Frame

# calls that signal completion, and the calls that wait for the signal
PAIRS = {
    "sem_post": ("sem_wait", "sem_timedwait", "sem_clockwait"),
    "set_value": ("get", "wait", "wait_for", "wait_until"),
    "count_down": ("wait", "arrive_and_wait"),
    "arrive": ("wait", "arrive_and_wait"),
    "release": ("acquire", "try_acquire_for"),
    "notify_one": ("wait", "wait_for", "wait_until"),
    "notify_all": ("wait", "wait_for", "wait_until"),
    "pthread_cond_signal": ("pthread_cond_wait", "pthread_cond_timedwait"),
    "pthread_cond_broadcast": ("pthread_cond_wait", "pthread_cond_timedwait"),
    "cnd_signal": ("cnd_wait", "cnd_timedwait"),
    "cnd_broadcast": ("cnd_wait", "cnd_timedwait"),
    "complete": ("wait_for_completion", "wait_for_completion_timeout"),
    "complete_all": ("wait_for_completion", "wait_for_completion_timeout"),
}
JOINS = frozenset(
    ("join", "pthread_join", "thrd_join", "kthread_stop", "Wait", "cancel_work_sync", "flush_work")
)
DETACHES = frozenset(("detach", "pthread_detach", "thrd_detach"))
# waits with a timeout
LIMITED = frozenset(
    (
        "wait_for",
        "wait_until",
        "sem_timedwait",
        "sem_clockwait",
        "pthread_cond_timedwait",
        "cnd_timedwait",
        "pthread_timedjoin_np",
        "try_acquire_for",
        "wait_for_completion_timeout",
    )
)
SLEEPS = frozenset(
    ("sleep", "usleep", "nanosleep", "msleep", "sleep_for", "sleep_until", "Sleep", "thrd_sleep")
)
# "while (1) {", "for (;;) {", "while (!stop_) {", "while (running) {", "for {", "for i := 0; ; i++ {"
_ENDLESS = re.compile(
    r"^(?:for\s{0,3}\(\s{0,3};\s{0,3};|for \{|for [^;{]{0,80};\s{0,3};|loop \{"
    r"|while\s{0,3}\(\s{0,3}[!\w.>(-]{1,80}\s{0,3}(?:\(\))?\))"
)
# calls that are followed per query
_MOST = 12
# loops around a line that are examined
_NESTED = 6


def calls_to(
    scene: Scene, seen: Around, frame: Frame, names: frozenset[str] | tuple[str, ...]
) -> Iterator[Call]:
    """The calls in a function that have such a name, or whose callee makes such a call."""
    asked = 0
    for call in seen.calls:
        if call.name in names:
            yield call
        elif asked < _MOST and call.depth <= len(seen.closures):
            asked += 1
            inner = scene.defined(call.name, frame)
            if inner and any(c.name in names for c in inner.calls):
                yield call


def runs_on(scene: Scene, frame: Frame) -> bool:
    """Is a frame's line in a loop that only ends on request?"""
    seen = scene.around(frame)
    for first, _ in seen.loops[:_NESTED] if seen else ():
        head = scene.around(frame._replace(line=first))
        if head and _ENDLESS.match(head.text):
            return True
    return False
