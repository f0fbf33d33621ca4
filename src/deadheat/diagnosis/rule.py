"""A rule (one cause), its result, and the report features that select the rules to run."""

from __future__ import annotations

from collections.abc import Callable  # noqa: TC003, mypyc needs it at run time
from dataclasses import dataclass
from enum import IntFlag, auto
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from deadheat.diagnosis.context import reports_call_within_line
from deadheat.diagnosis.facts import addresses
from deadheat.diagnosis.facts import function_names as naming
from deadheat.diagnosis.facts.condition_checks import verb_of
from deadheat.diagnosis.facts.lifetime import find_continuing_starter, find_next_round, is_timer_name
from deadheat.diagnosis.facts.object_origin import creation_caller
from deadheat.diagnosis.race_side import MAX_NAMED_FRAMES
from deadheat.model import Op, Origin

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deadheat.diagnosis.context import RaceContext
    from deadheat.diagnosis.finding import CodePoint, Evidence
    from deadheat.diagnosis.race_side import RaceSide
    from deadheat.model import Frame


class Feature(IntFlag):
    """A property of a report; a rule runs if the report has one of its features."""

    ALWAYS = auto()  # every report has it
    HAS_CODE = auto()  # the code is available
    HAS_LIBRARY_FRAMES = auto()  # a side has frames above user code
    SAME_FUNCTION = auto()  # both sites are in one function of the source
    REPORTS_LOCKS = auto()  # the detector reports a held lock
    HAS_ATOMIC = auto()  # the detector reports an atomic access
    HAS_FREE = auto()  # a side frees the memory
    STARTER_ON_STACK = auto()  # a function that started one side is on the stack of the other
    SITE_IS_STARTER = auto()  # the function of one site started the other side
    USER_STARTER_ON_STACK = auto()  # as STARTER_ON_STACK, by user code outside of tests
    OTHER_KIND = auto()  # the kind is not `data-race`
    HAS_LOCATION = auto()  # the detector reports the memory location
    NAMES_TEST = auto()  # a test is named, and an access names one or the code may show one
    BOTH_IN_TESTS = auto()  # both sides run in goroutines of tests
    MAY_BE_TEARDOWN = auto()  # a writing function may be named like a teardown or renewal
    CLOSES_CHANNEL = auto()  # this and the next four: by a frame of the runtime or standard library
    IN_PANIC = auto()
    IN_DEFER = auto()
    HAS_TIMER = auto()
    HAS_SORT = auto()
    CPP_MEMBERS = auto()  # both sites are in C++ classes or namespaces
    FILLS_CONTAINER = auto()  # a writing function is named like one that fills a container
    CREATES_OBJECT = auto()  # a writing function is named like one that creates an object
    EXPECTS_LOCK = auto()  # a function is named as if its caller held the lock
    CALL_WITHIN_LINE = auto()  # a call lies between the read and the write of one line
    MAKER_CALLED = auto()  # the reader, or its caller, called the writer, which creates an object
    STARTER_MAY_RETURN = auto()  # the writer's starter seems to be done when it returns
    VALUE_METHOD = auto()  # a writing function is a method with a value receiver
    READER_CALLED_WRITER = auto()  # the reading function called the writing function
    ITERATES_CONTAINER = auto()  # a function is named like one that iterates a container or notifies all in it
    WRITES_DEEP = auto()  # the write is deep enough in its function for a lock before it
    WAITS_OR_REPORTS = auto()  # a function is named like one that waits or returns a result


_FEATURE_BY_OP = {Op.ATOMIC_READ: Feature.HAS_ATOMIC, Op.ATOMIC_WRITE: Feature.HAS_ATOMIC, Op.FREE: Feature.HAS_FREE}
_FEATURE_BY_FUNCTION = {
    "runtime.closechan": Feature.CLOSES_CHANNEL,
    "runtime.recvDirect": Feature.CLOSES_CHANNEL,  # inlined into it
    "runtime.gopanic": Feature.IN_PANIC,
    "runtime.deferreturn": Feature.IN_DEFER,
    "time.goFunc": Feature.HAS_TIMER,
}
# the first word of a function's name shows these
_FEATURE_BY_VERBS = {
    naming.WAITING_VERBS: Feature.WAITS_OR_REPORTS,
    naming.ITERATING_VERBS | naming.NOTIFYING_VERBS: Feature.ITERATES_CONTAINER,
    naming.GROWING_VERBS | naming.KEYED_STORE_VERBS: Feature.FILLS_CONTAINER,
}
_READER_FEATURES = (Feature.WAITS_OR_REPORTS, Feature.ITERATES_CONTAINER)
_ONGOING_VERBS: frozenset[str] = (naming.STARTING_VERBS | naming.START_OR_RUN_VERBS) - naming.RUNNING_VERBS
_TEARDOWN_VERBS: frozenset[str] = naming.ENDING_VERBS | naming.RENEWING_VERBS
_SORT_PACKAGES = ("sort.", "slices.", "heap.")


def report_features(context: RaceContext) -> int:
    """The features of a report, as a bit set: the sum of distinct flags is faster than their union."""
    features = set(_find_features(context))
    context.cache["timer"] = Feature.HAS_TIMER in features
    if Feature.USER_STARTER_ON_STACK not in features:
        context.cache[find_continuing_starter] = None
        if context.source is None:
            context.cache[find_next_round] = None
    return sum(features)


