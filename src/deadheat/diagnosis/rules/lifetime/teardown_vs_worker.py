"""A teardown does not wait for the worker.

## What it sees
One side writes in a teardown function (`Close`, `Stop`, `~Class`), the other is a goroutine or thread that still uses
the object. Confidence is higher if the same type or package started it.

- The teardown destroys a lock or condition that is still in use (`pthread_cond_destroy`).
- A library closes a file or connection on one side (`exec.(*Cmd).Wait` closes its pipes) and uses it on the other.
- With source: the teardown only reads what the worker writes, and has not joined it yet.
- With source: a function of any name takes something away and joins the worker afterwards, closes a channel that the
  worker waits on, or stores `nil` where no other code stores anything.

Not matched: one element is removed (`unsubscribe`) by a method of the other side's type, the teardown started the
worker itself, or, in C and C++, it sets the flag that the worker polls and then joins it.

## Why it races
The teardown takes away what the worker still uses: a field is set to nil, a flag is set, a connection is closed. A stop
signal does not wait for the stop.

## Example
    func (c *Courier) Stop() { c.conn = nil }    // run() still uses c.conn

## Remedy
Signal the worker to stop (close a channel, cancel a context), wait for it (`wg.Wait`, `<-done`), and only then release
its resources.

## When it is wrong
A method called `Close` that is no teardown, such as one that closes accounts. A flag that only signals "stop" needs an
atomic, not a wait.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from deadheat.diagnosis import rule
from deadheat.diagnosis.facts import lifetime
from deadheat.diagnosis.facts.function_names import (
    ENDING_VERBS,
    JOIN_CALLS,
    REMOVING_VERBS,
    calls_to,
    is_test_file,
    name_words,
    owner_of,
    without_package,
)
from deadheat.diagnosis.facts.waits import timed_wait_above, wait_lines
from deadheat.diagnosis.finding import Evidence
from deadheat.diagnosis.race_side import RaceSide, point_of
from deadheat.diagnosis.rule import FAIR, LIKELY, STRONG, WEAK, Rule, RuleMatch
from deadheat.model import Op, Origin

if TYPE_CHECKING:
    from deadheat.diagnosis.context import RaceContext
    from deadheat.diagnosis.facts.code_facts import FunctionFacts

_CANCEL_FUNCTIONS = frozenset(("cancel", "Cancel", "request_stop", "pthread_cancel"))
# "s.quit", "w.stop", "done", "k.closing"
_STOP_CHANNEL = re.compile(r"quit|stop|done|clos|exit|kill|halt|shut|off|end|cancel", re.IGNORECASE)
# "s.conn = nil", "s->conn = NULL;"
_STORES_NULL = re.compile(r"(?:\.|->)(\w{1,80}) = (?:nil|NULL|nullptr);?(?:$|\s)")
# "os.(*File).Close", "net.(*conn).Close", "os.(*file).close"
_FILE_TYPES = r"^(?:os|net)\.\(\*(?:[Ff]ile|conn|netFD|(?:TCP|UDP|Unix|IP)\w{1,20})\)\."
_CLOSE_METHOD = re.compile(rf"{_FILE_TYPES}[Cc]lose$")
_FILE_METHOD = re.compile(_FILE_TYPES)
_MAX_FRAMES = 3  # frames from the site outwards that may be the teardown


def _find_teardown_vs_worker(context: RaceContext) -> RuleMatch | None:
    if context.report.kind == "data-race-on-vptr":
        return _match_vptr_write(context)
    if hit := _match_closed_descriptor(context) or _match_destroyed_lock(context) or _match_close_in_library(context):
        return hit
    teardown = lifetime.find_teardown(context, ENDING_VERBS)
    if teardown is None and context.has_code:
        teardown = _match_reading_teardown(context) or _match_late_join(context)
    if teardown is None or _removes_element(context, teardown) or _has_started_worker(context, teardown):
        return None
    frees_own = bool(context.source) and _frees_own_resource(context, teardown)
    if teardown.owner.access.op is Op.FREE and not frees_own:
        return None
    worker, owner = teardown.worker, teardown.owner
    name = without_package(context.enclosing_function(teardown.frame.function))
    by_name = not context.has_code or lifetime.frame_with_verb(owner, ENDING_VERBS) is not None
    reason = f"; `{name}` does not wait for the worker first"
    if by_name:
        reason = f"{lifetime.name_explanation(owner, name)} is a teardown"
    evidence = [
        owner.evidence_at_site(f"{owner.action}{reason}"),
        worker.evidence_at_site(f"{worker.action} in a worker ({worker.actor.id}) that still uses it"),
    ]
    where = [owner.point]
    if started := worker.start_frame:
        where.append(point_of(started))
        evidence.append(Evidence(f"the worker was started in `{started.function}`", where[-1]))
    if worker.frame_ending_with("runtime.gopanic"):
        evidence.append(worker.evidence_at_site("the worker is on the recovery path of a panic"))
    mechanism = "WaitGroup, or a channel that it closes" if context.is_go else "a join"
    change = (
        f"Let `{name}` signal the worker to stop and wait for it ({mechanism}) before it accesses"
        f" {context.variable_label}."
    )
    confidence = STRONG if lifetime.start_by_owner(context, teardown) else FAIR + 0.05
    if context.source is None and context.is_go and owner.writes and lifetime.find_continuing_starter(context):
        confidence = FAIR - 0.1  # the starter writes and may have stopped waiting for the worker
    if not by_name:
        confidence = LIKELY + 0.05  # by its code, not by its name
    if context.source and not context.is_go and owner.is_worker and not lifetime.start_by_owner(context, teardown):
        confidence = WEAK  # two unrelated workers: the name may mean another object
    if context.source and _have_same_starter(teardown):
        confidence = WEAK  # one function started both: neither owns the other
    if context.source and lifetime.is_stop_flag(context, teardown) and _is_joined_after(context, teardown):
        confidence = WEAK  # only the stop flag is unsafe: nothing ends too early
    return RuleMatch(confidence, tuple(evidence), change, tuple(where))


def _removes_element(context: RaceContext, teardown: lifetime.TeardownMatch) -> bool:
    """Return whether one element is removed: `(*bus).unsubscribe` against `(*bus).publish`."""
    name, here = context.enclosing_function(teardown.frame.function), teardown.owner.site_facts
    kind = owner_of(name)
    if "(" not in kind or kind != teardown.worker.owner or not REMOVING_VERBS.intersection(name_words(name)[:1]):
        return False
    is_collection = context.shared_variable is not None and context.shared_variable.type.startswith(("[", "map["))
    return here is None or is_collection or any(use.is_element for use in here.uses)


def _has_started_worker(context: RaceContext, teardown: lifetime.TeardownMatch) -> bool:
    name = context.enclosing_function(teardown.frame.function)
    return any(context.enclosing_function(f.function) == name for f in teardown.worker.actor.created_at)


def _have_same_starter(teardown: lifetime.TeardownMatch) -> bool:
    """Return whether one call of one function started both sides."""
    a, b = teardown.owner.start_frame, teardown.worker.start_frame
    if a is None or b is None or not teardown.owner.is_worker:
        return False
    return (a.function, a.file) == (b.function, b.file)


def _frees_own_resource(context: RaceContext, teardown: lifetime.TeardownMatch) -> bool:
    """Return whether a class frees, in its destructor or teardown method, what its worker uses."""
    if "~" in teardown.owner.function:
        return lifetime.start_by_owner(context, teardown) is not None
    kind = owner_of(context.enclosing_function(teardown.frame.function))
    return any(owner_of(context.enclosing_function(f.function)) == kind != "" for f in teardown.worker.user_frames)


def _match_late_join(context: RaceContext) -> lifetime.TeardownMatch | None:
    """Match a function of any name, not the starter, that takes something away before it joins the worker."""
    for ender, worker in context.side_pairs:
        if not ender.writes or ender.is_worker or not worker.is_worker or ender.function == worker.function:
            continue
        for frame, facts in ender.call_chain[:_MAX_FRAMES]:
            teardown = lifetime.TeardownMatch(ender, frame, worker)
            if facts.function == "main" or is_test_file(frame.file) or _is_starter_of(context, worker, facts):
                break
            joins_later = any(line > facts.line for line in wait_lines(context, frame, facts))
            if joins_later or _signals_stop(facts, worker) or _clears_for_good(context, ender, worker):
                is_owned = lifetime.start_by_owner(context, teardown) is not None
                return teardown if is_owned and not lifetime.is_stop_flag(context, teardown) else None
    return None


def _clears_for_good(context: RaceContext, ender: RaceSide, worker: RaceSide) -> bool:
    """Return whether it stores null where only the worker's starter ever stores anything else."""
    here, site, shared = ender.site_facts, ender.site, context.shared_variable
    if here is None or site is None or context.source is None or shared is None:
        return False
    cleared = _STORES_NULL.search(here.text)
    if cleared is None or cleared[1] != shared.name or not shared.owner:
        return False
    maker = context.function_at(worker.start_frame) if worker.start_frame else None
    return context.source.is_only_cleared(shared.name, site, maker)


