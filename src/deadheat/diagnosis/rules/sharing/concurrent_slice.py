"""A slice or vector that grows or changes while others use it.

## What it sees
Frames of the runtime's slice functions (`growslice`, `slicecopy`), of `sort` or of `std::vector` above the user's line.

From a Go report alone, without such frames:

- One line reads and writes, with as much code between the two as `append` needs.
- The writer is named like an insertion (`Append`, `Push`) or adds a listener (`Subscribe` against `emit`), or the
  reader is named like an iteration (`each`). A goroutine's own main function (`go n.listen()`) does not count.

With source:

- `append` to the variable, or into the spare capacity of another slice (`args := append(t.base, a)`).
- A kept part (`q = q[1:]`), an indexed write, or a method of a slice type.
- Elements of slices that one function got in two concurrent calls.
- An array that is refilled (`b = b[:0]`) while a worker uses it, or whose parts a loop hands out.
- In C, a line that stores at a counter and increments it (`t->rows[t->length++] = row`).
- An object used while it is still being made, because it was put into an unguarded slice.

## Why it races
`append` reads and writes the slice header and may move the elements. Two concurrent appends lose one of them. A reader
may see a length that does not match the array.

## Example
    go func() { results = append(results, r) }()    // in a loop

## Remedy
Take one mutex around every use of the slice. Or make a slice of the final length and give each goroutine its own index.
Or send the elements over a channel and append in one goroutine.

## When it is wrong
`copy` and conversions show the same frames for byte buffers that are shared on purpose under a lock that failed for
another reason. A function called `Push` may also count.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from deadheat.diagnosis import rule
from deadheat.diagnosis.context import RaceContext, reports_call_within_line
from deadheat.diagnosis.facts import addresses, containers, locks
from deadheat.diagnosis.facts.captures import find_capture
from deadheat.diagnosis.facts.function_names import (
    GROWING_VERBS,
    INDEXED_TYPE_WORDS,
    ITERATING_VERBS,
    JOINING_VERBS,
    NOTIFYING_VERBS,
    is_value_method,
    name_words,
    without_package,
)
from deadheat.diagnosis.facts.lifetime import find_next_round
from deadheat.diagnosis.facts.object_origin import creation_caller
from deadheat.diagnosis.facts.waits import may_run_in_order
from deadheat.diagnosis.finding import Evidence
from deadheat.diagnosis.rule import EVEN, FAIR, LIKELY, STRONG, WEAK, Rule, RuleMatch
from deadheat.model import Origin

if TYPE_CHECKING:
    from deadheat.diagnosis.race_side import RaceSide

# "runtime.growslice", "runtime.slicecopy", "sort.Ints", "slices.Sort[…]"; not "runtime.racereadrange",
# which copies a struct
_SLICE_FRAME = re.compile(
    r"^runtime\.(?:growslice|slicecopy|memmove|typedslicecopy|slicebytetostring)"
    r"|^(?:sort|slices)\.|^reflectlite\.Swapper"
)
# these call the user's Less, Swap and Push while they move elements
_SORT_CALLER = re.compile(r"^(?:sort|slices|heap)\.")
_GUARD_IF_SLICE = (
    "If it is a slice: guard every use of it, append and len included, with one mutex, or let each"
    " goroutine fill its own slot."
)
_GUARD_SLICE = "Guard every use of the slice with one mutex, so that its elements are complete when found."
_OWN_ARRAY = "Give each worker its own array: a copy of the part, or a new array for each iteration."
_SEPARATE_PARTS = "Give each goroutine a part that does not overlap with another one, or a copy."
# "f.watchers = list", "b.ls = append(next, l)"
_STORED_VALUE = re.compile(r"(?<![=!<>:])=\s{0,9}(\w{1,80})")


def _find_concurrent_slice(context: RaceContext) -> RuleMatch | None:
    if handed_out := containers.buffer_refilled_in_loop(context):
        return RuleMatch(STRONG, (handed_out,), _OWN_ARRAY, context.change_points, from_source=True)
    frame_evidence = tuple(item for side in context.race_sides if (item := _slice_frame_evidence(side)))
    appended = tuple(item for side in context.race_sides if (item := _append_evidence(context, side)))
    if not frame_evidence and not appended:
        appended = _shared_elements_evidence(context)
    if not frame_evidence and not appended:
        appended = tuple(item for side in context.race_sides if (item := _slice_type_evidence(side)))
    if not frame_evidence and not appended:
        if common := containers.elements_of_parameters(context):
            return RuleMatch(LIKELY, (common,), _SEPARATE_PARTS, context.change_points, from_source=True)
        return (
            _match_call_between(context)
            or _match_inserting_name(context)
            or containers.published_in_container(context, False, _GUARD_SLICE)
        )
    evidence = (*frame_evidence, *appended)
    if context.is_go and not context.source and any(creation_caller(a, b) for a, b in context.side_pairs):
        # no other actor has it yet
        return RuleMatch(WEAK, evidence, _GUARD_IF_SLICE, context.change_points)
    if context.source is None and find_next_round(context):
        # the array is refilled while the previous worker uses it: from a pool, or the slice's array
        return RuleMatch(EVEN, evidence, _GUARD_IF_SLICE, context.change_points)
    locks_held = locks.locks_of_both_sides(context) if context.has_code else None
    # a closure that appends to a captured slice changes it for all users
    both = len(frame_evidence) > 1 or len(appended) > 1 or (appended and find_capture(context) is not None)
    confidence = STRONG if both and not (locks_held and any(locks_held)) else LIKELY
    if array := containers.reused_backing_array(context):
        evidence, confidence = (*evidence, array), STRONG + 0.04
    change = (
        f"Guard every use of {context.variable_label} with one mutex, or let each goroutine fill its own"
        " slot and combine the results after the wait."
    )
    return RuleMatch(confidence, evidence, change, context.change_points, from_source=locks_held is not None)


def _slice_frame_evidence(side: RaceSide) -> Evidence | None:
    name = f"`{without_package(side.function)}`"
    if below := side.caller_frame_matching(_SORT_CALLER):
        return side.evidence_at_site(f"{name} is called by `{below.function[:60]}`, which moves a slice's elements")
    frame = side.library_frame_matching(_SLICE_FRAME) or containers.container_frame(side, containers.SEQUENCE)
    if frame is None or any(containers.unsafe_type_of(f.function) for f in side.library_frames):
        return None  # the slice is internal to a library type: unsafe-type-shared
    return side.evidence_at_site(f"{name} works on a slice: `{frame.function[:80]}` is above it")


def _match_call_between(context: RaceContext) -> RuleMatch | None:
    """From a report alone: a line that reads, calls something and writes is most likely an append."""
    if context.has_code or not _has_call_between(context) or addresses.is_smaller_than_word(context):
        return None
    side = context.race_sides[0]
    sentence = f"one line of `{without_package(side.function)}` reads it, makes a call and writes it, as append does"
    return RuleMatch(LIKELY, (side.evidence_at_site(sentence),), _GUARD_IF_SLICE, context.change_points)


def _has_call_between(context: RaceContext) -> bool:
    """Return whether, by code offsets, a line makes a call between its read and its write."""
    if reports_call_within_line(context.report):
        return True
    return any(w.writes and not r.writes and addresses.has_call_between(r, w) for r, w in context.side_pairs)


def _match_inserting_name(context: RaceContext) -> RuleMatch | None:
    """From a report alone: the name says that it inserts into a list; a map would show runtime frames."""
    if not context.is_go or context.has_code or addresses.is_smaller_than_word(context):
        return None
    for side, other in context.side_pairs:
        if not side.writes or side.library_frames or side.is_closure or other.site is None:
            continue
        if is_value_method(side.function) or _is_goroutine_main(side):
            continue
        if GROWING_VERBS.intersection(name_words(side.function)[:1]):
            if INDEXED_TYPE_WORDS.intersection(name_words(side.owner.rstrip(")"))):
                continue  # the race may be on its counters
            sentence = f"{side.action}; by its name it adds an element to a list or removes one"
        elif side.function != other.function and (iteration := _describe_iteration(side, other)):
            sentence = iteration
        else:
            continue
        evidence = (side.evidence_at_site(sentence), other.evidence_at_site(other.action))
        # a name alone does not tell a missing lock from a missing wait
        certainty = FAIR - 0.05 if may_run_in_order(context) else FAIR + 0.05
        return RuleMatch(certainty, evidence, _GUARD_IF_SLICE, context.change_points)
    return None


def _is_goroutine_main(side: RaceSide) -> bool:
    start_line = side.start_frame.line if side.start_frame else None
    return side.is_worker and all(
        side.enclosing_function(f) == side.function or "wrap" in f.function or f.line == start_line
        for f in side.user_frames
    )


def _describe_iteration(writer: RaceSide, reader: RaceSide) -> str:
    """Describe a writer that adds to a list while the reader iterates over it; "" if not so."""
    first_word = name_words(reader.function)[:1]
    if reader.writes or reader.library_frames or (reader.is_closure and reader.is_worker):
        return ""
    if ITERATING_VERBS.intersection(first_word):
        return f"{writer.action} while `{without_package(reader.function)}`, by its name, iterates over all elements"
    if not NOTIFYING_VERBS.intersection(first_word):
        return ""
    joining_function = next(
        (name for _, name, notification in writer.named_frames[:2] if notification[0] in JOINING_VERBS), ""
    )
    notification = f"`{without_package(reader.function)}` notifies all listeners in it"
    return f"{writer.action} for `{joining_function}` while {notification}" if joining_function else ""


def _shared_elements_evidence(context: RaceContext) -> tuple[Evidence, ...]:
    shared = context.shared_variable
    if not context.is_go or shared is None or not containers.SLICE_TYPE.match(shared.type.strip()):
        return ()
    for here in [side.site_facts for side in context.race_sides]:
        if here is None or not (
            f"{shared.name}[" in here.text or any(u.is_element and u.name == shared.name for u in here.uses)
        ):
            return ()
    return (Evidence(f"both lines work on elements of `{shared}`, {shared.type[:60]}"),)


def _slice_type_evidence(side: RaceSide) -> Evidence | None:
    """Match a method of a slice type: `a[i], a[j] = a[j], a[i]`, `*a = old[:n-1]`."""
    here = side.site_facts
    if here is None or not containers.SLICE_TYPE.match(here.underlying_type):
        return None
    for use in here.uses:
        declaration = here.declarations.get(use.path[0])
        if len(use.path) == 1 and declaration is not None and declaration.kind == "receiver":
            return side.evidence_at_site(
                f"`{here.receiver}`, the receiver of `{without_package(side.function)}`, is a slice"
            )
    return None


def _stored_append_evidence(context: RaceContext, side: RaceSide) -> Evidence | None:
    """Match a line that stores the result of append: `f.list = append(next, w)`, `f.list = next`."""
    here, shared = side.site_facts, context.shared_variable
    if here is None or shared is None or not containers.SLICE_TYPE.match(shared.type.strip()):
        return None
    stores = any(u.name == shared.name and u.line == here.line for u in here.stores)
    stored_value = _STORED_VALUE.search(here.text) if stores else None
    if stored_value is None:
        return None
    for call in here.calls:
        if call.name != "append":
            continue
        # `rows = append(rows, x)` of a slice that the function made itself is not shared
        declaration = here.declarations.get(stored_value[1])
        grown = stored_value[1] == call.result and declaration is not None and shared.name in declaration.type
        if grown or call.line == here.line:
            return side.evidence_at_site(f"`{here.text[:80]}` stores the result of append")
    return None


def _append_evidence(context: RaceContext, side: RaceSide) -> Evidence | None:
    here, shared = side.site_facts, context.shared_variable
    if here is None:
        return None
    if not context.is_go and side.writes and containers.stores_at_counter(here):
        return side.evidence_at_site(f"`{here.text[:80]}` stores an element at the shared counter")
    if side.library_frames and side.library_frames[-1].origin is not Origin.RUNTIME:
        return None  # a library call works on it, not append
    append = containers.APPEND_CALL.search(here.text)
    if append is None:
        return containers.find_reslice(context, side) or _stored_append_evidence(context, side)
    if shared is None and (spare_capacity := containers.append_into_spare_capacity(context, side)):
        return spare_capacity
    name, base = append[1].rpartition(".")[2].partition("[")[0], here.declarations.get(append[1])
    # a pointer to a slice, or the receiver of a slice type, is the slice itself
    is_slice = base is not None and (
        (base.kind == "parameter" and base.type.startswith("*[")) or (base.kind == "receiver" and here.underlying_type)
    )
    if shared is not None and not is_slice and (shared.name != name or "map[" in shared.type):
        return containers.append_into_spare_capacity(context, side) or _stored_append_evidence(context, side)
    return side.evidence_at_site(f"`{here.text[:80]}` grows the slice")


RULE = Rule(
    "concurrent-slice",
    "container",
    _find_concurrent_slice,
    "sync.Mutex, or an index per goroutine",
    "A lock per use; an index per goroutine costs nothing.",
    general_causes=("missing-lock",),
    features=rule.Feature.HAS_LIBRARY_FRAMES
    | rule.Feature.HAS_SORT
    | rule.Feature.HAS_CODE
    | rule.Feature.FILLS_CONTAINER
    | rule.Feature.CALL_WITHIN_LINE
    | rule.Feature.ITERATES_CONTAINER,
)
