"""An error variable captured by a goroutine.

## What it sees

With source: a closure that runs in a goroutine assigns to (or reads) an error variable of the
enclosing function, and so does that function or another goroutine of the same closure.

From a report alone, if the address of the variable can be that of an interface (a number or flag
mostly has another alignment), one of:

- A closure writes a variable of its starter, which writes it too, or reads it after the goroutine
  ended.
- Two closures of a function, or two goroutines of one closure, assign to it. One may only read it
  on the next line (`if err != nil`) or after the assignment on its line (`if err = f(); err !=
  nil`).

## Why it races

`err` is declared once and reused by all code that follows. A closure that writes `err =` instead of
`err :=` shares it. An error may be lost or be reported for the wrong call.

## Example

    err := open(a)
    go func() { err = fetch(b) }()
    if err != nil { return err }    // reads while the goroutine writes

## Remedy

Declare the error inside the closure (`err :=`) and pass it on through a channel or
`errgroup.Group`.

## When it is wrong

The variable is named like an error but has another type. From a report alone: a string, a slice
that two closures append to, or a result that a return statement writes; since Go 1.25 also a
number.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from deadheat.diagnose import address, depth
from deadheat.diagnose.capture import captured, likely
from deadheat.diagnose.finding import Evidence
from deadheat.diagnose.rule import EVEN, FAIR, SURE, Hit, Rule
from deadheat.diagnose.traits import ONE_FUNCTION, SOURCE
from deadheat.model import State

if TYPE_CHECKING:
    from deadheat.diagnose.capture import Capture
    from deadheat.diagnose.scene import Scene

_ASKED = 2  # max. lines from an assignment to the check of the error


def _find(scene: Scene) -> Hit | None:
    if not scene.go:
        return None
    if not scene.sourced:
        return _by_address(scene)
    found = captured(scene)
    if found is None or not found.is_error or found.declared is None:
        return None
    here = found.outer.here
    returns = here is not None and here.text.startswith("return") and not found.outer.closure
    if found.declared.how == "result" and returns:
        return None  # the return statement writes the result: named-result-captured
    change = (
        f"Declare `{found.name}` inside the closure with `:=` and pass it on through a channel"
        " or errgroup.Group, whose Wait returns the first error."
    )
    return Hit(SURE, found.evidence(), change, (found.inner.point,), from_source=True)


def _by_address(scene: Scene) -> Hit | None:
    """From a report alone: match a captured variable whose address can be that of an interface.

    Variables that closures share with each other are as often sums or lists.
    """
    found = likely(scene)
    if found is None or not address.may_be_interface(scene):
        return None
    if not found.inner.writes:
        found = found._replace(inner=found.outer, outer=found.inner)
    if not found.inner.closure or (found.outer.closure and not _is_assigned(found)):
        return None
    told = Evidence("its address fits a two-word value such as an error, and not a number")
    change = (
        "If it is an error, declare it inside the closure with `:=` and pass it through a channel or"
        " errgroup.Group; else do not share the variable."
    )
    confidence = FAIR + 0.05 if found.outer.closure else FAIR + 0.1 if _is_outcome(found) else EVEN
    return Hit(confidence, (*found.evidence(), told), change, (found.inner.point,))


def _is_outcome(found: Capture) -> bool:
    """Return whether the enclosing function writes it too, or reads it after the goroutine ended."""
    return found.outer.writes or found.inner.actor.state is State.FINISHED


def _is_assigned(found: Capture) -> bool:
    """Return whether both closures assign to it, or one reads it right after its own assignment."""
    inner, outer = found.inner, found.outer
    if outer.writes:
        return True
    down = (outer.point.line or 0) - (inner.point.line or 0)
    return 0 < down <= _ASKED or depth.is_asked(outer, inner)


RULE = Rule(
    "error-variable-captured",
    "captured variable",
    _find,
    "errgroup.Group or a channel of errors",
    "One channel or group per call; callers wait for all goroutines.",
    general=("local-captured",),
    when=SOURCE | ONE_FUNCTION,
)
