"""A loop variable captured by a goroutine.

## What it sees
One side is a closure, the other the enclosing function, which writes on a line above the one that starts the goroutine:
only a loop gets back there.

With source: the module's `go` line is older than 1.22, and the closure uses a name that a `for` clause declares, or a
method of it is started (`go truck.drive()`), or closures access the element that it indexes. In C and C++: the `for`
clause writes the variable whose address is passed to a thread that the loop starts.

## Why it races
Before Go 1.22 a loop has one variable for all iterations. The goroutine reads it while the loop writes the next value
into it. Several goroutines may see the same value.

## Example
    for _, id := range ids {
        go func() { warm(id) }()    // every goroutine reads the same id
    }

## Remedy
Give each iteration its own variable: pass it as an argument, shadow it (`id := id`), or raise the `go` line of `go.mod`
to 1.22.

## When it is wrong
The function may write another variable in that loop, such as an error that the closure also uses. With Go 1.22 or newer
only a variable declared before the loop can race.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from deadheat.diagnosis import rule
from deadheat.diagnosis.facts.captures import (
    MAX_START_FRAMES,
    CapturedVariable,
    find_capture,
    guess_capture,
    start_line_of,
)
from deadheat.diagnosis.facts.function_names import bare_name
from deadheat.diagnosis.facts.lifetime import is_method_of_other_type, is_stack_memory
from deadheat.diagnosis.finding import Evidence
from deadheat.diagnosis.race_side import RaceSide, point_of, runs_in_starter_closure
from deadheat.diagnosis.rule import FAIR, LIKELY, STRONG, SURE, Rule, RuleMatch

if TYPE_CHECKING:
    from deadheat.diagnosis.context import RaceContext
    from deadheat.diagnosis.facts.code_facts import FunctionFacts
    from deadheat.model import Frame

# "&truck", "&job.input"
_ADDRESS_ARGUMENT = re.compile(r"&(\w{1,80})")
_MAX_DIRECT_LINES = 3  # max. lines from the head of a loop to a start that comes first in its body
_OWN_VARIABLE = "Give each iteration its own variable before its address is taken."


def _find_captured_loop_variable(context: RaceContext) -> RuleMatch | None:
    if not context.is_go:
        return _match_in_native_code(context) if context.has_code else _match_passed_address(context)
    if not context.has_code:
        return _match_passed_address(context) or _match_write_above_start(context)
    capture = find_capture(context)
    if capture is None:
        return _match_loop_clause(context)
    if capture.declaration is None or not context.source or context.source.shares_loop_variables() is False:
        return None
    if capture.declaration.kind != "loop":
        return _match_shared_index(capture)
    change = (
        f"Give each iteration its own `{capture.name}`: pass it as an argument, or write"
        f" `{capture.name} := {capture.name}` before the go statement."
    )
    return RuleMatch(SURE, capture.collect_evidence(), change, (capture.closure_side.point,), from_source=True)


def _match_write_above_start(context: RaceContext) -> RuleMatch | None:
    """From a Go report alone: the function writes above the line that starts the closure."""
    capture = guess_capture(context)
    line = start_line_of(context, capture) if capture else None
    if capture is None or line is None or capture.closure_side.writes:
        return None
    outer = capture.other_side
    if outer.is_closure or not outer.writes or outer.point.line is None or outer.point.line >= line:
        return None
    loop_evidence = outer.evidence_at_site(f"the write is above line {line}, which starts the goroutine: a loop")
    change = "Pass the loop variable to the closure as an argument, or shadow it in the loop body."
    return RuleMatch(LIKELY, (*capture.collect_evidence(), loop_evidence), change, (capture.closure_side.point,))


def _match_shared_index(capture: CapturedVariable) -> RuleMatch | None:
    """Match `out[i] = f(i)`: closures access one element because they share the loop's `i`."""
    closure, other = capture.closure_side, capture.other_side
    here = closure.site_facts
    if here is None or not any(u.is_element and u.writes and u.path[0] == capture.name for u in here.uses):
        return None
    for use in here.uses:
        declaration = here.declarations.get(use.name) if len(use.path) == 1 else None
        if declaration and declaration.kind == "loop" and declaration.closure_depth < len(here.closures):
            evidence = (
                closure.evidence_at_site(f"`{here.text[:60]}` is indexed by the loop variable `{use.name}`"),
                other.evidence_at_site(f"{other.action} the same element: all closures share it"),
            )
            change = f"Give each iteration its own `{use.name}`: pass it as an argument."
            return RuleMatch(STRONG + 0.04, evidence, change, (closure.point,), from_source=True)
    return None


