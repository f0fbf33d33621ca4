"""A goroutine logs through a test that is over.

## What it sees

`testing.(*common)` on both sides above the user's code: `Log`, `Errorf` or `FailNow` in a goroutine
against the test runner, which marks the test as done.

## Why it races

`t.Log` may be used only while the test runs. A goroutine that outlives the test writes into a test
that was already reported. Newer versions of Go panic.

## Example

    go func() { time.Sleep(d); t.Log("done") }()    // the test has returned

## Remedy

Wait for the goroutine in the test, or let it log elsewhere. The product is correct.

## When it is wrong

Other data of the testing package, such as a sub-test that two goroutines start.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from deadheat.diagnose.rule import LIKELY, SURE, Hit, Rule
from deadheat.diagnose.traits import ABOVE

if TYPE_CHECKING:
    from deadheat.diagnose.scene import Scene
    from deadheat.diagnose.side import Side
    from deadheat.model import Frame

# "testing.(*common).logDepth", "testing.(*T).Errorf", "testing.(*common).Helper"
_LOGS = re.compile(
    r"^testing\.\(\*(?:common|T|B|F)\)\.(?:log|Log|Error|Fail|fail|Fatal|Skip|Helper|output|frameSkip|decorate|destination|TempDir|Name)"
)
_TESTING = re.compile(r"^testing\.")


def _find(scene: Scene) -> Hit | None:
    for logs, runner in scene.both if scene.go else ():
        frame = logs.above(_LOGS) or _top(logs, _LOGS)
        if frame is None or not _top(runner, _TESTING):
            continue
        evidence = (
            logs.told(f"`{frame.function}` is called in {logs.actor.id}"),
            runner.told("the test runner uses the same test at the same time"),
        )
        change = "Wait for the goroutine before the test returns, or do not log through t."
        confidence = SURE if not logs.is_test else LIKELY
        where = (logs.point,) if logs.site else ()
        return Hit(confidence, evidence, change, where, test_only=True)
    return None


def _top(side: Side, pattern: re.Pattern[str]) -> Frame | None:
    """Return the innermost frame, if it matches."""
    top = next(
        (f for f in side.access.stack if f.package not in ("runtime", "sync", "internal/race")),
        None,
    )
    return top if top is not None and pattern.search(top.function) else None


RULE = Rule(
    "log-after-test",
    "tests",
    _find,
    "a join in the test (sync.WaitGroup)",
    "The test waits for its goroutines.",
    when=ABOVE,
)
