"""Facts about order: starts, waits, signals, checks before a write, timers, and what a test ends."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from deadheat.diagnosis.facts import function_names as naming
from deadheat.diagnosis.facts.fact import About, Fact
from deadheat.diagnosis.finding import Evidence
from deadheat.diagnosis.race_side import point_of
from deadheat.model import Origin

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deadheat.diagnosis.context import RaceContext
    from deadheat.diagnosis.facts.code_facts import CallSite, FunctionFacts, PathCondition
    from deadheat.diagnosis.race_side import RaceSide
    from deadheat.model import Frame

_SIGNAL_CALLS = {"Done", "close", *naming.WAITS_BY_SIGNAL}
_ABSENT = re.compile(
    r"==\s*(?:nil|NULL|nullptr|0\b|\"\"|false)|(?:nil|NULL|nullptr)\s*==|^\(?!\s*[\w.>()-]+\)?$|is_none|\.empty\(\)|!\s*ok\b"
)
_TIMER_NAME = re.compile(r"timer|tick(?!et)|deadline|alarm|timeout|watchdog|debounce|heartbeat", re.IGNORECASE)
_OPENING = re.compile(r"^(?:Exec|Query|Open|Dial|Listen|Start|New\w*|Prepare|Begin|Subscribe|Watch|Run|Serve)\w*$")
_CLOSING = re.compile(r"^(?:Close|Stop|Shutdown|Cancel|Rollback|Cleanup|Release|Kill|Wait|Terminate|Quit)\w*$|^cancel$")
_MAX_FRAMES = 3  # frames from the site outwards in which a call concerns the access
_MAX_CALLS = 12


def facts_of_order(context: RaceContext) -> Iterator[Fact]:
    if not any(side.site_facts for side in context.race_sides):
        return
    for writer, other in context.role_pairs:
        yield from _facts_of_started_code(context, "writer", writer, other)
        yield from _facts_of_started_code(context, "other side", other, writer)
        yield from _facts_of_checks(context, writer, other)
    for side in context.race_sides:
        yield from _facts_of_signals(context, side)
        yield from _facts_of_ending(context, side)
        yield from _facts_of_sends(context, side)
    yield from _facts_of_wait_groups(context)
    yield from _facts_of_tests(context)


def _starts_of(context: RaceContext, starter: RaceSide, worker: RaceSide) -> Iterator[tuple[Frame, Frame, FunctionFacts]]:
    """Where a function on one side's stack started the other side: the start, where it is now, and its code."""
    for start in worker.start_stack:
        if start.origin is not Origin.USER or start.stale:
            continue
        now = next((f for f in starter.live_frames if f.function == start.function and f.file == start.file), None)
        facts = context.function_at(start) if now is not None else None
        if now is not None and facts is not None:
            yield start, now, facts
            return


def _facts_of_started_code(context: RaceContext, title: str, starter: RaceSide, worker: RaceSide) -> Iterator[Fact]:
    """What the function that started the other side does between the start and the access."""
    for start, now, facts in _starts_of(context, starter, worker):
        first, last = start.line or 0, now.line or 0
        waits = wait_lines(context, start, facts)
        if first < last:
            above = [line for line in waits if first < line < last]
            below = [line for line in waits if line >= last]
            name = naming.without_package(start.function)
            if above:
                text = f"`{name}` waits in line {above[0]}, and its {title} comes after that"
                yield Fact("starter waited before", Evidence(text, point_of(start, above[0])), side=starter)
            elif below:
                text = f"`{name}` waits only in line {below[0]}, after the access"
                yield Fact("starter waits only after", Evidence(text, point_of(start, below[0])), side=starter)
            else:
                yield Fact("starter does not wait", Evidence(f"`{name}` does not wait for what it started", point_of(start)), side=starter)
            if any(c.name in naming.TIMED_WAITS or (c.target, c.name) == ("time", "After") for c in facts.calls if first < c.line <= last):
                yield Fact("the wait has a timeout", Evidence(f"`{name}` stops waiting after a timeout", point_of(start)))
            if any(c.name in naming.SLEEP_CALLS and first < c.line <= last for c in facts.calls):
                yield Fact("a sleep stands for a wait", Evidence(f"`{name}` sleeps instead of waiting", point_of(start)))
            if starter.writes and now == starter.site:
                stored = {u.path for u in facts_at(context, now).stores if u.line == last} if facts_at(context, now) else set()
                if stored and any(u.path in stored and u.line < first for u in facts.stores):
                    yield Fact("the variable was also set before the start", side=starter)
        elif any(a <= last <= first <= b for a, b in facts.loops):
            yield Fact("the access is in the next round of a loop that starts", Evidence("the next iteration accesses it", point_of(now)), side=starter)
        if starter.start_frame is None and any(c.name == "main" for c in ()):
            return
        if naming.bare_name(start.function) == "main":
            yield Fact("main started the other", side=starter)


