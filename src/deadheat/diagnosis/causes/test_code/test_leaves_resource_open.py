"""A test does not close what it opened.

## What it sees
The two sides belong to different tests, so that one of them must have outlived its test; or the writer is in a test
file, or the other side renews something, by its name; or, with code, the test does not end what it started.

## Why it races
An open resource continues to work. The next statement, or the next test, changes what it still uses.

## Example
    rs, err := tk.Exec("select …")  // rs is never closed: its workers go on
    tk.MustExec("set …")            // resets what they use

## Remedy
Close it in the test, best in a clean-up function on the next line. The product is correct.

## When it is wrong
A helper closes it, or a clean-up function that the code does not show.
"""

from __future__ import annotations

from deadheat.diagnosis.cause import CauseDefinition, RemedyOption

CAUSE = CauseDefinition(
    name="test-leaves-resource-open",
    title="A test does not close what it opened",
    family="tests",
    needs=(
        (
            "sides belong to different tests | test does not end what it started | writer in a test file | other "
            "side renews something"
        ),
    ),
    contradicted_by="both are goroutines of tests | WaitGroup waits | one side is atomic | panic on the stack",
    sentence="a test leaves {worker} running, which still uses {variable} when a later step or test uses it",
    remedies=(
        RemedyOption(
            "Close what the test opened with `t.Cleanup` on the next line, and let the close wait for {worker}.",
            "a clean-up function",
            "The test waits for its goroutines.",
            "start",
            unless="stop and wait before the access",
            languages=("go",),
        ),
        RemedyOption(
            "Before the test returns, end what it started, and wait for {worker} with {join}.",
            "{join}",
            "The test waits for what it started.",
            "start",
        ),
    ),
    general_causes=("worker-outlives-owner",),
    test_only=True,
)
