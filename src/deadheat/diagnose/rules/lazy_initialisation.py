"""Something is made at first use, by two at once.

## What it sees

Two actors in one function: one reads, the other writes on the next line or the one after (the block
that the check opens), or two lines above the read (what is given back behind it); surer where the
function is called like one that makes something (`ensure`, `connect`, `get`, `init`). In Go the code of
the check lies in front of the other's, what is set is no less than a word, and it is the package's where
the function is nobody's method; or a function reads it
first of all and writes it so many lines and so much code further down that something is made between.
Or the two come by the same function, and one of them is in a maker that it called (`makeKey`,
`newClient`).
With source: the write stands under a check whether the thing is there (`if c.conn == nil`), or in a
function that is called under one, and no lock is held; or it fills an object, or a map, that is kept
there when it is made. One of many that a map keeps is the map's business. Where the report has one side
only, the code of that side may still show it.

## Why it races

Both see that it is missing, both make it, one of the two is lost; and a reader may see a pointer to
something that is only half written.

## Example

    func (c *Client) connect() *conn {
        if c.conn == nil { c.conn = dial() }    // two callers at once
        return c.conn
    }

## Remedy

`sync.Once` (or `sync.OnceValue`) around the making; or make it in the constructor. In C++ a
function's own static variable.

## When it is wrong

A check of a value that changes many times (a maximum, a state), or for the end of a list that a loop
goes along, is `check-then-act`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from deadheat.diagnose import address, depth, locking
from deadheat.diagnose.checking import absent, asked, asks_absent, check, claims, stores_absent
from deadheat.diagnose.finding import Evidence
from deadheat.diagnose.fresh import is_made_here, made_below
from deadheat.diagnose.guessing import (
    SPAN,
    is_changing,
    is_close,
    is_lazy,
    likely,
    looked_first,
    verb,
)
from deadheat.diagnose.lone import lone
from deadheat.diagnose.naming import is_test_file, last, of_value, short
from deadheat.diagnose.rows import resizes
from deadheat.diagnose.rule import EVEN, FAIR, LIKELY, STRONG, WEAK, Hit, Rule
from deadheat.diagnose.side import point
from deadheat.diagnose.traits import CALLER, ONE_FUNCTION, SOURCE
from deadheat.diagnose.vocabulary import MAKING

if TYPE_CHECKING:
    from deadheat.diagnose.checking import Check
    from deadheat.diagnose.scene import Scene
    from deadheat.diagnose.side import Side
    from deadheat.diagnose.source import Around, Condition
    from deadheat.model import Frame

NEAR = 3  # callers further out than this have other things made


def _find(scene: Scene) -> Hit | None:
    change = _change(scene)
    if one := _one_sided(scene, change):
        return one
    found = check(scene) or asked(scene)
    if found and found.absent and found.condition:
        return _checked(scene, found, change)
    for way in (_made, _made_by_caller, _published, _looked_first):
        if hit := way(scene, change):
            return hit
    if (guess := likely(scene)) is not None:
        return _guessed(scene, guess, change)
    return _twice(scene, change) or _by_function(scene, change) or _made_below(scene, change)


def _change(scene: Scene) -> str:
    once = "sync.Once (std::call_once, a static local)"
    if not scene.go:
        once = "std::call_once or a static local"
    return f"Make {scene.what} with {once}, or in the constructor."


def _one_sided(scene: Scene, change: str) -> Hit | None:
    """The detector shows one side only, and its code makes what it finds absent."""
    one = lone(scene)
    if not one or not one.absent or one.again or claims(one.sets, one.condition.text):
        return None
    evidence = (
        one.side.told(f"{one.side.does}; {one.told}, and set on line {one.sets.line}"),
        one.side.told("no lock is held from the check to there; the other side is not told"),
    )
    return Hit(LIKELY, evidence, change, (one.side.point,), from_source=True)


def _checked(scene: Scene, found: Check, change: str) -> Hit | None:
    """By the code, one side makes what it finds absent."""
    held = locking.locks(scene)
    if (held and any(held)) or resizes(scene, found) or _keeps_many(scene, found):
        return None  # a lock on one side: double-checked
    evidence = (
        found.sets.told(f"{found.sets.does} under `{found.told}`"),
        found.other.told(f"{found.other.does} {found.where}, in {found.other.actor.id}"),
    )
    confidence = STRONG + 0.03 if found.guard else STRONG + 0.04
    return Hit(confidence, evidence, change, (found.sets.point,), from_source=True)


def _made(scene: Scene, change: str) -> Hit | None:
    """By the code, one side makes what the other one uses."""
    made = absent(scene)
    if not made:
        return None
    evidence = (
        made.sets.told(f"{made.sets.does} under `{made.told}`"),
        made.other.told(f"{made.other.does} what was made, in {made.other.actor.id}"),
    )
    return Hit(LIKELY + 0.05, evidence, change, (made.sets.point,), from_source=True)


def _looked_first(scene: Scene, change: str) -> Hit | None:
    """From the report alone: one looks first of all, and the other stores so far below that it makes."""
    far = looked_first(scene)
    if not far or address.is_part(scene):
        return None
    reader, maker, down = far
    evidence = (
        reader.told(f"{reader.does} first of all"),
        maker.told(f"{maker.does} {down} lines below, with room to make something between"),
    )
    return Hit(FAIR + 0.05, evidence, change, (maker.point,))


def _guessed(scene: Scene, guess: Check, change: str) -> Hit | None:
    """From the report alone: one reads, and the other writes a few lines away in the same function."""
    if depth.only_stores(scene, guess.other, guess.sets):
        return None
    if address.is_part(scene) or not _is_check(guess):
        return None  # a flag is set, and no thing is made; or it was read for something else
    evidence = (
        guess.other.told(guess.other.does),
        guess.sets.told(f"{guess.sets.does} a few lines away in the same function"),
    )
    confidence = LIKELY if is_lazy(guess.sets.name) else FAIR if is_close(guess) else WEAK
    if is_changing(guess.sets.name) or _is_given(scene, guess):
        confidence = WEAK
    return Hit(confidence, evidence, change, (guess.sets.point,))


def _keeps_many(scene: Scene, found: Check) -> bool:
    """`if e.compiled[src] == nil { e.compiled[src] = x }`: is it one of many that a map keeps?"""
    here, shared = found.sets.here, scene.shared
    if not scene.go or here is None or shared is None or "map[" not in shared.type:
        return False
    return any(u.writes and u.element and u.name == shared.name for u in here.uses)


def _is_given(scene: Scene, guess: Check) -> bool:
    """By its address: has a function that is nobody's method got what it checks from elsewhere?

    What such a one makes at first use is its package's, though what was made may lie anywhere.
    """
    name = guess.sets.name
    below = (guess.sets.point.line or 0) > (guess.other.point.line or 0)
    own = "(" in name or of_value(name) or is_lazy(name)
    return scene.go and below and not own and address.is_packages(scene) is False


def _is_check(guess: Check) -> bool:
    """By offsets: does the code that sets it come behind the check above it?"""
    down = (guess.sets.point.line or 0) - (guess.other.point.line or 0)
    first, then = depth.of(guess.other), depth.of(guess.sets)
    return down <= 0 or first is None or then is None or first <= then


def _made_by_caller(scene: Scene, change: str) -> Hit | None:
    """A constructor fills an object in; who called it did so because there was none yet."""
    for maker, other in scene.both if scene.sourced else ():
        if not maker.writes or maker.held or other.held or maker.here is None:
            continue
        there = [(code.path, code.first) for _, code in other.way[:NEAR]]
        made = is_made_here(scene, maker)
        # what the line fills, or what functions set besides: a flag, the place where it is kept
        filled = _filled(maker.here)
        for caller, calls in maker.way[1:NEAR]:
            leads = (calls.path, calls.first) in there
            if not made and not leads:
                continue
            seen = stores_absent(scene, caller)
            if seen is None and (leads or caller != maker.frames[1]):
                seen = asks_absent(scene, caller, filled)
            if seen and not _is_one_of_many(scene, seen):
                evidence = (
                    maker.told(f"{maker.does} an object that it makes"),
                    Evidence(f"which is made under `if {seen.text[:60]}`", point(caller)),
                    other.told(f"{other.does} it in {other.actor.id}"),
                )
                confidence = STRONG + 0.04 if leads else LIKELY + 0.05
                return Hit(confidence, evidence, change, (point(caller),), from_source=True)
            filled = _filled(calls)
    return None


def _is_one_of_many(scene: Scene, asked: Condition) -> bool:
    """`price, known := c.prices[s]; !known`: is it asked for one of those that a map keeps?"""
    shared = scene.shared
    return shared is not None and "map[" in shared.type and f"{shared.name}[" in asked.text


def _filled(seen: Around) -> set[str]:
    """What a line and its function fill; a variable of the function's own is nothing that is kept."""
    used = (*seen.uses, *seen.stores)
    return {u.name for u in used if len(u.path) > 1 or u.name not in seen.names}


