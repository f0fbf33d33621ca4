"""An error variable captured by a goroutine.

## What it sees

With source: a closure that runs in a goroutine assigns to (or reads) an error variable of the
function around it, and so does that function, or another goroutine of the same closure. From a
report alone: a closure writes a variable of the function that started it, which writes it too or reads
it when the goroutine has ended (what it reads before is as often a count or a first result), or two
closures of a function, or two goroutines of one, assign to it (or one assigns, and the other reads
a line further down, as `if err != nil` does, or behind the assignment on its line, as `if err =
f(); err != nil` does), and the variable's address is one that an interface may have: a number or a
flag of its own would mostly lie at another one.

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

A variable that is called like an error but is of another type. From a report alone: a string, a
slice that two append to, or a result that a return statement writes; since Go 1.25 also a number.
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

_ASKED = 2  # lines from an assignment to the question whether it went wrong


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
        return None  # the return statement writes the result: that is another cause
    change = (
        f"Declare `{found.name}` inside the closure with `:=` and return it through a channel"
        " or errgroup.Group, whose Wait gives the first error."
    )
    return Hit(SURE, found.evidence(), change, (found.inner.point,), from_source=True)


def _by_address(scene: Scene) -> Hit | None:
    """What a closure shares with who started it is an error first of all, if it can be one.

    What closures share with each other is as often a sum or a list, which they read and then write.
    """
    found = likely(scene)
    if found is None or not address.may_be_interface(scene):
        return None
    if not found.inner.writes:
        found = found._replace(inner=found.outer, outer=found.inner)
    if not found.inner.closure or (found.outer.closure and not _is_assigned(found)):
        return None
    told = Evidence("its address is one of two words, as an error has, and not of a number's")
    change = (
        "Declare the error inside the closure with `:=` and hand it over through a channel or"
        " errgroup.Group, if it is one; else do not share the variable."
    )
    confidence = FAIR + 0.05 if found.outer.closure else FAIR + 0.1 if _is_outcome(found) else EVEN
    return Hit(confidence, (*found.evidence(), told), change, (found.inner.point,))


def _is_outcome(found: Capture) -> bool:
    """Does the function around assign to it as well, or look at it when the goroutine has ended?

    What is looked at while the goroutine goes on is as often a count or a first result.
    """
    return found.outer.writes or found.inner.actor.state is State.FINISHED


def _is_assigned(found: Capture) -> bool:
    """Do two closures only assign to it? One may read what it has assigned, there or right below."""
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
