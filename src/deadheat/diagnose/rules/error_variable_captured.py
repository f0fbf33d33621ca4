"""An error variable captured by a goroutine.

## What it sees

With source: a closure that runs in a goroutine assigns to (or reads) an error variable of the
function around it, and so does that function, or another goroutine of the same closure. A report
alone shows only that some variable is captured.

## Why it races

`err` is declared once and reused by everything that follows. A closure that writes `err =` in place
of `err :=` shares it with all of that, and an error may be lost or reported for the wrong call.

## Example

    err := open(a)
    go func() { err = fetch(b) }()
    if err != nil { return err }    // reads while the goroutine writes

## Remedy

Declare the error inside the closure (`err :=`), and hand it over through a channel or
`errgroup.Group`.

## When it is wrong

A variable that is called like an error but is of another type.
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
    if found is None or not found.is_error or found.declared is None:
        return None
    here = found.outer.here
    returns = here is not None and here.text.startswith("return") and not found.outer.closure
    if found.declared.how == "result" and returns:
        return None  # the return statement writes the result: that is another cause
    change = (
        f"Declare `{found.name}` inside the closure with `:=` and return it through a channel"
        " or errgroup.Group, whose Wait gives the first error."
    )
    return Hit(SURE, found.evidence(), change, (found.inner.point,), from_source=True)


RULE = Rule(
    "error-variable-captured",
    "captured variable",
    _find,
    "errgroup.Group or a channel of errors",
    "One channel or group per call; callers wait for all goroutines.",
    general=("local-captured",),
    when=SOURCE,
)
