"""A timer's function runs against the code that owns the timer.

## What it sees
The function of `time.AfterFunc` (`time.goFunc` in its stack or as its creator), against code that writes where it
writes, or that is named like a stop.

With source: `Stop` or `Reset` of a timer on the other side, in a caller or in an earlier callee, also if a goroutine
has received from the timer's channel. In C, C++ and the kernel: one side runs in code named like a timer, the other
comes after a call that stops it without a join.

From a report alone: a thread named like a timer, against a function named like a stop or reset.

## Why it races
`Stop` does not wait: it returns false if the function has already started. Code that assumes after `Stop` that the
function cannot run any more races with it.

## Example
    l.timer = time.AfterFunc(d, func() { l.expired = true })
    l.timer.Stop()
    l.expired = false               // the function may be running

## Remedy
Guard what the function accesses with a mutex, and check under it whether the timer is still wanted (a generation
number). Or use a channel timer in the owner's own loop.

## When it is wrong
The timer is never stopped: then a lock is missing, and the timer is only one of the two sides.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from deadheat.diagnosis.facts.function_names import (
    ENDING_VERBS,
    JOIN_CALLS,
    RENEWING_VERBS,
    SLEEP_CALLS,
    STOPPING_VERBS,
    TIMED_WAITS,
    TIMER_WORDS,
    bare_name,
    calls_to,
    is_in_endless_loop,
    is_test_file,
    name_words,
    owner_of,
    without_package,
)
from deadheat.diagnosis.facts.lifetime import is_timer_name, timer_side
from deadheat.diagnosis.finding import CodePoint, Evidence
from deadheat.diagnosis.race_side import RaceSide, point_of
from deadheat.diagnosis.rule import FAIR, LIKELY, STRONG, WEAK, Feature, Rule, RuleMatch

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deadheat.diagnosis.context import RaceContext
    from deadheat.diagnosis.facts.code_facts import CallSite, FunctionFacts
    from deadheat.model import Frame

_STOP_OR_RESET_VERBS = ENDING_VERBS | RENEWING_VERBS | {"refresh", "extend", "rearm", "touch", "feed", "kick"}
_TIMER_NAME = re.compile(
    r"timer|tick(?!et)|deadline|expir[ey]|alarm|timeout|watchdog|debounce|schedul|periodic|heartbeat", re.IGNORECASE
)
# "<-s.idle.C", "<-timer.C", "for range s.tick.C {"
_TIMER_RECEIVE = re.compile(r"(?:<-|\brange\b)\s{0,9}(?:\w{1,80}\.){0,5}?(\w{1,80})\.C\b")
_STOP_METHODS = frozenset(("Stop", "Reset"))
# max. receives above a line, frames and loops that are searched
_MAX_SEARCHED = 4
_CHANGE = (
    "Guard {what} with a mutex and let the timer's function check under it whether it is still wanted:"
    " Stop does not wait for a function that has started."
)


def _find_timer_after_stop(context: RaceContext) -> RuleMatch | None:
    if not context.is_go:
        return _match_native_timer(context) or _match_timer_thread(context)
    if hit := _match_timer_channel(context):
        return hit
    for timer, owner in context.side_pairs:
        if timer is not timer_side(context):
            continue
        is_stopped = _is_stopping_function(owner) or _has_stop_in_chain(context, owner)
        is_stopped = is_stopped or any(_has_stop_in_frame(context, f) for f in timer.actor.created_at[:2])
        evidence = (
            timer.evidence_at_site(f"{timer.action} in the function of a timer (time.AfterFunc)"),
            owner.evidence_at_site(f"{owner.action} it too{'; it stops or resets the timer' if is_stopped else ''}"),
        )
        change = _CHANGE.format(what=context.variable_label)
        # a function that resets the timer at each call, or writes what its function writes; otherwise
        # only a lock may be missing
        is_timer_too = any(f.function == "time.goFunc" for f in owner.actor.created_at[:2])
        is_same_function = (timer.is_closure or is_timer_too) and owner.function == timer.function
        sourced = owner.site_facts is not None
        may_reset = not sourced and (is_same_function or (timer.writes and owner.writes))
        confidence = FAIR + 0.05 if may_reset else WEAK
        confidence = STRONG if is_stopped else confidence
        return RuleMatch(confidence, evidence, change, context.change_points, from_source=sourced)
    return None


def _match_timer_thread(context: RaceContext) -> RuleMatch | None:
    """From a report alone: a thread named like a timer, against a function that stops or resets it."""
    for timer, owner in context.side_pairs if not context.has_code else ():
        timer_frame = next((f for f in timer.user_frames if is_timer_name(timer.enclosing_function(f))), None)
        name_tokens = set(name_words(owner.function))
        if timer_frame is None or not timer.is_worker or TIMER_WORDS.intersection(name_tokens):
            continue
        if owner.is_worker or not name_tokens & _STOP_OR_RESET_VERBS:
            continue
        evidence = (
            timer.evidence_at_site(f"{timer.action} in the thread of a timer: `{timer_frame.function[:60]}`"),
            owner.evidence_at_site(f"{owner.action}; by its name it stops or resets the timer"),
        )
        change = (
            f"Guard {context.variable_label} with a mutex and let the timer check under it whether it is still"
            " wanted: a stop does not wait for a function that has started."
        )
        return RuleMatch(LIKELY, evidence, change, context.change_points)
    return None


def _match_timer_channel(context: RaceContext) -> RuleMatch | None:
    """Match a goroutine woken by a timer's channel, against code that stopped that timer."""
    for timer, owner in context.side_pairs if context.has_code else ():
        for receive, receive_facts in _timer_receives(context, timer) if timer.is_worker else ():
            stop = _stop_call_for(context, owner, receive[1])
            if stop is None:
                continue
            evidence = (
                timer.evidence_at_site(f"{timer.action} after `{receive[0]}` in line {receive_facts.line} has fired"),
                owner.evidence_at_site(f"{owner.action} after `{stop.target}.{stop.name}` in line {stop.line}"),
            )
            change = _CHANGE.format(what=context.variable_label)
            return RuleMatch(STRONG, evidence, change, context.change_points, from_source=True)
    return None


