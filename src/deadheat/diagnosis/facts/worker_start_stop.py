"""Calls that start or end a worker, found in code that neither stack shows."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from deadheat.diagnosis.facts.code_facts import FunctionFacts  # noqa: TC001 - as above
from deadheat.diagnosis.facts.function_names import (
    CHANGING_VERBS,
    ENDING_VERBS,
    bare_name,
    is_closure,
    is_test_file,
    name_words,
    without_package,
)
from deadheat.diagnosis.facts.lifetime import frame_with_verb, is_background_worker
from deadheat.diagnosis.facts.waits import wait_lines
from deadheat.diagnosis.finding import CodePoint, Evidence
from deadheat.diagnosis.race_side import RaceSide, point_of
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
            call_text = f"{end.target}.{end.name}" if end.target else end.name
            evidence = (
                worker.evidence_at_site(f"{worker.action} in a worker ({worker.actor.id})"),
                Evidence(
                    f"`{without_package(context.enclosing_function(now.function))}` caused its start", point_of(started)
                ),
                Evidence(f"`{call_text}` ends the object that it uses", point_of(now)._replace(line=end.line)),
                Evidence("and does not wait for the worker, which keeps running", point_of(now)),
            )
            change = f"Make `{call_text}` wait for the worker that it ends (WaitGroup or channel)."
            where = (point_of(now)._replace(line=end.line), worker.point)
            inner = context.find_function(end.name, now)
            does_not_wait = inner is not None and not wait_lines(context, now, inner)
            # a test may observe the worker on purpose
            confidence = STRONG if does_not_wait and not is_test_file(now.file) else LIKELY + 0.05
            return RuleMatch(confidence, evidence, change, where, from_source=True)
    return None


def returns_after_call(context: RaceContext, now: Frame, facts: FunctionFacts, line: int) -> bool:
    """`if bad { close(stop); return }`: does the branch with the call return before the line?"""
    there = context.function_at(now._replace(line=line))
    if there is None or any(c.line == line for c in there.conditions):
        return False  # `if err := s.Close(); err != nil {`: the call in the head is unconditional
    return there.block_returns and not set(there.conditions) <= set(facts.conditions)


def _ending_call(facts: FunctionFacts, started: int, first: int, last: int) -> CallSite | None:
    """The call between two lines that ends what another call began."""
    started_names = {
        word
        for call in facts.calls
        if call.line == started
        for word in _call_variables(facts, f"{call.target} {call.arguments} {call.result}")
    }
    for call in facts.calls:
        ends = call.name not in ("delete", "free") and ENDING_VERBS.intersection(name_words(call.name)[:1])
        is_elsewhere = (
            call.deferred or call.closure_depth != len(facts.closures) or not _is_in_same_closure(call, facts)
        )
        if not ends or is_elsewhere or not first < call.line < last:
            continue
        common = started_names.intersection(_call_variables(facts, f"{call.target} {call.arguments}"))
        if common or (call.name == "cancel" and not call.target):
            return call
    return None


def _call_variables(facts: FunctionFacts, text: str) -> list[str]:
    """The variables in a call, not functions or packages (`context` of `context.TODO()`)."""
    go = facts.path.endswith(".go")
    return [
        match[2]
        for match in _VARIABLE.finditer(text)
        if not _COMMON_VARIABLE.fullmatch(match[2])
        and not (go and match[3] and match[2] not in facts.declarations and not match[1])
    ]


def _is_in_same_closure(call: CallSite, facts: FunctionFacts) -> bool:
    """`t.Cleanup(func() { s.Close() })`: is it in the same closure as the line?"""
    inner = facts.closures[-1] if facts.closures else None
    return inner is None or inner.first_line <= call.line <= inner.last_line


def replaced_without_wait(context: RaceContext) -> RuleMatch | None:
    """Two workers of a kind: the first was signalled to stop, the next started without a wait.

    `cur := c.query(q); …; cur.close()` in a loop: both queries use the state of `c`.
    """
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
    if inner is None or wait_lines(context, frame, inner):
        return False
    if any(s.line <= end.line <= s.last_line for s in facts.thread_starts):
        return False
    return not any(end.line <= line < last for line in wait_lines(context, frame, facts))


def _replacement_match(context: RaceContext, end: CallSite, started: Frame) -> RuleMatch:
    """The match for a worker that still runs when the next one starts."""
    a, b = context.race_sides
    call_text = f"{end.target}.{end.name}" if end.target else end.name
    evidence = (
        a.evidence_at_site(f"{a.action} in {a.actor.id}"),
        b.evidence_at_site(f"{b.action} in {b.actor.id}, a worker of the same kind"),
        Evidence(
            f"`{call_text}` signals a worker to stop and does not wait for it",
            point_of(started)._replace(line=end.line),
        ),
        Evidence("and the next worker is started", point_of(started)),
    )
    change = f"Make `{call_text}` wait for the worker that it ends (WaitGroup or channel)."
    where = (point_of(started)._replace(line=end.line), a.point)
    return RuleMatch(STRONG, evidence, change, where, from_source=True)


# "d.ready = true", "s.conn = nil", "n += 1", "used++": a flag, a reset or a count, not set-up
_FLAG_OR_COUNT_STORE = re.compile(
    r"\+\+|--|[-+*/|&]=|(?<![=!<>:])=\s{0,9}(?:true|false|nil|-?\d{1,20}|\"[^\"]*\")\s{0,9}(?://|$)"
)
_IDENTIFIER = re.compile(r"\w{1,80}")
# "NewHarbour", "initRadio": a part of "making" in words.txt, without lazy creation
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


class _ChainLine(NamedTuple):
    """A line on the call chain of the write, and a frame in its folder."""

    facts: FunctionFacts
    frame: Frame


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
            if match := _start_above_write(context, setter, worker, start):
                return match
    return None


def find_test_replacement(context: RaceContext) -> StartBeforeWrite | None:
    """A test that replaces a field of an object whose creation started the worker.

    The product only reads the field: a lock that it holds there protects something else.
    """
    if StartBeforeWrite not in context.cache:
        context.cache[StartBeforeWrite] = _find_test_replacement(context)
    match: StartBeforeWrite | None = context.cache[StartBeforeWrite]
    return match


def _find_test_replacement(context: RaceContext) -> StartBeforeWrite | None:
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
        candidates = [] if _FLAG_OR_COUNT_STORE.search(here.text) else [(_ChainLine(here, site), maker_calls)]
        for chain_line, calls in (*candidates, *_closure_argument_calls(setter, here, bases)):
            for start in _start_frames(worker):
                if match := _call_leading_to_start(context, chain_line, calls, start):
                    return StartBeforeWrite(setter, worker, point_of(start), *match)
    return None


def _closure_argument_calls(
    setter: RaceSide, here: FunctionFacts, bases: set[str]
) -> Iterator[tuple[_ChainLine, list[CallSite]]]:
    """`run(func(c *Crew) { c.quiet = true })`: the caller that passes a test's closure its object.

    Calls on that object above may have started the worker; the test could not set the field earlier.
    """
    closure, caller = here.closures[-1:], setter.call_chain[1:2]
    declared_bases = {name for name in bases if name in here.declarations}
    if not closure or not caller or is_test_file(caller[0][0].file):
        return
    if any(closure[0].first_line < call.line < here.line for call in here.calls):
        return
    depth = len(here.closures)
    if any(
        (here.declarations[n].kind, here.declarations[n].closure_depth) == ("parameter", depth) for n in declared_bases
    ):
        frame, facts = caller[0]
        argument_texts = [c.arguments for c in facts.calls if c.line == facts.line]
        identifiers = {word for text in argument_texts for word in _IDENTIFIER.findall(text)}
        yield _ChainLine(facts, frame), [c for c in facts.calls if c.target.partition(".")[0] in identifiers]


def guess_main_setup(context: RaceContext) -> tuple[RaceSide, RaceSide] | None:
    """From a report alone: set-up on the main goroutine, by its name, and a concurrent reader.

    Other goroutines create objects all the time, for instance for a pool or a cache.
    """
    for setter, worker in context.side_pairs if context.is_go and context.source is None else ():
        if not setter.is_main or not setter.writes or worker.writes or setter.is_closure:
            continue
        if _is_setup_function(setter) and not _is_setup_function(worker) and not _is_starter_on_stack(setter, worker):
            return setter, worker
    return None


def _is_setup_function(side: RaceSide) -> bool:
    return bool(_SETUP_VERBS.intersection(name_words(side.function)[:1]))


def _is_starter_on_stack(setter: RaceSide, worker: RaceSide) -> bool:
    """Is a function that started the worker on the setter's own stack? Then nothing is hidden."""
    then = {worker.enclosing_function(f) for f in worker.actor.created_at if f.origin is Origin.USER}
    return bool(then.intersection(setter.enclosing_function(f) for f in setter.live_frames))


