"""An error variable captured by a goroutine.

## What it sees
With source: a closure that runs in a goroutine uses an error variable of the enclosing function, and so does that
function or another goroutine of the same closure.

From a report alone, if the address of the variable can be that of an interface:

- A closure writes a variable of its starter, which writes it too, or reads it after the goroutine ended.
- Two closures, or two goroutines of one closure, assign to it. One may only read it right after its own assignment (`if
  err != nil`).

## Why it races
`err` is declared once and reused by all code that follows. A closure that writes `err =` instead of `err :=` shares it.
An error may be lost or be reported for the wrong call.

## Example
    err := open(a)
    go func() { err = fetch(b) }()
    if err != nil { return err }    // reads while the goroutine writes

## Remedy
Declare the error inside the closure (`err :=`) and pass it on through a channel or `errgroup.Group`.

## When it is wrong
The variable is named like an error but has another type. From a report alone: a string, a slice that two closures
append to, or a result that a return statement writes; since Go 1.25 also a number.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from deadheat.diagnosis.facts import addresses
from deadheat.diagnosis.facts.captures import CapturedVariable, find_capture, guess_capture
from deadheat.diagnosis.finding import Evidence
from deadheat.diagnosis.rule import EVEN, FAIR, SURE, Feature, Rule, RuleMatch
from deadheat.model import ActorState

if TYPE_CHECKING:
    from deadheat.diagnosis.context import RaceContext

_MAX_CHECK_LINES = 2  # max. lines from an assignment to the check of the error


def _find_captured_error(context: RaceContext) -> RuleMatch | None:
    if context.is_go and not context.has_code:
        return _match_by_address(context)
    capture = find_capture(context) if context.is_go else None
    if capture is None or not capture.is_error or capture.declaration is None:
        return None
    here = capture.other_side.site_facts
    returns = here is not None and here.text.startswith("return") and not capture.other_side.is_closure
    if capture.declaration.kind == "result" and returns:
        return None  # the return statement writes the result: named-result-captured
    change = (
        f"Declare `{capture.name}` inside the closure with `:=` and pass it on through a channel"
        " or errgroup.Group, whose Wait returns the first error."
    )
    return RuleMatch(SURE, capture.collect_evidence(), change, (capture.closure_side.point,), from_source=True)


def _match_by_address(context: RaceContext) -> RuleMatch | None:
    """From a report alone: match a captured variable whose address can be that of an interface."""
    capture = guess_capture(context)
    if capture is None or not addresses.may_be_interface(context):
        return None
    if not capture.closure_side.writes:
        capture = capture._replace(closure_side=capture.other_side, other_side=capture.closure_side)
    if not capture.closure_side.is_closure or (capture.other_side.is_closure and not _has_only_assignments(capture)):
        return None
    address_evidence = Evidence("its address fits a two-word value such as an error, and not a number")
    change = (
        "If it is an error, declare it inside the closure with `:=` and pass it through a channel or"
        " errgroup.Group; else do not share the variable."
    )
    confidence = EVEN
    if capture.other_side.is_closure:
        confidence = FAIR + 0.05
    elif capture.other_side.writes or capture.closure_side.actor.state is ActorState.FINISHED:
        confidence = FAIR + 0.1  # written by both, or read after the goroutine ended
    return RuleMatch(confidence, (*capture.collect_evidence(), address_evidence), change, (capture.closure_side.point,))


def _has_only_assignments(capture: CapturedVariable) -> bool:
    """Return whether both closures assign to it, or one reads it right after its own assignment."""
    inner, outer = capture.closure_side, capture.other_side
    if outer.writes:
        return True
    lines_below = (outer.point.line or 0) - (inner.point.line or 0)
    return 0 < lines_below <= _MAX_CHECK_LINES or addresses.tests_assigned_value(outer, inner)


RULE = Rule(
    "error-variable-captured",
    "captured variable",
    _find_captured_error,
    "errgroup.Group or a channel of errors",
    "One channel or group per call; callers wait for all goroutines.",
    general_causes=("local-captured",),
    features=Feature.HAS_CODE | Feature.SAME_FUNCTION,
)
