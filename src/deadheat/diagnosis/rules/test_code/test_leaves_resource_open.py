"""A test does not close what it opened.

## What it sees
A goroutine that one test started races with another test. Or, with source, a test opens something (a result set, a
session, a server) whose worker is one side, and never closes it or drops it.

## Why it races
An open resource continues to work. The next statement, or the next test, changes what it still uses.

## Example
    rs, err := tk.Exec("select …")  // rs is never closed: its workers go on
    tk.MustExec("set …")            // resets what they use

## Remedy
Close it in the test, best with `defer` or `t.Cleanup` on the next line. The product is correct.

## When it is wrong
A helper closes it, or a clean-up that this rule does not know.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from deadheat.diagnosis.facts.function_names import RENEWING_VERBS, is_test_file
from deadheat.diagnosis.facts.lifetime import find_teardown, is_background_worker
from deadheat.diagnosis.finding import CodePoint, Evidence
from deadheat.diagnosis.race_side import RaceSide, point_of
from deadheat.diagnosis.rule import FAIR, STRONG, WEAK, Feature, Rule, RuleMatch
from deadheat.symbols import go

if TYPE_CHECKING:
    from deadheat.diagnosis.context import RaceContext
    from deadheat.diagnosis.facts.code_facts import CallSite, FunctionFacts
    from deadheat.model import Frame

# calls that return something to close: "tk.Exec(…)", "db.Query(…)", "server.Start()", "NewServer(…)"
_OPENING_FUNCTION = re.compile(
    r"^(?:Exec|Query|Open|Dial|Listen|Start|NewServer|NewSession|Prepare|Begin|Subscribe|Watch)\w*$"
)
_CLOSING_FUNCTION = re.compile(r"^(?:Close|Stop|Shutdown|Cancel|Rollback|Commit|Cleanup|Release|Kill)\w*$|^cancel$")

_CLOSE_METHODS = ("Close", "Stop", "Shutdown", "Cancel", "Kill")
# the last word of each type in "(recordSets []sqlexec.RecordSet, err error)"
_RESULT_TYPE = re.compile(r"(?<!\w)(\w+)\s*(?:[,)]|$)")
_NOT_CLOSABLE = frozenset(("error", "bool", "int", "int64", "uint64", "string", "byte", "Duration", "Time", ""))
_NOT_A_RESOURCE = re.compile(r"^_?$|[eE]rr|^ok$|^got$|^want$|[.\[]")


def _find_test_leaves_resource_open(context: RaceContext) -> RuleMatch | None:
    for worker, other in context.side_pairs if context.is_go and context.report.test else ():
        if worker.runs_test or not is_background_worker(worker):
            continue
        starting_test = _first_test_frame(worker.actor.created_at)
        if starting_test is None:
            continue
        running_test = _first_test_frame(other.access.stack)
        if running_test and starting_test[0] != running_test[0]:
            return _hit_for_other_test(context, worker, starting_test, running_test)
        if find_teardown(context, RENEWING_VERBS) and (hit := _match_unclosed_result(context, worker, starting_test)):
            return hit
    return None


def _first_test_frame(frames: tuple[Frame, ...]) -> tuple[str, Frame] | None:
    for frame in frames:
        if not frame.stale and (name := go.enclosing_test(frame.function)):
            return name, frame
    return None


def _hit_for_other_test(
    context: RaceContext, worker: RaceSide, starting_test: tuple[str, Frame], running_test: tuple[str, Frame]
) -> RuleMatch:
    starter, frame = starting_test
    evidence = (
        worker.evidence_at_site(f"{worker.action} in {worker.actor.id}"),
        Evidence(f"`{starter}` started it and left it running", point_of(frame)),
        Evidence(f"while `{running_test[0]}` runs", point_of(running_test[1])),
    )
    change = f"Stop and join in `{starter}` the goroutine that it started, with t.Cleanup."
    confidence = FAIR + 0.1
    if any(_is_never_closed(context, f) for f in worker.start_stack if is_test_file(f.file)):
        confidence = STRONG if _restores_value(context, worker) else STRONG + 0.05
    elif _is_stored_outside(context, frame):
        confidence = WEAK  # shared by the tests on purpose
    return RuleMatch(confidence, evidence, change, (point_of(frame),), test_only=True)


def _is_never_closed(context: RaceContext, frame: Frame) -> bool:
    """Return whether a test opens `n := NewNode()`, which can be closed, and does not close it."""
    facts = context.function_at(frame)
    calls = facts.calls if facts else ()
    for call in [c for c in calls if c.line == frame.line]:
        name = call.result.partition(",")[0].strip()
        if name and name != "_":
            is_closed = any(c.target == name and _CLOSING_FUNCTION.match(c.name) for c in calls)
            return not is_closed and any(context.find_function(end, frame) for end in _CLOSE_METHODS)
        if _is_dropped(context, frame, call):
            return True
    return False


def _is_dropped(context: RaceContext, frame: Frame, call: CallSite) -> bool:
    """Return whether a test drops a result that can be closed: `Collect(heap)`."""
    inner = context.find_function(call.name, frame)
    kinds = set(_RESULT_TYPE.findall(inner.result_types)) - _NOT_CLOSABLE if inner and not call.deferred else set()
    close_methods = [context.find_function(end, frame, kind) for kind in sorted(kinds) for end in _CLOSE_METHODS]
    return any(close_method and close_method.receiver in kinds for close_method in close_methods)


def _restores_value(context: RaceContext, worker: RaceSide) -> bool:
    """Return whether the other test replaces the value and later restores it: then the change is intended."""
    other = next(side for side in context.race_sides if side is not worker)
    name = context.shared_variable.name if context.shared_variable else ""
    facts = other.site_facts
    return facts is not None and sum(u.name == name for u in facts.stores) > 1


def _is_stored_outside(context: RaceContext, frame: Frame) -> bool:
    """Return whether a test stores what it opens in an outer variable: `quoter = Begin()`."""
    facts = context.function_at(frame)
    for call in [c for c in facts.calls if c.line == frame.line] if facts else ():
        name = call.result.partition(",")[0].strip()
        if name.isidentifier() and name != "_" and facts and name not in facts.declarations:
            return True
    return False


def _match_unclosed_result(
    context: RaceContext, worker: RaceSide, starting_test: tuple[str, Frame]
) -> RuleMatch | None:
    """Match a call in the test that led to the worker and whose result is never closed."""
    test, frame = starting_test
    facts = context.function_at(frame)
    if facts is None or not is_test_file(frame.file):
        return None
    test_index = worker.actor.created_at.index(frame)
    callee = context.function_at(worker.actor.created_at[test_index - 1]) if test_index else None
    opening_calls = [c for c in facts.calls if c.line == frame.line and _OPENING_FUNCTION.match(c.name)]
    call = next((c for c in opening_calls if _returns_closable(callee, c)), None)
    if call is None or _is_closed(facts, call):
        return None
    at = CodePoint(facts.path, call.line, frame.function)
    name, types = _result_variable(call), callee.result_types.strip("()") if callee else ""
    result_text = f"the result of `{call.name}`{f' (`{types}`)' if types else ''}"
    resource = f"`{name}`, {result_text}," if name else result_text
    reason = "the test never closes it" if name else "the result is dropped"
    evidence = (
        Evidence(f"`{test}` leaves {resource} open: {reason}", at),
        worker.evidence_at_site(f"{worker.action} in {worker.actor.id}, which that call started"),
    )
    change = f"Close {resource.rstrip(',')} in the test, on the next line with defer or t.Cleanup."
    return RuleMatch(STRONG, evidence, change, (at,), test_only=True, from_source=True)


def _returns_closable(callee: FunctionFacts | None, call: CallSite) -> bool:
    if callee is None or callee.function != call.name or call.result.strip() == "_":
        return bool(_result_variable(call)) and callee is None
    kinds = _RESULT_TYPE.findall(callee.result_types)
    return any(kind not in _NOT_CLOSABLE for kind in kinds) and (not call.result or bool(_result_variable(call)))


def _result_variable(call: CallSite) -> str:
    """Return the variable that holds what a call opened; "" for an error or a flag."""
    name = call.result.partition(",")[0].strip()
    return "" if _NOT_A_RESOURCE.search(name) else name


def _is_closed(facts: FunctionFacts, call: CallSite) -> bool:
    name = _result_variable(call)
    if not name:
        return False
    word = re.compile(rf"\b{re.escape(name)}\b")
    return any(
        (_CLOSING_FUNCTION.match(c.name) and word.search(c.target))
        or (c.line > call.line and word.search(c.arguments) and not c.name.startswith("Is"))
        for c in facts.calls
        if c.line >= call.line and c is not call and not _is_assertion(c)
    )


def _is_assertion(call: CallSite) -> bool:
    """Return whether it is an assertion, such as `require.NotNil(t, rs)`."""
    return call.target in ("require", "assert", "c", "t") and not _CLOSING_FUNCTION.match(call.name)


RULE = Rule(
    "test-leaves-resource-open",
    "tests",
    _find_test_leaves_resource_open,
    "defer or t.Cleanup",
    "None.",
    general_causes=("worker-outlives-owner",),
    features=Feature.NAMES_TEST,
)