def facts_at(context: RaceContext, frame: Frame) -> FunctionFacts | None:
    return context.function_at(frame)


def wait_lines(context: RaceContext, frame: Frame, facts: FunctionFacts) -> list[int]:
    """The lines of a function, outside of what it starts and defers, on which it waits."""
    depth = len(facts.closures)
    calls = naming.calls_to(context, facts, frame, naming.JOIN_CALLS)
    called = [c.line for c in calls if c.closure_depth == depth]
    deferred = {c.line for c in facts.calls if c.deferred}
    lines = [line for line in (*called, *facts.receive_lines) if line not in deferred]
    return sorted(line for line in lines if not any(s.line <= line <= s.last_line for s in facts.thread_starts))


def _facts_of_checks(context: RaceContext, writer: RaceSide, other: RaceSide) -> Iterator[Fact]:
    """Is the write made under a condition on the variable, and does the other side check or use it?"""
    here = writer.site_facts
    if here is None:
        return
    names = {u.name for u in here.uses if u.writes} | ({context.variable_name} - {""})
    conditions: list[tuple[PathCondition, bool, Frame | None]] = []
    for frame, facts in writer.call_chain[:2]:
        conditions += [(c, False, frame) for c in reversed(facts.conditions)]
        conditions += [(c, True, frame) for c in reversed(facts.guard_clauses)]
    for condition, is_guard, frame in conditions:
        if not any(naming.contains_word(condition.text, name) for name in names):
            continue
        absent = bool(_ABSENT.search(condition.text)) != is_guard
        point = point_of(frame, condition.line) if frame else None
        evidence = Evidence(f"the write depends on `{condition.text[:60]}`, line {condition.line}", point)
        in_caller = "" if frame == writer.site else " of a caller"
        yield Fact(f"write under a check{in_caller} of the variable", evidence, side=writer, subject=condition.text[:60])
        if absent:
            yield Fact(f"write if the variable is not set{in_caller}", evidence, side=writer, subject=condition.text[:60])
        if writer.locks_held and any(h.line < condition.line for h in writer.locks_held) and not other.locks_held:
            yield Fact("the check is made again under the lock", evidence, side=writer)
        break
    if other.site_facts is not None and not other.writes:
        text = other.site_facts.text
        is_check = bool(re.match(r"(?:\} else )?(?:if|for|while|switch|return)\b", text)) and any(naming.contains_word(text, n) for n in names)
        if is_check:
            yield Fact("other side tests the variable", other.evidence_at_site(f"`{text[:60]}` tests it"), side=other)
            if any(f.definition == here.definition for _, f in other.call_chain[:2]):
                yield Fact("the test and the write are in one function", other.evidence_at_site(f"`{text[:60]}` tests it"), side=other)


def _goroutine_code(context: RaceContext, side: RaceSide) -> Iterator[tuple[Frame, FunctionFacts]]:
    for frame in side.user_frames[:_MAX_FRAMES]:
        if facts := context.function_at(frame):
            yield frame, facts


def _facts_of_signals(context: RaceContext, side: RaceSide) -> Iterator[Fact]:
    """Does a worker signal that it is done and then go on?"""
    if not side.is_worker:
        return
    for frame, facts in _goroutine_code(context, side):
        inner = facts.closures[-1] if facts.closures else None
        first = inner.first_line if inner else facts.first_line
        deferred_at = next((c.first_line for c in facts.closures if c.usage == "defer"), None)
        for call in facts.calls:
            if call.name not in _SIGNAL_CALLS or not first <= call.line <= facts.last_line or call.target == "ctx":
                continue
            early = call.line < facts.line and not call.deferred and call.closure_depth == len(facts.closures) and deferred_at is None
            runs_first = call.deferred and deferred_at is not None and deferred_at < call.line
            if early or runs_first:
                text = f"`{call.name}` in line {call.line} runs before the access"
                yield Fact("worker signals before the access", Evidence(text, point_of(frame, call.line)), side=side, subject=call.name)
                return


