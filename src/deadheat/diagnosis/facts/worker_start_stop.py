"""Calls that start or end a worker, found in code that neither stack shows."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from deadheat.diagnosis.context import once_per_report
from deadheat.diagnosis.facts import function_names as naming
from deadheat.diagnosis.facts.code_facts import FunctionFacts  # noqa: TC001 - a field of a NamedTuple
from deadheat.diagnosis.facts.lifetime import frame_with_verb, is_background_worker
from deadheat.diagnosis.facts.waits import is_in_started_code, wait_lines
from deadheat.diagnosis.finding import CodePoint, Evidence
from deadheat.diagnosis.race_side import RaceSide, frame_in_same_folder, point_of
from deadheat.diagnosis.rule import LIKELY, STRONG, RuleMatch
from deadheat.model import Frame, Origin

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from deadheat.diagnosis.context import RaceContext
    from deadheat.diagnosis.facts.code_facts import CallSite

# "e", "conn": variables in a call, not functions as in "kv.Client()"
_VARIABLE = re.compile(r"(\.)?\b([A-Za-z_]\w*)(?![\w(])(?=(\.)?)")
# common arguments say nothing about a call: "ctx", "err", a test's `t`
_COMMON_VARIABLE = re.compile(r"_|err|t|tb|\w{0,40}[cC]tx")
_WAIT_FOR_WORKER = "Make `{}` wait for the worker that it ends (WaitGroup or channel)."


def ended_without_wait(context: RaceContext) -> RuleMatch | None:
    """A function caused the worker's start, ended its owner below, and continued without a wait."""
    for owner, worker in context.side_pairs if context.source else ():
        if not is_background_worker(worker):
            continue
        for started in worker.actor.created_at:
            now = next((f for f in owner.live_frames if f.function == started.function), None)
            if now is None or started.stale or now.file != started.file:
                continue
            facts = context.function_at(now)
            start_line = started.line or 0
            end = _ending_call(facts, start_line, start_line, now.line or 0) if facts else None
            if facts is None or end is None or returns_after_call(context, now, facts, end.line):
                break
            call_text, end_point = _full_call_name(end), point_of(now, end.line)
            starter = naming.without_package(context.enclosing_function(now.function))
            evidence = (
                worker.evidence_at_site(f"{worker.action} in a worker ({worker.actor.id})"),
                Evidence(f"`{starter}` caused its start", point_of(started)),
                Evidence(f"`{call_text}` ends the object that it uses", end_point),
                Evidence("and does not wait for the worker, which keeps running", point_of(now)),
            )
            inner = context.find_function(end.name, now)
            does_not_wait = inner is not None and not wait_lines(context, now, inner)
            # a test may observe the worker on purpose
            confidence = STRONG if does_not_wait and not naming.is_test_file(now.file) else LIKELY + 0.05
            change = _WAIT_FOR_WORKER.format(call_text)
            return RuleMatch(confidence, evidence, change, (end_point, worker.point), from_source=True)
    return None


def _full_call_name(call: CallSite) -> str:
    return f"{call.target}.{call.name}" if call.target else call.name


def returns_after_call(context: RaceContext, now: Frame, facts: FunctionFacts, line: int) -> bool:
    """`if bad { close(stop); return }`: does the branch with the call return before the line?"""
    there = context.function_at(now, line)
    if there is None or any(c.line == line for c in there.conditions):
        return False  # `if err := s.Close(); err != nil {`: the call in the head is unconditional
    return there.block_returns and not set(there.conditions) <= set(facts.conditions)


def _ending_call(facts: FunctionFacts, started: int, first: int, last: int) -> CallSite | None:
    """The call between two lines that ends what another call began."""
    starting_calls = [f"{c.target} {c.arguments} {c.result}" for c in facts.calls if c.line == started]
    started_names = {name for text in starting_calls for name in _call_variables(facts, text)}
    for call in facts.calls:
        ends = call.name not in ("delete", "free") and naming.begins_with(call.name, naming.ENDING_VERBS)
        if not ends or call.deferred or not first < call.line < last or not _is_in_same_closure(call, facts):
            continue
        common = started_names.intersection(_call_variables(facts, f"{call.target} {call.arguments}"))
        if common or (call.name == "cancel" and not call.target):
            return call
    return None


def _call_variables(facts: FunctionFacts, text: str) -> list[str]:
    """The variables in a call, not functions or packages (`context` of `context.TODO()`)."""
    is_go = facts.path.endswith(".go")
    variables = []
    for before, name, after in _VARIABLE.findall(text):
        is_package = is_go and after and not before and name not in facts.declarations
        if not is_package and not _COMMON_VARIABLE.fullmatch(name):
            variables.append(name)
    return variables


