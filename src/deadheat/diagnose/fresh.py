"""Does a side write to an object that it is still making? Then its publication races, not its use."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from deadheat.diagnose.scene import Scene, Side

# "&Settings{Version: version}", "Stats{}", "new(Client)", "cache.Entry{key: k}"
_MADE = re.compile(r"&?(?:\w+\.)?[A-Za-z_]\w*(?:\[.{0,80}\])?\{|new\(")
# "return &Client{base: base}": the object is made on the line itself
_LITERAL = re.compile(r"[&\s=(,](?:\w{1,80}\.)?[A-Z]\w{0,80}(?:\[.{0,80}\])?\{(.*)")

# "base: strings.TrimRight(base)"
_KEY = re.compile(r"\b(\w{1,80})\s{0,9}:")


def is_made_here(scene: Scene, side: Side) -> bool:
    """Was the object that the side writes made by the same function, a few lines above or right here?"""
    here = side.here
    if here is None or not side.writes:
        return False
    name = scene.shared.name if scene.shared else ""
    if (told := _LITERAL.search(here.text)) and _sets(told[1], _wanted(scene, side)):
        return True
    for use in here.uses:
        if not use.writes or len(use.path) < 2 or (name and use.name != name):
            continue
        declared = here.names.get(use.path[0])
        if declared is not None and declared.how == "local" and _MADE.match(declared.type):
            return True
    return False


def _wanted(scene: Scene, side: Side) -> set[str]:
    """What the other side touches, by name."""
    others = [s.here.uses for s in scene.sides if s is not side and s.here]
    return {u.name for uses in others for u in uses if len(u.path) > 1}


def _sets(literal: str, names: set[str]) -> bool:
    """`base: strings.TrimRight(base, "/"), http: …` sets `base` and `http`."""
    return bool(names.intersection(_KEY.findall(literal)))