def _signals_stop(facts: FunctionFacts, worker: RaceSide) -> bool:
    """Return whether it signals a stop: `s.cancel()`, `close(s.quit)`, or closes what the worker waits on."""
    awaited_names = {name for _, worker_facts in worker.call_chain for name in worker_facts.awaited_names}
    calls = [c for c in facts.calls if not c.deferred and c.closure_depth == len(facts.closures)]
    channels = [c.arguments for c in calls if c.name == "close"]
    is_closed = any(_STOP_CHANNEL.search(name) or name.rpartition(".")[2] in awaited_names for name in channels)
    return is_closed or any(c.name in _CANCEL_FUNCTIONS for c in calls)


def _is_starter_of(context: RaceContext, worker: RaceSide, facts: FunctionFacts) -> bool:
    starters = [context.function_at(f) for f in worker.start_stack if f.origin is Origin.USER][:_MAX_FRAMES]
    return any(starter and (starter.path, starter.first_line) == (facts.path, facts.first_line) for starter in starters)


def _match_reading_teardown(context: RaceContext) -> lifetime.TeardownMatch | None:
    """Match a teardown that reads what its own worker still writes, and has not joined it."""
    for ender, worker in context.side_pairs:
        is_relevant = "~" in ender.function or worker.writes
        if ender.writes or not is_relevant or not worker.is_worker or ender.is_worker:
            continue
        frame = lifetime.frame_with_verb(ender, ENDING_VERBS) if ender.function != worker.function else None
        facts = context.function_at(frame) if frame else None
        if frame is None or facts is None:
            continue
        teardown = lifetime.TeardownMatch(ender, frame, worker)
        join_lines = [c.line for c in calls_to(context, facts, frame, JOIN_CALLS)]
        is_joined = any(line <= (frame.line or 0) for line in (*join_lines, *facts.receive_lines))
        has_waited = is_joined or _has_received_before(ender) or timed_wait_above(ender)
        if not has_waited and _is_worker_of_type(context, teardown):
            return teardown
    return None


