"""A cause as data: the facts that it needs, those that contradict it, its sentence and its remedies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Container

# what each language calls the means that remedies refer to
MEANS = {
    "go": {
        "mutex": "a `sync.Mutex`",
        "rwmutex": "a `sync.RWMutex`",
        "atomic": "`sync/atomic`",
        "once": "`sync.Once`",
        "join": "a `sync.WaitGroup`, or a channel that the goroutine closes",
        "thread": "goroutine",
        "stop": "a cancelled context or a closed channel",
    },
    "c": {
        "mutex": "a `pthread_mutex_t`",
        "rwmutex": "a `pthread_rwlock_t`",
        "atomic": "C11 atomics (`_Atomic`)",
        "once": "`pthread_once`",
        "join": "`pthread_join`",
        "thread": "thread",
        "stop": "an atomic flag or a condition variable",
    },
    "c++": {
        "mutex": "a `std::mutex`",
        "rwmutex": "a `std::shared_mutex`",
        "atomic": "`std::atomic`",
        "once": "`std::call_once`, or a local `static`",
        "join": "`std::thread::join`",
        "thread": "thread",
        "stop": "an atomic flag or a `std::stop_token`",
    },
    "rust": {
        "mutex": "a `std::sync::Mutex`",
        "rwmutex": "a `std::sync::RwLock`",
        "atomic": "`std::sync::atomic`",
        "once": "`std::sync::OnceLock`",
        "join": "`JoinHandle::join`",
        "thread": "thread",
        "stop": "a channel, or an atomic flag with `Release` and `Acquire`",
    },
    "kernel": {
        "mutex": "a `spinlock_t` or a `struct mutex`",
        "rwmutex": "a `rwlock_t`, or RCU",
        "atomic": "`READ_ONCE` and `WRITE_ONCE`, or `atomic_t`",
        "once": "`DO_ONCE`, or `cmpxchg`",
        "join": "`kthread_stop`, `cancel_work_sync` or `synchronize_rcu`",
        "thread": "thread",
        "stop": "`kthread_should_stop`",
    },
}
LANGUAGES = tuple(MEANS)


class RemedyOption(NamedTuple):
    """One way to mend a cause. Texts may contain the placeholders that `answer.py` lists, and those of MEANS."""

    change: str
    primitive: str  # the means, in a few words: "{mutex}", "the order of two statements"
    price: str  # what it costs at run time or in design
    where: str = (
        "both"  # the lines to change: `writer`, `other`, `lacking` (the side without the lock), `start`, `both`
    )
    needs: tuple[str, ...] = ()  # facts without which it is not offered
    unless: tuple[str, ...] = ()  # facts with which it is not offered: the code does it already
    languages: tuple[str, ...] = LANGUAGES


@dataclass(frozen=True, slots=True, eq=False)
class CauseDefinition:
    """One cause. The docstring of its module is the source of its page."""

    name: str
    title: str
    family: str
    # each group is a list of alternatives, of which one fact must hold for the raced variable
    needs: tuple[tuple[str, ...], ...]
    sentence: str  # what is wrong, with the names of the code
    remedies: tuple[RemedyOption, ...]
    contradicted_by: tuple[str, ...] = ()  # facts with which it cannot be the cause
    evidence: tuple[str, ...] = ()  # facts that also speak for it, beside those that it needs
    general_causes: tuple[str, ...] = ()  # less exact causes that then also apply
    test_only: bool = False  # the product is right and the test is wrong

    def is_possible(self, features: Container[str]) -> bool:
        """Do all facts hold that it needs, and none that contradicts it? `features` has the names of all that hold."""
        if any(name in features for name in self.contradicted_by):
            return False
        return all(any(name in features for name in group) for group in self.needs)
