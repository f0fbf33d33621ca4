"""A named result captured by a goroutine.

## What it sees
With source: a closure that runs in a goroutine uses a named result of the enclosing function. The other side is another
such goroutine, the function's own code, or its `return` statement, which assigns to the result without naming it.

From a report alone: a closure writes a variable of the function that started it, and so does that function further
down. Code rarely writes a local variable while a goroutine does; a `return` does so implicitly.

## Why it races
`return f()` in a function with named results is an assignment to them. A goroutine that still uses the result races
with that assignment, and what it writes after the return is lost.

## Example
    func Resolve() (addr string) {
        go func() { addr = ask(b) }()
        return ask(a)               // writes addr
    }

## Remedy
Let the goroutine write to its own variable, pass that through a channel, and return only after receiving it.

## When it is wrong
The result is only used before the goroutine starts, and the race is on another variable of the same line. From a report
alone: a local variable that the function sets itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from deadheat.diagnosis.facts import addresses
from deadheat.diagnosis.facts.captures import find_capture, guess_capture, start_line_of
from deadheat.diagnosis.facts.function_names import bare_name
from deadheat.diagnosis.rule import FAIR, SURE, Feature, Rule, RuleMatch

if TYPE_CHECKING:
    from deadheat.diagnosis.context import RaceContext

_FUNCTIONS_WITHOUT_RESULT = ("Test", "Benchmark", "Fuzz", "main", "init")


def _find_captured_named_result(context: RaceContext) -> RuleMatch | None:
    if context.is_go and not context.has_code:
        return _match_write_below_start(context)
    capture = find_capture(context) if context.is_go else None
    if capture is None or capture.declaration is None or capture.declaration.kind != "result":
        return None
    other = capture.other_side
    text = other.site_facts.text if other.site_facts and not other.is_closure else ""
    evidence = capture.collect_evidence()
    if text.startswith("return"):
        effect = "returns" if text.partition("//")[0].strip() == "return" else "assigns to"
        evidence += (other.evidence_at_site(f"the return statement {effect} the named result"),)
    elif capture.is_error:
        return None  # error-variable-captured
    change = (
        f"Let the closure use its own variable instead of the result `{capture.name}`; receive it from a"
        " channel before the function returns."
    )
    return RuleMatch(SURE, evidence, change, (capture.closure_side.point, other.point), from_source=True)


def _match_write_below_start(context: RaceContext) -> RuleMatch | None:
    """From a report alone: both sides write it, the enclosing function below the start."""
    capture = guess_capture(context)
    if capture is None:
        return None
    closure, other = capture.closure_side, capture.other_side
    if other.is_closure or not (closure.writes and other.writes):
        return None
    started = start_line_of(context, capture)
    if started is None or (other.point.line or 0) <= started:
        return None
    if bare_name(closure.function).startswith(_FUNCTIONS_WITHOUT_RESULT):
        return None
    if addresses.raced_address(context) is None or addresses.may_be_interface(context):
        return None  # error-variable-captured
    return_evidence = other.evidence_at_site("it writes the variable, as a return statement does with a named result")
    change = "Let the closure use its own variable; receive it from a channel before the function returns."
    return RuleMatch(FAIR + 0.05, (*capture.collect_evidence(), return_evidence), change, context.change_points)


RULE = Rule(
    "named-result-captured",
    "captured variable",
    _find_captured_named_result,
    "a channel",
    "The function waits for its goroutine.",
    general_causes=("local-captured",),
    features=Feature.HAS_CODE | Feature.SAME_FUNCTION,
)
