"""A loop variable captured by a goroutine.

## What it sees

One side is a closure, the other the enclosing function, which writes on a line above the one that
starts the goroutine: only a loop gets back there.

With source: the module's `go` line is older than 1.22, and the closure uses a name that a `for`
clause declares, or a method of it is started (`go truck.drive()`), or closures access the element
that it indexes. In C and C++: the `for` clause writes the variable whose address is passed to a
thread that the loop starts.

## Why it races

Before Go 1.22 a loop has one variable for all iterations. The goroutine reads it while the loop
writes the next value into it. Several goroutines may see the same value.

## Example

    for _, id := range ids {
        go func() { warm(id) }()    // every goroutine reads the same id
    }

## Remedy

Give each iteration its own variable: pass it as an argument, shadow it (`id := id`), or raise the
`go` line of `go.mod` to 1.22.

## When it is wrong

The function may write another variable in that loop, such as an error that the closure also uses.
With Go 1.22 or newer only a variable declared before the loop can race.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from deadheat.diagnose.capture import NEAR, captured, creation_line, likely
from deadheat.diagnose.finding import Evidence
from deadheat.diagnose.lifetime import is_lent, on_stack
from deadheat.diagnose.naming import last
from deadheat.diagnose.rule import FAIR, LIKELY, STRONG, SURE, Hit, Rule
from deadheat.diagnose.side import in_closure, point
from deadheat.diagnose.traits import ITSELF, ONE_FUNCTION, SOURCE

if TYPE_CHECKING:
    from deadheat.diagnose.capture import Capture
    from deadheat.diagnose.scene import Scene
    from deadheat.diagnose.side import Side
    from deadheat.diagnose.source import Around
    from deadheat.model import Frame

# "&truck", "&job.input"
_LENT = re.compile(r"&(\w{1,80})")


def _find(scene: Scene) -> Hit | None:
    if not scene.go:
        return _native(scene) if scene.sourced else _lent(scene)
    if scene.sourced:
        found = captured(scene)
        told = found.declared if found else None
        if found is None:
            return _by_address(scene)
        if told is None or not scene.source or scene.source.loops_share() is False:
            return None
        if told.how != "loop":
            return _by_index(found)
        change = (
            f"Give each iteration its own `{found.name}`: pass it as an argument, or write"
            f" `{found.name} := {found.name}` before the go statement."
        )
        return Hit(SURE, found.evidence(), change, (found.inner.point,), from_source=True)
    if hit := _lent(scene):
        return hit
    found = likely(scene)
    line = creation_line(scene, found) if found else None
    if found is None or line is None or found.outer.closure or not found.outer.writes:
        return None
    at = found.outer.point.line
    if at is None or at >= line or found.inner.writes:
        return None
    more = found.outer.told(
        f"the write is above line {line}, which starts the goroutine: a loop"
    )
    change = (
        "Pass the loop variable to the closure as an argument, or shadow it in the loop body."
    )
    return Hit(LIKELY, (*found.evidence(), more), change, (found.inner.point,))


def _by_index(found: Capture) -> Hit | None:
    """Match `out[i] = f(i)`: closures access one element because they share the loop's `i`."""
    here = found.inner.here
    stored = [u for u in here.uses if u.element and u.writes] if here else []
    if here is None or not any(u.path[0] == found.name for u in stored):
        return None
    for use in here.uses:
        told = here.names.get(use.name) if len(use.path) == 1 else None
        if told and told.how == "loop" and told.depth < len(here.closures):
            evidence = (
                found.inner.told(f"`{here.text[:60]}` is indexed by the loop variable `{use.name}`"),
                found.outer.told(f"{found.outer.does} the same element: all closures share it"),
            )
            change = f"Give each iteration its own `{use.name}`: pass it as an argument."
            return Hit(STRONG + 0.04, evidence, change, (found.inner.point,), from_source=True)
    return None


