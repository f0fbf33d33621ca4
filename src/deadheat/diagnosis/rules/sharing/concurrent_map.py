"""A map used by several goroutines, one of which writes.

## What it sees
- Frames of the runtime's map functions (`runtime.mapassign_faststr`, `mapiterinit`) or of `std::map` above the user's
  line.
- The runtime's `fatal error: concurrent map writes`.
- With low rank: a Go function called `put`, which may store the value after the runtime found its slot.
- With source: the variable is a map that both lines index, range over or delete from, and neither side holds a lock. Or
  an object is used while it is still being made, because it was put into an unguarded map.

## Why it races
A map may move all its entries when it grows. Go maps are not safe while anybody writes. The runtime stops the program
when it notices.

## Example
    func (t *Totals) Record(sku string, n int64) { t.bySKU[sku] = n }    // called by many goroutines

## Remedy
Guard every access, reads and `len` included, with one `sync.RWMutex` next to the map. Use `sync.Map` only for keys that
are written once.

## When it is wrong
If one side holds a lock, the other side's lock is missing (`partial-lock`); a report alone does not show that. The race
may be on the variable that holds the map, which a function fills and then publishes without order.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from deadheat.diagnosis import rule
from deadheat.diagnosis.facts import locks
from deadheat.diagnosis.facts.containers import MAP, container_frame, published_in_container, unsafe_type_of
from deadheat.diagnosis.facts.function_names import KEYED_STORE_VERBS, name_words, without_package
from deadheat.diagnosis.facts.object_origin import creation_caller, is_created_here
from deadheat.diagnosis.finding import Evidence
from deadheat.diagnosis.rule import EVEN, LIKELY, STRONG, SURE, WEAK, Rule, RuleMatch

if TYPE_CHECKING:
    from deadheat.diagnosis.context import RaceContext
    from deadheat.diagnosis.race_side import RaceSide

# "runtime.mapassign_faststr", "runtime.mapiterinit", "internal/runtime/maps.(*Iter).Next",
# "std::collections::hash_map::HashMap"
_MAP_FRAME = re.compile(
    r"^(?:runtime|maps)\.(?:map(?:assign|delete|access|iter|Iter|clear)|fatal$|\(\*Iter\)|\(\*Map\))"
    r"|^reflect\.map(?:assign|access|iter)|hash_map"
)
# "map[string]int", "make(map[ID]*Row)", "std::map<int, int>"; not "[]map[string]int"
_MAP_TYPE = re.compile(r"(?<!\])\bmap\[|std::(?:unordered_)?map\b")

_CHANGE = "Guard every access to {what}, reads and len included, with one mutex next to the map."


def _find_concurrent_map(context: RaceContext) -> RuleMatch | None:
    evidence = tuple(item for side in context.race_sides if (item := _map_frame_evidence(side)))
    by_kind = context.report.kind == "concurrent-map"
    if by_kind:
        evidence += (Evidence("the runtime detected concurrent use of a map"),)
    shared = context.shared_variable
    if not evidence:
        evidence = tuple(item for side in context.race_sides if (item := _map_type_evidence(side)))
    if not evidence and shared and _MAP_TYPE.search(shared.type) and _uses_elements(context, shared.name):
        evidence = (Evidence(f"`{shared}` is a map: {shared.type[:60]}"),)
    if not evidence:
        return _match_put_function(context) or published_in_container(context, True, _CHANGE.format(what="the map"))
    locks_held = locks.locks_of_both_sides(context) if context.has_code else None
    change = _CHANGE.format(what=context.variable_label)
    # the race is on an object made on the line that stores it, not on the container
    if any(is_created_here(context, s) for s in context.race_sides if container_frame(s, MAP) is None):
        return RuleMatch(WEAK, evidence, change, context.change_points, from_source=True)
    confidence = _map_confidence(context, locks_held, by_kind)
    if context.is_go and not context.source and any(creation_caller(a, b) for a, b in context.side_pairs):
        confidence = WEAK
    return RuleMatch(confidence, evidence, change, context.change_points, from_source=locks_held is not None)


def _map_confidence(
    context: RaceContext, locks_held: tuple[list[locks.SideLock], list[locks.SideLock]] | None, by_kind: bool
) -> float:
    """Return the confidence: lower where locks are held, because another rule is more specific then."""
    if locks_held is None:
        return STRONG
    if all(locks_held):
        return WEAK
    if any(locks_held) and any(side.locks_held for side in context.race_sides):
        return LIKELY
    return SURE if by_kind and not any(locks_held) else STRONG


def _map_frame_evidence(side: RaceSide) -> Evidence | None:
    frame = side.library_frame_matching(_MAP_FRAME) or container_frame(side, MAP)
    if frame is None or any(unsafe_type_of(f.function) for f in side.library_frames):
        return None  # the map is internal to a library type: unsafe-type-shared
    relation = "; the stack does not show its caller" if side.has_no_user_code else " is above it"
    return side.evidence_at_site(f"{side.subject} works on a map: `{frame.function[:80]}`{relation}")


def _match_put_function(context: RaceContext) -> RuleMatch | None:
    """From a report alone: `put` writes the value where the runtime's map access ended."""
    if not context.is_go or context.has_code:
        return None
    for side, other in context.side_pairs:
        name_tokens = name_words(side.function)
        if not name_tokens or not KEYED_STORE_VERBS.issuperset(name_tokens):
            continue
        if not side.writes or side.library_frames or side.is_closure or other.site is None or "(" in side.function:
            continue  # a method `put` may only count, and a queue has no keys
        evidence = (
            side.evidence_at_site(f"{side.action}; by its name it stores a value under a key"),
            other.evidence_at_site(other.action),
        )
        return RuleMatch(EVEN, evidence, _CHANGE.format(what="the map, if it is one"), context.change_points)
    return None


def _map_type_evidence(side: RaceSide) -> Evidence | None:
    """Match a method of a map type that works on its elements: `t[key] = value`."""
    here = side.site_facts
    if here is None or not here.underlying_type.startswith("map["):
        return None
    for use in here.uses:
        declaration = here.declarations.get(use.path[0])
        if len(use.path) == 1 and declaration is not None and declaration.kind == "receiver" and "[" in here.text:
            return side.evidence_at_site(
                f"`{here.receiver}`, the receiver of `{without_package(side.function)}`, is a map"
            )
    return None


def _uses_elements(context: RaceContext, name: str) -> bool:
    """Return whether no line replaces the map itself."""
    uses = [u for side in context.race_sides if side.site_facts for u in side.site_facts.uses]
    return not any(u.writes and not u.is_element and u.name == name for u in uses)


RULE = Rule(
    "concurrent-map",
    "container",
    _find_concurrent_map,
    "sync.RWMutex",
    "A lock per access; readers do not block each other.",
    general_causes=("missing-lock",),
    features=rule.Feature.HAS_CODE
    | rule.Feature.HAS_LIBRARY_FRAMES
    | rule.Feature.OTHER_KIND
    | rule.Feature.FILLS_CONTAINER,
)
