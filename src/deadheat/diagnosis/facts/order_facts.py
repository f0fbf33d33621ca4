"""Facts about order: starts, waits, signals, checks before a write, timers, and what a test ends."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from deadheat.diagnosis.facts import function_names as naming
from deadheat.diagnosis.facts.fact import Fact, fact_at, fact_of_side
from deadheat.model import Origin

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deadheat.diagnosis.context import RaceContext
    from deadheat.diagnosis.facts.code_facts import CallSite, FunctionFacts, PathCondition
    from deadheat.diagnosis.race_side import RaceSide
    from deadheat.model import Frame

_SIGNAL_CALLS = {"Done", "close", *naming.WAITS_BY_SIGNAL}
# "c.conn == nil", "!s.ready", "len(m) == 0", "p == nullptr", "x.is_none()", "table_.empty()", "!ok"
_ABSENT = re.compile(
    r"==\s*(?:nil|NULL|nullptr|0\b|\"\"|false)|(?:nil|NULL|nullptr)\s*==|^\(?!\s*[\w.>()-]+\)?$"
    r"|is_none|\.empty\(\)|!\s*ok\b"
)
_TESTING_STATEMENT = re.compile(r"(?:\} else )?(?:if|for|while|switch|return)\b")
_TIMER_NAME = re.compile(r"timer|tick(?!et)|deadline|alarm|timeout|watchdog|debounce|heartbeat", re.IGNORECASE)
_GROUP_NAME = re.compile(r"wg|group|wait", re.IGNORECASE)
_END_CHANNEL = re.compile(r"quit|stop|done|clos|exit|kill|halt|shut|end|cancel", re.IGNORECASE)
# "cancel", "e.cancelFunc", "s.Stop", "request_stop"
_STOP_CALL = re.compile(r"[cC]ancel(?:Func|Fn)?$|(?:Stop|Close|Shutdown|Kill|request_stop|pthread_cancel)$")
_OPENING = re.compile(r"^(?:Exec|Query|Open|Dial|Listen|Start|New|Prepare|Begin|Subscribe|Watch|Run|Serve)\w*$")
_CLOSING = re.compile(r"^(?:Close|Stop|Shutdown|Cancel|Rollback|Cleanup|Release|Kill|Wait|Terminate|Quit)\w*$|^cancel$")
# frames from the site outwards in which a call concerns the access, and calls per function that are examined
_MAX_FRAMES, _MAX_CALLS = 3, 200


def facts_of_order(context: RaceContext) -> Iterator[Fact]:
    if not any(side.site_facts for side in context.race_sides):
        return
    for writer, other in context.role_pairs:
        yield from _facts_of_started_code(context, "writer", writer, other)
        yield from _facts_of_started_code(context, "other side", other, writer)
        yield from _facts_of_checks(writer, other, context.variable_name)
    for side in context.race_sides if not context.role_pairs else ():
        yield from _facts_of_checks(side, None, context.variable_name)
    for side in context.race_sides:
        yield from _facts_of_signals(context, side)
        yield from _facts_of_ending(context, side)
        yield from _facts_of_sends(side)
        yield from _facts_of_wait_groups(side)
        yield from _facts_of_tests(context, side)


def wait_lines(context: RaceContext, frame: Frame, facts: FunctionFacts) -> list[int]:
    """The lines of a function, outside of what it starts and defers, on which it waits."""
    depth = len(facts.closures)
    calls = naming.calls_to(context, facts, frame, naming.JOIN_CALLS)
    called = [c.line for c in calls if c.closure_depth == depth]
    deferred = {c.line for c in facts.calls if c.deferred}
    lines = [line for line in (*called, *facts.receive_lines) if line not in deferred]
    return sorted(line for line in lines if not any(s.line <= line <= s.last_line for s in facts.thread_starts))


def _facts_of_started_code(context: RaceContext, title: str, starter: RaceSide, worker: RaceSide) -> Iterator[Fact]:
    """What the function that started the other side does between the start and the access."""
    frames = {(f.function, f.file): f for f in reversed(starter.live_frames)}
    for start in [f for f in worker.start_stack if f.origin is Origin.USER and not f.stale]:
        now, facts = frames.get((start.function, start.file)), context.function_at(start)
        if now is None or facts is None:
            continue
        first, last, name = start.line or 0, now.line or 0, f"`{naming.without_package(start.function)}`"
        if first < last:
            yield _fact_of_wait(starter, start, f"{name} waits", title, wait_lines(context, start, facts), last)
            between = [call for call in facts.calls if first < call.line <= last]
            if any(c.name in naming.TIMED_WAITS or (c.target, c.name) == ("time", "After") for c in between):
                yield fact_at("the wait has a timeout", start, f"{name} stops waiting after a timeout", starter)
            if any(c.name in naming.SLEEP_CALLS for c in between):
                yield fact_at("a sleep stands for a wait", start, f"{name} sleeps instead of waiting", starter)
            stored = {u.path for u in facts.stores if u.line == last} if now == starter.site else set()
            if any(u.path in stored and u.line < first for u in facts.stores):
                yield Fact("the variable was also set before the start", side=starter)
        elif any(begin <= last <= first <= end for begin, end in facts.loops):
            text = "the next iteration of the loop that starts it comes here"
            yield fact_at("the access is in the next round of a loop that starts", now, text, starter)
        return


def _fact_of_wait(starter: RaceSide, start: Frame, waits: str, title: str, lines: list[int], now: int) -> Fact:
    """Does the function that started a worker wait for it before the access?"""
    above = [line for line in lines if (start.line or 0) < line < now]
    below = [line for line in lines if line >= now]
    if above:
        return fact_at("starter waited before", start, f"{waits} before the {title}", starter, above[0])
    if below:
        return fact_at("starter waits only after", start, f"{waits} only after the access", starter, below[0])
    return fact_at("starter does not wait", start, waits.replace("waits", "does not wait for what it starts"), starter)


def _facts_of_checks(writer: RaceSide, other: RaceSide | None, variable: str) -> Iterator[Fact]:
    """Is the write made under a condition on the variable, and does the other side test it?"""
    here = writer.site_facts
    if here is None:
        return
    names = {u.name for u in here.uses if u.writes} | ({variable} - {""})
    for condition, is_guard, frame, result_names in _conditions(writer):
        if not any(naming.contains_word(condition.text, name) for name in names | result_names):
            continue
        quoted = condition.text[:60]
        text = f"the write depends on `{quoted}`"
        yield fact_at("write under a check of the variable", frame, text, writer, condition.line, quoted)
        if frame != writer.site:
            yield Fact("the check is in a caller", side=writer)
        if bool(_ABSENT.search(condition.text)) != is_guard:
            yield fact_at("write if the variable is not set", frame, text, writer, condition.line, quoted)
        is_locked = any(held.line < condition.line for held in writer.locks_held)
        if is_locked and other is not None and not other.locks_held:
            yield fact_at("the check is made again under the lock", frame, text, writer, condition.line)
        break
    there = other.site_facts if other is not None and not other.writes else None
    if other is None or there is None or not _TESTING_STATEMENT.match(there.text):
        return
    if any(naming.contains_word(there.text, name) for name in names):
        text = f"`{there.text[:60]}` tests it"
        yield fact_of_side("other side tests the variable", other, text)
        if any(facts.definition == here.definition for _, facts in other.call_chain[:2]):
            yield fact_of_side("the test and the write are in one function", other, text)


def _conditions(side: RaceSide) -> Iterator[tuple[PathCondition, bool, Frame, set[str]]]:
    """The conditions under which the site and its caller run, nearest first, and whether each is a guard clause.

    With each, the names that the line stores to: `if h.conn == nil { h.conn = dial() }` leads to a write in `dial`.
    """
    for frame, facts in side.call_chain[:2]:
        names = {u.name for u in facts.stores if u.line == facts.line}
        yield from ((condition, False, frame, names) for condition in reversed(facts.conditions))
        yield from ((condition, True, frame, names) for condition in reversed(facts.guard_clauses))


def _code_near_site(context: RaceContext, side: RaceSide) -> Iterator[tuple[Frame, FunctionFacts]]:
    for frame in side.user_frames[:_MAX_FRAMES]:
        if facts := context.function_at(frame):
            yield frame, facts


def _facts_of_signals(context: RaceContext, side: RaceSide) -> Iterator[Fact]:
    """Does a worker signal that it is done and then go on?"""
    for frame, facts in _code_near_site(context, side) if side.is_worker else ():
        first = facts.closures[-1].first_line if facts.closures else facts.first_line
        deferred_at = next((c.first_line for c in facts.closures if c.usage == "defer"), None)
        for call in facts.calls:
            if call.name not in _SIGNAL_CALLS or not first <= call.line <= facts.last_line or call.target == "ctx":
                continue
            is_above = call.line < facts.line and not call.deferred and call.closure_depth == len(facts.closures)
            # deferred calls run in reverse order
            is_early = is_above if deferred_at is None else call.deferred and deferred_at < call.line
            if is_early:
                text = f"`{call.name}` runs before the access"
                yield fact_at("worker signals before the access", frame, text, side, call.line, call.name)
                return


def _facts_of_ending(context: RaceContext, side: RaceSide) -> Iterator[Fact]:
    """Does the innermost function stop a worker or a timer, and does it wait?"""
    for frame, facts in list(_code_near_site(context, side))[:1]:
        calls = [c for c in facts.calls[:_MAX_CALLS] if c.closure_depth <= len(facts.closures)]
        waits = wait_lines(context, frame, facts)
        if call := next(filter(_is_stop_signal, calls), None):
            has_wait = any(line >= call.line for line in waits)
            name = f"{call.target}.{call.name}" if call.target else call.name
            text = f"`{name}` signals the end{'' if has_wait else ', and nothing waits for it'}"
            place = "before" if call.line < facts.line else "after"
            yield fact_at(f"a stop signal {place} the access", frame, text, side, call.line, name)
            if not has_wait:
                yield fact_at("stop without a wait", frame, text, side, call.line, name)
            elif any(call.line <= line < facts.line for line in waits):
                yield fact_at("stop and wait before the access", frame, text, side, call.line, name)
        role = "writer" if side.writes else "reader"
        if any(line < facts.line for line in waits):
            yield Fact(f"{role} waits before the access", side=side)
        if later := [line for line in waits if line > facts.line]:
            yield fact_at(f"{role} waits after the access", frame, f"{side.subject} waits here", side, later[0])
        for call in [c for c in calls if c.name in ("Stop", "Reset", "AfterFunc")]:
            if _TIMER_NAME.search(call.target) or call.target == "time":
                text = f"`{call.target}.{call.name}` does not wait for a function that has started"
                yield fact_at("a timer is stopped or reset", frame, text, side, call.line)
                break


def _is_stop_signal(call: CallSite) -> bool:
    if call.name == "close":
        return not call.deferred and _END_CHANNEL.search(call.arguments.rpartition(".")[2]) is not None
    return not call.deferred and _STOP_CALL.match(call.name) is not None


def _facts_of_sends(side: RaceSide) -> Iterator[Fact]:
    """Does a side send on a channel before or after it accesses the variable?"""
    here = side.site_facts
    if here is not None and side.writes and any(line < here.line for line in here.send_lines):
        yield fact_of_side("the writer sent on a channel before", side, "it writes after a send")
    if here is not None and any(line > here.line for line in here.send_lines):
        yield fact_of_side("a send after the access", side, "it sends on a channel only after that")


def _facts_of_wait_groups(side: RaceSide) -> Iterator[Fact]:
    here = side.site_facts
    for call in here.calls if here is not None else ():
        if here is None or call.line != here.line or call.name not in ("Add", "Done", "Wait", "Go"):
            continue
        if _GROUP_NAME.search(call.target):
            text = f"`{here.text[:60]}`"
            yield fact_of_side(f"WaitGroup.{call.name}", side, text, subject=call.target)
            if call.name == "Add" and (side.is_worker or any(c.usage == "go" for c in here.closures)):
                yield fact_of_side("Add is called in a started goroutine", side, text)


def _facts_of_tests(context: RaceContext, side: RaceSide) -> Iterator[Fact]:
    """What the test on a stack does about concurrency, and whether it ends what it starts."""
    frames = [f for f in (*side.live_frames, *side.start_stack) if naming.is_test_file(f.file) and not f.stale]
    for frame in frames[:_MAX_FRAMES] if context.is_go else ():
        facts = context.function_at(frame)
        if facts is None:
            continue
        if any(c.name == "Parallel" for c in facts.calls):
            yield fact_at("test calls Parallel", frame, "the test calls `t.Parallel`", side)
        opened = [c for c in facts.calls if c.line == facts.line and _OPENING.match(c.name)]
        if any(_CLOSING.match(c.name) and c.line != facts.line for c in facts.calls):
            yield Fact("test ends what it started", side=side)
        elif opened:
            text = f"the test never ends what `{opened[0].name}` started"
            yield fact_at("test does not end what it started", frame, text, side)
        name = context.variable_name if frame == side.site and side.writes else ""
        if name and sum(u.name == name for u in facts.stores) > 1:
            yield fact_of_side("test restores the variable", side, "the test sets it more than once")