def _native(scene: Scene) -> Hit | None:
    """Match `for (int i = 0; …; i++) pthread_create(&t[i], NULL, run, &i)`, or a lambda with `&i`."""
    for loop, worker in scene.both:
        here, started = loop.here, worker.creator
        if here is None or started is None or not loop.writes or not worker.is_worker:
            continue
        seen = scene.around(started)
        if seen is None or (seen.path, seen.first) != (here.path, here.first):
            continue
        inside = any(first == here.line <= seen.line <= last for first, last in here.loops)
        names = {u.name for u in here.uses if u.writes and len(u.path) == 1}
        if not inside or not names or not here.text.startswith(("for ", "for(")):
            continue
        name = next((n for n in sorted(names) if n in here.names), "")
        if not name or not (here.names[name].line == here.line or _lends(seen, name)):
            continue
        evidence = (
            loop.told(f"`{here.text[:60]}` writes the loop variable `{name}`"),
            Evidence("each iteration starts a thread with its address", point(started)),
            worker.told(f"{worker.does} it in {worker.actor.id}"),
        )
        change = f"Pass each thread the value of `{name}`, or its own array element."
        return Hit(STRONG + 0.04, evidence, change, (point(started),), from_source=True)
    return None


def _lends(seen: Around, name: str) -> bool:
    """Return whether the address is passed to the start: `pthread_create(&t, NULL, run, &i)`."""
    given = [call.arguments for call in seen.calls if call.line == seen.line]
    return any(re.search(rf"&\s?{re.escape(name)}\b(?!\s?\[)", text) for text in given)


_AT_ONCE = 3  # max. lines from the head of a loop to a start that comes first in its body


def _started(scene: Scene, loop: Side, worker: Side) -> Frame | None:
    """Return the frame below the write that started the worker, by a closure or directly."""
    for frame in worker.actor.created_at[:NEAR]:
        if loop.site is None or frame.function != loop.site.function:
            continue
        below = (frame.line or 0) > (loop.site.line or 0) > 0
        if not below:
            return None
        near = (frame.line or 0) - (loop.site.line or 0) <= _AT_ONCE
        # `main` is not called again, and a second call has another stack
        again = is_lent(loop, worker) or last(loop.name) == "main" or on_stack(scene)
        at_once = scene.source is None and near and again and frame == worker.creator
        return frame if at_once or in_closure(worker, frame) else None
    return None


def _sent_off(scene: Scene, loop: Side, worker: Side) -> bool:
    """Match `for _, truck := range trucks { go truck.drive(n) }`: the method gets `&truck`."""
    seen = scene.around(worker.creator) if worker.creator else None
    if seen is None or loop.here is None or seen.first != loop.here.first:
        return False
    for call in [c for c in seen.calls if c.line == seen.line]:
        for base in (call.on.partition(".")[0], *_LENT.findall(call.arguments)):
            told = seen.names.get(base)
            if told and told.how == "loop" and told.line == loop.here.line:
                return True
    return False


def _lent(scene: Scene) -> Hit | None:
    """Match a closure that passes the variable's address on: the access is in a callee."""
    for loop, worker in scene.both:
        started = _started(scene, loop, worker) if loop.writes and not worker.closure else None
        if started is None:
            continue
        kind = "goroutine" if scene.go else "thread"
        evidence = (
            loop.told(f"{loop.does} above line {started.line}, which starts the {kind}: a loop"),
            worker.told(f"{worker.does} what was passed to that {kind}"),
        )
        change = "Give each iteration its own variable before its address is taken."
        return Hit(FAIR + 0.05, evidence, change, (loop.point,))
    return None


def _by_address(scene: Scene) -> Hit | None:
    """With source: match a `for` clause that writes a variable whose address a worker uses."""
    shares = scene.source.loops_share() if scene.source else None
    for loop, worker in scene.both if shares is not False else ():
        if not loop.here or not loop.here.text.startswith("for "):
            continue
        if _started(scene, loop, worker) or _sent_off(scene, loop, worker):
            evidence = (
                loop.told(f"`{loop.here.text[:60]}` writes the loop variable"),
                worker.told(f"{worker.does} it through its address"),
            )
            change = "Give each iteration its own variable before its address is taken."
            return Hit(STRONG + 0.04, evidence, change, (loop.point,), from_source=True)
    return None


RULE = Rule(
    "loop-variable-captured",
    "captured variable",
    _find,
    "a variable per iteration",
    "None: one copy per iteration.",
    general=("local-captured",),
    when=SOURCE | ONE_FUNCTION | ITSELF,
)
