"""Both sides hold a lock, but not the same one.

## What it sees

Each side holds at least one lock and they have none in common: as listed by the detector (`mutexes:
write M1` against `write M2`), or by the code around the racing lines. With source also: a lock of
the same name in two different objects. If one lock belongs to the object, and the other to the code
that found, made or prints it, the object's lock is missing: [partial-lock](partial-lock.md).

## Why it races

Two locks order nothing between their holders.

## Example

    pthread_mutex_lock(&t->rows_lock);  t->rows++;     /* one thread */
    pthread_mutex_lock(&t->stats_lock); n = t->rows;   /* the other  */

## Remedy

Decide which lock guards the variable, document that at its declaration, and take that lock on both
sides.

## When it is wrong

A caller that is not in the stack may take a lock for both sides.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from deadheat.diagnose import locking, signals
from deadheat.diagnose.rule import FAIR, STRONG, SURE, Hit, Rule
from deadheat.diagnose.traits import LOCKS, SOURCE

if TYPE_CHECKING:
    from deadheat.diagnose.scene import Scene


def _find(scene: Scene) -> Hit | None:
    held = locking.locks(scene)
    if held is None or not (held[0] and held[1]) or locking.guardian(scene):
        return None
    if signals.is_one(scene):
        return None  # a WaitGroup or channel is not guarded by a lock
    shared = locking.common(*held)
    alone = [[lock for lock in own if not lock.shared] for own in held]
    if not locking.common(*alone) and any(
        lock.shared and side.writes
        for side, own in zip(scene.sides, held, strict=True)
        for lock in own
    ):
        return None
    evidence = tuple(
        side.told(f"{side.does} under {locking.names(own)}")
        for side, own in zip(scene.sides, held, strict=True)
    )
    change = f"Choose the one lock that guards {scene.what} and take it on both sides."
    if shared:
        if not locking.from_source(scene):
            return None
        named = (locking.common(*alone) or shared)[0]
        evidence += (scene.sides[0].told(f"`{named}` must be two locks, else this would not race"),)
        return Hit(FAIR, evidence, change, scene.points, from_source=True)
    confidence = SURE
    if locking.from_source(scene):
        confidence = FAIR if locking.may_be_one(*scene.sides) else STRONG
    return Hit(confidence, evidence, change, scene.points, from_source=locking.from_source(scene))


RULE = Rule(
    "different-locks",
    "locking",
    _find,
    "one of the two locks",
    "More contention on one lock; keep the lock order if both are ever held.",
    general=("missing-lock",),
    when=SOURCE | LOCKS,
)
