"""A test changes a variable that background goroutines use.

## What it sees
A line of a test file writes a package variable (by the code, or by its address in the program image), and a background
goroutine of the product accesses it. With source the write may also be in a function for tests (`func Fast(t
testing.TB)`).

With lower confidence: code that a test calls in its own goroutine (set-up, a setter) writes it, and a goroutine of the
product only reads it.

## Why it races
A test changes a package variable (a hook, a timeout, a default) while goroutines of this or an earlier test still read
it.

## Example
    func TestLimits(t *testing.T) {
        limit = 5                   // the crawler of the test before still reads it
        defer func() { limit = 10 }()
    }

## Remedy
Stop the background goroutines before the variable is changed. Or pass the value to the constructor. The product is
correct as long as only tests write the variable.

## When it is wrong
- A field of an object that the test made is no global: the test lacks a lock.
- A variable that a worker of another test writes too is no setting: that worker was left running.
- The product writes it for every caller: then a lock is missing, or it is created too late.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from deadheat.diagnosis.facts.addresses import is_package_variable
from deadheat.diagnosis.facts.function_names import is_test_file
from deadheat.diagnosis.rule import FAIR, STRONG, WEAK, Rule, RuleMatch
from deadheat.symbols import go

if TYPE_CHECKING:
    from deadheat.diagnosis.context import RaceContext
    from deadheat.diagnosis.facts.code_facts import SharedVariable
    from deadheat.diagnosis.race_side import RaceSide

_TESTING_TYPES = ("testing.TB", "*testing.T", "*testing.B")


def _find_test_changes_global(context: RaceContext) -> RuleMatch | None:
    for test, other in context.side_pairs if context.is_go else ():
        if not test.writes or other.runs_test or _is_test_code(context, other):
            continue
        if test.is_in_test_file or _is_test_helper(test):
            return _match_write_by_test(context, test, other)
        # if the other side writes it too, it is no setting of the test
        if not other.writes and _runs_test(test) and _is_background(context, other):
            return _match_write_in_callee(context, test, other)
    return None


def _match_write_by_test(context: RaceContext, test: RaceSide, other: RaceSide) -> RuleMatch | None:
    shared = context.shared_variable
    if shared is not None and shared.kind != "package":
        return None
    in_package_data = None if shared else is_package_variable(context)
    if in_package_data is False:
        return None  # allocated memory is no package variable
    location = "in a test file" if test.is_in_test_file else "in a function that tests call"
    sentence = f"{test.action} {_describe_variable(shared, in_package_data)}, {location}"
    confidence = STRONG + 0.04 if shared else STRONG
    if not shared and not in_package_data:
        confidence = FAIR + 0.1 if test.runs_test else WEAK
    if context.source is None and other.writes and _is_started_by_other_test(context, other):
        confidence = FAIR  # state of another test's worker, no setting
    return _hit_for_test(context, confidence, test, other, sentence)


def _match_write_in_callee(context: RaceContext, test: RaceSide, other: RaceSide) -> RuleMatch | None:
    """Match a write by code that a test calls in its own goroutine: set-up, or a setter."""
    shared = context.shared_variable
    if is_package_variable(context) is not True or (shared is not None and shared.kind != "package"):
        return None
    variable = _describe_variable(shared, in_package_data=True)
    runs_in = f"in {test.actor.id}, which runs a test"
    sentence = f"{test.action} {variable}, {runs_in}" if test.site else f"{variable} is written {runs_in}"
    # less certain if the stack is lost, or if another test left the goroutine running
    certainty = FAIR if test.site is None or _is_started_by_other_test(context, other) else FAIR + 0.1
    return _hit_for_test(context, certainty, test, other, sentence)


def _hit_for_test(context: RaceContext, certainty: float, test: RaceSide, other: RaceSide, sentence: str) -> RuleMatch:
    evidence = (
        test.evidence_at_site(sentence),
        other.evidence_at_site(f"{other.action} it in the background ({other.actor.id})"),
    )
    change = (
        f"Stop the background goroutine before the test changes {context.variable_label}, or pass the value"
        " to the constructor instead of through a package variable."
    )
    where = (test.point,) if test.site else ()
    sourced = context.shared_variable is not None
    return RuleMatch(certainty, evidence, change, where, test_only=True, from_source=sourced)


def _describe_variable(shared: SharedVariable | None, in_package_data: bool | None) -> str:
    if shared:
        return f"`{shared.name}`, a package variable"
    return "a package variable, by its address" if in_package_data else "it"


def _runs_test(side: RaceSide) -> bool:
    return side.runs_test or any(is_test_file(f.file) and go.enclosing_test(f.function) for f in side.live_frames)


def _is_background(context: RaceContext, side: RaceSide) -> bool:
    if context.in_same_function or _runs_test(side):
        return False
    return side.site is not None or side.is_worker


def _is_test_helper(side: RaceSide) -> bool:
    """Return whether it is a function for tests: `func Fast(t testing.TB) { fast = true }`."""
    declarations = side.site_facts.declarations.values() if side.site_facts and not side.is_closure else ()
    return any(declaration.kind == "parameter" and declaration.type in _TESTING_TYPES for declaration in declarations)


def _is_test_code(context: RaceContext, side: RaceSide) -> bool:
    if not side.is_in_test_file:
        return False
    return is_package_variable(context) is not True or any(go.enclosing_test(f.function) for f in side.user_frames)


def _is_started_by_other_test(context: RaceContext, side: RaceSide) -> bool:
    starting_tests = [name for f in side.actor.created_at if (name := go.enclosing_test(f.function))]
    return bool(starting_tests) and context.report.test not in starting_tests


RULE = Rule(
    "test-changes-global",
    "tests",
    _find_test_changes_global,
    "a parameter instead of a package variable; a join in the test",
    "One more constructor parameter.",
)
