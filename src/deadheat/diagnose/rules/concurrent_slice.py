"""A slice or vector that grows or changes while others use it.

## What it sees

Frames of the runtime's slice functions (`growslice`, `slicecopy`, `memmove`), of `sort` or of
`std::vector` above the user's line, also if only their header is named.

Without such frames, in Go, from a report alone:

- One line reads and writes, with as much code between the two as `append` needs.
- The writer is named like an insertion (`Append`, `Push`, `Insert`), or adds a listener
  (`Subscribe` against `emit`), or the reader is named like an iteration (`each`), and no map frame
  is above it. A goroutine's own main function (`go n.listen()`) does not count.

With source:

- `append` to the variable, a store of a slice that `append` made, or `args := append(t.base, a)`,
  which writes into the spare capacity of `t.base`.
- A kept part (`q = q[1:]`), an indexed write, or a method of a slice type.
- Elements of slices that one function got in two concurrent calls.
- An array that is refilled (`b = b[:0]`) while a worker uses it, or whose parts a loop hands out
  (`go handle(buf[:n])`).
- In C, a line that stores at a counter and increments it (`t->rows[t->length++] = row`).
- An object used while it is still being made, because it was put into an unguarded slice.

## Why it races

`append` reads and writes the slice header and may move the elements. Two concurrent appends lose
one of them. A reader may see a length that does not match the array.

## Example

    go func() { results = append(results, r) }()    // in a loop

## Remedy

Take one mutex around every use of the slice. Or make a slice of the final length and give each
goroutine its own index. Or send the elements over a channel and append in one goroutine.

## When it is wrong

`copy` and conversions show the same frames for byte buffers that are shared on purpose under a lock
that failed for another reason. A function called `Push` may also count.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from deadheat.diagnose import address, depth, locking
from deadheat.diagnose.capture import captured
from deadheat.diagnose.containers import ROW, shown
from deadheat.diagnose.finding import Evidence
from deadheat.diagnose.fresh import made_below
from deadheat.diagnose.meeting import may_be_ordered
from deadheat.diagnose.naming import of_value, short, words
from deadheat.diagnose.publishing import published
from deadheat.diagnose.rounds import next_round
from deadheat.diagnose.rows import (
    APPEND,
    SLICE,
    cuts,
    filled_anew,
    lent_again,
    parts,
    puts_at,
    room,
)
from deadheat.diagnose.rule import EVEN, FAIR, LIKELY, STRONG, WEAK, Hit, Rule
from deadheat.diagnose.scene import calls_between
from deadheat.diagnose.traits import ABOVE, CALLS, FILLS, SORTS, SOURCE, WALKS
from deadheat.diagnose.unsafe_types import named
from deadheat.diagnose.vocabulary import ANNOUNCING, GROWING, INDEXED, JOINING, WALKING
from deadheat.model import Origin

if TYPE_CHECKING:
    from deadheat.diagnose.scene import Scene
    from deadheat.diagnose.side import Side

# "runtime.growslice", "runtime.slicecopy", "sort.Ints", "slices.Sort[…]"; not "runtime.racereadrange",
# which copies a struct
_FRAME = re.compile(
    r"^runtime\.(?:growslice|slicecopy|memmove|typedslicecopy|slicebytetostring)"
    r"|^(?:sort|slices)\.|^reflectlite\.Swapper"
)
# these call the user's Less, Swap and Push while they move elements
_SORTS = re.compile(r"^(?:sort|slices|heap)\.")
_GUARD = (
    "If it is a slice: guard every use of it, append and len included, with one mutex, or let each"
    " goroutine fill its own slot."
)
_GUARDED = "Guard every use of the slice with one mutex, so that its elements are complete when found."
_OWN_ARRAY = "Give each worker its own array: a copy of the part, or a new array for each iteration."
_APART = "Give each goroutine a part that does not overlap with another one, or a copy."
# "f.watchers = list", "b.ls = append(next, l)"
_VALUE = re.compile(r"(?<![=!<>:])=\s{0,9}(\w{1,80})")


def _find(scene: Scene) -> Hit | None:
    seen = tuple(one for side in scene.sides if (one := _shown(side)))
    appended = tuple(one for side in scene.sides if (one := _appends(scene, side)))
    if not seen and not appended and (element := _elements(scene)):
        appended = (element,)
    if not seen and not appended:
        appended = tuple(one for side in scene.sides if (one := _own_type(side)))
    if lent := lent_again(scene):
        return Hit(STRONG, (lent,), _OWN_ARRAY, scene.points, from_source=True)
    if not seen and not appended and (common := parts(scene)):
        return Hit(LIKELY, (common,), _APART, scene.points, from_source=True)
    if not seen and not appended:
        return _between(scene) or _named(scene) or published(scene, False, _GUARDED)
    if scene.go and not scene.source and any(made_below(a, b) for a, b in scene.both):
        return Hit(WEAK, (*seen, *appended), _GUARD, scene.points)  # no other actor has it yet
    if scene.source is None and next_round(scene):
        # the array is refilled while the previous worker uses it: from a pool, or the slice's array
        return Hit(EVEN, (*seen, *appended), _GUARD, scene.points)
    held = locking.locks(scene) if scene.sourced else None
    # a closure that appends to a captured slice changes it for all users
    both = len(seen) > 1 or len(appended) > 1 or (appended and captured(scene) is not None)
    confidence = STRONG if both and not (held and any(held)) else LIKELY
    if array := filled_anew(scene):
        appended, confidence = (*appended, array), STRONG + 0.04
    change = (
        f"Guard every use of {scene.what} with one mutex, or let each goroutine fill its own"
        " slot and combine the results after the wait."
    )
    return Hit(confidence, (*seen, *appended), change, scene.points, from_source=held is not None)


def _shown(side: Side) -> Evidence | None:
    if below := side.below(_SORTS):
        name = f"`{short(side.name)}`"
        return side.told(
            f"{name} is called by `{below.function[:60]}`, which moves a slice's elements"
        )
    frame = side.above(_FRAME) or shown(side, ROW)
    if frame is None or any(named(f.function) for f in side.inner):
        return None  # the slice is internal to a library type: unsafe-type-shared
    return side.told(f"`{short(side.name)}` works on a slice: `{frame.function[:80]}` is above it")


def _between(scene: Scene) -> Hit | None:
    """From a report alone: a line that reads, calls something and writes is most likely an append."""
    if scene.sourced or not _calls(scene) or address.is_part(scene):
        return None
    side = scene.sides[0]
    named = f"`{short(side.name)}`"
    how = f"one line of {named} reads it, makes a call and writes it, as append does"
    told = (side.told(how),)
    return Hit(LIKELY, told, _GUARD, scene.points)


def _calls(scene: Scene) -> bool:
    """Return whether, by code offsets, a line makes a call between its read and its write."""
    if calls_between(scene.report):
        return True
    return any(w.writes and not r.writes and depth.calls_between(r, w) for r, w in scene.both)


def _named(scene: Scene) -> Hit | None:
    """From a report alone: the function's name says that it inserts into a list.

    A map would show frames of the runtime.
    """
    if not scene.go or scene.sourced or len(scene.sides) < 2:
        return None
    if address.is_part(scene):
        return None
    for side, other in scene.both:
        if not side.writes or side.inner or side.closure or other.site is None:
            continue
        if of_value(side.name) or _is_its_work(side):
            continue
        if GROWING.intersection(words(side.name)[:1]):
            if INDEXED.intersection(words(side.owner.rstrip(")"))):
                continue  # the race may be on its counters
            how = f"{side.does}; by its name it adds an element to a list or removes one"
        elif side.name != other.name and (shown := _goes_through(side, other)):
            how = shown
        else:
            continue
        evidence = (side.told(how), other.told(other.does))
        # a name alone does not tell a missing lock from a missing wait
        sure = FAIR - 0.05 if may_be_ordered(scene) else FAIR + 0.05
        return Hit(sure, evidence, _GUARD, scene.points)
    return None


def _is_its_work(side: Side) -> bool:
    """Return whether the function is the main function of its goroutine: `go n.listen()`."""
    name = side.name
    return side.is_worker and all(
        side.written(f) == name or "wrap" in f.function or f.line == _began(side)
        for f in side.frames
    )


def _began(side: Side) -> int | None:
    return side.creator.line if side.creator else None


def _goes_through(writer: Side, reader: Side) -> str:
    """Describe a writer that adds to a list while the reader iterates over it; "" if not so."""
    called = words(reader.name)[:1]
    if reader.writes or reader.inner or (reader.closure and reader.is_worker):
        return ""
    if WALKING.intersection(called):
        return f"{writer.does} while `{short(reader.name)}`, by its name, iterates over all elements"
    if not ANNOUNCING.intersection(called):
        return ""
    joins = next((name for _, name, told in writer.named[:2] if told[0] in JOINING), "")
    told = f"`{short(reader.name)}` notifies all listeners in it"
    return f"{writer.does} for `{joins}` while {told}" if joins else ""


def _elements(scene: Scene) -> Evidence | None:
    """Match two lines that work on elements of one slice."""
    shared = scene.shared
    if not scene.go or shared is None or not SLICE.match(shared.type.strip()):
        return None
    for side in scene.sides:
        uses = side.here.uses if side.here else ()
        read = side.here is not None and f"{shared.name}[" in side.here.text
        if not read and not any(u.element and u.name == shared.name for u in uses):
            return None
    return Evidence(f"both lines work on elements of `{shared}`, {shared.type[:60]}")


def _own_type(side: Side) -> Evidence | None:
    """Match a method of a slice type: `a[i], a[j] = a[j], a[i]`, `*a = old[:n-1]`."""
    here = side.here
    if here is None or not SLICE.match(here.made_of):
        return None
    for use in here.uses:
        told = here.names.get(use.path[0])
        if len(use.path) == 1 and told is not None and told.how == "receiver":
            return side.told(f"`{here.receiver}`, the receiver of `{short(side.name)}`, is a slice")
    return None


def _stored(scene: Scene, side: Side) -> Evidence | None:
    """Match a line that stores the result of append: `f.list = append(next, w)`, `f.list = next`."""
    here, shared = side.here, scene.shared
    if here is None or shared is None or not SLICE.match(shared.type.strip()):
        return None
    stores = any(u.name == shared.name and u.line == here.line for u in here.stores)
    told = _VALUE.search(here.text) if stores else None
    if told is None:
        return None
    for call in here.calls:
        if call.name != "append":
            continue
        # `rows = append(rows, x)` of a slice that the function made itself is not shared
        known = here.names.get(told[1])
        grown = told[1] == call.result and known is not None and shared.name in known.type
        if grown or call.line == here.line:
            return side.told(f"`{here.text[:80]}` stores the result of append")
    return None


def _appends(scene: Scene, side: Side) -> Evidence | None:
    """Match a line that appends to the shared variable."""
    if not scene.go and side.here and side.writes and puts_at(side.here):
        return side.told(f"`{side.here.text[:80]}` stores an element at the shared counter")
    if side.inner and side.inner[-1].origin is not Origin.RUNTIME:
        return None  # a library call works on it, not append
    told = APPEND.search(side.here.text) if side.here else None
    if told is None:
        return cuts(scene, side) or _stored(scene, side)
    if scene.shared is None and (left := room(scene, side)):
        return left
    name = told[1].rpartition(".")[2].partition("[")[0]
    shared, base = scene.shared, side.here.names.get(told[1]) if side.here else None
    lent = base is not None and base.how == "parameter" and base.type.startswith("*[")
    own = base is not None and base.how == "receiver" and bool(side.here and side.here.made_of)
    if (
        shared is not None
        and not lent
        and not own
        and (shared.name != name or "map[" in shared.type)
    ):
        return room(scene, side) or _stored(scene, side)
    return side.told(f"`{side.here.text[:80] if side.here else ''}` grows the slice")


RULE = Rule(
    "concurrent-slice",
    "container",
    _find,
    "sync.Mutex, or an index per goroutine",
    "A lock per use; an index per goroutine costs nothing.",
    general=("missing-lock",),
    when=ABOVE | SORTS | SOURCE | FILLS | CALLS | WALKS,
)