def _is_in_same_closure(call: CallSite, facts: FunctionFacts) -> bool:
    """`t.Cleanup(func() { s.Close() })`: is it in the same closure as the line?"""
    if call.closure_depth != len(facts.closures):
        return False
    return all(c.first_line <= call.line <= c.last_line for c in facts.closures[-1:])


def replaced_without_wait(context: RaceContext) -> RuleMatch | None:
    """`cur := c.query(q); …; cur.close()` in a loop: the next worker starts without a wait for the last one."""
    a, b = context.race_sides if len(context.race_sides) == 2 else (None, None)
    if a is None or b is None or not context.has_code or not (a.is_worker and b.is_worker):
        return None
    if a.function != b.function or a.actor.id == b.actor.id or a.locks_held or b.locks_held:
        return None
    for one, other in zip(a.start_stack, b.start_stack, strict=False):
        facts = context.function_at(one) if one.function == other.function else None
        if facts is None or not one.line or not other.line:
            continue
        for first, last in _lines_between_starts(facts, one.line, other.line):
            end = _ending_call(facts, min(one.line, other.line), first, last)
            if end and _ends_without_wait(context, one, facts, end, last):
                return _replacement_match(context, end, one)
    return None


def _lines_between_starts(facts: FunctionFacts, one: int, other: int) -> list[tuple[int, int]]:
    """The lines between two starts; for one start, those of its loop."""
    if one != other:
        return [(min(one, other), max(one, other))]
    loops = [(first, last) for first, last in facts.loops if first <= one <= last]
    return [part for first, last in loops[-1:] for part in ((one, last + 1), (first - 1, one))]


def _ends_without_wait(context: RaceContext, frame: Frame, facts: FunctionFacts, end: CallSite, last: int) -> bool:
    """Is the ending call known not to wait, and does nothing wait after it? Not in started code."""
    inner = context.find_function(end.name, frame)
    if inner is None or wait_lines(context, frame, inner) or is_in_started_code(facts, end.line):
        return False
    return not any(end.line <= line < last for line in wait_lines(context, frame, facts))


def _replacement_match(context: RaceContext, end: CallSite, started: Frame) -> RuleMatch:
    """The match for a worker that still runs when the next one starts."""
    a, b = context.race_sides
    call_text, end_point = _full_call_name(end), point_of(started, end.line)
    evidence = (
        a.evidence_at_site(f"{a.action} in {a.actor.id}"),
        b.evidence_at_site(f"{b.action} in {b.actor.id}, a worker of the same kind"),
        Evidence(f"`{call_text}` signals a worker to stop and does not wait for it", end_point),
        Evidence("and the next worker is started", point_of(started)),
    )
    change = _WAIT_FOR_WORKER.format(call_text)
    return RuleMatch(STRONG, evidence, change, (end_point, a.point), from_source=True)


# "d.ready = true", "s.conn = nil", "n += 1", "used++": a flag, a reset or a count, not set-up
_FLAG_OR_COUNT_STORE = re.compile(
    r"\+\+|--|[-+*/|&]=|(?<![=!<>:])=\s{0,9}(?:true|false|nil|-?\d{1,20}|\"[^\"]*\")\s{0,9}(?://|$)"
)
_IDENTIFIER = re.compile(r"\w{1,80}")
# "NewHarbour", "initRadio": a part of "creating" in words.txt, without lazy creation
_SETUP_VERBS = frozenset(("new", "init", "initialize", "setup"))
# limits: calls from set-up to the start and back, functions, starts per worker
_MAX_CALL_DEPTH, _MAX_FUNCTIONS, _MAX_STARTS = 3, 8, 4


class StartBeforeWrite(NamedTuple):
    """The side that sets up, the worker, the call that leads to its start, and the write."""

    setter: RaceSide
    worker: RaceSide
    start_point: CodePoint  # where its goroutine, or the closure that runs in it, was created
    call_name: str  # of the function that set-up calls
    call_point: CodePoint
    write_point: CodePoint


def find_start_before_write(context: RaceContext) -> StartBeforeWrite | None:
    """A write by set-up, below a call that leads to the start of a worker that reads."""
    for setter, worker in context.side_pairs if context.is_go and context.has_code else ():
        if not setter.writes or worker.writes or setter.locks_held:
            continue  # with a lock, the reader's lock is the question
        if worker.is_main or setter.actor.id == worker.actor.id or worker.is_in_test_file:
            continue
        if _is_starter_on_stack(setter, worker) or not _is_only_store(context, setter, worker):
            continue
        for start in _start_frames(worker):
            for frame, facts in _lines_leading_to_write(context, setter):
                if match := _call_leading_to_start(context, frame, facts, facts.calls, start):
                    return StartBeforeWrite(setter, worker, point_of(start), *match)
    return None


