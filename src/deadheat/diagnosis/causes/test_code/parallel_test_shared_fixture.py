"""Parallel tests share a fixture.

## What it sees
Both sides run in goroutines of tests, or belong to different tests; with code also: the test calls `t.Parallel`.

## Why it races
Parallel tests run concurrently. Anything that they share and that one of them changes is unordered: a package
variable, a fixture that is made once, a variable of the loop around the sub-tests.

## Example
    for _, tc := range cases {
        t.Run(tc.name, func(t *testing.T) { t.Parallel(); shared.Add(tc.name) })
    }

## Remedy
Use a fixture for each sub-test, or do not run tests in parallel that share one. The product is correct unless it
promises to be safe for concurrent use.

## When it is wrong
The type claims to be safe for concurrent use and is not: then the tests have found a defect of the product.
"""

from __future__ import annotations

from deadheat.diagnosis.cause import CauseDefinition, RemedyOption

CAUSE = CauseDefinition(
    name="parallel-test-shared-fixture",
    title="Parallel tests share a fixture",
    family="tests",
    needs=("both are goroutines of tests | test calls Parallel",),
    contradicted_by="channel is closed | WaitGroup waits | one side is atomic",
    evidence="variable is declared in a test | global variable",
    sentence="two tests that run in parallel share {variable}, which {writer} changes",
    remedies=(
        RemedyOption(
            "Create {variable} anew in each test, instead of once for all of them.",
            "one fixture for each test",
            "A little more time to set up.",
            needs="variable is declared in a test | variable is a field | variable is a captured",
        ),
        RemedyOption(
            "Do not run the tests that use {variable} in parallel.",
            "tests one after the other",
            "The tests take longer.",
        ),
    ),
    test_only=True,
)