def _is_only_store(context: RaceContext, setter: RaceSide, worker: RaceSide) -> bool:
    """Is it the only line outside of tests that stores to the variable, and does it store an object?"""
    here, shared, site = setter.site_facts, context.shared_variable, setter.site
    if here is None or shared is None or site is None or is_test_file(site.file):
        return False
    if shared.kind not in ("field", "package") or setter.is_closure or here.loops:
        return False  # a closure may run many times
    if _FLAG_OR_COUNT_STORE.search(here.text):
        return False
    if not any(u.name == shared.name and u.line == here.line for u in here.stores):
        return False
    if frame_with_verb(setter, ENDING_VERBS) or CHANGING_VERBS.intersection(name_words(setter.function)[:1]):
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
        closure_frames = [f for f in reversed(worker.user_frames) if is_closure(f.function)]
        frames = [
            f for f in closure_frames if worker.enclosing_function(f) not in {g.function for g in worker.live_frames}
        ]
    return [f for f in frames if not is_test_file(f.file)][:_MAX_STARTS]


def _start_above_write(
    context: RaceContext, setter: RaceSide, worker: RaceSide, start: Frame
) -> StartBeforeWrite | None:
    """The call above the write, or above its callers, that leads to the start."""
    for chain_line in _lines_leading_to_write(context, setter):
        if match := _call_leading_to_start(context, chain_line, chain_line.facts.calls, start):
            return StartBeforeWrite(setter, worker, point_of(start), *match)
    return None