def _timer_receives(context: RaceContext, timer: RaceSide) -> Iterator[tuple[re.Match[str], FunctionFacts]]:
    """Yield the receives from a timer's channel that led to an access, outside of any select."""
    for frame, here in timer.call_chain[:_MAX_SEARCHED]:
        receive_lines = [line for line in here.receive_lines if line < here.line][-_MAX_SEARCHED:]
        for line in (*receive_lines, *(first for first, _ in here.loops[-_MAX_SEARCHED:])):
            facts = context.function_at(frame._replace(line=line))
            receive = _TIMER_RECEIVE.search(facts.text) if facts and not facts.select_branch else None
            if receive and facts:
                yield receive, facts


def _stop_call_for(context: RaceContext, owner: RaceSide, timer: str) -> CallSite | None:
    """Return the call before an access that stops the named timer, directly or in a callee."""
    for frame, facts in owner.call_chain:
        for call in calls_to(context, facts, frame, _STOP_METHODS):
            callee = None if call.name in _STOP_METHODS else context.find_function(call.name, frame)
            calls_made = callee.calls if callee else (call,)
            stopped_timers = {c.target.rpartition(".")[2] for c in calls_made if c.name in _STOP_METHODS}
            if call.line <= facts.line and timer in stopped_timers:
                return call
    return None


