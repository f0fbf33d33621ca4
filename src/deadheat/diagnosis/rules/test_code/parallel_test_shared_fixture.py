"""Parallel tests share a fixture.

## What it sees

Both sides run in goroutines that `testing.(*T).Run` started: two tests or sub-tests at the same
time, which only `t.Parallel` allows. With source: not if a function of the product stores a missing
value in a variable of its own package (a cache, a table that is created at first use).

## Why it races

Parallel tests run concurrently. Anything that they share and that one of them changes is unordered:
a package variable, a fixture that is made once, a variable of the loop around the sub-tests.

## Example

    for _, tc := range cases {
        t.Run(tc.name, func(t *testing.T) { t.Parallel(); shared.Add(tc.name) })
    }

## Remedy

Use a fixture per sub-test, or no `t.Parallel` in tests that share one. The product is correct
unless it promises to be safe for concurrent use.

## When it is wrong

The type claims to be safe for concurrent use and is not: then the tests have found a defect of the
product.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from deadheat.diagnosis.facts.condition_checks import find_check, find_existence_check
from deadheat.diagnosis.facts.function_names import is_test_file
from deadheat.diagnosis.race_side import point_of
from deadheat.diagnosis.rule import FAIR, STRONG, WEAK, Feature, Rule, RuleMatch

if TYPE_CHECKING:
    from deadheat.diagnosis.context import RaceContext
    from deadheat.diagnosis.finding import CodePoint, Evidence
    from deadheat.diagnosis.race_side import RaceSide


def _find_parallel_test_shared_fixture(context: RaceContext) -> RuleMatch | None:
    if (
        not context.is_go
        or not context.side_pairs
        or not context.race_sides[0].runs_test
        or not context.race_sides[1].runs_test
    ):
        return None
    if context.race_sides[0].actor.id == context.race_sides[1].actor.id:
        return None
    evidence = tuple(
        side.evidence_at_site(f"{side.action} in {side.actor.id}, the goroutine of a test")
        for side in context.race_sides
    )
    parallel = tuple(item for side in context.race_sides[:1] if (item := _parallel_call_evidence(context, side)))
    change = "Give each parallel test its own fixture, or remove t.Parallel where one is shared."
    where = tuple(p for side in context.race_sides if (p := _test_frame_point(side)))
    # a product that takes locks claims to be safe for concurrent use: then it is at fault
    locked = any(side.locks_held for side in context.race_sides)
    confidence = WEAK if _is_stored_by_product(context) else FAIR if locked else STRONG + 0.04
    hit = RuleMatch(confidence, (*evidence, *parallel), change, where, test_only=True)
    return hit._replace(from_source=bool(parallel))


def _is_stored_by_product(context: RaceContext) -> bool:
    """Return whether the product stores a missing value in a variable of its package.

    No test can have its own copy of that variable.
    """
    shared = context.shared_variable
    if shared is None or shared.kind != "package" or is_test_file(shared.file):
        return False
    check_found = find_check(context) or find_existence_check(context)
    return check_found is not None and not any(side.is_in_test_file for side in context.race_sides)


def _test_frame_point(side: RaceSide) -> CodePoint | None:
    test_frame = next((f for f in side.user_frames if f.file.endswith("_test.go")), None)
    return point_of(test_frame) if test_frame else None


def _parallel_call_evidence(context: RaceContext, side: RaceSide) -> Evidence | None:
    """Return the call of t.Parallel in one of the test's functions."""
    for frame in side.user_frames:
        facts = context.function_at(frame) if frame.file.endswith("_test.go") else None
        call = next((c for c in facts.calls if c.name == "Parallel"), None) if facts else None
        if facts and call:
            return side.evidence_at_site(f"`{facts.function}` calls t.Parallel")._replace(
                point=point_of(frame)._replace(line=call.line)
            )
    return None


RULE = Rule(
    "parallel-test-shared-fixture",
    "tests",
    _find_parallel_test_shared_fixture,
    "a fixture per test",
    "A little more time for test set-up.",
    features=Feature.BOTH_IN_TESTS,
)
