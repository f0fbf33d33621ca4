"""Facts that the report alone shows: operations, frames, names, starts, tests."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from deadheat.diagnosis.facts import addresses, synchronization
from deadheat.diagnosis.facts import function_names as naming
from deadheat.diagnosis.facts.containers import MAP, SEQUENCE, container_frame, library_type_of_both, unsafe_type_of
from deadheat.diagnosis.facts.fact import Fact, fact_at, fact_of_side
from deadheat.diagnosis.finding import Evidence
from deadheat.diagnosis.race_side import point_of
from deadheat.model import ActorState, Op, Origin
from deadheat.symbols import go

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deadheat.diagnosis.context import RaceContext
    from deadheat.diagnosis.race_side import RaceSide
    from deadheat.model import Frame

_NAME_GROUPS = {
    "ends something": naming.ENDING_VERBS,
    "renews something": naming.RENEWING_VERBS,
    "creates something": naming.CREATING_VERBS,
    "changes something": naming.CHANGING_VERBS,
    "starts something": naming.STARTING_VERBS,
    "runs something": naming.RUNNING_VERBS,
    "fills a container": naming.GROWING_VERBS | naming.KEYED_STORE_VERBS,
    "iterates or notifies": naming.ITERATING_VERBS | naming.NOTIFYING_VERBS,
    "adds a listener": naming.JOINING_VERBS,
    "waits": naming.WAITING_VERBS,
    "returns a result": naming.RESULT_WORDS,
    "reads something": naming.READING_VERBS,
    "belongs to a timer": naming.TIMER_WORDS,
    "belongs to a pool": naming.POOL_VERBS,
}
_SORT_PACKAGES = ("sort.", "slices.", "heap.", "container/heap.")
_PRINT_PACKAGES = ("fmt.", "reflect.", "encoding/", "json.", "gob.", "xml.", "log.", "yaml.", "go-cmp", "spew.")
_COPY_FUNCTIONS = ("runtime.racereadrange", "runtime.racewriterange", "runtime.memmove", "runtime.typedmemmove")
_LOCK_METHODS = ("sync.(*Mutex).", "sync.(*RWMutex).", "sync.(*Cond).")
# "pthread_mutex_destroy", "sem_destroy"
_DESTROY_FUNCTION = re.compile(r"(?:pthread_(?:mutex|cond|rwlock|spin|barrier)|sem|mtx|cnd)_destroy$")
_FILE_METHODS = ("os.(*File).", "os.(*file).", "net.(*", "poll.(*FD).")


def facts_of_report(context: RaceContext) -> Iterator[Fact]:
    report = context.report
    yield Fact(f"language: {'go' if context.is_go else 'kernel' if context.is_kernel else 'native'}")
    if report.detector != "go":
        yield Fact(f"detector: {report.detector}")
    if report.kind != "data-race":
        yield Fact(f"kind: {report.kind}")
    if context.source is not None:
        yield Fact("code is available" if context.has_code else "code of one side is missing")
    if len([side for side in context.race_sides if side.site]) < 2:
        yield Fact("one side is missing")
    yield from _facts_of_memory(context)
    for side in context.race_sides:
        yield from _facts_of_side(side)
    for writer, other in context.role_pairs:
        yield from _facts_of_names("writer", writer)
        yield from _facts_of_names("other side", other)
        yield from _facts_of_start(writer, other)
    if len(context.race_sides) == 2:
        yield from _facts_of_both(context, *context.race_sides)


def _facts_of_memory(context: RaceContext) -> Iterator[Fact]:
    location = context.report.location
    is_global = addresses.is_package_variable(context)
    if (location is not None and location.kind == "global") or is_global:
        name = f"`{location.name}`" if location is not None and location.name else "the variable"
        yield Fact("global variable", Evidence(f"{name} is a global variable, by its address"))
    elif is_global is False or (location is not None and location.kind == "heap"):
        yield Fact("heap memory")
    if location is not None and location.kind == "stack":
        owner = location.actor or "one of the threads"
        yield Fact("memory of a thread's stack", Evidence(f"the variable is on the stack of {owner}"))
    if location is not None and location.kind in ("heap", "stack", "tls") and location.name:
        yield Fact("detector names the object")


def _facts_of_side(side: RaceSide) -> Iterator[Fact]:
    role = "writer" if side.writes else "reader"
    yield from _facts_of_frames(role, side)
    yield from _facts_of_operation(role, side)
    yield from _facts_of_actor(role, side)
    yield from _facts_of_tests(role, side)


def _facts_of_frames(role: str, side: RaceSide) -> Iterator[Fact]:
    for frame in side.live_frames:
        if frame.function in ("runtime.gopanic", "runtime.gorecover", "runtime.recovery"):
            yield fact_of_side("panic on the stack", side, f"{side.subject} runs while a panic unwinds")
        elif frame.function == "runtime.deferreturn":
            yield Fact(f"{role} in a deferred call", side=side)
    for frame in side.library_frames:
        yield from _facts_of_library_frame(role, side, frame)
    if any(f.function == "time.goFunc" for f in (*side.live_frames, *side.actor.created_at[:2])):
        yield fact_of_side("timer's function", side, f"a timer runs {side.subject}")
    for kind, title in ((MAP, "map"), (SEQUENCE, "sequence")):
        if not side.context.is_go and (found := container_frame(side, kind)):
            yield fact_at(f"{title} function", found, f"{side.subject} uses a {title}", side)
    if (expecting := side.frame_expecting_lock) is not None:
        text = f"`{naming.without_package(expecting.function)}` says that its caller holds a lock"
        both = [s for s in side.context.race_sides if s.frame_expecting_lock]
        name = "both callers should hold a lock" if len(both) > 1 else f"{role}'s caller should hold a lock"
        yield fact_at(name, expecting, text, side)


def _facts_of_operation(role: str, side: RaceSide) -> Iterator[Fact]:
    """What the access is: of a lock, an atomic, a channel, or the end of an object."""
    if synchronization.belongs_to_lock(side):
        yield fact_of_side("access of a lock", side, f"{side.subject} locks or unlocks a lock")
    elif synchronization.is_reported_atomic(side):
        yield fact_of_side("atomic access", side, side.atomic_action)
        if synchronization.releases_without_ordering(side):
            yield fact_of_side("reference released without ordering", side, side.action)
    if synchronization.closes_channel(side):
        yield fact_of_side("channel is closed", side, f"{side.subject} closes the channel")
    elif synchronization.sends_on_channel(side) and side.library_frames:
        yield fact_of_side("channel is sent on", side, f"{side.subject} sends on the channel")
    if side.access.op is Op.FREE:
        yield fact_of_side("memory is freed", side, f"{side.subject} frees the memory")
    if "~" in side.function:
        yield fact_of_side(f"{role} is a destructor", side, f"{side.subject} is a destructor")
    if side.writes and _destroys_object(side):
        yield fact_of_side("the object is destroyed", side, f"{side.subject} ends the object's life")
    if side.writes and naming.is_value_method(side.function):
        yield fact_of_side("writer has a value receiver", side, "the method works on a copy")
    if side.writes and addresses.may_follow_lock(side):
        yield Fact("a lock fits before the write", side=side)


def _facts_of_actor(role: str, side: RaceSide) -> Iterator[Fact]:
    if side.is_main:
        yield Fact(f"{role} is the main thread", side=side)
    if side.actor.state is ActorState.FINISHED:
        yield fact_of_side(f"{role} has finished", side, f"{side.actor.id} has finished since")
    if side.is_worker:
        yield Fact(f"{role} is a started worker", side=side)
    if side.is_closure:
        yield Fact(f"{role} is a closure", side=side)


def _destroys_object(side: RaceSide) -> bool:
    """Does the access end the object's lifetime? A destructor that only writes may be that of a guard that counts."""
    if any(_DESTROY_FUNCTION.search(frame.function) for frame in side.library_frames):
        return True
    return "~" in side.function and (side.context.report.kind == "data-race-on-vptr" or side.access.op is Op.FREE)


