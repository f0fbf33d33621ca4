"""A goroutine logs through a test that is over.

## What it sees
A side uses the log of a test (`Log`, `Errorf`, `FailNow`) or is inside of the testing package, which marks the test
as done.

## Why it races
The log of a test may be used only while the test runs. A goroutine that outlives the test writes into a test that
was already reported. Newer versions of Go panic.

## Example
    go func() { time.Sleep(d); t.Log("done") }()    // the test has returned

## Remedy
Wait for the goroutine in the test, or let it log elsewhere. The product is correct.

## When it is wrong
Other data of the testing package, such as a sub-test that two goroutines start.
"""

from __future__ import annotations

from deadheat.diagnosis.cause import CauseDefinition, RemedyOption

CAUSE = CauseDefinition(
    name="log-after-test",
    title="A goroutine logs through a test that is over",
    family="tests",
    needs=("the test's log is used | reader in the testing package | writer in the testing package",),
    contradicted_by="channel is closed | WaitGroup waits | map function",
    evidence="writer in a deferred call",
    sentence="{other} logs through a test that has ended, and the testing package writes {variable} at its end",
    remedies=(
        RemedyOption(
            "Before the test returns, wait in it for {worker} with {join}.",
            "{join}",
            "The test waits for its goroutines.",
            "start",
            unless="starter waited before | stop and wait before the access",
        ),
        RemedyOption(
            "Do not log through the test in {other}; collect the message and log it in the test itself.",
            "a channel or a list of messages",
            "The message appears later.",
            "other",
        ),
    ),
    test_only=True,
)
