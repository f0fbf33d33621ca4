"""A named result captured by a goroutine.

## What it sees

With source: a closure that runs in a goroutine uses a named result of the function around it. The
other side is another such goroutine, the function's own code, or its `return` statement, which
assigns to the result without naming it. From a report alone: a closure writes a variable of the
function that started it, and so does that function further down. Who uses a local variable again does
not write it while a goroutine does; a `return` does so unseen.

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
the same line. From a report alone: a local variable that the function really sets itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from deadheat.diagnose import address
from deadheat.diagnose.capture import captured, creation_line, likely
from deadheat.diagnose.naming import last
from deadheat.diagnose.rule import FAIR, SURE, Hit, Rule
from deadheat.diagnose.traits import ONE_FUNCTION, SOURCE

if TYPE_CHECKING:
    from deadheat.diagnose.scene import Scene

# functions that give nothing back, whoever wrote them
_RESULTLESS = ("Test", "Benchmark", "Fuzz", "main", "init")


def _find(scene: Scene) -> Hit | None:
    if scene.go and not scene.sourced:
        return _returned(scene)
    found = captured(scene) if scene.go else None
    if found is None or found.declared is None or found.declared.how != "result":
        return None
    here = found.outer.here
    returns = here is not None and here.text.startswith("return") and not found.outer.closure
    if found.is_error and not returns:
        return None  # an error variable first of all
    evidence = found.evidence()
    if returns:
        bare = here is not None and here.text.partition("//")[0].strip() == "return"
        does = "gives the named result back" if bare else "assigns to the named result"
        evidence += (found.outer.told(f"the return statement {does}"),)
    change = (
        f"Let the closure work on a variable of its own instead of the result `{found.name}`; receive"
        " it from a channel before the function returns."
    )
    return Hit(SURE, evidence, change, (found.inner.point, found.outer.point), from_source=True)


def _returned(scene: Scene) -> Hit | None:
    """From a report alone: both write it, the function around below the line of the start."""
    found = likely(scene)
    if found is None or found.outer.closure or not (found.inner.writes and found.outer.writes):
        return None
    started = creation_line(scene, found)
    if started is None or (found.outer.point.line or 0) <= started:
        return None
    if last(found.inner.name).startswith(_RESULTLESS):
        return None
    if address.of(scene) is None or address.may_be_interface(scene):
        return None  # an error variable is reused as it is
    told = found.outer.told("and writes it: so does a return statement, if it is a named result")
    change = (
        "Let the closure work on a variable of its own; receive it from a channel before the"
        " function returns."
    )
    return Hit(FAIR + 0.05, (*found.evidence(), told), change, scene.points)


RULE = Rule(
    "named-result-captured",
    "captured variable",
    _find,
    "a channel",
    "The function waits for its goroutine.",
    general=("local-captured",),
    when=SOURCE | ONE_FUNCTION,
)
