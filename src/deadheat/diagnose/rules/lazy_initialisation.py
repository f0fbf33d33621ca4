"""A value is created at first use, by two actors at once.

## What it sees

From a report alone:

- Two actors in one function: one reads, the other writes within two lines below (the block that the
  check opens), or two lines above the read (the return after it). Confidence is higher if the
  function is named like a maker (`ensure`, `connect`, `get`, `init`). In Go the code of the check
  precedes the write, the value is at least one word, and in a function without receiver it is a
  package variable.
- A function reads it first and writes it so many lines and so much code below that something is
  created in between.
- Both sides come through the same function, and one is in a maker that it called (`makeKey`,
  `newClient`).

With source: the write is under a check for absence (`if c.conn == nil`), or in a function called
under one, and no lock is held. Or it fills an object or map that is stored there when created. The
report may have one side only, if its code shows both steps. An element of a map is
`concurrent-map`.

## Why it races

Both see that it is missing, both create it, and one of the two is lost. A reader may see a pointer
to an object that is only partly written.

## Example

    func (c *Client) connect() *conn {
        if c.conn == nil { c.conn = dial() }    // two callers at once
        return c.conn
    }

## Remedy

Create it in `sync.Once` (or `sync.OnceValue`), or in the constructor. In C++ use a static local
variable.

## When it is wrong

A check of a value that changes many times (a maximum, a state), or for the end of a list in a loop,
is `check-then-act`.
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

NEAR = 3  # callers further out create other objects


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
    return f"Create {scene.what} with {once}, or in the constructor."


def _one_sided(scene: Scene, change: str) -> Hit | None:
    """Match a report with one side, whose code creates the value if it is absent."""
    one = lone(scene)
    if not one or not one.absent or one.again or claims(one.sets, one.condition.text):
        return None
    evidence = (
        one.side.told(f"{one.side.does}; {one.told} and set on line {one.sets.line}"),
        one.side.told("no lock is held in between; the other side is not in the report"),
    )
    return Hit(LIKELY, evidence, change, (one.side.point,), from_source=True)


def _checked(scene: Scene, found: Check, change: str) -> Hit | None:
    """Match code on one side that creates the value under a check for absence."""
    held = locking.locks(scene)
    if (held and any(held)) or resizes(scene, found) or _keeps_many(scene, found):
        return None  # a lock on one side: double-checked-locking
    evidence = (
        found.sets.told(f"{found.sets.does} under `{found.told}`"),
        found.other.told(f"{found.other.does} {found.where}, in {found.other.actor.id}"),
    )
    confidence = STRONG + 0.03 if found.guard else STRONG + 0.04
    return Hit(confidence, evidence, change, (found.sets.point,), from_source=True)


def _made(scene: Scene, change: str) -> Hit | None:
    """Match code on one side that creates what the other side uses."""
    made = absent(scene)
    if not made:
        return None
    evidence = (
        made.sets.told(f"{made.sets.does} under `{made.told}`"),
        made.other.told(f"{made.other.does} the created value in {made.other.actor.id}"),
    )
    return Hit(LIKELY + 0.05, evidence, change, (made.sets.point,), from_source=True)


def _looked_first(scene: Scene, change: str) -> Hit | None:
    """From a report alone: one side reads first, the other writes so far below that it creates."""
    far = looked_first(scene)
    if not far or address.is_part(scene):
        return None
    reader, maker, down = far
    evidence = (
        reader.told(f"{reader.does} it first"),
        maker.told(f"{maker.does} {down} lines below, with enough code in between to create it"),
    )
    return Hit(FAIR + 0.05, evidence, change, (maker.point,))


def _guessed(scene: Scene, guess: Check, change: str) -> Hit | None:
    """From a report alone: one side reads, the other writes a few lines away in the same function."""
    if depth.only_stores(scene, guess.other, guess.sets):
        return None
    if address.is_part(scene) or not _is_check(guess):
        return None  # a flag, or a read that is no check
    evidence = (
        guess.other.told(guess.other.does),
        guess.sets.told(f"{guess.sets.does} a few lines away in the same function"),
    )
    confidence = LIKELY if is_lazy(guess.sets.name) else FAIR if is_close(guess) else WEAK
    if is_changing(guess.sets.name) or _is_given(scene, guess):
        confidence = WEAK
    return Hit(confidence, evidence, change, (guess.sets.point,))


def _keeps_many(scene: Scene, found: Check) -> bool:
    """Return whether a map element is stored: `if e.cache[key] == nil { e.cache[key] = x }`."""
    here, shared = found.sets.here, scene.shared
    if not scene.go or here is None or shared is None or "map[" not in shared.type:
        return False
    return any(u.writes and u.element and u.name == shared.name for u in here.uses)


def _is_given(scene: Scene, guess: Check) -> bool:
    """Return whether, by its address, a function without receiver checks what it was passed.

    Such a function creates package variables at first use.
    """
    name = guess.sets.name
    below = (guess.sets.point.line or 0) > (guess.other.point.line or 0)
    own = "(" in name or of_value(name) or is_lazy(name)
    return scene.go and below and not own and address.is_packages(scene) is False


def _is_check(guess: Check) -> bool:
    """Return whether, by code offsets, the write comes after the check above it."""
    down = (guess.sets.point.line or 0) - (guess.other.point.line or 0)
    first, then = depth.of(guess.other), depth.of(guess.sets)
    return down <= 0 or first is None or then is None or first <= then


def _made_by_caller(scene: Scene, change: str) -> Hit | None:
    """Match a constructor that fills an object, called because there was none yet."""
    for maker, other in scene.both if scene.sourced else ():
        if not maker.writes or maker.held or other.held or maker.here is None:
            continue
        there = [(code.path, code.first) for _, code in other.way[:NEAR]]
        made = is_made_here(scene, maker)
        # names that the line or its function writes: the object, a flag, the variable that holds it
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
                    maker.told(f"{maker.does} an object that it creates"),
                    Evidence(f"which is created under `if {seen.text[:60]}`", point(caller)),
                    other.told(f"{other.does} it in {other.actor.id}"),
                )
                confidence = STRONG + 0.04 if leads else LIKELY + 0.05
                return Hit(confidence, evidence, change, (point(caller),), from_source=True)
            filled = _filled(calls)
    return None


def _is_one_of_many(scene: Scene, asked: Condition) -> bool:
    """Return whether the check is for an element of a map: `price, known := c.prices[s]; !known`."""
    shared = scene.shared
    return shared is not None and "map[" in shared.type and f"{shared.name}[" in asked.text


def _filled(seen: Around) -> set[str]:
    """Return the names that a line and its function write, without the function's own variables."""
    used = (*seen.uses, *seen.stores)
    return {u.name for u in used if len(u.path) > 1 or u.name not in seen.names}


