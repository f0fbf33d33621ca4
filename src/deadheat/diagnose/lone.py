"""A check followed by an unordered write, in the only function that a one-sided report shows."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from deadheat.diagnose.checking import is_absent, is_present
from deadheat.diagnose.locking import TELLING

if TYPE_CHECKING:
    from deadheat.diagnose.scene import Scene
    from deadheat.diagnose.side import Side
    from deadheat.diagnose.source import Around, Condition

# detectors that often report only one side
_ONE_SIDED = (*TELLING, "drd")
# stores to the line's variables that are examined
_MOST = 8


class Lone(NamedTuple):
    """The known side, the condition it checks, and the line that writes what is checked."""

    side: Side
    condition: Condition
    sets: Around  # at the line that writes what is checked
    absent: bool  # the check asks whether the object exists
    again: Condition | None = None  # the same check, under the lock

    @property
    def told(self) -> str:
        return f"`{self.condition.text[:60]}` is checked on line {self.condition.line}"


def lone(scene: Scene) -> Lone | None:
    """The check and the write in the only function that a report shows."""
    if "lone" not in scene.memo:
        scene.memo["lone"] = _lone(scene)
    found: Lone | None = scene.memo["lone"]
    return found


def _lone(scene: Scene) -> Lone | None:
    told = [side for side in scene.sides if side.site]
    if len(told) != 1 or scene.report.detector not in _ONE_SIDED:
        return None
    side = told[0]
    here, site = side.here, side.site
    if here is None or site is None or side.access.locks:
        return None
    touched = {u.name for u in here.uses}
    for store in [store for store in here.stores if store.name in touched][:_MOST]:
        at = scene.around(site._replace(line=store.line))
        word = re.compile(rf"\b{re.escape(store.name)}\b")
        for condition in _ways(at) if at else ():
            guard = at is not None and condition in at.guards
            if at is None or not word.search(condition.text) or condition.line > store.line:
                continue
            absent = is_present(condition.text) if guard else is_absent(condition.text)
            taken = min((h.line for h in at.held), default=0)
            if not at.held:
                return Lone(side, condition, at, absent)
            again = [c for c in _ways(at) if c.line >= taken and word.search(c.text)]
            if condition.line < taken and again:
                return Lone(side, condition, at, absent, again[0])
    return None


def _ways(seen: Around) -> list[Condition]:
    return sorted((*seen.guards, *seen.conditions), key=lambda c: c.line)
