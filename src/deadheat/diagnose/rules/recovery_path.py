"""A recovery path accesses what others still use.

## What it sees

`runtime.gopanic` in the valid part of one stack: the access runs in a deferred function while a
panic unwinds.

## Why it races

A panic skips the normal order of steps. The deferred function cleans up or reports while goroutines
still run for which the function would have waited.

## Example

    defer func() {
        if r := recover(); r != nil { e.finish() }    // workers have not been joined
    }()

## Remedy

In the deferred function first stop and join the workers, as the normal path does. Then access
shared data.

## When it is wrong

Stale frames that a recovered panic left on the detector's stack also show `gopanic`; they do not
count.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from deadheat.diagnose.rule import FAIR, LIKELY, Hit, Rule
from deadheat.diagnose.side import point
from deadheat.diagnose.traits import PANICS, SOURCE

if TYPE_CHECKING:
    from deadheat.diagnose.scene import Scene
    from deadheat.diagnose.side import Side

_CHANGE = "Join the workers in the deferred function before it accesses what they use."


def _find(scene: Scene) -> Hit | None:
    if scene.report.kind != "data-race":
        return None
    for side, other in scene.both:
        frame = side.shows("runtime.gopanic")
        if frame is None and _recovers(side) and not _recovers(other):
            evidence = (
                side.told(f"{side.does} in a deferred function that recovers from a panic"),
            )
            return Hit(FAIR + 0.05, evidence, _CHANGE, (side.point,), from_source=True)
        if frame is None or other.shows("runtime.gopanic"):
            continue
        at = side.true.index(frame)
        beyond = next((f for f in side.true[at + 1 :] if f.package != "runtime"), None)
        told = [side.told(f"{side.does} in a deferred call, while a panic unwinds")]
        if beyond:
            told.append(
                side.told(f"the panic came from `{beyond.function}`")._replace(at=point(beyond))
            )
        told.append(other.told(f"{other.does} at the same time"))
        confidence = LIKELY if other.is_worker or side.is_worker else FAIR
        return Hit(confidence, tuple(told), _CHANGE, (side.point,))
    return None


def _recovers(side: Side) -> bool:
    """Return whether its line is in a deferred closure that calls recover."""
    here = side.here
    inner = next((c for c in here.closures if c.use == "defer"), None) if here else None
    calls = here.calls if here and inner else ()
    return any(c.name == "recover" and inner and inner.first <= c.line <= inner.last for c in calls)


RULE = Rule(
    "recovery-path",
    "lifetime",
    _find,
    "a join on the recovery path (sync.WaitGroup)",
    "Recovery waits for the current step of the workers.",
    when=SOURCE | PANICS,
)
