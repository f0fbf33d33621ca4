"""A value is created at first use, by two threads at once.

## What it sees
With code: the write is made if the variable is not set, it and the test of the variable are in one function, or the
writer is still creating the object. From a report alone: both sides are in one function or were started by one
line, or the writer or its caller creates something, by its name.

## Why it races
Both threads see that the value is missing, both create it, and one of the two is lost. A reader may see a pointer
to an object that is only partly written.

## Example
    func (c *Client) connect() *conn {
        if c.conn == nil { c.conn = dial() }    // two callers at once
        return c.conn
    }

## Remedy
Create it exactly once with the means of the language, or in the constructor.

## When it is wrong
A check of a value that changes many times (a maximum, a state), or for the end of a list in a loop, is
[check-then-act](check-then-act.md).
"""

from __future__ import annotations

from deadheat.diagnosis.cause import CauseDefinition, RemedyOption

CAUSE = CauseDefinition(
    name="lazy-initialisation",
    title="A value is created at first use, by two threads at once",
    family="publication",
    needs=(
        (
            "write if the variable is not set | the test and the write are in one function | writer creates the "
            "object | locks (not known) | variable (not known) | language: native | language: kernel | one side is "
            "missing"
        ),
        (
            "write if the variable is not set | the test and the write are in one function | writer creates the "
            "object | same line | same function | both started by one line | writer creates something | writer's "
            "caller creates something | one side is missing"
        ),
    ),
    contradicted_by="a counter is changed | writer appends | channel is closed | WaitGroup waits | one side is atomic",
    evidence="other side tests the variable | variable's type: pointer | nil is stored",
    sentence="{writer} creates {variable} at first use, and {other} may use or create it at the same time",
    remedies=(
        RemedyOption(
            "Take {lock} in {lacking} before {variable} is tested, and hold it until it is set.",
            "the lock that is there",
            "One lock and unlock for each use.",
            "lacking",
            needs="only one side holds a lock | one side lacks the usual lock",
        ),
        RemedyOption(
            "Create {variable} in the constructor or in the initialiser of the program, before a {thread} can use it.",
            "the order of two steps",
            "It is created even if nobody uses it.",
            needs="global variable | variable is a package",
        ),
        RemedyOption(
            "In the one function through which every user goes, create {variable} with {once}.",
            "{once}",
            "One atomic load for each use.",
        ),
    ),
    general_causes=("check-then-act",),
)
