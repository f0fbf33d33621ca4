"""Parallel tests share a fixture.

## What it sees
Both sides run in goroutines that `testing.(*T).Run` started: two tests or sub-tests at the same time, which only
`t.Parallel` allows. With source: not if a function of the product stores a missing value in a variable of its own
package (a cache, a table that is created at first use).

## Why it races
Parallel tests run concurrently. Anything that they share and that one of them changes is unordered: a package variable,
a fixture that is made once, a variable of the loop around the sub-tests.

## Example
    for _, tc := range cases {
        t.Run(tc.name, func(t *testing.T) { t.Parallel(); shared.Add(tc.name) })
    }

## Remedy
Use a fixture per sub-test, or no `t.Parallel` in tests that share one. The product is correct unless it promises to be
safe for concurrent use.

## When it is wrong
The type claims to be safe for concurrent use and is not: then the tests have found a defect of the product.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from deadheat.diagnosis.facts.condition_checks import find_check, find_existence_check
from deadheat.diagnosis.facts.function_names import is_test_file
from deadheat.diagnosis.finding import Evidence
from deadheat.diagnosis.race_side import RaceSide, point_of
from deadheat.diagnosis.rule import FAIR, STRONG, WEAK, Feature, Rule, RuleMatch

if TYPE_CHECKING:
    from deadheat.diagnosis.context import RaceContext
    from deadheat.model import Frame


def _find_parallel_test_shared_fixture(context: RaceContext) -> RuleMatch | None:
    if not context.is_go or not context.side_pairs or not all(side.runs_test for side in context.race_sides):
        return None
    if context.race_sides[0].actor.id == context.race_sides[1].actor.id:
        return None
    evidence = tuple(
        side.evidence_at_site(f"{side.action} in {side.actor.id}, the goroutine of a test")
        for side in context.race_sides
    )
    parallel = _parallel_call_evidence(context, context.race_sides[0])
    change = "Give each parallel test its own fixture, or remove t.Parallel where one is shared."
    where = tuple(point_of(f) for side in context.race_sides for f in _test_frames(side)[:1])
    # a product that takes locks claims to be safe for concurrent use: then it is at fault
    confidence = FAIR if any(side.locks_held for side in context.race_sides) else STRONG + 0.04
    confidence = WEAK if _is_stored_by_product(context) else confidence
    evidence += (parallel,) if parallel else ()
    return RuleMatch(confidence, evidence, change, where, test_only=True, from_source=parallel is not None)


def _is_stored_by_product(context: RaceContext) -> bool:
    """Return whether the product stores a missing value in a variable of its package, which no test can copy."""
    shared = context.shared_variable
    if shared is None or shared.kind != "package" or is_test_file(shared.file):
        return False
    check = find_check(context) or find_existence_check(context)
    return check is not None and not any(side.is_in_test_file for side in context.race_sides)


def _test_frames(side: RaceSide) -> list[Frame]:
    return [f for f in side.user_frames if f.file.endswith("_test.go")]


def _parallel_call_evidence(context: RaceContext, side: RaceSide) -> Evidence | None:
    for frame in _test_frames(side):
        facts = context.function_at(frame)
        call = next((c for c in facts.calls if c.name == "Parallel"), None) if facts else None
        if facts and call:
            return Evidence(f"`{facts.function}` calls t.Parallel", point_of(frame)._replace(line=call.line))
    return None


RULE = Rule(
    "parallel-test-shared-fixture",
    "tests",
    _find_parallel_test_shared_fixture,
    "a fixture per test",
    "A little more time for test set-up.",
    features=Feature.BOTH_IN_TESTS,
)
