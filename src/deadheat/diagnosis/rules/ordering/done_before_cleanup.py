"""`Done` is called before the goroutine has finished its work.

## What it sees
With source:

- The goroutine calls `wg.Done()` (or closes, or sends on, the channel that signals its end) before the racing line, or
  defers it after the function that races. The other side comes after `Wait`.
- In C and C++: it posts a semaphore, sets a promise, counts a latch down or notifies before the racing line, and the
  other side has waited for that signal.

From a report alone:

- A deferred function of a goroutine writes what a function reads that is named like one that comes after it (`Close`,
  `Wait`), or that the goroutine's starter calls further down.
- A function named `Wait` reads what a worker of its package wrote that has ended since.

## Why it races
Deferred calls run in reverse order. A call that is deferred before `defer wg.Done()` runs after it, when nobody waits
any more.

## Example
    go func() {
        defer flush(&stats)    // runs last
        defer wg.Done()        // runs first
        work()
    }()
    wg.Wait()
    print(stats)

## Remedy
Make `defer wg.Done()` the first statement of the goroutine, so that it runs last.

## When it is wrong
The group may be about other memory. A goroutine that the worker itself starts does not wait for it. A line does not
come after a call in another case of its `select`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from deadheat.diagnosis import rule
from deadheat.diagnosis.facts.function_names import (
    ENDING_VERBS,
    RESULT_WORDS,
    WAITING_VERBS,
    WAITS_BY_SIGNAL,
    calls_to,
    name_words,
    without_package,
)
from deadheat.diagnosis.facts.lifetime import find_continuing_starter, find_package_worker, runs_in_defer
from deadheat.diagnosis.facts.waits import wait_lines
from deadheat.diagnosis.finding import Evidence
from deadheat.diagnosis.race_side import RaceSide, point_of
from deadheat.diagnosis.rule import EVEN, FAIR, LIKELY, STRONG, WEAK, Rule, RuleMatch
from deadheat.model import ActorState, Frame, Origin

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deadheat.diagnosis.context import RaceContext
    from deadheat.diagnosis.facts.code_facts import CallSite, FunctionFacts

# "wg.Done()", "close(done)", "close(s.finished)"
_END_SIGNAL = re.compile(r"done|finish|quit|ready|stopp|exit|complete|closed", re.IGNORECASE)
# "<-c.home"
_RECEIVED_CHANNEL = re.compile(r"<-\s{0,9}([\w.]{1,80})")
# "sem_post(&ready)", "started.set_value()": signals of a begin, not of an end
_BEGIN_SIGNAL = re.compile(r"ready|start|begin|begun|opened|item|slot|avail|empty|full", re.IGNORECASE)
# frames from the site outwards in which a signal or a wait counts
_MAX_FRAMES = 3


def _find_done_before_cleanup(context: RaceContext) -> RuleMatch | None:
    if not context.is_go:
        return _match_early_native_signal(context) if context.has_code else None
    for worker, other in context.side_pairs:
        if not worker.is_worker:
            continue
        if worker.site_facts and other.site_facts and (hit := _match_early_signal(context, worker, other)):
            return hit
        match_late_write = _match_result_sent_early if context.has_code else _match_deferred_write
        if hit := match_late_write(context, worker, other):
            return hit
    return _match_ended_worker(context) if context.source is None else None


def _match_early_signal(context: RaceContext, worker: RaceSide, other: RaceSide) -> RuleMatch | None:
    """Match a goroutine that signals its end before the racing line runs."""
    received = _channels_received_from(context, other) if worker.writes and not other.writes else frozenset()
    signals = (_early_signal(context, frame, facts, received) for frame, facts in _goroutine_code(context, worker))
    signal = next(filter(None, signals), None)
    if signal is None or _has_started_other(worker, other):
        return None
    evidence = (
        worker.evidence_at_site(f"{worker.action} after the call of `{signal.name}` in line {signal.line}"),
        other.evidence_at_site(f"{other.action} after it was signalled that the work is done"),
    )
    change = f"Defer `{signal.name}` first in the goroutine, so that it runs last."
    confidence = EVEN  # without a wait there is no signal
    if any(line < facts.line for frame, facts in other.call_chain for line in wait_lines(context, frame, facts)):
        confidence = STRONG
    elif signal.deferred or received or _is_awaited_by_starter(context, worker, signal):
        confidence = LIKELY  # the order of deferred calls is proof enough
    return RuleMatch(confidence, evidence, change, (worker.point,), from_source=True)


def _is_awaited_by_starter(context: RaceContext, worker: RaceSide, signal: CallSite) -> bool:
    """Return whether the worker's starter waits for this signal: `<-done`, `wg.Wait()`."""
    facts = context.function_at(worker.start_frame) if worker.start_frame else None
    signal_name = (signal.target if signal.name == "Done" else signal.arguments).strip().rpartition(".")[2]
    if facts is None or not signal_name:
        return False
    waited_groups = {c.target.rpartition(".")[2] for c in facts.calls if c.name == "Wait"}
    return signal_name in facts.awaited_names | waited_groups