def _call_leading_to_start(
    context: RaceContext, chain_line: _ChainLine, calls: Iterable[CallSite], start: Frame
) -> tuple[str, CodePoint, CodePoint] | None:
    """The call above a line that leads to the start: its name, its point, and the line's point."""
    start_facts = context.function_at(start)
    for target in _functions_leading_to(context, start_facts, start) if start_facts else ():
        call = next((c for c in calls if _is_called_before(c, chain_line, target)), None)
        if call is not None and not returns_after_call(context, chain_line.frame, chain_line.facts, call.line):
            now = point_of(chain_line.frame)._replace(line=chain_line.facts.line)
            return call.name, now._replace(line=call.line), now
    return None


def _functions_leading_to(context: RaceContext, start: FunctionFacts, near_frame: Frame) -> list[FunctionFacts]:
    """The function that starts the worker, and its direct and indirect callers nearby."""
    functions, latest = [start], [start]
    for _ in range(_MAX_CALL_DEPTH):
        latest = [
            caller
            for target in latest
            for caller in _direct_callers(context, target, near_frame)
            if not any((caller.path, caller.first_line) == (f.path, f.first_line) for f in functions)
        ]
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


def _lines_leading_to_write(context: RaceContext, setter: RaceSide) -> Iterator[_ChainLine]:
    """The lines on the call chain of the write, outwards; beyond the stack by the only caller."""
    chain_line: _ChainLine | None = None
    for frame, facts in setter.call_chain:
        if is_test_file(frame.file) or facts.loops:
            return
        if chain_line is not None and not _is_called_once(context, chain_line):
            return
        chain_line = _ChainLine(facts, frame)
        yield chain_line
    for _ in range(_MAX_CALL_DEPTH):
        if chain_line is None or bare_name(chain_line.facts.function) == "main":
            return
        callers = list(_direct_callers(context, chain_line.facts, chain_line.frame))
        if len(callers) != 1 or callers[0].loops:
            return
        file = chain_line.frame.file
        file = file[: file.rfind("/") + 1] + callers[0].path.rpartition("/")[2]
        function = f"{chain_line.frame.package}.{callers[0].function}"
        caller_frame = chain_line.frame._replace(
            function=function, file=file, path=callers[0].path, line=callers[0].line
        )
        chain_line = _ChainLine(callers[0], caller_frame)
        yield chain_line


def _is_called_once(context: RaceContext, chain_line: _ChainLine) -> bool:
    """Is its function called from one line only, as far as the nearby code shows?"""
    return len(list(_direct_callers(context, chain_line.facts, chain_line.frame))) <= 1


def _is_called_before(call: CallSite, chain_line: _ChainLine, target: FunctionFacts) -> bool:
    """Is it a call of that function further up that is not deferred?"""
    facts = chain_line.facts
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
    return len(name_words(call.name)) > 1
