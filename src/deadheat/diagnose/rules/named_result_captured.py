"""A named result captured by a goroutine.

## What it sees

With source: a closure that runs in a goroutine uses a named result of the function around it. The
other side is another such goroutine, the function's own code, or its `return` statement, which
assigns to the result without naming it.

## Why it races

`return f()` in a function with named results is an assignment to them. A goroutine that still uses
the result races with that assignment, and whatever it writes after the return is lost.

## Example

    func Resolve() (addr string) {
        go func() { addr = ask(b) }()
        return ask(a)               // writes addr
    }

## Remedy

Let the goroutine write to a variable of its own, hand that over through a channel, and return only
after receiving it.

## When it is wrong

A result that is only ever used before the goroutine starts, with the race on another variable of
the same line.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from deadheat.diagnose.capture import captured
from deadheat.diagnose.rule import SURE, Hit, Rule
from deadheat.diagnose.traits import SOURCE

if TYPE_CHECKING:
    from deadheat.diagnose.scene import Scene


def _find(scene: Scene) -> Hit | None:
    found = captured(scene) if scene.go else None
    if found is None or found.declared is None or found.declared.how != "result":
        return None
    here = found.outer.here
    returns = here is not None and here.text.startswith("return") and not found.outer.closure
    if found.is_error and not returns:
        return None  # an error variable first of all
    evidence = found.evidence()
    if returns:
        evidence += (found.outer.told("the return statement assigns to the named result"),)
    change = (
        f"Let the closure work on a variable of its own instead of the result `{found.name}`; receive"
        " it from a channel before the function returns."
    )
    return Hit(SURE, evidence, change, (found.inner.point, found.outer.point), from_source=True)


RULE = Rule(
    "named-result-captured",
    "captured variable",
    _find,
    "a channel",
    "The function waits for its goroutine.",
    general=("local-captured",),
    when=SOURCE,
)
