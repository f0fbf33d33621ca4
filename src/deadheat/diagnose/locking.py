"""The locks that each side holds, as reported by the detector or read from the code."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from deadheat.diagnose.scene import Scene
    from deadheat.diagnose.side import Side

# how detectors print a held lock: "write M12", "read M3", "0x4A2B", "M7"
_READ = re.compile(r"\bread\b")
_NAME = re.compile(r"(?:M\d+|0x[0-9a-fA-F]+)")
# detectors that report held locks: no report means none held
TELLING = ("tsan", "helgrind")


class Lock(NamedTuple):
    """A lock that a side holds; `line` is where the code takes it."""

    name: str
    shared: bool
    line: int | None = None
    embedded: bool = False  # it is an embedded field without a name of its own


def told(scene: Scene, side: Side) -> list[Lock] | None:
    """The locks that the detector reports; None if it does not report locks."""
    if from_source(scene):
        return None
    found = []
    for text in side.access.locks:
        named = _NAME.search(text)
        found.append(Lock(named[0] if named else text, bool(_READ.search(text))))
    return found


def read(side: Side) -> list[Lock] | None:
    """The locks that the code shows; None if it is not available."""
    if side.here is None:
        return None
    own = {seen.receiver for _, seen in side.way}
    return [Lock(h.name, h.shared, h.line, h.name in own) for h in side.held]


def locks(scene: Scene) -> tuple[list[Lock], list[Lock]] | None:
    """The locks of both sides, from the detector if it reports them, else from the code."""
    if len(scene.sides) < 2:
        return None
    a, b = scene.sides
    if scene.source is None and from_source(scene):
        return None
    if not from_source(scene):
        return _all_told(scene, a), _all_told(scene, b)
    if (mine := read(a)) is None or (other := read(b)) is None:
        return None
    return mine, other


def _all_told(scene: Scene, side: Side) -> list[Lock]:
    """The reported locks. Helgrind omits read locks; those are taken from the code."""
    found = told(scene, side) or []
    if scene.report.detector == "helgrind" and not found:
        found = [lock for lock in read(side) or () if lock.shared]
    return found


def guardian(scene: Scene) -> tuple[Side, Side, str] | None:
    """The side that holds the object's own lock, the side that holds only other types' locks, the lock.

    Those locks protect other objects: the second side lacks the object's own lock.
    """
    owner = scene.shared.owner if scene.shared else ""
    for with_, without in scene.both if owner else ():
        if without.writes or (not _is_method(without, owner) and _changes(scene, without)):
            continue  # a writer outside of the type may use its own lock to guard it
        mine, other = owners(with_), owners(without)
        name = next((lock for lock, kind in mine.items() if kind == owner), None)
        if name and other and not {"", owner} & set(other.values()):
            return with_, without, name
    return None if owner else _handed(scene)


def _is_method(side: Side, owner: str) -> bool:
    return side.here is not None and side.here.receiver == owner


def _changes(scene: Scene, side: Side) -> bool:
    """Does its function also store to the variable, `a.cents -= fee` or further down?"""
    name = scene.shared.name if scene.shared else ""
    return side.here is not None and any(u.name == name for u in side.here.stores)


def _handed(scene: Scene) -> tuple[Side, Side, str] | None:
    """A method uses its object under the object's lock; a library reads it under another lock.

    Code that prints, compares or encodes an object often holds the lock of the container it came from.
    """
    for with_, without in scene.both:
        if without.writes or not without.by_library or with_.here is None:
            continue
        kind = with_.here.receiver
        mine, other = owners(with_), owners(without)
        name = next((lock for lock, own in mine.items() if own == kind != ""), None)
        if name and other and kind not in other.values():
            return with_, without, name
    return None


def owners(side: Side) -> dict[str, str]:
    """The type that owns each lock held according to the code; "" if unknown."""
    found = {}
    for _, seen in side.way:
        for lock in seen.held:
            base, dot, _ = lock.name.partition(".")
            known = seen.names.get(base)
            if dot or base == seen.receiver:
                found[lock.name] = "" if known and known.how in ("local", "loop") else base
            else:
                found[lock.name] = seen.receiver if known is None else ""
    return found


def may_be_one(a: Side, b: Side) -> bool:
    """May `s.mu` of a local of unknown type and `Stream.mu` be the same lock?"""
    for mine, other in ((owners(a), owners(b)), (owners(b), owners(a))):
        unknown = {name.rpartition(".")[2] for name, kind in mine.items() if not kind}
        if any(name.rpartition(".")[2] in unknown for name in other):
            return True
    return False


def is_overwritten(writer: Side, holder: Side) -> bool:
    """`*l = limits{}`: does a line overwrite the struct that contains the other side's lock?"""
    stored = (
        {u.whole.rpartition(".")[2] for u in writer.here.uses if u.whole} if writer.here else ()
    )
    return any(held.name.partition(".")[0] in stored for held in holder.held)


def from_source(scene: Scene) -> bool:
    """Must the held locks be read from the code?"""
    return scene.report.detector not in TELLING or scene.supposed


def names(held: list[Lock]) -> str:
    each = dict.fromkeys(f"{'the lock in ' * lock.embedded}`{lock.name}`" for lock in held)
    return " and ".join(each)


def common(a: list[Lock], b: list[Lock]) -> list[str]:
    return sorted({lock.name for lock in a} & {lock.name for lock in b})