def _facts_of_ending(context: RaceContext, side: RaceSide) -> Iterator[Fact]:
    """Does a side stop a worker or a timer, and does it wait?"""
    for frame, facts in _goroutine_code(context, side):
        depth = len(facts.closures)
        calls = [c for c in facts.calls if c.closure_depth <= depth][:200]
        signals = [c for c in calls if _is_stop_signal(c)]
        waits = wait_lines(context, frame, facts)
        if signals:
            call = signals[0]
            where = "before" if call.line < facts.line else "after"
            point = point_of(frame, call.line)
            has_wait = any(line >= call.line for line in waits)
            text = f"`{call.target + '.' if call.target else ''}{call.name}` signals the end{'' if has_wait else ' and nothing waits for it'}"
            yield Fact(f"a stop signal {where} the access", Evidence(text, point), side=side, subject=call.name)
            if not has_wait:
                yield Fact("stop without a wait", Evidence(text, point), side=side, subject=call.name)
            elif any(call.line <= line < facts.line for line in waits):
                yield Fact("stop and wait before the access", Evidence(text, point), side=side, subject=call.name)
        if any(line < facts.line for line in waits):
            yield Fact("a wait before the access", side=side)
        if any(line > facts.line for line in waits):
            yield Fact("a wait after the access", side=side)
        timers = [c for c in calls if c.name in ("Stop", "Reset", "AfterFunc") and (_TIMER_NAME.search(c.target) or c.target == "time")]
        if timers:
            text = f"`{timers[0].target}.{timers[0].name}` does not wait for a function that has started"
            yield Fact("a timer is stopped or reset", Evidence(text, point_of(frame, timers[0].line)), side=side)
        return


def _is_stop_signal(call: CallSite) -> bool:
    if call.deferred:
        return False
    argument = call.arguments.rpartition(".")[2]
    if call.name == "close":
        return bool(re.search(r"quit|stop|done|clos|exit|kill|halt|shut|end|cancel", argument, re.IGNORECASE))
    return call.name in ("cancel", "Cancel", "request_stop", "pthread_cancel") or call.name in ("Stop", "Close", "Shutdown", "Kill")


def _facts_of_sends(context: RaceContext, side: RaceSide) -> Iterator[Fact]:
    """Is the object sent on a channel before it is written, or is the access ordered by a channel that is not used?"""
    here = side.site_facts
    if here is None or not here.send_lines:
        return
    if side.writes and any(line < here.line for line in here.send_lines):
        yield Fact("the writer sent on a channel before", side.evidence_at_site("it writes after a send"), side=side)
    if any(line > here.line for line in here.send_lines):
        yield Fact("a send after the access", side=side)


def _facts_of_wait_groups(context: RaceContext) -> Iterator[Fact]:
    for side in context.race_sides:
        here = side.site_facts
        for call in [c for c in here.calls if c.line == here.line][:_MAX_CALLS] if here else ():
            if here is None or call.name not in ("Add", "Done", "Wait", "Go") or not re.search(r"wg|group|wait", call.target, re.IGNORECASE):
                continue
            yield Fact(f"WaitGroup.{call.name}", side.evidence_at_site(f"`{here.text[:60]}`"), side=side, subject=call.target)
            if call.name == "Add" and (side.is_worker or any(c.usage == "go" for c in here.closures)):
                yield Fact("Add is called in a started goroutine", side.evidence_at_site(f"`{here.text[:60]}`"), side=side)


def _facts_of_tests(context: RaceContext) -> Iterator[Fact]:
    if not context.is_go:
        return
    for side in context.race_sides:
        frames = [f for f in (*side.live_frames, *side.start_stack) if naming.is_test_file(f.file) and not f.stale]
        for frame in frames[:_MAX_FRAMES]:
            facts = context.function_at(frame)
            if facts is None:
                continue
            if any(c.name == "Parallel" for c in facts.calls):
                yield Fact("test calls Parallel", Evidence("the test calls t.Parallel", point_of(frame)), side=side)
            opened = [c for c in facts.calls if c.line == facts.line and _OPENING.match(c.name)]
            closed = [c for c in facts.calls if _CLOSING.match(c.name) and c.line != facts.line]
            if opened and not closed:
                text = f"the test never ends what `{opened[0].name}` started"
                yield Fact("test does not end what it started", Evidence(text, point_of(frame)), side=side)
            elif closed:
                yield Fact("test ends what it started", side=side)
            if side.site_facts is not None and frame == side.site and side.writes:
                name = context.variable_name
                if name and sum(u.name == name for u in facts.stores) > 1:
                    yield Fact("test restores the variable", side.evidence_at_site("the test sets it more than once"), side=side)


_ = About
