"""An object was returned to its pool while it is still in use.

## What it sees
One side has frames of `sync.(*Pool)`, or of a type named like a pool in a function that takes or returns objects; the
other side is no method of that type.

With source:

- A call of `Put`, `Release` or the like around one side, while the other side uses the object in its own goroutine.
- A function gets an object, starts a goroutine or thread with it and returns it to the pool (`arena_take`,
  `arena_give`).
- An object is received from a channel and sent back on it (`c := <-r.free`, `r.free <- c`).
- In C and C++: a line uses an object after its return, or fills one that is passed on and then returned.

From a report alone: above the line that starts a worker, its starter calls code that fills what the worker reads, so it
runs again. In C and C++ also: the detector names the memory like a pool (`arena`, `slab`, `free_list`).

## Why it races
A pool hands the object to the next caller. Code that kept a reference now shares it.

## Example
    buf := pool.Get().(*bytes.Buffer)
    go audit(buf)
    pool.Put(buf)                   // audit still has it

## Remedy
Return the object only after its last user is done (join first, or count references), or pass a copy to the other
goroutine.

## When it is wrong
The pool's own bookkeeping may race: then a lock is missing in the pool. A package variable, which a Go report shows by
its address, comes from no pool.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from deadheat.diagnosis.facts import object_origin
from deadheat.diagnosis.facts.addresses import is_package_variable
from deadheat.diagnosis.facts.function_names import (
    POOL_VERBS,
    RENEWING_VERBS,
    bare_name,
    is_test_file,
    name_words,
    owner_of,
    without_package,
)
from deadheat.diagnosis.facts.lifetime import frame_with_verb, is_method_of_other_type
from deadheat.diagnosis.finding import CodePoint, Evidence
from deadheat.diagnosis.race_side import RaceSide, point_of
from deadheat.diagnosis.rule import FAIR, LIKELY, STRONG, Rule, RuleMatch

if TYPE_CHECKING:
    from deadheat.diagnosis.context import RaceContext
    from deadheat.model import Frame

# "pool.(*Pool[...]).Return", "sync.(*Pool).Put", "web.(*bufferPool).put", "pool_release"; no "Spool"
_POOL_FUNCTION = re.compile(
    r"\(\*?\w{0,80}(?<![Ss])[Pp]ool(?:\[.{0,300}\])?\)\.\w|(?:^|\.)pool\.|\bpool_|[Ff]ree[Ll]ist"
)
# "arena", "conn_pool", "free_list", "slabs"
_POOL_NAME = re.compile(r"(?<!s)pool|arena|slab|free_?list", re.IGNORECASE)
_REUSE_VERBS = POOL_VERBS | RENEWING_VERBS | {"open", "new", "create", "make"}

# "conn", "first": arguments of a call or a start
_IDENTIFIER = re.compile(r"[A-Za-z_]\w{0,80}")


def _find_reused_pool_object(context: RaceContext) -> RuleMatch | None:
    if is_package_variable(context):
        return None  # a package variable comes from no pool
    if hit := _match_returned_after_start(context) or _match_memory_in_pool(context) or _match_refilled_object(context):
        return hit
    for side, other in context.side_pairs:
        frame = _pool_frame(side)
        if frame is not None and _pool_frame(other) is None and not _is_method_of_pool(other, side, frame):
            evidence = (
                Evidence(f"`{frame.function[:80]}` takes the object back or hands it out", point_of(frame)),
                other.evidence_at_site(f"{other.action} the object at the same time"),
            )
            confidence = STRONG if other.is_worker or side.is_worker else LIKELY
            return _hit_for_reuse(confidence, evidence, (point_of(frame), other.point))
        if context.source is None or other.actor.id == side.actor.id:
            continue
        if call := (
            object_origin.return_call_near_site(context, side)
            or object_origin.pool_channel(context, side)
            or object_origin.return_call_before_use(context, side)
        ):
            evidence = (
                side.evidence_at_site(f"`{without_package(side.function)}` uses an object of a pool: `{call}`"),
                other.evidence_at_site(f"{other.action} the object at the same time"),
            )
            return _hit_for_reuse(STRONG + 0.03, evidence, (side.point, other.point), from_source=True)
    return None


def _is_method_of_pool(other: RaceSide, side: RaceSide, frame: Frame) -> bool:
    pool_type = owner_of(side.enclosing_function(frame))
    return "(" in pool_type and pool_type == other.owner


def _match_memory_in_pool(context: RaceContext) -> RuleMatch | None:
    """Match memory that the detector names like a pool, where one side prepares it for reuse."""
    location = context.report.location
    if context.has_code or location is None or not location.name or not _POOL_NAME.search(location.name):
        return None
    for reuser, other in context.side_pairs:
        if not reuser.writes or other.writes or not _REUSE_VERBS.intersection(name_words(reuser.function)):
            continue
        evidence = (
            Evidence(f"it is in `{location.name}`, which by its name is a pool"),
            reuser.evidence_at_site(f"{reuser.action}; by its name it hands the object out"),
            other.evidence_at_site(f"{other.action} it in {other.actor.id}"),
        )
        return _hit_for_reuse(FAIR + 0.05, evidence, (reuser.point, other.point))
    return None


def _match_refilled_object(context: RaceContext) -> RuleMatch | None:
    """From a report alone: a function, called again, fills the object that the worker it started still reads."""
    for owner, worker in context.side_pairs if context.source is None else ():
        started = worker.start_frame if worker.is_worker and not worker.is_closure else None
        if started is None or not owner.writes or worker.writes or is_test_file(started.file):
            continue
        # a function without receiver has no object of its own to fill
        frames = owner.user_frames if _is_repeatable_function(context, owner, worker) else owner.user_frames[1:]
        current_frame = next((f for f in frames if f.function == started.function), None)
        if current_frame is None or current_frame.file != started.file or frame_with_verb(owner, RENEWING_VERBS):
            continue  # a reset renews its own object
        if not 0 < (current_frame.line or 0) < (started.line or 0):
            continue
        if owner_of(owner.enclosing_function(current_frame)) == owner.owner == worker.owner and "(" in owner.owner:
            continue  # all are methods of one object and most likely work on it
        name = f"`{without_package(owner.enclosing_function(current_frame))}`"
        evidence = (
            worker.evidence_at_site(f"{worker.action} in {worker.actor.id}"),
            Evidence(f"{name} passed the object to it", point_of(started)),
            owner.evidence_at_site(f"{owner.action} for {name}, above that line: it got the object again"),
        )
        return _hit_for_reuse(LIKELY + 0.05, evidence, (point_of(started), point_of(current_frame)))
    return None


def _is_repeatable_function(context: RaceContext, owner: RaceSide, worker: RaceSide) -> bool:
    """Return whether it is a Go function that may run again: no method, no `go item.run()`."""
    is_function = "(" not in owner.function and bare_name(owner.function) != "main"
    return context.is_go and is_function and not is_method_of_other_type(owner, worker)


def _match_returned_after_start(context: RaceContext) -> RuleMatch | None:
    """Match a function that gets an object, starts a goroutine with it and puts it back."""
    kind = "goroutine" if context.is_go else "thread"
    for worker, other in context.side_pairs if context.source else ():
        started = worker.start_frame
        facts = context.function_at(started) if started and worker.is_worker else None
        if facts is None or started is None:
            continue
        taken_objects = {
            c.result.partition(",")[0].strip() for c in facts.calls if object_origin.takes_from_pool(c)
        } - {""}
        start_texts = [f"{c.target} {c.arguments}" for c in facts.calls if c.line == facts.line]
        start_texts += [start.text for start in facts.thread_starts if start.line == facts.line]
        passed_names = _IDENTIFIER.findall(" ".join(start_texts))
        for return_call in facts.calls:
            name = next((n for n in object_origin.returned_object_names(return_call) if n in taken_objects), "")
            is_after_start = return_call.deferred or return_call.line > facts.line
            if not name or not is_after_start or not object_origin.returns_to_pool(context, return_call, started):
                continue
            if not context.is_go and name not in passed_names and not worker.is_closure:
                continue
            return_point = point_of(started)._replace(line=return_call.line)
            evidence = (
                Evidence(f"{worker.action} in a {kind} that got `{name}`", point_of(started)),
                other.evidence_at_site(f"{other.action} its content"),
                Evidence(f"`{return_call.name}` returns `{name}` to the pool without a wait", return_point),
            )
            return _hit_for_reuse(STRONG, evidence, (return_point, other.point), from_source=True)
    return None


def _hit_for_reuse(
    confidence: float, evidence: tuple[Evidence, ...], where: tuple[CodePoint, ...], from_source: bool = False
) -> RuleMatch:
    change = "Return the object to the pool after its last user is done, or let the other side use a copy."
    return RuleMatch(confidence, evidence, change, where, from_source=from_source)


def _pool_frame(side: RaceSide) -> Frame | None:
    for frame in (*side.library_frames, *side.user_frames[:3]):
        # a substring test is cheaper than the pattern
        if "ool" not in frame.function and "ist" not in frame.function:
            continue
        is_pool_verb = POOL_VERBS.intersection(name_words(side.enclosing_function(frame)))
        if is_pool_verb and _POOL_FUNCTION.search(frame.function):
            return frame
    return None


RULE = Rule(
    "pooled-object-reused",
    "lifetime",
    _find_reused_pool_object,
    "a join before the object is returned; or a copy",
    "The object stays in use longer; or one copy.",
    general_causes=("worker-outlives-owner",),
)