def _find_features(context: RaceContext) -> Iterator[Feature]:
    report = context.report
    yield Feature.ALWAYS
    if context.source is not None:
        yield Feature.HAS_CODE
    if report.kind != "data-race":
        yield Feature.OTHER_KIND
    if report.location is not None:
        yield Feature.HAS_LOCATION
    if report.test and (context.source is not None or any(a.test for a in report.accesses)):
        yield Feature.NAMES_TEST
    if report.facts and reports_call_within_line(report):
        yield Feature.CALL_WITHIN_LINE
    for side in context.race_sides:
        yield from _side_features(side)
    if len(context.race_sides) > 1:
        a, b = context.race_sides
        if context.in_same_function:
            yield Feature.SAME_FUNCTION
        if "::" in a.function and "::" in b.function:
            yield Feature.CPP_MEMBERS
        if a.writes != b.writes:
            yield from _write_read_features(*((a, b) if a.writes else (b, a)))
        yield from _start_features(a, b)


def _side_features(side: RaceSide) -> Iterator[Feature]:
    if side.access.op in _FEATURE_BY_OP:
        yield _FEATURE_BY_OP[side.access.op]
    if side.access.locks:
        yield Feature.REPORTS_LOCKS
    if side.frame_expecting_lock is not None:
        yield Feature.EXPECTS_LOCK
    if side.live_frames and side.live_frames[0].origin is not Origin.USER:
        yield Feature.HAS_LIBRARY_FRAMES
    for name in [f.function for f in side.live_frames if f.origin is not Origin.USER]:
        if name.startswith(_SORT_PACKAGES):
            yield Feature.HAS_SORT
        elif name in _FEATURE_BY_FUNCTION:
            yield _FEATURE_BY_FUNCTION[name]
    may_be_native = not side.site or "." not in side.site.function
    if may_be_native and any(is_timer_name(side.enclosing_function(frame)) for frame in side.user_frames):
        yield Feature.HAS_TIMER
    name_features = _name_features(naming.bare_name(side.function))
    if not side.writes and side.access.op is not Op.UNKNOWN:
        yield from [feature for feature in name_features if feature in _READER_FEATURES]
        return
    yield from name_features
    if naming.is_value_method(side.function) and naming.name_words(side.function):
        yield Feature.VALUE_METHOD
    if any(_may_be_teardown(side, frame) for frame in side.user_frames[:MAX_NAMED_FRAMES]):
        yield Feature.MAY_BE_TEARDOWN


@lru_cache(maxsize=1 << 12)
def _name_features(bare: str) -> list[Feature]:
    """The features that follow from the bare name of the function that contains a site."""
    features = [feature for verbs, feature in _FEATURE_BY_VERBS.items() if naming.begins_with(bare, verbs)]
    return [*features, Feature.CREATES_OBJECT] if verb_of(bare) in naming.CREATING_VERBS else features


def _may_be_teardown(side: RaceSide, frame: Frame) -> bool:
    """Is its function named like a teardown or renewal? Names with an underscore or tilde may be."""
    bare = frame.function.rpartition(".")[2]
    # a name of letters only is not a closure or wrapper
    if not bare.isalpha() or bare.endswith("fm"):
        bare = naming.bare_name(side.enclosing_function(frame))
    return not bare.isalnum() or naming.begins_with(bare, _TEARDOWN_VERBS)


def _write_read_features(writer: RaceSide, reader: RaceSide) -> Iterator[Feature]:
    if addresses.may_follow_lock(writer):
        yield Feature.WRITES_DEEP
    started = writer.start_frame if writer.is_worker and not reader.is_worker else None
    # its name does not say that it starts something that continues after it returns
    if started and not naming.begins_with(writer.enclosing_function(started), _ONGOING_VERBS):
        yield Feature.STARTER_MAY_RETURN
    if writer.site == reader.site and addresses.has_call_between(reader, writer):
        yield Feature.CALL_WITHIN_LINE
    callers = writer.user_frames[1:MAX_NAMED_FRAMES]
    if callers and reader.site and callers[0].function == reader.site.function:
        yield Feature.READER_CALLED_WRITER
    if writer.context.is_go and creation_caller(writer, reader):
        yield Feature.MAKER_CALLED
    elif Feature.CREATES_OBJECT in _name_features(naming.bare_name(writer.function)):
        near = [reader.enclosing_function(f) for f in reader.user_frames[:2]]
        if any(writer.enclosing_function(f) in near for f in callers):
            yield Feature.MAKER_CALLED


def _start_features(a: RaceSide, b: RaceSide) -> Iterator[Feature]:
    for side, other in ((a, b), (b, a)):
        stack = {frame.function for frame in other.access.stack}
        for frame in side.actor.created_at:
            name = frame.function
            if name in stack:
                yield Feature.STARTER_ON_STACK
                if other.site is not None and name == other.site.function:
                    yield Feature.SITE_IS_STARTER
                if frame.origin is Origin.USER and not naming.is_test_file(frame.file):
                    yield Feature.USER_STARTER_ON_STACK
            elif name == "time.goFunc":
                yield Feature.HAS_TIMER
    if a.runs_test and b.runs_test:
        yield Feature.BOTH_IN_TESTS


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
    features: Feature = Feature.ALWAYS
