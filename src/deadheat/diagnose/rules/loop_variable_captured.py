"""A loop's variable captured by a goroutine.

## What it sees

One side is a closure, the other the function around it, which writes on a line above the one that
starts the goroutine: only a loop gets back there. With source: the closure uses a name that a `for`
clause declares, and the module's `go` line is older than 1.22.

## Why it races

Before Go 1.22 a loop has one variable for all its turns. The goroutine reads it while the loop goes
on to write the next value into it, so that several goroutines may also see the same value.

## Example

    for _, id := range ids {
        go func() { warm(id) }()    // every goroutine reads the same id
    }

## Remedy

Give each turn a variable of its own: pass it as an argument, shadow it (`id := id`), or raise the
`go` line of `go.mod` to 1.22.

## When it is wrong

The function may write another variable in that loop, such as an error that the closure also uses.
With Go 1.22 or newer only a variable that is declared before the loop can be meant.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from deadheat.diagnose.capture import captured, creation_line, likely
from deadheat.diagnose.rule import LIKELY, SURE, Hit, Rule

if TYPE_CHECKING:
    from deadheat.diagnose.scene import Scene


def _find(scene: Scene) -> Hit | None:
    if not scene.go:
        return None
    if scene.sourced:
        found = captured(scene)
        told = found.declared if found else None
        if found is None or told is None or told.how != "loop" or not scene.source:
            return None
        if scene.source.loops_share() is False:
            return None
        change = (
            f"Give each turn its own `{found.name}`: pass it to the closure as an argument, or write"
            f" `{found.name} := {found.name}` before the go statement."
        )
        return Hit(SURE, found.evidence(), change, (found.inner.point,), from_source=True)
    found = likely(scene)
    line = creation_line(scene, found) if found else None
    if found is None or line is None or found.outer.closure or not found.outer.writes:
        return None
    at = found.outer.point.line
    if at is None or at >= line or found.inner.writes:
        return None
    more = found.outer.told(
        f"the write stands above line {line}, which starts the goroutine: a loop"
    )
    change = (
        "Pass the loop's variable to the closure as an argument, or shadow it in the loop's body."
    )
    return Hit(LIKELY, (*found.evidence(), more), change, (found.inner.point,))


RULE = Rule(
    "loop-variable-captured",
    "captured variable",
    _find,
    "a variable per turn",
    "None: one copy per turn.",
    general="local-captured",
)