def _facts_of_library_frame(role: str, side: RaceSide, frame: Frame) -> Iterator[Fact]:
    name = frame.function
    point = point_of(frame)
    if name.startswith(("runtime.map", "reflect.map", "internal/runtime/maps.", "runtime.mapi")):
        kind = "map is changed" if "assign" in name or "delete" in name or "clear" in name else "map is read"
        yield Fact("map function", side.evidence_at_site(f"{side.subject} uses a map: `{name}`"), side=side)
        yield Fact(kind, side=side)
    elif name.startswith(("runtime.growslice", "runtime.slicecopy")):
        yield Fact("slice grows", side.evidence_at_site(f"{side.subject} appends to a slice"), side=side)
    elif name.startswith(("runtime.racewrite", "race.Write")) and not side.library_frames[0].function.endswith("range"):
        yield Fact("WaitGroup waits", side=side)
    elif name.startswith("sync.(*WaitGroup)."):
        yield Fact(
            f"WaitGroup.{name.rpartition('.')[2]}", Evidence(f"{side.subject} calls `{name}`", side.point), side=side
        )
    elif name.startswith(_COPY_FUNCTIONS):
        yield Fact(f"{role} copies memory", side.evidence_at_site(f"{side.subject} copies a whole value"), side=side)
    elif name.startswith(_LOCK_METHODS):
        yield Fact("lock function", Evidence(f"{side.subject} calls `{name}`", point), side=side)
    elif name.startswith("sync.(*Once)."):
        yield Fact("inside Once.Do", side=side)
    elif name.startswith("sync.(*Pool)."):
        yield Fact("pool function", Evidence(f"{side.subject} calls `{name}`", point), side=side)
    elif name.startswith(_SORT_PACKAGES):
        yield Fact("sort function", Evidence(f"{side.subject} sorts: `{name}`", point), side=side)
    elif name.startswith("runtime.gorecover"):
        yield Fact("panic on the stack", side=side)
    elif name.startswith(_PRINT_PACKAGES) and not side.writes:
        yield Fact("a library reads the whole object", Evidence(f"`{name}` reads all of it", side.point), side=side)
    elif name.startswith(_FILE_METHODS):
        kind = "file is closed" if name.endswith((".Close", ".close")) else "file is used"
        yield Fact(kind, Evidence(f"{side.subject} calls `{name}`", point), side=side)
    if kind := unsafe_type_of(name):
        text = f"{side.subject} uses a `{kind}`, which is not safe for concurrent use"
        yield Fact("unsafe type in a frame", side.evidence_at_site(text), side=side, subject=kind)
    if name.startswith("testing.") and ("log" in name.lower() or "Error" in name or "Fatal" in name):
        yield Fact("the test's log is used", side.evidence_at_site(f"{side.subject} logs to the test"), side=side)


