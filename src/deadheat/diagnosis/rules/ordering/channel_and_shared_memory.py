"""Shared memory that a channel does not order.

## What it sees
With source:

- One side accesses a field in a branch of a `select`, or in a loop that receives from a channel. The other side
  receives nothing that the first one sends afterwards.
- A function stops waiting for its worker (`<-ctx.Done()`, `<-time.After(d)`) and then accesses what the worker writes.
- An object is sent on a channel and then written again.

Not matched: a ticker, a loop that nobody has stopped, and a worker that continues after its starter has stopped
waiting.

From a report alone: a worker of the package writes while a function with a waiting name (`Wait`, `await`, `Err`)
accesses the same memory, or while the function that started the worker writes it too.

## Why it races
A channel orders a send before its receive. A goroutine that writes a field after a receive (or when its context ends)
notifies nobody. The reader of the field has received nothing from it.

## Example
    case <-ctx.Done():
        s.err = ctx.Err()           // Err() reads it without waiting
        return

## Remedy
Send the value itself over a channel. Or close a `done` channel after the write and receive from it before the read. Or
use a mutex.

## When it is wrong
The field is ordinary shared state and the channel only triggers the access: then a lock is missing. From a report
alone: an `Err` method that may be called at any time.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from deadheat.diagnosis import rule
from deadheat.diagnosis.facts import locks
from deadheat.diagnosis.facts.function_names import WAITING_VERBS, name_words, without_package
from deadheat.diagnosis.facts.lifetime import find_continuing_starter, find_package_worker, has_finished, runs_in_defer
from deadheat.diagnosis.facts.worker_start_stop import ended_without_wait
from deadheat.diagnosis.finding import Evidence
from deadheat.diagnosis.race_side import RaceSide, point_of
from deadheat.diagnosis.rule import FAIR, LIKELY, STRONG, Rule, RuleMatch

if TYPE_CHECKING:
    from deadheat.diagnosis.context import RaceContext
    from deadheat.diagnosis.facts.code_facts import FunctionFacts

# "out <- f", "ch <- &req", "case out <- f:"
_SENT_VALUE = re.compile(r"<-\s{0,9}&?(\w{1,80})(?::|$)")
_MAX_FRAMES = 3  # frames from the site outwards in which a send or a receive counts
# "<-time.After(limit)", "<-p.timeout", "<-timer.C"
_TIMEOUT_RECEIVE = re.compile(r"<-\s{0,9}time\.After\(|<-\s{0,9}[\w.]{0,80}[tT]ime(?:r|out)\w{0,40}(?:\.C)?$")
# "<-ticker.C", "now := <-t.C", "<-time.Tick(d)"
_TICKER_RECEIVE = re.compile(r"<-\s{0,9}[\w.]{1,80}\.C$|<-\s{0,9}time\.(?:Tick|After)\(")
# "<-ctx.Done()", "<-r.Context().Done()"
_CONTEXT_DONE = re.compile(r"<-\s{0,9}[\w.()]{0,80}\bDone\(\)")
_STOP_RECEIVE = re.compile(r"<-\s*[\w.]*(?:[Dd]one|[Ss]top|[Qq]uit|[Cc]los|[Ee]xit)\w*")
_NO_LATE_ACCESS = "Send the value over the channel that is waited on, or do not access it after the wait was abandoned."


def _find_channel_and_shared_memory(context: RaceContext) -> RuleMatch | None:
    if context.is_go and not context.has_code:
        return _match_waiting_name(context) or _match_abandoned_worker(context)
    locks_held = locks.locks_of_both_sides(context) if context.is_go and context.has_code else None
    if locks_held is None or any(locks_held):
        return None
    for side, other in context.side_pairs:
        if side.site_facts is None or not (side.writes or other.writes):
            continue
        if side.writes and side.is_worker and (late_write := _match_write_after_send(side, other)):
            return late_write
        if side.writes and (handover := _match_write_after_handover(context, side, other)):
            return handover
        select_branch = _select_branch_of(context, side, other)
        if select_branch is None:
            continue
        branch, relation = select_branch
        evidence = (
            side.evidence_at_site(f"{side.action} {relation} `{branch[:60]}`"),
            other.evidence_at_site(f"{other.action} without a receive of anything that is sent after that"),
        )
        change = (
            f"Send the value over a channel, or close a channel after {context.variable_label} is written and"
            " receive from it before it is read."
        )
        confidence = STRONG if _STOP_RECEIVE.search(branch) else STRONG - 0.05
        return RuleMatch(confidence, evidence, change, context.change_points, from_source=True)
    return None


def _match_abandoned_worker(context: RaceContext) -> RuleMatch | None:
    encounter = find_continuing_starter(context)
    if encounter is None:
        return None
    worker, other, start_frame = encounter.worker, encounter.other, encounter.start_frame
    if not other.writes or other.library_frames or runs_in_defer(worker):
        return None
    name = f"`{without_package(context.enclosing_function(start_frame.function))}`"
    evidence = (
        worker.evidence_at_site(f"{worker.action} in {worker.actor.id}"),
        Evidence(f"{name} started this worker", point_of(start_frame)),
        other.evidence_at_site(f"{other.action} it too, further down: {name} may have stopped waiting"),
    )
    return RuleMatch(FAIR, evidence, _NO_LATE_ACCESS, context.change_points)


def _select_branch_of(context: RaceContext, side: RaceSide, other: RaceSide) -> tuple[str, str] | None:
    """Return the select branch that led to the access, and where the access is relative to it."""
    receiver_type = side.site_facts.receiver if side.site_facts else ""
    starter = context.function_at(other.start_frame) if other.start_frame else None
    for frame, facts in side.call_chain:
        branch = facts.select_branch or _timeout_branch_above(facts, side, other)
        at_site = frame == side.site
        if not branch or (facts.loops and _is_ordinary_state(context, branch, other)):
            continue
        has_started_other = starter is not None and (starter.path, starter.first_line) == (facts.path, facts.first_line)
        is_in_loop = other.site_facts is not None and other.site_facts.loops
        if has_started_other and not facts.select_branch and not side.writes and is_in_loop:
            continue  # it stopped waiting for a worker that continues: worker-outlives-owner
        is_worker_write = side.writes and side.is_worker and (at_site or facts.receiver == receiver_type != "")
        is_worker_write = is_worker_write and not _is_select_loop(other)
        may_have_waited = at_site or has_started_other
        if is_worker_write or (may_have_waited and _has_stopped_waiting(facts, branch, side, other)):
            return branch, "in the branch" if facts.select_branch else "after the branch"
    return None


def _is_ordinary_state(context: RaceContext, branch: str, other: RaceSide) -> bool:
    """Return whether the loop handles ordinary shared state, which nobody waits for."""
    if _TICKER_RECEIVE.search(branch):
        return True
    here = other.site_facts
    if _STOP_RECEIVE.search(branch) or (here and any(line < here.line for line in here.send_lines)):
        return False  # the loop ends, or the other side has just sent to it: `s.ask <- q; return s.answer`
    return ended_without_wait(context) is None


def _is_select_loop(side: RaceSide) -> bool:
    """Return whether the side is a worker that loops over a select, and so waits for nobody."""
    return side.is_worker and any(facts.loops and facts.select_branch for _, facts in side.call_chain)


def _match_waiting_name(context: RaceContext) -> RuleMatch | None:
    """From a report alone: a function whose name says that it waits for a worker races with it."""
    encounter = find_package_worker(context)
    if encounter is None:
        return None
    worker, other, _ = encounter
    name_tokens = name_words(other.function)
    if not worker.writes or other.library_frames or runs_in_defer(worker):
        return None
    is_getter = name_tokens == ("err",)
    if not is_getter and not (WAITING_VERBS - {"err"}).intersection(name_tokens[:1]):
        return None
    if not is_getter and not other.writes and has_finished(worker):
        return None  # the worker signalled its end too early: done-before-cleanup
    evidence = (
        worker.evidence_at_site(f"{worker.action} in {worker.actor.id}"),
        other.evidence_at_site(f"{other.action}; by its name it waits for the worker: it did not, or gave up"),
    )
    return RuleMatch(FAIR - 0.05 if is_getter else FAIR + 0.05, evidence, _NO_LATE_ACCESS, context.change_points)


def _has_stopped_waiting(here: FunctionFacts, branch: str, side: RaceSide, other: RaceSide) -> bool:
    if not other.is_worker or side.is_worker:
        return False
    return bool(_STOP_RECEIVE.search(branch) or (_TIMEOUT_RECEIVE.search(branch) and not here.loops))


def _timeout_branch_above(here: FunctionFacts, side: RaceSide, other: RaceSide) -> str:
    """Return the branch of an earlier select by which the side continued without the worker."""
    branches = here.earlier_select_branches
    if not other.is_worker or side.is_worker or len(branches) < 2 or here.loops:
        return ""
    return next((b for b in branches if _TIMEOUT_RECEIVE.search(b) or _CONTEXT_DONE.search(b)), "")


def _match_write_after_send(side: RaceSide, other: RaceSide) -> RuleMatch | None:
    """Match a write after the send that should announce it, against a read after the receive."""
    send_line = next((line for _, facts in side.call_chain[:_MAX_FRAMES] if (line := _last_send_line(facts))), 0)
    receive_lines = [n for _, facts in other.call_chain[:_MAX_FRAMES] for n in facts.receive_lines if n <= facts.line]
    if not send_line or not receive_lines:
        return None
    evidence = (
        side.evidence_at_site(f"{side.action} after the send on a channel in line {send_line}"),
        other.evidence_at_site(f"{other.action} after the receive in line {receive_lines[-1]}"),
    )
    change = "Write before the send: a write after it is not ordered before the receive."
    return RuleMatch(LIKELY + 0.05, evidence, change, (side.point,), from_source=True)


def _match_write_after_handover(context: RaceContext, side: RaceSide, other: RaceSide) -> RuleMatch | None:
    """Match `out <- f` in a loop that then writes `f.seq`: the receiver owns `f` by then."""
    here, site = side.site_facts, side.site
    if here is None or site is None or not any(facts.receive_lines or facts.loops for _, facts in other.call_chain):
        return None
    locals_here = {n for n, declared in here.declarations.items() if declared.kind in ("local", "parameter")}
    local_names = {u.path[0] for u in here.uses if u.writes and len(u.path) > 1} & locals_here
    for line in here.send_lines[:_MAX_FRAMES] if local_names else ():
        facts = context.function_at(site._replace(line=line))
        sent_value = _SENT_VALUE.search(facts.text) if facts else None
        is_sent_before = line < here.line or any(first <= line <= last for first, last in here.loops)
        if sent_value and sent_value[1] in local_names and is_sent_before:
            evidence = (
                side.evidence_at_site(f"{side.action} `{sent_value[1]}`, which it sends on a channel in line {line}"),
                other.evidence_at_site(f"{other.action} what it received"),
            )
            change = f"Send a new object each time, or do not access `{sent_value[1]}` after it is sent."
            return RuleMatch(LIKELY + 0.05, evidence, change, (side.point,), from_source=True)
    return None


def _last_send_line(here: FunctionFacts) -> int:
    """Return the last line above, in the same function or closure, that sends outside of a select."""
    first_line = here.closures[-1].first_line if here.closures else here.first_line
    send_lines = [line for line in here.send_lines if first_line <= line < here.line]
    return send_lines[-1] if send_lines and not here.select_branch else 0


RULE = Rule(
    "channel-and-shared-memory",
    "channels",
    _find_channel_and_shared_memory,
    "a channel that is closed after the write",
    "The reader waits for the writer.",
    features=rule.Feature.HAS_CODE | rule.Feature.WAITS_OR_REPORTS | rule.Feature.USER_STARTER_ON_STACK,
)
