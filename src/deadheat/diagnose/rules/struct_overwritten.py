"""A whole struct is overwritten while its fields are in use.

## What it sees

With source: one side stores a whole struct at once (`*x = T{}`, `memset(&x, 0, sizeof x)`), the
other works on a field of it: atomically, by a method, or under a lock that is overwritten with it.

From a report alone: an atomic access against a non-atomic write that copies or clears memory
(`memset`, `memcpy`). Or, in Go, an atomic add against a write by a function that is not named like
a reset of a counter (`Reset`, `Flush`).

## Why it races

The assignment writes every field, also those that others use atomically or under a lock of the
struct. It overwrites the lock too.

## Example

    sc := &vars.cached[i]
    *sc = StatementContext{}    // while a worker still adds to sc.MemTracker

## Remedy

Do not reuse the object: make a new one and publish its pointer. Or wait for all users of the old
one, then reset it.

## When it is wrong

The struct may be new, and its address was only used before. From a report alone: only the field is
set (`mixed-atomic`).
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
# "atomic.AddInt64"; no Load or Store: a flag may be set without an atomic by mistake
_ADDS = re.compile(r"^(?:sync/)?atomic\.(?:Add|\(\*\w{1,9}\)\.Add)")
# functions with these verbs set the counter itself
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
            continue  # destroyed, not overwritten
        stored = _whole(writer) or _of_parts(writer, other)
        change = (
            "Make a new object for the next use and publish its pointer, or wait until nobody uses"
            " the old one before you overwrite it."
        )
        if stored and writer.here and (is_atomic(other) or _within(scene)):
            evidence: tuple[Evidence, ...] = (
                writer.told(f"`{writer.here.text[:80]}` stores a whole {stored}"),
                other.told(f"{other.does} a part of it"),
            )
            confidence = STRONG if is_atomic(other) else LIKELY
            if is_overwritten(writer, other):
                told = f"including the lock `{other.held[0].name}` that the other side holds"
                evidence, confidence = (*evidence, writer.told(told)), STRONG + 0.04
            return Hit(confidence, evidence, change, (writer.point,), from_source=True)
        if writer.here is None and writer.true and is_atomic(other):
            confidence, how = _unseen(writer, other)
            counts = f"{other.does.removesuffix(' atomically')} atomically"
            evidence = (writer.told(how), other.told(counts))
            return Hit(confidence, evidence, change, (writer.point,))
    return None


def _unseen(writer: Side, other: Side) -> tuple[float, str]:
    """From a report alone: return the confidence that a whole struct is written, and the reason."""
    if copy := writer.above(_COPIES):
        return STRONG, f"{writer.does} with `{copy.function[:40]}`, which writes more than a field"
    if other.above(_ADDS) and not _AT_ZERO.intersection(words(writer.name)[:1]):
        return FAIR + 0.05, f"{writer.does} a shared counter without an atomic, and not as a reset"
    return WEAK, f"{writer.does} without an atomic: it may overwrite the whole object"


def _whole(writer: Side) -> str:
    """Describe the object that the line stores as a whole."""
    here = writer.here
    if here is None:
        return ""
    if told := _CLEARS.search(here.text):
        return f"object: `{told[1]}`"
    stored = next((u for u in here.uses if u.whole), None)
    return f"`{stored.whole}`" if stored else ""


def _of_parts(writer: Side, other: Side) -> str:
    """Describe the stored object if the other side uses a field: `l->now = fresh;`, `l->now.picks`."""
    here, there = writer.here, other.here
    stored = [u.name for u in here.stores if u.line == here.line] if here else []
    for use in there.uses if there else ():
        for name in stored:
            at = use.path.index(name) + 1 if name in use.path[:-1] else 0
            part = use.path[at] if at else ""
            # "s.picks": no method of it, and not behind a pointer
            if part and "(" not in part and there and f"{name}.{part}" in there.text:
                return f"object: `{name}`"
    return ""


def _within(scene: Scene) -> bool:
    """Return whether the other side works on a part of the stored object."""
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