def _published(scene: Scene, change: str) -> Hit | None:
    """Match a function that fills a new object and stores it if there was none; others use it."""
    for maker, other in scene.both if scene.sourced else ():
        if not maker.site or maker.held or other.held or not is_made_here(scene, maker):
            continue
        if seen := stores_absent(scene, maker.site):
            evidence = (
                maker.told(f"{maker.does} an object that it creates"),
                maker.told(f"and stores under `{seen.text[:60]}`, line {seen.line}"),
                other.told(f"{other.does} it in {other.actor.id}"),
            )
            return Hit(STRONG + 0.04, evidence, change, (maker.point,), from_source=True)
    return None


def _made_below(scene: Scene, change: str) -> Hit | None:
    """Match two sides in one function, one in a maker that it called: `k == nil`, then `makeKey`."""
    for reader, maker in scene.both if not scene.sourced else ():
        if not maker.writes or reader.writes or reader.closure or maker.inner:
            continue
        if maker.name == reader.name or verb(maker.name) not in MAKING:
            continue
        if not (way := _same_way(reader, maker)):
            continue
        evidence = (
            reader.told(reader.does),
            maker.told(f"{maker.does}; by its name it creates the value"),
            Evidence(f"both stacks contain `{short(reader.written(way))}`", point(way)),
        )
        return Hit(FAIR, evidence, change, (point(way),))
    return None


def _by_function(scene: Scene, change: str) -> Hit | None:
    """From a Go report alone: a method calls a function that creates what another method uses."""
    for maker, reader in scene.both if scene.go and scene.source is None else ():
        if caller := made_below(maker, reader):
            named = short(maker.written(caller))
            evidence = (
                maker.told(f"{maker.does} in a function that seems to create the value"),
                Evidence(f"`{named}` leads to that call", point(caller)),
                reader.told(f"{reader.does} it further down in the same function"),
            )
            # if used only further down, it may have been stored in a map in between
            near = caller == maker.frames[1] or reader.point.line == caller.line
            return Hit(EVEN if near else WEAK, evidence, change, (point(caller),))
    return None


def _same_way(reader: Side, maker: Side) -> Frame | None:
    """Return the frame that calls the maker and, a few lines away, reads or calls the reader."""
    for caller in maker.frames[1:NEAR]:
        for frame in reader.frames[:2]:
            name = reader.written(frame)
            if name != maker.written(caller) or last(name) == "main" or is_test_file(frame.file):
                continue  # tests and `main` run code concurrently on purpose
            if abs((caller.line or 0) - (frame.line or 0)) <= SPAN:
                return caller
    return None


def _twice(scene: Scene, change: str) -> Hit | None:
    """Match two actors that write on the same line of a function that is named like a maker."""
    if scene.sourced or not scene.same_function or not all(s.writes for s in scene.sides):
        return None
    a, b = scene.sides
    if a.point.line != b.point.line or verb(a.name) not in MAKING or a.closure or a.inner:
        return None
    evidence = (a.told(f"two actors create it at once: `{short(a.name)}`"),)
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