def _facts_of_tests(role: str, side: RaceSide) -> Iterator[Fact]:
    if side.is_in_test_file:
        yield Fact(f"{role} in a test file", side.evidence_at_site(f"{side.action} in a test file"), side=side)
    if side.runs_test:
        yield Fact(f"{role} is the goroutine of a test", side=side)
    elif side.library_frames and side.library_frames[0].function.startswith("testing."):
        yield Fact(f"{role} in the testing package", side=side)
    start = side.start_frame
    if start is not None and naming.is_test_file(start.file):
        yield Fact(f"{role} started by a test", Evidence("a test started it", point_of(start)), side=side)


def _facts_of_names(role: str, side: RaceSide) -> Iterator[Fact]:
    for position, (frame, name, parts) in enumerate(side.named_frames):
        verbs = {parts[0], parts[-1]} if "_" in name else {parts[0]}
        for title, group in _NAME_GROUPS.items():
            if not group.isdisjoint(verbs):
                place = "" if position == 0 else "'s caller"
                text = f"`{naming.without_package(side.enclosing_function(frame))}` {title}, by its name"
                yield Fact(f"{role}{place} {title}", Evidence(text, point_of(frame)), side=side, subject=name)


def _facts_of_start(writer: RaceSide, other: RaceSide) -> Iterator[Fact]:
    """Which side started the other, and where it is now."""
    for starter, worker, title in ((writer, other, "writer"), (other, writer, "other side")):
        functions = {f.function: f for f in reversed(starter.live_frames) if f.origin is Origin.USER}
        start = next((f for f in worker.start_stack if f.function in functions and not f.stale), None)
        if start is None:
            continue
        now, name = functions[start.function], naming.without_package(start.function)
        evidence = Evidence(f"`{name}` started {worker.actor.id or 'the other side'}", point_of(start))
        place = "elsewhere than"
        if now.file == start.file and now.line and start.line:
            place = "below" if now.line > start.line else "above" if now.line < start.line else "at"
        yield Fact(f"{title} started the other and is {place} the start", evidence, side=starter, subject=name)
        renews = title == "writer" and any(parts[0] in naming.RENEWING_VERBS for _, _, parts in starter.named_frames)
        if renews and place in ("above", "below"):
            yield Fact("the starter renews what its worker may use", evidence, side=starter, subject=name)
        if starter.site is None or start.function != starter.site.function:
            yield Fact(f"a caller of the {title} started the other", evidence, side=starter, subject=name)
        if naming.is_test_file(start.file):
            yield Fact("a test started one side and meets it", evidence, side=starter, subject=name)
        elif naming.bare_name(start.function) == "main":
            yield Fact("main started one side and meets it", evidence, side=starter, subject=name)
    a, b = writer.start_frame, other.start_frame
    if a is not None and b is not None and writer.is_worker and other.is_worker:
        if (a.file, a.line) == (b.file, b.line):
            yield Fact("both started by one line", Evidence("one line started both", point_of(a)))
        elif a.function == b.function:
            yield Fact("both started by one function", Evidence("one function started both", point_of(a)))


