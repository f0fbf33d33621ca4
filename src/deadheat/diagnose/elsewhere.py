"""The lock under which a field is used elsewhere, for Go reports with only one side."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from deadheat.diagnose.fresh import is_made_here

if TYPE_CHECKING:
    from deadheat.diagnose.scene import Scene
    from deadheat.diagnose.side import Side

_ENOUGH = 3  # functions that hold it: fewer are not conclusive


class Elsewhere(NamedTuple):
    """The known side and the lock it lacks, which `holder_count` of `method_count` methods hold."""

    side: Side
    lock: str
    held: int
    all: int


def guarded_elsewhere(scene: Scene) -> Elsewhere | None:
    """The lock that most other methods hold when they use the field of the only known side."""
    told = [side for side in scene.sides if side.site]
    shared, source = scene.shared, scene.source
    if not scene.go or source is None or shared is None or len(told) != 1:
        return None
    side = told[0]
    if side.site is None or side.here is None or shared.kind != "field" or not shared.owner:
        return None
    if side.locked or is_made_here(scene, side):
        return None  # the caller holds it, or the object is not shared yet
    way = {(code.path, code.first) for _, code in side.way}
    others: dict[tuple[str, int], set[str]] = {}
    for seen in source.touched(shared.name, side.site):
        if seen.receiver == shared.owner and (seen.path, seen.first) not in way:
            others.setdefault((seen.path, seen.first), set()).update(h.name for h in seen.held)
    locks = Counter(name for names in others.values() for name in names)
    usual = {n for n, held in locks.items() if held >= _ENOUGH and 2 * held > len(others)}
    if not usual or usual.intersection(lock.name for lock in side.held):
        return None
    lock = max(usual, key=lambda name: (locks[name], name))
    return Elsewhere(side, lock, locks[lock], len(others))
