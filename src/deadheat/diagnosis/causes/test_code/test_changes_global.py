"""A test changes a package variable that background code reads.

## What it sees
The writing side is in a test file, or is the goroutine of a test, and the variable is a package variable by its
declaration or its address. The other side is product code that runs in the background.

## Why it races
The test assigns a variable that a goroutine, often one that an earlier test left running, reads at the same time.

## Example
    func TestRetry(t *testing.T) { retryDelay = time.Millisecond; … }    // a worker of another test reads retryDelay

## Remedy
Stop the goroutine before the test changes the variable, or pass the value to the constructor.

## When it is wrong
The test may only show that the product lets anybody set the variable while it runs; then the product lacks a lock.
"""

from __future__ import annotations

from deadheat.diagnosis.cause import CauseDefinition, RemedyOption

CAUSE = CauseDefinition(
    name="test-changes-global",
    title="A test changes a package variable that background code reads",
    family="tests",
    needs=(
        (
            "a test writes a global variable | a test writes a global variable (not known) | global variable | "
            "writer in a test file | writer is the goroutine of a test | writer started by a test"
        ),
    ),
    contradicted_by="both are goroutines of tests",
    evidence="global variable | variable is a package | test restores the variable",
    sentence="{writer}, which a test runs, changes {variable} while {other} uses it in the background",
    remedies=(
        RemedyOption(
            "Stop and join what reads {variable} before the test changes it.",
            "{join}",
            "The test waits for its goroutines.",
            "writer",
        ),
        RemedyOption(
            "Pass the value to the constructor instead of through a package variable.",
            "a parameter",
            "One more parameter.",
            "writer",
        ),
    ),
    test_only=True,
)
