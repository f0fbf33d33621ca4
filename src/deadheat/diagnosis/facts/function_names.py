"""What function names mean: their parts, their verbs, and calls that wait, signal or sleep."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from deadheat.symbols import read_frame_list

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deadheat.diagnosis.context import RaceContext
    from deadheat.diagnosis.facts.code_facts import CallSite, FunctionFacts
    from deadheat.model import Frame

# "F.func1", "F.func1.2", "F.1", "F-range1": a closure; "{lambda}", "$_0", "operator()": one of C++
_CLOSURE_NAME = re.compile(r"(?:\.func\d+|\.\d+|-range\d+|·\d+)$|\{lambda|\$_\d|lambda\(|\{\{closure\}\}")
# "exec.(*Query).Reset", "Reset", "news::Feed::publish", "buffer_free"
_LAST_IDENTIFIER = re.compile(r"(?<![~\w])[~\w]+$")
# "ResetContextOfStmt" as "Reset", "Context", …; "buffer_free" as "buffer", "free"
_NAME_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
# "v2": the last element of an import path may have a dot, as in "yaml.v3.Unmarshal"
_VERSION_ELEMENT = re.compile(r"v\d+")
_MAX_NAME_LENGTH: Final = 200  # no name in source code is longer
# the words of recent bare names: most programs reuse a small set of verbs
_words_by_name: Final[dict[str, tuple[str, ...]]] = {}
_MAX_CACHED_NAMES: Final = 1 << 12


def contains_word(text: str, word: str) -> bool:
    return re.search(rf"\b{re.escape(word)}\b", text) is not None


def is_same_function(a: str, b: str) -> bool:
    """Are they in one function? A closure in the value method `scale.Policy.Decide` is printed as in `scale.Decide`."""
    if a == b:
        return a != ""
    if "(" in a or "(" in b or a.count(".") == b.count("."):
        return False
    return a.partition(".")[0] == b.partition(".")[0] and bare_name(a) == bare_name(b)


def is_closure(function: str) -> bool:
    # most names are not closures, and this test is cheaper than the pattern
    suffix = function[-1:]
    may_match = suffix.isdigit() or suffix == "\n" or "lambda" in function
    if not may_match and "$_" not in function and "{{" not in function:
        return False
    return bool(_CLOSURE_NAME.search(function))


def is_test_file(file: str) -> bool:
    return file.endswith("_test.go") or "/tests/" in f"/{file}"


def owner_of(name: str) -> str:
    """`courier.(*Courier)` for a method, the package or namespace for a function."""
    return name.rpartition("::" if "::" in name else ".")[0]


def is_value_method(name: str) -> bool:
    """Is it a method with a value receiver (`usage.Meter.Add`), which works on a copy?"""
    dot = name.find(".")
    second = name.find(".", dot + 1) if dot >= 0 else -1
    kind = name[dot + 1 : second] if second >= 0 else ""
    if not kind.isidentifier() or not name[second + 1 :].isidentifier() or "/" in name[:dot]:
        return False
    return _VERSION_ELEMENT.fullmatch(kind) is None


def is_package_function(name: str) -> bool:
    """Is it a Go function of a package, not a method?"""
    return "(" not in name and not is_value_method(name)


def without_package(name: str) -> str:
    """A function without its package: `(*Courier).Stop`."""
    return name.partition(".")[2] or name


def bare_name(name: str) -> str:
    """The bare name of a function: `Stop`."""
    suffix = name[name.rfind(".") + 1 :][-_MAX_NAME_LENGTH:]
    if suffix.isalnum():
        return suffix
    match = _LAST_IDENTIFIER.search(name[-_MAX_NAME_LENGTH:])
    return match[0] if match else ""


def name_words(name: str) -> tuple[str, ...]:
    """The words of a bare name, in lower case: `("reset", "context", "of", "stmt")`."""
    bare = bare_name(name)
    cached = _words_by_name.get(bare)
    if cached is None:
        if len(_words_by_name) >= _MAX_CACHED_NAMES:
            _words_by_name.clear()
        _words_by_name[bare] = cached = tuple([word.lower() for word in _NAME_WORD.findall(bare)])
    return cached


_WORD_GROUPS = {
    group: frozenset(word for line in lines for word in line.split())
    for group, lines in read_frame_list("words.txt", "deadheat.diagnosis").items()
}
ENDING_VERBS = _WORD_GROUPS["ending"]
RENEWING_VERBS = _WORD_GROUPS["renewing"]
CREATING_VERBS = _WORD_GROUPS["creating"]
CHANGING_VERBS = _WORD_GROUPS["changing"]
POOL_VERBS = _WORD_GROUPS["pool"]
GROWING_VERBS = _WORD_GROUPS["growing"]
KEYED_STORE_VERBS = _WORD_GROUPS["keyed store"]
STARTING_VERBS = _WORD_GROUPS["starting"]
RUNNING_VERBS = _WORD_GROUPS["running"]
WAITING_VERBS = _WORD_GROUPS["waiting"]
RESULT_WORDS = _WORD_GROUPS["results"]
ITERATING_VERBS = _WORD_GROUPS["iterating"]
JOINING_VERBS = _WORD_GROUPS["joining"]
NOTIFYING_VERBS = _WORD_GROUPS["notifying"]
TIMER_WORDS = _WORD_GROUPS["timer"]
POOL_TAKING_VERBS = _WORD_GROUPS["pool taking"]
POOL_RETURNING_VERBS = _WORD_GROUPS["pool returning"]
ALLOCATION_FUNCTIONS = _WORD_GROUPS["allocation"]
READING_VERBS = _WORD_GROUPS["reading"]
TIMED_WAITS = _WORD_GROUPS["timed waits"]
# calls that signal completion, and the calls that wait for the signal
WAITS_BY_SIGNAL = {
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
JOIN_CALLS = frozenset(("join", "pthread_join", "thrd_join", "kthread_stop", "Wait", "cancel_work_sync", "flush_work"))
SLEEP_CALLS = frozenset(("sleep", "usleep", "nanosleep", "msleep", "sleep_for", "sleep_until", "Sleep", "thrd_sleep"))
_MAX_CALLS_FOLLOWED = 12  # calls that are followed per query


def calls_to(
    context: RaceContext, facts: FunctionFacts, frame: Frame, names: frozenset[str] | tuple[str, ...]
) -> Iterator[CallSite]:
    """The calls in a function that have such a name, or whose callee makes such a call."""
    followed = 0
    for call in facts.calls:
        if call.name in names:
            yield call
        elif followed < _MAX_CALLS_FOLLOWED and call.closure_depth <= len(facts.closures):
            followed += 1
            callee = context.find_function(call.name, frame)
            if callee and any(c.name in names for c in callee.calls):
                yield call
