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

from deadheat.diagnose.checking import absent, check
from deadheat.diagnose.naming import is_test_file
from deadheat.diagnose.rule import FAIR, STRONG, WEAK, Hit, Rule
from deadheat.diagnose.side import point
from deadheat.diagnose.traits import TESTS

if TYPE_CHECKING:
    from deadheat.diagnose.finding import Evidence, Point
    from deadheat.diagnose.scene import Scene
    from deadheat.diagnose.side import Side


def _find(scene: Scene) -> Hit | None:
    if not scene.go or not scene.both or not scene.sides[0].is_test or not scene.sides[1].is_test:
        return None
    if scene.sides[0].actor.id == scene.sides[1].actor.id:
        return None
    evidence = tuple(
        side.told(f"{side.does} in {side.actor.id}, the goroutine of a test") for side in scene.sides
    )
    parallel = tuple(one for side in scene.sides[:1] if (one := _parallel(scene, side)))
    change = (
        "Give each parallel test its own fixture, or remove t.Parallel where one is shared."
    )
    where = tuple(p for side in scene.sides if (p := _test_frame(side)))
    # a product that takes locks claims to be safe for concurrent use: then it is at fault
    locked = any(side.held for side in scene.sides)
    confidence = WEAK if _is_products(scene) else FAIR if locked else STRONG + 0.04
    hit = Hit(confidence, (*evidence, *parallel), change, where, test_only=True)
    return hit._replace(from_source=bool(parallel))


def _is_products(scene: Scene) -> bool:
    """Return whether the product stores a missing value in a variable of its package.

    No test can have its own copy of that variable.
    """
    shared = scene.shared
    if shared is None or shared.kind != "package" or is_test_file(shared.file):
        return False
    found = check(scene) or absent(scene)
    return found is not None and not any(side.in_test for side in scene.sides)


def _test_frame(side: Side) -> Point | None:
    found = next((f for f in side.frames if f.file.endswith("_test.go")), None)
    return point(found) if found else None


def _parallel(scene: Scene, side: Side) -> Evidence | None:
    """Return the call of t.Parallel in one of the test's functions."""
    for frame in side.frames:
        seen = scene.around(frame) if frame.file.endswith("_test.go") else None
        call = next((c for c in seen.calls if c.name == "Parallel"), None) if seen else None
        if seen and call:
            return side.told(f"`{seen.function}` calls t.Parallel")._replace(
                at=point(frame)._replace(line=call.line)
            )
    return None


RULE = Rule(
    "parallel-test-shared-fixture",
    "tests",
    _find,
    "a fixture per test",
    "A little more time for test set-up.",
    when=TESTS,
)