def _published(scene: Scene, change: str) -> Hit | None:
    """A function fills an object that it has just made and keeps it if there was none; others use it."""
    for maker, other in scene.both if scene.sourced else ():
        if not maker.site or maker.held or other.held or not is_made_here(scene, maker):
            continue
        if seen := stores_absent(scene, maker.site):
            evidence = (
                maker.told(f"{maker.does} an object that it makes"),
                maker.told(f"and keeps under `{seen.text[:60]}`, line {seen.line}"),
                other.told(f"{other.does} it in {other.actor.id}"),
            )
            return Hit(STRONG + 0.04, evidence, change, (maker.point,), from_source=True)
    return None


def _made_below(scene: Scene, change: str) -> Hit | None:
    """Two go the same way, and one of them makes what the other uses: `k == nil`, then `makeKey`."""
    for reader, maker in scene.both if not scene.sourced else ():
        if not maker.writes or reader.writes or reader.closure or maker.inner:
            continue
        if maker.name == reader.name or verb(maker.name) not in MAKING:
            continue
        if not (way := _same_way(reader, maker)):
            continue
        evidence = (
            reader.told(reader.does),
            maker.told(f"{maker.does}, and by its name makes it"),
            Evidence(f"both are on their way through `{short(reader.written(way))}`", point(way)),
        )
        return Hit(FAIR, evidence, change, (point(way),))
    return None


