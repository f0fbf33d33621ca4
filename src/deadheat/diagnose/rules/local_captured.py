"""A local variable captured by a goroutine or thread.

## What it sees

- One side is a closure (`F.func1`), the other is the enclosing function or another goroutine of the
  same closure, and one call of that function started the goroutine.
- Two goroutines run one closure that a function, not a method, has returned.
- With source: the name that both lines use is declared in the function, outside of the closure, and
  not on one of the two lines (a Go declaration makes a new variable).
- In C++: a lambda that captures by reference, or a variable on the stack of the thread that started
  the other.

## Why it races

A closure captures the variable itself, not its value. Once it runs in a goroutine or thread, each
access is shared, though it looks like a local one.

## Example

    total := 0
    go func() { total += bonus }()
    total += base                   // two goroutines, one total

## Remedy

Pass values as arguments and results through a channel. Or give each goroutine its own slot and add
up after `Wait`. Or guard the variable with a mutex.

## When it is wrong

Without source the closure may access a field of an object that is shared in other ways: then a lock
of that object is missing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from deadheat.diagnose.capture import captured, likely
from deadheat.diagnose.finding import Evidence
from deadheat.diagnose.rule import FAIR, LIKELY, STRONG, WEAK, Hit, Rule
from deadheat.diagnose.traits import ONE_FUNCTION, PLACE, SOURCE

if TYPE_CHECKING:
    from deadheat.diagnose.scene import Scene
    from deadheat.diagnose.side import Side

_CHANGE = (
    "Do not share {what} between the closure and the enclosing function: pass its value in, return the"
    " result through a channel or a slot per goroutine, and use it only after the wait."
)


def _find(scene: Scene) -> Hit | None:
    if found := captured(scene):
        what = f"`{found.name}`"
        where = (found.inner.point, found.outer.point)
        return Hit(STRONG, found.evidence(), _CHANGE.format(what=what), where, from_source=True)
    everybodys = scene.shared is not None and scene.shared.kind == "package"
    found = None if scene.sourced and (scene.go or everybodys) else likely(scene)
    if found is not None:
        confidence = FAIR if found.outer.closure else LIKELY
        change = _CHANGE.format(what="the captured variable")
        return Hit(confidence, found.evidence(), change, scene.points)
    return _on_a_stack(scene)


def _on_a_stack(scene: Scene) -> Hit | None:
    """Match memory on a thread's stack, as named by the detector, that another thread uses."""
    place = scene.report.location
    if place is None or place.kind != "stack" or not scene.both:
        return None
    what = f"`{place.name}`" if place.name else "the variable"
    told = Evidence(f"{what} is on the stack of {place.actor or 'one of the threads'}")
    others = tuple(side.told(side.does) for side in scene.sides)
    change = (
        f"Do not share {what} with another thread while its own thread still uses it: join first, or"
        " give each thread its own copy."
    )
    # an object with methods is shared as an object, wherever it is stored
    lent = any(side.closure or side.name == "operator()" for side in scene.sides)
    methods = not lent and any("::" in side.name for side in scene.sides)
    methods = methods or any(_is_member(side) for side in scene.sides)
    # variables of main live as long as the program
    mains = {side.creator.function for side in scene.sides if side.creator} == {"main"}
    methods = methods or (not lent and mains and all(map(_by_pointer, scene.sides)))
    return Hit(WEAK if methods else LIKELY, (told, *others), change, scene.points)


def _is_member(side: Side) -> bool:
    """Return whether its line accesses a member of its class, and no local variable."""
    here = side.here
    if here is None or not here.receiver:
        return False
    own = [u for u in here.uses if u.path[0] not in here.names and not u.path[-1].endswith("()")]
    return bool(own)


def _by_pointer(side: Side) -> bool:
    """Return whether it is accessed through a pointer: `p->rate = 2;`."""
    here = side.here
    return here is not None and any(
        len(u.path) > 1 and f"{u.path[0]}->" in here.text for u in here.uses
    )


RULE = Rule(
    "local-captured",
    "captured variable",
    _find,
    "arguments and a channel; a slot per goroutine",
    "A copy in and a copy out.",
    when=SOURCE | ONE_FUNCTION | PLACE,
)
