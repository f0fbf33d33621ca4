"""A map used by several goroutines, one of which writes.

## What it sees

- Frames of the runtime's map functions (`runtime.mapassign_faststr`, `mapdelete`, `mapaccess1`,
  `mapiterinit`, `mapIterStart`) above the user's line.
- The runtime's `fatal error: concurrent map writes`.
- Frames of `std::map` and similar types in C++, also if only their header is named.
- With low rank: a Go function called `put`, which may store the value after the runtime found its
  slot.
- With source: the variable is a map that both lines index, range over or delete from, also by
  methods of a map type, and neither side holds a lock. Or an object is used while it is still being
  made, because it was put into an unguarded map.

## Why it races

A map may move all its entries when it grows. Go maps are not safe while anybody writes. The runtime
stops the program when it notices.

## Example

    func (t *Totals) Record(sku string, n int64) { t.bySKU[sku] = n }    // called by many goroutines

## Remedy

Guard every access, reads and `len` included, with one `sync.RWMutex` next to the map. Use
`sync.Map` only for keys that are written once.

## When it is wrong

If one side holds a lock, the other side's lock is missing (`partial-lock`); a report alone does not
show that. The race may be on the variable that holds the map: a function that fills its own map and
then stores or returns it publishes it without order.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from deadheat.diagnose import locking
from deadheat.diagnose.containers import MAP, shown
from deadheat.diagnose.finding import Evidence
from deadheat.diagnose.fresh import is_made_here, made_below
from deadheat.diagnose.naming import short, words
from deadheat.diagnose.publishing import published
from deadheat.diagnose.rule import EVEN, LIKELY, STRONG, SURE, WEAK, Hit, Rule
from deadheat.diagnose.traits import ABOVE, FILLS, KIND, SOURCE
from deadheat.diagnose.unsafe_types import named
from deadheat.diagnose.vocabulary import KEYED

if TYPE_CHECKING:
    from deadheat.diagnose.scene import Scene
    from deadheat.diagnose.side import Side

# "runtime.mapassign_faststr", "runtime.mapiterinit", "internal/runtime/maps.(*Iter).Next",
# "std::collections::hash_map::HashMap"
_FRAME = re.compile(
    r"^(?:runtime|maps)\.(?:map(?:assign|delete|access|iter|Iter|clear)|fatal$|\(\*Iter\)|\(\*Map\))"
    r"|^reflect\.map(?:assign|access|iter)|hash_map"
)
# "map[string]int", "make(map[ID]*Row)", "std::map<int, int>"; not "[]map[string]int"
_MAP = re.compile(r"(?<!\])\bmap\[|std::(?:unordered_)?map\b")

_CHANGE = "Guard every access to {what}, reads and len included, with one mutex next to the map."


def _find(scene: Scene) -> Hit | None:
    evidence = [_shown(side) for side in scene.sides]
    seen = tuple(one for one in evidence if one)
    by_kind = scene.report.kind == "concurrent-map"
    if by_kind:
        seen += (Evidence("the runtime detected concurrent use of a map"),)
    declared = scene.shared is not None and bool(_MAP.search(scene.shared.type))
    if not seen:
        seen = tuple(one for side in scene.sides if (one := _own_type(side)))
    if not seen and declared and _uses_elements(scene) and scene.shared:
        seen = (Evidence(f"`{scene.shared}` is a map: {scene.shared.type[:60]}"),)
    if not seen:
        return _named(scene) or published(scene, True, _CHANGE.format(what="the map"))
    held = locking.locks(scene) if scene.sourced else None
    # the race is on an object made on the line that stores it, not on the container
    if any(is_made_here(scene, s) for s in scene.sides if shown(s, MAP) is None):
        return Hit(WEAK, seen, _CHANGE.format(what=scene.what), scene.points, from_source=True)
    if scene.go and not scene.source and any(made_below(a, b) for a, b in scene.both):
        return Hit(WEAK, seen, _CHANGE.format(what=scene.what), scene.points)
    change = _CHANGE.format(what=scene.what)
    confidence = _confidence(scene, held, by_kind)
    return Hit(confidence, seen, change, scene.points, from_source=held is not None)


def _confidence(
    scene: Scene, held: tuple[list[locking.Lock], list[locking.Lock]] | None, by_kind: bool
) -> float:
    """Return the confidence: lower where locks are held, because another rule is more specific then.

    A lock that only the detector lists, and that no code on the call chain takes, may guard
    something else.
    """
    if held is None:
        return STRONG
    if all(held):
        return WEAK
    if any(held) and any(side.held for side in scene.sides):
        return LIKELY
    return SURE if by_kind and not any(held) else STRONG


def _shown(side: Side) -> Evidence | None:
    frame = side.above(_FRAME) or shown(side, MAP)
    if frame is None or any(named(f.function) for f in side.inner):
        return None  # the map is internal to a library type: unsafe-type-shared
    name = f"`{frame.function[:80]}`"
    if side.is_foreign:
        return side.told(f"{side.who} works on a map: {name}; the stack does not show its caller")
    return side.told(f"{side.who} works on a map: {name} is above it")


def _named(scene: Scene) -> Hit | None:
    """From a report alone: `put` writes the value where the runtime's map access ended."""
    if not scene.go or scene.sourced:
        return None
    for side, other in scene.both:
        told = words(side.name)
        if not told or not KEYED.issuperset(told):
            continue
        if not side.writes or side.inner or side.closure or other.site is None:
            continue
        if "(" in side.name:
            continue  # a method `put` may only count, and a queue has no keys
        evidence = (
            side.told(f"{side.does}; by its name it stores a value under a key"),
            other.told(other.does),
        )
        return Hit(EVEN, evidence, _CHANGE.format(what="the map, if it is one"), scene.points)
    return None


def _own_type(side: Side) -> Evidence | None:
    """Match a method of a map type that works on its elements: `t[key] = value`."""
    here = side.here
    if here is None or not here.made_of.startswith("map["):
        return None
    for use in here.uses:
        told = here.names.get(use.path[0])
        if len(use.path) == 1 and told is not None and told.how == "receiver" and "[" in here.text:
            return side.told(f"`{here.receiver}`, the receiver of `{short(side.name)}`, is a map")
    return None


def _uses_elements(scene: Scene) -> bool:
    """Return whether no line replaces the map itself."""
    return not any(
        u.writes and not u.element and u.name == (scene.shared.name if scene.shared else "")
        for side in scene.sides
        if side.here
        for u in side.here.uses
    )


RULE = Rule(
    "concurrent-map",
    "container",
    _find,
    "sync.RWMutex",
    "A lock per access; readers do not block each other.",
    general=("missing-lock",),
    when=SOURCE | ABOVE | KIND | FILLS,
)