@once_per_report
def find_test_replacement(context: RaceContext) -> StartBeforeWrite | None:
    """A test that replaces a field, which the product only reads, of an object whose creation started the worker."""
    for setter, worker in context.side_pairs if context.is_go and context.has_code else ():
        here, site, shared = setter.site_facts, setter.site, context.shared_variable
        if here is None or site is None or shared is None or shared.kind != "field":
            continue
        if not setter.is_in_test_file or not setter.writes or worker.writes or worker.is_in_test_file:
            continue
        if setter.locks_held or here.loops or _is_starter_on_stack(setter, worker):
            continue
        stores = [u for u in here.stores if u.line == here.line and u.name == shared.name]
        if not stores or _store_lines(context, shared.name, True, site, worker.site):
            continue
        bases = {u.path[0] for u in stores}
        # not another object of the test, which the worker does not know
        maker_calls = [c for c in here.calls if bases & set(c.result.split(", "))]
        candidates = [] if _FLAG_OR_COUNT_STORE.search(here.text) else [(site, here, maker_calls)]
        for frame, facts, calls in (*candidates, *_closure_argument_calls(setter, here, bases)):
            for start in _start_frames(worker):
                if match := _call_leading_to_start(context, frame, facts, calls, start):
                    return StartBeforeWrite(setter, worker, point_of(start), *match)
    return None


def _closure_argument_calls(
    setter: RaceSide, here: FunctionFacts, bases: set[str]
) -> Iterator[tuple[Frame, FunctionFacts, list[CallSite]]]:
    """`run(func(c *Crew) { c.quiet = true })`: the calls above on the object that a test's closure receives."""
    closure, caller = here.closures[-1:], setter.call_chain[1:2]
    if not closure or not caller or naming.is_test_file(caller[0][0].file):
        return
    if any(closure[0].first_line < call.line < here.line for call in here.calls):
        return
    parameters = [d for name, d in here.declarations.items() if name in bases and d.kind == "parameter"]
    if any(parameter.closure_depth == len(here.closures) for parameter in parameters):
        frame, facts = caller[0]
        argument_texts = [c.arguments for c in facts.calls if c.line == facts.line]
        identifiers = {word for text in argument_texts for word in _IDENTIFIER.findall(text)}
        yield frame, facts, [c for c in facts.calls if c.target.partition(".")[0] in identifiers]


def guess_main_setup(context: RaceContext) -> tuple[RaceSide, RaceSide] | None:
    """From a report alone: set-up on the main goroutine, by its name, and a concurrent reader."""
    for setter, worker in context.side_pairs if context.is_go and context.source is None else ():
        if not setter.is_main or not setter.writes or worker.writes or setter.is_closure:
            continue
        if _is_setup_function(setter) and not _is_setup_function(worker) and not _is_starter_on_stack(setter, worker):
            return setter, worker
    return None


def _is_setup_function(side: RaceSide) -> bool:
    return naming.begins_with(side.function, _SETUP_VERBS)


def _is_starter_on_stack(setter: RaceSide, worker: RaceSide) -> bool:
    """Is a function that started the worker on the setter's own stack? Then nothing is hidden."""
    starters = {worker.enclosing_function(f) for f in worker.actor.created_at if f.origin is Origin.USER}
    return any(setter.enclosing_function(f) in starters for f in setter.live_frames)


def _is_only_store(context: RaceContext, setter: RaceSide, worker: RaceSide) -> bool:
    """Is it the only line outside of tests that stores to the variable, and does it store an object?"""
    here, shared, site = setter.site_facts, context.shared_variable, setter.site
    if here is None or shared is None or site is None or naming.is_test_file(site.file):
        return False
    if shared.kind not in ("field", "package") or setter.is_closure or here.loops:
        return False  # a closure may run many times
    if _FLAG_OR_COUNT_STORE.search(here.text):
        return False
    if not any(u.name == shared.name and u.line == here.line for u in here.stores):
        return False
    if frame_with_verb(setter, naming.ENDING_VERBS) or naming.begins_with(setter.function, naming.CHANGING_VERBS):
        return False
    field = any(u.line == here.line and len(u.path) > 1 for u in here.stores)
    return len(_store_lines(context, shared.name, field, site, worker.site)) == 1