def _facts_of_both(context: RaceContext, a: RaceSide, b: RaceSide) -> Iterator[Fact]:
    if a.writes and b.writes:
        yield Fact("both sides write")
    if a.atomic and b.atomic:
        yield Fact("both sides are atomic")
    if a.site and b.site and (a.site.file, a.site.line) == (b.site.file, b.site.line):
        yield Fact("same line", a.evidence_at_site("both sides are on this line"))
    elif a.site and b.site and a.site.function == b.site.function:
        yield Fact("same function", a.evidence_at_site("both sides are in this function"))
    elif context.in_same_function:
        is_both = a.is_closure and b.is_closure
        yield Fact(
            "two closures of one function" if is_both else "a closure and its function", a.evidence_at_site(a.action)
        )
    elif a.owner and a.owner == b.owner and ("(" in a.owner or "::" in a.function):
        yield Fact("methods of one type")
    elif a.site and b.site and a.site.file == b.site.file:
        yield Fact("same file")
    elif a.site and b.site and a.site.package != b.site.package:
        yield Fact("different packages")
    if a.is_worker and b.is_worker:
        yield Fact("both are started workers")
    if a.runs_test and b.runs_test and a.actor.id != b.actor.id:
        yield Fact("both are goroutines of tests", a.evidence_at_site(f"{a.action} in the goroutine of a test"))
    tests = [{n for f in (*s.live_frames, *s.actor.created_at) if (n := go.enclosing_test(f.function))} for s in (a, b)]
    if context.is_go and all(tests) and tests[0].isdisjoint(tests[1]):
        yield Fact("sides belong to different tests")
    if library_type_of_both(context):
        yield Fact("both inside one library type", a.evidence_at_site(f"both use a `{library_type_of_both(context)}`"))
    if addresses.has_call_between(a, b) or dict(context.report.facts).get("one line"):
        yield Fact("a call between the read and the write")
