"""A named result captured by a goroutine.

## What it sees

With source: a closure that runs in a goroutine uses a named result of the enclosing function. The
other side is another such goroutine, the function's own code, or its `return` statement, which
assigns to the result without naming it.

From a report alone: a closure writes a variable of the function that started it, and so does that
function further down. Code rarely writes a local variable while a goroutine does; a `return` does
so implicitly.

## Why it races

`return f()` in a function with named results is an assignment to them. A goroutine that still uses
the result races with that assignment, and what it writes after the return is lost.

## Example

    func Resolve() (addr string) {
        go func() { addr = ask(b) }()
        return ask(a)               // writes addr
    }

## Remedy

Let the goroutine write to its own variable, pass that through a channel, and return only after
receiving it.

## When it is wrong

The result is only used before the goroutine starts, and the race is on another variable of the same
line. From a report alone: a local variable that the function sets itself.
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

# functions without results
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
        return None  # error-variable-captured
    evidence = found.evidence()
    if returns:
        bare = here is not None and here.text.partition("//")[0].strip() == "return"
        does = "returns the named result" if bare else "assigns to the named result"
        evidence += (found.outer.told(f"the return statement {does}"),)
    change = (
        f"Let the closure use its own variable instead of the result `{found.name}`; receive it from a"
        " channel before the function returns."
    )
    return Hit(SURE, evidence, change, (found.inner.point, found.outer.point), from_source=True)


def _returned(scene: Scene) -> Hit | None:
    """From a report alone: both sides write it, the enclosing function below the start."""
    found = likely(scene)
    if found is None or found.outer.closure or not (found.inner.writes and found.outer.writes):
        return None
    started = creation_line(scene, found)
    if started is None or (found.outer.point.line or 0) <= started:
        return None
    if last(found.inner.name).startswith(_RESULTLESS):
        return None
    if address.of(scene) is None or address.may_be_interface(scene):
        return None  # error-variable-captured
    told = found.outer.told("it writes the variable, as a return statement does with a named result")
    change = (
        "Let the closure use its own variable; receive it from a channel before the"
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
