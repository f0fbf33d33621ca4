"""A rule (one cause), its result, and the report features that select the rules to run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

from deadheat.diagnosis.context import reports_call_within_line
from deadheat.diagnosis.facts import addresses
from deadheat.diagnosis.facts.condition_checks import verb_of
from deadheat.diagnosis.facts.function_names import (
    CREATING_VERBS,
    ENDING_VERBS,
    GROWING_VERBS,
    ITERATING_VERBS,
    KEYED_STORE_VERBS,
    NOTIFYING_VERBS,
    RENEWING_VERBS,
    RUNNING_VERBS,
    START_OR_RUN_VERBS,
    STARTING_VERBS,
    WAITING_VERBS,
    bare_name,
    is_same_function,
    is_test_file,
    is_value_method,
    name_words,
)
from deadheat.diagnosis.facts.lifetime import ContinuingStarter, NextRound, is_timer_name
from deadheat.diagnosis.facts.object_origin import creation_caller
from deadheat.diagnosis.race_side import MAX_NAMED_FRAMES
from deadheat.model import Op, Origin

if TYPE_CHECKING:
    from collections.abc import Callable

    from deadheat.diagnosis.context import RaceContext
    from deadheat.diagnosis.finding import CodePoint, Evidence
    from deadheat.diagnosis.race_side import RaceSide


ALWAYS = 1  # every report has it
HAS_CODE = 2  # the code is available
HAS_LIBRARY_FRAMES = 4  # a side has frames above user code
SAME_FUNCTION = 8  # both sites are in one function of the source
REPORTS_LOCKS = 16  # the detector reports a held lock
HAS_ATOMIC = 32  # the detector reports an atomic access
HAS_FREE = 64  # a side frees the memory
STARTER_ON_STACK = 128  # a function that started one side is on the stack of the other
SITE_IS_STARTER = 1073741824  # the function of one site started the other side
USER_STARTER_ON_STACK = 536870912  # as STARTER_ON_STACK, by user code outside of tests
OTHER_KIND = 256  # the kind is not `data-race`
HAS_LOCATION = 512  # the detector reports the memory location
NAMES_TEST = 1024  # a test is named, and an access names one or the code may show one
BOTH_IN_TESTS = 2048  # both sides run in goroutines of tests
MAY_BE_TEARDOWN = 4096  # a writing function may be named like a teardown or renewal
# by a frame of the runtime or standard library
CLOSES_CHANNEL, IN_PANIC, IN_DEFER, HAS_TIMER, HAS_SORT = 8192, 16384, 32768, 65536, 131072
CPP_MEMBERS = 262144  # both sites are in C++ classes or namespaces
FILLS_CONTAINER = 524288  # a writing function is named like one that fills a container
CREATES_OBJECT = 67108864  # a writing function is named like one that creates an object
EXPECTS_LOCK = 33554432  # a function is named as if its caller held the lock
CALL_WITHIN_LINE = 16777216  # a call lies between the read and the write of one line
MAKER_CALLED = 8388608  # the reader, or its caller, called the writer, which creates an object
STARTER_MAY_RETURN = 4194304  # the writer's starter seems to be done when it returns
VALUE_METHOD = 1048576  # a writing function is a method with a value receiver
READER_CALLED_WRITER = 268435456  # the reading function called the writing function
ITERATES_CONTAINER = 134217728  # a function is named like one that iterates a container or notifies all in it
WRITES_DEEP = 2147483648  # the write is deep enough in its function for a lock before it
WAITS_OR_REPORTS = 2097152  # a function is named like one that waits or returns a result

_FEATURE_BY_FUNCTION = {
    "runtime.closechan": CLOSES_CHANNEL,
    "runtime.recvDirect": CLOSES_CHANNEL,  # inlined into it
    "runtime.gopanic": IN_PANIC,
    "runtime.deferreturn": IN_DEFER,
    "time.goFunc": HAS_TIMER,
}
_FILLING_VERBS: frozenset[str] = GROWING_VERBS | KEYED_STORE_VERBS
_ONGOING_VERBS: frozenset[str] = (STARTING_VERBS | START_OR_RUN_VERBS) - RUNNING_VERBS
_ITERATION_VERBS: frozenset[str] = ITERATING_VERBS | NOTIFYING_VERBS
_TEARDOWN_VERBS: frozenset[str] = ENDING_VERBS | RENEWING_VERBS
# features of recent bare names
_features_by_name: Final[dict[str, int]] = {}
_MAX_CACHED_NAMES: Final = 1 << 12
_SORT_PACKAGES = ("sort.", "slices.", "heap.")
_TEST_RUNNER = "testing.(*T).Run"
_FEATURE_BY_OP = {Op.ATOMIC_READ: HAS_ATOMIC, Op.ATOMIC_WRITE: HAS_ATOMIC, Op.FREE: HAS_FREE}


def report_features(context: RaceContext) -> int:
    """The features of a report, as a bit set."""
    report = context.report
    features = ALWAYS
    if context.source is not None:
        features |= HAS_CODE
    if report.kind != "data-race":
        features |= OTHER_KIND
    if report.location is not None:
        features |= HAS_LOCATION
    if report.test and (context.source is not None or any(a.test for a in report.accesses)):
        features |= NAMES_TEST
    if report.facts and reports_call_within_line(report):
        features |= CALL_WITHIN_LINE
    for side in context.race_sides:
        features |= _side_features(side)
    if len(context.race_sides) > 1:
        a, b = context.race_sides
        if a.function == b.function or is_same_function(a.function, b.function):
            features |= SAME_FUNCTION
        if "::" in a.function and "::" in b.function:
            features |= CPP_MEMBERS
        if a.writes != b.writes:
            features |= _write_read_features(*((a, b) if a.writes else (b, a)))
        features |= _start_features(a, b)
    context.cache["timer"] = bool(features & HAS_TIMER)
    if not features & USER_STARTER_ON_STACK:
        context.cache[ContinuingStarter] = None
        if context.source is None:
            context.cache[NextRound] = None
    return features


def _side_features(side: RaceSide) -> int:
    features = _FEATURE_BY_OP.get(side.access.op, 0)
    if side.access.locks:
        features |= REPORTS_LOCKS
    name_features = _name_features(side.function)
    if side.frame_expecting_lock is not None:
        features |= EXPECTS_LOCK
    if side.live_frames and side.live_frames[0].origin is not Origin.USER:
        features |= HAS_LIBRARY_FRAMES
    for name in [f.function for f in side.live_frames if f.origin is not Origin.USER]:
        features |= HAS_SORT if name.startswith(_SORT_PACKAGES) else _FEATURE_BY_FUNCTION.get(name, 0)
    if not side.site or "." not in side.site.function:
        for frame in side.user_frames:
            features |= HAS_TIMER if is_timer_name(side.enclosing_function(frame)) else 0
    features |= name_features & (WAITS_OR_REPORTS | ITERATES_CONTAINER)
    if side.writes or side.access.op is Op.UNKNOWN:
        features |= name_features
        for frame in side.user_frames[:MAX_NAMED_FRAMES]:
            bare = frame.function.rpartition(".")[2]
            # a name of letters only is not a closure or wrapper
            if not bare.isalpha() or bare.endswith("fm"):
                bare = bare_name(side.enclosing_function(frame))
            if _may_be_teardown(bare):
                return features | MAY_BE_TEARDOWN
    return features


def _write_read_features(writer: RaceSide, reader: RaceSide) -> int:
    features = WRITES_DEEP if addresses.may_follow_lock(writer) else 0
    if writer.is_worker and not reader.is_worker and (started := writer.start_frame):
        features |= STARTER_MAY_RETURN if _may_return_when_done(writer.enclosing_function(started)) else 0
    if writer.site == reader.site and addresses.has_call_between(reader, writer):
        features |= CALL_WITHIN_LINE
    above = writer.user_frames[1:2]
    if above and reader.site and above[0].function == reader.site.function:
        features |= READER_CALLED_WRITER
    if writer.context.is_go and creation_caller(writer, reader):
        features |= MAKER_CALLED
    elif _name_features(writer.function) & CREATES_OBJECT:
        near = [reader.enclosing_function(f) for f in reader.user_frames[:2]]
        if any(writer.enclosing_function(f) in near for f in writer.user_frames[1:MAX_NAMED_FRAMES]):
            features |= MAKER_CALLED
    return features


def _may_return_when_done(name: str) -> bool:
    """Does its name not say that it starts something that continues after it returns?"""
    parts = name_words(name)
    return not parts or parts[0] not in _ONGOING_VERBS


def _name_features(name: str) -> int:
    """The features that follow from the name of the function that contains a site."""
    bare = bare_name(name)
    features = _features_by_name.get(bare, -1)
    if features < 0:
        if len(_features_by_name) >= _MAX_CACHED_NAMES:
            _features_by_name.clear()
        _features_by_name[bare] = features = _compute_name_features(bare)
    return features | VALUE_METHOD if name_words(bare) and is_value_method(name) else features


def _compute_name_features(bare: str) -> int:
    parts = name_words(bare)
    if not parts:
        return 0
    features = WAITS_OR_REPORTS if parts[0] in WAITING_VERBS else 0
    features |= FILLS_CONTAINER if parts[0] in _FILLING_VERBS else 0
    features |= ITERATES_CONTAINER if parts[0] in _ITERATION_VERBS else 0
    return features | CREATES_OBJECT if verb_of(bare) in CREATING_VERBS else features


def _may_be_teardown(bare: str) -> bool:
    """Is it named like a teardown or renewal? Names with an underscore or tilde may be."""
    if not bare.isalnum():
        return True
    parts = name_words(bare)
    return bool(parts) and parts[0] in _TEARDOWN_VERBS


def _start_features(a: RaceSide, b: RaceSide) -> int:
    features, tests = 0, 0
    for side, other in ((a, b), (b, a)):
        stack = {frame.function for frame in other.access.stack}
        created = side.actor.created_at
        for frame in created:
            name = frame.function
            if name in stack:
                features |= STARTER_ON_STACK
                if other.site is not None and name == other.site.function:
                    features |= SITE_IS_STARTER
                if frame.origin is Origin.USER and not is_test_file(frame.file):
                    features |= USER_STARTER_ON_STACK
            elif name == "time.goFunc":
                features |= HAS_TIMER
        tests += any(_TEST_RUNNER in frame.function for frame in created[:2])
    return features | BOTH_IN_TESTS if tests > 1 else features


# Confidence levels; docs/diagnosis.md has their precision on the corpus.
SURE = 0.95  # the detector or the code states it
STRONG = 0.85  # the mechanism is visible
LIKELY = 0.7  # the pattern of the mechanism, without proof
FAIR = 0.55  # the usual cause of this pattern
EVEN = 0.45  # about as often wrong as right on unseen programs: the general cause comes first
WEAK = 0.3  # possible: not reported unless something else supports it


class RuleMatch(NamedTuple):
    """What a rule found in a report."""

    confidence: float
    evidence: tuple[Evidence, ...]
    change: str
    where: tuple[CodePoint, ...] = ()
    test_only: bool = False
    from_source: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Rule:
    """One cause. A rule knows no other rule except the more general causes that it refines."""

    cause: str
    family: str
    find: Callable[[RaceContext], RuleMatch | None]
    primitive: str
    price: str
    general_causes: tuple[str, ...] = ()  # less exact causes that also apply
    features: int = ALWAYS  # it runs if the report has one of these features