def _has_received_before(ender: RaceSide) -> bool:
    """Return whether a method of the same type on the call chain has received something before."""
    kind = ender.site_facts.receiver if ender.site_facts else ""
    callers = [facts for _, facts in ender.call_chain[1:_MAX_FRAMES] if facts.receiver == kind != ""]
    return any(facts.select_branch or any(n <= facts.line for n in facts.receive_lines) for facts in callers)


def _is_worker_of_type(context: RaceContext, teardown: lifetime.TeardownMatch) -> bool:
    if not context.is_go:
        return lifetime.start_by_owner(context, teardown) is not None
    kind = owner_of(context.enclosing_function(teardown.frame.function))
    frames = (*teardown.worker.user_frames, teardown.worker.start_frame)
    return "(" in kind and any(f and owner_of(context.enclosing_function(f.function)) == kind for f in frames)


def _is_joined_after(context: RaceContext, teardown: lifetime.TeardownMatch) -> bool:
    """Return whether the worker is joined afterwards: there, in a caller or in the destructor."""
    for frame in (teardown.frame, *teardown.owner.user_frames):
        facts = context.function_at(frame)
        if facts and any(c.line >= facts.line for c in calls_to(context, facts, frame, JOIN_CALLS)):
            return True
    *_, kind, _ = ["", "", *context.enclosing_function(teardown.frame.function).split("::")]
    destructor = context.find_function(f"~{kind}", teardown.frame, kind) if kind else None
    return destructor is not None and any(c.name in JOIN_CALLS for c in destructor.calls)


