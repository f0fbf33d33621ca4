"""New objects that become visible to others through an unguarded map or slice."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from deadheat.diagnose.finding import Evidence
from deadheat.diagnose.fresh import is_made_here
from deadheat.diagnose.rule import STRONG, Hit
from deadheat.diagnose.side import point

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deadheat.diagnose.scene import Scene
    from deadheat.diagnose.side import Side
    from deadheat.diagnose.source import Around
    from deadheat.model import Frame

# "p := &plan{verb: v}", "s = &Sub{", "var e = new(Entry)"
_MADE = re.compile(r"\b(\w{1,80})\s{0,9}:?=\s{0,9}(?:&?(?:\w{1,80}\.)?\w{1,80}\{|new\()")
# "c.plans[key] = p"
_KEYED = r"\]\s{0,9}=\s{0,9}&?%s\b"
_SURE = STRONG - 0.04  # evidence about the container itself ranks first
_NEAR = 3  # callers further out store other objects
_MOST = 6  # stores per function that are examined


class Kept(NamedTuple):
    """The side that creates an object, the side that finds it, and the line that stores it."""

    maker: Side
    finder: Side
    told: Evidence
    keyed: bool  # in a map, and not in a slice


def published(scene: Scene, keyed: bool, change: str) -> Hit | None:
    """An object is used while it is created: it was found in an unguarded map or slice."""
    found = _kept(scene)
    if found is None or found.keyed is not keyed:
        return None
    evidence = (
        found.maker.told(f"{found.maker.does} an object that it is creating"),
        found.told,
        found.finder.told(f"{found.finder.does} it after finding it there"),
    )
    return Hit(_SURE, evidence, change, scene.points, from_source=True)


def _kept(scene: Scene) -> Kept | None:
    """An object that one side is still creating, in code order, and stores in a container."""
    for maker, finder in scene.both if scene.go and scene.sourced else ():
        here = maker.here
        if here is None or maker.held or finder.held or not maker.writes or maker.inner:
            continue
        if not is_made_here(scene, maker):
            continue
        names = _own(here)
        for frame, seen in maker.way[:_NEAR]:
            for line, keyed in _puts(scene, frame, seen, names):
                text = f"`{line.text[:60]}` stores it in a shared container without a lock"
                at = point(frame)._replace(line=line.line)
                return Kept(maker, finder, Evidence(text, at), keyed)
            names = {n for c in _calls_up(maker, frame) for n in c}
    return None


def _own(here: Around) -> set[str]:
    """The names of the object in the function that creates it."""
    made = _MADE.search(here.text)
    written = {u.path[0] for u in here.uses if u.writes and len(u.path) > 1}
    return {made[1]} if made else {n for n in written if n in here.names}


def _calls_up(maker: Side, below: Frame) -> Iterator[set[str]]:
    """The caller's name for what a function returned: `p, err := parse(key)`."""
    ways = list(maker.way)
    at = next((i for i, (frame, _) in enumerate(ways) if frame == below), len(ways))
    if at + 1 < len(ways):
        seen, called = ways[at + 1][1], ways[at][1].function
        for call in seen.calls:
            if call.name == called and call.line == seen.line:
                yield {call.result.partition(",")[0].strip()} - {"", "_"}


def _puts(
    scene: Scene, frame: Frame, seen: Around, names: set[str]
) -> Iterator[tuple[Around, bool]]:
    """The lines from this one on that store such a name in a slice or a map."""
    for call in seen.calls[:100] if names else ():
        given = {part.strip(" &.") for part in call.arguments.split(",")[1:]}
        if call.name == "append" and call.line >= seen.line and given & names:
            line = scene.around(frame._replace(line=call.line))
            if line and not line.held and "." in call.result:
                yield line, False
    for use in [u for u in seen.stores if u.line >= seen.line and len(u.path) > 1][:_MOST]:
        line = scene.around(frame._replace(line=use.line)) if names else None
        stored = line and any(re.search(_KEYED % re.escape(n), line.text) for n in names)
        if line and stored and not line.held:
            yield line, True
