"""A worker outlives its owner.

## What it sees
- One side prepares an object for its next use (`Reset…`, `Init…`, `Clear…`), the other is a worker of the previous use.
- Memory is freed while a thread still uses it. A thread that just released its reference atomically lacks an order
  (`mixed-atomic`).
- From a report alone: a function that is not named like a start (`Compact`, not `Start`) left a goroutine behind, which
  writes what that function or its caller reads.

With source also, a function that started the worker:

- calls `Close`, `Stop` or `cancel` on its owner and continues without a wait, or starts the next one.
- stops waiting after a timeout (`<-time.After`, `wait_for`), or detaches it and only sleeps, and then its result is
  used.
- returns, for instance with an error, above the line that waits.
- is above the line of the start again, in its next round (from a report alone that may also be a pooled object:
  `unknown`).

## Why it races
Nothing waited for the worker before its object was used again. It reads and writes data of the next user.

## Example
    func (s *Session) Execute(q string) {
        s.stmt.Reset(q)             // the worker of the last statement still has &s.stmt
        go worker.Evaluate(&s.stmt)
    }

## Remedy
Wait for the worker (`WaitGroup`, or a `Close` that joins) before the object is reset. Or give every statement its own
object.

## When it is wrong
- A counter that is reset while in use, or methods of one type whose call also started the worker: a lock is missing.
- A teardown call for another object ends no worker: it must share a variable with the call that started it.
- The `init` of a package, and what the main goroutine makes, is no next use. Any other `Init` may be the first use: it
  ranks low unless the worker's starter calls it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from deadheat.diagnosis import rule
from deadheat.diagnosis.facts import lifetime, waits, worker_start_stop
from deadheat.diagnosis.facts.function_names import ENDING_VERBS, RENEWING_VERBS, name_words, owner_of, without_package
from deadheat.diagnosis.facts.synchronization import releases_without_ordering
from deadheat.diagnosis.finding import Evidence
from deadheat.diagnosis.race_side import point_of
from deadheat.diagnosis.rule import EVEN, FAIR, LIKELY, STRONG, WEAK, Rule, RuleMatch
from deadheat.model import ActorState, Frame, Op

if TYPE_CHECKING:
    from deadheat.diagnosis.context import RaceContext

# "std::vector<int>::_M_realloc_insert", "std::__cxx11::basic_string<char>::_M_mutate"; no destructor
_CONTAINER_FUNCTION = re.compile(r"^(?:void )?std::(?!.{0,300}~).{0,300}::_M_|^std::_Hashtable")

# verbs for a first or a repeated use
_INIT_VERBS = frozenset(("init", "initialize"))


def _find_worker_outlives_owner(context: RaceContext) -> RuleMatch | None:
    if hit := (
        _match_freed_memory(context)
        or worker_start_stop.ended_without_wait(context)
        or worker_start_stop.replaced_without_wait(context)
        or _match_abandoned_worker(context)
        or _match_refilled_object(context)
        or _match_returned_data(context)
    ):
        return hit
    reuse = lifetime.find_teardown(context, RENEWING_VERBS)
    if reuse is None:
        return (
            _match_next_round(context) or waits.worker_left_by_starter(context) or waits.starter_did_not_wait(context)
        )
    if context.source and _is_in_starting_call(reuse):
        return None
    if _is_first_use(reuse) or lifetime.start_in_loop_over_objects(context, reuse.owner, reuse.worker):
        return None
    if worker_start_stop.guess_main_setup(context):
        return None  # the objects are prepared for the first time
    return _hit_for_next_use(context, reuse)


def _hit_for_next_use(context: RaceContext, reuse: lifetime.TeardownMatch) -> RuleMatch:
    """Build the hit for an object that is prepared for its next use while a worker uses it."""
    worker, owner = reuse.worker, reuse.owner
    function_name = without_package(context.enclosing_function(reuse.frame.function))
    explanation = lifetime.name_explanation(owner, function_name)
    evidence = [
        owner.evidence_at_site(f"{owner.action}{explanation} prepares the object for its next use"),
        worker.evidence_at_site(f"{worker.action} in a worker ({worker.actor.id}) of the previous use"),
    ]
    where = [owner.point]
    if started := worker.start_frame:
        where.insert(0, point_of(started))
        evidence.append(Evidence(f"the worker was started in `{started.function}`", where[0]))
    if worker.actor.state is ActorState.FINISHED:
        evidence.append(worker.evidence_at_site(f"{worker.actor.id} has finished since, but nothing waited for it"))
    change = (
        f"Wait for the worker before `{function_name}` reuses its object, or give every use its own"
        " object instead of resetting the old one."
    )
    common_starter = lifetime.start_by_common_caller(context, reuse)
    is_in_place = lifetime.are_concurrent_methods(reuse, common_starter)
    if common_starter and not is_in_place:
        sentence = f"`{common_starter.function}` started the worker and now leads to `{function_name}`: the next round"
        evidence.append(Evidence(sentence, point_of(common_starter)))
    # C and C++ code often resets counters in use; Go methods of that name run between two uses
    confidence = FAIR + 0.05 if context.is_go else FAIR - 0.1
    confidence = STRONG if common_starter else confidence
    if is_in_place and (common_starter or context.source is None):
        confidence = WEAK  # a counter is reset: only a lock may be missing
    if not common_starter and _INIT_VERBS.intersection(name_words(function_name)[:1]):
        confidence = WEAK  # it may be the first use
    return RuleMatch(confidence, tuple(evidence), change, tuple(where))


def _is_first_use(reuse: lifetime.TeardownMatch) -> bool:
    """Return whether one call started both, the preparing side first: then it is the first use."""
    if not reuse.owner.is_worker:
        return False
    owner_start_lines = {(f.function, f.file): f.line or 0 for f in reuse.owner.start_stack}
    return any(
        owner_start_lines.get((f.function, f.file), f.line or 0) < (f.line or 0) for f in reuse.worker.start_stack
    )


def _is_in_starting_call(reuse: lifetime.TeardownMatch) -> bool:
    """Return whether the function that started the worker prepares the object further down."""
    frame = reuse.frame
    return any(
        (f.function, f.file) == (frame.function, frame.file) and (f.line or 0) < (frame.line or 0)
        for f in reuse.worker.start_stack
    )


def _match_next_round(context: RaceContext) -> RuleMatch | None:
    """Match a function that is above the line on which it started the worker: it runs again."""
    round_found = lifetime.find_next_round(context)
    if round_found is None:
        return None
    worker, owner, started, current_frame = round_found
    function_name = without_package(context.enclosing_function(current_frame.function))
    where = (point_of(started), point_of(current_frame))
    loops = owner.site_facts.loops if owner.site_facts else ()
    is_in_loop = any(first <= (started.line or 0) <= last for first, last in loops)
    repetition = "its loop has continued" if is_in_loop else "it was called again"
    evidence = (
        worker.evidence_at_site(f"{worker.action} in a worker ({worker.actor.id})"),
        Evidence(f"`{function_name}` started the worker", where[0]),
        Evidence(f"it is above that line: {repetition}", where[1]),
    )
    change = f"Wait for the last worker before `{function_name}` continues, or give each its own object."
    # without source it may also be a pooled object, or an array that is refilled
    certainty = LIKELY if context.source else EVEN
    return RuleMatch(certainty, evidence, change, where, from_source=context.source is not None)


def _match_abandoned_worker(context: RaceContext) -> RuleMatch | None:
    """Match a starter that stopped waiting for the worker, only slept or only signalled a stop."""
    abandoned = waits.find_abandoned_worker(context)
    if abandoned is None or _is_wait_in_worker(context, abandoned.start_frame, abandoned.reason):
        abandoned = waits.find_early_return(context) or waits.find_stop_without_wait(context)
    if abandoned is None or _is_before_abandoned_wait(context, abandoned):
        return None
    other = abandoned.other
    function_name = without_package(context.enclosing_function(abandoned.start_frame.function))
    used = Evidence(f"{other.action}: nothing has waited for the worker to end", other.point)
    change = (
        f"Wait for the worker before its data is used after `{function_name}`, or let it write to its own"
        " object and pass that on when it is done."
    )
    return _hit_for_used_data(abandoned, function_name, used, change)


def _is_before_abandoned_wait(context: RaceContext, abandoned: waits.AbandonedWorker) -> bool:
    start_frame, line = abandoned.start_frame, (abandoned.reason.point.line if abandoned.reason.point else None) or 0
    current_frame = next((f for f in abandoned.other.user_frames if f[:3] == start_frame[:3]), None)
    facts = context.function_at(current_frame) if current_frame else None
    if current_frame is None or facts is None or line <= (start_frame.line or 0):
        return False
    return line < (current_frame.line or 0) and worker_start_stop.returns_after_call(
        context, current_frame, facts, line
    )


def _match_returned_data(context: RaceContext) -> RuleMatch | None:
    """Match a function that returns what its worker still uses: it waited too short or not for all."""
    returned_data = waits.find_returned_result(context)
    if returned_data is None:
        return None
    other = returned_data.other
    function_name = without_package(context.enclosing_function(returned_data.start_frame.function))
    used = other.evidence_at_site(f"{other.action} what `{function_name}` returned")
    change = f"Let `{function_name}` wait for every worker that it started, or return a copy."
    return _hit_for_used_data(returned_data, function_name, used, change)


def _hit_for_used_data(abandoned: waits.AbandonedWorker, function_name: str, used: Evidence, change: str) -> RuleMatch:
    worker, other, started, reason = abandoned
    evidence = (
        worker.evidence_at_site(f"{worker.action} in a worker ({worker.actor.id})"),
        Evidence(f"`{function_name}` started the worker", point_of(started)),
        reason,
        used,
    )
    return RuleMatch(LIKELY + 0.05, evidence, change, (point_of(started), other.point), from_source=True)


def _is_wait_in_worker(context: RaceContext, started: Frame, reason: Evidence) -> bool:
    """Return whether the wait is in the worker itself: `go func() { … case <-tick.C: … }()`."""
    facts, line = context.function_at(started), (reason.point.line if reason.point else None) or 0
    starts = facts.thread_starts if facts else ()
    return any(start.line == started.line and start.line < line <= start.last_line for start in starts)


def _match_refilled_object(context: RaceContext) -> RuleMatch | None:
    """Match an object that is filled, passed to a worker, and filled again without a wait."""
    refill = waits.find_reused_object(context)
    if refill is None:
        return None
    worker, refill_frame, start_frame = refill
    starter = without_package(context.enclosing_function(start_frame.function))
    where = (point_of(start_frame), point_of(refill_frame))
    evidence = (
        worker.evidence_at_site(f"{worker.action} in a worker ({worker.actor.id})"),
        Evidence(f"`{starter}` filled it and started the worker", where[0]),
        Evidence("it fills the object again without a wait", where[1]),
    )
    change = "Join the worker before its object is used again, or give each worker its own object."
    return RuleMatch(LIKELY + 0.05, evidence, change, where, from_source=True)


def _match_freed_memory(context: RaceContext) -> RuleMatch | None:
    for owner, worker in context.side_pairs:
        if owner.access.op is not Op.FREE or any(_CONTAINER_FUNCTION.search(f.function) for f in owner.library_frames):
            continue  # a library container moves its elements
        is_teardown = "~" in owner.function or (context.source and lifetime.frame_with_verb(owner, ENDING_VERBS))
        worker_types = {owner_of(context.enclosing_function(f.function)) for f in worker.user_frames} - {""}
        if context.source and is_teardown and owner.owner in worker_types:
            continue  # a teardown of the worker's own class: teardown-vs-worker
        verb, atomically, _ = worker.action.partition(" atomically")
        evidence = (
            owner.evidence_at_site(f"{owner.action} the memory"),
            worker.evidence_at_site(f"{verb} it{atomically} in {worker.actor.id}"),
        )
        change = "Join the thread before its memory is freed, or share ownership with reference counts."
        # an atomic release of the reference is mixed-atomic
        certainty = EVEN if releases_without_ordering(worker) else STRONG
        return RuleMatch(certainty, evidence, change, (owner.point, worker.point))
    return None


RULE = Rule(
    "worker-outlives-owner",
    "lifetime",
    _find_worker_outlives_owner,
    "a join before reuse (sync.WaitGroup), or an object per use",
    "The next use waits for the last worker; or an allocation per use.",
    features=rule.Feature.USER_STARTER_ON_STACK
    | rule.Feature.MAY_BE_TEARDOWN
    | rule.Feature.HAS_FREE
    | rule.Feature.STARTER_MAY_RETURN
    | rule.Feature.HAS_CODE,
)
