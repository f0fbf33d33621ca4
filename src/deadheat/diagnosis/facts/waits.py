"""Whether a worker's result is used before the worker finishes, and whether the sides are meant to be ordered."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from deadheat.diagnosis.context import once_per_report
from deadheat.diagnosis.facts import addresses, lifetime
from deadheat.diagnosis.facts import function_names as naming
from deadheat.diagnosis.facts.condition_checks import verb_of
from deadheat.diagnosis.finding import Evidence
from deadheat.diagnosis.race_side import RaceSide, is_below, point_of, runs_in_starter_closure
from deadheat.diagnosis.rule import FAIR, RuleMatch
from deadheat.model import Frame, Origin

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deadheat.diagnosis.context import RaceContext
    from deadheat.diagnosis.facts.code_facts import FunctionFacts

_MAX_START_FRAMES = 4  # callers further out start other things


@once_per_report
def may_run_in_order(context: RaceContext) -> bool:
    """May the two sides be meant to run in order?"""
    if timer := lifetime.timer_side(context):
        return any(side.writes for side in context.race_sides if side is not timer)
    if (
        lifetime.find_continuing_starter(context)
        or _is_memory_of_active_call(context)
        or _starter_continues_below(context)
        or _reads_finished_worker(context)
        or lifetime.find_next_round(context)
    ):
        return True
    if lifetime.find_package_worker(context):
        return not lifetime.is_meant_concurrent(context)
    return not context.is_go and any(_main_meets_worker(a, b) for a, b in context.side_pairs)


_COMPLETION_CALLS = {"Done", "close", *naming.WAITS_BY_SIGNAL}


def _starter_continues_below(context: RaceContext) -> bool:
    """Has a function, no test or `main`, started a worker through a call, and continued to meet it further down?"""
    for worker, other in context.side_pairs if context.is_go and not addresses.is_package_variable(context) else ():
        if not worker.writes or not worker.is_worker or other.is_worker:
            continue
        start_frames = [f for f in worker.actor.created_at if f.origin is Origin.USER and not f.stale]
        for then in start_frames[:_MAX_START_FRAMES]:
            if naming.is_test_file(then.file) or naming.bare_name(context.enclosing_function(then.function)) == "main":
                continue
            now = other.frame_in(then.function)
            if now is not None and now.file == then.file:
                return is_below(now, then)
    return False


def _reads_finished_worker(context: RaceContext) -> bool:
    """Has a worker that `main` started finished, and does a method of the same type, no getter, read its result?"""
    for worker, other in context.side_pairs if context.is_go else ():
        if not worker.writes or not worker.is_worker or other.writes or other.is_worker:
            continue
        start_frame = worker.start_frame
        if start_frame is None or naming.bare_name(worker.enclosing_function(start_frame)) != "main":
            continue
        entry = next((f for f in reversed(worker.user_frames) if f.line != start_frame.line), None)
        is_same_type = entry is not None and naming.owner_of(worker.enclosing_function(entry)) == other.owner
        is_getter = verb_of(other.function) in naming.READING_VERBS
        if is_same_type and "(" in other.owner and lifetime.has_finished(worker) and not is_getter:
            return True
    return False


def _main_meets_worker(worker: RaceSide, main: RaceSide) -> bool:
    """Does the main thread of a C program meet a worker before its start, if not reported, or after its end?"""
    if not worker.is_worker or not main.is_main:
        return False
    if worker.writes:
        return lifetime.comes_after_work(main)
    return main.writes and worker.start_frame is None


def _is_memory_of_active_call(context: RaceContext) -> bool:
    """In C and C++: was the memory allocated by a call that is still active? Then the caller intends to wait."""
    location = context.report.location
    if context.is_go or location is None or location.kind != "heap":
        return False
    makers = {f.function for f in location.stack if f.origin is Origin.USER and f.function != "main"}
    for side, other in context.side_pairs:
        calls = [f.function for f in side.user_frames[1:] if f.function in makers]
        if calls and not any(f.function in calls for f in other.live_frames):
            return True
    return False


# "<-timeout", "<-p.timer.C", "<-deadline"
_TIMEOUT_BRANCH = re.compile(r"<-\s{0,9}[\w.]{0,80}(?:[tT]ime(?:r|out)|[dD]eadline)")
# "<-after.C"; in a loop it is a ticker, not a timeout
_TIMER_BRANCH = re.compile(r"<-\s{0,9}[\w.]{1,80}\.C\b")
_MAX_RECEIVES = 8  # receives below the start that are examined
_MAX_SLEEP_FRAMES = 2  # frames from the site outwards in which a sleep replaces a wait


class AbandonedWorker(NamedTuple):
    """The worker, the side that uses its work too early, its start, and the reason."""

    worker: RaceSide
    other: RaceSide
    start_frame: Frame
    reason: Evidence


def find_abandoned_worker(context: RaceContext) -> AbandonedWorker | None:
    """A worker whose starter continued, and an access further down by the starter."""
    for worker, other, start_frame, facts in _started_workers(context):
        if (now_and_then := _starter_now_and_then(worker, other)) is None:
            continue
        reason = _timed_wait_below(context, facts, start_frame)
        reason = reason or _sleep_as_wait(context, worker, other, facts, *now_and_then)
        if reason is not None:
            return AbandonedWorker(worker, other, start_frame, reason)
    return None


def _started_workers(context: RaceContext) -> Iterator[tuple[RaceSide, RaceSide, Frame, FunctionFacts]]:
    """Each background worker, the other side, which holds no lock, its start, and the code there."""
    for other, worker in context.side_pairs if context.source else ():
        start_frame = worker.start_frame if lifetime.is_background_worker(worker) else None
        facts = context.function_at(start_frame) if start_frame else None
        if facts is not None and start_frame is not None and not other.locks_held:
            yield worker, other, start_frame, facts


def was_set_before_start(context: RaceContext, setter: RaceSide, now: Frame, start_frame: Frame) -> bool:
    """Did the function that sets something do the same above the line that started the worker?"""
    facts = context.function_at(now) if setter.site == now else None
    if facts is None:
        return False
    first = start_frame.line or 0
    paths = {u.path for u in facts.stores if u.line == facts.line and len(u.path) > 1}
    if any(u.path in paths and u.line < first for u in facts.stores):
        return True
    earlier_calls = [c for c in facts.calls if c.line < first]
    calls = [c for c in facts.calls if c.line == facts.line]
    # "pace.Reset()": by a library method of the same object
    method_calls = {(c.name, c.target) for c in calls if c.target and setter.library_frames}
    if any((c.name, c.target) in method_calls for c in earlier_calls):
        return True
    # "strcpy(job->title, …)": by the first argument of a call
    first_arguments = {(c.name, c.arguments.partition(",")[0]) for c in calls}
    return any((c.name, c.arguments.partition(",")[0]) in first_arguments for c in earlier_calls if "," in c.arguments)


def find_reused_object(context: RaceContext) -> tuple[RaceSide, Frame, Frame] | None:
    """A worker that ends by itself, where its object is reused before that, and its start."""
    for owner, worker in context.side_pairs if context.has_code and not context.is_go else ():
        if not owner.writes or worker.writes or not lifetime.is_background_worker(worker) or owner.locks_held:
            continue
        now_and_then = _starter_now_and_then(worker, owner)
        if now_and_then is None:
            continue
        now, earlier_frame = now_and_then
        if not was_set_before_start(context, owner, now, earlier_frame):
            continue
        if not any(naming.is_in_endless_loop(context, frame) for frame in worker.user_frames):
            return worker, now, earlier_frame
    return None


def _starter_now_and_then(worker: RaceSide, other: RaceSide) -> tuple[Frame, Frame] | None:
    """Where the function that started the worker is now, and where it was at the start."""
    for earlier_frame in worker.start_stack:
        now = next((f for f in other.live_frames if f.function == earlier_frame.function), None)
        if now is not None and not earlier_frame.stale and now.file == earlier_frame.file:
            return (now, earlier_frame) if is_below(now, earlier_frame) else None
    return None


def _timed_wait_below(context: RaceContext, facts: FunctionFacts, start_frame: Frame) -> Evidence | None:
    """Did the function that started it wait with a timeout?"""
    outer = sum(c.first_line < facts.line for c in facts.closures)
    for call in facts.calls:
        is_timed = call.name in naming.TIMED_WAITS or (call.target, call.name) == ("time", "After")
        is_timed = is_timed or (context.is_go and call.name == "Done" and call.target.lower().endswith("ctx"))
        if is_timed and call.line > facts.line and call.closure_depth <= outer:
            return _timeout_evidence(call.name, start_frame, call.line)
    for line in [line for line in facts.receive_lines if line > facts.line][:_MAX_RECEIVES]:
        there = context.function_at(start_frame, line)
        branch = there.select_branch if there else ""
        if there and (_TIMEOUT_BRANCH.search(branch) or (not there.loops and _TIMER_BRANCH.search(branch))):
            return _timeout_evidence(branch, start_frame, line)
    return None


def _timeout_evidence(what: str, start_frame: Frame, line: int) -> Evidence:
    text = f"`{what[:60]}` stops the wait after a timeout while the worker keeps running"
    return Evidence(text, point_of(start_frame, line))


def _sleep_as_wait(
    context: RaceContext, worker: RaceSide, other: RaceSide, facts: FunctionFacts, now: Frame, then: Frame
) -> Evidence | None:
    """Was the thread detached, so that nobody can wait for it, and its result read after a sleep?"""
    if not any(c.name in naming.DETACH_CALLS for c in facts.calls):
        return None
    if any(naming.is_in_endless_loop(context, frame) for frame in worker.user_frames):
        return None  # it never ends by itself: reading its data meanwhile needs a lock
    candidates = [(now, then.line or 0)] if not other.writes else []
    # "lookup_wait(l, ms)" sleeps itself
    candidates += [(frame, 0) for frame, _ in other.call_chain[:_MAX_SLEEP_FRAMES] if frame.function != now.function]
    # so may the starter, before it returns
    earlier_frame = worker.start_frame
    if earlier_frame is not None and earlier_frame.function != now.function and not other.writes:
        candidates.append((earlier_frame._replace(line=facts.last_line), facts.line))
    for frame, first in candidates:
        frame_facts = context.function_at(frame)
        for call in frame_facts.calls if frame_facts else ():
            if call.name in naming.SLEEP_CALLS and first < call.line < (frame.line or 0):
                text = f"the thread is detached, and only `{call.name}` waits for it"
                return Evidence(text, point_of(frame, call.line))
    return None


_MAX_WAIT_FRAMES = 2  # frames from the site outwards in which a wait concerns the worker


def wait_lines(context: RaceContext, frame: Frame, facts: FunctionFacts) -> list[int]:
    """The lines of a function, outside of what it starts and defers, on which it waits."""
    closure_depth = len(facts.closures)
    calls = naming.calls_to(context, facts, frame, naming.JOIN_CALLS)
    called = [c.line for c in calls if c.closure_depth == closure_depth]
    deferred = {c.line for c in facts.calls if c.deferred}
    return sorted(line for line in (*called, *facts.receive_lines) if line not in deferred)


def timed_wait_above(side: RaceSide) -> Evidence | None:
    """The wait with a timeout above its access in the same function."""
    for frame, facts in side.call_chain[:_MAX_WAIT_FRAMES]:
        for call in facts.calls:
            is_timed = call.name in naming.TIMED_WAITS and call.line <= facts.line
            if is_timed and call.closure_depth == len(facts.closures):
                return Evidence(f"`{call.name}` stops waiting after a timeout", point_of(frame, call.line))
    return None


def find_early_return(context: RaceContext) -> AbandonedWorker | None:
    """The worker, the side that uses its work and returns, its start, and the skipped wait."""
    for worker, other, start_frame, start_facts in _started_workers(context):
        if limit := None if context.is_go or other.is_worker else timed_wait_above(other):
            return AbandonedWorker(worker, other, start_frame, limit)
        for frame, facts in other.call_chain:
            if facts.definition != start_facts.definition or facts.line <= start_facts.line:
                continue
            lines = wait_lines(context, frame, facts)
            after = [line for line in lines if line > facts.line]
            if facts.block_returns and after and not any(start_facts.line < n <= facts.line for n in lines):
                text = "the wait for the worker comes further down: the function returns here without it"
                return AbandonedWorker(worker, other, start_frame, Evidence(text, point_of(frame, after[0])))
    return None


def find_stop_without_wait(context: RaceContext) -> AbandonedWorker | None:
    """A worker that its starter signalled to stop without waiting, and whose work is read."""
    for worker, other, start_frame, start_facts in _started_workers(context):
        now_and_then = _starter_now_and_then(worker, other) if worker.writes and not other.writes else None
        line = _stop_signal_line(start_facts, worker) if now_and_then else 0
        if now_and_then is None or not line or any(n > line for n in wait_lines(context, start_frame, start_facts)):
            continue
        if now_and_then[1] != start_frame or (now_and_then[0].line or 0) > line:
            text = "signals the worker to stop and does not wait until it has finished"
            return AbandonedWorker(worker, other, start_frame, Evidence(text, point_of(start_frame, line)))
    return None


def _stop_signal_line(start_facts: FunctionFacts, worker: RaceSide) -> int:
    """The line below its start that signals the worker to stop: `close(m.over)`, `cancel()`."""
    awaited = {name for _, code in worker.call_chain for name in code.awaited_names}
    for call in start_facts.calls:
        channel = call.arguments.rpartition(".")[2] if call.name == "close" else ""
        is_signal = channel in awaited or (call.name == "cancel" and "Done" in awaited)
        if is_signal and call.line > start_facts.line and call.closure_depth == len(start_facts.closures):
            return call.line
    return 0


def find_returned_result(context: RaceContext) -> AbandonedWorker | None:
    """A worker that still uses what its function, after a wait, has returned."""
    for worker, other in context.side_pairs if context.has_code else ():
        start_frame, here = worker.start_frame, worker.site_facts
        start_facts = context.function_at(start_frame) if start_frame and worker.is_worker else None
        if start_facts is None or start_frame is None or here is None or other.locks_held:
            continue
        if not here.closures or here.definition != start_facts.definition:
            continue
        if _has_sent_signal(here):
            continue  # then the signal itself comes too early
        if any(facts.definition == start_facts.definition for _, facts in other.call_chain):
            continue
        outer_names = {n for n, d in here.declarations.items() if d.closure_depth < len(here.closures)}
        captured = outer_names & {u.path[0] for u in here.uses}
        lines = [n for n in wait_lines(context, start_frame, start_facts) if n > start_facts.line]
        lines = [n for n in lines if not is_in_started_code(start_facts, n)]
        name = min(captured & start_facts.returned_names, default="")
        if lines and name:
            text = f"waits here and then returns `{name}` while the worker keeps running"
            return AbandonedWorker(worker, other, start_frame, Evidence(text, point_of(start_frame, lines[0])))
    return None


def _has_sent_signal(here: FunctionFacts) -> bool:
    """Has the closure signalled completion, or sent its result, above the line?"""
    closure = here.closures[-1]
    signal_lines = [c.line for c in here.calls if c.name in _COMPLETION_CALLS]
    return any(closure.first_line <= line < here.line for line in (*signal_lines, *here.send_lines))


def is_in_started_code(facts: FunctionFacts, line: int) -> bool:
    """Is a line in code that is started as a goroutine?"""
    return any(s.line <= line <= s.last_line for s in facts.thread_starts)


def later_wait_line(context: RaceContext, side: RaceSide) -> int | None:
    """The line on the call chain, after the access, on which it waits for others, if any."""
    for frame, facts in side.call_chain:
        if not facts.block_returns:
            lines = (*wait_lines(context, frame, facts), *_waiting_teardown_lines(context, frame, facts))
            if later := [line for line in lines if line > facts.line]:
                return later[0]
    return None


def _waiting_teardown_lines(context: RaceContext, frame: Frame, facts: FunctionFacts) -> Iterator[int]:
    """The lines that call a teardown which waits for a worker: `s.done()`, `s.close()`."""
    for call in facts.calls:
        ends = naming.begins_with(call.name, naming.ENDING_VERBS) and call.target and not call.deferred
        inner = context.find_function(call.name, frame) if ends else None
        if inner and inner.receive_lines:
            yield call.line


def worker_left_by_starter(context: RaceContext) -> RuleMatch | None:
    """A function that looks synchronous returned and left a worker running, in Go its own closure."""
    match = None if context.source else lifetime.find_package_worker(context) or _caller_continues_below(context)
    if match is None or not _looks_complete(context, *match):
        return None
    worker, other, start_frame = match
    if context.is_go and not runs_in_starter_closure(worker, start_frame):
        return None
    starter_name = naming.without_package(context.enclosing_function(start_frame.function))
    evidence = (
        worker.evidence_at_site(f"{worker.action} in a worker ({worker.actor.id})"),
        Evidence(f"`{starter_name}` started it and has returned", point_of(start_frame)),
        other.evidence_at_site(f"{other.action} its result while the worker is still running"),
    )
    change = f"Make `{starter_name}` wait for its worker before it returns."
    return RuleMatch(FAIR, evidence, change, (point_of(start_frame), other.point))


def _caller_continues_below(context: RaceContext) -> tuple[RaceSide, RaceSide, Frame] | None:
    """A worker whose starter has returned: its caller is further down on the other stack."""
    for worker, other in context.side_pairs:
        start_frame = worker.start_frame if worker.is_worker and not other.is_worker else None
        if start_frame is None or naming.is_test_file(start_frame.file):
            continue  # tests run things concurrently on purpose
        if any(f.function == start_frame.function for f in other.live_frames):
            continue
        created = worker.actor.created_at
        for caller_frame in created[created.index(start_frame) + 1 :]:
            if now := other.frame_in(caller_frame.function):
                return (worker, other, start_frame) if is_below(now, caller_frame) else None
    return None


def _looks_complete(context: RaceContext, worker: RaceSide, other: RaceSide, start_frame: Frame) -> bool:
    """Does the worker write what is read after a function whose name does not start anything?"""
    name = context.enclosing_function(start_frame.function)
    if not lifetime.reads_before_end(other, worker):
        return False
    if lifetime.is_body_of_starter(worker, start_frame):
        return not lifetime.has_finished(worker)
    *_, class_name, bare = ["", "", *name.partition("(")[0].split("::")]
    is_constructor = class_name == bare != ""
    return not is_constructor and not lifetime.is_starting_name(name)


def starter_did_not_wait(context: RaceContext) -> RuleMatch | None:
    """The starter continues to read the worker's result while the worker still runs."""
    match = lifetime.find_continuing_starter(context) if context.source is None else None
    if match is None or match.other.writes or lifetime.has_finished(match.worker):
        return None
    starter_name = naming.without_package(context.enclosing_function(match.start_frame.function))
    evidence = (
        match.worker.evidence_at_site(f"{match.worker.action} in a worker ({match.worker.actor.id})"),
        Evidence(f"`{starter_name}` started it", point_of(match.start_frame)),
        Evidence("and then uses its result", point_of(match.current_frame)),
        match.other.evidence_at_site(match.other.action),
    )
    change = f"Make `{starter_name}` wait until the worker has finished, also on timeout and error paths."
    return RuleMatch(FAIR + 0.05, evidence, change, (point_of(match.start_frame), point_of(match.current_frame)))
