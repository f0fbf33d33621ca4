"""Whether a line copies a whole object: for a value receiver, or to store it elsewhere."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from deadheat.diagnose.scene import Scene
    from deadheat.diagnose.side import Side
    from deadheat.diagnose.source import Around

_MOST = 4  # calls on a line that are followed
# "go hub.serve(ctx)"
_LENT = re.compile(r"go (\w{1,80})\.\w{1,80}\(")
# "Hub{out: ch}", "shop.Hub"; no "&Hub{}" and no "newHub()"
_VALUE = re.compile(r"(?:\w{1,80}\.)?\w{1,80}(?:\{|$)")


class Valued(NamedTuple):
    """The side that copies by a call, the other side, and the method that locks the copy."""

    reader: Side
    other: Side
    method: Around


def copied_by_call(scene: Scene) -> Valued | None:
    """`name := shop.Name()`, where `func (s Shop) Name()` locks `s.mu`: the copy is not locked."""
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
    """Does a side write to a value of that type: under its lock, or by the variable's name?"""
    named = scene.shared is not None and scene.shared.owner == kind
    return side.writes and (named or any(h.name.startswith(f"{kind}.") for h in side.held))


def copied_below(worker: Side, user: Side) -> str:
    """`go hub.serve(); s.hub = hub`: the field that `serve` stores while `hub` is copied."""
    here, there = worker.here, user.here
    stored = [u.path for u in here.stores if u.line == here.line] if here else []
    if here is None or there is None or len(stored) != 1 or len(stored[0]) != 2:
        return ""
    base, field = stored[0]
    lent = {told[1] for s in there.starts if (told := _LENT.match(s.text)) and s.line < there.line}
    read = {u.path[0] for u in there.uses if len(u.path) == 1 and not u.writes} & lent
    copied = any(n in there.names and _VALUE.match(there.names[n].type.strip()) for n in read)
    own = base in here.names and here.names[base].how == "receiver"
    return field if own and copied else ""
