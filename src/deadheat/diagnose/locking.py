"""Which locks each side holds, by the detector's word or by the code's; for the rules about locks."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from deadheat.diagnose.scene import Scene, Side

# what detectors write for a lock that is held: "write M12", "read M3", "0x4A2B", "M7"
_READ = re.compile(r"\bread\b")
_NAME = re.compile(r"(?:M\d+|0x[0-9a-fA-F]+)")
# detectors that tell which locks are held, so that none told is none held
TELLING = ("tsan", "helgrind")


class Lock(NamedTuple):
    """A lock that a side holds; `line` where the code takes it."""

    name: str
    shared: bool
    line: int | None = None


def told(scene: Scene, side: Side) -> list[Lock] | None:
    """The locks by the detector's word; None where it does not tell."""
    if scene.report.detector not in TELLING:
        return None
    found = []
    for text in side.access.locks:
        named = _NAME.search(text)
        found.append(Lock(named[0] if named else text, bool(_READ.search(text))))
    return found


def read(side: Side) -> list[Lock] | None:
    """The locks by the code's word; None where it is not at hand."""
    if side.here is None:
        return None
    return [Lock(h.name, h.shared, h.line) for h in side.held]


def locks(scene: Scene) -> tuple[list[Lock], list[Lock]] | None:
    """What both sides hold; by the detector if it tells, else by the code."""
    if len(scene.sides) < 2:
        return None
    a, b = scene.sides
    if scene.source is None and scene.report.detector not in TELLING:
        return None
    if scene.report.detector in TELLING:
        return _all_told(scene, a), _all_told(scene, b)
    if (mine := read(a)) is None or (other := read(b)) is None:
        return None
    return mine, other


def _all_told(scene: Scene, side: Side) -> list[Lock]:
    """What the detector tells; Helgrind leaves out locks for reading, and the code has to tell those."""
    found = told(scene, side) or []
    if scene.report.detector == "helgrind" and not found:
        found = [lock for lock in read(side) or () if lock.shared]
    return found


def from_source(scene: Scene) -> bool:
    return scene.report.detector not in TELLING


def names(held: list[Lock]) -> str:
    return ", ".join(f"`{lock.name}`" for lock in held)


def common(a: list[Lock], b: list[Lock]) -> list[str]:
    return sorted({lock.name for lock in a} & {lock.name for lock in b})