def _match_result_sent_early(context: RaceContext, worker: RaceSide, other: RaceSide) -> RuleMatch | None:
    """Match a closure that sends its result to its starter, and defers the access that races."""
    for _, facts in _goroutine_code(context, worker) if worker.writes and not other.is_worker else ():
        deferred_line, goroutine = _deferred_line(facts), next((c for c in facts.closures if c.usage == "go"), None)
        if deferred_line is None or goroutine is None:
            continue
        if not goroutine.first_line <= deferred_line <= goroutine.last_line:
            continue
        send_lines = [line for line in facts.send_lines if deferred_line < line <= goroutine.last_line]
        if not send_lines or all(goroutine.first_line <= line <= goroutine.last_line for line in facts.receive_lines):
            continue
        evidence = (
            worker.evidence_at_site(f"{worker.action} in a deferred call, after the send in line {send_lines[-1]}"),
            other.evidence_at_site(f"{other.action}; `{without_package(facts.function)}` waits for that send only"),
        )
        change = "Send the result last: in a deferred call that is registered before all others."
        return RuleMatch(LIKELY + 0.05, evidence, change, (worker.point,), from_source=True)
    return None


def _match_ended_worker(context: RaceContext) -> RuleMatch | None:
    """From a report alone: a waiting function continued, and the worker, which is not abandoned, ended after it."""
    encounter = find_package_worker(context)
    if encounter is None or not encounter[0].writes or encounter[1].writes or encounter[1].library_frames:
        return None
    worker, other, _ = encounter
    is_waiting = (WAITING_VERBS - {"err"}).intersection(name_words(other.function)[:1])
    if worker.actor.state is not ActorState.FINISHED or not is_waiting:
        return None
    evidence = (
        worker.evidence_at_site(f"{worker.action} in {worker.actor.id}, which has ended since"),
        other.evidence_at_site(f"{other.action}; by its name it comes after the worker, which signalled too early"),
    )
    change = "Signal the end (Done, close) only after all the work that is waited for."
    return RuleMatch(FAIR + 0.05, evidence, change, (worker.point,))


def _match_deferred_write(context: RaceContext, worker: RaceSide, other: RaceSide) -> RuleMatch | None:
    """From a report alone: a deferred call of the goroutine writes what a later function reads."""
    if not worker.user_frames or not worker.writes or other.is_worker or not runs_in_defer(worker):
        return None
    comes_after = bool((ENDING_VERBS | WAITING_VERBS | RESULT_WORDS).intersection(name_words(other.function)[:1]))
    evidence: tuple[Evidence, ...] = (
        worker.evidence_at_site(f"{worker.action} in a deferred call, at the end of {worker.actor.id}"),
        other.evidence_at_site(f"{other.action}{'; by its name it comes after the worker' if comes_after else ''}"),
    )
    if starter := find_continuing_starter(context):
        comes_after = True
        start_sentence = f"`{without_package(starter.start_frame.function)}` started it and has continued since"
        evidence += (Evidence(start_sentence, point_of(starter.current_frame)),)
    change = "Make Done the last of the deferred calls to run."
    # a concurrent reader may be intended: then a lock is missing
    return RuleMatch(LIKELY if comes_after else WEAK, evidence, change, (worker.point,))


def _match_early_native_signal(context: RaceContext) -> RuleMatch | None:
    """Match C and C++: a worker signals, then continues with data that others waited for."""
    for worker, other in context.side_pairs:
        if not worker.is_worker or not worker.writes or other.writes or worker.locks_held:
            continue
        for frame, signal in _native_signals_before(context, worker):
            wait = _wait_for_signal(context, other, signal, frame)
            if not wait:
                continue
            evidence = (
                worker.evidence_at_site(f"{worker.action} after the call of `{signal.name}` in line {signal.line}"),
                other.evidence_at_site(f"{other.action} after `{wait.name}` in line {wait.line} has returned"),
            )
            change = f"Call `{signal.name}` last, after all writes that are waited for."
            return RuleMatch(STRONG + 0.04, evidence, change, (worker.point,), from_source=True)
    return None


def _native_signals_before(context: RaceContext, worker: RaceSide) -> Iterator[tuple[Frame, CallSite]]:
    """Yield the calls above the worker's line that signal an end."""
    for frame in worker.user_frames[:_MAX_FRAMES]:
        facts = context.function_at(frame)
        for call in calls_to(context, facts, frame, tuple(WAITS_BY_SIGNAL)) if facts else ():
            is_above = facts and call.line < (frame.line or 0) and call.closure_depth == len(facts.closures)
            if is_above and not _BEGIN_SIGNAL.search(f"{call.target} {call.name} {call.arguments}"):
                yield frame, call