def _match_closed_descriptor(context: RaceContext) -> RuleMatch | None:
    location = context.report.location
    if location is None or location.kind != "descriptor":
        return None
    for closer, other in context.side_pairs:
        if closer.frame_ending_with("close", "fclose", "shutdown") is None:
            continue
        evidence = (
            closer.evidence_at_site(f"`{without_package(closer.function)}` closes a descriptor"),
            other.evidence_at_site(f"`{without_package(other.function)}` uses it at the same time"),
        )
        change = "Close the descriptor only after its last use: join first, or use one lock for both."
        return RuleMatch(STRONG, evidence, change, (closer.point, other.point))
    return None


def _match_destroyed_lock(context: RaceContext) -> RuleMatch | None:
    for destroyer, other in context.side_pairs:
        frame = lifetime.destroy_frame(destroyer)
        if frame is None or lifetime.destroy_frame(other):
            continue
        evidence = (
            destroyer.evidence_at_site(f"`{without_package(destroyer.function)}` destroys it: `{frame.function}`"),
            other.evidence_at_site(f"`{without_package(other.function)}` still uses it in {other.actor.id}"),
        )
        change = "Join the thread, or wait for its end signal, before you destroy what it locks, waits on or signals."
        return RuleMatch(STRONG, evidence, change, (destroyer.point, other.point))
    return None


def _match_close_in_library(context: RaceContext) -> RuleMatch | None:
    """Match library frames that close a file in use: `cmd.Wait()` closes the pipe that is read."""
    for closer, other in context.side_pairs if context.is_go else ():
        close_frame = closer.library_frame_matching(_CLOSE_METHOD)
        use_frame = other.library_frame_matching(_FILE_METHOD)
        if close_frame is None or use_frame is None or other.library_frame_matching(_CLOSE_METHOD):
            continue
        closing, using = without_package(closer.function), without_package(other.function)
        evidence = (
            closer.evidence_at_site(f"`{closing}` closes it: `{close_frame.function}` is above it"),
            other.evidence_at_site(f"`{using}` uses it at the same time: `{use_frame.function}`"),
        )
        change = "Wait for the user of the file before the call that closes it."
        return RuleMatch(LIKELY + 0.05, evidence, change, (closer.point, other.point))
    return None


def _match_vptr_write(context: RaceContext) -> RuleMatch | None:
    """Match a virtual call during destruction: the detector saw the vptr change."""
    destructor = next((side for side in context.race_sides if side.writes and "~" in side.function), None)
    if destructor is None:
        return None
    evidence = (destructor.evidence_at_site(f"{destructor.action} the object's vptr: it is being destroyed"),)
    change = "Join the thread before the destructor of the most derived class ends."
    return RuleMatch(STRONG, evidence, change, (destructor.point,))


RULE = Rule(
    "teardown-vs-worker",
    "lifetime",
    _find_teardown_vs_worker,
    "a stop signal and a join (context, sync.WaitGroup)",
    "The teardown waits for the current step of the worker.",
    features=rule.Feature.MAY_BE_TEARDOWN
    | rule.Feature.OTHER_KIND
    | rule.Feature.HAS_LOCATION
    | rule.Feature.HAS_CODE
    | rule.Feature.HAS_LIBRARY_FRAMES,
)
