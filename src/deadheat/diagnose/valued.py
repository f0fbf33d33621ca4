"""Does a line call a method of a value, which copies the object before the method can take its lock?"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from deadheat.diagnose.scene import Scene
    from deadheat.diagnose.side import Side
    from deadheat.diagnose.source import Around

_MOST = 4  # calls of a line that are followed


class Valued(NamedTuple):
    """The side that copies by calling, the other, and the method with its own lock."""

    reader: Side
    other: Side
    method: Around


def copied_by_call(scene: Scene) -> Valued | None:
    """`name := shop.Name()`, where `func (s Shop) Name()` takes `s.mu`: the copy is made without it."""
    for reader, other in scene.both if scene.go and scene.sourced else ():
        here, site = reader.here, reader.site
        if here is None or site is None or reader.writes or reader.inner or reader.held:
            continue
        asked = [c.name for c in here.calls if c.line == here.line and c.on][:_MOST]
        for method in filter(None, [scene.defined(name, site) for name in asked]):
            own = f"{method.receiver}."
            locks = method.by_value and any(h.name.startswith(own) for h in method.held)
            if locks and _works_on(scene, other, method.receiver):
                return Valued(reader, other, method)
    return None


def _works_on(scene: Scene, side: Side, kind: str) -> bool:
    """Does a side write to a value of that type: under its lock, or by the name of the variable?"""
    named = scene.shared is not None and scene.shared.owner == kind
    return side.writes and (named or any(h.name.startswith(f"{kind}.") for h in side.held))