def _wait_for_signal(context: RaceContext, other: RaceSide, signal: CallSite, worker_frame: Frame) -> CallSite | None:
    inner = context.find_function(signal.name, worker_frame) if signal.name not in WAITS_BY_SIGNAL else None
    names = {signal.name, *(c.name for c in inner.calls)} if inner else {signal.name}
    wanted = tuple(wait for name in names for wait in WAITS_BY_SIGNAL.get(name, ()))
    for frame in other.user_frames[:_MAX_FRAMES]:
        facts = context.function_at(frame)
        for call in calls_to(context, facts, frame, wanted) if facts else ():
            if call.line < (frame.line or 0) and call.name != signal.name:
                return call
    return None


def _has_started_other(worker: RaceSide, other: RaceSide) -> bool:
    """Return whether the worker started the other side, which then cannot wait for its end."""
    starters = [f.function for f in other.start_stack if f.origin is Origin.USER and not f.stale]
    worker_functions = [f.function for f in worker.live_frames if f.origin is Origin.USER]
    return bool(starters and worker_functions) and starters[-1] == worker_functions[-1]


def _goroutine_code(context: RaceContext, worker: RaceSide) -> Iterator[tuple[Frame, FunctionFacts]]:
    """Yield the code of the goroutine's own (outermost) function and of closures in it."""
    start_line = worker.start_frame.line if worker.start_frame else None
    # "New.gowrap1", before Go 1.22 "New.func1": a wrapper, on the line of the go statement
    frames = [f for f in reversed(worker.user_frames) if "gowrap" not in f.function and f.line != start_line]
    outermost = context.function_at(frames[0]) if frames else None
    receiver_type = outermost.receiver if outermost else ""
    for frame in frames:
        facts = context.function_at(frame)
        is_same_function = worker.enclosing_function(frame) == worker.enclosing_function(frames[0])
        if facts and (is_same_function or facts.receiver == receiver_type != ""):
            yield frame, facts


def _channels_received_from(context: RaceContext, other: RaceSide) -> frozenset[str]:
    """Return the names of the channels that a side has received from before its access: `<-c.home`."""
    receive_facts = [
        context.function_at(frame._replace(line=line))
        for frame, facts in other.call_chain[:_MAX_FRAMES]
        for line in [n for n in facts.receive_lines if n < facts.line][-_MAX_FRAMES:]
    ]
    receives = [_RECEIVED_CHANNEL.search(facts.text) for facts in receive_facts if facts and not facts.select_branch]
    return frozenset(receive[1].rpartition(".")[2] for receive in receives if receive)


def _early_signal(
    context: RaceContext, frame: Frame, facts: FunctionFacts, received_channels: frozenset[str]
) -> CallSite | None:
    """Return the call that signals "done" although the racing line runs after it."""
    outer = next((c for c in facts.closures if c.usage == "go"), None)
    outer = outer or next((c for c in facts.closures if c.usage != "defer"), None)
    code = outer or facts
    deferred_at = _deferred_line(facts)
    for call in facts.calls:
        if not code.first_line <= call.line <= code.last_line or not _is_end_signal(call, received_channels):
            continue
        if call.deferred and deferred_at is not None and deferred_at < call.line:
            return call
        is_same_closure = call.closure_depth == len(facts.closures)
        if not is_same_closure or call.deferred or call.line >= facts.line or deferred_at is not None:
            continue
        if not _is_on_other_path(context.function_at(frame._replace(line=call.line)), facts):
            return call
    return None


def _is_on_other_path(line_facts: FunctionFacts | None, facts: FunctionFacts) -> bool:
    """Return whether a line is in another select case, or in a block that returns."""
    if line_facts is None:
        return False
    leaves = line_facts.block_returns and line_facts.conditions != facts.conditions
    return leaves or line_facts.select_branch not in ("", facts.select_branch)


def _is_end_signal(call: CallSite, received_channels: frozenset[str]) -> bool:
    """Return whether a call signals the end of the work: by its name, or because it is waited on."""
    if call.name == "Done":
        return "ctx" not in call.target.lower() and not call.arguments.strip()
    if call.name != "close":
        return False
    channel = call.arguments.strip()
    is_waited_on = channel.rpartition(".")[2] in received_channels and not _BEGIN_SIGNAL.search(channel)
    return is_waited_on or bool(_END_SIGNAL.search(channel))


def _deferred_line(facts: FunctionFacts) -> int | None:
    inner = next((c for c in reversed(facts.closures) if c.usage == "defer"), None)
    if inner is not None:
        return inner.first_line
    on_line = next((c for c in facts.calls if c.line == facts.line and c.deferred), None)
    return facts.line if on_line else None


RULE = Rule(
    "done-before-cleanup",
    "group synchronisation",
    _find_done_before_cleanup,
    "the order of deferred calls",
    "None.",
    features=rule.Feature.HAS_CODE | rule.Feature.IN_DEFER | rule.Feature.WAITS_OR_REPORTS,
)