def _match_in_native_code(context: RaceContext) -> RuleMatch | None:
    """Match `for (int i = 0; …; i++) pthread_create(&t[i], NULL, run, &i)`, or a lambda with `&i`."""
    for loop, worker in context.side_pairs:
        here, started = loop.site_facts, worker.start_frame
        if here is None or started is None or not loop.writes or not worker.is_worker:
            continue
        facts = context.function_at(started)
        if facts is None or (facts.path, facts.first_line) != (here.path, here.first_line):
            continue
        inside = any(first == here.line <= facts.line <= last for first, last in here.loops)
        names = {u.name for u in here.uses if u.writes and len(u.path) == 1}
        if not inside or not names or not here.text.startswith(("for ", "for(")):
            continue
        name = next((n for n in sorted(names) if n in here.declarations), "")
        if not name or not (here.declarations[name].line == here.line or _passes_address(facts, name)):
            continue
        evidence = (
            loop.evidence_at_site(f"`{here.text[:60]}` writes the loop variable `{name}`"),
            Evidence("each iteration starts a thread with its address", point_of(started)),
            worker.evidence_at_site(f"{worker.action} it in {worker.actor.id}"),
        )
        change = f"Pass each thread the value of `{name}`, or its own array element."
        return RuleMatch(STRONG + 0.04, evidence, change, (point_of(started),), from_source=True)
    return None


def _passes_address(facts: FunctionFacts, name: str) -> bool:
    """Return whether the address is passed to the start: `pthread_create(&t, NULL, run, &i)`."""
    argument_texts = [call.arguments for call in facts.calls if call.line == facts.line]
    return any(re.search(rf"&\s?{re.escape(name)}\b(?!\s?\[)", text) for text in argument_texts)


def _start_below_write(context: RaceContext, loop: RaceSide, worker: RaceSide) -> Frame | None:
    """Return the frame below the write that started the worker, by a closure or directly."""
    starts = worker.actor.created_at[:MAX_START_FRAMES]
    frame = next((f for f in starts if loop.site and f.function == loop.site.function), None)
    if loop.site is None or frame is None or not (frame.line or 0) > (loop.site.line or 0) > 0:
        return None
    if runs_in_starter_closure(worker, frame):
        return frame
    is_near = (frame.line or 0) - (loop.site.line or 0) <= _MAX_DIRECT_LINES
    # `main` is not called again, and a second call has another stack
    may_be_loop = (
        is_method_of_other_type(loop, worker) or bare_name(loop.function) == "main" or is_stack_memory(context)
    )
    return frame if context.source is None and is_near and may_be_loop and frame == worker.start_frame else None


def _is_method_of_variable(context: RaceContext, loop: RaceSide, worker: RaceSide) -> bool:
    """Match `for _, truck := range trucks { go truck.drive(n) }`: the method gets `&truck`."""
    facts = context.function_at(worker.start_frame) if worker.start_frame else None
    if facts is None or loop.site_facts is None or facts.first_line != loop.site_facts.first_line:
        return False
    for call in [c for c in facts.calls if c.line == facts.line]:
        for base in (call.target.partition(".")[0], *_ADDRESS_ARGUMENT.findall(call.arguments)):
            declaration = facts.declarations.get(base)
            if declaration and declaration.kind == "loop" and declaration.line == loop.site_facts.line:
                return True
    return False


def _match_passed_address(context: RaceContext) -> RuleMatch | None:
    """Match a closure that passes the variable's address on: the access is in a callee."""
    for loop, worker in context.side_pairs:
        started = _start_below_write(context, loop, worker) if loop.writes and not worker.is_closure else None
        if started is None:
            continue
        kind = "goroutine" if context.is_go else "thread"
        evidence = (
            loop.evidence_at_site(f"{loop.action} above line {started.line}, which starts the {kind}: a loop"),
            worker.evidence_at_site(f"{worker.action} what was passed to that {kind}"),
        )
        return RuleMatch(FAIR + 0.05, evidence, _OWN_VARIABLE, (loop.point,))
    return None


def _match_loop_clause(context: RaceContext) -> RuleMatch | None:
    """With source: match a `for` clause that writes a variable whose address a worker uses."""
    shares = context.source.shares_loop_variables() if context.source else None
    for loop, worker in context.side_pairs if shares is not False else ():
        if not loop.site_facts or not loop.site_facts.text.startswith("for "):
            continue
        if _start_below_write(context, loop, worker) or _is_method_of_variable(context, loop, worker):
            evidence = (
                loop.evidence_at_site(f"`{loop.site_facts.text[:60]}` writes the loop variable"),
                worker.evidence_at_site(f"{worker.action} it through its address"),
            )
            return RuleMatch(STRONG + 0.04, evidence, _OWN_VARIABLE, (loop.point,), from_source=True)
    return None


RULE = Rule(
    "loop-variable-captured",
    "captured variable",
    _find_captured_loop_variable,
    "a variable per iteration",
    "None: one copy per iteration.",
    general_causes=("local-captured",),
    features=rule.Feature.HAS_CODE | rule.Feature.SAME_FUNCTION | rule.Feature.SITE_IS_STARTER,
)