def _by_function(scene: Scene, change: str) -> Hit | None:
    """From a Go report alone: a method has something made by a function, while another one uses it."""
    for maker, reader in scene.both if scene.go and scene.source is None else ():
        if caller := made_below(maker, reader):
            named = short(maker.written(caller))
            evidence = (
                maker.told(f"{maker.does}, a function that makes something, by its place"),
                Evidence(f"`{named}` has it called", point(caller)),
                reader.told(f"{reader.does}, further down on the same way"),
            )
            # what is used only further down may have been kept in a map by who stands between
            near = caller == maker.frames[1] or reader.point.line == caller.line
            return Hit(EVEN if near else WEAK, evidence, change, (point(caller),))
    return None


def _same_way(reader: Side, maker: Side) -> Frame | None:
    """The function that calls the maker, and that reads or has it read a few lines away."""
    for caller in maker.frames[1:NEAR]:
        for frame in reader.frames[:2]:
            name = reader.written(frame)
            if name != maker.written(caller) or last(name) == "main" or is_test_file(frame.file):
                continue  # tests and `main` run things beside each other on purpose
            if abs((caller.line or 0) - (frame.line or 0)) <= SPAN:
                return caller
    return None


def _twice(scene: Scene, change: str) -> Hit | None:
    """Two actors write on the same line of a function that is called like a maker."""
    if scene.sourced or not scene.same_function or not all(s.writes for s in scene.sides):
        return None
    a, b = scene.sides
    if a.point.line != b.point.line or verb(a.name) not in MAKING or a.closure or a.inner:
        return None
    evidence = (a.told(f"two actors make it at once: `{short(a.name)}`"),)
    return Hit(EVEN, evidence, change, (a.point,))


RULE = Rule(
    "lazy-initialisation",
    "publication",
    _find,
    "sync.Once",
    "One atomic load per use.",
    general=("check-then-act",),
    when=SOURCE | ONE_FUNCTION | CALLER,
)