def _store_lines(context: RaceContext, name: str, field: bool, *near: Frame | None) -> set[tuple[str, int]]:
    """The lines outside of tests that store to it."""
    source = context.source
    return {store for f in near if f and source for store in source.find_stores(name, field, f)}


def _start_frames(worker: RaceSide) -> list[Frame]:
    """Where it was started; if not reported, the closures that run in it, outermost first."""
    frames = [f for f in worker.start_stack if f.origin is Origin.USER and not f.stale]
    if not frames:
        functions = {f.function for f in worker.live_frames}
        frames = [f for f in reversed(worker.user_frames) if naming.is_closure(f.function)]
        frames = [f for f in frames if worker.enclosing_function(f) not in functions]
    return [f for f in frames if not naming.is_test_file(f.file)][:_MAX_STARTS]


def _call_leading_to_start(
    context: RaceContext, frame: Frame, facts: FunctionFacts, calls: Iterable[CallSite], start: Frame
) -> tuple[str, CodePoint, CodePoint] | None:
    """The call above a line that leads to the start: its name, its point, and the line's point."""
    start_facts = context.function_at(start)
    for target in _functions_leading_to(context, start_facts, start) if start_facts else ():
        call = next((c for c in calls if _is_called_before(c, facts, target)), None)
        if call is not None and not returns_after_call(context, frame, facts, call.line):
            return call.name, point_of(frame, call.line), point_of(frame, facts.line)
    return None


def _functions_leading_to(context: RaceContext, start: FunctionFacts, near_frame: Frame) -> list[FunctionFacts]:
    """The function that starts the worker, and its direct and indirect callers nearby."""
    functions, latest = [start], [start]
    for _ in range(_MAX_CALL_DEPTH):
        known = [f.definition for f in functions]
        callers = [caller for target in latest for caller in _direct_callers(context, target, near_frame)]
        latest = [caller for caller in callers if caller.definition not in known]
        functions += latest
        if len(functions) > _MAX_FUNCTIONS:
            break
    return functions[:_MAX_FUNCTIONS]


def _direct_callers(context: RaceContext, target: FunctionFacts, near_frame: Frame) -> Iterator[FunctionFacts]:
    """The functions that call or start a function themselves, not in a closure that they pass on."""
    key = "callers", target.function, near_frame.file
    if key not in context.cache:
        source = context.source
        context.cache[key] = source.find_callers(target.function, near_frame) if source else ()
    for caller in context.cache[key]:
        is_direct = not caller.closures or caller.closures[-1].usage == "go"
        if is_direct and any(c.line == caller.line and _refers_to(c, caller, target) for c in caller.calls):
            yield caller


def _lines_leading_to_write(context: RaceContext, setter: RaceSide) -> Iterator[tuple[Frame, FunctionFacts]]:
    """The lines on the call chain of the write, outwards; beyond the stack by the only caller."""
    callers: list[FunctionFacts] = []
    for frame, facts in setter.call_chain:
        if naming.is_test_file(frame.file) or facts.loops or len(callers) > 1:
            return
        yield frame, facts
        callers = list(_direct_callers(context, facts, frame))
    for _ in range(_MAX_CALL_DEPTH):
        if len(callers) != 1 or callers[0].loops or naming.bare_name(facts.function) == "main":
            return
        facts = callers[0]
        frame = frame_in_same_folder(frame, facts, f"{frame.package}.{facts.function}")
        frame = frame._replace(path=facts.path, line=facts.line)
        yield frame, facts
        callers = list(_direct_callers(context, facts, frame))


def _is_called_before(call: CallSite, facts: FunctionFacts, target: FunctionFacts) -> bool:
    """Is it a call of that function further up that is not deferred?"""
    if call.line >= facts.line or call.deferred or call.closure_depth > len(facts.closures):
        return False
    return _refers_to(call, facts, target)


def _refers_to(call: CallSite, facts: FunctionFacts, target: FunctionFacts) -> bool:
    """Does a call refer to that very function, by its name and the type of its target?"""
    if call.name != target.function:
        return False
    near = facts.path.rpartition("/")[0] == target.path.rpartition("/")[0]
    base, _, rest = call.target.partition(".")
    declaration = facts.declarations.get(base)
    if not target.receiver:
        return declaration is None and not rest and bool(base) != near
    if not base:
        return False
    if declaration is not None and not rest:
        if target.receiver in declaration.type:
            return True
        if declaration.kind in ("parameter", "receiver"):
            return False
    # a name of several words is hardly shared by a method of another type
    return len(naming.name_words(call.name)) > 1
