"""A cause as data: the facts that it needs, those that contradict it, its sentence and its remedies."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

# what each language calls the means that remedies refer to
MEANS = {
    "go": {
        "mutex": "a `sync.Mutex`", "rwmutex": "a `sync.RWMutex`", "atomic": "`sync/atomic`", "once": "`sync.Once`",
        "join": "a `sync.WaitGroup`, or a channel that the goroutine closes", "thread": "goroutine",
        "stop": "a cancelled context or a closed channel",
    },
    "c": {
        "mutex": "a `pthread_mutex_t`", "rwmutex": "a `pthread_rwlock_t`", "atomic": "C11 atomics (`_Atomic`)",
        "once": "`pthread_once`", "join": "`pthread_join`", "thread": "thread",
        "stop": "an atomic flag or a condition variable",
    },
    "c++": {
        "mutex": "a `std::mutex`", "rwmutex": "a `std::shared_mutex`", "atomic": "`std::atomic`",
        "once": "`std::call_once`, or a local `static`", "join": "`std::thread::join`", "thread": "thread",
        "stop": "an atomic flag or a `std::stop_token`",
    },
    "rust": {
        "mutex": "a `std::sync::Mutex`", "rwmutex": "a `std::sync::RwLock`", "atomic": "`std::sync::atomic`",
        "once": "`std::sync::OnceLock`", "join": "`JoinHandle::join`", "thread": "thread",
        "stop": "a channel, or an atomic flag with `Release` and `Acquire`",
    },
    "kernel": {
        "mutex": "a `spinlock_t` or a `struct mutex`", "rwmutex": "a `rwlock_t`, or RCU",
        "atomic": "`READ_ONCE` and `WRITE_ONCE`, or `atomic_t`", "once": "`DO_ONCE`, or `cmpxchg`",
        "join": "`kthread_stop`, `cancel_work_sync` or `synchronize_rcu`", "thread": "thread",
        "stop": "`kthread_should_stop`",
    },
}  # fmt: skip
LANGUAGES = tuple(MEANS)


def split_facts(text: str) -> list[str]:
    """The names in a text such as `map is changed | slice grows`."""
    return text.split(" | ") if text else []


class RemedyOption(NamedTuple):
    """One way to mend a cause. Texts may contain the placeholders that `answer.py` lists, and those of MEANS."""

    change: str
    primitive: str  # the means, in a few words: "{mutex}", "the order of two statements"
    price: str  # what it costs at run time or in design
    where: str = (
        "both"  # the lines to change: `writer`, `other`, `lacking` (the side without the lock), `start`, `both`
    )
    needs: str = ""  # facts of which one must hold, else it is not offered
    unless: str = ""  # facts with which it is not offered: the code does it already
    languages: tuple[str, ...] = LANGUAGES


@dataclass(frozen=True, slots=True, eq=False)
class CauseDefinition:
    """One cause. The docstring of its module is the source of its page. Lists of facts are separated by ` | `."""

    name: str
    title: str
    family: str
    # each has alternatives, of which one fact must hold
    needs: tuple[str, ...]
    sentence: str  # what is wrong, with the names of the code
    remedies: tuple[RemedyOption, ...]
    contradicted_by: str = ""  # facts with which it cannot be the cause
    evidence: str = ""  # facts that also speak for it, beside those that it needs
    general_causes: tuple[str, ...] = ()  # less exact causes that then also apply
    test_only: bool = False  # the product is right and the test is wrong
    _need_sets: tuple[frozenset[str], ...] = field(init=False)
    _contradictions: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_need_sets", tuple([frozenset(split_facts(group)) for group in self.needs]))
        object.__setattr__(self, "_contradictions", frozenset(split_facts(self.contradicted_by)))

    def is_possible(self, features: frozenset[str]) -> bool:
        """Do all facts hold that it needs, and none that contradicts it? `features` has the names of all that hold."""
        if not self._contradictions.isdisjoint(features):
            return False
        return not any(group.isdisjoint(features) for group in self._need_sets)
