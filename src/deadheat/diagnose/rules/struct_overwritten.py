"""A whole struct is overwritten while its fields are in use.

## What it sees

With source: one side stores a whole struct in one go (`*x = T{}`, `memset(&x, 0, sizeof x)`), the other
works on a field within it, atomically, by a method or under a lock that is overwritten with it. From a
report alone: an atomic access against a plain write that copies or clears memory (`memset`, `memcpy`),
or, in Go, what one side adds to against a write by a function that is not called like one that sets a
count back (`Reset`, `Flush`).

## Why it races

The assignment writes every field, also those that others use atomically or under a lock of the
struct, which it overwrites, too.

## Example

    sc := &vars.cached[i]
    *sc = StatementContext{}    // while a worker still adds to sc.MemTracker

## Remedy

Do not reuse the object: make a new one and publish its pointer; or wait for everybody who uses the
old one, then reset it.

## When it is wrong

The struct may be a fresh one whose address was only used before. From a report alone: the field is
set by itself, and that is `mixed-atomic`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from deadheat.diagnose.atomics import is_atomic
from deadheat.diagnose.locking import is_overwritten
from deadheat.diagnose.naming import words
from deadheat.diagnose.rule import FAIR, LIKELY, STRONG, WEAK, Hit, Rule
from deadheat.diagnose.taking_apart import destroys
from deadheat.diagnose.traits import ABOVE, ATOMIC, SOURCE
from deadheat.diagnose.vocabulary import ENDING, RENEWING
from deadheat.model import Op

if TYPE_CHECKING:
    from deadheat.diagnose.finding import Evidence
    from deadheat.diagnose.scene import Scene
    from deadheat.diagnose.side import Side

# "memset", "memcpy", "__tsan_memcpy", "memmove", "runtime.typedmemmove", "runtime.duffcopy"
_COPIES = re.compile(r"^(?:__tsan_)?mem(?:set|cpy|move)$|^runtime\.(?:typedmem|duff|memclr)")
# "atomic.AddInt64": a flag that is set and asked for may well be set plainly by mistake
_ADDS = re.compile(r"^(?:sync/)?atomic\.(?:Add|\(\*\w{1,9}\)\.Add)")
# who is called so sets the count itself to nothing, or to what it is given
_AT_ZERO = ENDING | RENEWING | {"flush", "drain", "zero", "set", "store"}
# "memset(&w, 0, sizeof w);", "memcpy(s, &fresh, sizeof(*s));", "*s = (struct stats){0};"
_CLEARS = re.compile(
    r"\b(?:memset|bzero|memcpy)\(\s{0,9}&?([\w.>-]{1,80})\s{0,9},[^;]{0,200}\bsizeof\b"
)


def _find(scene: Scene) -> Hit | None:
    for writer, other in scene.both:
        if not writer.writes or is_atomic(writer):
            continue
        if writer.access.op is Op.FREE or destroys(writer):
            continue  # it is gone then, and not made anew
        stored = _whole(writer) or _of_parts(writer, other)
        change = (
            "Make a new object for the next use and publish its pointer, or wait until nobody uses"
            " the old one before it is overwritten."
        )
        if stored and writer.here and (is_atomic(other) or _within(scene)):
            evidence: tuple[Evidence, ...] = (
                writer.told(f"`{writer.here.text[:80]}` stores a whole {stored}"),
                other.told(f"{other.does} something within it"),
            )
            confidence = STRONG if is_atomic(other) else LIKELY
            if is_overwritten(writer, other):
                told = f"and the lock `{other.held[0].name}`, which the other side holds, with it"
                evidence, confidence = (*evidence, writer.told(told)), STRONG + 0.04
            return Hit(confidence, evidence, change, (writer.point,), from_source=True)
        if writer.here is None and writer.true and is_atomic(other):
            confidence, how = _unseen(writer, other)
            counts = f"{other.does.removesuffix(' atomically')} atomically"
            evidence = (writer.told(how), other.told(counts))
            return Hit(confidence, evidence, change, (writer.point,))
    return None


def _unseen(writer: Side, other: Side) -> tuple[float, str]:
    """From a report alone: how sure it is that the plain write is one of a whole struct, and why."""
    if copy := writer.above(_COPIES):
        return STRONG, f"{writer.does} by `{copy.function[:40]}`, more than a field"
    if other.above(_ADDS) and not _AT_ZERO.intersection(words(writer.name)[:1]):
        return FAIR + 0.05, f"{writer.does} plainly what others count, and not only to begin anew"
    return WEAK, f"{writer.does} plainly: it may make the whole object new"


def _whole(writer: Side) -> str:
    """What the line stores in one go."""
    here = writer.here
    if here is None:
        return ""
    if told := _CLEARS.search(here.text):
        return f"object: `{told[1]}`"
    stored = next((u for u in here.uses if u.whole), None)
    return f"`{stored.whole}`" if stored else ""


def _of_parts(writer: Side, other: Side) -> str:
    """`l->now = fresh;` against `l->now.picks`: does the other side work on a part of what is stored?"""
    here, there = writer.here, other.here
    stored = [u.name for u in here.stores if u.line == here.line] if here else []
    for use in there.uses if there else ():
        for name in stored:
            at = use.path.index(name) + 1 if name in use.path[:-1] else 0
            part = use.path[at] if at else ""
            # "s.picks", and neither a method of it nor what it points to
            if part and "(" not in part and there and f"{name}.{part}" in there.text:
                return f"object: `{name}`"
    return ""


def _within(scene: Scene) -> bool:
    """Is what the other side works on a part of what is stored?"""
    shared = scene.shared
    return shared is not None and (shared.kind == "struct" or bool(shared.part))


RULE = Rule(
    "struct-overwritten",
    "atomics",
    _find,
    "a new object per use",
    "An allocation per use.",
    general=("mixed-atomic",),
    when=SOURCE | ATOMIC | ABOVE,
)
