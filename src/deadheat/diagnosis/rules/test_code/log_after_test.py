"""A goroutine logs through a test that is over.

## What it sees
`testing.(*common)` on both sides above the user's code: `Log`, `Errorf` or `FailNow` in a goroutine against the test
runner, which marks the test as done.

## Why it races
`t.Log` may be used only while the test runs. A goroutine that outlives the test writes into a test that was already
reported. Newer versions of Go panic.

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

from deadheat.diagnosis.rule import LIKELY, SURE, Feature, Rule, RuleMatch

if TYPE_CHECKING:
    from deadheat.diagnosis.context import RaceContext
    from deadheat.diagnosis.race_side import RaceSide
    from deadheat.model import Frame

# "testing.(*common).logDepth", "testing.(*T).Errorf", "testing.(*common).Helper"
_LOG_METHOD = re.compile(
    r"^testing\.\(\*(?:common|T|B|F)\)\.(?:log|Log|Error|Fail|fail|Fatal|Skip|Helper|output|frameSkip|decorate|destination|TempDir|Name)"
)
_TESTING_FRAME = re.compile(r"^testing\.")


def _find_log_after_test(context: RaceContext) -> RuleMatch | None:
    for logger, runner in context.side_pairs if context.is_go else ():
        frame = logger.library_frame_matching(_LOG_METHOD) or _matching_top_frame(logger, _LOG_METHOD)
        if frame is None or not _matching_top_frame(runner, _TESTING_FRAME):
            continue
        evidence = (
            logger.evidence_at_site(f"`{frame.function}` is called in {logger.actor.id}"),
            runner.evidence_at_site("the test runner uses the same test at the same time"),
        )
        change = "Wait for the goroutine before the test returns, or do not log through t."
        confidence = SURE if not logger.runs_test else LIKELY
        where = (logger.point,) if logger.site else ()
        return RuleMatch(confidence, evidence, change, where, test_only=True)
    return None


def _matching_top_frame(side: RaceSide, pattern: re.Pattern[str]) -> Frame | None:
    top = next((f for f in side.access.stack if f.package not in ("runtime", "sync", "internal/race")), None)
    return top if top is not None and pattern.search(top.function) else None


RULE = Rule(
    "log-after-test",
    "tests",
    _find_log_after_test,
    "a join in the test (sync.WaitGroup)",
    "The test waits for its goroutines.",
    features=Feature.HAS_LIBRARY_FRAMES,
)
