"""A local variable captured by a goroutine or thread.

## What it sees
- One side is a closure (`F.func1`), the other is the enclosing function or another goroutine of the same closure, and
  one call of that function started the goroutine.
- Two goroutines run one closure that a function, not a method, has returned.
- With source: the name that both lines use is declared in the function, outside of the closure, and not on one of the
  two lines (a Go declaration makes a new variable).
- In C++: a lambda that captures by reference, or a variable on the stack of the thread that started the other.

## Why it races
A closure captures the variable itself, not its value. Once it runs in a goroutine or thread, each access is shared,
though it looks like a local one.

## Example
    total := 0
    go func() { total += bonus }()
    total += base                   // two goroutines, one total

## Remedy
Pass values as arguments and results through a channel. Or give each goroutine its own slot and add up after `Wait`. Or
guard the variable with a mutex.

## When it is wrong
Without source the closure may access a field of an object that is shared in other ways: then a lock of that object is
missing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from deadheat.diagnosis.facts.captures import find_capture, guess_capture
from deadheat.diagnosis.finding import Evidence
from deadheat.diagnosis.rule import FAIR, LIKELY, STRONG, WEAK, Feature, Rule, RuleMatch

if TYPE_CHECKING:
    from deadheat.diagnosis.context import RaceContext
    from deadheat.diagnosis.race_side import RaceSide

_CHANGE = (
    "Do not share {what} between the closure and the enclosing function: pass its value in, return the"
    " result through a channel or a slot per goroutine, and use it only after the wait."
)


def _find_captured_local(context: RaceContext) -> RuleMatch | None:
    if capture := find_capture(context):
        what = f"`{capture.name}`"
        where = (capture.closure_side.point, capture.other_side.point)
        return RuleMatch(STRONG, capture.collect_evidence(), _CHANGE.format(what=what), where, from_source=True)
    is_package_scope = context.shared_variable is not None and context.shared_variable.kind == "package"
    capture = None if context.has_code and (context.is_go or is_package_scope) else guess_capture(context)
    if capture is not None:
        confidence = FAIR if capture.other_side.is_closure else LIKELY
        change = _CHANGE.format(what="the captured variable")
        return RuleMatch(confidence, capture.collect_evidence(), change, context.change_points)
    return _match_stack_memory(context)


def _match_stack_memory(context: RaceContext) -> RuleMatch | None:
    location = context.report.location
    if location is None or location.kind != "stack" or not context.side_pairs:
        return None
    what = f"`{location.name}`" if location.name else "the variable"
    stack_evidence = Evidence(f"{what} is on the stack of {location.actor or 'one of the threads'}")
    evidence = (stack_evidence, *(side.evidence_at_site(side.action) for side in context.race_sides))
    change = (
        f"Do not share {what} with another thread while its own thread still uses it: join first, or"
        " give each thread its own copy."
    )
    # an object with methods is shared as an object, wherever it is stored
    is_captured = any(side.is_closure or side.function == "operator()" for side in context.race_sides)
    is_object = any(map(_accesses_member, context.race_sides))
    if not is_captured and not is_object:
        # variables of main live as long as the program
        is_started_by_main = {side.start_frame.function for side in context.race_sides if side.start_frame} == {"main"}
        is_object = any("::" in side.function for side in context.race_sides) or (
            is_started_by_main and all(map(_is_accessed_by_pointer, context.race_sides))
        )
    return RuleMatch(WEAK if is_object else LIKELY, evidence, change, context.change_points)


def _accesses_member(side: RaceSide) -> bool:
    here = side.site_facts
    if here is None or not here.receiver:
        return False
    return any(u.path[0] not in here.declarations and not u.path[-1].endswith("()") for u in here.uses)


def _is_accessed_by_pointer(side: RaceSide) -> bool:
    here = side.site_facts
    return here is not None and any(len(u.path) > 1 and f"{u.path[0]}->" in here.text for u in here.uses)


RULE = Rule(
    "local-captured",
    "captured variable",
    _find_captured_local,
    "arguments and a channel; a slot per goroutine",
    "A copy in and a copy out.",
    features=Feature.HAS_CODE | Feature.SAME_FUNCTION | Feature.HAS_LOCATION,
)
