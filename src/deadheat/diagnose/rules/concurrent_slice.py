"""A slice or vector that grows or changes while others use it.

## What it sees

Frames of the runtime's slice functions (`growslice`, `slicecopy`, `memmove`), of `sort`, or of
`std::vector` above the user's line, also those that are told by their header only. Without them, in
Go: one line reads and writes, and the code between the two is longer than a count's, as that of
`append` is; or the function that writes is called like one that puts something into a row of things
(`Append`, `Push`, `Insert`; a goroutine's own `listen` joins nobody), or for one that adds somebody to
those who are told (`Subscribe` against `emit`), or the one that reads like one that goes through them
(`each`), and no frame of a map is above it. With source: `append` to the variable on one of the lines,
a slice that append has made and that is stored in it, what is appended to a row of others (`args :=
append(t.base, a)`) and so written into the room that it has left, a part of it that is kept (`q =
q[1:]`), an indexed write into it, or a method of a type that is a slice; elements of slices that one
function was given in two calls of it at once; an array that is filled anew (`b = b[:0]`) while a
worker has it, or of which a loop lends parts (`go handle(buf[:n])`); in C, a line that puts something
where the count says, and counts (`t->rows[t->length++] = row`); or an object that is met while it is
made, because it was put into a slice that nobody guards.

## Why it races

`append` reads and writes the slice's header and may move its elements. Two appends at once lose one
of them; a reader sees a length that does not fit the array.

## Example

    go func() { results = append(results, r) }()    // in a loop

## Remedy

One mutex around every use of the slice; or a slice of the final length in which each goroutine has
its own index; or send the elements over a channel and append in one goroutine.

## When it is wrong

`copy` and conversions also show these frames for byte buffers that are shared on purpose, with a
lock that failed for another reason. A function that is called `Push` may also count.
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

# "runtime.growslice", "runtime.slicecopy", "sort.Ints", "slices.Sort[…]"; but "runtime.racereadrange"
# is how a struct is copied
_FRAME = re.compile(
    r"^runtime\.(?:growslice|slicecopy|memmove|typedslicecopy|slicebytetostring)"
    r"|^(?:sort|slices)\.|^reflectlite\.Swapper"
)
# what calls the user's own Less, Swap and Push while it moves elements
_SORTS = re.compile(r"^(?:sort|slices|heap)\.")
_GUARD = (
    "If it is a slice: guard every use of it, append and len included, with one mutex, or let each"
    " goroutine fill a slot of its own."
)
_GUARDED = "Guard every use of the slice with one mutex: what is found in it is whole then, too."
_OWN_ARRAY = "Give each worker an array of its own: a copy of the part, or a new one for each turn."
_APART = "Give each goroutine a part that has no element in common with another one's, or a copy."
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
        return Hit(WEAK, (*seen, *appended), _GUARD, scene.points)  # nobody else has it yet
    if scene.source is None and next_round(scene):
        # the array is filled anew while the last worker has it: a pool's, or a slice's own
        return Hit(EVEN, (*seen, *appended), _GUARD, scene.points)
    held = locking.locks(scene) if scene.sourced else None
    # a closure that grows what it has captured changes it for everybody, whatever the others do
    both = len(seen) > 1 or len(appended) > 1 or (appended and captured(scene) is not None)
    confidence = STRONG if both and not (held and any(held)) else LIKELY
    if array := filled_anew(scene):
        appended, confidence = (*appended, array), STRONG + 0.04
    change = (
        f"Guard every use of {scene.what} with one mutex, or let each goroutine fill a slot of its"
        " own and put the results together after the wait."
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
        return None  # what lies inside of a library's type is that type's business
    return side.told(f"`{short(side.name)}` works on a slice: `{frame.function[:80]}` is above it")


def _between(scene: Scene) -> Hit | None:
    """From a report alone: a line that reads, calls something and writes is an append, most likely."""
    if scene.sourced or not _calls(scene) or address.is_part(scene):
        return None
    side = scene.sides[0]
    named = f"`{short(side.name)}`"
    how = f"one line of {named} reads it, calls something and writes it, as append does"
    told = (side.told(how),)
    return Hit(LIKELY, told, _GUARD, scene.points)


def _calls(scene: Scene) -> bool:
    """Is something called between the read and the write of one line, by their offsets?"""
    if calls_between(scene.report):
        return True
    return any(w.writes and not r.writes and depth.calls_between(r, w) for r, w in scene.both)


def _named(scene: Scene) -> Hit | None:
    """From a report alone: a function that is called so puts something into a row of things.

    A map would show itself by frames of the runtime.
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
                continue  # its counters race as well as its row
            how = f"{side.does}, and by its name puts something into a row or takes it out"
        elif side.name != other.name and (shown := _goes_through(side, other)):
            how = shown
        else:
            continue
        evidence = (side.told(how), other.told(other.does))
        # where a wait may be missing as well, a name alone does not tell that it was a lock
        sure = FAIR - 0.05 if may_be_ordered(scene) else FAIR + 0.05
        return Hit(sure, evidence, _GUARD, scene.points)
    return None


def _is_its_work(side: Side) -> bool:
    """Is the function what its goroutine was started for: `go n.listen()`? Then it joins nobody."""
    name = side.name
    return side.is_worker and all(
        side.written(f) == name or "wrap" in f.function or f.line == _began(side)
        for f in side.frames
    )


def _began(side: Side) -> int | None:
    return side.creator.line if side.creator else None


def _goes_through(writer: Side, reader: Side) -> str:
    """Does the reader go through what many are in, and the writer add one? In words; "" if not."""
    called = words(reader.name)[:1]
    if reader.writes or reader.inner or (reader.closure and reader.is_worker):
        return ""
    if WALKING.intersection(called):
        return f"{writer.does} while `{short(reader.name)}`, by its name, goes through all of them"
    if not ANNOUNCING.intersection(called):
        return ""
    joins = next((name for _, name, told in writer.named[:2] if told[0] in JOINING), "")
    told = f"`{short(reader.name)}` tells all who are in it"
    return f"{writer.does} for `{joins}` while {told}" if joins else ""


def _elements(scene: Scene) -> Evidence | None:
    """Do both lines work on what a slice holds, and not on elements of their own?"""
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
    """A method of a type that is a slice works on it: `a[i], a[j] = a[j], a[i]`, `*a = old[:n-1]`."""
    here = side.here
    if here is None or not SLICE.match(here.made_of):
        return None
    for use in here.uses:
        told = here.names.get(use.path[0])
        if len(use.path) == 1 and told is not None and told.how == "receiver":
            return side.told(f"`{here.receiver}`, on which `{short(side.name)}` works, is a slice")
    return None


def _stored(scene: Scene, side: Side) -> Evidence | None:
    """Does its line store what append made: `f.list = append(next, w)`, `f.list = next`?"""
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
        # `rows = append(rows, x)` of a row that the function has made itself grows nobody else's
        known = here.names.get(told[1])
        grown = told[1] == call.result and known is not None and shared.name in known.type
        if grown or call.line == here.line:
            return side.told(f"`{here.text[:80]}` stores a slice that append has grown")
    return None


def _appends(scene: Scene, side: Side) -> Evidence | None:
    """Does its line append to what is raced for?"""
    if not scene.go and side.here and side.writes and puts_at(side.here):
        return side.told(f"`{side.here.text[:80]}` puts it where the shared count says")
    if side.inner and side.inner[-1].origin is not Origin.RUNTIME:
        return None  # what a call gives, or prints, into a row is not the row
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
