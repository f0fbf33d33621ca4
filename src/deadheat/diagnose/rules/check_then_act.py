"""A check and the act that depends on it are not one step.

## What it sees

Two actors in one function: one reads, the other writes a line or two further down. With source: the write stands under a condition on
the same variable that is not a check whether it is there at all (`if v > max { max = v }`).

## Why it races

Between the check and the act another one may act. Even if each were atomic, the two together are not.

## Example

    if v > g.max { g.max = v }      // a larger value may be overwritten by a smaller one

## Remedy

Hold one lock from the check to the act; or a loop with `CompareAndSwap`.

## When it is wrong

A thing that is made at first use is `lazy-initialisation`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from deadheat.diagnose import locking
from deadheat.diagnose.checking import check, is_changing, is_lazy, likely
from deadheat.diagnose.rule import FAIR, STRONG, WEAK, Hit, Rule

if TYPE_CHECKING:
    from deadheat.diagnose.scene import Scene

_CHANGE = "Hold one lock from the check to the write of {what}, or use CompareAndSwap in a loop."


def _find(scene: Scene) -> Hit | None:
    change = _CHANGE.format(what=scene.what)
    found = check(scene)
    if found and not found.absent and found.condition:
        held = locking.locks(scene)
        if held and any(held):
            return None
        evidence = (
            found.sets.told(f"{found.sets.does} under `if {found.condition.text[:60]}`"),
            found.other.told(f"{found.other.does} in the same function, in {found.other.actor.id}"),
        )
        return Hit(STRONG, evidence, change, (found.sets.point,), from_source=True)
    guess = likely(scene)
    if guess is None or is_lazy(guess.sets.name):
        return None
    named = is_changing(guess.sets.name)
    evidence = (
        guess.other.told(f"{guess.other.does} first"),
        guess.sets.told(f"{guess.sets.does} a little further down in the same function"),
    )
    return Hit(FAIR if named else WEAK, evidence, change, (guess.sets.point,))


RULE = Rule(
    "check-then-act",
    "publication",
    _find,
    "sync.Mutex around both steps; CompareAndSwap",
    "The lock is held a little longer.",
)