def _match_native_timer(context: RaceContext) -> RuleMatch | None:
    """Match a C or C++ timer, by the name of a thread or callback, and a stop that does not wait."""
    for timer, owner in context.side_pairs if context.source else ():
        if not timer.is_worker and not context.is_kernel:
            continue
        tick = next((f for f in (*timer.live_frames, *timer.start_stack) if _is_timer_function(context, f)), None)
        stop = _stop_without_join(context, owner) if tick else None
        if stop is None and (calls_back := _callback_frame(context, timer)):
            tick, kind = calls_back
            stop = _stop_without_join(context, owner, kind)
        if tick is None or stop is None:
            continue
        at, call = stop
        evidence = (
            timer.evidence_at_site(f"{timer.action} in code that a timer runs"),
            Evidence(f"`{without_package(context.enclosing_function(tick.function))}` is the timer", point_of(tick)),
            Evidence(f"`{call.name}` does not wait for a function that has started", at),
            owner.evidence_at_site(f"{owner.action} after it"),
        )
        return RuleMatch(STRONG + 0.04, evidence, _CHANGE.format(what=context.variable_label), (at,), from_source=True)
    return None


def _is_timer_function(context: RaceContext, frame: Frame) -> bool:
    name = context.enclosing_function(frame.function)
    return bool(_TIMER_NAME.search(bare_name(name)) or _TIMER_NAME.search(bare_name(owner_of(name))))


def _callback_frame(context: RaceContext, timer: RaceSide) -> tuple[Frame, str] | None:
    """Return a frame of a class that sleeps and then calls a callback, and the class."""
    for inner, frame in zip(timer.user_frames, timer.user_frames[1:], strict=False):
        facts = context.function_at(frame)
        if facts is None or not facts.receiver:
            continue
        called_names = {c.name for c in facts.calls if c.line == facts.line}
        has_slept = any(c.name in SLEEP_CALLS | TIMED_WAITS and c.line < facts.line for c in facts.calls)
        if (
            has_slept
            and bare_name(context.enclosing_function(inner.function)) not in called_names
            and not is_in_endless_loop(context, frame)
        ):
            return frame, facts.receiver
    return None


def _stop_without_join(context: RaceContext, owner: RaceSide, kind: str = "") -> tuple[CodePoint, CallSite] | None:
    """Return the call before the owner's access that stops a timer without a join."""
    for frame in owner.user_frames:
        facts = context.function_at(frame)
        for call in facts.calls if facts else ():
            stop_words = STOPPING_VERBS.intersection(name_words(call.name))
            if not stop_words or call.line > (frame.line or 0) or "sync" in call.name:
                continue
            callee = context.find_function(call.name, frame)
            call_text = f"{call.target} {call.name} {call.arguments} {callee.receiver if callee else ''}"
            if not _TIMER_NAME.search(call_text) and not (kind and callee and callee.receiver == kind):
                continue
            if callee is None or not any(c.name in JOIN_CALLS for c in callee.calls):
                return point_of(frame)._replace(line=call.line), call
    return None


def _has_stop_in_frame(context: RaceContext, frame: Frame) -> bool:
    facts = context.function_at(frame)
    calls = facts.calls if facts else ()
    return any(c.name in _STOP_METHODS and _TIMER_NAME.search(c.target) for c in calls)


def _has_stop_in_chain(context: RaceContext, owner: RaceSide) -> bool:
    """Return whether a function on the call chain has stopped a timer, directly or in a callee."""
    for frame, facts in owner.call_chain:
        for call in calls_to(context, facts, frame, _STOP_METHODS):
            # outside of tests a stop is of the timer that the other side belongs to
            is_certain = call.name not in _STOP_METHODS or (call.target and not is_test_file(frame.file))
            if call.line < facts.line and (is_certain or _TIMER_NAME.search(call.target)):
                return True
    return False


def _is_stopping_function(owner: RaceSide) -> bool:
    calls = owner.site_facts.calls if owner.site_facts else ()
    if any(c.name in _STOP_METHODS and c.target for c in calls):
        return True  # of any name: the other side is a timer
    name_tokens = name_words(owner.function)
    return bool(name_tokens) and name_tokens[0] in _STOP_OR_RESET_VERBS


RULE = Rule(
    "timer-after-stop",
    "lifetime",
    _find_timer_after_stop,
    "sync.Mutex and a generation number",
    "A lock per tick.",
    features=Feature.HAS_TIMER | Feature.HAS_CODE,
)
