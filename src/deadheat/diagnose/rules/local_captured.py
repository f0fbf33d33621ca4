"""A local variable captured by a goroutine or thread.

## What it sees

One side is a closure (`F.func1`), the other the function around it or another goroutine of the same
closure, and the goroutine was started in that function, by one call of it; or two goroutines run one
closure that a function, and no method, has given back. With source: the name that both lines use
is declared in the function, outside the closure, and not by one of the lines: what a declaration of Go
makes is new, and is met on another way. In C++: a lambda that captures by reference, or a
variable on the stack of the thread that started the other.

## Why it races

A closure captures the variable itself, not its value. Once it runs in a goroutine or thread, each
access is shared, though it looks like a local one.

## Example

    total := 0
    go func() { total += bonus }()
    total += base                   // two goroutines, one total

## Remedy

Pass values as arguments and results through a channel; or let each goroutine have its own slot and
add up after `Wait`; or guard the variable with a mutex.

## When it is wrong

Without source the closure may touch a field of an object that is shared in other ways: then a lock
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
    "Do not share {what} between the closure and the function around it: pass its value in, hand the"
    " result back through a channel or a slot per goroutine, and use it only after the wait."
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
    """A thread's own stack lent to another: the detector says whose memory it is."""
    place = scene.report.location
    if place is None or place.kind != "stack" or not scene.both:
        return None
    what = f"`{place.name}`" if place.name else "the variable"
    told = Evidence(f"{what} lies on the stack of {place.actor or 'one of the threads'}")
    others = tuple(side.told(side.does) for side in scene.sides)
    change = (
        f"Do not lend {what} to another thread while its own still uses it: join first, or give each"
        " thread its own copy."
    )
    # an object with methods of its own is shared as such, wherever it lies
    lent = any(side.closure or side.name == "operator()" for side in scene.sides)
    methods = not lent and any("::" in side.name for side in scene.sides)
    methods = methods or any(_is_member(side) for side in scene.sides)
    # what lies in main's is there as long as the program is
    mains = {side.creator.function for side in scene.sides if side.creator} == {"main"}
    methods = methods or (not lent and mains and all(map(_by_pointer, scene.sides)))
    return Hit(WEAK if methods else LIKELY, (told, *others), change, scene.points)


def _is_member(side: Side) -> bool:
    """Does its line touch a member of the class that it is in, and no variable of a function?"""
    here = side.here
    if here is None or not here.receiver:
        return False
    own = [u for u in here.uses if u.path[0] not in here.names and not u.path[-1].endswith("()")]
    return bool(own)


def _by_pointer(side: Side) -> bool:
    """`p->rate = 2;`: is it an object that functions are given, wherever it lies?"""
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
